// Messages of hundreds of megabytes and streams of gigabytes. They take seconds and half a gigabyte of memory, so only
// cpp/check-all.sh runs them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hotpb/chunk/callback.h"
#include "hotpb/vectors.hot.h"
#include "hotpb/wire/reader.h"
#include "hotpb/writer.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::kMaxNestedSize;
using hotpb::LengthPolicy;
using hotpb::vectors::p3::hot::ChildWriter;

constexpr std::uint64_t kMiB = 1u << 20;

// A field of `size` bytes, with tag and length.
void put_field(ChildWriter& writer, std::uint64_t size) {
  static const std::string text(kMiB, 'x');
  for (std::uint64_t header = 2; header < 6; ++header) {
    const std::uint64_t length = size - header;
    if (1 + hotpb::wire::varint_size(length) == header) {
      return writer.set_name(std::string_view(text).substr(0, static_cast<std::size_t>(length)));
    }
  }
  FAIL() << size << " is no size of a field";
}

// `size` bytes of fields, in pieces of a MiB.
void put_fields(ChildWriter& writer, std::uint64_t size) {
  for (; size > 2 * kMiB; size -= kMiB) put_field(writer, kMiB);
  put_field(writer, size / 2);
  put_field(writer, size - size / 2);
}

// The sum of the sizes of all names, in all levels; the bytes must be a Child.
std::uint64_t sum_of_names(hotpb::Bytes bytes) {
  std::uint64_t sum = 0;
  hotpb::wire::Reader fields(bytes);
  while (fields.next()) {
    if (fields.number() == 2) sum += fields.as_bytes().size();
    if (fields.number() == 3 || fields.number() == 9) sum += sum_of_names(fields.as_bytes());
  }
  EXPECT_TRUE(fields.ok());
  return sum;
}

TEST(Large, a_message_of_300_mb_in_two_children) {
  std::vector<std::uint8_t> memory(300 * kMiB);
  hotpb::FixedBuffer out(memory.data(), memory.size());
  auto root = out.message<ChildWriter>();
  for (int i = 0; i < 2; ++i) {
    auto child = root.add_children();
    put_fields(child, 149 * kMiB);
  }
  EXPECT_TRUE(root.finish().ok());
  EXPECT_GT(out.bytes().size(), 298 * kMiB);
  EXPECT_GT(sum_of_names(out.bytes()), 297 * kMiB);
}

TEST(Large, a_message_of_300_mb_in_one_child_is_refused_and_the_error_stays) {
  for (const LengthPolicy policy : {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal}) {
    hotpb::HeapOptions options;
    options.policy = policy;
    hotpb::HeapBuffer out(options);
    {
      auto root = out.message<ChildWriter>();
      auto child = root.set_child();
      for (int i = 0; i < 300; ++i) put_field(child, kMiB);
      root.set_id(1);
      EXPECT_EQ(root.finish().code, Code::SizeExceeded);
    }
    const std::uint64_t valid = out.status().valid_len;
    EXPECT_EQ(valid, 255 * kMiB + 5);
    EXPECT_TRUE(out.bytes().empty());
    EXPECT_EQ(sum_of_names(out.partial_bytes()), 255 * (kMiB - 4));
  }
}

// One byte more or less than the limit, in chunks around the window in which the writer does not check the limit.
TEST(Large, a_child_of_exactly_the_largest_size_in_one_chunk) {
  std::vector<std::uint8_t> memory(kMaxNestedSize + 1000);
  for (const std::uint64_t levels : {1u, 2u, 5u}) {
    hotpb::FixedBuffer out(memory.data(), memory.size());
    std::vector<ChildWriter> open;
    open.push_back(out.message<ChildWriter>());
    for (std::uint64_t i = 0; i < levels; ++i) open.push_back(open.back().set_child());
    // The tag and the four bytes of length of each level inside of the first one.
    put_fields(open.back(), kMaxNestedSize - 5 * (levels - 1));
    EXPECT_TRUE(out.ok()) << levels;
    open.back().set_id(1);
    EXPECT_EQ(out.status().code, Code::SizeExceeded) << levels;
    while (!open.empty()) open.pop_back();
    EXPECT_EQ(out.status().valid_len, kMaxNestedSize + 5);
    EXPECT_GT(sum_of_names(out.partial_bytes()), 255 * kMiB);
  }
}

TEST(Large, the_limit_is_found_whatever_the_chunks_are) {
  const std::uint64_t window = kMiB * 128;
  std::vector<std::uint8_t> memory(2 * window + 100);
  for (const std::uint64_t size :
       {64 * kMiB, window - 1, window, window + 1, 2 * window - 1, 2 * window, 2 * window + 100}) {
    for (const auto policy : {hotpb::StreamPolicy::compact, hotpb::StreamPolicy::fixed4}) {
      std::uint64_t id = 0;
      std::vector<std::uint8_t> last_patch(4);
      hotpb::CallbackSource source(
          [&](std::uint64_t, std::size_t, std::uint32_t) { return hotpb::Chunk{++id, memory.data(), size}; },
          [&](std::uint64_t, std::size_t, const std::uint8_t(&bytes)[4], std::uint32_t) {
            last_patch.assign(bytes, bytes + 4);
          },
          [](std::uint64_t, std::size_t) {});
      hotpb::WriteStream out(source, policy);
      auto root = out.message<ChildWriter>();
      root.set_id(1);
      auto child = root.set_child();
      while (out.ok()) {  // small fields and small children, up to the limit
        put_field(child, 100 * 1024);
        for (int i = 0; i < 100 && out.ok(); ++i) {
          auto grandchild = child.add_children();
          grandchild.set_id(i);
        }
      }
      EXPECT_EQ(out.status().code, Code::SizeExceeded) << size;
      EXPECT_LE(out.status().valid_len, 2 + 5 + kMaxNestedSize) << size;
      EXPECT_GT(out.status().valid_len, kMaxNestedSize - 200 * 1024) << size;
      if (id > 1) {
        // The length that was written is that of the valid bytes: it was not cut off at 28 bits.
        const std::uint64_t length = last_patch[0] % 128u + last_patch[1] % 128u * 128u +
                                     last_patch[2] % 128u * 16384u + last_patch[3] * 2097152u;
        EXPECT_EQ(length, out.status().valid_len - 7) << size;
      }
    }
  }
}

// The first chunk ends just below half of the limit, the second one has room for more than the other half.
TEST(Large, short_fields_in_two_chunks_do_not_get_past_the_limit) {
  const std::uint64_t half = kMiB * 128;
  std::vector<std::uint8_t> memory(2 * half - 2 * kMiB);
  std::uint64_t id = 0;
  hotpb::CallbackSource source(
      [&](std::uint64_t, std::size_t, std::uint32_t) {
        ++id;
        return hotpb::Chunk{id, memory.data(), id == 1 ? half - 1 : memory.size()};
      },
      [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {}, [](std::uint64_t, std::size_t) {});
  hotpb::WriteStream out(source, hotpb::StreamPolicy::compact);
  auto root = out.message<ChildWriter>();
  auto child = root.set_child();
  const std::string text(120, 'x');
  for (std::uint64_t written = 0; written <= kMaxNestedSize; written += text.size() + 2) child.set_name(text);
  EXPECT_EQ(out.status().code, Code::SizeExceeded);
  EXPECT_EQ(id, 2u);
  EXPECT_LE(out.status().valid_len, 5 + kMaxNestedSize);
  EXPECT_GT(out.status().valid_len, kMaxNestedSize - 200);
}

TEST(Large, a_stream_of_five_gigabytes) {
  std::vector<std::uint8_t> chunk(4096);
  std::uint64_t id = 0;
  std::uint64_t total = 0;
  std::uint64_t open = 0;
  hotpb::CallbackSource source(
      [&](std::uint64_t, std::size_t used, std::uint32_t open_slots) {
        total += used;
        open += open_slots;
        return hotpb::Chunk{++id, chunk.data(), chunk.size()};
      },
      [&](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) { --open; },
      [&](std::uint64_t, std::size_t used) { total += used; });
  hotpb::WriteStream out(source);
  std::uint64_t sum = 0;
  for (int message = 0; message < 5; ++message) {
    auto root = out.message<ChildWriter>();
    for (int i = 0; i < 1024; ++i) {
      auto child = root.add_children();
      put_field(child, kMiB);
      child.set_child([](ChildWriter& grandchild) { grandchild.set_id(1); });
    }
    const hotpb::WriteStatus status = root.finish();
    EXPECT_TRUE(status.ok());
    EXPECT_GT(status.valid_len, std::uint64_t{1} << 30);
    sum += status.valid_len;
  }
  EXPECT_EQ(sum, total);
  EXPECT_EQ(open, 0u);
}

// The limit of the root, with small fields and children up to it, for all sizes of chunks.
TEST(Large, a_message_above_2_gib_is_refused_whatever_the_chunks_are) {
  const std::uint64_t window = kMiB * 128;
  std::vector<std::uint8_t> memory(2 * window + 100);
  for (const std::uint64_t size : {64 * kMiB, window - 1, window, window + 1, 2 * window, 2 * window + 100}) {
    std::uint64_t total = 0;
    hotpb::CallbackSource source(
        [&](std::uint64_t, std::size_t used, std::uint32_t) {
          total += used;
          return hotpb::Chunk{total, memory.data(), size};
        },
        [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {},
        [&](std::uint64_t, std::size_t used) { total += used; });
    hotpb::WriteStream out(source);
    for (int message = 0; message < 2; ++message) {
      {
        auto root = out.message<ChildWriter>();
        while (out.ok()) {
          put_field(root, 100 * 1024);
          for (int i = 0; i < 100 && out.ok(); ++i) {
            auto child = root.add_children();
            child.set_id(i);
          }
        }
      }
      EXPECT_EQ(out.status().code, Code::SizeExceeded) << size;
      EXPECT_LE(out.status().valid_len, hotpb::kMaxMessageSize) << size;
      EXPECT_GT(out.status().valid_len, hotpb::kMaxMessageSize - 200 * 1024) << size;
      out.reset();
    }
  }
}

// One field of nearly two GiB is not a nested message; one byte more than a message may have is an error.
TEST(Large, a_single_field_above_2_gib_is_refused) {
  static const std::uint8_t byte = 0;
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  const hotpb::Bytes huge(&byte, static_cast<std::size_t>(hotpb::kMaxMessageSize) + 1);  // nothing reads it
  root.set_child(hotpb::RawMessage(huge));
  EXPECT_EQ(root.finish().code, Code::SizeExceeded);
}

}  // namespace
}  // namespace hotpb_test
