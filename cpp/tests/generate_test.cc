// The generator's command line, its responses to protoc, and its errors for bad input.
#include "generate.h"

#include <gtest/gtest.h>

#include "hotpb/wire/reader.h"
#include "hotpb/wire/write.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using namespace hotpb::plugin;

std::string refusal(const std::vector<std::string>& words) {
  Arguments arguments;
  std::string error;
  return parse_arguments(words, arguments, error) ? "accepted" : error;
}

TEST(Arguments, what_is_asked_for_is_taken_over) {
  Arguments arguments;
  std::string error;
  const std::vector<std::string> words{"--descriptor_set=x.fds", "--files=a.proto+b/c.proto", "--emit_plan=-"};
  ASSERT_TRUE(parse_arguments(words, arguments, error));
  EXPECT_EQ(arguments.descriptor_set, "x.fds");
  EXPECT_EQ(arguments.emit_plan, "-");
  EXPECT_EQ(arguments.files, (std::vector<std::string>{"a.proto+b/c.proto"}));
  Arguments repeated;
  ASSERT_TRUE(parse_arguments({"--descriptor_set=x.fds", "--files=a.proto", "--files=c++.proto", "--emit_plan=-"},
                              repeated, error));
  EXPECT_EQ(repeated.files, (std::vector<std::string>{"a.proto", "c++.proto"}));
  Arguments by_option;
  ASSERT_TRUE(parse_arguments({"--descriptor_set=x.fds", "--opt=emit_plan=p.json"}, by_option, error)) << error;
  EXPECT_EQ(by_option.emit_plan, "p.json");
}

TEST(Arguments, the_error_of_each_mistake_names_it_and_says_what_to_write) {
  const struct {
    std::vector<std::string> words;
    const char* part;
  } cases[] = {
      {{"--descriptor_set=x"}, "--out=DIR or --emit_plan=FILE is missing"},
      {{"--descriptor_set=x", "--out=gen", "--out=other"}, "--out is given twice"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=messages=a.B"},
       "the plan alone does not depend on these options"},
      {{"--emit_plan=-"}, "--descriptor_set=FILE is missing"},
      {{"--descriptor_set=x", "--emit_plan="}, "--emit_plan needs a value, as in --emit_plan=..."},
      {{"--descriptor_set", "x"}, "--descriptor_set needs a value, as in --descriptor_set=..."},
      {{"--descriptor_set=x", "--descriptor_set=y"}, "--descriptor_set is given twice"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=emit_plan=y"}, "option emit_plan=y: --emit_plan is given too"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=faces=schema"},
       "option faces=schema: the face \"schema\" is not in this version of the C++ generator; it has "},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=utf8=lax"},
       "option utf8=lax: the values are schema, check and strict"},
      {{"--descriptor_set=x", "--out=gen", "--opt=faces=view,utf8=check"},
       "option utf8=check: it works only with the face writer"},
      {{"--descriptor_set=x", "--out=gen", "--opt=namespace=a::b"}, "option namespace=a::b: write one name that C++"},
      {{"--descriptor_set=x", "--out=gen", "--opt=namespace=class"}, "option namespace=class: write one name"},
      {{"--descriptor_set=x", "--out=gen", "--opt=namespace=_a"}, "option namespace=_a: write one name"},
      {{"--descriptor_set=x", "--out=gen", "--opt=namespace=1a"}, "option namespace=1a: write one name"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=namespace=fast"}, "the plan alone does not depend on these"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=faces=view+rewrite"},
       "rewrite needs writer+view: write faces=writer+view+rewrite"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=faces=builder"}, "builder needs pool: write faces=pool+builder"},
      {{"--descriptor_set=x", "--out=gen", "--opt=faces=pool+builder,skip=a.b"},
       "option skip=a.b: builder would write messages without the fields that are left out; add keep_skipped"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=fast"},
       "option fast: there is no such option; the options are faces="},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=faces=writer,view"},
       "option view: a face is no option: join the names of faces with +"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=only=a.b"}, "option only=a.b: the face writer cannot select"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=faces=writer,faces=writer"}, "option faces=writer: given twice"},
      {{"--descriptor_set=x", "--emit_plan=-", "--opt=faces=writer+writer"}, "writer is named twice"},
      {{"--verbose"}, "there is no argument --verbose; the arguments are "},
      {{"x.fds"}, "there is no argument x.fds"},
  };
  for (const auto& mistake : cases) {
    EXPECT_NE(refusal(mistake.words).find(mistake.part), std::string::npos) << refusal(mistake.words);
  }
}

struct Response {
  std::string error;
  std::string name;
  std::string content;
  std::uint64_t features = 0;
  std::uint64_t minimum_edition = 0;
  std::uint64_t maximum_edition = 0;
};

Response read_response(const std::string& bytes) {
  Response response;
  hotpb::wire::Reader fields{std::string_view(bytes)};
  while (fields.next()) {
    switch (fields.number()) {
      case 1: response.error = fields.as_bytes().text(); break;
      case 2: response.features = fields.as_uint64(); break;
      case 3: response.minimum_edition = fields.as_uint64(); break;
      case 4: response.maximum_edition = fields.as_uint64(); break;
      case 15: {
        hotpb::wire::Reader file = fields.child();
        while (file.next()) (file.number() == 1 ? response.name : response.content) = file.as_bytes().text();
        break;
      }
    }
  }
  EXPECT_TRUE(fields.ok());
  return response;
}

std::string request_with(std::string_view parameter) {
  std::string request;
  const auto append = [&](std::uint32_t number, std::string_view text) {
    hotpb::wire::append_tag(request, number, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(request, text);
  };
  append(1, "a.proto");
  append(2, parameter);
  append(15, "\x0a\x07" "a.proto\x22\x03\x0a\x01M");
  return request;
}

TEST(Answer, a_plan_is_one_output_file) {
  const Response response = read_response(answer(std::string_view(request_with("emit_plan=a.json"))));
  EXPECT_EQ(response.error, "");
  EXPECT_EQ(response.name, "a.json");
  EXPECT_EQ(response.content.substr(0, 24), "{\n  \"plan_version\": 2,\n ");
  EXPECT_EQ(response.features, 3u);
  EXPECT_EQ(response.minimum_edition, 1000u);
  EXPECT_EQ(response.maximum_edition, 1001u);
}

TEST(Answer, a_file_becomes_a_header) {
  const Response response = read_response(answer(std::string_view(request_with("faces=writer"))));
  EXPECT_EQ(response.error, "");
  EXPECT_EQ(response.name, "a.hot.h");
  EXPECT_NE(response.content.find("\nclass MWriter;\n"), std::string::npos) << response.content;
  EXPECT_NE(response.content.find("\nstruct MFields {"), std::string::npos) << response.content;
}

// The list of options in the error for an option that does not exist.
TEST(Arguments, the_list_of_options_is_that_of_the_help_and_each_of_them_exists) {
  const std::string error = refusal({"--descriptor_set=x", "--out=gen", "--opt=gone"});
  const std::string start = "the options are ";
  ASSERT_NE(error.find(start), std::string::npos) << error;
  std::string list = error.substr(error.find(start) + start.size());
  list.replace(list.find(" and "), 5, ", ");
  const std::string help = usage().substr(usage().find("Options, "));
  std::size_t count = 0;
  for (std::string name : split(list, ',')) {
    name.erase(0, name.find_first_not_of(' '));
    EXPECT_NE(help.find("\n  " + name), std::string::npos) << name;
    const std::string option = name + (name.back() == '=' ? "" : "=1");
    const std::string bad = refusal({"--descriptor_set=x", "--out=gen", "--opt=" + option});
    EXPECT_EQ(bad.find("there is no such option"), std::string::npos) << bad;
    ++count;
  }
  std::size_t lines = 0;  // of options, which are indented by two blanks
  for (const std::string& line : split(help, '\n')) lines += line.substr(0, 2) == "  " && line[2] != ' ';
  EXPECT_EQ(count, lines) << list;
}

// A set with a file of each name, which has `messages` messages M, M1, ...
std::string set_of(const std::vector<std::string>& names, std::size_t messages = 1) {
  std::string set;
  for (const std::string& name : names) {
    std::string file;
    hotpb::wire::append_tag(file, 1, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(file, std::string_view(name));
    hotpb::wire::append_tag(file, 2, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(file, std::string_view("p" + std::to_string(&name - names.data())));
    for (std::size_t i = 0; i < messages; ++i) {
      std::string message;
      hotpb::wire::append_tag(message, 1, hotpb::wire::WireType::Len);
      hotpb::wire::append_len(message, std::string_view(i == 0 ? "M" : "M" + std::to_string(i)));
      hotpb::wire::append_tag(file, 4, hotpb::wire::WireType::Len);
      hotpb::wire::append_len(file, std::string_view(message));
    }
    hotpb::wire::append_tag(set, 1, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(set, std::string_view(file));
  }
  return set;
}

TEST(HeadersOfSet, names_with_a_plus_and_blanks_are_those_of_the_set) {
  const std::string set =
      set_of({"c++api.proto", "my dir/a b.proto", "a.proto", "a.proto+", "b.proto", "+.proto", "x+y.proto"});
  const struct {
    std::vector<std::string> files;
    std::vector<std::string> headers;  // in the order of the set; or the error
  } cases[] = {
      {{"c++api.proto"}, {"c++api.hot.h"}},
      {{"my dir/a b.proto"}, {"my dir/a b.hot.h"}},
      {{"c++api.proto+b.proto"}, {"c++api.hot.h", "b.hot.h"}},
      {{"b.proto+c++api.proto"}, {"c++api.hot.h", "b.hot.h"}},
      {{"b.proto", "c++api.proto"}, {"c++api.hot.h", "b.hot.h"}},
      {{"b.proto+b.proto"}, {"b.hot.h"}},
      {{"a.proto"}, {"a.hot.h"}},
      {{"a.proto++b.proto"}, {"a.proto+.hot.h", "b.hot.h"}},
      {{"a.proto+b.proto"}, {"a.hot.h", "b.hot.h"}},
      {{"b.proto++.proto"}, {"b.hot.h", "+.hot.h"}},
      {{"x+y.proto+x+y.proto"}, {"x+y.hot.h"}},
      {{"x"}, {"x: the file is requested, but is not in the descriptor set"}},
      {{"x+z.proto"}, {"x: the file is requested, but is not in the descriptor set"}},
      {{"b.proto++b.proto"}, {"--files=b.proto++b.proto: write names of files of the set joined by +"}},
      {{"b.proto+"}, {"--files=b.proto+: write names of files of the set joined by +"}},
      {{"+"}, {"--files=+: write names of files of the set joined by +"}},
  };
  for (const auto& test : cases) {
    std::vector<GeneratedFile> files;
    std::string error;
    if (!headers_of_set(std::string_view(set), test.files, "faces=writer", files, error)) {
      EXPECT_NE(error.find(test.headers[0]), std::string::npos) << error;
      continue;
    }
    std::vector<std::string> headers;
    for (const GeneratedFile& file : files) headers.push_back(file.name);
    EXPECT_EQ(headers, test.headers) << test.files[0];
  }
}

TEST(HeadersOfSet, a_file_of_more_than_200_messages_has_a_note) {
  const auto notes_of = [](std::size_t messages, const char* options) {
    std::vector<std::string> notes;
    std::vector<GeneratedFile> files;
    std::string error;
    const std::string set = set_of({"a.proto", "b.proto"}, messages);
    EXPECT_TRUE(headers_of_set(std::string_view(set), {"b.proto"}, options, files, error, &notes)) << error;
    return notes;
  };
  EXPECT_EQ(notes_of(201, "faces=writer"),
            (std::vector<std::string>{
                "protoc-gen-hotpb-cpp: b.proto: 201 messages, code for all of them; messages=pkg.A+pkg.B writes only "
                "those and the messages that they need (quiet leaves this line out)"}));
  EXPECT_TRUE(notes_of(200, "faces=writer").empty());
  EXPECT_TRUE(notes_of(201, "faces=writer,quiet").empty());
  EXPECT_TRUE(notes_of(201, "faces=writer,messages=p1.M7").empty());
}

// A set with one file of that name, which has a message M.
std::string set_with(const std::string& name) {
  std::string file;
  hotpb::wire::append_tag(file, 1, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(file, std::string_view(name));
  file += "\x22\x03\x0a\x01M";
  std::string set;
  hotpb::wire::append_tag(set, 1, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(set, std::string_view(file));
  return set;
}

TEST(HeadersOfSet, with_sources_the_long_functions_have_a_file_of_their_own) {
  std::vector<GeneratedFile> files;
  std::string error;
  ASSERT_TRUE(headers_of_set(std::string_view(set_with("a/b.proto")), {}, "sources", files, error)) << error;
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "a/b.hot.h");
  EXPECT_EQ(files[0].content.find("MView::scan_("), std::string::npos);
  EXPECT_NE(files[0].content.find("extern template class ::hotpb::view::View<::hot::MView>;"), std::string::npos)
      << files[0].content;
  EXPECT_EQ(files[1].name, "a/b.hot.cc");
  EXPECT_NE(files[1].content.find("\nbool MView::scan_("), std::string::npos) << files[1].content;
  EXPECT_EQ(files[2].name, "a/b.hot.fwd.h");
  EXPECT_NE(files[2].content.find("\nclass MView;\n"), std::string::npos) << files[2].content;
}

TEST(HeadersOfSet, with_split_each_face_has_a_header) {
  std::vector<GeneratedFile> files;
  std::string error;
  ASSERT_TRUE(headers_of_set(std::string_view(set_with("a/b.proto")), {}, "faces=writer+view,split", files, error))
      << error;
  ASSERT_EQ(files.size(), 4u);
  const char* const names[] = {"a/b.fields.hot.h", "a/b.writer.hot.h", "a/b.view.hot.h", "a/b.hot.h"};
  const char* const parts[] = {"\nstruct MFields {", "\nclass MWriter final", "\nclass MView :",
                               "#include \"a/b.view.hot.h\""};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(files[i].name, names[i]);
    for (std::size_t part = 0; part < 4; ++part) {
      EXPECT_EQ(files[i].content.find(parts[part]) != std::string::npos, i == part) << files[i].content;
    }
  }
  EXPECT_EQ(files[2].content.find("hotpb/writer.h"), std::string::npos);
  for (const char* options : {"sources,split", "single_header,split"}) {
    EXPECT_FALSE(headers_of_set(std::string_view(set_with("a/b.proto")), {}, options, files, error));
    EXPECT_NE(error.find("option split: it does not go together with"), std::string::npos) << error;
  }
}

TEST(HeadersOfSet, a_file_name_that_leads_out_of_the_output_directory_is_refused) {
  std::vector<GeneratedFile> headers;
  std::string error;
  for (const char* name : {"../a.proto", "a/../../b.proto", "/etc/a.proto", "a/..", "./a.proto", "a//b.proto",
                           "c:/a.proto", "..\\a.proto"}) {
    EXPECT_FALSE(headers_of_set(std::string_view(set_with(name)), {}, "faces=writer", headers, error)) << name;
    EXPECT_NE(error.find("would be outside of the output folder"), std::string::npos) << error;
    EXPECT_TRUE(headers.empty());
  }
  for (const char* name : {"a.proto", "a/b/c.proto", "a..b/..c.proto"}) {
    EXPECT_TRUE(headers_of_set(std::string_view(set_with(name)), {}, "faces=writer", headers, error)) << error;
  }
}

TEST(Answer, an_option_that_cannot_be_followed_is_named) {
  for (const char* parameter : {"faces=schema", "emit_plan=-", "emit_plan=", "emit_plan=a,emit_plan=b", "x", "skip=M.x",
                                "messages=Gone", "messages=M+", "utf8=none"}) {
    const Response response = read_response(answer(std::string_view(request_with(parameter))));
    EXPECT_NE(response.error.find(parameter == std::string("emit_plan=a,emit_plan=b") ? "twice" : parameter),
              std::string::npos)
        << response.error;
    EXPECT_EQ(response.name, "");
  }
}

TEST(Answer, names_out_of_a_broken_descriptor_are_shown_printable) {
  std::string set;
  hotpb::wire::append_tag(set, 1, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(set, std::string_view("\x0a\x03" "a\xff\n" "\x22\x03\x0a\x01\x1b", 10));
  std::string json;
  std::string error;
  ASSERT_FALSE(plan_of_set(std::string_view(set), {}, json, error));
  EXPECT_NE(error.find("a\\xff\\x0a"), std::string::npos) << error;
  for (const char c : error) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << error;
}

// Real descriptor sets with bytes that are changed, removed and duplicated: the result is an error or a plan, and never
// a crash.
TEST(Answer, damaged_descriptor_sets_give_an_error_or_a_plan) {
  Random random;
  std::size_t plans = 0;
  std::size_t errors = 0;
  for (const char* name : {"raft", "features", "remote_write_v1", "option_dependency", "plugin"}) {
    std::string whole;
    ASSERT_TRUE(read_file(repository(std::string("vectors/plans/") + name + ".fds"), whole));
    for (int round = 0; round < 400; ++round) {
      std::string set = whole;
      for (std::size_t changes = 1 + random.below(2); changes > 0 && !set.empty(); --changes) {
        const std::size_t at = random.below(set.size());
        const std::size_t size = std::min(random.below(20), set.size() - at);
        switch (random.below(5)) {
          case 0: set.erase(at, size); break;
          case 1: set.insert(at, set.substr(at, size)); break;
          case 2: set.resize(at); break;
          default: set[at] = static_cast<char>(random.bits() & 0xff); break;
        }
      }
      const Exact input(set);
      std::string json;
      std::string error;
      if (plan_of_set(input.bytes(), {}, json, error)) {
        ++plans;
        EXPECT_EQ(json.back(), '\n');
      } else {
        ++errors;
        EXPECT_NE(error.find("InvalidSchema: "), std::string::npos);
      }
      read_response(answer(input.bytes()));
    }
  }
  EXPECT_GT(plans, 50u);
  EXPECT_GT(errors, 100u);
}

TEST(Answer, deep_nesting_is_refused) {
  std::string message("\x0a\x01M");
  for (int level = 0; level < 200; ++level) {
    std::string outer("\x0a\x01M");
    hotpb::wire::append_tag(outer, 3, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(outer, std::string_view(message));
    message = outer;
  }
  std::string file("\x0a\x07" "a.proto");
  hotpb::wire::append_tag(file, 4, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(file, std::string_view(message));
  std::string set;
  hotpb::wire::append_tag(set, 1, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(set, std::string_view(file));
  std::string json;
  std::string error;
  EXPECT_FALSE(plan_of_set(std::string_view(set), {}, json, error));
  EXPECT_NE(error.find("DepthExceeded"), std::string::npos) << error;
}

}  // namespace
}  // namespace hotpb_test
