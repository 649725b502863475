// All messages of the vectors' schemas that a pool can write back, by their full names.
#ifndef HOTPB_TESTGEN_POOL_REENCODERS_H_
#define HOTPB_TESTGEN_POOL_REENCODERS_H_

#include <cstddef>
#include <string_view>

#include "hotpb_test/reencode_pool.h"

// In the namespace of the configuration (detail/abi.h), so that what is compiled in another one does not link.
namespace hotpb_test {
inline namespace HOTPB_ABI {

struct PoolReencoderList {
  const hotpb::pool::Reencoder* items;
  std::size_t count;
};

// One for each schema.
PoolReencoderList pool_list_vectors();
PoolReencoderList pool_list_vectors_2023();
PoolReencoderList pool_list_vectors_2024();
PoolReencoderList pool_list_vectors_proto2();
PoolReencoderList pool_list_raft();

// nullptr for a message that there is not.
const hotpb::pool::Reencoder* find_pool_reencoder(std::string_view message);

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test

#endif  // HOTPB_TESTGEN_POOL_REENCODERS_H_
