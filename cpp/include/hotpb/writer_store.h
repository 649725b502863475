// How the writer puts bytes into a chunk: word-wide stores whose overhang the next store overwrites.
//
// A store through a pointer to char may alias everything, so that after each of them the compiler would have to load
// the writer's cursor again. These stores make small objects of types of their own in the chunk (a chunk is an array of
// bytes, which provides storage for them), so that the cursor stays in a register from setter to setter.
#ifndef HOTPB_WRITER_STORE_H_
#define HOTPB_WRITER_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "hotpb/port.h"
#include "hotpb/varint.h"
#include "hotpb/wire.h"

namespace hotpb {
namespace writer_internal {

// Not std::uint64_t, which the writer's own members are.
using Word = unsigned long long;
static_assert(sizeof(Word) == 8, "a word is eight bytes");
enum class Octet : unsigned char {};

#if HOTPB_GNU
template <class T>
struct __attribute__((packed)) Unaligned {
  T value;
};
template <class T>
HOTPB_INLINE void put(std::uint8_t* to, T value) {
  ::new (static_cast<void*>(to)) Unaligned<T>{value};
}
#else
template <class T>
HOTPB_INLINE void put(std::uint8_t* to, T value) {
  port::store(to, value);
}
#endif

// The bytes of a tag, the first one lowest, and their number.
constexpr std::uint64_t encoded_tag(std::uint32_t tag) {
  std::uint64_t bytes = 0;
  unsigned shift = 0;
  while (tag >= 0x80) {
    bytes |= static_cast<std::uint64_t>((tag & 0x7f) | 0x80) << shift;
    tag >>= 7;
    shift += 8;
  }
  return bytes | static_cast<std::uint64_t>(tag) << shift;
}
constexpr std::size_t tag_size(std::uint32_t tag) { return wire::varint_size(tag); }

// A tag that is known when compiling, and at least one zero behind it: up to eight bytes are overwritten.
template <std::uint32_t kTag>
HOTPB_INLINE void put_tag(std::uint8_t* at) {
  using Bits = std::conditional_t<tag_size(kTag) < 4, std::uint32_t, Word>;
  put<Bits>(at, static_cast<Bits>(encoded_tag(kTag)));
}

// 0080808080808080 shifted right leaves as many continuation bits as the varint has bytes before its last one.
//
//   spread groups  00 .. 00 02 2c    highest bit is 9, in byte 1:  ~9 & 56 = 48:  one mark
constexpr std::uint64_t kMarks = 0x0080808080808080u;

// At least two bytes, at most eight: 2^7 <= value < 2^56. Eight bytes are overwritten.
HOTPB_INLINE std::uint8_t* put_varint_word(std::uint8_t* at, std::uint64_t value) {
  const std::uint64_t groups = wire::internal::spread_groups(value);
  const unsigned highest = port::highest_bit(groups);
  put<Word>(at, groups | (kMarks >> (~highest & 56)));
  return at + (highest >> 3) + 1;
}

// Two bytes and more. Ten bytes are overwritten, whatever the value: no branch on the length.
HOTPB_INLINE std::uint8_t* put_varint_long(std::uint8_t* at, std::uint64_t value) {
  const std::size_t size = (port::highest_bit(value) * 9 + 73) >> 6;
  const std::uint64_t high = value >> 56;  // for the ninth and tenth byte
  const std::uint64_t marks = size < 9 ? kMarks >> (64 - 8 * size) : wire::internal::kContinuation;
  put<Word>(at, wire::internal::spread_groups(value) | marks);
  put<std::uint16_t>(at + 8, static_cast<std::uint16_t>(high + ((high & 0x80) << 1)));  // bit 63 is a mark too
  return at + size;
}

// A varint with nothing known about it, and as tight as it has to be.
inline std::size_t encode_varint(std::uint8_t* to, std::uint64_t value) {
  std::uint8_t* const begin = to;
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return static_cast<std::size_t>(to - begin);
}

// The four bytes of a padded length: 7 is 87 80 80 00.
inline void encode_length4(std::uint8_t (&to)[4], std::uint64_t length) {
  to[0] = static_cast<std::uint8_t>((length & 0x7f) | 0x80);
  to[1] = static_cast<std::uint8_t>(((length >> 7) & 0x7f) | 0x80);
  to[2] = static_cast<std::uint8_t>(((length >> 14) & 0x7f) | 0x80);
  to[3] = static_cast<std::uint8_t>((length >> 21) & 0x7f);
}

// Up to 127 bytes, reading nothing but them and writing nothing else: overlapping words.
//
//   23 bytes:  |--------16--------|
//                     |--------16--------|
HOTPB_INLINE void copy_short(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  using port::load;
  const auto copy16 = [to, from](std::size_t offset) {
    const Word low = load<Word>(from + offset);
    const Word high = load<Word>(from + offset + 8);
    put<Word>(to + offset, low);
    put<Word>(to + offset + 8, high);
  };
  if (size >= 16) {
    for (std::size_t offset = 16; HOTPB_UNLIKELY(offset + 16 < size); offset += 16) copy16(offset);
    copy16(0);
    copy16(size - 16);
  } else if (size >= 8) {
    const Word first = load<Word>(from);
    const Word last = load<Word>(from + size - 8);
    put<Word>(to, first);
    put<Word>(to + size - 8, last);
  } else if (size >= 4) {
    const std::uint32_t first = load<std::uint32_t>(from);
    const std::uint32_t last = load<std::uint32_t>(from + size - 4);
    put<std::uint32_t>(to, first);
    put<std::uint32_t>(to + size - 4, last);
  } else if (size > 0) {
    const std::uint8_t first = from[0];
    const std::uint8_t middle = from[size >> 1];
    const std::uint8_t last = from[size - 1];
    put<Octet>(to, Octet{first});
    put<Octet>(to + (size >> 1), Octet{middle});
    put<Octet>(to + size - 1, Octet{last});
  }
}

}  // namespace writer_internal
}  // namespace hotpb

#endif  // HOTPB_WRITER_STORE_H_
