// In steady state a writer allocates nothing (WTR-1): operator new is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "hotpb/chunk_callback.h"
#include "hotpb/vectors.hot.h"

namespace {
std::size_t allocations = 0;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // new is malloc() here, which gcc sees only half of
#endif

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace hotpb_test {
namespace {

using hotpb::vectors::p3::hot::ChildWriter;

void write_event(hotpb::WriteStream& out, std::string_view text) {
  auto root = out.message<ChildWriter>();
  root.set_id(-1);
  for (int i = 0; i < 20; ++i) {
    auto child = root.add_children();
    child.set_name(text);
    child.add_counts(text, i);
    child.set_child([&](ChildWriter& grandchild) {
      auto numbers = grandchild.packed_numbers();
      for (int j = 0; j < 50; ++j) numbers.add(j * 1000);
    });
  }
  EXPECT_TRUE(root.finish().ok());
}

TEST(Allocations, a_heap_buffer_that_has_grown_allocates_no_more) {
  const std::string text(100, 'x');
  hotpb::HeapBuffer out;
  for (int i = 0; i < 3; ++i) {
    out.clear();
    write_event(out, text);
  }
  const std::size_t before = allocations;
  EXPECT_GT(before, 0u);
  for (int i = 0; i < 1000; ++i) {
    out.clear();
    write_event(out, text);
  }
  EXPECT_EQ(allocations, before);
}

TEST(Allocations, patches_of_chunks_that_left_allocate_nothing) {
  const std::string text(100, 'x');
  std::uint8_t ring[4][64];
  std::uint64_t id = 0;
  std::size_t patches = 0;
  hotpb::CallbackSource source(
      [&](std::uint64_t, std::size_t, std::uint32_t) {
        ++id;
        return hotpb::Chunk{id, ring[id % 4], sizeof ring[0]};
      },
      [&](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) { ++patches; },
      [](std::uint64_t, std::size_t) {});
  hotpb::WriteStream out(source);
  const std::size_t before = allocations;
  for (int i = 0; i < 1000; ++i) write_event(out, text);
  EXPECT_EQ(allocations, before);
  EXPECT_GT(patches, 10000u);
}

}  // namespace
}  // namespace hotpb_test
