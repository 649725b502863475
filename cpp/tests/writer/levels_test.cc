// Slots that move in a chunk (writer/levels.h), compared with a message that is built again from its parts.
#include "hotpb/writer/levels.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace hotpb_test {
namespace {

using hotpb::detail::lay_out;
using hotpb::detail::resize;
using hotpb::detail::Slot;

// Slots of these widths. Before each, and at the end, is text that identifies its place.
std::string chunk(const std::vector<std::size_t>& widths, const std::vector<std::string>& texts,
                  std::vector<std::size_t>& places) {
  std::string all;
  places.clear();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    all += texts[i];
    places.push_back(all.size());
    all.append(widths[i], '?');
  }
  return all + texts.back();
}

TEST(Levels, SlotsGetOneWidthAndTheirContentMoves) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t count = random() % 6;
    const std::size_t width = random() % 2 == 0 ? 1 : 4;
    std::vector<std::size_t> before;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i <= count; ++i) {
      if (i < count) before.push_back(1 + random() % 4);
      texts.emplace_back(random() % 9, static_cast<char>('a' + i));
    }
    std::vector<std::size_t> places;
    std::string bytes = chunk(before, texts, places);
    std::vector<std::size_t> new_places;
    std::string expected = chunk(std::vector<std::size_t>(count, width), texts, new_places);
    const std::size_t used = bytes.size();
    bytes.resize(used > expected.size() ? used : expected.size(), '#');
    std::uint8_t* const begin = reinterpret_cast<std::uint8_t*>(&bytes[0]);
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < count; ++i) slots.push_back(Slot{begin + places[i], before[i], nullptr});

    const std::uint8_t* const end = lay_out(slots.data(), count, width, begin + used);
    ASSERT_EQ(static_cast<std::size_t>(end - begin), expected.size());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(static_cast<std::size_t>(slots[i].to - begin), new_places[i]);
      bytes.replace(new_places[i], width, width, '?');  // a slot may contain anything
    }
    ASSERT_EQ(bytes.substr(0, expected.size()), expected);
  }
}

TEST(Levels, OneSlotIsResized) {
  for (std::size_t before = 1; before <= 5; ++before) {
    for (std::size_t after = 1; after <= 5; ++after) {
      std::string bytes = "x" + std::string(before, '?') + "content" + std::string(5, '#');
      std::uint8_t* const begin = reinterpret_cast<std::uint8_t*>(&bytes[0]);
      const std::uint8_t* const end = resize(begin + 1, before, after, begin + 1 + before + 7);
      EXPECT_EQ(static_cast<std::size_t>(end - begin), 1 + after + 7);
      EXPECT_EQ(bytes.substr(1 + after, 7), "content");
    }
  }
}

// Each transition, and the state of the level after it.
TEST(Levels, AreOpenedMovedAndLeft) {
  using Levels = hotpb::detail::Levels<8>;
  using Kind = Levels::Kind;
  std::uint8_t bytes[64];
  for (std::uint8_t& byte : bytes) byte = 0xa5;
  Levels levels;
  levels.reset(99);
  EXPECT_EQ(levels.serial_below(0), 99u);
  EXPECT_EQ(levels.kind(0), Kind::Root);
  levels.open_root(100);
  levels.open_short(1, 101, bytes + 2);
  levels.open_slot(2, 102, bytes + 5, 3);
  levels.open_group(3, 103, 1010, 0x0c);
  levels.open_fixed(4, 104, 7, 12, 1016);
  EXPECT_EQ(levels.serial_below(1), 100u);
  EXPECT_EQ(levels.serial(4), 104u);
  EXPECT_EQ(levels.kind(1), Kind::Slot);
  EXPECT_EQ(levels.content(1), bytes + 3);
  EXPECT_EQ(levels.kind(2), Kind::Slot);
  EXPECT_EQ(levels.content(2), bytes + 8);
  EXPECT_TRUE(levels.is_slot_of(2, 3));
  EXPECT_EQ(levels.kind(3), Kind::Group);
  EXPECT_EQ(levels.end_tag(3), 0x0cu);
  EXPECT_EQ(levels.kind(4), Kind::Fixed);

  levels.moved(2, bytes + 5, 4);
  levels.move_group(3, 1);
  for (std::size_t level = 1; level <= 4; ++level) levels.leave(level, 7, bytes, 1000);
  EXPECT_EQ(levels.kind(1), Kind::ShortLeft);
  EXPECT_EQ(levels.place(1), 2u);
  EXPECT_EQ(levels.start(1), 1003u);
  EXPECT_EQ(bytes[2], 0);
  EXPECT_EQ(levels.kind(2), Kind::FixedLeft);
  EXPECT_EQ(levels.chunk(2), 7u);
  EXPECT_EQ(levels.place(2), 5u);
  EXPECT_EQ(levels.start(2), 1009u);
  EXPECT_EQ(std::string(bytes + 5, bytes + 10), std::string(4, '\0') + '\xa5');
  EXPECT_EQ(levels.start(3), 1011u);
  EXPECT_EQ(levels.kind(4), Kind::FixedLeft);
  EXPECT_EQ(levels.place(4), 12u);
  // The same level again, of another kind: nothing of the previous one is left.
  levels.open_short(2, 105, bytes + 20);
  EXPECT_EQ(levels.kind(2), Kind::Slot);
  EXPECT_EQ(levels.width(2), 1u);
}

}  // namespace
}  // namespace hotpb_test
