// What views and pools ask of a field, and the names of a message's accessors.
#ifndef HOTPB_PLUGIN_READ_FIELDS_H_
#define HOTPB_PLUGIN_READ_FIELDS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan.h"

namespace hotpb {
namespace plugin {

bool is_text(const Field& field);
bool is_closed(const Field& field);
bool is_packable(const Field& field);  // repeated numbers
bool has_presence(const Field& field);
// The number of the type in descriptor.proto's list, as FieldEntry has it.
std::string field_type(const Field& field);
const Field& map_key(const Field& field);
const Field& map_value(const Field& field);
// The tag of one element; for a delimited message, the tag that starts a group.
std::uint32_t tag_of(const Field& field);
// The declaration of the field in the .proto file, for comments.
std::string declaration(const Field& field);
// The tag of a repeated field that is packed.
std::uint32_t packed_tag_of(const Field& field);

// The accessors of a message's fields, and of its oneofs by index: their names in the schema, with underscores until no
// member that is built from a name is in `used`, or built from another name.
struct Accessors {
  std::map<const Field*, std::string> fields;
  std::vector<std::string> oneofs;
};
using MembersOf = std::vector<std::string> (*)(const std::string& name);
Accessors accessors_of(const Message& message, std::set<std::string> used, MembersOf members_of_field,
                       MembersOf members_of_oneof);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_READ_FIELDS_H_
