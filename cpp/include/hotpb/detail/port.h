// Everything that hotpb needs from the compiler, in one place.
//
// hotpb needs C++17 and standard headers only. It throws nothing itself, and uses no RTTI. For gcc and clang this
// header uses their built-ins; for other C++17 compilers, and with -DHOTPB_PORTABLE, plain C++ with the same results.
// Targets are little-endian, with 32 or 64 bits.
#ifndef HOTPB_DETAIL_PORT_H_
#define HOTPB_DETAIL_PORT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"

// hotpb loads and stores protobuf's little-endian bytes as words. A big-endian build would be wrong without a warning.
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "hotpb needs a little-endian target: big-endian machines are not supported"
#endif
#elif !defined(_WIN32)
#error "hotpb needs a little-endian target; this compiler does not define __BYTE_ORDER__: define it yourself"
#endif

#if (defined(__GNUC__) || defined(__clang__)) && !defined(HOTPB_PORTABLE)
#define HOTPB_GNU 1
#define HOTPB_LIKELY(x) __builtin_expect(!!(x), 1)
#define HOTPB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HOTPB_KNOWN(x) (__builtin_constant_p(x) && (x))
// With -DHOTPB_SMALL the compiler decides which functions it inlines: the code is smaller and compiles much faster.
#if defined(HOTPB_SMALL)
#define HOTPB_INLINE inline
#else
#define HOTPB_INLINE inline __attribute__((always_inline))
#endif
#define HOTPB_COLD __attribute__((noinline, cold))
#define HOTPB_NOINLINE __attribute__((noinline))
#define HOTPB_ASSUME(x) ((x) ? static_cast<void>(0) : __builtin_unreachable())
#else
#define HOTPB_GNU 0
#define HOTPB_LIKELY(x) (x)
#define HOTPB_UNLIKELY(x) (x)
#define HOTPB_KNOWN(x) (x)
#define HOTPB_INLINE inline
#define HOTPB_COLD
#define HOTPB_NOINLINE
#define HOTPB_ASSUME(x) static_cast<void>(0)
#endif

// Catches exceptions of the user's code, in builds that have exceptions: HOTPB_TRY { ... } HOTPB_CATCH { ... }.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define HOTPB_TRY try
#define HOTPB_CATCH catch (...)
#else
#define HOTPB_TRY if (true)
#define HOTPB_CATCH else
#endif

// -DHOTPB_DEBUG_FILL=0xa5 fills memory that is not yet written with that byte, so that tests see when such memory gets
// into an output.
#if defined(HOTPB_DEBUG_FILL)
#define HOTPB_FILL(data, size) ::hotpb::detail::port::fill(data, size, HOTPB_DEBUG_FILL)
#else
#define HOTPB_FILL(data, size) static_cast<void>(0)
#endif

// Marks a parameter that the result borrows: clang warns if the result outlives a temporary argument.
#if defined(__clang__) && defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::lifetimebound)
#define HOTPB_LIFETIMEBOUND [[clang::lifetimebound]]
#endif
#endif
#if !defined(HOTPB_LIFETIMEBOUND)
#define HOTPB_LIFETIMEBOUND
#endif

#if defined(__SSE2__) && !defined(HOTPB_PORTABLE)
#define HOTPB_SSE2 1
#else
#define HOTPB_SSE2 0
#endif

#if HOTPB_SSE2
#include <emmintrin.h>
#endif

// pdep and pext are part of x86-64-v3. (On Zen 1 and 2 they are slow microcode: measure before you build for those with
// -march=x86-64-v3.)
#if defined(__BMI2__) && defined(__x86_64__) && !defined(HOTPB_PORTABLE)
#define HOTPB_BMI2 1
#else
#define HOTPB_BMI2 0
#endif

HOTPB_NAMESPACE_BEGIN
namespace detail {
namespace port {

template <class T>
HOTPB_INLINE T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
HOTPB_INLINE void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Copies a payload. From some thousand bytes on, the C library may copy by one string instruction, and on many AMD
// processors that takes 15 to 30 times as long where the target lies 1 to 31 bytes after the source, counted within a
// page. There, aligned stores are as fast as the instruction elsewhere.
constexpr std::size_t kLongCopy = 2048;
HOTPB_NOINLINE inline void copy_long(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
#if HOTPB_SSE2
  constexpr std::size_t kPage = 4096, kNear = 32, kBlock = 64;
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(to);
  if ((at - reinterpret_cast<std::uintptr_t>(from) - 1) % kPage < kNear - 1) {
    const auto block = [&](std::size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i); };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block(0));
    const std::size_t skip = sizeof(__m128i) - at % sizeof(__m128i);
    for (to += skip, from += skip, size -= skip; size >= kBlock; to += kBlock, from += kBlock, size -= kBlock) {
      const __m128i a = block(0), b = block(1), c = block(2), d = block(3);
      __m128i* const out = reinterpret_cast<__m128i*>(to);
      _mm_store_si128(out, a);
      _mm_store_si128(out + 1, b);
      _mm_store_si128(out + 2, c);
      _mm_store_si128(out + 3, d);
    }
  }
#endif
  std::memcpy(to, from, size);
}
HOTPB_INLINE void copy(void* to, const void* from, std::size_t size) {
  if (HOTPB_LIKELY(size < kLongCopy)) {
    std::memcpy(to, from, size);
  } else {
    copy_long(static_cast<std::uint8_t*>(to), static_cast<const std::uint8_t*>(from), size);
  }
}

// Sets a constant number of bytes to zero. (g++ calls slow instructions for std::memset() of some tens of bytes.)
template <std::size_t Size>
HOTPB_INLINE void clear(void* place) {
  std::uint8_t* const to = static_cast<std::uint8_t*>(place);
  if constexpr (Size > 256) {
    std::memset(to, 0, Size);
#if HOTPB_SSE2
  } else if constexpr (Size >= 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_setzero_si128());
    clear<Size - 16>(to + 16);
#endif
  } else if constexpr (Size >= 8) {
    store(to, std::uint64_t{0});
    clear<Size - 8>(to + 8);
  } else if constexpr (Size > 0) {
    std::memset(to, 0, Size);
  }
}

// The same for a number of bytes that is known later.
HOTPB_INLINE void clear(void* place, std::size_t size) {
#if HOTPB_SSE2
  if (HOTPB_LIKELY(size >= 16 && size <= 512)) {
    std::uint8_t* const to = static_cast<std::uint8_t*>(place);
    for (std::size_t at = 0; at + 16 < size; at += 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), _mm_setzero_si128());
#if HOTPB_GNU
      __asm__("" : "+r"(at));  // or the compiler makes it slow instructions
#endif
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + size - 16), _mm_setzero_si128());
    return;
  }
#endif
  std::memset(place, 0, size);
}

// Returns the same bits as another type.
template <class To, class From>
HOTPB_INLINE To bits_as(From bits) {
  static_assert(sizeof(To) == sizeof(From), "bits_as() needs two types of the same size");
  return load<To>(&bits);
}

inline void fill(void* data, std::size_t size, int byte) {
  if (size > 0 && data != nullptr) std::memset(data, byte, size);
}

// Index of the lowest set bit. `bits` is not 0.
HOTPB_INLINE unsigned lowest_bit(std::uint64_t bits) {
#if HOTPB_GNU
  return static_cast<unsigned>(__builtin_ctzll(bits));
#else
  unsigned index = 0;
  while ((bits & 1) == 0) {
    bits >>= 1;
    ++index;
  }
  return index;
#endif
}

// Index of the highest set bit. `bits` is not 0.
constexpr unsigned highest_bit(std::uint64_t bits) {
#if HOTPB_GNU
  return 63u ^ static_cast<unsigned>(__builtin_clzll(bits));
#else
  unsigned index = 0;
  while (bits >>= 1) ++index;
  return index;
#endif
}

// Number of set bits.
HOTPB_INLINE unsigned count_bits(std::uint64_t bits) {
#if HOTPB_GNU && (defined(__POPCNT__) || defined(__aarch64__))
  return static_cast<unsigned>(__builtin_popcountll(bits));
#else
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<unsigned>(bits * 0x0101010101010101u >> 56);
#endif
}

}  // namespace port
}  // namespace detail

// Code of each room says detail::port, too.
namespace pool {
namespace detail {
namespace port = hotpb::detail::port;
}
}  // namespace pool
namespace shm {
namespace detail {
namespace port = hotpb::detail::port;
}
}  // namespace shm
namespace utf8 {
namespace detail {
namespace port = hotpb::detail::port;
}
}  // namespace utf8
namespace view {
namespace detail {
namespace port = hotpb::detail::port;
}
}  // namespace view
namespace wire {
namespace detail {
namespace port = hotpb::detail::port;
}
}  // namespace wire
HOTPB_NAMESPACE_END

#endif  // HOTPB_DETAIL_PORT_H_
