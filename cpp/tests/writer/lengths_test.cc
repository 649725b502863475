// Lengths, chunks and patches byte for byte (spec/wire.md, section 11), and other promises about a message's bytes.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "hotpb/chunk/callback.h"
#include "hotpb/chunk/iovec.h"
#include "hotpb/chunk/ostream.h"
#include "hotpb/delimited.h"
#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "support/support.h"
#include "writer/consumer.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::LengthPolicy;
using hotpb::StreamPolicy;
using hotpb::vectors::p2::hot::AllWriter;
using hotpb::vectors::p3::hot::ChildWriter;

template <class Write>
std::string written(LengthPolicy policy, Write&& write) {
  std::vector<std::uint8_t> memory(100000);
  hotpb::FixedBuffer out(memory.data(), memory.size(), policy);
  {
    auto root = out.message<ChildWriter>();
    write(root);
    EXPECT_TRUE(root.finish().ok());
  }
  return std::string(out.bytes().text());
}

std::string nested(std::size_t size, LengthPolicy policy) {
  return written(policy, [&](ChildWriter& root) {
    root.set_child([&](ChildWriter& child) { child.set_name(std::string(size, 'x')); });
  });
}

TEST(WRT_1, compact_is_one_byte_below_128_and_minimal_above_in_one_chunk) {
  EXPECT_EQ(to_hex(nested(5, LengthPolicy::compact)).substr(0, 8), "1a071205");
  EXPECT_EQ(to_hex(nested(125, LengthPolicy::compact)).substr(0, 8), "1a7f127d");
  EXPECT_EQ(to_hex(nested(126, LengthPolicy::compact)).substr(0, 10), "1a8001127e");
  EXPECT_EQ(to_hex(nested(20000, LengthPolicy::compact)).substr(0, 8), "1aa49c01");
}

TEST(WRT_2, fixed4_is_always_four_bytes) {
  EXPECT_EQ(to_hex(nested(5, LengthPolicy::fixed4)).substr(0, 14), "1a878080001205");
  EXPECT_EQ(to_hex(nested(20000, LengthPolicy::fixed4)).substr(0, 10), "1aa49c8100");
}

TEST(WRT_3, minimal_is_minimal_across_chunks) {
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  options.policy = LengthPolicy::minimal;
  hotpb::HeapBuffer out(options);
  {
    auto root = out.message<ChildWriter>();
    root.set_child([&](ChildWriter& child) { child.set_name(std::string(20000, 'x')); });
  }
  EXPECT_EQ(std::string(out.bytes().text()), nested(20000, LengthPolicy::minimal));
  EXPECT_GT(out.chunks().size(), 300u);
}

TEST(WRT_4, fields_come_in_the_order_of_the_calls_and_twice_if_set_twice) {
  EXPECT_EQ(to_hex(written(LengthPolicy::compact, [](ChildWriter& root) {
              root.set_name("b");
              root.set_id(1);
              root.set_id(2);
            })),
            "12016208010802");
}

TEST(WRT_5, a_slot_does_not_straddle_so_that_the_chunk_is_closed_short) {
  std::vector<std::size_t> used;
  std::vector<std::vector<std::uint8_t>> chunks;
  hotpb::CallbackSource source(
      [&](std::uint64_t id, std::size_t size, std::uint32_t) {
        if (id != hotpb::kNoChunk) used.push_back(size);
        chunks.emplace_back(64);
        return hotpb::Chunk{chunks.size() - 1, chunks.back().data(), 64};
      },
      [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) { ADD_FAILURE(); },
      [&](std::uint64_t, std::size_t size) { used.push_back(size); });
  {
    hotpb::WriteStream out(source, StreamPolicy::fixed4);
    auto root = out.message<ChildWriter>();
    root.set_name(std::string(58, 'x'));  // 60 bytes; the tag of the child is one more
    root.set_child([](ChildWriter& child) { child.set_id(1); });
  }
  EXPECT_EQ(used, (std::vector<std::size_t>{61, 6}));
  EXPECT_EQ(chunks[0][60], 0x1a);
  EXPECT_EQ(to_hex(std::string(chunks[1].begin(), chunks[1].begin() + 6)), "828080000801");
}

TEST(WRT_6, one_byte_slots_are_four_bytes_wide_when_their_chunk_leaves) {
  Consumer consumer([](std::size_t) { return 64; });
  {
    hotpb::WriteStream out(consumer);
    auto root = out.message<ChildWriter>();
    auto child = root.set_child();
    child.set_id(1);
    auto grandchild = child.set_child();
    grandchild.set_name(std::string(70, 'x'));
  }
  // 2 + 4 tags and lengths of four bytes; 72 bytes in the grandchild.
  EXPECT_EQ(to_hex(consumer.bytes().substr(0, 14)), "1acf80800008011ac88080001246");
  EXPECT_EQ(consumer.patches(), 2u);
}

TEST(WRT_7, a_chunk_says_how_many_of_its_slots_are_open_until_none_is) {
  std::vector<std::string> calls;
  std::vector<std::vector<std::uint8_t>> chunks;
  hotpb::CallbackSource source(
      [&](std::uint64_t id, std::size_t, std::uint32_t open) {
        if (id != hotpb::kNoChunk) calls.push_back("next " + std::to_string(id) + " open " + std::to_string(open));
        chunks.emplace_back(64);
        return hotpb::Chunk{chunks.size() - 1, chunks.back().data(), 64};
      },
      [&](std::uint64_t id, std::size_t offset, const std::uint8_t(&)[4], std::uint32_t open) {
        calls.push_back("patch " + std::to_string(id) + " at " + std::to_string(offset) + " open " +
                        std::to_string(open));
      },
      [&](std::uint64_t id, std::size_t) { calls.push_back("finish " + std::to_string(id)); });
  {
    hotpb::WriteStream out(source);
    auto root = out.message<ChildWriter>();
    root.set_child([](ChildWriter& child) {
      child.set_child([](ChildWriter& grandchild) { grandchild.set_name(std::string(70, 'x')); });
    });
    EXPECT_TRUE(root.finish().ok());
  }
  // WRT-8: the patches come before the message is complete.
  EXPECT_EQ(calls, (std::vector<std::string>{"next 0 open 2", "patch 0 at 6 open 1", "patch 0 at 1 open 0",
                                             "finish 1"}));
}

TEST(WRT_9, exhaustion_is_sticky_and_says_how_much_parses) {
  std::uint8_t memory[9];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  root.set_id(1);
  auto child = root.set_child();
  child.set_id(2);
  child.set_name("too long");
  child.set_id(3);  // it would fit, but nothing is written after an error
  EXPECT_EQ(out.status().code, Code::BufferExhausted);
  const hotpb::WriteStatus status = root.finish();
  EXPECT_EQ(status.code, Code::BufferExhausted);
  EXPECT_EQ(status.valid_len, 6u);
  EXPECT_EQ(to_hex(out.partial_bytes().text()), "08011a020802");
  EXPECT_TRUE(out.bytes().empty() && !out.bytes().ok());
}

TEST(WRT_9, an_open_group_that_cannot_be_ended_is_cut_off) {
  std::uint8_t memory[16];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<AllWriter>();
  root.set_single_int32(1);
  auto group = root.set_data();
  group.set_single_int32(2);
  group.set_single_string("does not fit");
  EXPECT_EQ(root.finish().valid_len, 2u);
  EXPECT_EQ(to_hex(out.partial_bytes().text()), "0801");
}

// Without 256 MiB of memory: one chunk that is reused.
TEST(WRT_10, a_nested_message_above_the_limit_is_size_exceeded) {
  for (const std::uint64_t over : {0u, 1u}) {
    std::vector<std::uint8_t> chunk(1 << 20);
    hotpb::CallbackSource source([&](std::uint64_t, std::size_t,
                                     std::uint32_t) { return hotpb::Chunk{1, chunk.data(), chunk.size()}; },
                                 [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {},
                                 [](std::uint64_t, std::size_t) {});
    hotpb::WriteStream out(source);
    auto root = out.message<ChildWriter>();
    root.set_id(1);
    auto child = root.set_child();
    const std::string piece((1 << 20) - 4, 'x');  // one MiB with tag and length
    for (int i = 0; i < 255; ++i) child.set_name(piece);
    child.set_name(std::string((1 << 20) - 5 + over, 'x'));  // a byte less, or not
    EXPECT_EQ(out.ok(), over == 0);
    child.set_id(1);
    EXPECT_EQ(out.status().code, Code::SizeExceeded);
    // Two bytes of id, tag and length of the child, and its content before.
    EXPECT_EQ(root.finish().valid_len, 2 + 5 + 255 * (std::uint64_t{1} << 20) + (over == 0 ? (1 << 20) - 1 : 0));
  }
}

// The same for the root, whose limit is that of readers (LIM-2, WRT-28): two GiB through one chunk.
TEST(WRT_10, a_message_above_2_gib_is_size_exceeded) {
  for (const std::uint64_t over : {0u, 1u}) {
    std::vector<std::uint8_t> chunk(1 << 20);
    hotpb::CallbackSource source([&](std::uint64_t, std::size_t,
                                     std::uint32_t) { return hotpb::Chunk{1, chunk.data(), chunk.size()}; },
                                 [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {},
                                 [](std::uint64_t, std::size_t) {});
    hotpb::WriteStream out(source);
    // An earlier message does not count.
    { out.message<ChildWriter>().set_id(1); }
    auto root = out.message<ChildWriter>();
    const std::string piece((1 << 20) - 4, 'x');  // one MiB with tag and length
    for (int i = 0; i < 2047; ++i) root.set_name(piece);
    root.set_name(std::string((1 << 20) - 7, 'x'));  // two bytes are left
    root.set_id(1);
    EXPECT_TRUE(out.ok());
    if (over != 0) root.append_raw(std::string_view("x"));
    EXPECT_EQ(root.finish().code, over != 0 ? Code::SizeExceeded : Code::Ok);
    EXPECT_EQ(out.status().valid_len, hotpb::kMaxMessageSize);
  }
}

TEST(Lengths, deeper_than_readers_go_is_depth_exceeded) {
  std::vector<std::uint8_t> memory(10000);
  hotpb::FixedBuffer out(memory.data(), memory.size());
  std::vector<ChildWriter> levels;
  levels.push_back(out.message<ChildWriter>());
  for (int i = 0; i < 100; ++i) levels.push_back(levels.back().set_child());
  levels.back().set_id(1);
  EXPECT_TRUE(out.ok());
  levels.push_back(levels.back().set_child());
  EXPECT_EQ(out.status().code, Code::DepthExceeded);
  EXPECT_EQ(out.status().valid_len, out.partial_bytes().size());
  while (!levels.empty()) levels.pop_back();
}

TEST(Lengths, every_length_of_varint_is_minimal) {
  for (unsigned bits = 0; bits < 64; ++bits) {
    for (const std::uint64_t value :
         {std::uint64_t{1} << bits, (std::uint64_t{1} << bits) - 1, ~std::uint64_t{0} >> bits}) {
      std::uint8_t memory[200];
      hotpb::FixedBuffer out(memory, sizeof memory);
      {
        auto root = out.message<AllWriter>();
        root.set_single_uint64(value);
        root.set_single_int64(static_cast<std::int64_t>(value));
        root.set_single_sint64(hotpb::wire::unzigzag64(value));
        root.set_single_uint32(static_cast<std::uint32_t>(value));
        root.set_single_int32(static_cast<std::int32_t>(value));
        root.set_default_uint64(value);  // a tag of two bytes
      }
      std::string expected;
      const auto add = [&](std::uint32_t number, std::uint64_t varint) {
        hotpb::wire::append_tag(expected, number, hotpb::wire::WireType::Varint);
        hotpb::wire::append_varint(expected, varint);
      };
      add(4, value);
      add(2, value);
      add(6, value);
      add(3, static_cast<std::uint32_t>(value));
      add(1, static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)}));
      add(204, value);
      EXPECT_EQ(to_hex(out.bytes().text()), to_hex(expected)) << value;
    }
  }
}

TEST(Lengths, strings_of_every_size_are_copied_whole_and_nothing_else_is_read) {
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text = Random(size).bytes(size);
    const Exact exact(text);
    std::uint8_t memory[400];
    hotpb::FixedBuffer out(memory, sizeof memory);
    {
      auto root = out.message<ChildWriter>();
      root.set_name(exact.bytes().text());
      root.set_id(5);
    }
    std::string expected("\x12");
    hotpb::wire::append_len(expected, std::string_view(text));
    EXPECT_EQ(to_hex(out.bytes().text()), to_hex(expected) + "0805") << size;
  }
}

TEST(Lengths, delimited_messages_are_read_back) {
  std::ostringstream file;
  {
    hotpb::OstreamWriter out(file, 64);
    for (int i = 0; i < 100; ++i) {
      auto message = out.delimited<ChildWriter>();
      message.set_id(i);
      if (i % 3 == 0) message.set_name(std::string(static_cast<std::size_t>(i), 'x'));
      const hotpb::WriteStatus status = message.finish();
      EXPECT_TRUE(status.ok());
    }
    EXPECT_TRUE(out.flush().ok());
  }
  const std::string stream = file.str();
  hotpb::DelimitedReader reader{std::string_view(stream)};
  hotpb::Bytes message;
  int count = 0;
  while (reader.next(message)) {
    std::uint8_t memory[200];
    hotpb::FixedBuffer expected(memory, sizeof memory);
    {
      auto root = expected.message<ChildWriter>();
      root.set_id(count);
      if (count % 3 == 0) root.set_name(std::string(static_cast<std::size_t>(count), 'x'));
    }
    EXPECT_EQ(to_hex(message.text()), to_hex(expected.bytes().text()));
    ++count;
  }
  EXPECT_TRUE(reader.status().ok());
  EXPECT_EQ(count, 100);
}

TEST(Lengths, a_heap_chain_goes_to_writev_as_it_is) {
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  hotpb::HeapBuffer out(options);
  {
    auto root = out.message<ChildWriter>();
    root.set_name(std::string(500, 'x'));
  }
  std::vector<::iovec> entries(20);
  const std::size_t count = hotpb::to_iovec(out.chunks(), entries.data(), entries.size());
  std::string joined;
  for (std::size_t i = 0; i < count; ++i) {
    joined.append(static_cast<const char*>(entries[i].iov_base), entries[i].iov_len);
  }
  EXPECT_EQ(joined, out.bytes().text());
  EXPECT_EQ(hotpb::to_iovec(out.chunks(), entries.data(), 1), count);
}

TEST(Lengths, names_and_numbers_are_constants) {
  using namespace hotpb::vectors::p3::hot;
  static_assert(ChildFields::name.number == 2 && ChildFields::name.name == "name");
  static_assert(enum_name(Open{}) != std::string_view());
  EXPECT_EQ(enum_name(static_cast<Open>(12345)), "");
}

}  // namespace
}  // namespace hotpb_test
