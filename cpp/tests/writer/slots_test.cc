// Slots that expect long children (writer/stream.h): whatever was written before, the next message has the same bytes,
// the same chunks and the same end as in a buffer that expects nothing.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/chunk/callback.h"
#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "support/support.h"
#include "support/thorough.h"
#include "writer/all_of.h"
#include "writer/consumer.h"

namespace hotpb_test {
namespace {

using hotpb::LengthPolicy;
using hotpb::vectors::p3::hot::ChildWriter;

using Twister = std::mt19937;

// Lengths that need one, two and three bytes, and their neighbours.
std::string text(Twister& random) {
  static constexpr std::size_t kSizes[] = {0, 3, 120, 125, 126, 127, 128, 130, 300, 16379, 16384, 17000};
  return std::string(kSizes[random() % 12], 'x');
}

// Children, their children and so on. Some end because their parent is written, some by themselves.
void fill(ChildWriter& out, Twister& random, int depth) {
  const unsigned fields = random() % 4;
  for (unsigned i = 0; i < fields; ++i) {
    switch (random() % 5) {
      case 0: out.set_id(static_cast<std::int32_t>(random() % 300) - 100); break;
      case 1: out.set_name(text(random)); break;
      case 2: {
        const std::string key = text(random).substr(0, 200);
        out.add_counts(key, 7);
        break;
      }
      default: {
        if (depth == 0) break;
        auto child = out.add_children();
        fill(child, random, depth - 1);
        if (random() % 2 == 0) out.set_id(1);
      }
    }
  }
}

// Long children at every level, so that every level expects long ones.
void expect_long(ChildWriter& out, std::size_t size, int depth) {
  if (depth == 0) return out.set_name(std::string(size, 'y'));
  auto child = out.add_children();
  expect_long(child, size, depth - 1);
}

template <class Buffer>
void train(Buffer& out, Twister& random) {
  for (int i = 0; i < 3; ++i) {
    auto root = out.template message<ChildWriter>();
    expect_long(root, random() % 2 == 0 ? 200 : 17000, 5);
  }
}

struct Outcome {
  hotpb::WriteStatus status;
  std::string bytes;
  bool operator==(const Outcome& right) const {
    return status.code == right.status.code && status.valid_len == right.status.valid_len && bytes == right.bytes;
  }
};

template <class Buffer>
Outcome write(Buffer& out, unsigned seed) {
  Twister random(seed);
  {
    auto root = out.template message<ChildWriter>();
    fill(root, random, 5);
    if (out.ok()) static_cast<void>(root.finish());
  }
  return {out.status(), all_of(out)};
}

TEST(Slots, a_fixed_buffer_writes_the_same_whatever_it_expects_and_wherever_it_ends) {
  Twister random(1);
  std::vector<std::uint8_t> large(1 << 20), memory(1 << 20), memory2(1 << 20);
  std::size_t wrong = 0, longer = 0;
  const unsigned seeds = thorough() ? 3000 : 300;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    hotpb::FixedBuffer fresh(memory.data(), memory.size());
    const Outcome expected = write(fresh, seed);
    ASSERT_TRUE(expected.status.ok());
    hotpb::FixedBuffer trained(large.data(), large.size());
    train(trained, random);
    trained.clear(memory2.data(), memory2.size());
    wrong += !(write(trained, seed) == expected);
    longer += expected.bytes.size() > 200;
    // Exactly the needed room is enough; less room is exhausted at the same place.
    for (std::size_t room : {expected.bytes.size(), expected.bytes.size() - random() % 40,
                             expected.bytes.size() - random() % 400, random() % (expected.bytes.size() + 1)}) {
      if (room > expected.bytes.size()) continue;
      trained.clear(large.data(), large.size());
      train(trained, random);
      trained.clear(memory2.data(), room);
      hotpb::FixedBuffer cut(memory.data(), room);
      wrong += !(write(trained, seed) == write(cut, seed));
    }
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(longer, seeds / 6);
}

TEST(Slots, a_heap_buffer_writes_the_same_whatever_it_expects) {
  Twister random(2);
  for (const LengthPolicy policy : {LengthPolicy::compact, LengthPolicy::minimal, LengthPolicy::fixed4}) {
    for (unsigned seed = 0; seed < (thorough() ? 1500u : 200u); ++seed) {
      hotpb::HeapOptions options;
      options.policy = policy;
      options.first_chunk = 64 + random() % 512;
      options.largest_chunk = 1024;
      hotpb::HeapBuffer fresh(options), trained(options);
      const Outcome expected = write(fresh, seed);
      train(trained, random);
      trained.clear();
      ASSERT_TRUE(write(trained, seed) == expected) << seed;
      ASSERT_EQ(trained.chunks().size(), fresh.chunks().size());
      for (std::size_t i = 0; i < fresh.chunks().size(); ++i) {
        ASSERT_EQ(trained.chunks()[i].size(), fresh.chunks()[i].size());
      }
    }
  }
}

TEST(Slots, a_group_in_a_slot_that_becomes_narrow_is_cut_off_at_its_start) {
  using hotpb::vectors::p2::hot::AllWriter;
  std::vector<std::uint8_t> large(100000);
  std::size_t cut = 0;
  for (std::size_t room = 0; room < 90; ++room) {
    const auto write_group = [&](hotpb::FixedBuffer& out) {
      out.clear(large.data(), room);
      {
        auto message = out.delimited<AllWriter>();
        message.set_single_int32(1);
        auto item = message.add_item();
        for (int i = 0; i < 10; ++i) item.add_part().set_id(1000);
      }
      return Outcome{out.status(), all_of(out)};
    };
    hotpb::FixedBuffer fresh(large.data(), large.size());
    const Outcome expected = write_group(fresh);
    cut += expected.status.ok() ? 0 : 1;
    hotpb::FixedBuffer trained(large.data(), large.size());
    for (int i = 0; i < 3; ++i) {
      auto root = trained.message<AllWriter>();
      root.set_single_child().set_name(std::string(300, 'z'));
    }
    EXPECT_TRUE(write_group(trained) == expected) << room;
  }
  EXPECT_GT(cut, 20u);
  EXPECT_LT(cut, 90u);
}

}  // namespace
}  // namespace hotpb_test
