// Varints: read and written without a loop.
//
// Promise: a one-byte varint costs one test. A longer one of up to eight bytes costs the same at any length: one load,
// one compression of 7-bit groups and no branch that depends on the data, so mixed lengths do not mispredict. Readers
// read nothing past `end`. Writers write nothing past the ten bytes (kVarintRoom) that the caller must provide.
//
//   value 300 = 0b10'0101100            byte 0     byte 1
//                                      1|0101100  0|0000010
//                        continuation -^ low 7 bits first
//
// Readers take [p, end) and return the first byte after the varint. They return nullptr for a varint that does not end
// in the range or has more than ten bytes; the cold path finds out which of the two it was (check.h).
#ifndef HOTPB_WIRE_VARINT_H_
#define HOTPB_WIRE_VARINT_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"

#if HOTPB_BMI2
#include <immintrin.h>
#endif

HOTPB_NAMESPACE_BEGIN
namespace wire {

constexpr std::size_t kVarintRoom = 10;  // the bytes that write_varint() may overwrite, for any value

// Bytes of the minimal varint of `value`: 1 to 10. (Nine bits of product per seven bits of value: exact for all 64.)
namespace detail {
constexpr std::size_t size_of_nonzero(std::uint64_t value) { return (detail::port::highest_bit(value) * 9 + 73) >> 6; }
}  // namespace detail
constexpr std::size_t varint_size(std::uint64_t value) { return detail::size_of_nonzero(value | 1); }

constexpr std::uint32_t zigzag32(std::int32_t value) {
  return (static_cast<std::uint32_t>(value) << 1) ^ (0u - (static_cast<std::uint32_t>(value) >> 31));
}
constexpr std::uint64_t zigzag64(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ (std::uint64_t{0} - (static_cast<std::uint64_t>(value) >> 63));
}
constexpr std::int32_t unzigzag32(std::uint32_t value) {
  return static_cast<std::int32_t>((value >> 1) ^ (0u - (value & 1)));
}
constexpr std::int64_t unzigzag64(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (std::uint64_t{0} - (value & 1)));
}

namespace detail {

constexpr std::uint64_t kContinuation = 0x8080808080808080u;

// Compresses eight bytes of seven bits each into 56 bits: pairs first, then quads, then all.
HOTPB_INLINE std::uint64_t compress_groups(std::uint64_t word) {
#if HOTPB_BMI2
  return _pext_u64(word, 0x7f7f7f7f7f7f7f7fu);
#else
  // low + (high << n) is (low + (high << n + 1) + low) / 2: one mask for both halves.
  word &= 0x7f7f7f7f7f7f7f7fu;
  word = (word + (word & 0x007f007f007f007fu)) >> 1;
  word = (word + (word & 0x00003fff00003fffu) * 3) >> 2;
  const std::uint64_t low = word & 0xffffffffu;
  return low | (word ^ low) >> 4;
#endif
}

// The inverse: spreads the low 56 bits over eight bytes of seven bits each. It also works in constant expressions.
constexpr std::uint64_t spread_constant(std::uint64_t value) {
  // low + (high << n) is value + high * (2^n - 1): one mask for both halves.
  value = (value & 0x000000000fffffffu) | (((value >> 28) & 0x000000000fffffffu) << 32);
  value += (value & 0x0fffc0000fffc000u) * 3;
  return value + (value & 0x3f803f803f803f80u);
}
HOTPB_INLINE std::uint64_t spread_groups(std::uint64_t value) {
#if HOTPB_BMI2
  return _pdep_u64(value, 0x7f7f7f7f7f7f7f7fu);
#else
  return spread_constant(value);
#endif
}

// The continuation bits of a varint, by the index of its last byte: one load instead of five instructions.
struct Marks {
  std::uint64_t before[kVarintRoom] = {};
  constexpr Marks() {
    for (std::size_t last = 1; last < kVarintRoom; ++last) {
      before[last] = last < 8 ? before[last - 1] << 8 | 0x80 : kContinuation;
    }
  }
};
inline constexpr Marks kMarks{};

// Reads byte by byte, for when fewer than ten bytes are left.
HOTPB_NOINLINE inline const std::uint8_t* read_varint_tail(const std::uint8_t* p, const std::uint8_t* end,
                                                           std::uint64_t& value) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; p != end && shift < 70; shift += 7) {
    const std::uint64_t byte = *p++;
    result |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = result;
      return p;
    }
  }
  return nullptr;
}

// Reads nine or ten bytes, the first eight of which are all continued.
HOTPB_NOINLINE inline const std::uint8_t* read_varint_ninth(const std::uint8_t* p, const std::uint8_t* end,
                                                            std::uint64_t& value) {
  if (end - p < 10) return read_varint_tail(p, end, value);
  const std::uint64_t ninth = p[8];
  const std::uint64_t low = compress_groups(detail::port::load<std::uint64_t>(p)) | (ninth & 0x7f) << 56;
  if (ninth < 0x80) {
    value = low;
    return p + 9;
  }
  value = low | std::uint64_t{p[9]} << 63;
  return p[9] < 0x80 ? p + 10 : nullptr;
}

// Reads two bytes and more, without a branch on the length up to eight. Reading of the next varint cannot start before
// the length of this one is known, so the path from the load to the length is kept short: the lowest of `ends` is the
// top bit of the last byte.
HOTPB_INLINE const std::uint8_t* read_varint_long(const std::uint8_t* p, const std::uint8_t* end,
                                                  std::uint64_t& value) {
  if (HOTPB_UNLIKELY(end - p < 8)) return read_varint_tail(p, end, value);
  const std::uint64_t word = detail::port::load<std::uint64_t>(p);
  const std::uint64_t ends = ~word & kContinuation;
  if (HOTPB_UNLIKELY(ends == 0)) return read_varint_ninth(p, end, value);
  value = compress_groups(word & (ends ^ (ends - 1)));  // the bits up to the end of the last byte
  return p + ((detail::port::lowest_bit(ends) + 1) >> 3);
}

}  // namespace detail

HOTPB_INLINE const std::uint8_t* read_varint(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value) {
  if (HOTPB_UNLIKELY(p == end)) return nullptr;
  if (HOTPB_LIKELY(*p < 0x80)) {
    value = *p;
    return p + 1;
  }
  return detail::read_varint_long(p, end, value);
}

// Skips a varint: finds only where it ends.
HOTPB_INLINE const std::uint8_t* skip_varint(const std::uint8_t* p, const std::uint8_t* end) {
  if (HOTPB_UNLIKELY(p == end)) return nullptr;
  if (HOTPB_LIKELY(*p < 0x80)) return p + 1;
  if (HOTPB_UNLIKELY(end - p < 10)) {
    std::uint64_t ignored;
    return detail::read_varint_tail(p, end, ignored);
  }
  const std::uint64_t ends = ~detail::port::load<std::uint64_t>(p) & detail::kContinuation;
  if (HOTPB_LIKELY(ends != 0)) return p + (detail::port::lowest_bit(ends) >> 3) + 1;
  if (p[8] < 0x80) return p + 9;
  return p[9] < 0x80 ? p + 10 : nullptr;
}

// Number of varints in [p, end): the number of bytes without a continuation bit. (A last varint that does not end in
// the range is not counted.) Callers size a packed field with it before they read the field.
inline std::size_t count_varints(const std::uint8_t* p, const std::uint8_t* end) {
  std::size_t count = 0;
  for (; end - p >= 8; p += 8) {
    // Each byte of `ones` is 0 or 1; the top byte of the product is their sum.
    const std::uint64_t ones = (~detail::port::load<std::uint64_t>(p) & detail::kContinuation) >> 7;
    count += static_cast<std::size_t>((ones * 0x0101010101010101u) >> 56);
  }
  for (; p != end; ++p) count += *p < 0x80;
  return count;
}

// Writes the minimal varint and returns the byte after it. May overwrite kVarintRoom bytes from `p` on.
HOTPB_INLINE std::uint8_t* write_varint(std::uint8_t* p, std::uint64_t value) {
  if (HOTPB_LIKELY(value < 0x80)) {
    *p = static_cast<std::uint8_t>(value);
    return p + 1;
  }
  const std::size_t size = detail::size_of_nonzero(value);
  detail::port::store(p, detail::spread_groups(value) | detail::kMarks.before[size - 1]);
  detail::port::store(p + 8, static_cast<std::uint16_t>((value >> 56) | 0x100));  // a tenth byte can only be 1
  return p + size;
}

// Does the same, but overwrites nothing after the varint.
inline std::uint8_t* write_varint_tight(std::uint8_t* p, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *p++ = static_cast<std::uint8_t>(value | 0x80);
  *p++ = static_cast<std::uint8_t>(value);
  return p;
}

}  // namespace wire
HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_VARINT_H_
