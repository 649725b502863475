// The builders and visitors of all messages of the vectors' schemas, by their full names.
#ifndef HOTPB_TESTGEN_OWNED_H_
#define HOTPB_TESTGEN_OWNED_H_

#include <cstddef>
#include <string_view>

#include "hotpb_test/owned.h"

namespace hotpb_test {
inline namespace HOTPB_ABI {

struct OwnedList {
  const hotpb::pool::Owned* items;
  std::size_t count;
};

// One for each schema.
OwnedList owned_vectors();
OwnedList owned_vectors_2023();
OwnedList owned_vectors_2024();
OwnedList owned_vectors_proto2();
OwnedList owned_raft();

// nullptr for a message that there is not.
const hotpb::pool::Owned* find_owned(std::string_view message);

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test

#endif  // HOTPB_TESTGEN_OWNED_H_
