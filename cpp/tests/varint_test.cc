#include "hotpb/wire/varint.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/support.h"

namespace hotpb_test {
namespace {

using namespace hotpb::wire;

// The definition in simple code, with which the code under test is compared.
struct Plain {
  bool ok = false;
  std::uint64_t value = 0;
  std::size_t size = 0;
};

Plain plain_read(std::string_view bytes) {
  Plain result;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const std::uint64_t byte = static_cast<unsigned char>(bytes[i]);
    result.value |= (byte & 0x7f) << (7 * i);  // one bit of the tenth byte is left
    if (byte < 0x80) {
      result.ok = true;
      result.size = i + 1;
      return result;
    }
  }
  return result;
}

std::string plain_write(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

void expect_varint_same_as_plain(const std::string& bytes) {
  const Exact input(bytes);
  const hotpb::Bytes in = input.bytes();
  std::uint64_t value = 0;
  const std::uint8_t* end = read_varint(in.begin(), in.end(), value);
  const Plain wanted = plain_read(bytes);
  ASSERT_EQ(end != nullptr, wanted.ok) << to_hex(bytes);
  ASSERT_EQ(skip_varint(in.begin(), in.end()), end) << to_hex(bytes);
  if (!wanted.ok) return;
  ASSERT_EQ(value, wanted.value) << to_hex(bytes);
  ASSERT_EQ(static_cast<std::size_t>(end - in.begin()), wanted.size) << to_hex(bytes);
}

// Values on both sides of every change of length, and of the signed and unsigned limits.
std::vector<std::uint64_t> edges() {
  std::vector<std::uint64_t> values{0, 1};
  for (unsigned bit = 1; bit < 64; ++bit) {
    for (const std::uint64_t around : {std::uint64_t{1} << bit, ~std::uint64_t{0} << bit}) {
      values.insert(values.end(), {around - 1, around, around + 1});
    }
  }
  return values;
}

void expect_round_trip(std::uint64_t value) {
  std::uint8_t out[kVarintRoom + 1];
  std::fill(std::begin(out), std::end(out), std::uint8_t{0xa5});
  const std::uint8_t* end = write_varint(out, value);
  const std::string_view written(reinterpret_cast<const char*>(out), static_cast<std::size_t>(end - out));
  ASSERT_EQ(to_hex(written), to_hex(plain_write(value)));
  ASSERT_EQ(varint_size(value), written.size());
  ASSERT_EQ(out[kVarintRoom], 0xa5) << "bytes are written after the promised room";
  expect_varint_same_as_plain(std::string(written));
  expect_varint_same_as_plain(std::string(written) + "\xff\x01 and more bytes after it");
}

TEST(Varint, edge_values_are_written_minimal_and_read_back) {
  for (const std::uint64_t value : edges()) expect_round_trip(value);
}

TEST(Varint, random_values_of_all_lengths_are_written_minimal_and_read_back) {
  Random random;
  for (int i = 0; i < 200000; ++i) expect_round_trip(random.varied());
}

TEST(Varint, overlong_forms_are_read_with_any_number_of_bytes_behind_them) {
  for (const std::uint64_t value : edges()) {
    for (std::size_t size = varint_size(value); size <= 10; ++size) {
      std::string bytes;
      for (std::size_t i = 0; i < size; ++i) {
        bytes += static_cast<char>(((i < 10 ? value >> (7 * i) : 0) & 0x7f) | (i + 1 < size ? 0x80 : 0));
      }
      for (std::size_t more = 0; more < 12; ++more) expect_varint_same_as_plain(bytes + std::string(more, '\xee'));
    }
  }
}

TEST(Varint, random_bytes_are_read_as_the_plain_loop_reads_them) {
  Random random;
  for (int i = 0; i < 200000; ++i) {
    std::string bytes = random.bytes(random.below(14));
    for (char& c : bytes) {
      if (!random.one_in(8)) c = static_cast<char>(c | 0x80);
    }
    expect_varint_same_as_plain(bytes);
  }
}

TEST(Varint, a_varint_cut_anywhere_is_refused) {
  for (std::size_t size = 0; size < 10; ++size) expect_varint_same_as_plain(std::string(size, '\xff'));
}

TEST(Varint, a_tenth_byte_loses_its_excess_bits_and_must_be_the_last) {
  expect_varint_same_as_plain(from_hex("ff ff ff ff ff ff ff ff ff 7f"));
  expect_varint_same_as_plain(from_hex("80 80 80 80 80 80 80 80 80 02"));
  expect_varint_same_as_plain(from_hex("80 80 80 80 80 80 80 80 80 80 00"));
  expect_varint_same_as_plain(from_hex("ff ff ff ff ff ff ff ff ff ff ff ff"));
}

TEST(Varint, zigzag_is_undone_and_small_for_small_numbers) {
  EXPECT_EQ(zigzag32(0), 0u);
  EXPECT_EQ(zigzag32(-1), 1u);
  EXPECT_EQ(zigzag32(1), 2u);
  EXPECT_EQ(zigzag32(std::numeric_limits<std::int32_t>::max()), 0xfffffffeu);
  EXPECT_EQ(zigzag32(std::numeric_limits<std::int32_t>::min()), 0xffffffffu);
  EXPECT_EQ(zigzag64(std::numeric_limits<std::int64_t>::min()), ~std::uint64_t{0});
  Random random;
  for (int i = 0; i < 100000; ++i) {
    const auto wide = static_cast<std::int64_t>(random.bits());
    const auto narrow = static_cast<std::int32_t>(wide);
    ASSERT_EQ(unzigzag64(zigzag64(wide)), wide);
    ASSERT_EQ(unzigzag32(zigzag32(narrow)), narrow);
  }
}

TEST(Varint, counting_gives_the_number_of_terminated_varints) {
  Random random;
  for (int i = 0; i < 20000; ++i) {
    const std::string bytes = random.bytes(random.below(40));
    std::size_t wanted = 0;
    for (const char c : bytes) wanted += static_cast<unsigned char>(c) < 0x80;
    const Exact input(bytes);
    ASSERT_EQ(count_varints(input.bytes().begin(), input.bytes().end()), wanted) << to_hex(bytes);
  }
}

}  // namespace
}  // namespace hotpb_test
