// Sources and streams: the writer's promises to a source (chunk/source.h), two streams on one source, streams that end
// early, handles that move (WTR-5).
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/chunk/callback.h"
#include "hotpb/chunk/ostream.h"
#include "hotpb/vectors.hot.h"
#include "support/support.h"
#include "writer/consumer.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::vectors::p3::hot::ChildWriter;

std::size_t always64(std::size_t) { return 64; }

TEST(Sources, a_second_stream_on_a_source_that_is_in_use_is_misuse) {
  Consumer consumer(always64);
  hotpb::WriteStream first(consumer);
  hotpb::WriteStream second(consumer);
  auto root = first.message<ChildWriter>();
  root.set_id(1);
  {
    auto message = second.message<ChildWriter>();
    message.set_id(2);
    EXPECT_EQ(message.finish().code, Code::HandleMisuse);
    EXPECT_EQ(second.status().valid_len, 0u);
  }
  root.set_id(3);
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(to_hex(consumer.bytes()), "08010803");
}

TEST(Sources, streams_take_turns_at_a_source) {
  std::string bytes;
  std::uint8_t chunk[64];
  hotpb::CallbackSource source(
      [&](std::uint64_t, std::size_t, std::uint32_t) { return hotpb::Chunk{1, chunk, sizeof chunk}; },
      [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {},
      [&](std::uint64_t, std::size_t used) { bytes.append(reinterpret_cast<const char*>(chunk), used); });
  hotpb::WriteStream first(source);
  hotpb::WriteStream second(source);
  for (int i = 0; i < 2; ++i) {
    for (hotpb::WriteStream* stream : {&first, &second}) {
      auto root = stream->message<ChildWriter>();
      root.set_id(i);
      EXPECT_TRUE(root.finish().ok());
    }
  }
  EXPECT_EQ(to_hex(bytes), "0800080008010801");
}

// WRT-13.
TEST(Sources, a_chunk_that_is_too_small_comes_back_unused) {
  std::vector<std::pair<std::uint64_t, std::size_t>> returned;
  std::uint8_t memory[64];
  std::uint64_t given = 0;
  hotpb::CallbackSource source(
      [&](std::uint64_t id, std::size_t used, std::uint32_t) {
        if (id != hotpb::kNoChunk) returned.emplace_back(id, used);
        return hotpb::Chunk{++given, memory, given == 1 ? std::size_t{64} : std::size_t{63}};
      },
      [](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) {},
      [&](std::uint64_t id, std::size_t used) { returned.emplace_back(id, used); });
  {
    hotpb::WriteStream out(source);
    auto root = out.message<ChildWriter>();
    root.set_name(std::string(100, 'x'));
    EXPECT_EQ(root.finish().code, Code::BufferExhausted);
  }
  EXPECT_EQ(returned, (std::vector<std::pair<std::uint64_t, std::size_t>>{{1, 64}, {2, 0}}));
}

TEST(Sources, a_stream_that_is_destroyed_hands_over_what_there_is) {
  Consumer consumer(always64);
  std::optional<hotpb::WriteStream> out(std::in_place, consumer);
  auto* const root = new ChildWriter(out->message<ChildWriter>());
  auto* const child = new ChildWriter(root->set_child());
  child->set_name(std::string(70, 'x'));
  out.reset();  // not even their destructors may run now, so the handles are leaked on purpose
  EXPECT_TRUE(consumer.finished());
  EXPECT_EQ(to_hex(consumer.bytes().substr(0, 7)), "1ac88080001246");
  ::operator delete(child);
  ::operator delete(root);
}

TEST(Sources, an_idle_delimited_stream_ends_with_its_stream) {
  Consumer consumer(always64);
  {
    hotpb::WriteStream out(consumer);
    auto message = out.delimited<ChildWriter>();
    message.set_id(1);
    EXPECT_TRUE(message.finish().ok());
    EXPECT_FALSE(consumer.finished());
  }
  EXPECT_TRUE(consumer.finished());
  EXPECT_EQ(to_hex(consumer.bytes()), "020801");
}

TEST(Sources, a_message_after_delimited_ones_ends_their_stream) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  { out.delimited<ChildWriter>().set_id(1); }
  {
    auto plain = out.message<ChildWriter>();
    plain.set_id(2);
    EXPECT_EQ(plain.finish().valid_len, 2u);
  }
  { out.delimited<ChildWriter>(); }
  EXPECT_EQ(to_hex(out.bytes().text()), "020801080200");
}

TEST(Sources, reset_forgets_the_error_and_the_handles) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  auto child = root.set_child();
  child.set_id(1);
  out.reset();  // with an open message
  EXPECT_TRUE(out.ok());
  auto next = out.message<ChildWriter>();
  next.set_id(2);
  EXPECT_TRUE(out.ok());
  child.set_id(3);
  EXPECT_EQ(out.status().code, Code::HandleMisuse);
  EXPECT_EQ(to_hex(out.partial_bytes().text()), "0802");
  out.reset();
  EXPECT_TRUE(out.ok());
  { out.message<ChildWriter>().set_id(4); }
  EXPECT_EQ(to_hex(out.bytes().text()), "0804");
}

TEST(Sources, clear_inside_a_callable_leaves_nothing_pinned) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  std::optional<ChildWriter> second;
  root.set_child([&](ChildWriter& child) {
    child.set_id(1);
    out.clear();
    second.emplace(out.message<ChildWriter>());
    second->set_child().set_id(2);
    second->set_id(3);
  });
  second->set_id(4);
  EXPECT_TRUE(second->finish().ok());
  EXPECT_EQ(to_hex(out.bytes().text()), "1a02080208030804");
}

// For all sizes of the room, so that the result does not depend on the fast or the slow path.
TEST(Sources, a_child_that_has_finished_inside_its_callable_pins_nobody) {
  for (std::size_t size = 6; size < 60; ++size) {
    std::vector<std::uint8_t> memory(size);
    hotpb::FixedBuffer out(memory.data(), size);
    auto root = out.message<ChildWriter>();
    root.set_child([&](ChildWriter& child) {
      child.set_id(1);
      EXPECT_TRUE(child.finish().ok());
      root.set_id(2);
      EXPECT_TRUE(out.ok()) << size;
      child.set_id(3);
    });
    EXPECT_EQ(out.status().code, Code::HandleMisuse) << size;
    EXPECT_EQ(to_hex(out.partial_bytes().text()), "1a0208010802") << size;
  }
}

// WRT-38.
TEST(Sources, a_callable_that_throws_fails_the_message_which_ends_there) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  EXPECT_THROW(root.set_child([](ChildWriter& child) {
    child.set_id(1);
    throw std::runtime_error("on purpose");
  }),
               std::runtime_error);
  root.set_id(2);
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
  EXPECT_TRUE(out.bytes().empty());
  EXPECT_EQ(to_hex(out.partial_bytes().text()), "1a020801");
}

TEST(Handles, move_with_their_right_to_write) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  ChildWriter child = root.add_children();
  child.set_id(1);
  child = root.add_children();  // the first one has ended by then
  child.set_id(2);
  ChildWriter& same = child;
  child = std::move(same);
  child.set_id(3);
  std::vector<ChildWriter> many;
  many.push_back(std::move(child));
  many.back().set_id(4);
  many.clear();
  root.set_id(5);
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(to_hex(out.bytes().text()), "4a0208014a060802080308040805");
}

TEST(Handles, that_were_moved_from_may_not_finish_and_end_nothing) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  std::optional<ChildWriter> child(root.set_child());
  ChildWriter moved = std::move(*child);
  child.reset();
  moved.set_id(1);
  EXPECT_TRUE(out.ok());
  auto packed = moved.packed_numbers();
  auto elements = std::move(packed);
  elements.add(7);
  EXPECT_EQ(packed.finish().code, Code::HandleMisuse);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to_hex(out.partial_bytes().text()), "1a050801220107");
}

TEST(Heap, a_limit_holds_before_and_after_clear) {
  for (const std::uint64_t limit : {0u, 1u, 63u, 64u, 100u, 128u, 200u, 1000u}) {
    hotpb::HeapOptions options;
    options.first_chunk = options.largest_chunk = 64;
    options.limit = limit;
    hotpb::HeapBuffer out(options);
    for (int round = 0; round < 3; ++round) {
      {
        auto root = out.message<ChildWriter>();
        for (int i = 0; i < 1000; ++i) root.set_id(1);
        EXPECT_EQ(root.finish().code, Code::BufferExhausted);
      }
      const std::uint64_t room = limit < 64 ? 0 : limit - limit % 64;
      EXPECT_LE(out.status().valid_len, limit);
      EXPECT_EQ(out.status().valid_len, room) << limit << " " << round;
      if (round == 1) out.shrink_to_fit();
      out.clear();
    }
  }
}

TEST(Heap, a_message_without_fields_and_a_buffer_without_messages_are_empty) {
  hotpb::HeapBuffer out;
  EXPECT_EQ(out.size(), 0u);
  EXPECT_TRUE(out.bytes().empty());
  { out.message<ChildWriter>(); }
  EXPECT_TRUE(out.chunks().empty());
  std::string text = "before ";
  EXPECT_TRUE(out.append_to(text).ok());
  EXPECT_EQ(text, "before ");
}

// WRT-26.
TEST(Ostream, a_stream_that_goes_bad_exhausts_the_writer) {
  std::ostringstream file;
  hotpb::OstreamWriter out(file, 64);
  auto root = out.message<ChildWriter>();
  root.set_name(std::string(100, 'x'));
  file.setstate(std::ios::badbit);
  root.set_name(std::string(100, 'y'));
  EXPECT_EQ(root.finish().code, Code::BufferExhausted);
}

// A range may be empty, null, or the same as another. A sum above the limit of a message is an error before it is read.
TEST(Ranges, of_all_sizes) {
  std::uint8_t memory[64];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  const hotpb::Bytes abc = std::string_view("abc");
  const hotpb::Bytes parts[] = {abc, {}, abc, {nullptr, 0}, {abc.data() + 1, 1}};
  root.set_name(hotpb::ByteRanges(parts));
  root.set_name(hotpb::ByteRanges(nullptr, 0));
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(to_hex(out.bytes().text()), "12076162636162636" "21200");
  for (const std::size_t huge : {std::size_t{1} << 31, ~std::size_t{0} >> 1, ~std::size_t{0}}) {
    out.clear();
    auto large = out.message<ChildWriter>();
    const hotpb::Bytes many[] = {{abc.data(), huge}, {abc.data(), huge}, {abc.data(), huge}};
    large.set_name(hotpb::ByteRanges(many));
    EXPECT_EQ(large.finish().code, Code::SizeExceeded);
    EXPECT_TRUE(out.bytes().empty());
  }
  out.clear();
  auto last = out.message<ChildWriter>();
  last.append_raw({abc.data(), std::size_t{1} << 31});
  EXPECT_EQ(last.finish().code, Code::SizeExceeded);
}

TEST(Fixed, a_buffer_without_memory_is_exhausted_by_the_first_field) {
  hotpb::FixedBuffer out(nullptr, 0);
  EXPECT_TRUE(out.message<ChildWriter>().finish().ok());  // an empty message has no bytes
  for (int kind = 0; kind < 4; ++kind) {
    out.clear();
    auto root = out.message<ChildWriter>();
    if (kind == 0) root.set_id(1);
    if (kind == 1) root.set_name("");
    if (kind == 2) root.set_child();
    if (kind == 3) root.add_counts("a", 1);
    const hotpb::WriteStatus status = root.finish();
    EXPECT_EQ(status.code, Code::BufferExhausted) << kind;
    EXPECT_EQ(status.valid_len, 0u);
    EXPECT_TRUE(out.bytes().empty());
  }
  std::uint8_t memory[64];
  out.clear(memory, sizeof memory);
  {
    auto root = out.message<ChildWriter>();
    root.set_id(1);
  }
  EXPECT_EQ(to_hex(out.bytes().text()), "0801");
}

}  // namespace
}  // namespace hotpb_test
