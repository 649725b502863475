// The plan as canonical JSON (spec/plan.md, Output), with a small printer.
#include "plan.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

// Prints like Python's json.dumps(indent=2): every element is on its own line, and empty lists and objects have none.
class Printer {
 public:
  void open(char bracket) {
    start();
    out_ += bracket;
    ++depth_;
    empty_ = true;
  }

  void close(char bracket) {
    --depth_;
    if (!empty_) new_line();
    out_ += bracket;
    empty_ = false;
  }

  void key(std::string_view name) {
    start();
    string(name);
    out_ += ": ";
    after_key_ = true;
  }

  void value(std::string_view text) {
    start();
    string(text);
  }
  void literal(std::string_view text) {
    start();
    out_ += text;
  }
  void value(std::int64_t number) { literal(std::to_string(number)); }
  void value(bool truth) { literal(truth ? "true" : "false"); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  std::string take() {
    out_ += '\n';
    return std::move(out_);
  }

 private:
  // Writes the comma and the line break before an element, unless a key has just been written.
  void start() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (depth_ == 0) return;
    if (!empty_) out_ += ',';
    empty_ = false;
    new_line();
  }

  void new_line() {
    out_ += '\n';
    out_.append(depth_ * 2, ' ');
  }

  void string(std::string_view text) {
    out_ += '"';
    for (const char c : text) {
      const unsigned char byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (byte < 0x20) {
        out_ += "\\u00";
        out_ += kHexDigits[byte >> 4];
        out_ += kHexDigits[byte & 15];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  std::string out_;
  std::size_t depth_ = 0;
  bool empty_ = true;
  bool after_key_ = false;
};

const char* presence_name(Presence presence) {
  switch (presence) {
    case Presence::Implicit: return "implicit";
    case Presence::Explicit: return "explicit";
    case Presence::Required: return "required";
    case Presence::Repeated: return "repeated";
  }
  return "";
}

const char* utf8_rule(const Field& field) {
  if (field.type != FieldType::String) return "";
  return field.verify_utf8 ? "verify" : "none";
}

void print_names(Printer& json, std::string_view key, const std::vector<std::string>& names) {
  json.key(key);
  json.open('[');
  for (const std::string& name : names) json.value(name);
  json.close(']');
}

void print_file(Printer& json, const File& file) {
  json.open('{');
  json.field("name", file.name);
  json.field("package", file.package);
  json.field("syntax", file.syntax);
  json.field("edition", file.edition);
  print_names(json, "dependencies", file.dependencies);
  print_names(json, "option_dependencies", file.option_dependencies);
  json.close('}');
}

// Prints the keys that fields and extensions share, from `packed` on.
void print_encoding(Printer& json, const Field& field, bool message_set_item) {
  json.field("packed", field.packed);
  json.field("utf8", utf8_rule(field));
  json.field("delimited", field.delimited);
  const wire::WireType type = message_set_item ? wire::WireType::Len : wire_type(field);
  json.field("wire_type", static_cast<std::int64_t>(type));
  json.field("tag", tag_bytes(field, message_set_item));
  json.field("size_class", size_class(field));
  json.field("message", field.message != nullptr ? field.message->name : std::string());
  json.field("enum", field.enumeration != nullptr ? field.enumeration->name : std::string());
}

void print_default(Printer& json, const Field& field) {
  json.key("default");
  if (field.has_default) {
    json.value(field.default_value);
  } else {
    json.literal("null");
  }
}

// PLN-20.
const char* child_storage(const Field& field) {
  if (field.message == nullptr) return "";
  return field.child_pointer ? "pointer" : "value";
}

void print_field(Printer& json, const Message& message, std::size_t slot) {
  const Field& field = message.fields[slot];
  json.open('{');
  json.field("name", field.name);
  json.field("number", static_cast<std::int64_t>(field.number));
  json.field("slot", static_cast<std::int64_t>(slot));
  json.field("type", type_name(field.type));
  json.field("presence", presence_name(field.presence));
  json.field("oneof", static_cast<std::int64_t>(field.oneof));
  print_encoding(json, field, false);
  json.key("map");
  if (is_map(field)) {
    json.open('{');
    json.field("key", type_name(field.message->fields[0].type));
    json.field("value", type_name(field.message->fields[1].type));
    json.close('}');
  } else {
    json.literal("null");
  }
  print_default(json, field);
  json.field("child_storage", child_storage(field));
  json.key("next");
  json.open('[');
  if (field.repeated()) json.value(static_cast<std::int64_t>(slot));
  if (slot + 1 < message.fields.size()) json.value(static_cast<std::int64_t>(slot + 1));
  json.close(']');
  json.close('}');
}

void print_message(Printer& json, const Message& message) {
  json.open('{');
  json.field("name", message.name);
  json.field("file", message.file->name);
  json.field("map_entry", message.map_entry);
  json.field("message_set", message.message_set);
  json.field("recursion", static_cast<std::int64_t>(message.recursion));
  json.key("max_size");
  if (message.max_size == kUnbounded) {
    json.literal("null");
  } else {
    json.value(message.max_size);
  }
  json.field("row_bytes", message.row_bytes);
  json.field("tier", std::string_view(message.straight ? "straight" : "table"));
  json.key("extension_ranges");
  json.open('[');
  for (const ExtensionRange& range : message.extension_ranges) {
    json.open('{');
    json.field("start", range.start);
    json.field("end", range.end);
    json.close('}');
  }
  json.close(']');
  json.key("oneofs");
  json.open('[');
  for (const Oneof& oneof : message.oneofs) {
    json.open('{');
    json.field("name", oneof.name);
    json.key("fields");
    json.open('[');
    for (const std::int32_t number : oneof.fields) json.value(static_cast<std::int64_t>(number));
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.key("fields");
  json.open('[');
  for (std::size_t slot = 0; slot < message.fields.size(); ++slot) print_field(json, message, slot);
  json.close(']');
  json.close('}');
}

void print_enum(Printer& json, const Enum& enumeration) {
  json.open('{');
  json.field("name", enumeration.name);
  json.field("file", enumeration.file->name);
  json.field("closed", enumeration.closed);
  json.key("values");
  json.open('[');
  for (const EnumValue& value : enumeration.values) {
    json.open('{');
    json.field("name", value.name);
    json.field("number", static_cast<std::int64_t>(value.number));
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

void print_extension(Printer& json, const Field& field, bool message_set_item) {
  json.open('{');
  json.field("name", field.name);
  json.field("file", field.file->name);
  json.field("number", static_cast<std::int64_t>(field.number));
  json.field("type", type_name(field.type));
  json.field("presence", presence_name(field.presence));
  print_encoding(json, field, message_set_item);
  print_default(json, field);
  json.close('}');
}

}  // namespace

std::string_view type_name(FieldType type) {
  switch (type) {
    case FieldType::Double: return "double";
    case FieldType::Float: return "float";
    case FieldType::Int64: return "int64";
    case FieldType::Uint64: return "uint64";
    case FieldType::Int32: return "int32";
    case FieldType::Fixed64: return "fixed64";
    case FieldType::Fixed32: return "fixed32";
    case FieldType::Bool: return "bool";
    case FieldType::String: return "string";
    case FieldType::Group:
    case FieldType::Message: return "message";
    case FieldType::Bytes: return "bytes";
    case FieldType::Uint32: return "uint32";
    case FieldType::Enum: return "enum";
    case FieldType::Sfixed32: return "sfixed32";
    case FieldType::Sfixed64: return "sfixed64";
    case FieldType::Sint32: return "sint32";
    case FieldType::Sint64: return "sint64";
  }
  return "";
}

wire::WireType wire_type(const Field& field) {
  return field.delimited ? wire::WireType::StartGroup : hotpb::detail::element_wire_type(field.type);
}

// PLN-16, and PLN-29 for message-set items.
std::string tag_bytes(const Field& field, bool message_set_item) {
  const std::uint32_t number = static_cast<std::uint32_t>(field.number);
  if (number > wire::kMaxFieldNumber) return "";
  const bool len = field.packed || message_set_item;
  std::uint8_t bytes[wire::kTagRoom];
  const std::uint8_t* end =
      wire::write_varint(bytes, wire::make_tag(number, len ? wire::WireType::Len : wire_type(field)));
  std::string hex;
  for (const std::uint8_t* p = bytes; p != end; ++p) {
    hex += kHexDigits[*p >> 4];
    hex += kHexDigits[*p & 15];
  }
  return hex;
}

std::string_view size_class(const Field& field) {
  if (field.delimited) return "group";
  switch (field.type) {
    case FieldType::Bool: return "bool";
    case FieldType::Uint32:
    case FieldType::Sint32: return "varint32";
    case FieldType::Int32:
    case FieldType::Int64:
    case FieldType::Uint64:
    case FieldType::Sint64:
    case FieldType::Enum: return "varint64";
    case FieldType::Fixed32:
    case FieldType::Sfixed32:
    case FieldType::Float: return "fix4";
    case FieldType::Fixed64:
    case FieldType::Sfixed64:
    case FieldType::Double: return "fix8";
    case FieldType::String:
    case FieldType::Bytes:
    case FieldType::Message:
    case FieldType::Group: return "len";
  }
  return "";
}

bool is_map(const Field& field) { return field.message != nullptr && field.message->map_entry; }

std::string print_plan(const Plan& plan) {
  Printer json;
  json.open('{');
  json.field("plan_version", std::int64_t{2});
  json.key("files");
  json.open('[');
  for (const auto& file : plan.files) {
    if (file->requested) print_file(json, *file);
  }
  json.close(']');
  json.key("messages");
  json.open('[');
  for (const auto& message : plan.messages) {
    if (message->file->requested) print_message(json, *message);
  }
  json.close(']');
  json.key("enums");
  json.open('[');
  for (const auto& enumeration : plan.enums) {
    if (enumeration->file->requested) print_enum(json, *enumeration);
  }
  json.close(']');
  json.key("extensions");
  json.open('[');
  for (const Extendee& extendee : plan.extensions) {
    json.open('{');
    json.field("extendee", extendee.message->name);
    json.key("fields");
    json.open('[');
    for (const Field& field : extendee.fields) print_extension(json, field, extendee.message->message_set);
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.close('}');
  return json.take();
}

}  // namespace plugin
}  // namespace hotpb
