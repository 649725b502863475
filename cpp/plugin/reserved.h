// Words that no generated name may be: keywords of C++, and macros of the headers that programs commonly include.
#ifndef HOTPB_PLUGIN_RESERVED_H_
#define HOTPB_PLUGIN_RESERVED_H_

#include <string_view>

namespace hotpb {
namespace plugin {

bool is_reserved(std::string_view name);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_RESERVED_H_
