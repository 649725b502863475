// Packed varints: many in a row, read a block at a time.
//
// One word has a bit for each of 64 bytes, set where a varint ends. Where the next varint starts follows from that
// word, not from the length of the one before it: the processor reads several varints at once, and nothing branches on
// lengths of up to eight bytes. Sixteen varints of one byte in a row are widened at one go.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_PACKED_H_
#define HOTPB_POOL_PACKED_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire/varint.h"

#if HOTPB_SSE2
#include <emmintrin.h>
#endif

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// How a varint becomes an element: of a word, and of sixteen bytes that are varints of one byte. `kSigned` says how
// those bytes are widened.
struct AsNumber {
  static constexpr bool kSigned = false;
  HOTPB_INLINE static std::uint64_t word(std::uint64_t word) { return word; }
#if HOTPB_SSE2
  HOTPB_INLINE static __m128i bytes(__m128i bytes) { return bytes; }
#endif
};
struct AsBool {
  static constexpr bool kSigned = false;
  HOTPB_INLINE static std::uint64_t word(std::uint64_t word) { return word != 0; }
#if HOTPB_SSE2
  HOTPB_INLINE static __m128i bytes(__m128i bytes) { return _mm_min_epu8(bytes, _mm_set1_epi8(1)); }
#endif
};
struct AsZigzag {
  static constexpr bool kSigned = true;
#if HOTPB_SSE2
  HOTPB_INLINE static __m128i bytes(__m128i bytes) {
    const __m128i low = _mm_and_si128(bytes, _mm_set1_epi8(1));
    const __m128i half = _mm_and_si128(_mm_srli_epi16(bytes, 1), _mm_set1_epi8(0x3f));
    return _mm_xor_si128(half, _mm_sub_epi8(_mm_setzero_si128(), low));
  }
#endif
};
struct AsSint32 : AsZigzag {
  HOTPB_INLINE static std::int32_t word(std::uint64_t word) {
    return wire::unzigzag32(static_cast<std::uint32_t>(word));
  }
};
struct AsSint64 : AsZigzag {
  HOTPB_INLINE static std::int64_t word(std::uint64_t word) { return wire::unzigzag64(word); }
};

// Sixteen bytes as elements of type T.
template <class T, class As>
HOTPB_INLINE void widen(const std::uint8_t* p, std::uint8_t* to) {
#if HOTPB_SSE2
  const __m128i zero = _mm_setzero_si128();
  const __m128i bytes = As::bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  const auto store = [&to](__m128i lanes) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), lanes);
    to += sizeof lanes;
  };
  if constexpr (sizeof(T) == 1) {
    store(bytes);
  } else {
    // The upper half of a lane gets the sign of the lower one.
    const auto four = [&](__m128i lanes) {
      if constexpr (sizeof(T) == 4) {
        store(lanes);
      } else {
        const __m128i sign = As::kSigned ? _mm_srai_epi32(lanes, 31) : zero;
        store(_mm_unpacklo_epi32(lanes, sign));
        store(_mm_unpackhi_epi32(lanes, sign));
      }
    };
    const auto eight = [&](__m128i lanes) {
      const __m128i sign = As::kSigned ? _mm_srai_epi16(lanes, 15) : zero;
      four(_mm_unpacklo_epi16(lanes, sign));
      four(_mm_unpackhi_epi16(lanes, sign));
    };
    const __m128i sign = As::kSigned ? _mm_cmpgt_epi8(zero, bytes) : zero;
    eight(_mm_unpacklo_epi8(bytes, sign));
    eight(_mm_unpackhi_epi8(bytes, sign));
  }
#else
  for (unsigned i = 0; i < 16; ++i) port::store(to + i * sizeof(T), static_cast<T>(As::word(p[i])));
#endif
}

// A bit for each of 64 bytes: is it the last one of a varint?
HOTPB_INLINE std::uint64_t find_ends(const std::uint8_t* p) {
#if HOTPB_SSE2
  const auto continued = [p](unsigned at) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
    return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(block))} << at;
  };
  return ~(continued(0) | continued(16) | continued(32) | continued(48));
#else
  std::uint64_t ends = 0;
  for (unsigned at = 0; at < 64; at += 8) {
    // Each byte of `ones` is 0 or 1; the product has them side by side in its top byte.
    const std::uint64_t ones = (~port::load<std::uint64_t>(p + at) & wire::detail::kContinuation) >> 7;
    ends |= (ones * 0x0102040810204080u >> 56) << at;
  }
  return ends;
#endif
}

// The same for 16 bytes.
HOTPB_INLINE unsigned find_ends_of_16(const std::uint8_t* p) {
#if HOTPB_SSE2
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))) ^ 0xffffu;
#else
  const auto eight = [p](unsigned at) {
    const std::uint64_t ones = (~port::load<std::uint64_t>(p + at) & wire::detail::kContinuation) >> 7;
    return static_cast<unsigned>(ones * 0x0102040810204080u >> 56) << at;
  };
  return eight(0) | eight(8);
#endif
}

HOTPB_INLINE std::uint64_t first_bits(std::ptrdiff_t count) {
  return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}

constexpr std::ptrdiff_t kBlock = 64;
// Bytes that may be read after the start of a block: a varint that begins at its last byte goes on after it.
constexpr std::ptrdiff_t kBlockRoom = kBlock + static_cast<std::ptrdiff_t>(wire::kVarintRoom);

// The same as wire::count_varints(), where bytes up to `stop` may be read.
inline std::size_t count_packed(const std::uint8_t* p, const std::uint8_t* const end, const std::uint8_t* const stop) {
  std::size_t count = 0;
  for (; p < end && stop - p >= kBlock; p += kBlock) count += port::count_bits(find_ends(p) & first_bits(end - p));
  return p < end ? count + wire::count_varints(p, end) : count;
}

// Which bits of eight bytes are those of a varint, by the index of its last byte.
struct Kept {
  std::uint64_t bits[8] = {0x7f};
  constexpr Kept() {
    for (std::size_t last = 1; last < 8; ++last) bits[last] = bits[last - 1] << 8 | 0x7f;
  }
};
inline constexpr Kept kKept{};

// The varints of a block, of up to `kMost` bytes each. Returns the byte after the last one; nullptr when one is too
// long.
template <class T, class As, std::size_t kMost>
HOTPB_INLINE const std::uint8_t* read_block(const std::uint8_t* const p, std::uint64_t ends, std::uint8_t*& to) {
  const std::uint8_t* start = p;
  for (; ends != 0; ends &= ends - 1) {
    const std::uint8_t* const last = p + std::size_t{port::lowest_bit(ends)};
    const std::size_t index = static_cast<std::size_t>(last - start);
    std::uint64_t word;
    if constexpr (kMost == 2) {
      word = port::load<std::uint16_t>(start) & kKept.bits[index];
      word = (word + (word & 0x7f)) >> 1;
    } else if (HOTPB_LIKELY(index < 8)) {
      word = wire::detail::compress_groups(port::load<std::uint64_t>(start) & kKept.bits[index]);
    } else {
      if (HOTPB_UNLIKELY(index >= kMost)) return nullptr;
      word = wire::detail::compress_groups(port::load<std::uint64_t>(start));
      word |= std::uint64_t{start[8] & 0x7fu} << 56;
      if (index == 9) word |= std::uint64_t{start[9]} << 63;
    }
    port::store(to, static_cast<T>(As::word(word)));
    to += sizeof(T);
    start = last + 1;
  }
  return start;
}

// The varints of [p, end), as elements of type T at `to`, which has room for count_packed() of them. Returns the end of
// the elements; nullptr when a varint is bad. Bytes up to `stop` may be read.
template <class T, class As>
HOTPB_INLINE std::uint8_t* read_packed(const std::uint8_t* p, const std::uint8_t* const end,
                                       const std::uint8_t* const stop, std::uint8_t* to) {
  while (p < end && stop - p >= kBlockRoom) {
    const std::uint64_t range = first_bits(end - p);
    std::uint64_t ends = find_ends(p) & range;
    if ((ends & 0xffff) == 0xffff) {
      do {
        widen<T, As>(p, to);
        to += 16 * sizeof(T);
        p += 16;
        ends >>= 16;
      } while ((ends & 0xffff) == 0xffff);
      continue;
    }
    const std::uint64_t continued = ends ^ range;
    if (HOTPB_UNLIKELY(ends == 0)) return nullptr;
    p = (continued & continued >> 1) == 0 ? read_block<T, As, 2>(p, ends, to)
                                          : read_block<T, As, wire::kVarintRoom>(p, ends, to);
    if (HOTPB_UNLIKELY(p == nullptr)) return nullptr;
  }
  while (p < end) {
    std::uint64_t word;
    p = wire::read_varint(p, stop, word);
    if (HOTPB_UNLIKELY(p == nullptr || p > end)) return nullptr;
    port::store(to, static_cast<T>(As::word(word)));
    to += sizeof(T);
  }
  return to;
}

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_PACKED_H_
