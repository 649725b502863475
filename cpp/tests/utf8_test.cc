#include "hotpb/wire/utf8.h"

#include <gtest/gtest.h>

#include "support/support.h"

namespace hotpb_test {
namespace {

// Table 3-7 of the Unicode standard, row by row: the lead byte, then the range of each byte after it.
std::size_t plain_sequence(const unsigned char* p, std::size_t size) {
  struct Row {
    unsigned char lead_low, lead_high, second_low, second_high;
    std::size_t length;
  };
  static constexpr Row kRows[] = {
      {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
      {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
      {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
  };
  for (const Row& row : kRows) {
    if (p[0] < row.lead_low || p[0] > row.lead_high) continue;
    if (size < row.length) return 0;
    if (row.length > 1 && (p[1] < row.second_low || p[1] > row.second_high)) return 0;
    for (std::size_t i = 2; i < row.length; ++i) {
      if (p[i] < 0x80 || p[i] > 0xbf) return 0;
    }
    return row.length;
  }
  return 0;
}

std::size_t plain_prefix(const std::string& text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = plain_sequence(p + at, text.size() - at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

void expect_same_as_plain(const std::string& text) {
  const Exact input(text);
  const std::size_t wanted = plain_prefix(text);
  ASSERT_EQ(hotpb::utf8::valid_prefix(input.bytes().data(), text.size()), wanted) << to_hex(text);
  ASSERT_EQ(hotpb::utf8::is_valid(input.bytes().data(), text.size()), wanted == text.size()) << to_hex(text);
}

TEST(Utf8, every_sequence_of_one_to_three_bytes_is_judged_as_the_standard_says) {
  for (unsigned a = 0; a < 256; ++a) {
    expect_same_as_plain(std::string{static_cast<char>(a)});
    if (a < 0xc0) continue;
    for (unsigned b = 0; b < 256; ++b) {
      expect_same_as_plain({static_cast<char>(a), static_cast<char>(b)});
      if (b < 0x70 || b > 0xc8) continue;
      for (unsigned c = 0x70; c < 0xc8; ++c) {
        expect_same_as_plain({static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)});
      }
    }
  }
}

TEST(Utf8, every_lead_of_four_bytes_is_judged_as_the_standard_says) {
  for (unsigned a = 0xe8; a < 256; ++a) {
    for (unsigned b = 0x78; b < 0xc8; ++b) {
      for (const unsigned c : {0x00u, 0x7fu, 0x80u, 0xa5u, 0xbfu, 0xc0u, 0xffu}) {
        for (const unsigned d : {0x00u, 0x7fu, 0x80u, 0xa5u, 0xbfu, 0xc0u, 0xffu}) {
          expect_same_as_plain(
              {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), static_cast<char>(d)});
        }
      }
    }
  }
}

TEST(Utf8, one_byte_above_ascii_is_seen_at_every_place_of_every_length) {
  for (std::size_t size = 1; size <= 200; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\x80';
      expect_same_as_plain(text);
      if (at + 2 > size) continue;
      text.replace(at, 2, "\xc3\xa9");
      expect_same_as_plain(text);
    }
  }
}

TEST(Utf8, random_mixtures_of_good_sequences_with_one_byte_changed_are_judged_alike) {
  static const std::string kPieces[] = {"a", "plain ascii text", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                                        "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", std::string(1, '\0')};
  Random random;
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (std::size_t pieces = random.below(24); pieces > 0; --pieces) text += kPieces[random.below(std::size(kPieces))];
    expect_same_as_plain(text);
    if (text.empty()) continue;
    text[random.below(text.size())] = static_cast<char>(random.bits() & 0xff);
    expect_same_as_plain(text);
    expect_same_as_plain(text.substr(0, random.below(text.size())));
  }
}

TEST(Utf8, random_bytes_are_judged_alike) {
  Random random;
  for (int i = 0; i < 100000; ++i) expect_same_as_plain(random.bytes(random.below(20)));
}

}  // namespace
}  // namespace hotpb_test
