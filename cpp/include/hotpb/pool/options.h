// Options of a decode into a pool.
#ifndef HOTPB_POOL_OPTIONS_H_
#define HOTPB_POOL_OPTIONS_H_

#include <cstdint>

#include "hotpb/detail/abi.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN

// The defaults are those of spec/wire.md, section 13.
struct DecodeOptions {
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  bool strict = false;                  // check every string for UTF-8, whatever the schema says
  std::uint32_t depth = kDefaultDepth;  // the root is level 0
  std::uint64_t size = kMaxMessageSize;
  // Repeated elements, nested messages, groups and map entries together. With a limit, a pass over the input comes
  // before the decode.
  std::uint64_t elements = kNoLimit;
  // Bytes that the decoded message may need; 0 for the larger of 1 MiB and 32 times the input.
  std::uint64_t memory = 0;
  bool allow_partial = false;           // required fields may be absent

  ReadOptions reading() const {
    ReadOptions options;
    options.strict = strict;
    options.depth = depth;
    options.size = size;
    return options;
  }
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_OPTIONS_H_
