// Packed varints that are read by the block: every length, every place in a block, and nothing read or written outside.
#include "hotpb/pool/packed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "hotpb/wire/varint.h"

namespace hotpb_test {
namespace {

using hotpb::pool::detail::count_packed;
using hotpb::pool::detail::read_packed;

// A varint of exactly that many bytes, over-long if the value has fewer.
void append(std::vector<std::uint8_t>& out, std::uint64_t value, std::size_t length) {
  for (std::size_t i = 1; i < length; ++i) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(length == 10 ? value & 1 : value & 0x7f));
}

// Lengths of varints, as fields have them.
std::vector<std::uint8_t> varints(std::mt19937_64& random, std::size_t count, int kind) {
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t draw = random();
    std::size_t length = 1;
    switch (kind) {
      case 0: break;
      case 1: length = 1 + draw % 2; break;
      case 2: length = 1 + draw % 10; break;
      case 3: length = draw % 40 == 0 ? 10 : 1; break;
      case 4: length = draw % 40 == 0 ? 3 : 2; break;
      default: length = 10; break;
    }
    append(out, random(), length);
  }
  return out;
}

// The result of read_packed() for the first `size` bytes, in buffers of which no byte is left over.
template <class T, class As>
bool read(const std::vector<std::uint8_t>& bytes, std::size_t size, std::vector<T>& elements) {
  const std::unique_ptr<std::uint8_t[]> input(new std::uint8_t[bytes.size()]);
  if (!bytes.empty()) std::memcpy(input.get(), bytes.data(), bytes.size());
  const std::uint8_t* const end = input.get() + size;
  const std::uint8_t* const stop = input.get() + bytes.size();
  const std::size_t count = count_packed(input.get(), end, stop);
  EXPECT_EQ(count, hotpb::wire::count_varints(input.get(), end));
  const std::unique_ptr<std::uint8_t[]> place(new std::uint8_t[count * sizeof(T)]);
  const std::uint8_t* const filled = read_packed<T, As>(input.get(), end, stop, place.get());
  if (filled == nullptr) return false;
  EXPECT_EQ(filled, place.get() + count * sizeof(T));
  elements.resize(count);
  if (count != 0) std::memcpy(elements.data(), place.get(), count * sizeof(T));
  return true;
}

template <class T, class As>
void compare(const std::vector<std::uint8_t>& bytes, std::size_t size) {
  std::vector<T> wanted;
  for (const std::uint8_t* p = bytes.data(); p != bytes.data() + size;) {
    std::uint64_t word = 0;
    p = hotpb::wire::read_varint(p, bytes.data() + size, word);
    ASSERT_NE(p, nullptr);
    wanted.push_back(static_cast<T>(As::word(word)));
  }
  std::vector<T> elements;
  const bool good = read<T, As>(bytes, size, elements);
  ASSERT_TRUE(good);
  ASSERT_EQ(elements, wanted);
}

TEST(Packed, varints_of_all_lengths_are_read_whatever_follows_them) {
  std::mt19937_64 random(18);
  for (int kind = 0; kind < 6; ++kind) {
    for (std::size_t count = 0; count < 150; ++count) {
      std::vector<std::uint8_t> bytes = varints(random, count, kind);
      const std::size_t size = bytes.size();
      bytes.resize(size + random() % 100, static_cast<std::uint8_t>(random()));
      compare<std::uint64_t, hotpb::pool::detail::AsNumber>(bytes, size);
      compare<std::uint32_t, hotpb::pool::detail::AsNumber>(bytes, size);
      compare<std::uint8_t, hotpb::pool::detail::AsBool>(bytes, size);
      compare<std::int32_t, hotpb::pool::detail::AsSint32>(bytes, size);
      compare<std::int64_t, hotpb::pool::detail::AsSint64>(bytes, size);
    }
  }
}

TEST(Packed, a_varint_that_goes_on_after_the_record_is_refused_and_not_stored) {
  std::mt19937_64 random(19);
  for (int kind = 1; kind < 6; ++kind) {
    for (std::size_t count = 1; count < 100; ++count) {
      std::vector<std::uint8_t> bytes = varints(random, count, kind);
      append(bytes, random(), 2 + random() % 9);
      const std::size_t size = bytes.size() - 1;
      bytes.resize(bytes.size() + random() % 100, 1);
      std::vector<std::uint64_t> elements;
      const bool read_whole = read<std::uint64_t, hotpb::pool::detail::AsNumber>(bytes, size, elements);
      ASSERT_FALSE(read_whole);
      bytes.resize(size);
      const bool read_cut = read<std::uint64_t, hotpb::pool::detail::AsNumber>(bytes, size, elements);
      ASSERT_FALSE(read_cut);
    }
  }
}

TEST(Packed, an_eleventh_byte_is_refused_everywhere) {
  for (std::size_t before = 0; before < 150; ++before) {
    for (const std::size_t length : {10u, 11u, 12u, 70u, 140u}) {
      for (const std::size_t after : {0u, 1u, 9u, 100u}) {
        std::vector<std::uint8_t> bytes(before, 5);
        bytes.resize(before + length - 1, 0x80);
        bytes.resize(before + length + after, 1);
        std::vector<std::uint32_t> elements;
        const bool good = read<std::uint32_t, hotpb::pool::detail::AsNumber>(bytes, before + length, elements);
        ASSERT_EQ(good, length == 10) << before << " " << length << " " << after;
      }
    }
  }
}

}  // namespace
}  // namespace hotpb_test
