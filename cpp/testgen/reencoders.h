// All messages of the vectors' schemas that can be written back, by their full names.
#ifndef HOTPB_TESTGEN_REENCODERS_H_
#define HOTPB_TESTGEN_REENCODERS_H_

#include <cstddef>
#include <string_view>

#include "hotpb_test/reencode.h"

// In the namespace of the configuration (detail/abi.h), so that code of another configuration does not link.
namespace hotpb_test {
inline namespace HOTPB_ABI {

struct ReencoderList {
  const hotpb::view::Reencoder* items;
  std::size_t count;
};

// One for each schema.
ReencoderList list_vectors();
ReencoderList list_vectors_2023();
ReencoderList list_vectors_2024();
ReencoderList list_vectors_proto2();
ReencoderList list_raft();

// nullptr if there is no such message.
const hotpb::view::Reencoder* find_reencoder(std::string_view message);

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test

#endif  // HOTPB_TESTGEN_REENCODERS_H_
