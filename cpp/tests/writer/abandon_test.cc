// MessageWriter::abandon(): abandoned children leave no byte, in all buffers, chunk sizes and policies; and DeepLevels.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "hotpb/chunk/ostream.h"
#include "hotpb/delimited.h"
#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/wire/reader.h"
#include "hotpb/wire/write.h"
#include "support/support.h"
#include "support/thorough.h"
#include "writer/consumer.h"

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
using hotpb::LengthPolicy;
using hotpb::StreamPolicy;
using hotpb::vectors::p2::hot::All_DataWriter;
using hotpb::vectors::p2::hot::AllWriter;
using hotpb::vectors::p3::hot::ChildWriter;
using hotpb::wire::WireType;
namespace p2 = hotpb::vectors::p2::hot;

constexpr LengthPolicy kPolicies[] = {LengthPolicy::compact, LengthPolicy::fixed4, LengthPolicy::minimal};

// The same fields with minimal lengths. `number` is the field that holds the message: 0 for the root.
std::string with_minimal_lengths(Bytes message, std::uint32_t number) {
  constexpr std::uint32_t kMessages[] = {3, 19, 718, 922};
  std::string result;
  hotpb::wire::Reader fields(message, {false, 1000});
  while (fields.next()) {
    bool nested = number == 718 && fields.number() == 2;
    for (const std::uint32_t nesting : kMessages) nested = nested || fields.number() == nesting;
    if (fields.type() == WireType::Len) {
      const std::string inside = nested ? with_minimal_lengths(fields.as_bytes(), fields.number())
                                        : std::string(fields.as_bytes().text());
      hotpb::wire::append_tag(result, fields.number(), WireType::Len);
      hotpb::wire::append_len(result, inside);
    } else if (fields.type() == WireType::StartGroup) {
      hotpb::wire::append_tag(result, fields.number(), WireType::StartGroup);
      result += with_minimal_lengths(fields.as_bytes(), fields.number());
      hotpb::wire::append_tag(result, fields.number(), WireType::EndGroup);
    } else {
      result += fields.record().text();
    }
  }
  EXPECT_TRUE(fields.ok());
  return result;
}

// Writes a random message, and the bytes that it should have. Children that abandon() removes are not among them.
class Script {
 public:
  Script(std::uint64_t seed, std::size_t longest) : random_(seed), longest_(longest) {}

  template <class Writer>
  std::string fill(Writer& writer, std::size_t levels) {
    std::string expected;
    for (std::size_t left = random_.below(6); left > 0; --left) {
      const std::string text(random_.below(longest_), 'x');
      if constexpr (std::is_same_v<Writer, AllWriter> || std::is_same_v<Writer, All_DataWriter>) {
        writer.set_single_string(text);
        append(expected, 14, text);
      } else {
        writer.set_name(text);
        append(expected, 2, text);
      }
      if (levels > 0) expected += child(writer, levels - 1);
    }
    return expected;
  }

  std::size_t removed() const { return removed_; }
  std::size_t refused() const { return refused_; }

 private:
  static void append(std::string& to, std::uint32_t number, const std::string& payload) {
    hotpb::wire::append_tag(to, number, WireType::Len);
    hotpb::wire::append_len(to, payload);
  }

  std::string child(AllWriter& writer, std::size_t levels) {
    switch (random_.below(5)) {
      case 0: return end(writer.set_single_all(), levels, 19);
      case 1: return end(writer.set_data(), levels, 901);
      case 2: return end(writer.add_value_child(7), levels, 718);
      case 3: {
        auto packed = writer.packed_packed_int32();
        const std::size_t count = random_.below(60);
        for (std::size_t i = 0; i < count; ++i) packed.add(5);
        return done(packed, std::string(count, 5), 401);
      }
      default: {
        auto set = writer.set_message_set();
        std::string items;
        {
          auto item = p2::set_ItemA_item_a(set);
          if (!abandons(item)) items = std::string("\x0b\x10\xe8\x07\x1a\x00\x0c", 7);
        }
        return done(set, items, 922);
      }
    }
  }
  std::string child(All_DataWriter&, std::size_t) { return {}; }
  std::string child(p2::ChildWriter& writer, std::size_t levels) { return end(writer.set_child(), levels, 3); }

  template <class Writer>
  std::string end(Writer writer, std::size_t levels, std::uint32_t number) {
    const std::string inside = fill(writer, levels);
    return done(writer, inside, number);
  }
  // The record of a child that stays, or nothing.
  template <class Writer>
  std::string done(Writer& writer, const std::string& inside, std::uint32_t number) {
    if (abandons(writer)) return {};
    std::string record;
    if (number == 901) {
      hotpb::wire::append_tag(record, number, WireType::StartGroup);
      record += inside;
      hotpb::wire::append_tag(record, number, WireType::EndGroup);
    } else if (number == 718) {
      std::string entry("\x08\x07", 2);
      append(entry, 2, inside);
      append(record, number, entry);
    } else {
      append(record, number, inside);
    }
    return record;
  }
  template <class Writer>
  bool abandons(Writer& writer) {
    if (!random_.one_in(2)) return false;
    const bool gone = writer.abandon();
    ++(gone ? removed_ : refused_);
    return gone;
  }

  Random random_;
  std::size_t longest_;
  std::size_t removed_ = 0;
  std::size_t refused_ = 0;
};

TEST(Abandon, a_random_message_without_its_abandoned_children_in_one_piece) {
  std::size_t removed = 0;
  for (const LengthPolicy policy : kPolicies) {
    std::vector<std::uint8_t> memory(1 << 20);
    hotpb::FixedBuffer out(memory.data(), memory.size(), policy);  // kept, so that it learns lengths
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      out.clear();
      Script script(seed, seed % 3 == 0 ? 300 : 20);
      auto root = out.message<AllWriter>();
      const std::string expected = script.fill(root, 4);
      ASSERT_TRUE(root.finish().ok());
      const std::string all(out.bytes().text());
      ASSERT_TRUE((policy == LengthPolicy::fixed4 ? with_minimal_lengths(out.bytes(), 0) : all) == expected)
          << seed << ": " << to_hex(all) << ", expected " << to_hex(expected);
      ASSERT_EQ(script.refused(), 0u);
      removed += script.removed();
    }
  }
  EXPECT_GT(removed, 1000u);
}

TEST(Abandon, a_heap_buffer_goes_back_across_its_chunks) {
  for (const LengthPolicy policy : kPolicies) {
    for (const std::size_t chunk : {64u, 65u, 71u, 100u, 128u, 4096u}) {
      hotpb::HeapOptions options;
      options.policy = policy;
      options.first_chunk = options.largest_chunk = chunk;
      hotpb::HeapBuffer out(options);
      for (std::uint64_t seed = 0; seed < (thorough() ? 150u : 50u); ++seed) {
        if (seed % 4 == 0) out.clear();
        const std::string before(out.bytes().text());
        Script script(seed, seed % 3 == 0 ? 300 : 20);
        auto root = out.message<AllWriter>();
        const std::string expected = script.fill(root, 4);
        ASSERT_TRUE(root.finish().ok());
        const std::string all(out.bytes().text());
        ASSERT_EQ(all.substr(0, before.size()), before);
        const std::string message = all.substr(before.size());
        ASSERT_TRUE((policy == LengthPolicy::minimal ? message : with_minimal_lengths(message, 0)) == expected)
            << seed << " in chunks of " << chunk << ": " << to_hex(message) << ", expected " << to_hex(expected);
        ASSERT_EQ(script.refused(), 0u);
      }
    }
  }
}

TEST(Abandon, a_stream_refuses_what_has_left_and_the_child_stays_open) {
  std::size_t removed = 0;
  std::size_t refused = 0;
  for (const StreamPolicy policy : {StreamPolicy::compact, StreamPolicy::fixed4}) {
    for (const std::size_t chunk : {64u, 65u, 71u, 100u, 128u, 4096u}) {
      for (std::uint64_t seed = 0; seed < (thorough() ? 150u : 50u); ++seed) {
        Consumer consumer([&](std::size_t) { return chunk; });
        hotpb::WriteStream out(consumer, policy);
        Script script(seed, seed % 3 == 0 ? 300 : 20);
        auto root = out.message<AllWriter>();
        const std::string expected = script.fill(root, 4);
        ASSERT_TRUE(root.finish().ok());
        ASSERT_TRUE(with_minimal_lengths(consumer.bytes(), 0) == expected)
            << seed << " in chunks of " << chunk << ": " << to_hex(consumer.bytes()) << ", not " << to_hex(expected);
        removed += script.removed();
        refused += script.refused();
      }
    }
  }
  EXPECT_GT(removed, 1000u);
  EXPECT_GT(refused, 100u);
}

TEST(Abandon, at_each_place_of_a_chunk) {
  for (const LengthPolicy policy : kPolicies) {
    for (std::size_t before = 0; before < 140; ++before) {
      for (const std::size_t inside : {0u, 1u, 50u, 70u, 130u, 300u}) {
        hotpb::HeapOptions options;
        options.policy = policy;
        options.first_chunk = options.largest_chunk = 64;
        hotpb::HeapBuffer out(options);
        auto root = out.message<ChildWriter>();
        auto outer = root.set_child();
        outer.set_name(std::string(before, 'b'));
        auto child = outer.add_children();
        child.set_name(std::string(inside, 'i'));
        auto grandchild = child.add_children();
        grandchild.set_name(std::string(inside, 'g'));
        ASSERT_TRUE(child.abandon());  // the handle of the grandchild is stale now
        outer.set_id(1);
        ASSERT_TRUE(root.finish().ok());
        std::string expected;
        hotpb::wire::append_tag(expected, 2, WireType::Len);
        hotpb::wire::append_len(expected, std::string(before, 'b'));
        expected += "\x08\x01";
        std::string record("\x1a");
        hotpb::wire::append_len(record, expected);
        ASSERT_EQ(to_hex(with_minimal_lengths(out.bytes(), 0)), to_hex(record)) << before << ", " << inside;
      }
    }
  }
}

TEST(Abandon, the_first_chunk_of_a_stream_that_leaves_closes_the_way_back) {
  Consumer consumer([](std::size_t) { return std::size_t{64}; });
  hotpb::WriteStream out(consumer);
  auto root = out.message<ChildWriter>();
  {
    auto child = root.set_child();
    child.set_name(std::string(100, 'x'));
    EXPECT_FALSE(child.abandon());
    child.set_id(7);  // still open
    auto inner = child.set_child();
    inner.set_id(1);
    EXPECT_TRUE(inner.abandon());
  }
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(to_hex(with_minimal_lengths(consumer.bytes(), 0)), "1a681264" + to_hex(std::string(100, 'x')) + "0807");
}

TEST(Abandon, the_handle_has_ended) {
  hotpb::HeapBuffer out;
  auto root = out.message<ChildWriter>();
  root.set_id(1);
  auto child = root.set_child();
  child.set_name("x");
  ASSERT_TRUE(child.abandon());
  root.set_id(2);
  EXPECT_TRUE(out.ok());
  child.set_name("y");
  EXPECT_EQ(out.status().code, Code::HandleMisuse);
}

TEST(Abandon, of_a_stale_handle_is_misuse) {
  hotpb::HeapBuffer out;
  auto root = out.message<ChildWriter>();
  auto child = root.set_child();
  root.set_id(1);
  EXPECT_FALSE(child.abandon());
  EXPECT_EQ(out.status().code, Code::HandleMisuse);
  EXPECT_FALSE(root.abandon());
}

TEST(Abandon, of_a_root_is_refused_and_changes_nothing) {
  hotpb::HeapBuffer out;
  auto root = out.message<ChildWriter>();
  root.set_id(1);
  EXPECT_FALSE(root.abandon());
  root.set_id(2);
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(to_hex(out.bytes().text()), "08010802");
}

TEST(Abandon, in_a_callable) {
  hotpb::HeapBuffer out;
  auto root = out.message<ChildWriter>();
  root.set_child([](ChildWriter& child) {
    child.set_id(1);
    EXPECT_TRUE(child.abandon());
  });
  root.set_id(3);
  root.set_child([&](ChildWriter& child) {
    child.set_child([&](ChildWriter&) { EXPECT_FALSE(child.abandon()); });  // its parent waits
  });
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
}

TEST(Abandon, a_message_of_a_delimited_stream) {
  for (const bool heap : {true, false}) {
    hotpb::HeapBuffer buffer;
    Consumer consumer([](std::size_t) { return std::size_t{64}; });
    hotpb::WriteStream stream(consumer);
    hotpb::WriteStream& out = heap ? static_cast<hotpb::WriteStream&>(buffer) : stream;
    for (int i = 0; i < 4; ++i) {
      auto message = out.delimited<ChildWriter>();
      message.set_id(i);
      if (i % 2 == 1) {
        EXPECT_TRUE(message.abandon());
      }
    }
    EXPECT_TRUE(out.flush().ok());
    EXPECT_EQ(to_hex(heap ? std::string(buffer.bytes().text()) : consumer.bytes()), "0208000208" "02");
  }
}

TEST(Abandon, what_an_ostream_gets) {
  std::ostringstream text;
  {
    hotpb::OstreamWriter out(text, 64);
    auto root = out.message<ChildWriter>();
    for (int i = 0; i < 20; ++i) {
      auto child = root.add_children();
      child.set_id(i);
      if (i % 2 == 0) {
        EXPECT_TRUE(child.abandon());
      }
    }
    EXPECT_TRUE(root.finish().ok());
  }
  std::string expected;
  for (char i = 1; i < 20; i = static_cast<char>(i + 2)) expected += std::string("\x4a\x02\x08") + i;
  EXPECT_EQ(to_hex(text.str()), to_hex(expected));
}

TEST(Abandon, a_full_buffer_has_room_again) {
  std::uint8_t memory[40];
  hotpb::FixedBuffer out(memory, sizeof memory);
  auto root = out.message<ChildWriter>();
  for (int i = 0; i < 10; ++i) {
    auto child = root.set_child();
    child.set_name(std::string(34, 'x'));
    ASSERT_TRUE(child.abandon());
  }
  root.set_name(std::string(38, 'y'));
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(out.bytes().size(), 40u);
}

// More levels than readers allow (DeepLevels).
template <class Stream>
hotpb::WriteStatus write_levels(Stream& out, std::size_t depth, std::size_t name, bool delimited = false) {
  std::vector<ChildWriter> open;
  open.push_back(delimited ? out.template delimited<ChildWriter>() : out.template message<ChildWriter>());
  for (std::size_t i = 0; i < depth; ++i) {
    open.back().set_name(std::string(name, 'n'));
    open.push_back(open.back().set_child());
  }
  open.back().packed_numbers().add(1);
  while (open.size() > 1) {
    if (open.size() % 3 != 0) open.back().set_id(static_cast<std::int32_t>(open.size()));
    open.pop_back();
  }
  return open[0].finish();
}
std::string expected_levels(std::size_t depth, std::size_t name) {
  std::string message("\x22\x01\x01", 3);
  for (std::size_t level = depth + 1; level > 1; --level) {
    if (level % 3 != 0) {
      message += '\x08';
      hotpb::wire::append_varint(message, level);
    }
    std::string outer("\x12");
    hotpb::wire::append_len(outer, std::string(name, 'n'));
    outer += '\x1a';
    hotpb::wire::append_len(outer, message);
    message = outer;
  }
  return message;
}

TEST(DeepLevels, a_thousand_levels_in_each_buffer) {
  hotpb::DeepLevels<1000> levels;
  for (const std::size_t depth : {99u, 100u, 101u, 102u, 103u, 104u, 105u, 500u, 1000u}) {
    for (const std::size_t name : {0u, 10u, 150u}) {
      if (depth >= 500 && name != 10 && !thorough()) continue;  // the check reads each level once for each around it
      const std::string expected = expected_levels(depth, name);
      for (const LengthPolicy policy : kPolicies) {
        std::vector<std::uint8_t> memory(1 << 20);
        hotpb::FixedBuffer fixed(memory.data(), memory.size(), policy);
        fixed.set_levels(levels);
        ASSERT_TRUE(write_levels(fixed, depth, name).ok());
        ASSERT_EQ(with_minimal_lengths(fixed.bytes(), 0), expected) << depth;
        for (const std::size_t chunk : {64u, 1000u, 32768u}) {
          hotpb::HeapOptions options;
          options.policy = policy;
          options.first_chunk = options.largest_chunk = chunk;
          hotpb::HeapBuffer heap(options);
          heap.set_levels(levels);
          for (int i = 0; i < 2; ++i) {
            heap.clear();
            ASSERT_TRUE(write_levels(heap, depth, name).ok());
            ASSERT_EQ(with_minimal_lengths(heap.bytes(), 0), expected) << depth << " in chunks of " << chunk;
          }
          if (policy == LengthPolicy::minimal) continue;
          Consumer consumer([&](std::size_t) { return chunk; });
          const bool four = policy == LengthPolicy::fixed4;
          hotpb::WriteStream stream(consumer, four ? StreamPolicy::fixed4 : StreamPolicy::compact);
          stream.set_levels(levels);
          ASSERT_TRUE(write_levels(stream, depth, name).ok());
          ASSERT_EQ(with_minimal_lengths(consumer.bytes(), 0), expected) << depth << " in chunks of " << chunk;
        }
      }
    }
  }
}

TEST(DeepLevels, the_next_level_is_refused_and_what_was_written_parses) {
  hotpb::DeepLevels<150> levels;
  for (const bool delimited : {false, true}) {
    hotpb::HeapBuffer out;
    out.set_levels(levels);
    EXPECT_TRUE(write_levels(out, 150, 5, delimited).ok());
    out.clear();
    EXPECT_EQ(write_levels(out, 151, 5, delimited).code, Code::DepthExceeded);
    if (!delimited) {
      EXPECT_FALSE(with_minimal_lengths(out.partial_bytes(), 0).empty());
    }
    out.clear();
    EXPECT_TRUE(write_levels(out, 150, 5, delimited).ok());
  }
}

TEST(DeepLevels, handles_below_the_usual_depth_are_checked_like_others) {
  hotpb::DeepLevels<300> levels;
  hotpb::HeapBuffer out;
  out.set_levels(levels);
  std::vector<ChildWriter> open;
  open.push_back(out.message<ChildWriter>());
  for (int i = 0; i < 250; ++i) open.push_back(open.back().set_child());
  open[120].set_id(1);  // ends 121 to 250
  EXPECT_TRUE(out.ok());
  auto child = open[120].set_child();
  auto grandchild = child.set_child();
  grandchild.set_name("gone");
  EXPECT_TRUE(child.abandon());
  open[119].set_id(2);
  EXPECT_TRUE(out.ok());
  open[200].set_id(3);
  EXPECT_EQ(out.status().code, Code::HandleMisuse);
}

TEST(DeepLevels, are_set_between_messages) {
  hotpb::DeepLevels<101> levels;
  hotpb::HeapBuffer out;
  auto root = out.message<ChildWriter>();
  out.set_levels(levels);
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
}

}  // namespace
}  // namespace hotpb_test
