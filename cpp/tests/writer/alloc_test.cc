// A warm writer allocates nothing (WTR-1): the test counts operator new. If operator new throws, at any allocation, the
// writer reports it as a status.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <sstream>
#include <string>

#include "hotpb/chunk/callback.h"
#include "hotpb/chunk/ostream.h"
#include "hotpb/vectors.hot.h"
#include "writer/all_of.h"

namespace {
std::size_t allocations = 0;
std::size_t fails_at = ~std::size_t{0};  // this allocation throws, and all after it
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // new is malloc() here, and gcc sees only half of it
#endif

void* operator new(std::size_t size) {
  if (++allocations > fails_at) throw std::bad_alloc();
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return ++allocations > fails_at ? nullptr : std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

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

// Calls `write` with room for n allocations, for each n until that is enough. `write` returns whether it was enough.
template <class Write>
std::size_t allocations_needed(Write write) {
  std::size_t n = 0;
  while (!write(n)) ++n;
  return n;
}
// Allows no more than `n` allocations from here on.
void allow(std::size_t n) { fails_at = allocations + n; }
void allow_all() { fails_at = ~std::size_t{0}; }

TEST(Allocations, a_heap_buffer_that_gets_no_memory_is_exhausted) {
  const std::string text(300, 'x');
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  const std::size_t needed = allocations_needed([&](std::size_t n) {
    hotpb::HeapBuffer out(options);
    allow(n);
    hotpb::WriteStatus status;
    {
      auto root = out.message<ChildWriter>();
      root.set_id(1);
      root.set_child([&](ChildWriter& child) { child.set_name(text); });
      root.set_name(text);
      status = root.finish();
    }
    allow_all();
    EXPECT_EQ(out.ok(), status.ok());
    EXPECT_EQ(out.bytes().ok(), status.ok());
    const std::string all = all_of(out);
    EXPECT_EQ(all.size(), status.valid_len);
    EXPECT_TRUE(parses(std::string_view(all)));
    return status.ok();
  });
  EXPECT_GT(needed, 10u);
}

TEST(Allocations, an_ostream_writer_that_gets_no_memory_is_exhausted) {
  const std::string text(300, 'x');
  const std::size_t needed = allocations_needed([&](std::size_t n) {
    std::ostringstream file;
    file << std::string(2000, ' ');  // so that the stream has the memory that it needs later
    file.seekp(0);
    hotpb::WriteStatus status;
    {
      hotpb::OstreamWriter out(file, 64);
      allow(n);
      {
        auto root = out.message<ChildWriter>();
        root.set_id(1);
        root.set_child([&](ChildWriter& child) { child.set_name(text); });
        root.set_name(text);
        status = root.finish();
      }
      EXPECT_EQ(out.ok(), status.ok());
      allow_all();
    }
    EXPECT_TRUE(status.ok() || status.code == hotpb::Code::BufferExhausted);
    return status.ok();
  });
  EXPECT_GT(needed, 3u);
}

}  // namespace
}  // namespace hotpb_test
