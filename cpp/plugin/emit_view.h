// The view face of one file: a class FooView for each message, a class for each extension (hotpb/view.h).
#ifndef HOTPB_PLUGIN_EMIT_VIEW_H_
#define HOTPB_PLUGIN_EMIT_VIEW_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "code.h"
#include "names.h"
#include "plan.h"

namespace hotpb {
namespace plugin {

// What the view face and the re-encoder, which calls its accessors, call things.
class ViewNames {
 public:
  ViewNames(const Plan& plan, const Names& names, const File& file, bool strict)
      : plan_(plan), names_(names), file_(file), strict_(strict) {}

  std::string view(const Message& message) const { return names_.type_in(message, "View", file_); }
  std::string extension(const Field& extension) const;
  // Accessors by field; those of a oneof by its index. `which` stands behind "which_".
  std::map<const Field*, std::string> members(const Message& message) const;
  std::vector<std::string> oneofs(const Message& message) const;

  // "hotpb::view::Sint32" and the like: the type of one element, a map's key or value.
  std::string kind(const Field& field) const;
  // The C++ type of one element; of a message the type before it is opened.
  std::string type(const Field& field) const;
  // What an absent field returns.
  std::string fallback(const Field& field) const;
  // The function that tells the values of a closed enum.
  std::string closed(const Enum& enumeration) const;

  bool verify(const Field& field) const { return field.type == FieldType::String && (field.verify_utf8 || strict_); }
  const Plan& plan() const { return plan_; }
  const Names& names() const { return names_; }
  const File& file() const { return file_; }

  // Of this file, in the order of the plan, map entries left out.
  std::vector<const Message*> messages() const;
  // Declared in this file, with their extendees.
  struct Extension {
    const Message* extendee;
    const Field* field;
  };
  std::vector<Extension> extensions() const;

 private:
  const Plan& plan_;
  const Names& names_;
  const File& file_;
  bool strict_;
};

bool is_text(const Field& field);
bool is_closed(const Field& field);
const Field& map_key(const Field& field);
const Field& map_value(const Field& field);
// As `kind` has it for tags: a delimited message is a group.
std::uint32_t tag_of(const Field& field);
// The field as the .proto has it, for comments.
std::string declaration(const Field& field);

void emit_view(const ViewNames& names, Code& code);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_EMIT_VIEW_H_
