// The part that both programs of the cache test share. `PROGRAM N` calls each of the 100 call sites N times, in turn.
// They write into a buffer of 64 KiB, which starts again when it is nearly full. `PROGRAM N FILE` also writes the last
// contents of the buffer to a file.
#ifndef HOTPB_BENCH_CACHE_SITES_H_
#define HOTPB_BENCH_CACHE_SITES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// A call site has code of its own, as in a program whose call sites are far apart.
#define SITE __attribute__((noinline))

constexpr std::size_t kBuffer = 65536;
constexpr std::size_t kLargestRound = 100 * 192;  // more than 100 events need
static std::uint8_t buffer[kBuffer];
static const char text[] = "the quick brown fox jumps";

// Values that differ from call to call.
inline std::uint64_t next_value(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 11;
}

inline int save(int argc, char** argv, std::size_t size) {
  if (argc < 3) return 0;
  std::FILE* const file = std::fopen(argv[2], "wb");
  return file != nullptr && std::fwrite(buffer, 1, size, file) == size && std::fclose(file) == 0 ? 0 : 1;
}

#endif  // HOTPB_BENCH_CACHE_SITES_H_
