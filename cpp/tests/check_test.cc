#include "hotpb/check.h"

#include <gtest/gtest.h>

#include <chrono>

#include "hotpb/wire/write.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::check;
using hotpb::FieldEntry;
using hotpb::FieldType;
using hotpb::MessageTable;
using hotpb::ReadOptions;

// message Node {
//   string name = 1; bytes raw = 2; repeated int32 packed = 3; repeated fixed32 words = 4; Node child = 5;
//   repeated Node nodes = 6; map<string, Node> by_name = 7; repeated group Part = 8 (a Node); string unchecked = 9;
//   fixed64 wide = 10; repeated string texts = 11; }
extern const MessageTable kNode;
extern const MessageTable kEntry;
const FieldEntry kNodeFields[] = {
    {1, FieldType::String, false, true, "name", nullptr},
    {2, FieldType::Bytes, false, false, "raw", nullptr},
    {3, FieldType::Int32, true, false, "packed", nullptr},
    {4, FieldType::Fixed32, true, false, "words", nullptr},
    {5, FieldType::Message, false, false, "child", &kNode},
    {6, FieldType::Message, true, false, "nodes", &kNode},
    {7, FieldType::Message, true, false, "by_name", &kEntry},
    {8, FieldType::Group, true, false, "part", &kNode},
    {9, FieldType::String, false, false, "unchecked", nullptr},
    {10, FieldType::Fixed64, false, false, "wide", nullptr},
    {11, FieldType::String, true, true, "texts", nullptr},
};
const FieldEntry kEntryFields[] = {
    {1, FieldType::String, false, true, "key", nullptr},
    {2, FieldType::Message, false, false, "value", &kNode},
};
const MessageTable kNode{kNodeFields, std::size(kNodeFields)};
const MessageTable kEntry{kEntryFields, std::size(kEntryFields)};

std::string error_of(const std::string& hex, const ReadOptions& options = {}) {
  const Exact input(from_hex(hex));
  return hotpb::to_string(check(kNode, input.bytes(), options));
}

ReadOptions depth(std::uint32_t levels) {
  ReadOptions options;
  options.depth = levels;
  return options;
}

TEST(Check, what_is_well_formed_is_ok) {
  EXPECT_EQ(error_of(""), "Ok");
  EXPECT_EQ(error_of("0a 02 c3 a9  12 01 ff  1a 03 01 80 02  18 05  22 04 01020304  25 01020304"), "Ok");
  EXPECT_EQ(error_of("2a 03 0a 01 61  3a 07 0a 01 6b 12 02 18 01  43 0a 01 61 44"), "Ok");
  EXPECT_EQ(error_of("4a 01 ff  51 0102030405060708"), "Ok");
}

TEST(Check, the_path_has_the_index_of_each_repeated_field_on_the_way) {
  EXPECT_EQ(error_of("32 00 32 06 32 00 32 02 0a 05"), "Truncated at byte 10: nodes[1].nodes[1].name");
}

TEST(Check, elements_of_packed_records_count_one_each) {
  EXPECT_EQ(error_of("1a 02 01 02  18 03  1a 02 04 80"), "Truncated at byte 9: packed[4]");
  EXPECT_EQ(error_of("22 08 0102030405060708  22 06 010203040506"), "Truncated at byte 16: words[3]");
  EXPECT_EQ(error_of("1a 02 01 02  1a 09 03"), "Truncated at byte 6: packed[2]");
}

TEST(Check, a_map_entry_is_named_by_its_ordinal_and_its_fields_key_and_value) {
  EXPECT_EQ(error_of("3a 00 3a 03 0a 01 ff"), "InvalidUtf8 at byte 6: by_name[1].key");
  EXPECT_EQ(error_of("3a 04 12 02 0a 05"), "Truncated at byte 6: by_name[0].value.name");
}

TEST(Check, a_group_is_named_by_its_field_and_unended_at_the_end_of_its_range) {
  EXPECT_EQ(error_of("43 44 43 0a 00"), "Truncated at byte 5: part[1]");
  EXPECT_EQ(error_of("2a 01 43 0a 00"), "Truncated at byte 3: child.part[0]");
  EXPECT_EQ(error_of("43 4c"), "GroupMismatch at byte 1: part[0]");
  EXPECT_EQ(error_of("2a 01 44"), "GroupMismatch at byte 2: child");
}

TEST(Check, groups_in_front_of_an_element_are_stepped_over_when_it_is_counted) {
  EXPECT_EQ(error_of("43 43 44 30 01 44 43 44 63 32 00 64 32 00 32 01 0a"), "Truncated at byte 17: nodes[1].name");
}

TEST(Check, unknown_fields_and_wrong_wire_types_are_named_by_number) {
  EXPECT_EQ(error_of("9a 06 05 61"), "Truncated at byte 3: 99");
  EXPECT_EQ(error_of("2a 03 9b 06 08"), "Truncated at byte 5: child.99.1");
  EXPECT_EQ(error_of("08 80"), "Truncated at byte 1: 1");
  EXPECT_EQ(error_of("2b 08 80"), "Truncated at byte 2: 5.1");
  EXPECT_EQ(error_of("42 05 00"), "Truncated at byte 2: 8");
}

TEST(Check, fields_of_another_wire_type_do_not_count_as_elements) {
  EXPECT_EQ(error_of("30 01 32 00 35 01020304 32 01 08"), "Truncated at byte 12: nodes[1].1");
}

TEST(Check, strings_are_checked_where_the_schema_or_strict_says_so) {
  ReadOptions strict;
  strict.strict = true;
  EXPECT_EQ(error_of("0a 04 61 62 c3 28"), "InvalidUtf8 at byte 4: name");
  EXPECT_EQ(error_of("5a 01 61 5a 02 61 80"), "InvalidUtf8 at byte 6: texts[1]");
  EXPECT_EQ(error_of("4a 01 ff 12 01 ff"), "Ok");
  EXPECT_EQ(error_of("12 01 ff 4a 01 ff", strict), "InvalidUtf8 at byte 5: unchecked");
}

TEST(Check, levels_are_messages_groups_and_map_entries) {
  EXPECT_EQ(error_of("2a 02 2a 00", depth(2)), "Ok");
  EXPECT_EQ(error_of("2a 02 2a 00", depth(1)), "DepthExceeded at byte 2: child.child");
  EXPECT_EQ(error_of("3a 04 12 02 9b 06", depth(2)), "DepthExceeded at byte 4: by_name[0].value.99");
  EXPECT_EQ(error_of("32 00 43 44", depth(0)), "DepthExceeded at byte 0: nodes[0]");
  EXPECT_EQ(error_of("12 00 9b 06 9c 06", depth(0)), "DepthExceeded at byte 2: 99");
}

TEST(Check, the_length_is_looked_at_before_the_depth) {
  EXPECT_EQ(error_of("2a 05 00", depth(0)), "Truncated at byte 2: child");
}

TEST(Check, the_size_limit_binds_the_input_and_every_length) {
  ReadOptions small;
  small.size = 4;
  EXPECT_EQ(error_of("12 02 00 00", small), "Ok");
  EXPECT_EQ(error_of("12 02 00 00 08", small), "SizeExceeded at byte 0");
  EXPECT_EQ(error_of("12 05 00", small), "SizeExceeded at byte 0: raw");
  EXPECT_EQ(error_of("12 ff ff ff ff 0f"), "SizeExceeded at byte 0: raw");
}

TEST(Check, hostile_nesting_is_answered_in_linear_time) {
  // Ten thousand levels, each the last of several elements: the elements that the path counts add up to the input.
  ReadOptions deep;
  deep.depth = hotpb::kMaxDepth;
  std::string bytes = "\x0a";
  for (std::size_t level = 0; level < hotpb::kMaxDepth; ++level) {
    std::string outer;
    for (int sibling = 0; sibling < 3; ++sibling) outer += std::string("\x32\x00", 2);
    bytes.insert(0, outer + "\x43");
  }
  const auto start = std::chrono::steady_clock::now();
  const hotpb::Error error = check(kNode, std::string_view(bytes), deep);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(error.code, hotpb::Code::Truncated);
  EXPECT_EQ(error.offset, bytes.size());
  EXPECT_EQ(error.path.substr(0, 16), "part[0].part[0].");
  EXPECT_LT(spent.count(), 10.0);
  EXPECT_EQ(check(kNode, std::string_view(std::string(5'000'000, '\x43')), deep).code, hotpb::Code::DepthExceeded);
}

TEST(Check, without_a_table_only_the_wire_form_counts) {
  const Exact input(from_hex("0a 02 ff 80 12 05"));
  EXPECT_EQ(hotpb::to_string(check(input.bytes())), "Truncated at byte 6: 2");
}

TEST(Error, names_and_numbers_are_those_of_the_list) {
  static constexpr const char* kNames[] = {
      "Ok", "Truncated", "VarintOverflow", "InvalidTag", "InvalidWireType", "GroupMismatch", "InvalidUtf8",
      "DepthExceeded", "SizeExceeded", "CountExceeded", "MissingRequired", "BufferExhausted", "InvalidSchema",
      "TypeMismatch", "HandleMisuse", "?"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    EXPECT_STREQ(hotpb::code_name(static_cast<hotpb::Code>(i)), kNames[i]);
  }
}

}  // namespace
}  // namespace hotpb_test
