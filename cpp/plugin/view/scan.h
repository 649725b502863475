// The scan of one message level: it finds each field, and checks the level.
#ifndef HOTPB_PLUGIN_VIEW_SCAN_H_
#define HOTPB_PLUGIN_VIEW_SCAN_H_

#include <string>

#include "read/tables.h"
#include "view/names.h"

namespace hotpb {
namespace plugin {

// The class that is being emitted.
struct ViewClass : ReadClass {
  std::string slot(const Field& field) const {
    return "slots_." + (in_oneof(field) ? oneofs[static_cast<std::size_t>(field.oneof)] : members.at(&field));
  }
  // The slot of a singular field, and the condition that it is present.
  std::string at(const Field& field) const;
  std::string has(const Field& field) const;
};

// Emits the definition of scan_(), and of the table that it uses.
void emit_scan(const ViewNames& names, const ViewClass& view, Code& code);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_VIEW_SCAN_H_
