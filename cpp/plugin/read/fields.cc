#include "read/fields.h"

#include <utility>

#include "names.h"

namespace hotpb {
namespace plugin {
namespace {

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::string type_text(const Field& field) {
  if (field.message != nullptr) return last_part(field.message->name);
  if (field.enumeration != nullptr) return last_part(field.enumeration->name);
  return std::string(type_name(field.type));
}

std::string free_name(std::string name, MembersOf members_of, std::set<std::string>& used) {
  const auto is_free = [&] {
    for (const std::string& member : members_of(name)) {
      if (used.count(member) != 0) return false;
    }
    return true;
  };
  while (!is_free()) name += '_';
  for (std::string& member : members_of(name)) used.insert(std::move(member));
  return name;
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

std::uint32_t packed_tag_of(const Field& field) { return static_cast<std::uint32_t>(field.number) << 3 | 2u; }

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

Accessors accessors_of(const Message& message, std::set<std::string> used, MembersOf members_of_field,
                       MembersOf members_of_oneof) {
  Accessors accessors;
  for (const Field& field : message.fields) {
    accessors.fields[&field] = free_name(identifier(field.name), members_of_field, used);
  }
  for (const Oneof& oneof : message.oneofs) {
    accessors.oneofs.push_back(free_name(identifier(oneof.name), members_of_oneof, used));
  }
  return accessors;
}

}  // namespace plugin
}  // namespace hotpb
