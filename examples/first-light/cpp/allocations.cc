// Counts the allocations of the program. (In a file of its own, because a compiler that inlines only one function of
// the pair reports a mismatch.)
#include <cstdlib>
#include <new>

#include "timing.h"

namespace first_light {
namespace {
std::uint64_t count = 0;  // the program has one thread
}  // namespace

std::uint64_t allocation_count() { return count; }

}  // namespace first_light

void* operator new(std::size_t size) {
  ++first_light::count;
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) std::abort();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
