// messages=, only=, skip=, keep_skipped, hot= and cold= in the generator: which messages they choose, and which values
// are errors (FCE-7 to FCE-10).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generate.h"
#include "hotpb/wkt/descriptor.hot.h"
#include "hotpb/writer.h"
#include "support/thorough.h"

namespace hotpb_test {
namespace {

using namespace hotpb::plugin;
namespace pb = google::protobuf::hot;
using Type = pb::FieldDescriptorProto_Type;
using Label = pb::FieldDescriptorProto_Label;

struct FieldSpec {
  const char* name;
  Label label;
  Type type;
  const char* type_name = "";
  bool in_oneof = false;
};

void add_fields(pb::DescriptorProtoWriter& message, std::initializer_list<FieldSpec> fields) {
  std::int32_t number = 0;
  for (const FieldSpec& spec : fields) {
    auto field = message.add_field();
    field.set_name(spec.name);
    field.set_number(++number);
    field.set_label(spec.label);
    field.set_type(spec.type);
    if (*spec.type_name != '\0') field.set_type_name(spec.type_name);
    if (spec.in_oneof) field.set_oneof_index(0);
  }
}

// message M { int32 a; oneof choice { int32 x; string y; } map<int32, M> m; N n; }
// message N { M m; repeated E e; O o; }   message O { required int32 id; }   message None {}   enum E { E1 = 1; }
std::string choice_set() {
  constexpr Label kOptional = Label::LABEL_OPTIONAL;
  hotpb::HeapBuffer out;
  {
    auto set = out.message<pb::FileDescriptorSetWriter>();
    auto file = set.add_file();
    file.set_name("a.proto");
    file.set_package("p");
    {
      auto m = file.add_message_type();
      m.set_name("M");
      add_fields(m, {{"a", kOptional, Type::TYPE_INT32},
                     {"x", kOptional, Type::TYPE_INT32, "", true},
                     {"y", kOptional, Type::TYPE_STRING, "", true},
                     {"m", Label::LABEL_REPEATED, Type::TYPE_MESSAGE, ".p.M.MEntry"},
                     {"n", kOptional, Type::TYPE_MESSAGE, ".p.N"}});
      {
        auto entry = m.add_nested_type();
        entry.set_name("MEntry");
        entry.set_options([](auto& options) { options.set_map_entry(true); });
        add_fields(entry, {{"key", kOptional, Type::TYPE_INT32}, {"value", kOptional, Type::TYPE_MESSAGE, ".p.M"}});
      }
      m.add_oneof_decl([](auto& oneof) { oneof.set_name("choice"); });
    }
    {
      auto n = file.add_message_type();
      n.set_name("N");
      add_fields(n, {{"m", kOptional, Type::TYPE_MESSAGE, ".p.M"},
                     {"e", Label::LABEL_REPEATED, Type::TYPE_ENUM, ".p.E"},
                     {"o", kOptional, Type::TYPE_MESSAGE, ".p.O"}});
    }
    {
      auto o = file.add_message_type();
      o.set_name("O");
      add_fields(o, {{"id", Label::LABEL_REQUIRED, Type::TYPE_INT32}});
    }
    file.add_message_type([](auto& none) { none.set_name("None"); });
    auto e = file.add_enum_type();
    e.set_name("E");
    e.add_value([](auto& value) {
      value.set_name("E1");
      value.set_number(1);
    });
  }
  std::string bytes;
  EXPECT_TRUE(out.append_to(bytes).ok());
  return bytes;
}

// The generated header, or the error.
std::string generated(const std::string& parameter) {
  std::vector<GeneratedFile> headers;
  std::string error;
  const std::string set = choice_set();
  if (!headers_of_set(std::string_view(set), {}, parameter, headers, error)) return error;
  return headers.size() == 1 ? headers[0].content : std::to_string(headers.size()) + " headers";
}

TEST(Select, fields_that_cannot_be_left_out_are_refused_with_what_exists) {  // FCE-24, FCE-25
  const struct {
    const char* parameter;
    const char* error;
  } cases[] = {
      {"skip=p.X.a",
       "option skip=p.X.a: \"p.X\" is not a message of the files to generate; write a full name of a field, such as "
       "p.M.a"},
      {"skip=a", "option skip=a: \"\" is not a message of the files to generate"},
      {"only=p.M.a+", "option only=p.M.a+: write full names of fields joined by +"},
      {"skip=p.M.b", "option skip=p.M.b: the message p.M has no field \"b\"; it has a, x, y, m, n"},
      {"only=p.M.choice", "option only=p.M.choice: the message p.M has no field \"choice\"; it has a, x, y, m, n"},
      {"skip=p.None.a", "option skip=p.None.a: the message p.None has no field \"a\"; it has none"},
      {"skip=p.M.MEntry.value",
       "option skip=p.M.MEntry.value: p.M.MEntry is an entry of a map; name the map field instead"},
      {"skip=p.M.a+p.M.a", "option skip=p.M.a+p.M.a: p.M.a is named twice"},
      {"only=p.M.a,skip=p.M.n",
       "option skip=p.M.n: only= also names fields of p.M; use only one of the two options for each message"},
      {"skip=p.M.x",
       "option skip=p.M.x: the oneof p.M.choice would lose x but keep y, so readers would not know which member is set"
       "; leave out all members or none"},
      {"only=p.M.a+p.M.y,skip=p.N.m",
       "option only=p.M.a+p.M.y: the oneof p.M.choice would lose x but keep y"},
      {"keep_skipped", "option keep_skipped: it needs only= or skip="},
      {"skip=p.M.a,keep_skipped=yes", "option keep_skipped=yes: it has no value"},
      {"hot=p.X", "option hot=p.X: not a message of the files to generate; write a full name or *"},
      {"cold=p.M.MEntry", "option cold=p.M.MEntry: not a message of the files to generate"},
      {"hot=p.M,cold=p.M", "option cold=p.M: it is named twice"},
      {"hot=*,cold=*", "option cold=*: hot=* and cold=* exclude each other"},
      {"hot=p.M+", "option hot=p.M+: write full names of messages joined by +"},
  };
  for (const auto& mistake : cases) {
    const std::string got = generated(std::string("faces=view,") + mistake.parameter);
    EXPECT_EQ(got.find(std::string("protoc-gen-hotpb-cpp: ") + mistake.error), 0u) << got;
  }
}

// The views that are scanned by table, in their order.
std::string by_table(const std::string& parameter) {
  const std::string header = generated(parameter);
  std::string names;
  for (const char* name : {"M", "N", "O", "None"}) {
    if (header.find(std::string("View::scan_fields_[").insert(0, name)) != std::string::npos) names += name;
  }
  return header.find("class MView") == std::string::npos ? header : names;
}

TEST(Select, hot_and_cold_overrule_the_plans_tiers) {  // FCE-10
  EXPECT_EQ(by_table("faces=view"), "");  // all are small
  EXPECT_EQ(by_table("faces=writer+view,cold=p.M+p.O"), "MO");
  EXPECT_EQ(by_table("faces=view,cold=*"), "MNONone");
  EXPECT_EQ(by_table("faces=view,cold=*,hot=p.N"), "MONone");
  EXPECT_EQ(by_table("faces=view,hot=*,cold=p.N"), "N");
}

// A set of one message with so many bools.
std::string set_of(int fields) {
  hotpb::HeapBuffer out;
  {
    auto set = out.message<pb::FileDescriptorSetWriter>();
    auto file = set.add_file();
    file.set_name("a.proto");
    auto m = file.add_message_type();
    m.set_name("M");
    for (int i = 1; i <= fields; ++i) {
      auto field = m.add_field();
      field.set_name("f" + std::to_string(i));
      field.set_number(i);
      field.set_label(Label::LABEL_OPTIONAL);
      field.set_type(Type::TYPE_BOOL);
    }
  }
  std::string bytes;
  EXPECT_TRUE(out.append_to(bytes).ok());
  return bytes;
}

TEST(Select, a_pool_reads_up_to_16_fields_straight_and_writes_64) {  // PLN-43, FCE-10
  const struct {
    int fields;
    const char* parameter;
    bool reads, writes;
  } cases[] = {{16, "faces=pool", true, true},         {17, "faces=pool", false, true},
               {64, "faces=pool", false, true},        {65, "faces=pool", false, false},
               {17, "faces=pool,cold=M", false, false}, {65, "faces=pool,hot=M", true, true},
               {17, "faces=pool,cold=*", false, false}, {16, "faces=pool,cold=M", false, false}};
  for (const auto& wanted : cases) {
    std::vector<GeneratedFile> headers;
    std::string error;
    ASSERT_TRUE(headers_of_set(std::string_view(set_of(wanted.fields)), {}, wanted.parameter, headers, error)) << error;
    const std::string& header = headers.at(0).content;
    EXPECT_EQ(header.find("d.by_table(") == std::string::npos, wanted.reads) << wanted.fields << wanted.parameter;
    EXPECT_EQ(header.find("e.by_table(") == std::string::npos, wanted.writes) << wanted.fields << wanted.parameter;
  }
}

// The writers whose setters are inlined, in their order.
std::string inlined(const std::string& parameter) {
  const std::string header = generated(parameter);
  std::string names;
  for (const char* name : {"M", "N", "O", "None"}) {
    const std::string start = std::string("class ") + name + "Writer final : public ::hotpb::";
    if (header.find(start + "InlinedWriter {") != std::string::npos) {
      names += name;
    } else {
      EXPECT_NE(header.find(start + "MessageWriter {"), std::string::npos) << header;
    }
  }
  return names;
}

TEST(Select, hot_inlines_the_setters_of_writers) {
  EXPECT_EQ(inlined("faces=writer"), "");
  EXPECT_EQ(inlined("faces=writer,hot=p.M+p.O"), "MO");
  EXPECT_EQ(inlined("faces=writer,hot=*"), "MNONone");
  EXPECT_EQ(inlined("faces=writer,hot=*,cold=p.N"), "MONone");
  EXPECT_EQ(inlined("faces=writer,cold=*"), "");
}

// A message whose slots do not fit a table is straight, whatever the options are.
TEST(Select, a_message_of_twenty_thousand_lists_is_straight) {
  for (const int count : {21000, 22000}) {
    if (count == 21000 && !thorough()) continue;  // by table, as smaller ones
    hotpb::HeapBuffer out;
    {
      auto set = out.message<pb::FileDescriptorSetWriter>();
      auto file = set.add_file();
      file.set_name("a.proto");
      auto m = file.add_message_type();
      m.set_name("M");
      for (int i = 1; i <= count; ++i) {
        auto field = m.add_field();
        field.set_name("f" + std::to_string(i));
        field.set_number(i < 19000 ? i : i + 1000);
        field.set_label(Label::LABEL_REPEATED);
        field.set_type(Type::TYPE_INT32);
      }
    }
    std::string bytes;
    ASSERT_TRUE(out.append_to(bytes).ok());
    std::vector<GeneratedFile> headers;
    std::string error;
    ASSERT_TRUE(headers_of_set(std::string_view(bytes), {}, "faces=view", headers, error)) << error;
    EXPECT_EQ(headers.at(0).content.find("scan_fields_[") == std::string::npos, count == 22000);
  }
}

TEST(Select, faces_that_cannot_follow_are_refused_by_name) {  // FCE-16, FCE-23
  EXPECT_EQ(generated("skip=p.M.a"),
            "protoc-gen-hotpb-cpp: option skip=p.M.a: the face writer cannot select fields in this version; leave "
            "writer out of faces=");
  EXPECT_EQ(generated("faces=view+reencode,only=p.M.a"),
            "protoc-gen-hotpb-cpp: option only=p.M.a: reencode would write messages without the fields that are left "
            "out; add keep_skipped, or leave reencode out of faces=");
  EXPECT_NE(generated("faces=view+reencode,only=p.M.a,keep_skipped").find("append_canonical"), std::string::npos);
}

TEST(Select, what_is_left_out_is_not_reached) {  // FCE-8
  const struct {
    const char* parameter;
    const char* views;
  } cases[] = {
      {"messages=p.M", "M N O E"},
      {"messages=p.M,skip=p.N.o+p.N.e", "M N"},
      {"messages=p.M,only=p.M.a+p.M.x+p.M.y", "M"},
      {"messages=p.M,skip=p.M.n", "M"},
      {"messages=p.N,skip=p.N.m,keep_skipped", "N O E"},
      {"skip=p.N.o+p.N.e+p.N.m+p.M.n+p.M.m", "M N O None E"},  // without messages=, all are wanted
  };
  for (const auto& wanted : cases) {
    const std::string code = generated(std::string("faces=view,") + wanted.parameter);
    std::string found;
    for (const char* name : {"M", "N", "O", "None"}) {
      if (code.find(std::string("\nclass ") + name + "View : ") != std::string::npos) found += std::string(name) + " ";
    }
    if (code.find("\nenum class E ") != std::string::npos) found += "E ";
    EXPECT_EQ(found, std::string(wanted.views) + " ") << wanted.parameter;
  }
}

TEST(Select, the_code_says_what_it_does_not_have) {  // FCE-9, FCE-22
  const std::string dropped = generated("faces=view,messages=p.M+p.O,skip=p.M.n+p.O.id");
  EXPECT_NE(dropped.find("// Left out by only= or skip=:\n//   required int32 id = 1\n// Their records are checked "
                         "like those of unknown fields, and discarded. Required fields among them are not checked.\n"),
            std::string::npos)
      << dropped;
  const std::string kept = generated("faces=view,skip=p.M.n,keep_skipped");
  EXPECT_NE(kept.find("//   optional N n = 5\n// Their records are checked like those of unknown fields, and kept "
                      "among the unknown fields.\n"),
            std::string::npos)
      << kept;
}

}  // namespace
}  // namespace hotpb_test
