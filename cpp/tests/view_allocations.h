// Counts the allocations of this thread, in programs that link view_allocations.cc.
#ifndef HOTPB_TESTS_VIEW_ALLOCATIONS_H_
#define HOTPB_TESTS_VIEW_ALLOCATIONS_H_

#include <cstddef>

namespace hotpb_test {

std::size_t allocation_count();

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_VIEW_ALLOCATIONS_H_
