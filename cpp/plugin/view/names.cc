// Names, types and defaults of the view face.
#include <cstdio>

#include "view/names.h"

namespace hotpb {
namespace plugin {
namespace {

// The members of every view.
const std::set<std::string>& reserved() {
  static const std::set<std::string> names = {
      "View",    "append_to",    "check_initialized", "clear_", "decode",         "fields_",  "kFullName",
      "kTable",  "needs_",
      "open",    "pieces",       "raw",               "raw_",   "scan_",          "scan_fields_", "slots_", "Slots",
      "unknown_fields", "validate", "whole"};
  return names;
}

// All members that a view may have for a field.
std::vector<std::string> members_of(const std::string& name) {
  return {name, "has_" + name, "overwrite_" + name, name + "_fields_", name + "_table_"};
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

int nibble(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::string unhex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(nibble(text[i]) * 16 + nibble(text[i + 1]));
  }
  return bytes;
}

// A string literal as a std::string_view, which may contain zeros.
std::string literal(const std::string& bytes) {
  std::string text = "::std::string_view(\"";
  for (const char c : bytes) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\' || c == '?') {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", byte);
      text += octal;
    } else {
      text += c;
    }
  }
  return text + "\", " + std::to_string(bytes.size()) + ")";
}

std::string type_text(const Field& field) {
  if (field.message != nullptr) return last_part(field.message->name);
  if (field.enumeration != nullptr) return last_part(field.enumeration->name);
  return std::string(type_name(field.type));
}

}  // namespace

bool is_text(const Field& field) { return field.type == FieldType::String || field.type == FieldType::Bytes; }
bool is_closed(const Field& field) { return field.enumeration != nullptr && field.enumeration->closed; }
bool is_packable(const Field& field) {
  return field.repeated() && field.type != FieldType::Message && !is_text(field);
}
bool has_presence(const Field& field) {
  return field.presence == Presence::Explicit || field.presence == Presence::Required;
}

std::string field_type(const Field& field) {
  if (field.delimited) return "Group";
  std::string name(type_name(field.type));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

const Field& map_key(const Field& field) { return field.message->fields[0]; }
const Field& map_value(const Field& field) { return field.message->fields[1]; }

std::uint32_t tag_of(const Field& field) {
  return static_cast<std::uint32_t>(field.number) << 3 | static_cast<std::uint32_t>(wire_type(field));
}

std::string declaration(const Field& field) {
  std::string text;
  if (is_map(field)) {
    text = "map<" + type_text(map_key(field)) + ", " + type_text(map_value(field)) + ">";
  } else {
    switch (field.presence) {
      case Presence::Implicit: break;
      case Presence::Explicit: text = "optional "; break;
      case Presence::Required: text = "required "; break;
      case Presence::Repeated: text = "repeated "; break;
    }
    if (field.oneof >= 0) text.clear();
    text += type_text(field);
    if (field.delimited) text += " (delimited)";
  }
  return text + " " + field.name + " = " + std::to_string(field.number);
}

std::map<const Field*, std::string> ViewNames::members(const Message& message) const {
  std::set<std::string> used = reserved();
  used.insert(context_.names.type(message, "View"));
  std::map<const Field*, std::string> names;
  for (const Field& field : message.fields) {
    std::string name = identifier(field.name);
    const auto is_free = [&](const std::string& candidate) {
      for (const std::string& made : members_of(candidate)) {
        if (used.count(made) != 0) return false;
      }
      return true;
    };
    while (!is_free(name)) name += '_';
    for (std::string& made : members_of(name)) used.insert(std::move(made));
    names[&field] = name;
  }
  return names;
}

std::vector<std::string> ViewNames::oneofs(const Message& message) const {
  std::set<std::string> used = reserved();
  used.insert(context_.names.type(message, "View"));
  for (const auto& member : members(message)) {
    for (std::string& made : members_of(member.second)) used.insert(std::move(made));
  }
  std::vector<std::string> names;
  for (const Oneof& oneof : message.oneofs) {
    std::string name = identifier(oneof.name);
    while (used.count(name) != 0 || used.count("which_" + name) != 0) name += '_';
    used.insert(name);
    used.insert("which_" + name);
    names.push_back(name);
  }
  return names;
}

std::string ViewNames::extension(const Field& extension) const {
  const std::string name = context_.names.extension_view(extension);
  const std::string space = cpp_namespace(*extension.file);
  return space == cpp_namespace(context_.file) ? name : "::" + space + "::" + name;
}

std::string ViewNames::closed(const Enum& enumeration) const {
  return "::hotpb::view::detail::is_defined<" + context_.names.qualified(enumeration) + ">";
}

std::string ViewNames::kind(const Field& field) const {
  const std::string prefix = "::hotpb::view::";
  switch (field.type) {
    case FieldType::Enum: {
      const std::string type = context_.names.qualified(*field.enumeration);
      if (!is_closed(field)) return prefix + "Enum<" + type + ">";
      return prefix + "ClosedEnum<" + type + ", " + closed(*field.enumeration) + ">";
    }
    case FieldType::Message: return prefix + "MessageKind<" + view(*field.message) + ">";
    case FieldType::Bytes: return prefix + "ByteString";
    default: break;
  }
  std::string name(type_name(field.type));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return prefix + name;
}

std::string ViewNames::open_kind(const Field& field) const {
  if (field.type != FieldType::Enum) return kind(field);
  return "::hotpb::view::Enum<" + context_.names.qualified(*field.enumeration) + ">";
}

std::string ViewNames::type(const Field& field) const {
  if (field.type == FieldType::Message) return "::hotpb::view::Message<" + view(*field.message) + ">";
  if (field.type == FieldType::Enum) return context_.names.qualified(*field.enumeration);
  return cpp_type(field, context_.names, context_.file);
}

std::string ViewNames::fallback(const Field& field) const {
  const std::string& text = field.default_value;
  switch (field.type) {
    case FieldType::Enum: {
      const std::vector<EnumValue>& values = field.enumeration->values;
      const EnumValue* found = &values[0];
      for (const EnumValue& value : values) {
        if (field.has_default && value.name == text) {
          found = &value;
          break;
        }
      }
      if (found->deprecated) {  // its name would be a warning
        return "static_cast<" + context_.names.qualified(*field.enumeration) + ">(" + number_text(found->number) + ")";
      }
      return context_.names.qualified(*field.enumeration) + "::" + context_.names.value(*found);
    }
    case FieldType::String: return field.has_default ? literal(text) : "::std::string_view()";
    case FieldType::Bytes:
      return field.has_default ? "::hotpb::Bytes(" + literal(unhex(text)) + ")" : "::hotpb::Bytes()";
    case FieldType::Bool: return field.has_default ? text : "false";
    case FieldType::Float:
      return field.has_default ? "::hotpb::detail::port::bits_as<float>(::std::uint32_t{0x" + text + "})" : "0.0f";
    case FieldType::Double:
      return field.has_default ? "::hotpb::detail::port::bits_as<double>(::std::uint64_t{0x" + text + "})" : "0.0";
    case FieldType::Message: return "";
    default: break;
  }
  if (!field.has_default) return "0";
  if (text == "-9223372036854775808") return "-9223372036854775807 - 1";
  if (text == "-2147483648") return "-2147483647 - 1";
  return type(field)[7] == 'u' ? text + "u" : text;
}

}  // namespace plugin
}  // namespace hotpb
