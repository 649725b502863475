// Writing from the last byte to the first: fields, and lists of varints, right before the bytes before.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_BACKWARD_H_
#define HOTPB_POOL_BACKWARD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire.h"

#if HOTPB_SSE2
#include <emmintrin.h>
#endif

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// Writing right before `p`, where there is room. Each returns the first byte that it wrote.
namespace backward {

template <class T>
HOTPB_INLINE std::uint8_t* put(std::uint8_t* p, T value) {
  port::store(p - sizeof value, value);
  return p - sizeof value;
}
// A varint of any size, without a branch on its length up to eight. Up to eight bytes before it are written over.
HOTPB_INLINE std::uint8_t* long_varint(std::uint8_t* p, std::uint64_t value) {
  const std::size_t size = wire::varint_size(value);
  const std::uint64_t low = wire::detail::spread_groups(value) | wire::detail::kMarks.before[size - 1];
  if (HOTPB_UNLIKELY(size > 8)) {
    if (size == 10) *--p = 1;
    *--p = static_cast<std::uint8_t>(value >> 56 | std::uint64_t{size == 10} << 7);
    return put(p, low);
  }
  port::store(p - 8, low << (64 - 8 * size));
  return p - size;
}
HOTPB_INLINE std::uint8_t* varint(std::uint8_t* p, std::uint64_t value) {
  if (HOTPB_LIKELY(value < 0x80)) {
    *--p = static_cast<std::uint8_t>(value);
    return p;
  }
  return long_varint(p, value);
}
// Writes a short text in steps that overlap, without a call.
HOTPB_INLINE std::uint8_t* bytes(std::uint8_t* p, const void* data, std::size_t size) {
  const std::uint8_t* const from = static_cast<const std::uint8_t*>(data);
  std::uint8_t* const to = p - size;
  if (HOTPB_LIKELY(size >= 8 && size <= 32)) {
    port::store(to, port::load<std::uint64_t>(from));
    if (size > 16) {
      port::store(to + 8, port::load<std::uint64_t>(from + 8));
      port::store(p - 16, port::load<std::uint64_t>(from + size - 16));
    }
    port::store(p - 8, port::load<std::uint64_t>(from + size - 8));
  } else if (size >= 4 && size < 8) {
    port::store(to, port::load<std::uint32_t>(from));
    port::store(p - 4, port::load<std::uint32_t>(from + size - 4));
  } else if (size < 4) {
    if (size != 0) {
      to[0] = from[0];
      to[size / 2] = from[size / 2];
      to[size - 1] = from[size - 1];
    }
  } else {
    port::copy(to, from, size);
  }
  return to;
}
// The same, with a call for two bytes and more.
HOTPB_NOINLINE inline std::uint8_t* called_varint(std::uint8_t* p, std::uint64_t value) {
  return long_varint(p, value);
}
HOTPB_INLINE std::uint8_t* small_varint(std::uint8_t* p, std::uint64_t value) {
  if (HOTPB_UNLIKELY(value >= 0x80)) return called_varint(p, value);
  *--p = static_cast<std::uint8_t>(value);
  return p;
}
HOTPB_INLINE std::uint8_t* text(std::uint8_t* p, std::uint32_t tag, const void* data, std::size_t size) {
  return varint(small_varint(bytes(p, data, size), size), tag);
}
HOTPB_INLINE std::uint8_t* number(std::uint8_t* p, std::uint32_t tag, std::uint64_t value) {
  return varint(varint(p, value), tag);
}
template <class T>
HOTPB_INLINE std::uint8_t* fixed(std::uint8_t* p, std::uint32_t tag, T value) {
  return varint(put(p, value), tag);
}

// The varint of an element as it is stored.
template <class T>
struct ToNumber {  // sign-extended where T is signed
  using Type = T;
  HOTPB_INLINE static std::uint64_t word(T value) { return static_cast<std::uint64_t>(value); }
#if HOTPB_SSE2
  HOTPB_INLINE static __m128i lanes(__m128i values) { return values; }
#endif
};
struct ToSint32 {
  using Type = std::int32_t;
  HOTPB_INLINE static std::uint64_t word(std::int32_t value) { return wire::zigzag32(value); }
#if HOTPB_SSE2
  HOTPB_INLINE static __m128i lanes(__m128i values) {
    return _mm_xor_si128(_mm_add_epi32(values, values), _mm_srai_epi32(values, 31));
  }
#endif
};
struct ToSint64 {
  using Type = std::int64_t;
  HOTPB_INLINE static std::uint64_t word(std::int64_t value) { return wire::zigzag64(value); }
};

// Varints of one list are written in runs. The longest number of a run decides how: no branch depends on the length of
// a single one, unless it has nine bytes or more.
constexpr std::size_t kRun = 16;
constexpr std::size_t kRunRoom = kRun * wire::kVarintRoom + 8;

template <class To>
HOTPB_INLINE std::uint8_t* run(std::uint8_t* p, const std::uint8_t* from, std::size_t count) {
  using T = typename To::Type;
  const auto word = [from](std::size_t i) { return To::word(port::load<T>(from + i * sizeof(T))); };
  bool fits_one = false, fits_two = false, fits_four = false;  // bytes, at most
#if HOTPB_SSE2
  if constexpr (sizeof(T) == 4) {
    if (HOTPB_LIKELY(count == kRun)) {
      const auto lanes = [from](unsigned i) {
        return To::lanes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i)));
      };
      const __m128i a = lanes(0), b = lanes(1), c = lanes(2), d = lanes(3);
      const __m128i all = _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
      const auto fit = [all](unsigned mask) {
        const __m128i rest = _mm_andnot_si128(_mm_set1_epi32(static_cast<int>(mask)), all);
        return _mm_movemask_epi8(_mm_cmpeq_epi32(rest, _mm_setzero_si128())) == 0xffff;
      };
      if (fit(0x7f)) {
        const __m128i bytes = _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p - kRun), bytes);
        return p - kRun;
      }
      fits_two = fit(0x3fff);
      fits_four = fit(0xfffffff);
    }
  }
#endif
  if (sizeof(T) != 4 || !HOTPB_SSE2 || count != kRun) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) all |= word(i);
    fits_one = all < 0x80;
    fits_two = all < 0x4000;
    fits_four = all < 0x10000000;
  }
  if (fits_one) {
    for (std::size_t i = count; i != 0; --i) *--p = static_cast<std::uint8_t>(word(i - 1));
  } else if (fits_two) {
    for (std::size_t i = count; i != 0; --i) {
      const std::uint32_t value = static_cast<std::uint32_t>(word(i - 1));
      const std::uint32_t longer = value > 0x7f;
      const std::uint32_t bytes = value + (value & 0x3f80) + (longer << 7);
      port::store(p - 2, static_cast<std::uint16_t>(bytes << (8 - 8 * longer)));
      p -= 1 + longer;
    }
  } else if (fits_four) {
    for (std::size_t i = count; i != 0; --i) {
      std::uint32_t value = static_cast<std::uint32_t>(word(i - 1));
      const std::size_t size = wire::varint_size(value);
      value += (value & 0xfffc000) * 3;
      value += value & 0x3f803f80;
      value |= static_cast<std::uint32_t>(wire::detail::kMarks.before[size - 1]);
      port::store(p - 4, value << (32 - 8 * size));
      p -= size;
    }
  } else {
    for (std::size_t i = count; i != 0; --i) p = long_varint(p, word(i - 1));
  }
  return p;
}

// The most that a field needs, beside the bytes of its text: tag, length or number, and the slack of a varint.
constexpr std::size_t kFieldRoom = 32;

// Tags of numbers up to 2047 have one or two bytes.
HOTPB_INLINE std::uint8_t* tag(std::uint8_t* p, std::uint32_t tag) {
  if (HOTPB_LIKELY(tag < 0x80)) {
    *--p = static_cast<std::uint8_t>(tag);
    return p;
  }
  if (HOTPB_LIKELY(tag < 0x4000)) return put(p, static_cast<std::uint16_t>(tag + (tag & 0x3f80) + 0x80));
  return varint(p, tag);
}

}  // namespace backward
}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_BACKWARD_H_
