// Writers that check strings: utf8=check and utf8=strict (WTR-14 to WTR-16), generated into namespaces of their own
// (FCE-28), so that one program has both and the usual writer, too.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hotpb/vectors.hot.h"
#include "hotpb/vectors_2023.hot.h"
#include "hotpb/vectors_proto2.hot.h"
#include "checked/hotpb/vectors.hot.h"
#include "checked/hotpb/vectors_2023.hot.h"
#include "checked/hotpb/vectors_proto2.hot.h"
#include "strict/hotpb/vectors_proto2.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
namespace p2 = hotpb::vectors::p2;
namespace p3 = hotpb::vectors::p3;

// One ill-formed text for each way to be ill-formed.
const std::string_view kBad[] = {"\xff", "a\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xe0\x80\x80",
                                 "\xf4\x90\x80\x80",
                                 "1234567\xe9", "twelve bytes, and then \xf0\x9f\x98"};

template <class Writer, class Call>
hotpb::WriteStatus written(Call call, std::string* bytes = nullptr) {
  hotpb::HeapBuffer out;
  auto message = out.message<Writer>();
  message.set_single_int32(1);
  call(message);
  message.set_single_int32(2);
  const hotpb::WriteStatus status = message.finish();
  EXPECT_EQ(out.bytes().ok(), status.ok());
  const Bytes result = status.ok() ? Bytes(out.bytes()) : out.partial_bytes();
  EXPECT_TRUE(status.ok() || Bytes(out.bytes()).empty());
  if (bytes != nullptr) *bytes = to_hex(result.text());
  return status;
}

// WTR-15, WTR-16. The error sticks; the fields before the string stay, and nothing follows.
template <class Writer>
void expect_refusals() {
  for (const std::string_view bad : kBad) {
    SCOPED_TRACE(to_hex(bad));
    const auto refused = [](auto call) {
      std::string bytes;
      const hotpb::WriteStatus status = written<Writer>(call, &bytes);
      EXPECT_EQ(status.code, Code::InvalidUtf8);
      EXPECT_EQ(status.valid_len, 2u);
      EXPECT_EQ(bytes, "0801");
    };
    refused([&](Writer& m) { m.set_single_string(bad); });
    refused([&](Writer& m) { m.add_repeated_string(bad); });
    refused([&](Writer& m) {
      const Bytes pieces[] = {bad};
      m.set_single_string(hotpb::ByteRanges(pieces));
    });
    refused([&](Writer& m) { m.add_key_string(bad, "value"); });
    refused([&](Writer& m) { m.add_key_string("key", bad); });
    refused([&](Writer& m) { m.add_value_all(bad, hotpb::RawMessage(Bytes())); });
    refused([&](Writer& m) {
      auto value = m.add_value_all(bad);
      value.set_single_int32(3);
    });
  }
}

TEST(Checked, strings_that_the_schema_checks_are_refused) {
  expect_refusals<p3::checked::AllWriter>();
  expect_refusals<hotpb::vectors::e23::checked::AllWriter>();
  expect_refusals<p2::strict::AllWriter>();
}

TEST(Checked, strings_that_the_schema_does_not_check_are_written_but_with_strict) {
  for (const std::string_view bad : kBad) {
    std::string bytes;
    EXPECT_TRUE(written<p2::checked::AllWriter>([&](auto& m) { m.set_single_string(bad); }, &bytes).ok());
    EXPECT_NE(bytes.find(to_hex(bad)), std::string::npos);
    EXPECT_TRUE(written<p2::hot::AllWriter>([&](auto& m) { m.set_single_string(bad); }).ok());
    EXPECT_TRUE(written<p3::hot::AllWriter>([&](auto& m) { m.set_single_string(bad); }).ok());
    EXPECT_TRUE(written<p2::strict::AllWriter>([&](auto& m) { m.set_single_bytes(bad); }).ok());
  }
}

// Well-formed text has the bytes of the usual writer.
TEST(Checked, text_is_written_as_always) {
  const std::string_view texts[] = {"", "a", "seven b", "na\xc3\xafve", "\xe2\x82\xac",
                                    "\xf0\x9f\x98\x80 and more than eight bytes"};
  const auto fill = [&](auto& m) {
    for (const std::string_view text : texts) {
      m.set_single_string(text);
      m.add_repeated_string(text);
      m.add_key_string(text, text);
      m.add_value_all(text, [&](auto& value) { value.set_single_string(text); });
    }
  };
  std::string checked;
  std::string usual;
  EXPECT_TRUE(written<p3::checked::AllWriter>(fill, &checked).ok());
  EXPECT_TRUE(written<p3::hot::AllWriter>(fill, &usual).ok());
  EXPECT_EQ(checked, usual);
}

// Pieces together are one string: a sequence may lie in several, wherever they are cut, also with empty ones.
TEST(Checked, pieces_together_are_one_string) {
  const std::string good = "a\xc3\xa9\xe2\x82\xac" "b\xf0\x9f\x98\x80";
  for (const bool is_good : {true, false}) {
    const std::string text = is_good ? good : good.substr(0, good.size() - 1);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      for (std::size_t k = i; k <= text.size(); ++k) {
        const std::string_view all = text;
        const Bytes pieces[] = {all.substr(0, i), Bytes(), all.substr(i, k - i), all.substr(k)};
        const Code wanted = is_good ? Code::Ok : Code::InvalidUtf8;
        EXPECT_EQ(written<p3::checked::AllWriter>([&](auto& m) {
          m.set_single_string(hotpb::ByteRanges(pieces));
        }).code, wanted) << i << " " << k;
      }
      std::vector<Bytes> single;
      for (const char& c : text) single.emplace_back(std::string_view(&c, 1));
      EXPECT_EQ(written<p3::checked::AllWriter>([&](auto& m) {
        m.set_single_string(hotpb::ByteRanges(single.data(), single.size()));
      }).ok(), is_good);
    }
  }
  // A wrong byte after the cut.
  for (const std::string_view rest : {"x", "\xc3\xa9", "\x82"}) {
    const Bytes pieces[] = {std::string_view("\xe2"), rest};
    EXPECT_EQ(written<p3::checked::AllWriter>([&](auto& m) {
      m.set_single_string(hotpb::ByteRanges(pieces));
    }).code, Code::InvalidUtf8);
  }
}

// In a child, the lengths around it are right up to the refused string; encoded messages are not looked into.
TEST(Checked, a_refusal_in_a_child_leaves_what_parses) {
  std::string bytes;
  const hotpb::WriteStatus status = written<p3::checked::AllWriter>([](auto& m) {
    auto child = m.set_single_child();
    child.set_id(7);
    child.set_name("\xff");
    child.set_id(8);
  }, &bytes);
  EXPECT_EQ(status.code, Code::InvalidUtf8);
  EXPECT_EQ(bytes, "0801" "920102" "0807");
  EXPECT_EQ(status.valid_len, 7u);
  EXPECT_TRUE(written<p3::checked::AllWriter>([](auto& m) {
    m.set_single_child(hotpb::RawMessage(std::string_view("\x12\x01\xff")));
  }).ok());
  // A stale handle is misuse first.
  EXPECT_EQ(written<p3::checked::AllWriter>([](auto& m) {
    auto child = m.set_single_child();
    m.set_single_int32(1);
    child.set_name("\xff");
  }).code, Code::HandleMisuse);
}

// FCE-28. The well-known types stay in hotpb::…::hot.
static_assert(!std::is_same_v<p3::checked::AllWriter, p3::hot::AllWriter>);

}  // namespace
}  // namespace hotpb_test
