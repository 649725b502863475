// How the writer puts bytes into a chunk: as words of eight bytes. The next word overwrites the bytes of a word that
// were not needed.
//
//   put      |08 2a 00 00 00 00 00 00|            set_id(42)
//   put            |12 03 00 00 00 00 00 00|      the header of set_name("foo"), at the cursor
//   put                  |66 6f 6f 00 00 00 00 00|
//
// A store through a pointer to char may alias everything, so after each such store the compiler would have to load the
// writer's cursor again. These stores create objects of a type of their own in the chunk (a chunk is an array of bytes,
// which provides storage for them), so the cursor stays in a register from setter to setter. All stores that can
// overlap use one type, because a compiler may reorder stores of different types.
#ifndef HOTPB_WRITER_STORE_H_
#define HOTPB_WRITER_STORE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire.h"
#include "hotpb/wire/varint.h"

HOTPB_NAMESPACE_BEGIN
namespace detail {

// Not std::uint64_t, which is the type of the writer's own members.
using Word = unsigned long long;
static_assert(sizeof(Word) == 8, "hotpb needs an unsigned long long of eight bytes");
enum class Octet : unsigned char {};

#if HOTPB_GNU
template <class T>
struct __attribute__((packed)) Unaligned {
  T value;
};
#endif
template <class T>
HOTPB_INLINE void put_object(std::uint8_t* to, T value) {
#if HOTPB_GNU
  ::new (static_cast<void*>(to)) Unaligned<T>{value};
#else
  detail::port::store(to, value);
#endif
}
HOTPB_INLINE void put(std::uint8_t* to, Word bytes) { put_object<Word>(to, bytes); }
// Stores one byte and nothing after it: the length of a message that has ended.
HOTPB_INLINE void put_length(std::uint8_t* slot, std::uintptr_t length) {
  put_object<Octet>(slot, static_cast<Octet>(length));
}

// The number of bytes of a tag, and the bytes as a word with the first byte lowest.
constexpr std::size_t tag_size(std::uint32_t tag) { return wire::varint_size(tag); }
constexpr std::uint64_t encoded_tag(std::uint32_t tag) {
  return wire::detail::spread_constant(tag) | wire::detail::kMarks.before[tag_size(tag) - 1];
}

// Stores a tag that is known at compile time, and zeros after it. Overwrites eight bytes.
template <std::uint32_t kTag>
HOTPB_INLINE void put_tag(std::uint8_t* at) {
  put(at, encoded_tag(kTag));
}

// A tag for a call: its bytes, and their number in the highest byte. 0 if the tag has more than three bytes.
constexpr std::uint32_t short_tag(std::uint32_t tag) {
  return tag_size(tag) > 3 ? 0 : static_cast<std::uint32_t>(encoded_tag(tag) | tag_size(tag) << 24);
}
HOTPB_INLINE std::uint8_t* put_short_tag(std::uint8_t* at, std::uint32_t tag) {
  put(at, tag & 0xffffff);
  return at + (tag >> 24);
}
constexpr std::uint32_t decoded_tag(std::uint32_t tag) {
  return (tag & 0x7f) | (tag >> 1 & 0x7f << 7) | (tag >> 2 & 0x7f << 14);
}

// Stores a value from 2^7 up to 2^56 - 1. Overwrites eight bytes.
//
//   300 = 10'0101100   spread  00 .. 02 2c    the highest bit is 9, in byte 1: |ac 02|
HOTPB_INLINE std::uint8_t* put_varint_word(std::uint8_t* at, std::uint64_t value) {
  const std::uint64_t groups = wire::detail::spread_groups(value);
  const std::size_t last = detail::port::highest_bit(groups) >> 3;
  put(at, groups | wire::detail::kMarks.before[last]);
  return at + last + 1;
}

// Stores a value of 2^7 or more, without a branch on its length. Overwrites sixteen bytes: the store always includes
// the only value that a tenth byte can have.
HOTPB_INLINE std::uint8_t* put_varint_long(std::uint8_t* at, std::uint64_t value) {
  const std::size_t size = wire::detail::size_of_nonzero(value);
  put(at, wire::detail::spread_groups(value) | wire::detail::kMarks.before[size - 1]);
  put(at + 8, (value >> 56) | 0x100);  // bit 63 is the ninth byte's continuation
  return at + size;
}

// Stores tag and value. The only branch is for values of one byte, which most values are. Without the branch, a field
// of one byte would cost twice as much, and random lengths would gain nothing, also with pdep.
template <std::uint32_t kTag, class Bits>
HOTPB_INLINE std::uint8_t* put_varint_field(std::uint8_t* at, Bits value) {
  static_assert(sizeof value == 4 || sizeof value == 8, "put_varint_field() takes a value of four or eight bytes");
  constexpr std::size_t kTagSize = tag_size(kTag);
  if (HOTPB_LIKELY(value < 0x80)) {
    put(at, encoded_tag(kTag) | std::uint64_t{value} << (8 * kTagSize));
    return at + kTagSize + 1;
  }
  put_tag<kTag>(at);
  return sizeof value == 4 ? put_varint_word(at + kTagSize, value) : put_varint_long(at + kTagSize, value);
}

// Writes a varint to `to`, which has room for any varint. Returns its size.
inline std::size_t encode_varint(std::uint8_t* to, std::uint64_t value) {
  return static_cast<std::size_t>(wire::write_varint(to, value) - to);
}

// Encodes a length in four bytes, with padding: 7 is 87 80 80 00.
inline void encode_length4(std::uint8_t (&to)[4], std::uint64_t length) {
  to[0] = static_cast<std::uint8_t>((length & 0x7f) | 0x80);
  to[1] = static_cast<std::uint8_t>(((length >> 7) & 0x7f) | 0x80);
  to[2] = static_cast<std::uint8_t>(((length >> 14) & 0x7f) | 0x80);
  to[3] = static_cast<std::uint8_t>((length >> 21) & 0x7f);
}

// Copies up to 127 bytes, and reads no others. Overwrites at most seven bytes after them.
//
//   23 bytes:  |--------16--------|
//                     |--------16--------|
HOTPB_INLINE void copy_short(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  using detail::port::load;
  const auto copy16 = [to, from](std::size_t offset) {
    const Word low = load<Word>(from + offset);
    const Word high = load<Word>(from + offset + 8);
    put(to + offset, low);
    put(to + offset + 8, high);
  };
  if (size >= 16) {
    for (std::size_t offset = 16; HOTPB_UNLIKELY(offset + 16 < size); offset += 16) copy16(offset);
    copy16(0);
    copy16(size - 16);
  } else if (size >= 8) {
    const Word first = load<Word>(from);
    const Word last = load<Word>(from + size - 8);
    put(to, first);
    put(to + size - 8, last);
  } else if (size >= 4) {
    const Word first = load<std::uint32_t>(from);
    const Word last = load<std::uint32_t>(from + size - 4);
    put(to, first | last << (8 * size - 32));
  } else if (size > 0) {
    const std::size_t half = size / 2;
    put(to, Word{from[0]} | Word{from[half]} << (8 * half) | Word{from[size - 1]} << (8 * size - 8));
  }
}

}  // namespace detail
HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_STORE_H_
