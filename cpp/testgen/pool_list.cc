// The re-encoders of the pools of one schema; CMakeLists.txt says which.
#include "pool_reencoders.h"

#include HOTPB_HEADER

#define HOTPB_PASTE2(a, b) a##b
#define HOTPB_PASTE(a, b) HOTPB_PASTE2(a, b)

namespace hotpb_test {
inline namespace HOTPB_ABI {

PoolReencoderList HOTPB_PASTE(pool_list_, HOTPB_LIST)() {
  return {::HOTPB_NAMESPACE::HOTPB_REENCODERS,
          sizeof ::HOTPB_NAMESPACE::HOTPB_REENCODERS / sizeof(hotpb::pool::Reencoder)};
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
