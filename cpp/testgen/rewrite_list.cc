// The functions of one schema that write its views with its writers; CMakeLists.txt chooses the schema.
#include "rewriters.h"

#include HOTPB_HEADER

#define HOTPB_PASTE2(a, b) a##b
#define HOTPB_PASTE(a, b) HOTPB_PASTE2(a, b)

namespace hotpb_test {
inline namespace HOTPB_ABI {

RewriterList HOTPB_PASTE(rewriters_, HOTPB_LIST)() {
  return {::HOTPB_NAMESPACE::HOTPB_REWRITERS,
          sizeof ::HOTPB_NAMESPACE::HOTPB_REWRITERS / sizeof(hotpb::rewrite::Rewriter)};
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
