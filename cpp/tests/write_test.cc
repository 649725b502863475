#include "hotpb/wire/write.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/support.h"

namespace hotpb_test {
namespace {

using namespace hotpb::wire;
using hotpb::Bytes;

TEST(Output, each_kind_of_field_has_the_bytes_of_the_specification) {
  std::uint8_t buffer[200];
  Output out(buffer, sizeof buffer);
  out.put_uint64(1, 150);
  out.put_int32(2, -1);
  out.put_sint32(3, -1);
  out.put_sint64(4, std::numeric_limits<std::int64_t>::min());
  out.put_bool(5, true);
  out.put_fixed32(6, 0x04030201);
  out.put_fixed64(16, 0x0807060504030201);
  out.put_float(7, 1.0f);
  out.put_double(8, -0.0);
  out.put_bytes(9, std::string_view("abc"));
  out.put_start_group(10);
  out.put_end_group(10);
  out.put_uint32(kMaxFieldNumber, std::numeric_limits<std::uint32_t>::max());
  out.put_raw(std::string_view("\x08\x01"));
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(to_hex(out.bytes().text()),
            "089601" "10ffffffffffffffffff01" "1801" "20ffffffffffffffffff01" "2801" "3501020304"
            "81010102030405060708" "3d0000803f" "410000000000000080" "4a03616263" "5354" "f8ffffff0fffffffff0f" "0801");
}

// A field whose kind and size depend on `random`.
void put_any(Output& out, Random& random, const std::string& payload) {
  const std::uint32_t number = 1 + static_cast<std::uint32_t>(random.varied() % kMaxFieldNumber);
  switch (random.below(6)) {
    case 0: out.put_uint64(number, random.varied()); break;
    case 1: out.put_fixed32(number, static_cast<std::uint32_t>(random.bits())); break;
    case 2: out.put_fixed64(number, random.bits()); break;
    case 3: out.put_bytes(number, std::string_view(payload).substr(0, random.below(payload.size()))); break;
    case 4: out.put_start_group(number); break;
    default: out.put_int64(number, static_cast<std::int64_t>(random.varied())); break;
  }
}

TEST(Output, a_buffer_of_any_size_is_filled_with_whole_fields_and_never_overrun) {
  Random random;
  const std::string payload(300, 'x');
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t seed = random.bits();
    // Writes once with room for all, then with less room: the same fields up to where the room ends.
    std::vector<std::uint8_t> ample(4000);
    Output all(ample.data(), ample.size());
    std::vector<std::size_t> ends{0};
    Random fields(seed);
    for (int i = 0; i < 10; ++i) {
      put_any(all, fields, payload);
      ends.push_back(all.size());
    }
    ASSERT_TRUE(all.ok());
    const std::size_t room = random.below(all.size() + 1);
    std::vector<std::uint8_t> tight(room);
    tight.shrink_to_fit();
    Output cut(tight.data(), tight.size());
    Random same(seed);
    for (int i = 0; i < 10; ++i) put_any(cut, same, payload);
    const std::size_t wanted = *std::prev(std::upper_bound(ends.begin(), ends.end(), room));
    ASSERT_EQ(cut.size(), wanted);
    ASSERT_EQ(cut.bytes().text(), all.bytes().text().substr(0, wanted));
    ASSERT_EQ(cut.ok(), room == all.size());
  }
}

TEST(Output, exhaustion_sticks_though_a_smaller_field_would_fit) {
  std::uint8_t buffer[4];
  Output out(buffer, sizeof buffer);
  out.put_bool(1, true);
  out.put_fixed32(2, 7);
  out.put_bool(3, true);
  EXPECT_EQ(out.status().code, hotpb::Code::BufferExhausted);
  EXPECT_EQ(out.status().offset, 2u);
  EXPECT_EQ(to_hex(out.bytes().text()), "0801");
}

TEST(Append, strings_and_vectors_grow_by_the_same_bytes) {
  std::string text;
  std::vector<std::uint8_t> bytes;
  const auto append = [](auto& out) {
    append_tag(out, 2, WireType::Len);
    append_len(out, std::string_view("hot"));
    append_varint(out, 300);
    append_fixed(out, std::uint32_t{1});
    append_fixed(out, 1.0);
  };
  append(text);
  append(bytes);
  EXPECT_EQ(to_hex(text), "1203686f74ac0201000000000000000000f03f");
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
}

}  // namespace
}  // namespace hotpb_test
