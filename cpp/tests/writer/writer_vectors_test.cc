// The writer vectors: scripts of calls, and the bytes and chunks that they must produce (spec/wire.md, sections 10 and
// 11).
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collector.h"
#include "hotpb/chunk/callback.h"
#include "support/vectors.h"
#include "writer/script.h"

namespace hotpb_test {
namespace {

using hotpb::LengthPolicy;
using hotpb::StreamPolicy;
using hotpb::WriteStatus;

LengthPolicy policy_of(const Json& vector) {
  const std::string& name = vector.at("policy").string;
  if (name == "fixed4") return LengthPolicy::fixed4;
  return name == "minimal" ? LengthPolicy::minimal : LengthPolicy::compact;
}

StreamPolicy stream_policy(const Json& vector) {
  EXPECT_NE(policy_of(vector), LengthPolicy::minimal) << "needs chunks that stay";
  return policy_of(vector) == LengthPolicy::fixed4 ? StreamPolicy::fixed4 : StreamPolicy::compact;
}

WriteStatus run(const Json& vector, hotpb::WriteStream& out) {
  {
    Script script(out, vector.at("message").string);
    script.run(vector.at("calls"));
  }
  return out.status();
}

void expect_status(const Json& vector, const WriteStatus& status) {
  const std::string code = vector.has("error") ? vector.at("error").at("code").string : "Ok";
  EXPECT_EQ(hotpb::code_name(status.code), code);
  EXPECT_EQ(status.valid_len, static_cast<std::uint64_t>(vector.at("valid_len").integer));
}

// `size_of(i)` for the sizes of a vector: a list, after which there is none, or one size for all.
std::size_t size_of(const Json& sizes, std::size_t index) {
  if (sizes.kind == Json::Kind::Int) return static_cast<std::size_t>(sizes.integer);
  return index < sizes.array.size() ? static_cast<std::size_t>(sizes.array[index].integer) : 0;
}

// `output` is all that was written; the buffer returns the messages of it that are whole.
template <class Buffer>
void expect_output(const Json& vector, Buffer& out) {
  const std::string& output = vector.at("output").string;
  const std::string whole = to_hex(out.bytes().text());
  const std::string partial = to_hex(out.partial_bytes().text());
  EXPECT_EQ(out.bytes().ok(), !vector.has("error"));
  EXPECT_EQ(out.bytes().status().code, out.status().code);
  EXPECT_EQ(whole + partial, output.substr(0, whole.size() + partial.size()));
  if (!vector.has("error")) {
    EXPECT_EQ(whole, output);
  } else if (!partial.empty()) {  // the failed message was open
    EXPECT_EQ(whole.size(), 2 * out.message_start());
    EXPECT_EQ(partial.size(), 2 * out.status().valid_len);
  }
  out.reset();  // discards the failed message
  EXPECT_TRUE(out.bytes().ok());
  EXPECT_EQ(to_hex(out.bytes().text()), whole);
}

void fixed(const Json& vector, std::size_t size) {
  const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[size]);
  hotpb::FixedBuffer out(memory.get(), size, policy_of(vector));
  expect_status(vector, run(vector, out));
  expect_output(vector, out);
}

void heap(const Json& vector, std::size_t size) {
  hotpb::HeapOptions options;
  options.policy = policy_of(vector);
  options.first_chunk = options.largest_chunk = size;
  hotpb::HeapBuffer out(options);
  expect_status(vector, run(vector, out));
  expect_output(vector, out);
}

void chunks(const Json& vector, const Json& sizes) {
  Collector collector([&](std::size_t index) { return size_of(sizes, index); });
  {
    hotpb::WriteStream out(collector, stream_policy(vector));
    expect_status(vector, run(vector, out));
  }
  EXPECT_TRUE(collector.sound());
  EXPECT_TRUE(vector.has("error") || collector.end().ok());
  EXPECT_EQ(to_hex(collector.joined()), vector.at("output").string);
  const std::vector<Json>& wanted = vector.at("chunks").array;
  ASSERT_EQ(collector.chunks().size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(to_hex(collector.chunks()[i].as_left), wanted[i].at("bytes").string) << "chunk " << i;
    EXPECT_EQ(collector.chunks()[i].open_slots, wanted[i].at("open_slots").integer) << "chunk " << i;
  }
  const std::vector<Json>& patches = vector.at("patches").array;
  ASSERT_EQ(collector.patches().size(), patches.size());
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const Collector::Patch& patch = collector.patches()[i];
    EXPECT_EQ(patch.chunk, static_cast<std::size_t>(patches[i].at("chunk").integer)) << "patch " << i;
    EXPECT_EQ(patch.offset, static_cast<std::size_t>(patches[i].at("offset").integer)) << "patch " << i;
    EXPECT_EQ(to_hex(patch.bytes), patches[i].at("bytes").string) << "patch " << i;
    EXPECT_EQ(patch.still_open, patches[i].at("still_open").integer) << "patch " << i;
  }
}

// An output that is too large to be stored.
void discarded(const Json& vector, const Json& sizes) {
  std::unique_ptr<std::uint8_t[]> memory;
  std::size_t count = 0;
  hotpb::CallbackSource source(
      [&](std::uint64_t, std::size_t, std::uint32_t) {
        const std::size_t size = size_of(sizes, count);
        if (memory == nullptr) memory.reset(new std::uint8_t[size]);
        return hotpb::Chunk{count++, memory.get(), size};
      },
      [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {}, [](std::uint64_t, std::size_t) {});
  hotpb::WriteStream out(source, stream_policy(vector));
  expect_status(vector, run(vector, out));
}

TEST(WriterVectors, scripts_of_calls_give_their_chunks_patches_and_errors) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("writer")) {
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const Json& into = vector.at("into");
    if (into.has("fixed")) {
      fixed(vector, static_cast<std::size_t>(into.at("fixed").integer));
    } else if (into.has("heap")) {
      heap(vector, static_cast<std::size_t>(into.at("heap").integer));
    } else if (vector.has("output")) {
      chunks(vector, into.at("chunks"));
    } else {
      discarded(vector, into.at("chunks"));
    }
  }
  EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace hotpb_test
