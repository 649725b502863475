// Reads a stream from memory, and the same stream in pieces of a few bytes: both have the same messages and the same
// end.
#include <algorithm>

#include "fuzz.h"
#include "hotpb/delimited.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hotpb::ReadOptions options;
  options.size = 1 << 20;
  const std::size_t piece = size == 0 ? 1 : 1 + data[size - 1] % 9;
  hotpb::DelimitedReader memory(hotpb::Bytes(data, size), options);
  std::size_t at = 0;
  hotpb::DelimitedSource source(
      [&](std::uint8_t* to, std::size_t room) {
        const std::size_t got = std::min({piece, room, size - at});
        std::copy(data + at, data + at + got, to);
        at += got;
        return got;
      },
      options);
  hotpb::Bytes a;
  hotpb::Bytes b;
  for (;;) {
    const bool more = memory.next(a);
    FUZZ_REQUIRE(source.next(b) == more);
    if (!more) break;
    FUZZ_REQUIRE(a.text() == b.text() && memory.message_offset() == source.message_offset());
  }
  FUZZ_REQUIRE(memory.status() == source.status());
  return 0;
}
