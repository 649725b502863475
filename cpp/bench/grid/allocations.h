// Counts the calls of operator new.
#ifndef HOTPB_BENCH_GRID_ALLOCATIONS_H_
#define HOTPB_BENCH_GRID_ALLOCATIONS_H_

#include <cstdint>

namespace bench {

struct Allocations {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// Since the start of the process.
Allocations allocations();

}  // namespace bench

#endif  // HOTPB_BENCH_GRID_ALLOCATIONS_H_
