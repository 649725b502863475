// The fast readers against the plain ones. Reader (fast functions) and check() (byte by byte) refuse the same inputs
// with the same error. The bytes that Reader returns are inside of the input. Both functions for UTF-8 agree.
#include <algorithm>

#include "fuzz.h"
#include "hotpb/wire/reader.h"
#include "hotpb/wire/utf8.h"

namespace {

void walk(hotpb::wire::Reader fields, const std::uint8_t* begin, const std::uint8_t* end) {
  while (fields.next()) {
    const hotpb::Bytes record = fields.record();
    FUZZ_REQUIRE(record.begin() >= begin && record.end() <= end && !record.empty());
    if (fields.type() != hotpb::wire::WireType::Len && fields.type() != hotpb::wire::WireType::StartGroup) continue;
    const hotpb::Bytes payload = fields.as_bytes();
    FUZZ_REQUIRE(payload.begin() >= record.begin() && payload.end() <= record.end());
    const std::size_t prefix = hotpb::utf8::valid_prefix(payload.data(), payload.size());
    FUZZ_REQUIRE(hotpb::utf8::is_valid(payload.data(), payload.size()) == (prefix == payload.size()));
    FUZZ_REQUIRE(hotpb::utf8::is_valid(payload.data(), prefix));
    if (fields.type() == hotpb::wire::WireType::StartGroup) walk(fields.child(), payload.begin(), payload.end());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hotpb::ReadOptions options;
  options.depth = size == 0 ? 0 : data[0] % 8;
  const hotpb::Bytes input(data, size);
  hotpb::wire::Reader fields(input, options);
  walk(fields, data, data + size);
  while (fields.next()) {
  }
  FUZZ_REQUIRE(fields.status() == hotpb::check(input, options).status());

  // The number of varints is the same, counted or read, for any two varints in a row.
  std::size_t varints = 0;
  std::uint64_t value = 0;
  for (const std::uint8_t* p = data; (p = hotpb::wire::read_varint(p, data + size, value)) != nullptr;) {
    ++varints;
    std::uint8_t minimal[hotpb::wire::kVarintRoom];
    const std::uint8_t* minimal_end = hotpb::wire::write_varint(minimal, value);
    std::uint64_t minimal_value = 0;
    FUZZ_REQUIRE(hotpb::wire::read_varint(minimal, minimal_end, minimal_value) == minimal_end);
    FUZZ_REQUIRE(minimal_value == value);
  }
  FUZZ_REQUIRE(varints <= hotpb::wire::count_varints(data, data + size));
  return 0;
}
