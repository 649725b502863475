// A HeapBuffer that is moved takes its messages, its status and its chunks along; the source is then like a new buffer.
// Handles of messages that were open belong to neither.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hotpb/delimited.h"
#include "hotpb/vectors.hot.h"
#include "support/support.h"
#include "writer/all_of.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::HeapBuffer;
using hotpb::vectors::p3::hot::ChildWriter;

static_assert(std::is_nothrow_move_constructible_v<HeapBuffer> && std::is_nothrow_move_assignable_v<HeapBuffer>);
static_assert(!std::is_copy_constructible_v<HeapBuffer> && !std::is_copy_assignable_v<HeapBuffer>);

hotpb::HeapOptions small_chunks(std::uint64_t limit = ~std::uint64_t{0}) {
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  options.limit = limit;
  options.policy = hotpb::LengthPolicy::minimal;  // the bytes do not depend on where chunks end
  return options;
}

// A message over several chunks, with children whose lengths have one byte, two bytes, and a slot of their own.
void write(HeapBuffer& out, char letter) {
  auto root = out.message<ChildWriter>();
  root.set_name(std::string(70, letter));
  for (std::size_t i = 1; i < 300; i *= 4) {
    auto child = root.add_children();
    child.set_name(std::string(i, letter));
    child.set_id(static_cast<std::int32_t>(i));
  }
  EXPECT_TRUE(root.finish().ok());
}

std::string written(char letter) {
  HeapBuffer out(small_chunks());
  write(out, letter);
  return std::string(out.bytes().text());
}

void expect_new(HeapBuffer& out) {
  EXPECT_TRUE(out.ok());
  EXPECT_EQ(out.size(), 0u);
  EXPECT_TRUE(out.bytes().empty());
  EXPECT_TRUE(out.bytes().ok());
  EXPECT_TRUE(out.partial_bytes().empty());
  EXPECT_EQ(out.message_start(), 0u);
  write(out, 'n');
  EXPECT_EQ(out.bytes().text(), written('n'));
}

TEST(Move, messages_go_over_and_both_buffers_go_on) {
  for (const std::size_t messages : {0u, 1u, 3u}) {
    HeapBuffer from(small_chunks());
    std::string expected;
    for (std::size_t i = 0; i < messages; ++i) {
      write(from, 'a');
      expected += written('a');
    }
    const hotpb::WriteStatus before = from.status();
    HeapBuffer to(std::move(from));
    EXPECT_EQ(to.bytes().text(), expected);
    EXPECT_EQ(to.status().valid_len, before.valid_len);
    write(to, 'b');
    EXPECT_EQ(to.bytes().text(), expected + written('b'));
    expect_new(from);  // NOLINT: moved from
    EXPECT_EQ(to.bytes().text(), expected + written('b'));
    to.clear();
    write(to, 'c');
    EXPECT_EQ(to.bytes().text(), written('c'));
    to.shrink_to_fit();
    expect_new(to);
  }
}

TEST(Move, assignment_drops_what_was_there) {
  HeapBuffer from(small_chunks(1000)), to(small_chunks());
  write(from, 'a');
  write(to, 'b');
  auto stale = to.message<ChildWriter>();
  stale.set_id(1);
  to = std::move(from);
  EXPECT_EQ(to.bytes().text(), written('a'));
  expect_new(from);
  stale.set_id(2);
  EXPECT_EQ(to.status().code, Code::HandleMisuse);
  EXPECT_EQ(to.bytes().text(), written('a'));
  to.reset();
  { to.message<ChildWriter>().set_name(std::string(1000, 'x')); }
  EXPECT_EQ(to.status().code, Code::BufferExhausted) << "options go over";
  HeapBuffer& self = to;
  to = std::move(self);
  EXPECT_EQ(to.status().code, Code::BufferExhausted);
  EXPECT_EQ(to.bytes().text(), written('a'));
}

TEST(Move, the_handles_that_were_open_in_the_target_end_in_peace) {
  HeapBuffer from(small_chunks()), to;
  write(from, 'a');
  {
    auto stale = to.message<ChildWriter>();
    auto child = stale.set_child();
    to = std::move(from);
  }
  EXPECT_TRUE(to.ok());
  EXPECT_EQ(to.bytes().text(), written('a'));
}

TEST(Move, a_message_that_is_open_fails_and_its_handles_write_nowhere) {
  HeapBuffer from(small_chunks());
  write(from, 'a');
  auto root = from.message<ChildWriter>();
  auto child = root.set_child();
  child.set_name("open");
  HeapBuffer to(std::move(from));
  EXPECT_EQ(to.status().code, Code::HandleMisuse);
  EXPECT_EQ(to.bytes().text(), written('a'));
  EXPECT_EQ(to.bytes().status().code, Code::HandleMisuse);
  EXPECT_TRUE(parses(to.partial_bytes()));
  EXPECT_TRUE(from.ok());
  child.set_name("stale");
  EXPECT_EQ(from.status().code, Code::HandleMisuse);
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
  EXPECT_TRUE(from.bytes().empty());
  from.reset();
  expect_new(from);
  to.reset();
  write(to, 'b');
  EXPECT_EQ(to.bytes().text(), written('a') + written('b'));
}

TEST(Move, inside_a_callable) {
  HeapBuffer from(small_chunks()), to;
  auto root = from.message<ChildWriter>();
  root.set_child([&](ChildWriter& child) {
    child.set_id(1);
    to = std::move(from);
    write(from, 'n');
    child.set_id(2);
  });
  EXPECT_EQ(to.status().code, Code::HandleMisuse);
  EXPECT_TRUE(to.bytes().empty());
  EXPECT_EQ(from.status().code, Code::HandleMisuse);
  EXPECT_EQ(from.bytes().text(), written('n'));
}

TEST(Move, a_delimited_stream_goes_on_behind_its_messages) {
  HeapBuffer from(small_chunks());
  { from.delimited<ChildWriter>().set_id(1); }
  HeapBuffer to(std::move(from));
  EXPECT_TRUE(to.ok());
  { to.delimited<ChildWriter>().set_id(2); }
  EXPECT_TRUE(to.flush().ok());
  EXPECT_EQ(to_hex(to.bytes().text()), "0208010208" "02");
  expect_new(from);
}

TEST(Move, an_error_goes_over_with_what_is_partial) {
  HeapBuffer from(small_chunks(128));
  { from.message<ChildWriter>().set_id(1); }
  {
    auto root = from.message<ChildWriter>();
    root.set_id(2);
    root.set_name(std::string(500, 'x'));
  }
  ASSERT_EQ(from.status().code, Code::BufferExhausted);
  const std::string partial(from.partial_bytes().text());
  const std::uint64_t start = from.message_start();
  HeapBuffer to(std::move(from));
  EXPECT_EQ(to.status().code, Code::BufferExhausted);
  EXPECT_EQ(to.message_start(), start);
  EXPECT_EQ(to.partial_bytes().text(), partial);
  EXPECT_EQ(to_hex(to.bytes().text()), "0801");
}

TEST(Move, a_vector_of_buffers_grows) {
  std::vector<HeapBuffer> buffers;
  for (char letter = 'a'; letter < 'i'; ++letter) {
    buffers.emplace_back(small_chunks());
    write(buffers.back(), letter);
  }
  std::swap(buffers.front(), buffers.back());
  EXPECT_EQ(buffers.front().bytes().text(), written('h'));
  EXPECT_EQ(buffers.back().bytes().text(), written('a'));
  EXPECT_EQ(buffers[3].bytes().text(), written('d'));
}

// The source of the fields' bytes, and the destination of the messages' bytes.
TEST(Containers, bytes_of_std_byte_and_lists_and_elements_of_vector_bool) {
  const std::vector<std::byte> name{std::byte{'a'}, std::byte{'b'}};
  HeapBuffer out(small_chunks());
  { out.message<ChildWriter>().append_raw(hotpb::Bytes(std::string_view("\x12\x02"))); }
  { out.message<ChildWriter>().append_raw(name); }
  std::vector<std::byte> appended;
  EXPECT_TRUE(out.append_to(appended).ok());
  EXPECT_EQ(to_hex(hotpb::Bytes(appended).text()), "12026162");
  std::vector<std::byte> delimited;
  hotpb::append_delimited(delimited, appended);
  EXPECT_EQ(to_hex(hotpb::Bytes(delimited).text()), "0412026162");
}

}  // namespace
}  // namespace hotpb_test
