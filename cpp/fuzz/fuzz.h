// Definitions that the fuzz targets share.
#ifndef HOTPB_FUZZ_FUZZ_H_
#define HOTPB_FUZZ_FUZZ_H_

#include <cstdio>
#include <cstdlib>

// A broken promise is a finding: libFuzzer keeps the input of a process that aborts.
#define FUZZ_REQUIRE(condition)                                                        \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                    \
    }                                                                                  \
  } while (false)

#endif  // HOTPB_FUZZ_FUZZ_H_
