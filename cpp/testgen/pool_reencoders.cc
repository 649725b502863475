#include "pool_reencoders.h"

namespace hotpb_test {
inline namespace HOTPB_ABI {

const hotpb::pool::Reencoder* find_pool_reencoder(std::string_view message) {
  for (PoolReencoderList (*list)() : {pool_list_vectors, pool_list_vectors_2023, pool_list_vectors_2024,
                                      pool_list_vectors_proto2, pool_list_raft}) {
    const PoolReencoderList here = list();
    for (std::size_t i = 0; i < here.count; ++i) {
      if (here.items[i].message == message) return &here.items[i];
    }
  }
  return nullptr;
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
