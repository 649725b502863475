// Pools of which only= and skip= leave fields out (FCE-9): compiled twice, from code that drops them and from code that
// keeps them among the unknown fields (HOTPB_KEPT).
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#ifdef HOTPB_KEPT
#include "hotpb/vectors_proto2.builder.hot.h"
#endif
#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/vectors_proto2.visitor.hot.h"
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

// Has the class this member?
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
static_assert(has_id<Child> && has_has_id<Child> && has_child<Child> && has_children<Child>);
static_assert(!has_name<Child> && !has_has_name<Child> && !has_numbers<Child> && !has_counts<Child> &&
              !has_pick_id<Child> && !has_which_pick<Child>);
static_assert(has_one<Needs> && has_needs<Needs> && !has_by_id<Needs> && !has_grp<Needs> &&
              !has_picked<Needs> && !has_which_pick<Needs>);

static_assert(Child::kEncodes == kKept && Needs::kEncodes == kKept);

template <class M>
std::string unknown_of(const M& message) {
  std::string out;
  for (const auto& field : message.unknown_fields()) out += field.record().text();
  return to_hex(out);
}

// Every field of a Child, what is left out on all sides of what is not, and three unknown fields; and what remains.
const std::string kRecords = from_hex(
    "120178 2005 d80101 0807 22020102 2a050a016b1009 d80102 1063 320170 1a050808120179 3a020801 4a0412000809 4001"
    "d80103 12017a");
const std::string kRemains = from_hex("d80101 0807 d80102 1a020808 4a020809 d80103");

struct Seen : ChildVisitor {
  std::int32_t last = 0;
  std::string unknown;
  void id(std::int32_t value) { last = value; }
  void unknown_fields(const hotpb::pool::UnknownField& field) { unknown += field.record().text(); }
};

// FCE-18 to FCE-20 of visitors and builders.
TEST(PoolSelect, a_visitor_and_a_builder_have_what_a_pool_keeps) {
  for (const std::string& bytes : {kRecords, kRemains}) {
    const Exact input(bytes);
    ChildPool pool;
    ASSERT_TRUE(pool.decode(input.bytes()).ok());
    Seen seen;
    ASSERT_TRUE(hotpb::visit<Child>(input.bytes(), seen).ok());
    EXPECT_EQ(seen.last, 7);
    EXPECT_EQ(to_hex(seen.unknown), unknown_of(*pool));
    const Exact cut(bytes.substr(0, bytes.size() - 1));
    EXPECT_EQ(hotpb::to_string(hotpb::visit<Child>(cut.bytes(), Seen()).error),
              hotpb::to_string(ChildPool().decode(cut.bytes())));
#ifdef HOTPB_KEPT
    hotpb::EncodeBuffer of_pool;
    hotpb::EncodeBuffer of_builder;
    ASSERT_TRUE(of_pool.encode(*pool).ok());
    ASSERT_TRUE(ChildBuilder(*pool).encode(of_builder).ok());
    EXPECT_EQ(to_hex(of_builder.bytes().text()), to_hex(of_pool.bytes().text()));
#endif
  }
}

TEST(PoolSelect, a_message_reads_as_if_the_fields_left_out_had_not_been_there) {
  for (const std::string& bytes : {kRecords, kRemains}) {
    const Exact input(bytes);
    ChildPool pool;
    ASSERT_TRUE(pool.decode(input.bytes()).ok());
    const Child& child = *pool;
    EXPECT_EQ(child.id(), 7);
    const Child& inner = child.child();
    EXPECT_EQ(inner.id(), 8);
    ASSERT_EQ(child.children().size(), 1u);
    const Child& element = child.children()[0];
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
TEST(PoolSelect, what_is_kept_is_written_back) {
  const Exact input(kRecords);
  ChildPool pool;
  ASSERT_TRUE(pool.decode(input.bytes()).ok());
  hotpb::EncodeBuffer buffer;
  ASSERT_TRUE(buffer.encode(*pool).ok());
  EXPECT_EQ(to_hex(buffer.bytes().text()),
            "08071a0508081201794a04080912001201782005d80101220201022a050a016b1009d8010210633201703a0208014001d80103"
            "12017a");
}
#endif

TEST(PoolSelect, a_field_left_out_is_checked_in_its_wire_form_only) {
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
    hotpb::DecodeOptions options;
    options.strict = true;
    options.depth = 1;
    ChildPool pool;
    const Error error = pool.decode(input.bytes(), options);
    EXPECT_EQ(hotpb::to_string(error), test.error) << test.name << to_hex(test.input);
  }
}

TEST(PoolSelect, a_required_field_left_out_is_not_missed) {
  const struct {
    std::string input;
    const char* missing;
  } cases[] = {
      {"\x0a\x02\x08\x01", ""},                           // one.name is left out
      {"\x12\x02\x08\x01\x12\x02\x20\x01", "many[1].id"},  // its id is not
      {"\x1a\x02\x12\x00\x22\x00\x3b\x3c"s, ""},          // all of by_id, picked and grp is left out
      {"\x32\x06\x22\x00\x0a\x02\x20\x01"s, "needs.one.id"},
  };
  for (const auto& test : cases) {
    const Exact input(test.input);
    NeedsPool pool;
    EXPECT_EQ(pool.decode(input.bytes()).path, test.missing) << to_hex(test.input);
  }
}

TEST(PoolSelect, extensions_are_read_beside_fields_left_out) {
  // by_id, the extension, grp with what would be the extension in it, the extension again.
  const Exact input(from_hex("1a00 a206020805 3ba2060208073c a206022006"));
  NeedsPool pool;
  ASSERT_TRUE(pool.decode(input.bytes()).ok());
  Scope_must_extensionPool extension;
  ASSERT_TRUE(extension.open(*pool).ok());
  ASSERT_TRUE(extension->has_value());
  EXPECT_EQ(extension->value().id(), 5);
  EXPECT_EQ(extension->value().number(), 6);
  EXPECT_EQ(unknown_of(*pool), kKept ? "1a00a2060208053ba2060208073ca206022006" : "a206020805a206022006");
}

}  // namespace
}  // namespace hotpb_test
