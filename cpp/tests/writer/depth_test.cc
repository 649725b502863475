// HOTPB_WRITER_DEPTH=8 (WTR-17): smaller buffers, which refuse level 9. WRT-12 with the usual limit has vectors.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "hotpb/chunk/ostream.h"
#include "hotpb/vectors.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::vectors::p3::hot::ChildWriter;

static_assert(HOTPB_WRITER_DEPTH == 8 && hotpb::kMaxWriterDepth == 8);
static_assert(sizeof(hotpb::FixedBuffer) <= 800, "5,208 bytes with 100 levels");

// A message with `depth` levels below it, each of which has a long name, so that lengths grow.
template <class Buffer>
hotpb::WriteStatus nested(Buffer& out, std::size_t depth, std::size_t name, bool delimited = false) {
  std::vector<ChildWriter> open;
  open.push_back(delimited ? out.template delimited<ChildWriter>() : out.template message<ChildWriter>());
  for (std::size_t i = 0; i < depth; ++i) {
    open.push_back(open.back().set_child());
    open.back().set_name(std::string(name, 'n'));
  }
  while (open.size() > 1) open.pop_back();
  return open[0].finish();
}

TEST(Depth, eight_levels_fit_and_the_ninth_does_not) {
  for (const auto policy : {hotpb::LengthPolicy::compact, hotpb::LengthPolicy::fixed4, hotpb::LengthPolicy::minimal}) {
    for (const bool delimited : {false, true}) {
      for (const std::size_t name : {1u, 200u, 5000u}) {
        hotpb::HeapOptions options;
        options.policy = policy;
        hotpb::HeapBuffer heap(options);
        for (int i = 0; i < 40; ++i) EXPECT_TRUE(nested(heap, 8, name, delimited).ok());  // it learns lengths meanwhile
        EXPECT_GT(heap.size(), 8 * name);
        heap.clear();
        EXPECT_EQ(nested(heap, 9, name, delimited).code, Code::DepthExceeded);
        std::vector<std::uint8_t> memory(100000);
        hotpb::FixedBuffer fixed(memory.data(), memory.size(), policy);
        EXPECT_TRUE(nested(fixed, 8, name, delimited).ok());
        fixed.clear();
        EXPECT_EQ(nested(fixed, 9, name, delimited).code, Code::DepthExceeded);
      }
    }
  }
}

TEST(Depth, a_packed_record_is_no_level) {
  std::uint8_t memory[100];
  hotpb::FixedBuffer out(memory, sizeof memory);
  std::vector<ChildWriter> open;
  open.push_back(out.message<ChildWriter>());
  for (int i = 0; i < 8; ++i) open.push_back(open.back().set_child());
  open.back().packed_numbers().add(1);
  while (open.size() > 1) open.pop_back();
  EXPECT_TRUE(open[0].finish().ok());
  EXPECT_EQ(to_hex(hotpb::Bytes(out.bytes()).text()), "1a111a0f1a0d1a0b1a091a071a051a03220101");
}

}  // namespace
}  // namespace hotpb_test
