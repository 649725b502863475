// FooWriter: the typed setters of a message (spec/faces.md, writer).
//
//   singular x        set_x(value)                    strings and bytes also from ByteRanges
//   repeated x        add_x(value)                    packed: add_x(span), packed_x() for one by one
//   message x         set_x()/add_x() -> XWriter      or with a callable, or with a RawMessage
//   map x             add_x(key, value)               message values: add_x(key) as above
//   extension x       set_x(writer, ...)              the same as functions beside the classes
//
// Every method begins with one of these prefixes, so that fields cannot collide with one another or with what the base
// class has.
#include "emit.h"

namespace hotpb {
namespace plugin {
namespace {

bool is_varint(FieldType type) {
  switch (type) {
    case FieldType::Double:
    case FieldType::Float:
    case FieldType::Fixed32:
    case FieldType::Fixed64:
    case FieldType::Sfixed32:
    case FieldType::Sfixed64:
    case FieldType::String:
    case FieldType::Bytes: return false;
    default: return true;
  }
}

// put_int32 and so on, of MessageWriter.
std::string put_function(FieldType type) {
  if (type == FieldType::Enum) return "put_enum";
  if (type == FieldType::String) return "put_string";
  if (!is_varint(type)) return type == FieldType::Bytes ? "put_bytes" : "put_fixed";
  return "put_" + std::string(type_name(type));
}

// How the elements of a packed field are encoded.
std::string_view packed_encoding(FieldType type) {
  switch (type) {
    case FieldType::Int32:
    case FieldType::Int64:
    case FieldType::Enum: return "::hotpb::PackedInt";
    case FieldType::Uint32:
    case FieldType::Uint64: return "::hotpb::PackedUint";
    case FieldType::Sint32: return "::hotpb::PackedSint32";
    case FieldType::Sint64: return "::hotpb::PackedSint64";
    default: return "::hotpb::PackedFixed";
  }
}

// The setters of one field: as members, or as functions that take the writer first.
class FieldEmitter {
 public:
  FieldEmitter(const FileContext& context, const Message& owner, const Field& field, std::string name, bool extension)
      : context_(context), owner_(owner), field_(field), name_(std::move(name)), extension_(extension) {}

  // In the class, or in the namespace.
  void declare(Code& code) const {
    const std::string number = std::to_string(field_.number);
    if (is_map(field_)) return declare_map(code);
    if (field_.message != nullptr) return declare_message(code);
    const std::string verb = field_.repeated() ? "add_" : "set_";
    const std::string type = value_type(field_);
    if (field_.packed) return declare_packed(code, type);
    code.line(prefix(), "void ", verb, name_, "(", writer_argument(), parameter(type), " value) noexcept { ", call(),
              put_function(field_.type), "<", number, ">(value); }");
    if (field_.type == FieldType::String || field_.type == FieldType::Bytes) {
      code.line(outlined(), "void ", verb, name_, "(", writer_argument(), "::hotpb::ByteRanges ranges) noexcept { ",
                call(), "put_ranges<", number, ">(ranges); }");
    }
  }

  // What could not be written in the class: it needs the classes of other messages.
  void define(Code& code) const {
    const Field* const message = child();
    if (message == nullptr) return;
    const std::string writer = context_.names.qualified(*message->message, "Writer");
    const std::string function = scope() + verb() + name_;
    const std::string keys = key_parameter();
    const std::string leading = join(extension_ ? owner_class() + "& writer" : "", keys);
    const std::string forwarded = join(extension_ ? "writer" : "", keys.empty() ? "" : "key");
    const std::string number = std::to_string(field_.number);
    code.line();
    code.line(keys.empty() ? "HOTPB_SETTER " : "inline ", writer, " ", function, "(", leading, ") noexcept {");
    code.line("  return ", opening(writer), ";");
    code.line("}");
    code.line("template <class Write>");
    code.line("HOTPB_SETTER void ", function, "(", join(leading, "Write&& write"), ") {");
    code.line("  ", call(), "with(", verb() + name_, "(", forwarded, "), ::std::forward<Write>(write));");
    code.line("}");
  }

 private:
  bool message_set() const { return owner_.message_set; }
  std::string_view prefix() const { return "HOTPB_SETTER "; }
  std::string_view outlined() const { return extension_ ? "inline " : ""; }
  std::string call() const { return extension_ ? "::hotpb::writer_internal::Access::fields(writer)." : ""; }
  std::string owner_class() const { return context_.names.qualified(owner_, "Writer"); }
  std::string writer_argument() const { return extension_ ? owner_class() + "& writer, " : ""; }
  std::string scope() const { return extension_ ? "" : context_.names.type(owner_, "Writer") + "::"; }
  std::string verb() const { return field_.repeated() ? "add_" : "set_"; }

  static std::string join(const std::string& first, const std::string& second) {
    return first.empty() || second.empty() ? first + second : first + ", " + second;
  }
  static std::string parameter(const std::string& type) {
    if (type == "::std::string_view") return "::hotpb::Text";
    return type == "bool" ? "::hotpb::ExactBool" : type;
  }

  std::string value_type(const Field& field) const {
    if (field.enumeration != nullptr) return context_.names.qualified(*field.enumeration);
    return cpp_type(field, context_.names, context_.file);
  }
  const Field& part(std::size_t index) const { return field_.message->fields[index]; }

  // The field whose message a handle is given for: the field itself, or the value of a map.
  const Field* child() const {
    if (is_map(field_)) return part(1).message != nullptr ? &part(1) : nullptr;
    return field_.message != nullptr ? &field_ : nullptr;
  }
  std::string key_parameter() const {
    return is_map(field_) ? parameter(value_type(part(0))) + " key" : "";
  }

  // An expression for key or value of a map entry.
  std::string entry_part(const Field& field, const std::string& value) const {
    const std::string number = std::to_string(field.number) + ", ";
    switch (field.type) {
      case FieldType::String: return "::hotpb::EntryPart::bytes(" + number + value + ".view())";
      case FieldType::Bytes: return "::hotpb::EntryPart::bytes(" + number + value + ")";
      case FieldType::Sint32:
        return "::hotpb::EntryPart::varint(" + number + "::hotpb::PackedSint32::bits(" + value + "))";
      case FieldType::Sint64:
        return "::hotpb::EntryPart::varint(" + number + "::hotpb::PackedSint64::bits(" + value + "))";
      case FieldType::Int32:
      case FieldType::Int64:
      case FieldType::Enum: return "::hotpb::EntryPart::varint(" + number + "::hotpb::PackedInt::bits(" + value + "))";
      case FieldType::Bool: return "::hotpb::EntryPart::varint(" + number + value + " ? 1 : 0)";
      case FieldType::Uint32:
      case FieldType::Uint64: return "::hotpb::EntryPart::varint(" + number + value + ")";
      default: return "::hotpb::EntryPart::fixed(" + number + value + ")";
    }
  }

  void declare_map(Code& code) const {
    const std::string number = std::to_string(field_.number);
    const std::string key = key_parameter();
    if (part(1).message == nullptr) {
      const std::string value = parameter(value_type(part(1)));
      code.line("void add_", name_, "(", key, ", ", value, " value) noexcept {");
      code.line("  ::hotpb::writer_internal::Access::entry(*this, ", number, ", ", entry_part(part(0), "key"), ",");
      code.line("                                          ", entry_part(part(1), "value"), ");");
      code.line("}");
      return;
    }
    declare_handles(code, context_.names.qualified(*part(1).message, "Writer"));
    code.line("void add_", name_, "(", key, ", ::hotpb::RawMessage value) noexcept {");
    code.line("  ::hotpb::writer_internal::Access::entry(*this, ", number, ", ", entry_part(part(0), "key"), ",");
    code.line("                                          ::hotpb::EntryPart::bytes(2, value.encoded));");
    code.line("}");
  }

  void declare_message(Code& code) const {
    declare_handles(code, context_.names.qualified(*field_.message, "Writer"));
    if (message_set()) return;
    code.line(outlined(), "void ", verb(), name_, "(", writer_argument(), "::hotpb::RawMessage value) noexcept { ",
              call(), field_.delimited ? "put_group<" : "put_bytes<", field_.number, ">(value.encoded); }");
  }

  void declare_handles(Code& code, const std::string& writer) const {
    if (extension_) return;  // a function is defined where it stands
    const std::string key = key_parameter();
    code.line(writer, " ", verb(), name_, "(", key, ") noexcept;");
    code.line("template <class Write>");
    code.line("void ", verb(), name_, "(", join(key, "Write&& write"), ");");
  }

  std::string opening(const std::string& writer) const {
    const std::string number = std::to_string(field_.number);
    if (is_map(field_)) {
      return "::hotpb::writer_internal::Access::open_entry<" + writer + ">(*this, " + number + ", " +
             entry_part(part(0), "key") + ")";
    }
    if (message_set()) return "::hotpb::writer_internal::Access::open_item<" + writer + ">(writer, " + number + ")";
    return call() + (field_.delimited ? "open_group<" : "open<") + writer + ", " + number + ">()";
  }

  void declare_packed(Code& code, const std::string& type) const {
    const std::string number = std::to_string(field_.number);
    const std::string span = "::hotpb::Span<const " + type + ">";
    const std::string encoding(packed_encoding(field_.type));
    const std::string handle = "::hotpb::PackedWriter<" + encoding + ", " + type + ">";
    const std::string put = encoding == "::hotpb::PackedFixed"
                                ? "put_packed_fixed<" + number + ">(values)"
                                : "put_packed_varint<" + number + ", " + encoding + ">(values)";
    code.line(outlined(), "void add_", name_, "(", writer_argument(), span, " values) noexcept { ", call(), put,
              "; }");
    code.line(extension_ ? "inline " : "", handle, " packed_", name_, "(",
              extension_ ? owner_class() + "& writer" : "", ") noexcept { return ", call(), "open<", handle, ", ",
              number, ">(); }");
  }

  const FileContext& context_;
  const Message& owner_;
  const Field& field_;
  std::string name_;
  bool extension_;
};

void emit_class(const FileContext& context, const Message& message, Code& code) {
  const std::string name = context.names.type(message, "Writer");
  code.line();
  code.line("// Writes a ", message.name, ".");
  code.line("class ", name, " final : public ::hotpb::MessageWriter {");
  code.line(" public:");
  code.indent();
  code.line("HOTPB_SETTER explicit ", name, "(::hotpb::WriterKey key) noexcept : ::hotpb::MessageWriter(key) {}");
  const std::vector<std::string>& setters = context.names.setters(message);
  for (std::size_t i = 0; i < message.fields.size(); ++i) {
    const Field& field = message.fields[i];
    code.line();
    const char* const kind = is_map(field) ? "map " : field.packed ? "packed " : field.repeated() ? "repeated " : "";
    code.line("// ", kind, type_name(field.type), " ", field.name, " = ", field.number);
    FieldEmitter(context, message, field, setters[i], false).declare(code);
  }
  code.dedent();
  code.line("};");
  code.line("static_assert(sizeof(", name,
            ") == sizeof(::hotpb::MessageWriter), \"a writer has no state of its own\");");
}

}  // namespace

void emit_writer(const FileContext& context, const Output& out) {
  Code& code = out.header;
  for (const Message* const message : context.messages) emit_class(context, *message, code);
  for (const Message* const message : context.messages) {
    const std::vector<std::string>& setters = context.names.setters(*message);
    for (std::size_t i = 0; i < message->fields.size(); ++i) {
      FieldEmitter(context, *message, message->fields[i], setters[i], false).define(code);
    }
  }
  for (const ExtensionOf& extension : context.extensions) {
    code.line();
    code.line("// Extension ", extension.field->name, " = ", extension.field->number, " of ", extension.extendee->name);
    const std::string name = context.names.setter(*extension.field);
    const FieldEmitter emitter(context, *extension.extendee, *extension.field, name, true);
    emitter.declare(code);
    emitter.define(code);
  }
}

}  // namespace plugin
}  // namespace hotpb
