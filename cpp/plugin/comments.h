// The comments of a schema: as protoc passes them, and as lines that a C++ comment can contain.
#ifndef HOTPB_PLUGIN_COMMENTS_H_
#define HOTPB_PLUGIN_COMMENTS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "descriptors.h"

namespace hotpb {
namespace plugin {

// The comments of one file, by the path of the element. They borrow the input.
class Comments {
 public:
  void read(const pb::FileDescriptorProtoView& file);
  // The comment before the element, or else the one after it; empty if there is none.
  std::string at(const Path& path) const;

 private:
  std::map<Path, std::string_view> texts_;
};

// The lines of a comment, without blank ones around it: whatever they contain, a comment of C++ ends where they end.
std::vector<std::string> comment_lines(std::string_view comment);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_COMMENTS_H_
