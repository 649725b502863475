// In a file of its own, because a compiler that inlines only one function of the pair reports a mismatch.
#include "view_allocations.h"

#include <cstdlib>
#include <new>

namespace hotpb_test {
namespace {
thread_local std::size_t allocations_now = 0;
}  // namespace

std::size_t allocation_count() { return allocations_now; }

}  // namespace hotpb_test

void* operator new(std::size_t size) {
  ++hotpb_test::allocations_now;
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) std::abort();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
