#include "owned.h"

namespace hotpb_test {
inline namespace HOTPB_ABI {

const hotpb::pool::Owned* find_owned(std::string_view message) {
  for (OwnedList (*list)() :
       {owned_vectors, owned_vectors_2023, owned_vectors_2024, owned_vectors_proto2, owned_raft}) {
    const OwnedList here = list();
    for (std::size_t i = 0; i < here.count; ++i) {
      if (here.items[i].message == message) return &here.items[i];
    }
  }
  return nullptr;
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
