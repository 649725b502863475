// Lifetimes depend on the code, never on the bytes (VIW-7). Strings, spans and handles from a view are valid as long as
// the input is, in however many records a message came, and after the view is gone.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/wire/write.h"
#include "support/fields.h"
#include "support/support.h"
#include "view_allocations.h"

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
namespace p2 = hotpb::vectors::p2::hot;
namespace wire = hotpb::wire;

// A function that opens a child and returns its string.
std::string_view name_of_child(const p2::AllView& all) {
  p2::ChildView child;
  if (!child.open(all.single_child()).ok()) return {};
  return child.name();
}

TEST(ViewLifetime, a_string_outlives_the_view_that_it_was_taken_from) {
  const std::string once = len(18, len(2, "a name"));
  for (const std::string& more : {std::string(), len(18, ""), len(18, varint(1, 7)), len(18, len(4, "\x01"))}) {
    for (const bool front : {false, true}) {
      const Exact input(front ? more + varint(1, 1) + once : once + varint(1, 1) + more);
      p2::AllView all;
      ASSERT_TRUE(all.decode(input.bytes()).ok());
      const std::string_view name = name_of_child(all);
      EXPECT_EQ(name, "a name");
      EXPECT_TRUE(reinterpret_cast<const std::uint8_t*>(name.data()) >= input.bytes().begin() &&
                  reinterpret_cast<const std::uint8_t*>(name.data()) < input.bytes().end());
    }
  }
}

// A child in three records, with a value of everything that can have a handle or an iterator.
std::string split_child() {
  return len(18, len(2, "first") + varint(4, 1) + len(5, len(1, "a") + len(2, "")) + varint(99, 1) +
                     len(9, varint(1, 10)) + len(3, len(2, "inner"))) +
         varint(1, 7) + len(18, "") +
         len(18, len(4, "\x02\x03") + len(9, varint(1, 11)) + len(3, varint(1, 5)) + len(98, "kept")) +
         len(14, "between") +
         len(18, varint(97, 3) + varint(4, 4) + len(5, len(1, "b") + varint(2, 9)) + len(9, varint(1, 12)) +
                     len(2, "last") + len(3, len(2, "most") + len(3, len(2, "deep"))));
}

TEST(ViewLifetime, everything_taken_from_a_split_message_outlives_its_view) {
  const Exact input(split_child());
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  EXPECT_TRUE(all.validate().ok());
  auto child = std::make_unique<p2::ChildView>();
  ASSERT_TRUE(child->open(all.single_child()).ok());
  EXPECT_TRUE(child->validate().ok());
  const auto numbers = child->numbers();
  auto number = numbers.begin();
  const auto counts = child->counts();
  auto count = counts.begin();
  const auto children = child->children();
  auto element = children.begin();
  const auto unknown = child->unknown_fields();
  auto field = unknown.begin();
  const auto inner = child->child();
  const auto whole = child->whole();
  const auto pieces = child->pieces();
  const std::string_view name = child->name();
  const p2::ChildView copy = *child;
  const p2::ChildView moved = std::move(*child);
  EXPECT_EQ(child->name(), "last") << "a view that was moved from stays what it was";
  ASSERT_TRUE(child->open(all.single_child()).ok());
  child.reset();
  ASSERT_TRUE(all.decode(Bytes()).ok());

  EXPECT_EQ(name, "last");
  std::vector<std::int32_t> read;
  for (; number != numbers.end(); ++number) read.push_back(*number);
  EXPECT_EQ(read, (std::vector<std::int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(numbers.nth(3), 4);
  std::string shown;
  for (; count != counts.end(); ++count) shown += std::string(count.key()) + "=" + std::to_string(count.value()) + " ";
  EXPECT_EQ(shown, "a=0 b=9 ");
  EXPECT_EQ(counts.find("b"), 9);
  std::int64_t ids = 0;
  p2::ChildView opened;
  for (; element != children.end(); ++element) {
    ASSERT_TRUE(opened.open(*element).ok());
    ids = ids * 100 + opened.id();
  }
  EXPECT_EQ(ids, 101112);
  ASSERT_TRUE(opened.open(children.nth(2)).ok());
  EXPECT_EQ(opened.id(), 12);
  shown.clear();
  for (; field != unknown.end(); ++field) shown += std::to_string(field->number()) + " ";
  EXPECT_EQ(shown, "99 98 97 ");
  ASSERT_TRUE(opened.open(inner).ok());
  EXPECT_EQ(opened.name(), "most");
  EXPECT_EQ(opened.id(), 5);
  ASSERT_TRUE(opened.open(opened.child()).ok()) << "a view is opened on its own child";
  EXPECT_EQ(opened.name(), "deep");
  ASSERT_TRUE(opened.open(whole).ok());
  EXPECT_EQ(opened.name(), "last");
  for (const p2::ChildView* view : {&copy, &moved}) {
    EXPECT_EQ(view->name(), "last");
    EXPECT_EQ(view->numbers().size(), 4u);
    std::string merged;
    view->append_to(merged);
    p2::ChildView joined;
    ASSERT_TRUE(joined.decode(std::string_view(merged)).ok());
    EXPECT_EQ(joined.numbers().nth(3), 4);
    EXPECT_EQ(joined.name(), "last");
    EXPECT_EQ(merged.size(), pieces.byte_size());
  }
  EXPECT_EQ(pieces.size(), 3u) << "the empty record is none";
}

TEST(ViewLifetime, a_message_split_on_every_level_is_read_on_every_level) {
  std::string inside = len(2, "name") + varint(4, 0);
  for (int level = 1; level <= 20; ++level) {
    std::string outer;
    for (std::size_t at = 0; at < inside.size(); ++at) {  // each field of the inner message is in a record of its own
      std::size_t end = at + 1;
      p2::ChildView part;
      while (!part.decode(Bytes(std::string_view(inside).substr(at, end - at))).ok()) ++end;
      outer += len(3, inside.substr(at, end - at));
      at = end - 1;
    }
    inside = outer + varint(4, static_cast<std::uint64_t>(level));
  }
  const Exact input(inside);
  p2::ChildView child;
  ASSERT_TRUE(child.decode(input.bytes()).ok());
  ASSERT_TRUE(child.validate().ok());
  std::vector<hotpb::view::Repeated<hotpb::view::Int32>> numbers;
  for (int level = 20; level >= 1; --level) {
    numbers.push_back(child.numbers());
    ASSERT_TRUE(child.open(child.child()).ok()) << level;
  }
  EXPECT_EQ(child.name(), "name");
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i].nth(0), 20 - static_cast<std::int32_t>(i));
}

TEST(ViewLifetime, records_without_content_allocate_nothing) {
  const Exact input(len(18, "") + len(18, len(2, "n")) + len(18, "") + len(18, ""));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  p2::ChildView child;
  const std::size_t before = allocation_count();
  const bool good = child.open(all.single_child()).ok();
  EXPECT_EQ(allocation_count(), before);
  EXPECT_TRUE(good);
  EXPECT_EQ(child.name(), "n");
}

TEST(ViewLifetime, values_of_a_split_message_are_overwritten_where_they_lie) {  // VIW-14, VIW-38
  const std::string text = split_child();
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  p2::AllView all;
  ASSERT_TRUE(all.decode({bytes.data(), bytes.size()}).ok());
  p2::ChildView child;
  ASSERT_TRUE(child.open(all.single_child()).ok());
  EXPECT_TRUE(child.overwrite_name(bytes, "tsal"));
  EXPECT_TRUE(child.overwrite_numbers(bytes, 0, 100));
  EXPECT_TRUE(child.overwrite_numbers(bytes, 2, 103));
  EXPECT_TRUE(child.overwrite_numbers(bytes, 3, 104));
  EXPECT_FALSE(child.overwrite_numbers(bytes, 4, 1));
  p2::AllView changed;
  ASSERT_TRUE(changed.decode({bytes.data(), bytes.size()}).ok());
  ASSERT_TRUE(changed.validate().ok());
  ASSERT_TRUE(child.open(changed.single_child()).ok());
  EXPECT_EQ(child.name(), "tsal");
  const auto numbers = child.numbers();
  EXPECT_EQ(std::vector<std::int32_t>(numbers.begin(), numbers.end()), (std::vector<std::int32_t>{100, 2, 103, 104}));
}

// An error is found in the record that has it. Offsets count from the first byte of the merged message, indices within
// the record (PTH-2, VIW-31).
TEST(ViewLifetime, errors_of_a_split_message_count_from_its_first_byte) {
  const Exact input(len(18, varint(1, 1) + len(2, "abc") + varint(4, 1)) + varint(1, 1) +
                    len(18, varint(4, 2) + varint(4, 3) + "\x20"));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  p2::ChildView child;
  EXPECT_EQ(hotpb::to_string(child.open(all.single_child())), "Truncated at byte 14: numbers[2]");
  EXPECT_FALSE(child.has_name());
  EXPECT_EQ(child.pieces().size(), 0u);
  EXPECT_TRUE(child.unknown_fields().empty());

  const Exact deep(len(18, varint(1, 1)) + len(18, len(9, varint(1, 1)) + len(9, "\x08")));
  ASSERT_TRUE(all.decode(deep.bytes()).ok());
  ASSERT_TRUE(child.open(all.single_child()).ok());
  EXPECT_EQ(hotpb::to_string(child.validate()), "Truncated at byte 9: children[1].id");
}

TEST(ViewLifetime, required_fields_of_a_split_message_are_missed_at_the_end_of_the_merged_one) {  // OFF-8, PTH-6
  const Exact input(len(1, varint(1, 1)) + varint(99, 5) + len(1, varint(98, 1)));
  p2::NeedsView needs;
  ASSERT_TRUE(needs.decode(input.bytes()).ok());
  p2::MustView must;
  ASSERT_TRUE(must.open(needs.one()).ok());
  EXPECT_EQ(hotpb::to_string(must.check_initialized()), "MissingRequired at byte 5: name");
}

TEST(ViewLifetime, a_reused_view_shows_nothing_of_the_message_before) {  // the sentence of POL-2, for views
  p2::ChildView child;
  {
    const Exact longer(len(2, "a longer string") + len(99, "unknown at the end"));
    ASSERT_TRUE(child.decode(longer.bytes()).ok());
    EXPECT_FALSE(child.unknown_fields().empty());
  }
  const Exact input(len(2, "b"));
  ASSERT_TRUE(child.decode(input.bytes()).ok());
  EXPECT_TRUE(child.unknown_fields().empty());
  EXPECT_EQ(child.name(), "b");

  const Exact split(len(18, len(2, "b") + varint(99, 1)) + len(18, varint(98, 2)));
  p2::AllView all;
  ASSERT_TRUE(all.decode(split.bytes()).ok());
  ASSERT_TRUE(child.open(all.single_child()).ok());
  EXPECT_EQ(child.pieces().size(), 2u);
  ASSERT_TRUE(child.decode(input.bytes()).ok());
  EXPECT_TRUE(child.unknown_fields().empty());
  EXPECT_EQ(child.pieces().size(), 1u);
  EXPECT_EQ(child.open(all.repeated_child().nth(0)).code, Code::HandleMisuse);
  EXPECT_TRUE(child.pieces().empty());
}

TEST(ViewLifetime, the_unknown_fields_of_a_split_message_are_its_own) {
  // An input that a fuzzer found: the second record ends in an unknown field, which starts after the end of the first
  // record.
  const Exact input(len(18, len(2, "_")) + len(18, len(2, "e_Z\xc3\xa9\xe4\xb8\x96X") + len(34831, "d9d9")));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  p2::ChildView child;
  ASSERT_TRUE(child.open(all.single_child()).ok());
  std::string unknown;
  for (const auto& field : child.unknown_fields()) field.append_to(unknown);
  EXPECT_EQ(to_hex(unknown), to_hex(len(34831, "d9d9")));
}

TEST(ViewLifetime, an_extension_of_a_split_message_is_read_across_its_records) {
  const Exact input(len(19, varint(1001, 1) + len(1018, len(2, "first"))) + varint(1, 1) +
                    len(19, len(1018, varint(1, 8)) + varint(1001, 2)));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  p2::AllView inner;
  ASSERT_TRUE(inner.open(all.single_all()).ok());
  p2::ext_int32View number;
  ASSERT_TRUE(number.open(inner).ok());
  p2::ext_childView message;
  ASSERT_TRUE(message.open(inner).ok());
  ASSERT_TRUE(inner.decode(Bytes()).ok());
  EXPECT_EQ(number.value(), 2);
  p2::ChildView child;
  ASSERT_TRUE(child.open(message.value()).ok());
  EXPECT_EQ(child.name(), "first");
  EXPECT_EQ(child.id(), 8);
}

}  // namespace
}  // namespace hotpb_test
