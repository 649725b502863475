// The inline namespace of the runtime and of generated code: version and configuration.
//
//   hotpb::HeapBuffer                     in the source
//   hotpb::v0_1_0_small_v3::HeapBuffer    for the linker: 0.1.0, -DHOTPB_SMALL, -march=x86-64-v3
//
// Two libraries of one program may be compiled with different versions of hotpb, different HOTPB_ settings or a
// different -march. Their types and functions are then different ones. Code that passes such a type from one library to
// the other does not link. An ordinary build has only the version in the name.
//
//   -DHOTPB_ABI_TAG=acme    appends _acme: a library has a hotpb of its own, whatever other libraries use
//
// To declare a generated class in advance, include version.h and write:
//
//   namespace demo::hot { inline namespace HOTPB_ABI { class EventWriter; } }
#ifndef HOTPB_DETAIL_ABI_H_
#define HOTPB_DETAIL_ABI_H_

#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "hotpb needs C++17 or newer: compile with -std=c++17, or set(CMAKE_CXX_STANDARD 17)"
#endif

#define HOTPB_VERSION_MAJOR 0
#define HOTPB_VERSION_MINOR 1
#define HOTPB_VERSION_PATCH 0
#define HOTPB_VERSION_STRING "0.1.0"

#if defined(HOTPB_SMALL)
#define HOTPB_ABI_SMALL _small
#else
#define HOTPB_ABI_SMALL
#endif

// The levels of a message that a writer can open below it: 100, or fewer for smaller buffers.
#if defined(HOTPB_WRITER_DEPTH)
#define HOTPB_ABI_DEPTH HOTPB_ABI_JOIN(_depth, HOTPB_WRITER_DEPTH, , , , , )
#else
#define HOTPB_ABI_DEPTH
#endif

// Plain C++ instead of built-ins and intrinsics.
#if defined(HOTPB_PORTABLE) || !(defined(__GNUC__) || defined(__clang__))
#define HOTPB_ABI_PORTABLE _portable
#else
#define HOTPB_ABI_PORTABLE
#endif

// The instructions that the compiler may use in any function. The linker keeps one of several equal inline functions,
// and not every machine can run each of them. The name has a level of x86-64 if the compiler may use all of that level.
#if defined(__AVX2__) && defined(__BMI__) && defined(__BMI2__) && defined(__FMA__) && defined(__LZCNT__) && \
    defined(__MOVBE__)
#define HOTPB_ABI_V3 1
#endif
#if defined(HOTPB_ABI_V3) && defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__)
#define HOTPB_ABI_VECTOR _v4
#elif defined(HOTPB_ABI_V3) && defined(__AVX512F__)
#define HOTPB_ABI_VECTOR _v3_avx512
#elif defined(HOTPB_ABI_V3)
#define HOTPB_ABI_VECTOR _v3
#elif defined(__AVX512F__)
#define HOTPB_ABI_VECTOR _avx512
#elif defined(__AVX2__)
#define HOTPB_ABI_VECTOR _avx2
#elif defined(__AVX__)
#define HOTPB_ABI_VECTOR _avx
#elif defined(__SSE4_1__)
#define HOTPB_ABI_VECTOR _sse4
#elif defined(__SSE3__)
#define HOTPB_ABI_VECTOR _sse3
#elif defined(__SSE2__) && defined(__i386__)
#define HOTPB_ABI_VECTOR _sse2
#elif defined(__ARM_FEATURE_SVE)
#define HOTPB_ABI_VECTOR _sve
#elif defined(__ARM_NEON) && !defined(__aarch64__)
#define HOTPB_ABI_VECTOR _neon
#else
#define HOTPB_ABI_VECTOR
#endif
#if defined(__BMI__) && !defined(HOTPB_ABI_V3)
#define HOTPB_ABI_BMI _bmi
#else
#define HOTPB_ABI_BMI
#endif
#if defined(__BMI2__) && !defined(HOTPB_ABI_V3)
#define HOTPB_ABI_BMI2 _bmi2
#else
#define HOTPB_ABI_BMI2
#endif
#if defined(__LZCNT__) && !defined(HOTPB_ABI_V3)
#define HOTPB_ABI_LZCNT _lzcnt
#else
#define HOTPB_ABI_LZCNT
#endif
#if defined(__MOVBE__) && !defined(HOTPB_ABI_V3)
#define HOTPB_ABI_MOVBE _movbe
#else
#define HOTPB_ABI_MOVBE
#endif
#if defined(__POPCNT__) && !defined(HOTPB_ABI_V3)
#define HOTPB_ABI_POPCNT _popcnt
#else
#define HOTPB_ABI_POPCNT
#endif

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define HOTPB_ABI_CATCH
#else
#define HOTPB_ABI_CATCH _noexcept
#endif

#if defined(HOTPB_DEBUG_FILL)
#define HOTPB_ABI_FILL _fill
#else
#define HOTPB_ABI_FILL
#endif

#if defined(HOTPB_ABI_TAG)
#define HOTPB_ABI_OWN HOTPB_ABI_JOIN(_, HOTPB_ABI_TAG, , , , , )
#else
#define HOTPB_ABI_OWN
#endif

#define HOTPB_ABI_PASTE(a, b, c, d, e, f, g) a##b##c##d##e##f##g
#define HOTPB_ABI_JOIN(a, b, c, d, e, f, g) HOTPB_ABI_PASTE(a, b, c, d, e, f, g)
#define HOTPB_ABI_VERSION HOTPB_ABI_JOIN(v, HOTPB_VERSION_MAJOR, _, HOTPB_VERSION_MINOR, _, HOTPB_VERSION_PATCH, )
#define HOTPB_ABI_WRITER HOTPB_ABI_JOIN(HOTPB_ABI_SMALL, HOTPB_ABI_DEPTH, , , , , )
#define HOTPB_ABI_CODE \
  HOTPB_ABI_JOIN(HOTPB_ABI_VECTOR, HOTPB_ABI_BMI, HOTPB_ABI_BMI2, HOTPB_ABI_LZCNT, HOTPB_ABI_MOVBE, HOTPB_ABI_POPCNT, )
#define HOTPB_ABI                                                                                             \
  HOTPB_ABI_JOIN(HOTPB_ABI_VERSION, HOTPB_ABI_WRITER, HOTPB_ABI_PORTABLE, HOTPB_ABI_CODE, HOTPB_ABI_CATCH,     \
                 HOTPB_ABI_FILL, HOTPB_ABI_OWN)

#define HOTPB_NAMESPACE_BEGIN \
  namespace hotpb {           \
  inline namespace HOTPB_ABI {
#define HOTPB_NAMESPACE_END \
  }                         \
  }

#endif  // HOTPB_DETAIL_ABI_H_
