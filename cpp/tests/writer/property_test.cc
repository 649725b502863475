// Random messages through the writer: the bytes are the message, for all chunks; and if the room ends (WTR-4), the
// bytes that were written parse. libprotobuf is the oracle.
#include <gtest/gtest.h>

#include <memory>

#include "support/thorough.h"
#include "writer/all_of.h"
#include "writer/bridge.h"
#include "writer/consumer.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::LengthPolicy;

// The number of random messages of each schema: HOTPB_THOROUGH=1 takes more time.
std::uint64_t samples(std::uint64_t quick, std::uint64_t long_run) {
  return thorough() ? long_run : quick;
}

template <class Message, class Writer>
struct Pair {
  using MessageType = Message;
  using WriterType = Writer;
};

template <class T>
class Property : public testing::Test {};
using Schemas = testing::Types<Pair<hotpb::vectors::p2::All, hotpb::vectors::p2::hot::AllWriter>,
                               Pair<hotpb::vectors::p3::All, hotpb::vectors::p3::hot::AllWriter>,
                               Pair<hotpb::vectors::p2::Needs, hotpb::vectors::p2::hot::NeedsWriter>,
                               Pair<hotpb::vectors::p2::Numbers, hotpb::vectors::p2::hot::NumbersWriter>,
                               Pair<hotpb::vectors::p2::MessageSet, hotpb::vectors::p2::hot::MessageSetWriter>>;
TYPED_TEST_SUITE(Property, Schemas);

template <class Message>
void expect_message(const Message& expected, const std::string& bytes, const std::string& name) {
  Message parsed;
  ASSERT_TRUE(parsed.ParsePartialFromString(bytes)) << name << ": " << to_hex(bytes);
  std::string difference;
  EXPECT_TRUE(same_message(expected, parsed, difference)) << name << ": " << difference;
}

// The same random message and the same ways to write it, as often as needed.
template <class Schema>
class Sample {
 public:
  using Message = typename Schema::MessageType;
  using Writer = typename Schema::WriterType;

  explicit Sample(std::uint64_t seed) : seed_(seed) {
    Random random(seed);
    Message filled;
    fill(filled, random, 1 + random.below(30), 4);
    message_.ParsePartialFromString(filled.SerializePartialAsString());  // without duplicate keys of maps
  }
  const Message& message() const { return message_; }

  hotpb::WriteStatus write_to(hotpb::WriteStream& out) const {
    ways() = Random(seed_ + 1);
    Writer writer = out.message<Writer>();
    write(message_, writer);
    return writer.finish();
  }
  std::string contiguous(LengthPolicy policy = LengthPolicy::minimal) const {
    std::vector<std::uint8_t> memory(message_.ByteSizeLong() * 2 + 4096);
    hotpb::FixedBuffer out(memory.data(), memory.size(), policy);
    const hotpb::WriteStatus status = write_to(out);
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(status.valid_len, out.bytes().size());
    return std::string(out.bytes().text());
  }

 private:
  std::uint64_t seed_;
  Message message_;
};

TYPED_TEST(Property, a_contiguous_message_is_the_message) {
  for (std::uint64_t seed = 1; seed <= samples(80, 1000); ++seed) {
    const Sample<TypeParam> sample(seed);
    for (const auto policy : {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal}) {
      expect_message(sample.message(), sample.contiguous(policy), "seed " + std::to_string(seed));
    }
    // In one chunk, no length is padded.
    EXPECT_EQ(sample.contiguous(LengthPolicy::compact), sample.contiguous(LengthPolicy::minimal));
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Property, chunks_that_leave_are_the_message_when_joined_and_patched) {
  std::size_t patches = 0;
  std::size_t short_chunks = 0;
  for (std::uint64_t seed = 1; seed <= samples(80, 1000); ++seed) {
    const Sample<TypeParam> sample(seed);
    for (const auto policy : {hotpb::StreamPolicy::compact, hotpb::StreamPolicy::fixed4}) {
      for (const std::size_t largest : {64u, 65u, 80u, 200u, 4096u}) {
        auto random = std::make_shared<Random>(seed + largest);
        Consumer consumer([&](std::size_t) { return 64 + random->below(largest - 63); });
        hotpb::WriteStream out(consumer, policy);
        const hotpb::WriteStatus status = sample.write_to(out);
        EXPECT_TRUE(status.ok());
        EXPECT_TRUE(consumer.finished());
        EXPECT_EQ(status.valid_len, consumer.bytes().size());
        expect_message(sample.message(), consumer.bytes(), "seed " + std::to_string(seed));
        patches += consumer.patches();
        short_chunks += consumer.short_chunks() > 1;
        if (this->HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(patches, 50u);
  EXPECT_GT(short_chunks, 5u);
}

TYPED_TEST(Property, a_heap_chain_is_the_message_and_minimal_gives_the_same_bytes_in_any_chunks) {
  hotpb::HeapOptions options;
  for (std::uint64_t seed = 1; seed <= samples(80, 1000); ++seed) {
    const Sample<TypeParam> sample(seed);
    Random random(seed);
    for (const auto policy : {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal}) {
      options.policy = policy;
      options.first_chunk = 64 + random.below(200);
      options.largest_chunk = options.first_chunk + random.below(300);
      hotpb::HeapBuffer out(options);
      for (int round = 0; round < 2; ++round) {
        const hotpb::WriteStatus status = sample.write_to(out);
        EXPECT_TRUE(status.ok());
        EXPECT_EQ(status.valid_len, out.size());
        const std::string bytes(out.bytes().text());
        EXPECT_EQ(bytes.size(), out.size());
        expect_message(sample.message(), bytes, "seed " + std::to_string(seed));
        if (policy == LengthPolicy::minimal) {
          EXPECT_EQ(bytes, sample.contiguous());
        }
        if (this->HasFatalFailure()) return;
        out.clear();
      }
    }
  }
}

// The cut output parses, is never longer than the room, and grows with it; with room for all, it is complete.
TYPED_TEST(Property, exhaustion_at_every_byte_of_a_fixed_buffer_leaves_output_that_parses) {
  for (std::uint64_t seed = 1; seed <= samples(10, 200); ++seed) {
    const Sample<TypeParam> sample(seed);
    const std::string whole = sample.contiguous();
    std::uint64_t before = 0;
    for (std::size_t size = 0; size <= whole.size() && size < 3000; ++size) {
      const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[size]);
      hotpb::FixedBuffer out(memory.get(), size);
      const hotpb::WriteStatus status = sample.write_to(out);
      EXPECT_EQ(status.ok(), size == whole.size());
      EXPECT_EQ(status.code, size == whole.size() ? Code::Ok : Code::BufferExhausted);
      ASSERT_LE(status.valid_len, size);
      const std::string all = all_of(out);
      ASSERT_EQ(status.valid_len, all.size());
      EXPECT_EQ(out.bytes().size(), status.ok() ? all.size() : 0);
      EXPECT_GE(status.valid_len, before);
      before = status.valid_len;
      typename TypeParam::MessageType parsed;
      ASSERT_TRUE(parsed.ParsePartialFromString(all)) << seed << " " << size;
    }
  }
}

TYPED_TEST(Property, exhaustion_after_every_number_of_chunks_leaves_output_that_parses) {
  for (std::uint64_t seed = 1; seed <= samples(50, 500); ++seed) {
    const Sample<TypeParam> sample(seed);
    for (const auto policy : {hotpb::StreamPolicy::compact, hotpb::StreamPolicy::fixed4}) {
      for (std::size_t count = 0;; ++count) {
        Random random(seed);
        Consumer consumer([&](std::size_t i) { return i < count ? 64 + random.below(40) : 0; });
        hotpb::WriteStream out(consumer, policy);
        const hotpb::WriteStatus status = sample.write_to(out);
        const std::string bytes = consumer.bytes();
        ASSERT_LE(status.valid_len, bytes.size());
        EXPECT_EQ(consumer.finished(), status.ok() ? count > 0 || bytes.empty() : true);
        if (status.ok()) {
          expect_message(sample.message(), bytes, "seed " + std::to_string(seed));
          break;
        }
        EXPECT_EQ(status.code, Code::BufferExhausted);
        typename TypeParam::MessageType parsed;
        ASSERT_TRUE(parsed.ParsePartialFromString(bytes.substr(0, status.valid_len)))
            << seed << " " << count << " " << to_hex(bytes.substr(0, status.valid_len));
      }
    }
  }
}

// The same for chunks that leave: the room ends at every total of their sizes from 64 bytes up.
TYPED_TEST(Property, exhaustion_at_every_byte_of_chunks_that_leave_gives_output_that_parses) {
  for (std::uint64_t seed = 1; seed <= samples(5, 200); ++seed) {
    const Sample<TypeParam> sample(seed);
    const auto policy = seed % 2 == 0 ? hotpb::StreamPolicy::compact : hotpb::StreamPolicy::fixed4;
    bool whole = false;
    for (std::size_t total = 64; !whole && total < 3000; ++total) {
      Consumer consumer([&](std::size_t i) { return i == 0 ? 64 + total % 64 : i < total / 64 ? 64 : 0; });
      hotpb::WriteStream out(consumer, policy);
      const hotpb::WriteStatus status = sample.write_to(out);
      EXPECT_TRUE(consumer.finished());
      whole = status.ok();
      EXPECT_EQ(status.code, whole ? Code::Ok : Code::BufferExhausted);
      const std::string bytes = consumer.bytes();
      ASSERT_LE(bytes.size(), total);
      ASSERT_LE(status.valid_len, bytes.size());
      typename TypeParam::MessageType parsed;
      ASSERT_TRUE(parsed.ParsePartialFromString(bytes.substr(0, status.valid_len))) << seed << " " << total;
    }
  }
}

// The limit of a heap buffer, at every size: the same promise for chunks that are kept, where `minimal` moves bytes.
TYPED_TEST(Property, a_limited_heap_buffer_leaves_output_that_parses) {
  for (std::uint64_t seed = 1; seed <= samples(25, 300); ++seed) {
    const Sample<TypeParam> sample(seed);
    const std::size_t size = sample.contiguous().size();
    for (const auto policy : {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal}) {
      for (std::size_t limit = 64; limit < size && limit < 4000; limit += 1 + limit / 40) {
        hotpb::HeapOptions options;
        options.policy = policy;
        options.first_chunk = options.largest_chunk = 64;
        options.limit = limit;
        hotpb::HeapBuffer out(options);
        const hotpb::WriteStatus status = sample.write_to(out);
        EXPECT_EQ(status.code, Code::BufferExhausted);
        EXPECT_TRUE(out.bytes().empty() && !out.bytes().ok());
        const std::string bytes = all_of(out);
        ASSERT_EQ(status.valid_len, bytes.size());
        ASSERT_LE(bytes.size(), limit);
        typename TypeParam::MessageType parsed;
        ASSERT_TRUE(parsed.ParsePartialFromString(bytes.substr(0, status.valid_len))) << seed << " " << limit;
      }
    }
  }
}

}  // namespace
}  // namespace hotpb_test
