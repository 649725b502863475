// All messages of the vectors' schemas that can be written again with the generated writer, by their full names.
#ifndef HOTPB_TESTGEN_REWRITERS_H_
#define HOTPB_TESTGEN_REWRITERS_H_

#include <cstddef>
#include <string_view>

#include "hotpb_test/rewrite.h"

// In the namespace of the configuration (detail/abi.h), so that code of another configuration does not link.
namespace hotpb_test {
inline namespace HOTPB_ABI {

struct RewriterList {
  const hotpb::rewrite::Rewriter* items;
  std::size_t count;
};

// One for each schema.
RewriterList rewriters_vectors();
RewriterList rewriters_vectors_2023();
RewriterList rewriters_vectors_2024();
RewriterList rewriters_vectors_proto2();
RewriterList rewriters_raft();

// nullptr if there is no such message.
const hotpb::rewrite::Rewriter* find_rewriter(std::string_view message);

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test

#endif  // HOTPB_TESTGEN_REWRITERS_H_
