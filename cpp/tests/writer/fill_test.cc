// Stale memory: the same calls write the same bytes, whatever the memory contained. Random messages with errors
// half-way are written under two patterns (HOTPB_DEBUG_FILL), and all bytes are compared that a consumer can see.
namespace {
int pattern = 0;
}
#define HOTPB_DEBUG_FILL pattern
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "collector.h"
#include "hotpb/chunk/ostream.h"
#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "support/support.h"
#include "writer/all_of.h"

namespace hotpb_test {
namespace {

using hotpb::vectors::p2::hot::All_DataWriter;
using hotpb::vectors::p2::hot::AllWriter;
using hotpb::vectors::p2::hot::ChildWriter;

// Children of all sizes, with some misuse and some callables that throw.
void fill(AllWriter& out, AllWriter& root, Random& random, int depth) {
  const std::size_t fields = random.below(8);
  for (std::size_t i = 0; i < fields; ++i) {
    const std::string text(random.one_in(3) ? random.below(400) : random.below(20), 't');
    switch (random.below(depth > 0 ? 12 : 6)) {
      case 0: out.set_single_uint64(random.varied()); break;
      case 1: out.set_single_string(text); break;
      case 2: out.set_single_double(1.5); break;
      case 3: out.add_key_string(text, text); break;
      case 4: {
        auto packed = out.packed_packed_int32();
        for (std::size_t n = random.below(100); n > 0; --n) packed.add(static_cast<std::int32_t>(random.varied()));
        break;
      }
      case 5:
        if (random.one_in(20)) root.set_single_int32(1);  // misuse inside a callable, or it ends the handles inside
        break;
      case 6: out.add_value_child(7).set_name(text); break;
      case 7: {
        All_DataWriter group = out.set_data();
        group.set_single_int32(1);
        if (random.one_in(2)) group.set_single_string(text);
        break;
      }
      case 8:
        out.set_single_all([&](AllWriter& child) {
          fill(child, root, random, depth - 1);
          if (random.one_in(20)) throw 1;
        });
        break;
      default: {
        auto child = out.set_single_all();
        fill(child, root, random, depth - 1);
        break;
      }
    }
  }
}

// Three messages from one seed; the status has the errors.
void write(hotpb::WriteStream& out, std::uint64_t seed, std::string& log) {
  Random random(seed);
  for (int i = 0; i < 3; ++i) {
    try {
      auto root = random.one_in(2) ? out.message<AllWriter>() : out.delimited<AllWriter>();
      fill(root, root, random, 5);
      if (random.one_in(2)) static_cast<void>(root.finish());
    } catch (int) {
    }
    const hotpb::WriteStatus status = out.status();
    log += std::to_string(static_cast<int>(status.code)) + "@" + std::to_string(status.valid_len) + " ";
    if (random.one_in(2)) out.reset();
  }
  log += std::to_string(static_cast<int>(out.flush().code)) + "\n";
}

std::string into_fixed(std::uint64_t seed, hotpb::LengthPolicy policy) {
  std::vector<std::uint8_t> memory(seed % 3 == 0 ? 100000 : seed % 3000);
  hotpb::FixedBuffer out(memory.data(), memory.size(), policy);
  std::string seen;
  for (int round = 0; round < 2; ++round) {
    write(out, seed + static_cast<std::uint64_t>(round), seen);
    seen += all_of(out);
    out.clear();
  }
  return seen;
}

std::string into_heap(std::uint64_t seed, hotpb::LengthPolicy policy) {
  hotpb::HeapOptions options;
  options.policy = policy;
  options.first_chunk = 64 + seed % 100;
  options.largest_chunk = 64 + seed % 1000;
  if (seed % 3 != 0) options.limit = seed % 5000;
  hotpb::HeapBuffer out(options);
  std::string seen;
  for (int round = 0; round < 2; ++round) {
    write(out, seed + static_cast<std::uint64_t>(round), seen);
    seen += all_of(out);
    out.clear();
  }
  return seen;
}

// Chunks as they leave, with those of failed messages.
std::string into_chunks(std::uint64_t seed, hotpb::StreamPolicy policy) {
  Random random(seed);
  const std::size_t count = seed % 3 == 0 ? 100000 : seed % 40;
  std::string seen;
  Collector chunks([&](std::size_t i) { return i < count ? 64 + random.below(100) : 0; });
  {
    hotpb::WriteStream out(chunks, policy);
    write(out, seed, seen);
  }
  for (const Collector::Left& chunk : chunks.chunks()) seen += chunk.as_left + chunk.bytes;
  return seen;
}

std::string into_stream(std::uint64_t seed, hotpb::StreamPolicy policy) {
  std::ostringstream file;
  std::string seen;
  {
    hotpb::OstreamWriter out(file, 64 + seed % 200, policy);
    write(out, seed, seen);
  }
  return seen + file.str();
}

void expect_same(const char* name, std::uint64_t seed, const std::function<std::string()>& run) {
  pattern = 0xa5;
  const std::string first = run();
  pattern = 0x5b;
  EXPECT_EQ(to_hex(run()), to_hex(first)) << name << ", seed " << seed;
}

TEST(StaleMemory, is_in_no_output_whatever_goes_wrong) {
  using hotpb::LengthPolicy;
  using hotpb::StreamPolicy;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    for (const auto policy : {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal}) {
      expect_same("fixed", seed, [&] { return into_fixed(seed, policy); });
      expect_same("heap", seed, [&] { return into_heap(seed, policy); });
    }
    for (const auto policy : {StreamPolicy::compact, StreamPolicy::fixed4}) {
      expect_same("chunks", seed, [&] { return into_chunks(seed, policy); });
      expect_same("stream", seed, [&] { return into_stream(seed, policy); });
    }
    if (HasFailure()) break;
  }
}

// Checks that the pattern would be visible.
TEST(StaleMemory, is_filled) {
  pattern = 0xa5;
  std::uint8_t memory[100] = {};
  hotpb::FixedBuffer out(memory, sizeof memory);
  EXPECT_EQ(memory[0], 0xa5);
  EXPECT_EQ(memory[99], 0xa5);
}

}  // namespace
}  // namespace hotpb_test
