#include "hotpb/wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/support.h"

namespace hotpb_test {
namespace {

using namespace hotpb::wire;
using hotpb::Bytes;

// The number of bytes that read_tag() consumed, 0 if it refuses them.
std::size_t read(const std::string& hex, std::uint32_t& tag) {
  const Exact input(from_hex(hex));
  const std::uint8_t* end = read_tag(input.bytes().begin(), input.bytes().end(), tag);
  return end == nullptr ? 0 : static_cast<std::size_t>(end - input.bytes().begin());
}

TEST(Tag, every_number_and_type_that_exist_are_read_back) {
  Random random;
  for (int i = 0; i < 100000; ++i) {
    std::uint32_t number = static_cast<std::uint32_t>(random.varied()) & kMaxFieldNumber;
    if (number == 0) number = 1;
    const std::uint32_t wanted = make_tag(number, static_cast<WireType>(random.below(6)));
    std::uint8_t bytes[kVarintRoom];
    const std::uint8_t* end = write_varint(bytes, wanted);
    std::uint32_t tag = 0;
    ASSERT_EQ(read_tag(bytes, end, tag), end);
    ASSERT_EQ(tag, wanted);
    ASSERT_EQ(tag_number(tag), number);
    for (const std::uint8_t* cut = bytes; cut != end; ++cut) ASSERT_EQ(read_tag(bytes, cut, tag), nullptr);
  }
}

TEST(Tag, overlong_tags_of_at_most_five_bytes_are_read) {
  std::uint32_t tag = 0;
  EXPECT_EQ(read("88 00", tag), 2u);
  EXPECT_EQ(read("88 80 80 80 00", tag), 5u);
  EXPECT_EQ(tag, 8u);
  EXPECT_EQ(read("fd ff ff ff 0f", tag), 5u);
  EXPECT_EQ(tag, make_tag(kMaxFieldNumber, WireType::Fixed32));
}

TEST(Tag, what_is_longer_or_larger_or_no_field_is_refused) {
  std::uint32_t tag = 0;
  for (const char* hex : {"", "88 80 80 80 80 00", "88 80 80 80 10", "88 80 80 80 80 80 80 80 80 80 00", "00", "05",
                          "80 00", "0e", "0f", "96 01", "8f 80 80 80 00", "80", "ff ff ff ff"}) {
    EXPECT_EQ(read(hex, tag), 0u) << hex;
  }
}

TEST(Len, a_length_reaches_to_the_end_of_the_range_and_no_further) {
  for (const char* hex : {"00", "03 61 62 63", "83 80 80 00 61 62 63", "02 61 62 63"}) {
    const Exact input(from_hex(hex));
    Bytes payload;
    EXPECT_NE(read_len(input.bytes().begin(), input.bytes().end(), payload), nullptr) << hex;
  }
  for (const char* hex : {"", "80", "01", "04 61 62 63", "ff ff ff ff ff ff ff ff ff 01",
                          "80 80 80 80 80 80 80 80 80 80 00"}) {
    const Exact input(from_hex(hex));
    Bytes payload;
    EXPECT_EQ(read_len(input.bytes().begin(), input.bytes().end(), payload), nullptr) << hex;
  }
}

TEST(Len, a_length_above_the_limit_is_refused_though_the_bytes_are_there) {
  const Exact input(from_hex("03 61 62 63"));
  Bytes payload;
  EXPECT_NE(read_len(input.bytes().begin(), input.bytes().end(), payload, 3), nullptr);
  EXPECT_EQ(read_len(input.bytes().begin(), input.bytes().end(), payload, 2), nullptr);
}

TEST(Fixed, values_are_little_endian_and_whole) {
  const Exact input(from_hex("01 02 03 04 05 06 07 08"));
  const Bytes in = input.bytes();
  std::uint32_t narrow = 0;
  std::uint64_t wide = 0;
  EXPECT_EQ(read_fixed32(in.begin(), in.end(), narrow), in.begin() + 4);
  EXPECT_EQ(narrow, 0x04030201u);
  EXPECT_EQ(read_fixed64(in.begin(), in.end(), wide), in.end());
  EXPECT_EQ(wide, 0x0807060504030201u);
  EXPECT_EQ(read_fixed32(in.begin(), in.begin() + 3, narrow), nullptr);
  EXPECT_EQ(read_fixed64(in.begin(), in.begin() + 7, wide), nullptr);
}

// The offset after the group of field 1 at the start of `hex`, which has no start tag; 0 if it is refused.
std::size_t skip(const std::string& bytes, std::uint32_t levels) {
  const Exact input(bytes);
  const Bytes in = input.bytes();
  const std::uint8_t* end = skip_value(in.begin(), in.end(), make_tag(1, WireType::StartGroup), levels);
  return end == nullptr ? 0 : static_cast<std::size_t>(end - in.begin());
}

TEST(Group, a_group_is_skipped_to_its_own_end_tag) {
  EXPECT_EQ(skip(from_hex("0c"), 1), 1u);
  EXPECT_EQ(skip(from_hex("08 05 15 01 02 03 04 19 01 02 03 04 05 06 07 08 22 01 ff 0c 08"), 1), 20u);
  EXPECT_EQ(skip(from_hex("13 0b 0c 14 0c"), 3), 5u);
  EXPECT_EQ(skip(from_hex("8c 80 80 80 00"), 1), 5u);  // an over-long end tag
}

TEST(Group, a_wrong_end_or_none_is_refused) {
  for (const char* hex : {"", "14", "13 0c", "13 0c 14", "08", "08 80", "22 05 0c", "07"}) {
    EXPECT_EQ(skip(from_hex(hex), 10), 0u) << hex;
  }
}

TEST(Group, the_content_ends_in_front_of_the_end_tag_even_when_that_is_overlong) {
  const Exact input(from_hex("15 ff ff ff ff 8c 80 00 08"));
  const Bytes in = input.bytes();
  Bytes content;
  EXPECT_EQ(read_group(in.begin(), in.end(), 1, content, 1), in.begin() + 8);
  EXPECT_EQ(to_hex(content.text()), "15ffffffff");
}

TEST(Group, levels_are_counted_and_bound_the_stack) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels - 1, '\x0b') + std::string(levels, '\x0c');
  };
  EXPECT_NE(skip(nested(100), 100), 0u);
  EXPECT_EQ(skip(nested(101), 100), 0u);
  EXPECT_EQ(skip(nested(1), 0), 0u);
  EXPECT_NE(skip(nested(hotpb::kMaxDepth), 0xffffffff), 0u);
  EXPECT_EQ(skip(nested(hotpb::kMaxDepth + 1), 0xffffffff), 0u);
  EXPECT_EQ(skip(std::string(10'000'000, '\x0b'), 0xffffffff), 0u);
}

// Long payloads, which are copied by aligned stores at some distances within a page.
TEST(Copy, is_whole_at_every_distance) {
  std::vector<std::uint8_t> from(3 * 4096);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint8_t>(i % 251 + 1);
  for (const std::size_t size : {0u, 1u, 2047u, 2048u, 2049u, 3072u, 5000u, 8192u}) {
    for (const std::size_t distance : {0u, 1u, 31u, 32u, 100u}) {
      std::vector<std::uint8_t> to(from.size());
      std::uint8_t* const begin = to.data();
      const std::size_t page =
          reinterpret_cast<std::uintptr_t>(from.data()) - reinterpret_cast<std::uintptr_t>(begin);
      const std::size_t at = (page + distance) % 4096;
      hotpb::detail::port::copy(begin + at, from.data(), size);
      EXPECT_TRUE(std::equal(from.data(), from.data() + size, begin + at));
      EXPECT_EQ(static_cast<std::size_t>(std::count(to.begin(), to.end(), 0)), to.size() - size);
    }
  }
}

}  // namespace
}  // namespace hotpb_test
