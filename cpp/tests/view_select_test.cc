// Views that leave out fields by only= and skip= (FCE-9). The file is compiled twice, with code that discards the
// fields and with code that keeps them among the unknown fields (HOTPB_KEPT).
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#include "hotpb/vectors_proto2.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Error;
using namespace hotpb::vectors::p2::hot;
using namespace std::string_literals;

#ifdef HOTPB_KEPT
constexpr bool kKept = true;
#else
constexpr bool kKept = false;
#endif

// Whether the class has this member.
#define HAS_MEMBER(name)                                                          \
  template <class T, class = void>                                                \
  constexpr bool has_##name = false;                                              \
  template <class T>                                                              \
  constexpr bool has_##name<T, std::void_t<decltype(std::declval<T>().name())>> = true
HAS_MEMBER(id);
HAS_MEMBER(has_id);
HAS_MEMBER(child);
HAS_MEMBER(children);
HAS_MEMBER(name);
HAS_MEMBER(has_name);
HAS_MEMBER(numbers);
HAS_MEMBER(counts);
HAS_MEMBER(pick_id);
HAS_MEMBER(which_pick);
HAS_MEMBER(one);
HAS_MEMBER(needs);
HAS_MEMBER(by_id);
HAS_MEMBER(grp);
HAS_MEMBER(picked);
static_assert(has_id<ChildView> && has_has_id<ChildView> && has_child<ChildView> && has_children<ChildView>);
static_assert(!has_name<ChildView> && !has_has_name<ChildView> && !has_numbers<ChildView> && !has_counts<ChildView> &&
              !has_pick_id<ChildView> && !has_which_pick<ChildView>);
static_assert(has_one<NeedsView> && has_needs<NeedsView> && !has_by_id<NeedsView> && !has_grp<NeedsView> &&
              !has_picked<NeedsView> && !has_which_pick<NeedsView>);

template <class V>
std::string unknown_of(const V& view) {
  std::string out;
  for (const auto& field : view.unknown_fields()) field.append_to(out);
  return to_hex(out);
}

// Every field of a Child, with left-out fields on all sides of the others, and three unknown fields; and what remains.
const std::string kRecords = from_hex(
    "120178 2005 d80101 0807 22020102 2a050a016b1009 d80102 1063 320170 1a050808120179 3a020801 4a0412000809 4001"
    "d80103 12017a");
const std::string kRemains = from_hex("d80101 0807 d80102 1a020808 4a020809 d80103");

TEST(ViewSelect, a_message_reads_as_if_the_fields_left_out_had_not_been_there) {
  for (const std::string& bytes : {kRecords, kRemains}) {
    const Exact input(bytes);
    ChildView child;
    ASSERT_TRUE(child.decode(input.bytes()).ok());
    ASSERT_TRUE(child.validate().ok());
    EXPECT_EQ(child.id(), 7);
    ChildView inner;
    ASSERT_TRUE(inner.open(child.child()).ok());
    EXPECT_EQ(inner.id(), 8);
    ASSERT_EQ(child.children().size(), 1u);
    ChildView element;
    ASSERT_TRUE(element.open(child.children().nth(0)).ok());
    EXPECT_EQ(element.id(), 9);
    if (kKept && bytes == kRecords) {
      EXPECT_EQ(unknown_of(child), "1201782005d80101220201022a050a016b1009d8010210633201703a0208014001d8010312017a");
      EXPECT_EQ(unknown_of(inner), "120179");
    } else {
      EXPECT_EQ(unknown_of(child), "d80101d80102d80103");
      EXPECT_EQ(unknown_of(inner), "");
      EXPECT_EQ(unknown_of(element), "");
    }
  }
}

#ifdef HOTPB_KEPT
TEST(ViewSelect, what_is_kept_is_written_back) {
  const Exact input(kRecords);
  ChildView child;
  ASSERT_TRUE(child.decode(input.bytes()).ok());
  std::string out;
  Error error;
  ASSERT_TRUE(append_canonical(child, out, error));
  EXPECT_EQ(to_hex(out), "08071a0508081201794a04080912001201782005d80101220201022a050a016b1009d8010210633201703a020801"
                         "4001d8010312017a");
}
#endif

TEST(ViewSelect, a_field_left_out_is_checked_in_its_wire_form_only) {
  const struct {
    const char* name;
    std::string input;
    const char* error;
  } cases[] = {
      {"not UTF-8", "\x12\x01\xff", "Ok"},
      {"damage in a packed record", "\x22\x01\x80", "Ok"},
      {"damage in a map entry", "\x2a\x01\x0a", "Ok"},
      {"damage in a message", "\x3a\x02\x00\x07"s, "Ok"},
      {"another wire type", "\x15\x01\x02\x03\x04", "Ok"},
      {"too many messages inside each other", "\x3a\x02\x3a\x00"s, "Ok"},
      {"", "\x08\x01\x12\x05x", "Truncated at byte 4: 2"},
      {"", "\x08\x01\x20\x80", "Truncated at byte 3: 4"},
      {"", "\x08\x01\x23\x08\x01", "Truncated at byte 5: 4"},
      {"", "\x23\x2c", "GroupMismatch at byte 1: 4"},
      {"", "\x23\x23\x24\x24", "DepthExceeded at byte 1: 4.4"},
      {"", "\x12\xff\xff\xff\xff\x0f", "SizeExceeded at byte 0: 2"},
      {"", "\x17", "InvalidWireType at byte 0"},
      {"", "\x1a\x03\x12\x02x", "Truncated at byte 4: child.2"},
  };
  for (const auto& test : cases) {
    const Exact input(test.input);
    hotpb::ReadOptions options;
    options.strict = true;
    options.depth = 1;
    ChildView child;
    Error error = child.decode(input.bytes(), options);
    if (error.ok()) error = child.validate();
    EXPECT_EQ(hotpb::to_string(error), test.error) << test.name << to_hex(test.input);
  }
}

TEST(ViewSelect, a_required_field_left_out_is_not_missed) {
  const struct {
    std::string input;
    const char* missing;
  } cases[] = {
      {"\x0a\x02\x08\x01", ""},                           // one.name is left out
      {"\x12\x02\x08\x01\x12\x02\x20\x01", "many[1].id"},  // its id is not left out
      {"\x1a\x02\x12\x00\x22\x00\x3b\x3c"s, ""},          // by_id, picked and grp are left out whole
      {"\x32\x06\x22\x00\x0a\x02\x20\x01"s, "needs.one.id"},
  };
  for (const auto& test : cases) {
    const Exact input(test.input);
    NeedsView needs;
    ASSERT_TRUE(needs.decode(input.bytes()).ok());
    EXPECT_EQ(needs.check_initialized().path, test.missing) << to_hex(test.input);
  }
}

TEST(ViewSelect, extensions_are_read_beside_fields_left_out) {
  // by_id, the extension, grp that contains the number of the extension, and the extension again.
  const Exact input(from_hex("1a00 a206020805 3ba2060208073c a206022006"));
  NeedsView needs;
  ASSERT_TRUE(needs.decode(input.bytes()).ok());
  Scope_must_extensionView extension;
  ASSERT_TRUE(extension.open(needs).ok());
  MustView must;
  ASSERT_TRUE(must.open(extension.value()).ok());
  EXPECT_EQ(must.id(), 5);
  EXPECT_EQ(must.number(), 6);
  EXPECT_EQ(unknown_of(needs), kKept ? "1a00a2060208053ba2060208073ca206022006" : "a206020805a206022006");
  const hotpb::view::ExtensionEntry extensions[] = {Scope_must_extensionView::entry()};
  std::string rest;
  for (const auto& field : needs.unknown_fields().without(extensions, 1)) field.append_to(rest);
  EXPECT_EQ(to_hex(rest), kKept ? "1a003ba2060208073c" : "");
}

}  // namespace
}  // namespace hotpb_test
