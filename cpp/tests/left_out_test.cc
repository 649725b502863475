// Views and pools that leave out fields by only= and skip= (FCE-9). The file is compiled twice, with code that discards
// the fields and with code that keeps them among the unknown fields (HOTPB_KEPT).
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
template <class ChildClass, class NeedsClass>
constexpr bool has_selected_members() {
  static_assert(has_id<ChildClass> && has_has_id<ChildClass> && has_child<ChildClass> && has_children<ChildClass>);
  static_assert(!has_name<ChildClass> && !has_has_name<ChildClass> && !has_numbers<ChildClass> &&
                !has_counts<ChildClass> && !has_pick_id<ChildClass> && !has_which_pick<ChildClass>);
  static_assert(has_one<NeedsClass> && has_needs<NeedsClass> && !has_by_id<NeedsClass> && !has_grp<NeedsClass> &&
                !has_picked<NeedsClass> && !has_which_pick<NeedsClass>);
  return true;
}
static_assert(has_selected_members<ChildView, NeedsView>() && has_selected_members<Child, Needs>());
static_assert(Child::kEncodes == kKept && Needs::kEncodes == kKept);

// A face: what decodes a Child and a Needs, and how.
struct View {
  using ChildReader = ChildView;
  using NeedsReader = NeedsView;
  using Options = hotpb::ReadOptions;

  template <class V>
  static Error decode(V& view, hotpb::Bytes input, const Options& options = {}) {
    const Error error = view.decode(input, options);
    return error.ok() ? view.validate() : error;
  }
  template <class V>
  static const V& message(const V& view) {
    return view;
  }
  static ChildView opened(const hotpb::view::Message<ChildView>& child) {
    ChildView view;
    EXPECT_TRUE(view.open(child).ok());
    return view;
  }
  static ChildView first(const ChildView& child) { return opened(child.children().nth(0)); }
  static std::string missing(hotpb::Bytes input) {
    NeedsView needs;
    EXPECT_TRUE(needs.decode(input).ok());
    return needs.check_initialized().path;
  }
  template <class V>
  static std::string unknown(const V& view) {
    std::string out;
    for (const auto& field : view.unknown_fields()) field.append_to(out);
    return to_hex(out);
  }
  // The id and the number of the extension's message.
  static std::pair<int, int> extension(const NeedsView& needs) {
    Scope_must_extensionView extension;
    EXPECT_TRUE(extension.open(needs).ok());
    MustView must;
    EXPECT_TRUE(must.open(extension.value()).ok());
    return {must.id(), must.number()};
  }
};

struct Pool {
  using ChildReader = ChildPool;
  using NeedsReader = NeedsPool;
  using Options = hotpb::DecodeOptions;

  template <class P>
  static Error decode(P& pool, hotpb::Bytes input, const Options& options = {}) {
    return pool.decode(input, options);
  }
  template <class P>
  static const auto& message(const P& pool) {
    return *pool;
  }
  static const Child& opened(const Child& child) { return child; }
  static const Child& first(const Child& child) { return child.children()[0]; }
  static std::string missing(hotpb::Bytes input) { return NeedsPool().decode(input).path; }
  template <class M>
  static std::string unknown(const M& message) {
    std::string out;
    for (const auto& field : message.unknown_fields()) out += field.record().text();
    return to_hex(out);
  }
  static std::pair<int, int> extension(const Needs& needs) {
    Scope_must_extensionPool extension;
    EXPECT_TRUE(extension.open(needs).ok());
    EXPECT_TRUE(extension->has_value());
    return {extension->value().id(), extension->value().number()};
  }
};

template <class Face>
class LeftOut : public testing::Test {};
using Faces = testing::Types<View, Pool>;
TYPED_TEST_SUITE(LeftOut, Faces);

// Every field of a Child, with left-out fields on all sides of the others, and three unknown fields; and what remains.
const std::string kRecords = from_hex(
    "120178 2005 d80101 0807 22020102 2a050a016b1009 d80102 1063 320170 1a050808120179 3a020801 4a0412000809 4001"
    "d80103 12017a");
const std::string kRemains = from_hex("d80101 0807 d80102 1a020808 4a020809 d80103");

TYPED_TEST(LeftOut, a_message_reads_as_if_the_fields_left_out_had_not_been_there) {
  for (const std::string& bytes : {kRecords, kRemains}) {
    const Exact input(bytes);
    typename TypeParam::ChildReader reader;
    ASSERT_TRUE(TypeParam::decode(reader, input.bytes()).ok());
    const auto& child = TypeParam::message(reader);
    EXPECT_EQ(child.id(), 7);
    const auto& inner = TypeParam::opened(child.child());
    EXPECT_EQ(inner.id(), 8);
    ASSERT_EQ(child.children().size(), 1u);
    const auto& element = TypeParam::first(child);
    EXPECT_EQ(element.id(), 9);
    if (kKept && bytes == kRecords) {
      EXPECT_EQ(TypeParam::unknown(child),
                "1201782005d80101220201022a050a016b1009d8010210633201703a0208014001d8010312017a");
      EXPECT_EQ(TypeParam::unknown(inner), "120179");
    } else {
      EXPECT_EQ(TypeParam::unknown(child), "d80101d80102d80103");
      EXPECT_EQ(TypeParam::unknown(inner), "");
      EXPECT_EQ(TypeParam::unknown(element), "");
    }
  }
}

#ifdef HOTPB_KEPT
TEST(LeftOutFields, what_is_kept_is_written_back) {
  const Exact input(kRecords);
  const std::string wanted =
      "08071a0508081201794a04080912001201782005d80101220201022a050a016b1009d8010210633201703a0208014001d8010312017a";
  ChildView child;
  ASSERT_TRUE(child.decode(input.bytes()).ok());
  std::string out;
  Error error;
  ASSERT_TRUE(append_canonical(child, out, error));
  EXPECT_EQ(to_hex(out), wanted);
  ChildPool pool;
  ASSERT_TRUE(pool.decode(input.bytes()).ok());
  hotpb::EncodeBuffer buffer;
  ASSERT_TRUE(buffer.encode(*pool).ok());
  EXPECT_EQ(to_hex(buffer.bytes().text()), wanted);
}
#endif

TYPED_TEST(LeftOut, a_field_left_out_is_checked_in_its_wire_form_only) {
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
    typename TypeParam::Options options;
    options.strict = true;
    options.depth = 1;
    typename TypeParam::ChildReader child;
    EXPECT_EQ(hotpb::to_string(TypeParam::decode(child, input.bytes(), options)), test.error)
        << test.name << to_hex(test.input);
  }
}

TYPED_TEST(LeftOut, a_required_field_left_out_is_not_missed) {
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
    EXPECT_EQ(TypeParam::missing(input.bytes()), test.missing) << to_hex(test.input);
  }
}

// by_id, the extension, grp that contains the number of the extension, and the extension again.
const std::string kExtended = from_hex("1a00 a206020805 3ba2060208073c a206022006");

TYPED_TEST(LeftOut, extensions_are_read_beside_fields_left_out) {
  const Exact input(kExtended);
  typename TypeParam::NeedsReader reader;
  ASSERT_TRUE(TypeParam::decode(reader, input.bytes()).ok());
  const auto& needs = TypeParam::message(reader);
  EXPECT_EQ(TypeParam::extension(needs), std::make_pair(5, 6));
  EXPECT_EQ(TypeParam::unknown(needs), kKept ? "1a00a2060208053ba2060208073ca206022006" : "a206020805a206022006");
}

TEST(LeftOutFields, unknown_fields_without_extensions) {
  const Exact input(kExtended);
  NeedsView needs;
  ASSERT_TRUE(needs.decode(input.bytes()).ok());
  const hotpb::view::ExtensionEntry extensions[] = {Scope_must_extensionView::entry()};
  std::string rest;
  for (const auto& field : needs.unknown_fields().without(extensions, 1)) field.append_to(rest);
  EXPECT_EQ(to_hex(rest), kKept ? "1a003ba2060208073c" : "");
}

struct Seen : ChildVisitor {
  std::int32_t last = 0;
  std::string unknown;
  void id(std::int32_t value) { last = value; }
  void unknown_fields(const hotpb::pool::UnknownField& field) { unknown += field.record().text(); }
};

// FCE-18 to FCE-20 of visitors and builders.
TEST(LeftOutFields, a_visitor_and_a_builder_have_what_a_pool_keeps) {
  for (const std::string& bytes : {kRecords, kRemains}) {
    const Exact input(bytes);
    ChildPool pool;
    ASSERT_TRUE(pool.decode(input.bytes()).ok());
    Seen seen;
    ASSERT_TRUE(hotpb::visit<Child>(input.bytes(), seen).ok());
    EXPECT_EQ(seen.last, 7);
    EXPECT_EQ(to_hex(seen.unknown), Pool::unknown(*pool));
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

}  // namespace
}  // namespace hotpb_test
