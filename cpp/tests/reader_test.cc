#include "hotpb/wire/reader.h"

#include <gtest/gtest.h>

#include "hotpb/wire/write.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
using hotpb::Status;
using hotpb::wire::make_tag;
using hotpb::wire::Reader;
using hotpb::wire::WireType;

TEST(Reader, fields_come_in_order_with_their_values) {
  const Exact input(from_hex("08 96 01 11 00 00 00 00 00 00 f0 3f 1a 03 61 62 63 25 00 00 80 3f 28 01 30 80 80 00"
                             "2b 08 07 2c"));
  Reader fields(input.bytes());
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.tag(), make_tag(1, WireType::Varint));
  EXPECT_EQ(fields.as_uint64(), 150u);
  EXPECT_EQ(fields.as_sint32(), 75);
  EXPECT_EQ(to_hex(fields.record().text()), "089601");
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.as_double(), 1.0);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.as_bytes().text(), "abc");
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.as_float(), 1.0f);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.as_sint64(), -1);
  EXPECT_TRUE(fields.as_bool());
  ASSERT_TRUE(fields.next());
  EXPECT_FALSE(fields.as_bool());
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.number(), 5u);
  EXPECT_EQ(to_hex(fields.as_bytes().text()), "0807");
  EXPECT_EQ(to_hex(fields.record().text()), "2b08072c");
  EXPECT_FALSE(fields.next());
  EXPECT_TRUE(fields.ok());
  EXPECT_EQ(fields.status(), Status{});
}

TEST(Reader, thirty_two_bit_types_take_the_low_bits) {
  const Exact input(from_hex("08 ff ff ff ff ff ff ff ff ff 01 08 81 80 80 80 10"));
  Reader fields(input.bytes());
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.as_int32(), -1);
  EXPECT_EQ(fields.as_uint32(), 0xffffffffu);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.as_uint32(), 1u);
  EXPECT_EQ(fields.as_uint64(), 0x100000001u);
}

TEST(Reader, an_error_ends_the_reading_and_has_code_and_offset) {
  const struct {
    const char* hex;
    Status status;
  } cases[] = {
      {"08 01 08", {Code::Truncated, 3}},          {"08 01 80", {Code::Truncated, 2}},
      {"08 ff ff ff ff ff ff ff ff ff ff 01", {Code::VarintOverflow, 1}},
      {"00", {Code::InvalidTag, 0}},               {"0e", {Code::InvalidWireType, 0}},
      {"0c", {Code::GroupMismatch, 0}},            {"12 05 61", {Code::Truncated, 2}},
      {"12 ff ff ff ff 0f", {Code::SizeExceeded, 0}}, {"0b 08 01", {Code::Truncated, 3}},
      {"0b 08 01 14", {Code::GroupMismatch, 3}},   {"0d 01 02 03", {Code::Truncated, 1}},
  };
  for (const auto& wanted : cases) {
    SCOPED_TRACE(wanted.hex);
    const Exact input(from_hex(wanted.hex));
    Reader fields(input.bytes());
    while (fields.next()) {
    }
    EXPECT_FALSE(fields.ok());
    EXPECT_EQ(hotpb::to_string(fields.status()), hotpb::to_string(wanted.status));
    EXPECT_FALSE(fields.next());
  }
}

TEST(Reader, the_error_of_a_child_is_placed_in_the_whole_input) {
  const Exact input(from_hex("08 01 12 03 0a 05 61"));
  Reader root(input.bytes());
  ASSERT_TRUE(root.next());
  ASSERT_TRUE(root.next());
  Reader child = root.child();
  EXPECT_FALSE(child.next());
  EXPECT_EQ(child.status(input.bytes().begin()), (Status{Code::Truncated, 6}));
  EXPECT_FALSE(root.next());
  EXPECT_TRUE(root.ok());
}

TEST(Reader, children_and_groups_count_against_one_depth_limit) {
  const Exact input(from_hex("0a 06 0a 04 0b 0b 0c 0c"));
  const auto innermost = [&](std::uint32_t depth) {
    hotpb::ReadOptions options;
    options.depth = depth;
    Reader reader(input.bytes(), options);
    while (reader.next()) reader = reader.child();
    return reader.status(input.bytes().begin());
  };
  EXPECT_EQ(innermost(4), Status{});
  EXPECT_EQ(innermost(3), (Status{Code::DepthExceeded, 5}));
  EXPECT_EQ(innermost(1), (Status{Code::DepthExceeded, 2}));
  EXPECT_EQ(innermost(0), (Status{Code::DepthExceeded, 0}));
}

TEST(Reader, a_message_above_the_size_limit_is_refused_at_its_start) {
  const Exact input(from_hex("08 01"));
  hotpb::ReadOptions options;
  options.size = 1;
  Reader reader(input.bytes(), options);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.status(), (Status{Code::SizeExceeded, 0}));
}

// Two implementations of one specification: the pull reader uses the fast functions, and check() uses none of them.
TEST(Reader, random_bytes_are_refused_exactly_when_check_refuses_them) {
  Random random;
  std::size_t good = 0;
  std::size_t bad = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string bytes = random.bytes(random.below(24));
    for (char& c : bytes) {
      if (random.one_in(2)) c = static_cast<char>(c & 0x0f);
    }
    const Exact input(bytes);
    hotpb::ReadOptions options;
    options.depth = static_cast<std::uint32_t>(random.below(4));
    Reader reader(input.bytes(), options);
    while (reader.next()) {
    }
    const hotpb::Error wanted = hotpb::check(input.bytes(), options);
    ASSERT_EQ(hotpb::to_string(reader.status()), hotpb::to_string(wanted.status())) << to_hex(bytes);
    ++(wanted.ok() ? good : bad);
  }
  EXPECT_GT(good, 2000u);
  EXPECT_GT(bad, 2000u);
}

}  // namespace
}  // namespace hotpb_test
