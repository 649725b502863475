// Ranges of opened children (cpp/rules.md, VIW-64).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hotpb/vectors_proto2.hot.h"
#include "support/fields.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::Error;
using hotpb::view::opened;
namespace p2 = hotpb::vectors::p2::hot;

std::string child(std::uint64_t id, const std::string& more = "") { return len(318, varint(1, id) + more); }
std::string grandchild(std::uint64_t id) { return len(9, varint(1, id)); }

std::vector<int> ids_of(const p2::AllView& all, Error& error) {
  std::vector<int> ids;
  for (const p2::ChildView& kid : opened(all.repeated_child(), error)) ids.push_back(kid.id());
  return ids;
}

TEST(ViewOpened, elements_come_opened_and_in_order) {
  const Exact input(child(1) + varint(1, 5) + child(2) + child(3) + len(318, ""));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  Error error;
  EXPECT_EQ(ids_of(all, error), (std::vector<int>{1, 2, 3, 0}));
  EXPECT_TRUE(error.ok());
  // Nothing of an element is left in the next one, and a copy stays.
  std::vector<p2::ChildView> copies;
  for (const p2::ChildView& kid : opened(all.repeated_child(), error)) copies.push_back(kid);
  ASSERT_EQ(copies.size(), 4u);
  EXPECT_FALSE(copies[3].has_id());
  EXPECT_EQ(copies[1].id(), 2);
  EXPECT_TRUE(ids_of(p2::AllView(), error).empty());
}

TEST(ViewOpened, the_first_fault_ends_the_loop_with_the_error_of_open) {
  const std::string bad = len(318, varint(1, 9) + "\x12\x05pa");
  const Exact input(child(1) + child(2) + bad + child(4));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  Error error;
  EXPECT_EQ(ids_of(all, error), (std::vector<int>{1, 2}));
  p2::ChildView by_hand;
  EXPECT_EQ(error, by_hand.open(all.repeated_child().nth(2)));
  EXPECT_EQ(hotpb::to_string(error), "Truncated at byte 4: name");
  // No loop begins while the error is there, and it is kept.
  const Error before = error;
  EXPECT_TRUE(ids_of(all, error).empty());
  EXPECT_EQ(error, before);
}

TEST(ViewOpened, one_error_ends_loops_inside_each_other) {
  const Exact input(child(1, grandchild(11) + grandchild(12)) +
                    child(2, grandchild(21) + len(9, "\x08") + grandchild(23)) + child(3, grandchild(31)));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  Error error;
  std::vector<int> ids;
  for (const p2::ChildView& kid : opened(all.repeated_child(), error)) {
    for (const p2::ChildView& below : opened(kid.children(), error)) ids.push_back(below.id());
  }
  EXPECT_EQ(ids, (std::vector<int>{11, 12, 21}));
  EXPECT_EQ(error.code, Code::Truncated);
}

TEST(ViewOpened, elements_of_a_message_in_several_records) {
  const Exact input(len(18, varint(1, 1) + grandchild(11)) + varint(1, 7) + len(18, "") +
                    len(18, grandchild(12) + grandchild(13)) + len(18, len(9, grandchild(5) + grandchild(6))));
  p2::AllView all;
  p2::ChildView split;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  ASSERT_TRUE(split.open(all.single_child()).ok());
  Error error;
  std::vector<int> ids;
  for (const p2::ChildView& kid : opened(split.children(), error)) {
    ids.push_back(kid.id());
    for (const p2::ChildView& below : opened(kid.children(), error)) ids.push_back(below.id());
  }
  EXPECT_TRUE(error.ok());
  EXPECT_EQ(ids, (std::vector<int>{11, 12, 13, 0, 5, 6}));
}

TEST(ViewOpened, depth_counts_as_in_open) {
  const Exact input(child(1));
  hotpb::ReadOptions options;
  options.depth = 0;
  p2::AllView all;
  if (const Error error = all.decode(input.bytes(), options); !error.ok()) {
    EXPECT_EQ(error.code, Code::DepthExceeded);
    return;
  }
  Error error;
  EXPECT_TRUE(ids_of(all, error).empty());
  EXPECT_EQ(error.code, Code::DepthExceeded);
}

}  // namespace
}  // namespace hotpb_test
