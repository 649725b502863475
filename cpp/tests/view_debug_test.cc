// debug_string() of views and of bytes: what the vectors do not show (cpp/rules.md, FCE-33 to FCE-36).
#include <gtest/gtest.h>

#include <string>

#include "hotpb/debug.h"
#include "hotpb/vectors_proto2.hot.h"
#include "support/fields.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::debug_string;
namespace p2 = hotpb::vectors::p2::hot;

std::string text_of(const std::string& bytes, const hotpb::DebugOptions& options = {}) {
  const Exact input(bytes);
  return debug_string(p2::AllView::kTable, input.bytes(), options);
}

TEST(Debug, records_are_shown_as_they_came) {  // FCE-33
  const std::string child = varint(1, 7) + len(2, "a");
  const std::string bytes = len(18, child) + varint(1, 5) + len(18, "") + len(401, "\x01\x02") + varint(17, 77) +
                            fixed(1990, std::uint32_t{42}) + len(1999, child) + len(1998, "\xff");
  const std::string wanted =
      "single_child {\n  id: 7\n  name: \"a\"\n}\nsingle_int32: 5\nsingle_child {\n}\npacked_int32: 1\n"
      "packed_int32: 2\n17: 77\n1990: 0x0000002a\n1999 {\n  1: 7\n  2: \"a\"\n}\n1998: \"\\377\"\n";
  EXPECT_EQ(text_of(bytes), wanted);
  const Exact input(bytes);
  p2::AllView all;
  ASSERT_TRUE(all.decode(input.bytes()).ok());
  EXPECT_EQ(debug_string(all), wanted);
  // A message in several records is shown whole.
  p2::ChildView split;
  const Exact twice(len(18, varint(1, 7)) + varint(1, 1) + len(18, len(2, "b")));
  ASSERT_TRUE(all.decode(twice.bytes()).ok());
  ASSERT_TRUE(split.open(all.single_child()).ok());
  EXPECT_EQ(debug_string(split), "id: 7\nname: \"b\"\n");
}

TEST(Debug, strings_are_escaped) {  // FCE-34
  std::string every;
  for (int i = 0; i < 256; ++i) every.push_back(static_cast<char>(i));
  const std::string text = text_of(len(15, every));
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
  EXPECT_NE(text.find("\\000\\001"), std::string::npos);
  EXPECT_NE(text.find("\\t\\n\\013\\014\\r"), std::string::npos);
  EXPECT_NE(text.find("\\\"#$%&\\'"), std::string::npos);
  EXPECT_NE(text.find("[\\\\]"), std::string::npos);
}

TEST(Debug, the_error_is_the_last_line) {  // FCE-36
  const std::string good = varint(1, 5);
  EXPECT_EQ(text_of(good + len(18, varint(1, 3) + "\x12\x05pa")),
            "single_int32: 5\nsingle_child {\n  id: 3\n  name: \"pa\"\n}\n# Truncated at byte 9: single_child.name\n");
  EXPECT_EQ(text_of(good + "\x0f"), "single_int32: 5\n# InvalidWireType at byte 2\n");
  EXPECT_EQ(text_of(good + "\x08"), "single_int32: 5\n# Truncated at byte 3: single_int32\n");
  // The rest is shown where the form is good.
  p2::AllView all;
  const Exact bad_child(len(18, "\x08") + good);
  ASSERT_TRUE(all.decode(bad_child.bytes()).ok());
  EXPECT_EQ(debug_string(all), "single_child {\n}\n# Truncated at byte 4: single_child.id\n");
}

// No input is read outside of its bytes, whatever is cut or changed; the error is that of check().
TEST(Debug, any_bytes_have_a_text) {  // FCE-36
  const std::string bytes = len(18, varint(1, 7) + len(2, "a") + len(3, len(5, len(1, "k") + varint(2, 1)))) +
                            len(401, "\x01\x02") + std::string("\xc3\x3e\x08\x01\xc4\x3e", 6) +
                            len(614, len(1, "k") + len(2, "v")) + fixed(1990, std::uint64_t{42}) +
                            len(1999, varint(3, 3));
  Random random;
  std::size_t bad = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = bytes.substr(0, 1 + random.below(bytes.size()));
    if (random.one_in(2)) changed[random.below(changed.size())] = static_cast<char>(random.bits());
    const Exact input(changed);
    const hotpb::Error error = hotpb::check(p2::AllView::kTable, input.bytes());
    const std::string text = debug_string(p2::AllView::kTable, input.bytes());
    if (error.ok()) {
      ASSERT_EQ(text.find('#'), std::string::npos) << to_hex(changed);
      continue;
    }
    ++bad;
    const std::string line = "# " + hotpb::to_string(error) + "\n";
    ASSERT_TRUE(text.size() >= line.size() && text.substr(text.size() - line.size()) == line) << to_hex(changed);
  }
  EXPECT_GT(bad, 5000u);
}

TEST(Debug, size_and_depth_are_limited) {  // FCE-35
  const std::string many = len(14, std::string(1000, 'x')) + varint(1, 5);
  for (std::size_t size = 0; size < 1030; ++size) {
    hotpb::DebugOptions options;
    options.size = size;
    const std::string whole = text_of(many);
    const std::string text = text_of(many, options);
    if (size >= whole.size()) {
      EXPECT_EQ(text, whole);
      continue;
    }
    ASSERT_EQ(text.substr(0, size), whole.substr(0, size));
    const std::string end = size != 0 && text[size - 1] == '\n' ? "# cut here\n" : "\n# cut here\n";
    EXPECT_EQ(text.substr(size), size == 0 ? "# cut here\n" : end);
  }
  std::string deep = varint(1, 3);
  for (int i = 0; i < 5; ++i) deep = len(3, deep);
  hotpb::DebugOptions options;
  options.depth = 2;
  EXPECT_EQ(text_of(len(18, deep), options), "single_child {\n  child {\n    child {\n      # deeper\n    }\n  }\n}\n");
}

}  // namespace
}  // namespace hotpb_test
