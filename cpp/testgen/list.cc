// The re-encoders of one schema, which CMakeLists.txt chooses.
#include "reencoders.h"

#include HOTPB_HEADER

#define HOTPB_PASTE2(a, b) a##b
#define HOTPB_PASTE(a, b) HOTPB_PASTE2(a, b)

namespace hotpb_test {
inline namespace HOTPB_ABI {

ReencoderList HOTPB_PASTE(list_, HOTPB_LIST)() {
  return {::HOTPB_NAMESPACE::HOTPB_REENCODERS,
          sizeof ::HOTPB_NAMESPACE::HOTPB_REENCODERS / sizeof(hotpb::view::Reencoder)};
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
