// The vectors of all faces through the writer: the generated writer writes what the view reads, in chunks of random
// sizes and by every policy. Read again, it is the canonical message.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collector.h"
#include "hotpb_test/reencode.h"
#include "hotpb_test/rewrite.h"
#include "lists.h"
#include "support/thorough.h"
#include "support/vectors.h"

namespace hotpb_test {
namespace {

using hotpb::LengthPolicy;

struct Written {
  hotpb::Error error;
  hotpb::WriteStatus status;
  std::string bytes;
};

Written rewrite(const hotpb::rewrite::Rewriter& message, hotpb::Bytes input, const hotpb::ReadOptions& options,
                LengthPolicy policy, Random& random) {
  Written result;
  hotpb::rewrite::Ways ways(random.bits());
  if (policy == LengthPolicy::minimal) {
    hotpb::HeapOptions heap;
    heap.policy = policy;
    heap.first_chunk = heap.largest_chunk = 64 + random.below(200);
    hotpb::HeapBuffer out(heap);
    result.error = message.rewrite(input, options, true, out, ways, result.status);
    EXPECT_EQ(out.append_to(result.bytes).ok(), result.status.ok());
    return result;
  }
  Collector collector([&](std::size_t) { return 64 + (random.one_in(2) ? random.below(20) : random.below(4033)); });
  {
    hotpb::WriteStream out(collector, policy == LengthPolicy::fixed4 ? hotpb::StreamPolicy::fixed4
                                                                     : hotpb::StreamPolicy::compact);
    result.error = message.rewrite(input, options, true, out, ways, result.status);
  }
  EXPECT_TRUE(!result.error.ok() || collector.sound());
  result.bytes = collector.joined();
  return result;
}

constexpr LengthPolicy kPolicies[] = {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal};

TEST(Rewrite, what_a_view_reads_its_writer_writes) {
  Random random;
  std::size_t count = 0;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "view") || vector.has("exceptions")) continue;
    SCOPED_TRACE(vector.at("name").string);
    const std::string& name = vector.at("message").string;
    const hotpb::rewrite::Rewriter* const message = find<hotpb::rewrite::Rewriter>(name);
    ASSERT_NE(message, nullptr) << name;
    ++count;
    const hotpb::ReadOptions options = vector_options(vector);
    const Exact input(from_hex(vector.at("input").string));
    for (const LengthPolicy policy : kPolicies) {
      // One policy in turn; HOTPB_THOROUGH=1 takes more time.
      if (!thorough() && policy != kPolicies[count % 3]) continue;
      const Written written = rewrite(*message, input.bytes(), options, policy, random);
      EXPECT_EQ(hotpb::to_string(written.error), "Ok");
      // A reader with a larger limit than the writer's hundred levels.
      if (options.depth > hotpb::kMaxWriterDepth && written.status.code == hotpb::Code::DepthExceeded) continue;
      EXPECT_EQ(hotpb::code_name(written.status.code), "Ok");
      EXPECT_EQ(written.status.valid_len, written.bytes.size());
      std::string canonical;
      const hotpb::Error error =
          find<hotpb::view::Reencoder>(name)->reencode(std::string_view(written.bytes), options, true, canonical);
      EXPECT_EQ(hotpb::to_string(error), "Ok") << to_hex(written.bytes);
      EXPECT_EQ(to_hex(canonical), vector.at("canonical").string) << to_hex(written.bytes);
    }
  }
  EXPECT_GT(count, 1000u);
}

}  // namespace
}  // namespace hotpb_test
