// Words that C++ and its headers reserve.
#ifndef HOTPB_PLUGIN_RESERVED_H_
#define HOTPB_PLUGIN_RESERVED_H_

#include <string_view>

namespace hotpb {
namespace plugin {

// Words that no generated name may be: keywords of C++, and macros of the headers that programs commonly include.
bool is_reserved(std::string_view name);

// Macros of headers that few programs include. Generated code may have such a name, and undefines the macro while it
// declares the name.
bool is_guarded(std::string_view name);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_RESERVED_H_
