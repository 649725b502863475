// Names and types of the pool face.
#include "pool/names.h"

#include <set>
#include <utility>

namespace hotpb {
namespace plugin {
namespace {

// The name of the field without its package: an extension's is a full name.
std::string plain_name(const Field& field) { return field.name.substr(field.name.rfind('.') + 1); }

}  // namespace

Accessors PoolNames::accessors(const Message& message) const {
  std::set<std::string> used = pool_members();
  used.insert(this->message(message));
  for (const Field& field : message.fields) {
    if (!is_map(field)) continue;
    const std::string entry = "entry_" + std::to_string(field.number) + "_";
    for (const char* part : {"fields_", "places_", "table_", "type_"}) used.insert(entry + part);
  }
  const auto of_field = [](const std::string& name) { return std::vector<std::string>{name, "has_" + name}; };
  const auto of_oneof = [](const std::string& name) { return std::vector<std::string>{"which_" + name}; };
  return accessors_of(message, std::move(used), of_field, of_oneof);
}

std::string PoolNames::type(const Field& field) const {
  if (is_map(field)) return entry(field);
  if (field.type == FieldType::Message) return qualified(*field.message);
  return view_.type(field);
}

std::string PoolNames::stored(const Field& field) const {
  if (is_closed(field)) return "::hotpb::pool::detail::Closed<" + type(field) + ", " + fallback(field) + ">";
  return type(field);
}

std::string PoolNames::entry(const Field& map) const {
  return stored(map_key(map)) + ", " + stored(map_value(map));
}

bool PoolNames::has_fallback(const Field& field) const {
  if (field.has_default) return true;
  return field.enumeration != nullptr && field.enumeration->values[0].number != 0;
}

std::string PoolNames::closed(const Enum& enumeration) const {
  return "::hotpb::pool::detail::is_defined<" + context_.names.qualified(enumeration) + ">";
}

std::string PoolClass::stored(const Field& field) const { return plain_name(field) + "_"; }
std::string PoolClass::size(const Field& field) const { return plain_name(field) + "_n"; }

bool is_number(const Field& field) { return field.type != FieldType::Message && !is_text(field); }

unsigned number_width(const Field& field) {
  switch (field.type) {
    case FieldType::Double:
    case FieldType::Int64:
    case FieldType::Uint64:
    case FieldType::Fixed64:
    case FieldType::Sfixed64:
    case FieldType::Sint64: return 8;
    case FieldType::Bool: return 1;
    default: return 4;
  }
}

}  // namespace plugin
}  // namespace hotpb
