#include "rewriters.h"

namespace hotpb_test {
inline namespace HOTPB_ABI {

const hotpb::rewrite::Rewriter* find_rewriter(std::string_view message) {
  for (RewriterList (*list)() :
       {rewriters_vectors, rewriters_vectors_2023, rewriters_vectors_2024, rewriters_vectors_proto2, rewriters_raft}) {
    const RewriterList here = list();
    for (std::size_t i = 0; i < here.count; ++i) {
      if (here.items[i].message == message) return &here.items[i];
    }
  }
  return nullptr;
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test
