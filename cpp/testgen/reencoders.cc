#include "reencoders.h"

namespace hotpb_test {
inline namespace HOTPB_ABI {

const hotpb::view::Reencoder* find_reencoder(std::string_view message) {
  for (ReencoderList (*list)() : {list_vectors, list_vectors_2023, list_vectors_2024, list_vectors_proto2, list_raft}) {
    const ReencoderList here = list();
    for (std::size_t i = 0; i < here.count; ++i) {
      if (here.items[i].message == message) return &here.items[i];
    }
  }
  return nullptr;
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
