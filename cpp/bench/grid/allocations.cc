#include "grid/allocations.h"

#include <cstdlib>
#include <new>

namespace bench {
namespace {
Allocations total;
}

Allocations allocations() { return total; }

}  // namespace bench

void* operator new(std::size_t size) {
  ++bench::total.count;
  bench::total.bytes += size;
  void* const memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
