// Names, types and defaults of the view face.
#include "view/names.h"

#include <cstdio>
#include <iterator>
#include <utility>

namespace hotpb {
namespace plugin {
namespace {

// The members of every view.
constexpr const char* kMembers[] = {
    "View",    "append_to", "check_initialized", "clear_", "decode", "fields_", "kFullName",    "kTable", "needs_",
    "open",    "pieces",    "raw",               "raw_",   "scan_",  "scan_fields_", "slots_",  "Slots",
    "unknown_fields", "validate", "whole"};

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

}  // namespace

Accessors ViewNames::accessors(const Message& message) const {
  std::set<std::string> used(std::begin(kMembers), std::end(kMembers));
  used.insert(context_.names.type(message, "View"));
  // All members that a view may have for a field, and for a oneof.
  const auto of_field = [](const std::string& name) {
    return std::vector<std::string>{name, "has_" + name, "overwrite_" + name, name + "_fields_", name + "_table_"};
  };
  const auto of_oneof = [](const std::string& name) { return std::vector<std::string>{name, "which_" + name}; };
  return accessors_of(message, std::move(used), of_field, of_oneof);
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
