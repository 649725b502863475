// A buffer returns whole messages together with the status (written.h): never one that is open, failed or cut, also
// across chunks, and for the second and later messages of one buffer.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "hotpb/delimited.h"
#include "hotpb/vectors.hot.h"
#include "support/support.h"
#include "writer/all_of.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::vectors::p3::hot::ChildWriter;

hotpb::HeapOptions chunks_of_64(std::uint64_t limit = ~std::uint64_t{0}) {
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  options.limit = limit;
  return options;
}

// One buffer of each kind, with room for `room` bytes in chunks of 64.
struct Buffers {
  explicit Buffers(std::size_t room) : memory(room), fixed(memory.data(), room), heap(chunks_of_64(room)) {}
  std::vector<std::uint8_t> memory;
  hotpb::FixedBuffer fixed;
  hotpb::HeapBuffer heap;
};

template <class Buffer>
std::string whole(Buffer& out) {
  return to_hex(out.bytes().text());
}

TEST(Whole, a_status_is_printed_as_the_error_of_a_reader) {
  std::uint8_t memory[8];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto child = out.message<ChildWriter>();
  child.set_id(1);
  EXPECT_EQ(hotpb::to_string(child.finish()), "Ok");
  auto full = out.message<ChildWriter>();
  full.set_id(1);
  full.set_name("longer than the memory");
  EXPECT_EQ(hotpb::to_string(full.finish()), "BufferExhausted at byte 2");
}

TEST(Whole, a_message_with_a_child_open_is_not_handed_out) {
  Buffers buffers(128);
  const auto check = [](auto& out) {
    auto root = out.template message<ChildWriter>();
    root.set_name("p");
    auto child = root.set_child();
    child.set_id(1);  // 12 01 70 1a 00 08 01, which would have an empty child and the id 1
    EXPECT_TRUE(out.bytes().empty());
    EXPECT_FALSE(out.bytes().ok());
    EXPECT_EQ(out.bytes().status().code, Code::HandleMisuse);
    EXPECT_TRUE(out.partial_bytes().empty());
    EXPECT_TRUE(out.ok()) << "asking is no misuse";
    EXPECT_EQ(out.status().valid_len, 7u) << "what is written so far";
    EXPECT_TRUE(root.finish().ok());
    EXPECT_TRUE(out.bytes().ok());
    EXPECT_EQ(whole(out), "1201701a020801");
  };
  check(buffers.fixed);
  check(buffers.heap);
}

TEST(Whole, chunks_size_and_append_to_hold_what_bytes_holds) {
  hotpb::HeapBuffer out(chunks_of_64());
  { out.message<ChildWriter>().set_name(std::string(100, 'a')); }
  const std::string first(out.bytes().text());
  const auto expect_first = [&](bool ok) {
    EXPECT_EQ(out.bytes().text(), first);
    EXPECT_EQ(out.size(), first.size());
    std::string appended = "x";
    EXPECT_EQ(out.append_to(appended).ok(), ok);
    EXPECT_EQ(appended, "x" + first);
    std::string joined;
    const auto chunks = out.chunks();
    EXPECT_EQ(chunks.ok(), ok);
    for (const hotpb::Bytes piece : chunks) joined += piece.text();
    EXPECT_EQ(joined, first);
  };
  expect_first(true);
  auto second = out.message<ChildWriter>();
  second.set_name(std::string(200, 'b'));
  expect_first(false);
  second = out.message<ChildWriter>();  // a second root while one is open
  EXPECT_EQ(out.status().code, Code::HandleMisuse);
  expect_first(false);
  EXPECT_EQ(out.message_start(), first.size());
  EXPECT_EQ(out.partial_bytes().size(), out.status().valid_len);
}

// For all sizes of the room, and of the rest that the first messages leave.
TEST(Whole, a_later_message_that_does_not_fit_leaves_the_earlier_ones_and_what_parses_of_it) {
  for (std::size_t room = 64; room < 700; ++room) {
    Buffers buffers(room);
    const auto check = [&](auto& out) {
      std::string expected;
      while (out.ok()) {
        expected = whole(out);
        auto root = out.template message<ChildWriter>();
        auto child = root.set_child();
        child.set_name(std::string(70, 'x'));
        child.set_id(7);
        static_cast<void>(root.finish());
      }
      EXPECT_EQ(out.status().code, Code::BufferExhausted);
      EXPECT_EQ(whole(out), expected) << room;
      EXPECT_EQ(out.bytes().status().code, Code::BufferExhausted);
      EXPECT_EQ(out.message_start() * 2, expected.size()) << room;
      EXPECT_EQ(out.partial_bytes().size(), out.status().valid_len) << room;
      EXPECT_LE(out.message_start() + out.status().valid_len, room);
      // Without the failed message, another one may fit.
      out.reset();
      EXPECT_EQ(whole(out), expected) << room;
      { out.template message<ChildWriter>().set_id(1); }
      EXPECT_TRUE(!out.ok() || whole(out) == expected + "0801") << room;
      out.clear();
      EXPECT_EQ(out.status().valid_len, 0u);
      EXPECT_TRUE(out.bytes().ok() && out.bytes().empty());
    };
    check(buffers.fixed);
    check(buffers.heap);
  }
}

TEST(Whole, a_delimited_stream_ends_with_its_last_whole_message) {
  for (std::size_t room = 64; room < 300; ++room) {
    Buffers buffers(room);
    const auto check = [&](auto& out) {
      std::string expected;
      while (out.ok()) {
        expected = whole(out);
        auto message = out.template delimited<ChildWriter>();
        message.set_name("0123456789");
        EXPECT_EQ(whole(out), expected);
      }
      EXPECT_EQ(whole(out), expected);
      const std::string bytes(out.bytes().text());
      hotpb::DelimitedReader reader{std::string_view(bytes)};
      hotpb::Bytes message;
      while (reader.next(message)) EXPECT_EQ(to_hex(message.text()), "120a30313233343536373839");
      EXPECT_TRUE(reader.status().ok());
    };
    check(buffers.fixed);
    check(buffers.heap);
  }
}

TEST(Whole, a_handle_that_is_used_after_its_message_was_finished_takes_nothing_away) {
  Buffers buffers(128);
  const auto check = [](auto& out) {
    auto root = out.template message<ChildWriter>();
    root.set_id(1);
    EXPECT_TRUE(root.finish().ok());
    root.set_id(2);
    EXPECT_EQ(out.bytes().status().code, Code::HandleMisuse);
    EXPECT_EQ(whole(out), "0801");
    EXPECT_TRUE(out.partial_bytes().empty());
  };
  check(buffers.fixed);
  check(buffers.heap);
}

// Random messages, good and bad, with reset() after the bad ones: the result is the good messages and nothing else.
TEST(Whole, reset_goes_on_after_the_last_whole_message_whatever_the_policy_is) {
  for (const auto policy : {hotpb::LengthPolicy::compact, hotpb::LengthPolicy::fixed4, hotpb::LengthPolicy::minimal}) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      hotpb::HeapOptions options = chunks_of_64();
      options.policy = policy;
      options.first_chunk = 64 + random.below(100);
      hotpb::HeapBuffer out(options);
      std::string expected;
      for (int i = 0; i < 12; ++i) {
        const bool good = random.one_in(2);
        const std::string text(random.below(300), static_cast<char>('a' + i % 26));
        auto root = out.message<ChildWriter>();
        root.set_child([&](ChildWriter& child) {
          child.set_name(text);
          child.set_child([&](ChildWriter& grandchild) {
            grandchild.set_name(text);
            if (!good) root.set_id(1);
          });
        });
        EXPECT_EQ(root.finish().ok(), good);
        ASSERT_EQ(out.bytes().ok(), good);
        if (good) {
          const std::string all(out.bytes().text());
          ASSERT_EQ(all.substr(0, expected.size()), expected);
          expected = all;
        } else {
          ASSERT_EQ(out.bytes().text(), expected);
          if (random.one_in(2)) {
            out.reset();
            out.reset();  // nothing happens
          } else {
            static_cast<void>(out.flush());
            out.reset();
          }
        }
        ASSERT_EQ(out.bytes().text(), expected);
        ASSERT_TRUE(out.bytes().ok());
      }
      EXPECT_EQ(out.size(), expected.size());
    }
  }
}

TEST(Whole, flush_inside_a_message_is_refused_and_does_nothing) {
  Buffers buffers(128);
  const auto check = [](auto& out) {
    auto root = out.template message<ChildWriter>();
    root.set_id(1);
    EXPECT_EQ(out.flush().code, Code::HandleMisuse);
    root.set_id(2);
    EXPECT_TRUE(root.finish().ok());
    EXPECT_TRUE(out.flush().ok());
    EXPECT_EQ(whole(out), "08010802");
  };
  check(buffers.fixed);
  check(buffers.heap);
}

TEST(Whole, a_buffer_in_memory_of_the_caller_is_neither_copied_nor_moved) {
  static_assert(!std::is_copy_constructible_v<hotpb::FixedBuffer> && !std::is_move_constructible_v<hotpb::FixedBuffer>);
  static_assert(!std::is_copy_assignable_v<hotpb::FixedBuffer> && !std::is_move_assignable_v<hotpb::FixedBuffer>);
}

TEST(Whole, memory_at_nullptr_has_no_bytes_whatever_its_size_is) {
  hotpb::FixedBuffer out(nullptr, 1000);
  for (int round = 0; round < 2; ++round) {
    {
      auto root = out.message<ChildWriter>();
      root.set_id(1);
      root.set_name("x");
      EXPECT_EQ(root.finish().code, Code::BufferExhausted);
    }
    EXPECT_TRUE(out.bytes().empty());
    round == 0 ? out.clear(nullptr, ~std::size_t{0}) : out.clear();
  }
}

TEST(Whole, a_null_pointer_to_text_is_the_empty_text) {
  Buffers buffers(128);
  const char* text = nullptr;
  auto root = buffers.fixed.message<ChildWriter>();
  root.set_name(text);
  root.add_counts(text, 1);
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(whole(buffers.fixed).substr(0, 4), "1200");
}

}  // namespace
}  // namespace hotpb_test
