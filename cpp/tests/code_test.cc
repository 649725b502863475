// Generated lines break only where C++ allows it.
#include "code.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::plugin::Code;

std::string broken(const std::string& line, int depth = 0) {
  Code code;
  for (int i = 0; i < depth; ++i) code.indent();
  code.line(line);
  return code.text();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

// The text as a compiler reads it: without comments and blanks around tokens, but with literals and preprocessor lines.
std::string tokens(const std::string& text) {
  std::string seen;
  for (const std::string& line : lines_of(text)) {
    bool in_string = false;
    const std::size_t start = line.find_first_not_of(' ');
    if (start != std::string::npos && line[start] == '#') {
      seen += line + "\n";
      continue;
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (in_string && line[i] == '\\') {
        seen += line.substr(i++, 2);
        continue;
      }
      if (line[i] == '"') in_string = !in_string;
      if (!in_string && line.compare(i, 2, "//") == 0) break;
      if (in_string || line[i] != ' ') seen += line[i];
    }
    EXPECT_FALSE(in_string) << "a literal is torn: " << line;
  }
  return seen;
}

TEST(Code, a_template_looks_as_what_it_makes) {
  Code code;
  code.text("first $a$");
  code.indent();
  code.text(R"(
$name$ {

  $name$ = $number$$name$;
}
)", {{"name", std::string("$number$")}, {"number", 7}});
  EXPECT_EQ(code.text(), "first $a$\n  $number$ {\n\n    $number$ = 7$number$;\n  }\n");
}

TEST(Code, a_preprocessor_line_is_never_torn) {
  const std::string name(300, 'A');
  for (const char* const directive : {"#ifndef ", "#define ", "#include ", "#endif  // "}) {
    EXPECT_EQ(broken(directive + name), directive + name + "\n");
    EXPECT_EQ(broken(directive + name + " " + name, 2), "    " + (directive + name + " " + name) + "\n");
  }
}

TEST(Code, a_comment_goes_on_as_a_comment) {
  const std::string name(116, 'n');
  for (const int depth : {0, 3}) {
    const std::string comment = "// optional string " + name + " = 1 of the message " + name;
    for (const std::string& line : lines_of(broken(comment, depth))) {
      EXPECT_EQ(line.compare(static_cast<std::size_t>(2 * depth), 3, "// "), 0) << line;
    }
  }
}

TEST(Code, a_comment_after_code_is_not_torn) {
  for (const std::size_t size : {90u, 100u, 116u, 400u}) {
    const std::string comment = "  // optional string " + std::string(size, 'n') + " = 1";
    EXPECT_EQ(broken("field_1:" + comment), "field_1:" + comment + "\n");
    EXPECT_EQ(tokens(broken("call(a, b); " + comment)), "call(a,b);");
  }
}

TEST(Code, a_string_literal_is_not_torn) {
  const std::string literal =
      "\"one // \\\" two \\\\\" " + std::string(100, 'x') + "(\"a b c " + std::string(100, 'y') + " d\")";
  EXPECT_EQ(tokens(broken("f(1, " + literal + ", 2);  // and a comment that is long " + std::string(50, 'z'))),
            tokens("f(1, " + literal + ", 2);\n"));
}

TEST(Code, each_line_of_a_value_is_broken_by_itself) {
  const std::string wide = "if (" + std::string(100, 'x') + ") return " + std::string(100, 'y') + ";";
  const std::string first = "if (" + std::string(100, 'x') + ") return";
  Code code;
  code.indent();
  code.text("{\n$body$\n}", {{"body", "  " + wide + "\n  return z;"}});
  code.line(wide, "\n\n  return z;");
  EXPECT_EQ(code.text(), "  {\n    " + first + "\n        " + std::string(100, 'y') + ";\n  return z;\n  }\n" +
                             "  " + first + "\n      " + std::string(100, 'y') + ";\n\n  return z;\n");
}

TEST(Code, random_lines_keep_their_meaning_at_every_length) {
  Random random;
  const auto name = [&] { return std::string(1 + random.below(random.one_in(8) ? 600 : 30), 'n'); };
  for (int round = 0; round < 2000; ++round) {
    std::string line;
    if (random.one_in(10)) line = "#define ";
    const bool comment = line.empty() && random.one_in(8);
    if (comment) line = "// ";
    for (std::size_t count = 1 + random.below(12); count > 0; --count) {
      switch (random.below(5)) {
        case 0: line += "\"" + name() + " // \\\" " + name() + "\", "; break;
        case 1: line += name() + "(" + name() + ") "; break;
        case 2: line += "<" + name() + ", " + name() + "> "; break;
        default: line += name() + " "; break;
      }
    }
    if (!comment && line[0] != '#' && random.one_in(3)) line += " // " + name() + " \"" + name() + " " + name();
    const int depth = static_cast<int>(random.below(6));
    const std::string text = broken(line, depth);
    EXPECT_EQ(tokens(text), tokens(std::string(static_cast<std::size_t>(2 * depth), ' ') + line + "\n"));
    if (comment) {
      for (const std::string& wrapped : lines_of(text)) {
        EXPECT_EQ(wrapped.compare(static_cast<std::size_t>(2 * depth), 2, "//"), 0) << wrapped;
      }
    }
  }
}

}  // namespace
}  // namespace hotpb_test
