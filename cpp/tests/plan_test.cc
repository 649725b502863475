// The golden plans (vectors/plans), and schemas that are errors.
#include "plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "descriptors.h"
#include "generate.h"
#include "hotpb/wire/reader.h"
#include "hotpb/wire/write.h"
#include "hotpb/writer.h"
#include "hotpb/wkt/descriptor.writer.hot.h"
#include "support/support.h"
#include "support/thorough.h"

namespace hotpb_test {
namespace {

using namespace hotpb::plugin;

std::vector<std::vector<std::string>> table(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : read_lines(repository(path))) {
    if (!line.empty() && line[0] != '#') rows.push_back(split(line, '\t'));
  }
  EXPECT_FALSE(rows.empty()) << path;
  return rows;
}

// Compares line by line, and reports the first line that differs.
void expect_same_lines(const std::string& got, const std::string& wanted) {
  if (got == wanted) return;
  const std::vector<std::string> a = split(got, '\n');
  const std::vector<std::string> b = split(wanted, '\n');
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    ASSERT_EQ(a[i], b[i]) << "line " << i + 1;
  }
  FAIL() << a.size() << " lines instead of " << b.size();
}

TEST(Plan, every_golden_plan_is_printed_byte_for_byte) {
  for (const std::vector<std::string>& row : table("vectors/plans/list.txt")) {
    SCOPED_TRACE(row[0]);
    std::string set;
    std::string golden;
    ASSERT_TRUE(read_file(repository("vectors/plans/" + row[0] + ".fds"), set));
    ASSERT_TRUE(read_file(repository("build/vectors/plans/" + row[0] + ".json"), golden));
    std::string json;
    std::string error;
    ASSERT_TRUE(plan_of_set(std::string_view(set), split(row[1], '+'), json, error)) << error;
    expect_same_lines(json, golden);
  }
}

TEST(Plan, a_request_gives_the_plan_of_its_set) {
  for (const std::vector<std::string>& row : table("vectors/plans/list.txt")) {
    SCOPED_TRACE(row[0]);
    std::string set;
    std::string golden;
    ASSERT_TRUE(read_file(repository("vectors/plans/" + row[0] + ".fds"), set));
    ASSERT_TRUE(read_file(repository("build/vectors/plans/" + row[0] + ".json"), golden));
    std::string request;
    const auto append = [&request](std::uint32_t number, std::string_view text) {
      hotpb::wire::append_tag(request, number, hotpb::wire::WireType::Len);
      hotpb::wire::append_len(request, text);
    };
    for (const std::string& file : split(row[1], '+')) append(1, file);
    append(2, "emit_plan=plan.json");
    // The files of the set are field 1; in the request, they are field 15.
    hotpb::wire::Reader files{std::string_view(set)};
    while (files.next()) append(15, files.as_bytes().text());
    const std::string response = answer(std::string_view(request));
    hotpb::wire::Reader fields{std::string_view(response)};
    std::string content;
    while (fields.next()) {
      ASSERT_NE(fields.number(), 1u) << fields.as_bytes().text();
      if (fields.number() != 15) continue;
      hotpb::wire::Reader file = fields.child();
      while (file.next()) {
        if (file.number() == 15) content = file.as_bytes().text();
      }
    }
    expect_same_lines(content, golden);
  }
}

TEST(Plan, each_invalid_schema_is_refused_with_file_element_and_line) {
  for (const std::vector<std::string>& row : table("vectors/plans/invalid/list.txt")) {
    SCOPED_TRACE(row[0]);
    ASSERT_EQ(row.size(), 4u);
    std::string set;
    ASSERT_TRUE(read_file(repository("vectors/plans/invalid/" + row[0] + ".fds"), set));
    pb::FileDescriptorSetView files;
    const bool readable = files.decode(std::string_view(set)).ok() && files.validate().ok();
    std::string json;
    std::string message;
    EXPECT_FALSE(plan_of_set(std::string_view(set), {}, json, message));
    EXPECT_NE(message.find("InvalidSchema: "), std::string::npos) << message;
    EXPECT_EQ(readable, !row[1].empty());
    if (!readable) continue;
    Plan plan;
    SchemaError error;
    ASSERT_FALSE(build_plan(files.file(), {}, plan, error));
    EXPECT_EQ(error.file, row[1]);
    EXPECT_EQ(error.element, row[2]);
    EXPECT_EQ(error.line, row[3].empty() ? 0 : std::stoi(row[3]));
    EXPECT_FALSE(error.problem.empty());
    EXPECT_FALSE(error.fix.empty());
    EXPECT_NE(message.find(error.to_string()), std::string::npos) << message;
  }
}

TEST(Plan, a_long_chain_of_messages_needs_no_deep_stack) {
  // message M0 { M1 f = 1; } message M1 { M2 f = 1; } ...: the analysis visits children first.
  const int kMessages = thorough() ? 100000 : 30000;
  namespace runtime = google::protobuf::hot;  // pb is the generator's own code
  hotpb::HeapBuffer out;
  {
    auto set = out.message<runtime::FileDescriptorSetWriter>();
    auto file = set.add_file();
    file.set_name("chain.proto");
    file.set_syntax("proto3");
    for (int i = 0; i < kMessages; ++i) {
      const bool last = i + 1 == kMessages;
      auto message = file.add_message_type();
      message.set_name("M" + std::to_string(i));
      auto field = message.add_field();
      field.set_name("f");
      field.set_number(1);
      field.set_label(runtime::FieldDescriptorProto_Label::LABEL_OPTIONAL);
      using Type = runtime::FieldDescriptorProto_Type;
      field.set_type(last ? Type::TYPE_BOOL : Type::TYPE_MESSAGE);
      if (!last) field.set_type_name(".M" + std::to_string(i + 1));
    }
  }
  pb::FileDescriptorSetView files;
  ASSERT_TRUE(files.decode(out.bytes()).ok());
  Plan plan;
  SchemaError error;
  ASSERT_TRUE(build_plan(files.file(), {}, plan, error)) << error.to_string();
  EXPECT_EQ(plan.messages.back()->max_size, 2);
  EXPECT_EQ(plan.messages.at(static_cast<std::size_t>(kMessages) - 2)->max_size, 4);
  EXPECT_GT(plan.messages[0]->max_size, 3 * kMessages);
  EXPECT_EQ(plan.messages[0]->recursion, 0);
}

std::string default_of(hotpb::FieldType type, std::string_view text) {
  Field field;
  field.type = type;
  std::string canonical;
  return canonical_default(field, text, canonical) ? canonical : "refused";
}

TEST(Plan, defaults_are_canonical_text_or_refused) {
  using hotpb::FieldType;
  EXPECT_EQ(default_of(FieldType::Int32, "-2147483648"), "-2147483648");
  EXPECT_EQ(default_of(FieldType::Int32, "-2147483649"), "refused");
  EXPECT_EQ(default_of(FieldType::Int64, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(default_of(FieldType::Int64, "9223372036854775808"), "refused");
  EXPECT_EQ(default_of(FieldType::Uint64, "18446744073709551615"), "18446744073709551615");
  for (const char* text : {"", "-", "+1", " 1", "1 ", "0x1", "1.0"}) {
    EXPECT_EQ(default_of(FieldType::Int32, text), "refused") << text;
  }
  EXPECT_EQ(default_of(FieldType::Float, "1"), "3f800000");
  EXPECT_EQ(default_of(FieldType::Float, "-0"), "80000000");
  EXPECT_EQ(default_of(FieldType::Float, "1e40"), "7f800000");
  EXPECT_EQ(default_of(FieldType::Float, "-inf"), "ff800000");
  EXPECT_EQ(default_of(FieldType::Float, "nan"), "7fc00000");
  EXPECT_EQ(default_of(FieldType::Double, "1.5e-300"), "01b01297d23ab683");
  EXPECT_EQ(default_of(FieldType::Double, "inf"), "7ff0000000000000");
  EXPECT_EQ(default_of(FieldType::Double, "nan"), "7ff8000000000000");
  for (const char* text : {"", ".", "1e", "0x1p3", "infinity", "1f", "--1", "+1", " 1"}) {
    EXPECT_EQ(default_of(FieldType::Double, text), "refused") << text;
  }
  EXPECT_EQ(default_of(FieldType::Bytes, R"(a\000\377\x41\n\"\\)"), "6100ff410a225c");
  for (const char* text : {R"(\)", R"(\8)", R"(\400)", R"(\x)", R"(\q)"}) {
    EXPECT_EQ(default_of(FieldType::Bytes, text), "refused") << text;
  }
}

}  // namespace
}  // namespace hotpb_test
