// The view's contract (spec/faces.md) where the vectors do not show it: laziness, memory, presence, indexing, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/wire/write.h"
#include "support/fields.h"
#include "support/support.h"
#include "view_allocations.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::Error;
namespace p2 = hotpb::vectors::p2::hot;
namespace p3 = hotpb::vectors::p3::hot;
namespace wire = hotpb::wire;

// VIW-1, VIW-2: adds up values of every kind.
std::uint64_t read_all(const p2::AllView& all) {
  std::uint64_t sum = static_cast<std::uint64_t>(all.single_int32()) + all.single_string().size();
  for (const std::int32_t number : all.packed_int32()) sum += static_cast<std::uint64_t>(number);
  for (const std::string_view text : all.repeated_string()) sum += text.size();
  for (const auto [key, value] : all.key_string()) sum += key.size() + value.size();
  for (const auto& message : all.repeated_child()) {
    p2::ChildView child;
    if (!child.open(message).ok()) return 0;
    sum += static_cast<std::uint64_t>(child.id());
  }
  for (const auto& field : all.unknown_fields()) sum += field.number();
  p2::ext_int32View extension;
  if (!extension.open(all).ok()) return 0;
  return sum + static_cast<std::uint64_t>(extension.value()) + all.which_kind();
}

TEST(View, decoding_and_reading_allocate_nothing) {
  const std::string bytes = varint(1, 7) + len(14, "text") + len(401, "\x01\x02\x03") + len(314, "a") + len(314, "bc") +
                            len(614, len(1, "k") + len(2, "v")) + len(318, varint(1, 5)) + varint(1999, 1) +
                            varint(1001, 9) + varint(801, 3);
  const std::size_t before = allocation_count();
  p2::AllView all;
  const bool good = all.decode(std::string_view(bytes)).ok() && all.validate().ok();
  const std::uint64_t sum = read_all(all);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_TRUE(good);
  EXPECT_EQ(sum, 7u + 4 + 6 + 3 + 2 + 5 + 1999 + 1001 + 9 + 801);
}

// A table is searched by number, in runs of numbers: fields in order, in reverse, with gaps, and with records between
// them that no field takes.
TEST(View, fields_by_table_come_in_any_order) {
  std::vector<std::string> records = {varint(1, 1),   varint(3, 3),    varint(13, 1), len(14, "text"),
                                      varint(102, 5), len(301, "\x07"), varint(17, 9)};
  std::sort(records.begin(), records.end());
  do {
    std::string bytes;
    for (const std::string& record : records) bytes += record;
    const Exact input(bytes);
    p3::AllView all;
    ASSERT_TRUE(all.decode(input.bytes()).ok());
    ASSERT_EQ(all.single_int32(), 1);
    ASSERT_EQ(all.single_uint32(), 3u);
    ASSERT_TRUE(all.single_bool());
    ASSERT_EQ(all.single_string(), "text");
    ASSERT_EQ(all.optional_int64(), 5);
    ASSERT_EQ(all.repeated_int32().nth(0), 7);
    ASSERT_EQ((*all.unknown_fields().begin()).number(), 17u);
    ASSERT_FALSE(all.has_optional_int32());
  } while (std::next_permutation(records.begin(), records.end()));
}

// A tag that is none is refused in front of every field, after the last one, and after an unknown record.
TEST(View, a_table_takes_no_bad_tag) {
  const std::string records[] = {varint(1, 1), len(14, "text"), varint(17, 9), varint(0x1fffffff, 1)};
  const std::string bad_records[] = {std::string("\0\1", 2),       std::string("\2\0", 2), std::string("\x0e\1", 2),
                                     std::string("\x80\0\1", 3),  std::string("\x0c"),
                                     std::string("\xff\xff\xff\xff\x1f\1", 6)};
  for (const std::string& bad : bad_records) {
    for (std::size_t place = 0; place <= std::size(records); ++place) {
      std::string bytes;
      for (std::size_t i = 0; i < place; ++i) bytes += records[i];
      const std::size_t at = bytes.size();
      bytes += bad;
      const Exact input(bytes);
      p3::AllView all;
      const Error error = all.decode(input.bytes());
      EXPECT_FALSE(error.ok()) << place;
      EXPECT_EQ(error.offset, at) << place;
    }
  }
}

TEST(View, a_nested_message_is_checked_when_it_is_opened) {  // VIW-3
  const std::string bytes = varint(1, 7) + len(18, "\x08");  // the varint is missing
  const Exact input(bytes);
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  EXPECT_EQ(all.single_int32(), 7);
  p2::ChildView child;
  const Error error = child.open(all.single_child());
  EXPECT_EQ(hotpb::to_string(error), "Truncated at byte 1: id");
  EXPECT_FALSE(child.has_id());
  EXPECT_EQ(hotpb::to_string(all.validate()), "Truncated at byte 6: single_child.id");
}

TEST(View, after_an_error_a_view_is_an_empty_message) {
  const Exact good(varint(1, 7));
  const Exact bad(varint(1, 7) + "\x07");
  p2::AllView all;
  ASSERT_TRUE(all.decode(good.bytes()).ok());
  EXPECT_EQ(hotpb::to_string(all.decode(bad.bytes())), "InvalidTag at byte 2");
  EXPECT_FALSE(all.has_single_int32());
  EXPECT_TRUE(all.pieces().empty());
  EXPECT_TRUE(all.unknown_fields().empty());
  EXPECT_TRUE(all.validate().ok());
}

TEST(View, a_message_in_several_records_is_merged) {  // VIW-7, VIW-34
  const std::string bytes = len(18, varint(1, 1) + varint(4, 8)) + varint(1, 3) + len(18, len(2, "n") + varint(4, 9));
  const Exact input(bytes);
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  p2::ChildView child;
  ASSERT_TRUE(child.open(all.single_child()).ok());
  EXPECT_EQ(child.id(), 1);
  EXPECT_EQ(child.name(), "n");
  EXPECT_EQ(child.numbers().size(), 2u);
  EXPECT_EQ(child.numbers().nth(1), 9);
}

TEST(View, each_part_of_a_split_message_must_be_good_by_itself) {
  const Exact input(len(18, "\x12\x02" "a") + len(18, "b"));
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  p2::ChildView child;
  EXPECT_EQ(child.open(all.single_child()).code, Code::Truncated);
  EXPECT_EQ(hotpb::to_string(all.validate()), "Truncated at byte 5: single_child.name");
}

TEST(View, presence_and_defaults_are_those_of_the_schema) {  // VIW-9, VIW-36
  p2::AllView all;
  EXPECT_FALSE(all.has_default_int32());
  EXPECT_EQ(all.default_int32(), -2147483647 - 1);
  EXPECT_EQ(all.default_uint64(), 18446744073709551615u);
  EXPECT_EQ(all.default_string(), "a \"quoted\" \\ word, caf\303\251 \n");
  EXPECT_EQ(all.default_bytes().text(), std::string_view("\000\001\x7f\xff\"\\\n", 7));
  EXPECT_EQ(all.default_closed(), p2::Closed::CLOSED_NEGATIVE);
  EXPECT_EQ(all.single_closed(), p2::Closed::CLOSED_FIVE);
  EXPECT_TRUE(all.default_bool());
  EXPECT_NE(all.default_double_nan(), all.default_double_nan());
  EXPECT_EQ(hotpb::detail::port::bits_as<std::uint32_t>(all.default_float()), 0x80000000u);
  const std::string bytes = varint(201, 0) + len(214, "");
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  EXPECT_TRUE(all.has_default_int32());
  EXPECT_EQ(all.default_int32(), 0);
  EXPECT_TRUE(all.has_default_string());
  EXPECT_EQ(all.default_string(), "");
}

TEST(View, elements_are_iterated_and_indexed_in_packed_and_unpacked_records) {  // VIW-11, VIW-37
  std::string packed;
  for (const std::uint32_t value : {1u, 2u, 3u}) wire::append_fixed(packed, value);
  const std::string bytes =
      len(307, packed) + varint(1, 1) + fixed(307, std::uint32_t{4}) + len(307, "") + len(307, packed);
  const Exact input(bytes);
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  const auto elements = all.repeated_fixed32();
  const std::vector<std::uint32_t> wanted{1, 2, 3, 4, 1, 2, 3};
  EXPECT_EQ(std::vector<std::uint32_t>(elements.begin(), elements.end()), wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(elements.nth(i), wanted[i]);
    auto at = elements.begin();
    at += i;
    EXPECT_EQ(*at, wanted[i]);
    EXPECT_EQ(std::distance(at, elements.end()), static_cast<std::ptrdiff_t>(wanted.size() - i));
  }
  EXPECT_EQ(elements.nth(wanted.size()), 0u) << "there is none";
  auto after = elements.begin();
  after += wanted.size() + 5;
  EXPECT_TRUE(after == elements.end());
}

// Packed varints are counted and read in blocks: all lengths, at all distances from the end of the list and the input.
TEST(View, packed_varints_of_any_length_are_counted_and_read) {
  for (const std::size_t longest : {1u, 2u, 3u, 5u, 9u, 10u}) {
    for (std::size_t count = 1; count < 160; count += count < 40 ? 1 : 23) {
      for (const std::size_t tail : {0u, 3u, 20u, 80u}) {
        std::vector<std::uint64_t> values;
        std::string list;
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t length = 1 + i * 7 % longest;
          values.push_back(length == 10 ? ~std::uint64_t{0} : (std::uint64_t{1} << (7 * length)) - 1);
          hotpb::wire::append_varint(list, values.back());
        }
        const std::string bytes = len(404, list) + (tail != 0 ? len(15, std::string(tail, '\xff')) : "");
        const Exact input(bytes);
        p3::AllView all;
        ASSERT_TRUE(all.decode(input.bytes()).ok());
        ASSERT_EQ(all.packed_uint64().size(), count);
        ASSERT_EQ(std::vector<std::uint64_t>(all.packed_uint64().begin(), all.packed_uint64().end()), values);
        ASSERT_EQ(all.packed_uint64().nth(count - 1), values.back());
      }
    }
  }
}

TEST(View, a_bad_varint_is_found_wherever_it_is_in_a_packed_list) {
  for (std::size_t before = 0; before < 140; ++before) {
    for (const std::size_t after : {0u, 1u, 14u, 70u}) {
      p3::AllView all;
      const std::string ones(before, '\1');
      const std::string rest(after, '\2');
      const std::string nine(9, '\x80');
      const std::string good = len(404, ones + nine + '\1' + rest);
      const std::string bad = len(404, ones + nine + '\x80' + '\1' + rest);
      const std::string torn = len(404, ones + '\x80') + len(15, std::string(after, 'x'));
      EXPECT_TRUE(all.decode(Exact(good).bytes()).ok());
      EXPECT_EQ(all.decode(Exact(bad).bytes()).code, Code::VarintOverflow);
      EXPECT_EQ(all.decode(Exact(torn).bytes()).code, Code::Truncated);
      const Exact input(good);
      ASSERT_TRUE(all.decode(input.bytes()).ok());
      EXPECT_EQ(all.packed_uint64().size(), before + 1 + after);
    }
  }
}

TEST(View, an_element_that_is_not_there_is_an_error_to_open) {
  p2::AllView all;
  p2::ChildView child;
  EXPECT_EQ(child.open(all.repeated_child().nth(0)).code, Code::HandleMisuse);
  EXPECT_TRUE(child.open(all.single_child()).ok()) << "an absent singular message is an empty one";
}

TEST(View, iterators_have_an_arrow) {
  const std::string bytes = len(314, "text") + len(614, len(1, "a") + len(2, "bb"));
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  EXPECT_EQ(all.key_string().begin()->key, "a");
  EXPECT_EQ(all.key_string().begin()->value, "bb");
  EXPECT_EQ(all.repeated_string().begin()->size(), 4u);
  EXPECT_EQ(all.pieces().begin()->size(), bytes.size());
}

TEST(View, a_map_shows_all_entries_and_counts_the_last) {  // MAP-8, MAP-10
  const std::string bytes = len(614, len(1, "b") + len(2, "1")) + len(614, len(1, "a") + len(2, "2")) +
                            len(614, len(2, "3") + len(1, "b")) + len(614, "");
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  const auto map = all.key_string();
  std::string shown;
  for (const auto [key, value] : map) shown += std::string(key) + "=" + std::string(value) + " ";
  EXPECT_EQ(shown, "b=1 a=2 b=3 = ");
  EXPECT_EQ(map.find("b"), "3");
  EXPECT_EQ(map.find(""), "");
  EXPECT_FALSE(map.contains("c"));
  shown.clear();
  for (const auto& entry : map.collect()) shown += std::string(entry.key) + "=" + std::string(entry.value) + " ";
  EXPECT_EQ(shown, "= a=2 b=3 ");
}

TEST(View, a_oneof_tells_its_member_and_the_others_are_absent) {
  const std::string bytes = varint(801, 1) + len(814, "text");
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  EXPECT_EQ(all.which_kind(), 814u);
  EXPECT_TRUE(all.has_oneof_string());
  EXPECT_EQ(all.oneof_string(), "text");
  EXPECT_FALSE(all.has_oneof_int32());
  EXPECT_EQ(all.oneof_int32(), 0);
}

TEST(View, an_extension_is_decoded_and_checked_when_it_is_asked_for) {  // EXT-1, EXT-3, EXT-5
  const std::string bytes = len(1018, "\x08") + varint(1001, 5);
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  EXPECT_TRUE(all.validate().ok());
  p2::ext_int32View number;
  ASSERT_TRUE(number.open(all).ok());
  EXPECT_TRUE(number.has_value());
  EXPECT_EQ(number.value(), 5);
  p2::ext_childView message;
  ASSERT_TRUE(message.open(all).ok());
  p2::ChildView child;
  EXPECT_EQ(child.open(message.value()).code, Code::Truncated);
  p2::ext_default_stringView absent;
  ASSERT_TRUE(absent.open(all).ok());
  EXPECT_FALSE(absent.has_value());
  EXPECT_EQ(absent.value(), "none");
}

TEST(View, an_extension_is_read_with_the_options_of_its_message) {  // EXT-7
  const std::string bytes = len(1014, "\xff") + len(1018, len(3, varint(1, 1)));
  for (const bool strict : {false, true}) {
    hotpb::ReadOptions options;
    options.strict = strict;
    if (strict) options.depth = 1;
    p2::AllView all;
    ASSERT_TRUE(all.decode(std::string_view(bytes), options).ok());
    p2::ext_stringView text;
    EXPECT_EQ(text.open(all).code, strict ? Code::InvalidUtf8 : Code::Ok);
    p2::ext_childView message;
    ASSERT_TRUE(message.open(all).ok());
    p2::ChildView child;
    ASSERT_TRUE(child.open(message.value()).ok());
    p2::ChildView grandchild;
    EXPECT_EQ(grandchild.open(child.child()).code, strict ? Code::DepthExceeded : Code::Ok);
  }
}

TEST(View, a_missing_required_field_is_named_with_its_path) {  // VIW-10
  const std::string bytes = len(2, varint(1, 1) + len(2, "n")) + len(2, varint(1, 1));
  p2::NeedsView needs;
  ASSERT_TRUE(needs.decode(std::string_view(bytes)).ok());
  EXPECT_EQ(hotpb::to_string(needs.check_initialized()),
            "MissingRequired at byte " + std::to_string(bytes.size()) + ": many[1].name");
}

TEST(View, required_fields_are_looked_for_wherever_a_message_counts) {  // VIW-10
  const std::string must = varint(1, 1) + len(2, "n");
  const struct {
    const char* name;
    std::string input;
    std::string error;  // after "MissingRequired at byte SIZE: "
  } cases[] = {
      {"a singular message", len(1, varint(1, 1)), "one.name"},
      {"two records that merge", len(1, varint(1, 1)) + varint(5, 1) + len(1, len(2, "n")), ""},
      {"a message in a message", len(1, must + len(3, must + len(3, len(2, "n")))), "one.must.must.id"},
      {"a message of its own type", len(6, len(6, len(2, must) + len(2, len(2, "n")))), "needs.needs.many[1].id"},
      {"a group", "\x3b\x3c", "grp.id"},
      {"a group that is there", "\x3b\x08\x01\x3c", ""},
      {"two records of a group", "\x3b\x3c\x3b\x08\x01\x3c", ""},
      {"a group's number as a length-delimited record", len(7, ""), ""},
      {"a member of a oneof", len(4, ""), "picked.id"},
      {"a member that is replaced", len(4, "") + varint(5, 1), ""},
      {"a member that is back", len(4, must) + varint(5, 1) + len(4, varint(1, 1)), "picked.name"},
      {"a map's value", len(3, varint(1, 7) + len(2, must)) + len(3, varint(1, 8) + len(2, varint(1, 1))),
       "by_id[1].value.name"},
      {"a map's value that is not there", len(3, varint(1, 7)), "by_id[0].value.id"},
      {"a value in two records", len(3, len(2, varint(1, 1)) + varint(1, 7) + len(2, len(2, "n"))), ""},
      {"an entry that a later one replaces",
       len(3, varint(1, 7) + len(2, "")) + len(3, len(2, must)) + len(3, varint(1, 7) + len(2, must)), ""},
      {"indices of the entries that count",
       len(3, varint(1, 7) + len(2, "")) + len(3, len(2, must)) + len(3, varint(1, 7)), "by_id[1].value.id"},
      {"the key as its type has it", len(3, varint(1, 1)) + len(3, varint(1, 0x100000001) + len(2, must)), ""},
      {"the first field in the schema's order", len(2, "") + len(1, varint(1, 1)), "one.name"},
      {"unknown fields", len(99, "") + varint(98, 1), ""},
  };
  for (const auto& test : cases) {
    p2::NeedsView needs;
    ASSERT_TRUE(needs.decode(std::string_view(test.input)).ok()) << test.name;
    const std::string error =
        test.error.empty() ? "Ok" : "MissingRequired at byte " + std::to_string(test.input.size()) + ": " + test.error;
    const hotpb::Error found = needs.check_initialized();
    EXPECT_EQ(found.ok() ? "Ok" : hotpb::to_string(found), error) << test.name;
  }
}

TEST(View, an_extension_is_asked_for_required_fields_by_its_own_view) {  // VIW-10
  const std::string bytes = len(100, varint(1, 1)) + varint(99, 1) + len(100, len(3, varint(1, 2) + len(2, "n")));
  p2::NeedsView needs;
  ASSERT_TRUE(needs.decode(std::string_view(bytes)).ok());
  EXPECT_TRUE(needs.check_initialized().ok());
  p2::Scope_must_extensionView extension;
  ASSERT_TRUE(extension.open(needs).ok());
  EXPECT_EQ(hotpb::to_string(extension.check_initialized()),
            "MissingRequired at byte " + std::to_string(bytes.size()) + ": hotpb.vectors.p2.Scope.must_extension.name");
}

TEST(View, the_search_for_required_fields_meets_what_is_wrong_below_and_the_depth_limit) {
  std::string bytes = len(2, varint(1, 1) + len(2, "n")) + len(2, "\x08");
  p2::NeedsView needs;
  ASSERT_TRUE(needs.decode(std::string_view(bytes)).ok());
  EXPECT_EQ(hotpb::to_string(needs.check_initialized()), "Truncated at byte 1: id");

  bytes = len(1, "");
  for (int level = 0; level < 600; ++level) bytes = len(6, bytes);
  hotpb::ReadOptions options;
  options.depth = hotpb::kMaxDepth;
  ASSERT_TRUE(needs.decode(std::string_view(bytes), options).ok());
  const hotpb::Error deep = needs.check_initialized();
  EXPECT_EQ(deep.code, Code::MissingRequired);
  EXPECT_EQ(deep.offset, bytes.size());
  EXPECT_EQ(deep.path.size(), 600 * std::string("needs.").size() + std::string("one.id").size());
  ASSERT_TRUE(needs.decode(std::string_view(bytes)).ok());
  EXPECT_EQ(hotpb::to_string(needs.check_initialized()), "DepthExceeded at byte 0");
}

TEST(View, limits_hold) {
  std::string bytes;
  for (int level = 0; level < 3; ++level) bytes = len(19, bytes);
  hotpb::ReadOptions options;
  options.depth = 2;
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes), options).ok());
  EXPECT_EQ(all.validate().code, Code::DepthExceeded);
  p2::AllView first;
  p2::AllView second;
  p2::AllView third;
  ASSERT_TRUE(first.open(all.single_all()).ok());
  ASSERT_TRUE(second.open(first.single_all()).ok());
  EXPECT_EQ(third.open(second.single_all()).code, Code::DepthExceeded);
  options.size = bytes.size() - 1;
  EXPECT_EQ(hotpb::to_string(all.decode(std::string_view(bytes), options)), "SizeExceeded at byte 0");
}

TEST(View, strict_checks_what_the_schema_leaves_unchecked) {  // FCE-3
  const std::string bytes = len(14, "a\xff");
  p2::AllView all;
  EXPECT_TRUE(all.decode(std::string_view(bytes)).ok());
  hotpb::ReadOptions options;
  options.strict = true;
  EXPECT_EQ(hotpb::to_string(all.decode(std::string_view(bytes), options)), "InvalidUtf8 at byte 3: single_string");
  p3::AllView checked;
  EXPECT_EQ(checked.decode(std::string_view(bytes)).code, Code::InvalidUtf8);
}

TEST(View, values_of_the_same_length_are_overwritten_in_place) {
  const std::string text = varint(1, 300) + len(14, "abc") + fixed(7, std::uint32_t{1}) + varint(13, 1) +
                           varint(17, 5) + varint(801, 5) + len(18, varint(1, 7));
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  p2::AllView all;
  ASSERT_TRUE(all.decode({bytes.data(), bytes.size()}).ok());
  EXPECT_TRUE(all.overwrite_single_int32(bytes, 16383));
  EXPECT_TRUE(all.overwrite_single_string(bytes, "x\xffz")) << "proto2 does not check";
  EXPECT_TRUE(all.overwrite_single_fixed32(bytes, 0xffffffffu));
  EXPECT_TRUE(all.overwrite_single_bool(bytes, false));
  EXPECT_TRUE(all.overwrite_single_closed(bytes, p2::Closed::CLOSED_ONE));
  EXPECT_TRUE(all.overwrite_oneof_int32(bytes, 6));
  p2::ChildView child;
  ASSERT_TRUE(child.open(all.single_child()).ok());
  EXPECT_TRUE(child.overwrite_id(bytes, 8));
  const std::vector<std::uint8_t> wanted = bytes;
  p2::AllView changed;
  ASSERT_TRUE(changed.decode({bytes.data(), bytes.size()}).ok());
  EXPECT_EQ(changed.single_int32(), 16383);
  EXPECT_EQ(changed.single_string(), "x\xffz");
  EXPECT_EQ(changed.single_fixed32(), 0xffffffffu);
  EXPECT_FALSE(changed.single_bool());
  EXPECT_TRUE(changed.has_single_bool());
  EXPECT_EQ(changed.single_closed(), p2::Closed::CLOSED_ONE);
  EXPECT_EQ(changed.oneof_int32(), 6);
  EXPECT_EQ(child.id(), 8);

  EXPECT_FALSE(all.overwrite_single_int32(bytes, 1)) << "one byte instead of two";
  EXPECT_FALSE(all.overwrite_single_int32(bytes, -1));
  EXPECT_FALSE(all.overwrite_single_string(bytes, "four"));
  EXPECT_FALSE(all.overwrite_single_int64(bytes, 1)) << "absent";
  EXPECT_FALSE(all.overwrite_oneof_int64(bytes, 1)) << "another member is set";
  EXPECT_FALSE(all.overwrite_single_closed(bytes, static_cast<p2::Closed>(77))) << "not a value of the enum";
  std::vector<std::uint8_t> copy = bytes;
  EXPECT_FALSE(all.overwrite_single_int32(copy, 200)) << "other memory";
  EXPECT_FALSE(all.overwrite_single_int32({bytes.data(), 2}, 200)) << "only the half of it";
  EXPECT_EQ(bytes, wanted);
  EXPECT_EQ(copy, wanted);
}

TEST(View, elements_of_the_same_length_are_overwritten_in_place) {
  std::string packed;
  for (const std::uint32_t value : {1u, 2u, 3u}) wire::append_fixed(packed, value);
  const std::string text = len(307, packed) + varint(301, 300) + len(314, "ab") + fixed(307, std::uint32_t{4}) +
                           len(301, "\x01\xac\x02") + len(314, "cd") + len(317, "\x63\x05\x63\x01");
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  p2::AllView all;
  ASSERT_TRUE(all.decode({bytes.data(), bytes.size()}).ok());
  EXPECT_TRUE(all.overwrite_repeated_fixed32(bytes, 1, 20));
  EXPECT_TRUE(all.overwrite_repeated_fixed32(bytes, 3, 40));
  EXPECT_TRUE(all.overwrite_repeated_int32(bytes, 2, 301));
  EXPECT_TRUE(all.overwrite_repeated_string(bytes, 1, "xy"));
  ASSERT_EQ(all.repeated_closed().size(), 2u) << "99 is not a value of the enum";
  EXPECT_TRUE(all.overwrite_repeated_closed(bytes, 1, p2::Closed::CLOSED_FIVE));
  const std::vector<std::uint8_t> wanted = bytes;
  p2::AllView changed;
  ASSERT_TRUE(changed.decode({bytes.data(), bytes.size()}).ok());
  const auto words = changed.repeated_fixed32();
  EXPECT_EQ(std::vector<std::uint32_t>(words.begin(), words.end()), (std::vector<std::uint32_t>{1, 20, 3, 40}));
  const auto numbers = changed.repeated_int32();
  EXPECT_EQ(std::vector<std::int32_t>(numbers.begin(), numbers.end()), (std::vector<std::int32_t>{300, 1, 301}));
  EXPECT_EQ(changed.repeated_string().nth(0), "ab");
  EXPECT_EQ(changed.repeated_string().nth(1), "xy");
  EXPECT_EQ(changed.repeated_closed().nth(0), p2::Closed::CLOSED_FIVE);
  EXPECT_EQ(changed.repeated_closed().nth(1), p2::Closed::CLOSED_FIVE);

  EXPECT_FALSE(all.overwrite_repeated_fixed32(bytes, 4, 1)) << "there is none";
  EXPECT_FALSE(all.overwrite_repeated_int32(bytes, 1, 300)) << "two bytes instead of one";
  EXPECT_FALSE(all.overwrite_repeated_string(bytes, 0, "abc"));
  EXPECT_FALSE(all.overwrite_repeated_closed(bytes, 0, static_cast<p2::Closed>(77)));
  EXPECT_FALSE(all.overwrite_repeated_fixed32({bytes.data(), 6}, 1, 1)) << "outside the buffer";
  EXPECT_EQ(bytes, wanted);
}

TEST(View, message_elements_are_reached_from_a_position) {  // VIW-37
  std::string bytes;
  for (std::uint64_t i = 0; i < 10; ++i) bytes += len(318, varint(1, i)) + varint(1, i);
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  auto at = all.repeated_child().begin();
  p2::ChildView child;
  std::int32_t wanted = 0;
  for (const std::size_t step : {0u, 3u, 1u, 5u}) {
    at += step;
    wanted += static_cast<std::int32_t>(step);
    ASSERT_TRUE(child.open(*at).ok());
    EXPECT_EQ(child.id(), wanted);
    ASSERT_TRUE(child.open(all.repeated_child().nth(static_cast<std::size_t>(wanted))).ok());
    EXPECT_EQ(child.id(), wanted);
  }
  at += 1;
  EXPECT_TRUE(at == all.repeated_child().end());
}

TEST(View, unknown_fields_are_iterated_in_order) {  // VIW-8
  const std::string bytes = varint(1999, 1) + varint(1, 1) + varint(17, 77) + len(1998, "abc") + len(417, "\x05\x4d");
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  std::string shown;
  for (const auto& field : all.unknown_fields()) {
    std::string record;
    field.append_to(record);
    shown += std::to_string(field.number()) + ":" + to_hex(record) + " ";
  }
  EXPECT_EQ(shown, "1999:" + to_hex(varint(1999, 1)) + " 17:" + to_hex(varint(17, 77)) + " 1998:" +
                       to_hex(len(1998, "abc")) + " 417:" + to_hex(varint(417, 77)) + " ")
      << "of a closed enum the values that it does not define";
}

TEST(View, a_group_is_opened_like_a_message) {  // GRP-1, VIW-8
  std::string bytes;
  for (const std::uint64_t value : {5u, 6u}) {  // in two records, which merge
    wire::append_tag(bytes, 901, wire::WireType::StartGroup);
    bytes += varint(1, value);
    wire::append_tag(bytes, 901, wire::WireType::EndGroup);
  }
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  EXPECT_TRUE(all.has_data());
  p2::All_DataView data;
  ASSERT_TRUE(data.open(all.data()).ok());
  EXPECT_EQ(data.single_int32(), 6);
  bytes.resize(bytes.size() - 2);
  EXPECT_EQ(hotpb::to_string(all.decode(std::string_view(bytes))),
            "Truncated at byte " + std::to_string(bytes.size()) + ": data");
}

// Bytes are borrowed: decode() does not accept a temporary.
template <class Input, class = void>
constexpr bool takes = false;
template <class Input>
constexpr bool takes<Input, std::void_t<decltype(std::declval<p2::AllView&>().decode(std::declval<Input>()))>> = true;
static_assert(takes<std::string_view> && takes<hotpb::Bytes>);
static_assert(takes<const std::string&> && takes<std::vector<std::uint8_t>&>);
static_assert(!takes<std::string> && !takes<std::vector<std::uint8_t>>);

TEST(View, text_that_the_schema_checks_is_not_overwritten_with_anything_else) {
  const std::string text = len(14, "abc");
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  p3::AllView all;
  ASSERT_TRUE(all.decode({bytes.data(), bytes.size()}).ok());
  EXPECT_FALSE(all.overwrite_single_string(bytes, "x\xffz"));
  EXPECT_TRUE(all.overwrite_single_string(bytes, "x\xc3\xa9"));
  EXPECT_EQ(all.single_string(), "x\xc3\xa9");
}

TEST(View, any_number_of_threads_may_read_one_view) {  // VIW-5
  std::string bytes = varint(1, 7);
  for (int i = 0; i < 100; ++i) bytes += len(318, varint(1, 5)) + len(318, len(2, "name"));
  p2::AllView all;
  ASSERT_TRUE(all.decode(std::string_view(bytes)).ok());
  const std::uint64_t wanted = read_all(all);
  std::vector<std::uint64_t> sums(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& sum : sums) threads.emplace_back([&all, &sum] { sum = read_all(all); });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t sum : sums) EXPECT_EQ(sum, wanted);
}

}  // namespace
}  // namespace hotpb_test
