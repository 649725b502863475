// Defaults in the text of a descriptor (as in the .proto language) -> canonical text (spec/plan.md, PLN-27).
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "plan.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads the number of decimal digits, which is at most `limit`.
bool read_digits(std::string_view digits, std::uint64_t limit, std::uint64_t& value) {
  if (digits.empty()) return false;
  value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return false;
    const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
    if (value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  return true;
}

bool canonical_integer(std::string_view text, bool is_signed, unsigned bits, std::string& canonical) {
  const bool negative = is_signed && !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  std::uint64_t limit = ~std::uint64_t{0} >> (64 - bits);
  if (is_signed) limit = (limit >> 1) + (negative ? 1 : 0);
  std::uint64_t value;
  if (!read_digits(text, limit, value)) return false;
  canonical = (negative && value != 0 ? "-" : "") + std::to_string(value);
  return true;
}

// Accepts digits, perhaps with a point and an exponent. strtod() accepts more: hexadecimal numbers and names.
bool is_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  if (at < text.size() && text[at] == '-') ++at;
  std::size_t mantissa = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    mantissa += digits();
  }
  if (mantissa == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

template <class T, class Bits>
std::string hex_bits(T value) {
  static_assert(sizeof(T) == sizeof(Bits), "hex_bits() needs two types of the same size");
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  std::string text;
  for (int shift = static_cast<int>(sizeof bits) * 8 - 4; shift >= 0; shift -= 4) {
    text += kHexDigits[(bits >> shift) & 15];
  }
  return text;
}

// A number that is too large for the type is infinite, as in protoc; strtof() and strtod() do the same.
bool canonical_float(std::string_view text, bool is_double, std::string& canonical) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view magnitude = text.substr(negative ? 1 : 0);
  if (magnitude == "nan") {
    canonical = is_double ? "7ff8000000000000" : "7fc00000";
    return true;
  }
  if (magnitude == "inf") {
    canonical = std::string(negative ? "ff" : "7f") + (is_double ? "f0000000000000" : "800000");
    return true;
  }
  if (!is_decimal(text)) return false;
  const std::string terminated(text);
  canonical = is_double ? hex_bits<double, std::uint64_t>(std::strtod(terminated.c_str(), nullptr))
                        : hex_bits<float, std::uint32_t>(std::strtof(terminated.c_str(), nullptr));
  return true;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads an escape after its backslash, and moves `at` to the end of the escape. Returns -1 if it is not an escape.
int read_escape(std::string_view text, std::size_t& at) {
  if (at == text.size()) return -1;
  const char c = text[at++];
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case '"':
    case '\'':
    case '\\':
    case '?': return c;
    default: break;
  }
  int value = 0;
  if (c == 'x' || c == 'X') {
    const std::size_t from = at;
    while (at < text.size() && at < from + 2 && hex_value(text[at]) >= 0) value = value * 16 + hex_value(text[at++]);
    return at == from ? -1 : value;
  }
  if (c < '0' || c > '7') return -1;
  value = c - '0';
  for (int more = 0; more < 2 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++more) {
    value = value * 8 + (text[at++] - '0');
  }
  return value <= 255 ? value : -1;
}

bool canonical_bytes(std::string_view text, std::string& canonical) {
  canonical.clear();
  for (std::size_t at = 0; at < text.size();) {
    int byte = static_cast<unsigned char>(text[at++]);
    if (byte == '\\') byte = read_escape(text, at);
    if (byte < 0) return false;
    canonical += kHexDigits[byte >> 4];
    canonical += kHexDigits[byte & 15];
  }
  return true;
}

}  // namespace

bool canonical_default(const Field& field, std::string_view text, std::string& canonical) {
  switch (field.type) {
    case FieldType::Int32:
    case FieldType::Sint32:
    case FieldType::Sfixed32: return canonical_integer(text, true, 32, canonical);
    case FieldType::Int64:
    case FieldType::Sint64:
    case FieldType::Sfixed64: return canonical_integer(text, true, 64, canonical);
    case FieldType::Uint32:
    case FieldType::Fixed32: return canonical_integer(text, false, 32, canonical);
    case FieldType::Uint64:
    case FieldType::Fixed64: return canonical_integer(text, false, 64, canonical);
    case FieldType::Float: return canonical_float(text, false, canonical);
    case FieldType::Double: return canonical_float(text, true, canonical);
    case FieldType::Bool:
      canonical = std::string(text);
      return text == "true" || text == "false";
    case FieldType::String: canonical = std::string(text); return true;
    case FieldType::Bytes: return canonical_bytes(text, canonical);
    case FieldType::Enum:
      for (const EnumValue& value : field.enumeration->values) {
        if (value.name == text) {
          canonical = value.name;
          return true;
        }
      }
      return false;
    case FieldType::Message:
    case FieldType::Group: return false;
  }
  return false;
}

}  // namespace plugin
}  // namespace hotpb
