// UTF-8: whether text is well-formed, and if not, where the first ill-formed sequence starts.
//
// Promise: ASCII costs one test per 64 bytes (SSE2) or per 8. The functions decode only from the first byte above 7f
// on, and try blocks again from the next ASCII byte on. Well-formed is defined by the Unicode standard (table 3-7): no
// surrogates, no over-long forms, nothing above U+10FFFF. U+0000 is data.
#ifndef HOTPB_WIRE_UTF8_H_
#define HOTPB_WIRE_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"

#if HOTPB_SSE2
#include <emmintrin.h>
#endif

HOTPB_NAMESPACE_BEGIN
namespace utf8 {

namespace detail {

constexpr std::uint64_t kHighBits = 0x8080808080808080u;

// Number of leading ASCII bytes.
inline std::size_t ascii_prefix(const std::uint8_t* text, std::size_t size) {
  std::size_t at = 0;
#if HOTPB_SSE2
  for (; size - at >= 64; at += 64) {
    const __m128i* block = reinterpret_cast<const __m128i*>(text + at);
    const __m128i any = _mm_or_si128(_mm_or_si128(_mm_loadu_si128(block), _mm_loadu_si128(block + 1)),
                                     _mm_or_si128(_mm_loadu_si128(block + 2), _mm_loadu_si128(block + 3)));
    if (_mm_movemask_epi8(any) != 0) break;
  }
#else
  for (; size - at >= 32; at += 32) {
    if (((port::load<std::uint64_t>(text + at) | port::load<std::uint64_t>(text + at + 8) |
          port::load<std::uint64_t>(text + at + 16) | port::load<std::uint64_t>(text + at + 24)) &
         kHighBits) != 0) {
      break;
    }
  }
#endif
  for (; size - at >= 8; at += 8) {
    const std::uint64_t high = port::load<std::uint64_t>(text + at) & kHighBits;
    if (high != 0) return at + (port::lowest_bit(high) >> 3);
  }
  while (at < size && text[at] < 0x80) ++at;
  return at;
}

// Length (2 to 4) of the well-formed sequence in the low bytes of `word`, 0 if they are none.
// `word` holds the next four bytes, zeros where the text ends: no sequence contains a zero byte.
HOTPB_INLINE unsigned sequence_length(std::uint32_t word) {
  if ((word & 0x0000c0e0) == 0x000080c0) {                       // 110yyyyx 10xxxxxx
    return (word & 0x1e) != 0 ? 2 : 0;                           // c0, c1: over-long
  }
  if ((word & 0x00c0c0f0) == 0x008080e0) {                       // 1110zzzz 10yyyyxx 10xxxxxx
    const std::uint32_t first_five = word & 0x0000200f;          // zzzz and the upper y
    return first_five != 0 && first_five != 0x200d ? 3 : 0;      // 0: over-long; 1101'1: a surrogate
  }
  if ((word & 0xc0c0c0f8) == 0x808080f0) {                       // 11110uuu 10uuzzzz 10yyyyxx 10xxxxxx
    const std::uint32_t plane = ((word & 0x07) << 2) | ((word >> 12) & 0x03);
    return plane >= 1 && plane <= 16 ? 4 : 0;                    // 0: over-long; 17 and up: above U+10FFFF
  }
  return 0;
}

}  // namespace detail

// Length of the longest well-formed prefix: `size` if all is well-formed, else the index of the first ill-formed
// sequence.
inline std::size_t valid_prefix(const std::uint8_t* text, std::size_t size) {
  std::size_t at = 0;
  for (;;) {
    at += detail::ascii_prefix(text + at, size - at);
    while (size - at >= 4) {
      const std::uint32_t word = detail::port::load<std::uint32_t>(text + at);
      if ((word & 0x80) == 0) break;
      const unsigned length = detail::sequence_length(word);
      if (length == 0) return at;
      at += length;
    }
    if (size - at < 4) break;
  }
  while (at < size) {
    if (text[at] < 0x80) {
      ++at;
      continue;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, text + at, size - at);
    const unsigned length = detail::sequence_length(word);
    if (length == 0) return at;
    at += length;
  }
  return size;
}

namespace detail {

// The same for a text of more than 64 bytes: blocks, of which the last two overlap.
HOTPB_NOINLINE inline bool is_valid_long(const std::uint8_t* text, std::size_t size) {
#if HOTPB_SSE2
  for (std::size_t at = 0;;) {
    const __m128i* const block = reinterpret_cast<const __m128i*>(text + at);
    const __m128i any = _mm_or_si128(_mm_or_si128(_mm_loadu_si128(block), _mm_loadu_si128(block + 1)),
                                     _mm_or_si128(_mm_loadu_si128(block + 2), _mm_loadu_si128(block + 3)));
    if (HOTPB_UNLIKELY(_mm_movemask_epi8(any) != 0)) return valid_prefix(text + at, size - at) == size - at;
    if (at + 64 == size) return true;
    at = size - at >= 128 ? at + 64 : size - 64;
  }
#else
  return valid_prefix(text, size) == size;
#endif
}

}  // namespace detail

// Whether the whole text is well-formed. Most strings are short ASCII, so that case is inlined: loads that overlap
// cover the bytes after the last whole word, instead of a loop over bytes. valid_prefix() checks long text in blocks.
HOTPB_INLINE bool is_valid(const std::uint8_t* text, std::size_t size) {
  constexpr std::size_t kShort = 64;
  if (size >= 8) {
    if (HOTPB_LIKELY(size <= kShort)) {
      std::uint64_t high = detail::port::load<std::uint64_t>(text + size - 8);
      for (std::size_t at = 0; at + 8 < size; at += 8) high |= detail::port::load<std::uint64_t>(text + at);
      if (HOTPB_LIKELY((high & detail::kHighBits) == 0)) return true;
    } else {
      return detail::is_valid_long(text, size);
    }
  } else if (size >= 4) {
    const std::uint32_t high =
        detail::port::load<std::uint32_t>(text) | detail::port::load<std::uint32_t>(text + size - 4);
    if (HOTPB_LIKELY((high & 0x80808080u) == 0)) return true;
  } else if (HOTPB_LIKELY(size == 0 || (text[0] | text[size / 2] | text[size - 1]) < 0x80)) {
    return true;
  }
  return valid_prefix(text, size) == size;
}

namespace detail {

// Are these bytes ASCII, and not too many to see at once? Where 16 bytes may be read.
HOTPB_INLINE bool is_plain(const std::uint8_t* text, std::size_t size) {
#if HOTPB_SSE2
  const auto block = [](const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
  if (size <= 16) return (_mm_movemask_epi8(block(text)) & ((1 << size) - 1)) == 0;
  const std::uint8_t* const last = text + size - 16;
  if (size <= 32) return _mm_movemask_epi8(_mm_or_si128(block(text), block(last))) == 0;
  if (size <= 64) {
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(block(text), block(text + 16)),
                                          _mm_or_si128(block(last - 16), block(last)))) == 0;
  }
#else
  static_cast<void>(text);
  static_cast<void>(size);
#endif
  return false;
}
HOTPB_NOINLINE inline bool is_valid_called(const std::uint8_t* text, std::size_t size) {
  return utf8::is_valid(text, size);
}
// is_valid() of a text in an input that goes on to `end`. Most are short ASCII: then a load or two tell.
HOTPB_INLINE bool is_valid_before(const std::uint8_t* end, const std::uint8_t* text, std::size_t size) {
#if HOTPB_SSE2
  if (HOTPB_LIKELY(end - text >= 16 && detail::is_plain(text, size))) return true;
#else
  static_cast<void>(end);
#endif
  return detail::is_valid_called(text, size);
}

}  // namespace detail

}  // namespace utf8
HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_UTF8_H_
