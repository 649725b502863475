// The builders and visitors of one schema; CMakeLists.txt says which.
#include "owned.h"

#include HOTPB_HEADER

#define HOTPB_PASTE2(a, b) a##b
#define HOTPB_PASTE(a, b) HOTPB_PASTE2(a, b)

namespace hotpb_test {
inline namespace HOTPB_ABI {

OwnedList HOTPB_PASTE(owned_, HOTPB_LIST)() {
  return {::HOTPB_NAMESPACE::HOTPB_OWNED, sizeof ::HOTPB_NAMESPACE::HOTPB_OWNED / sizeof(hotpb::pool::Owned)};
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
