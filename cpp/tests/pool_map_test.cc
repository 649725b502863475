// Look-ups in maps of pools: small and large, by key or not, with keys that come again.
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/pool.h"
#include "hotpb/vectors.builder.hot.h"
#include "hotpb/wire/write.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

namespace p3 = hotpb::vectors::p3::hot;
using hotpb::wire::WireType;

std::string entry(std::uint32_t field, const std::string& content) {
  std::string out;
  hotpb::wire::append_tag(out, field, WireType::Len);
  hotpb::wire::append_len(out, content);
  return out;
}
std::string int_entry(std::int32_t key, std::int32_t value) {
  std::string content;
  hotpb::wire::append_tag(content, 1, WireType::Varint);
  hotpb::wire::append_varint(content, static_cast<std::uint64_t>(std::int64_t{key}));
  hotpb::wire::append_tag(content, 2, WireType::Varint);
  hotpb::wire::append_varint(content, static_cast<std::uint64_t>(std::int64_t{value}));
  return entry(601, content);
}
std::string text_entry(const std::string& key, const std::string& value) {
  std::string content;
  hotpb::wire::append_tag(content, 1, WireType::Len);
  hotpb::wire::append_len(content, key);
  hotpb::wire::append_tag(content, 2, WireType::Len);
  hotpb::wire::append_len(content, value);
  return entry(614, content);
}

// Each key and some others are looked up in the message, and in one that is built of it; the order is that of the
// input.
void expect_found(const p3::All& m, const std::map<std::int32_t, std::int32_t>& ints,
                  const std::map<std::string, std::string>& texts) {
  ASSERT_EQ(m.key_int32().size(), ints.size());
  ASSERT_EQ(m.key_string().size(), texts.size());
  for (const auto& [key, value] : ints) {
    const auto found = m.key_int32().find(key);
    ASSERT_NE(found, m.key_int32().end()) << key;
    EXPECT_EQ((*found).key, key);
    EXPECT_EQ((*found).value, value);
  }
  for (const auto& [key, value] : texts) {
    const auto found = m.key_string().find(key);
    ASSERT_NE(found, m.key_string().end()) << key;
    EXPECT_EQ((*found).key, key);
    EXPECT_EQ((*found).value, value);
    EXPECT_EQ(m.key_string().contains(key + "x"), texts.count(key + "x") != 0);
  }
  for (std::int32_t key = -200; key < 200; ++key) {
    EXPECT_EQ(m.key_int32().contains(key), ints.count(key) != 0) << key;
  }
  EXPECT_FALSE(m.key_string().contains("no key"));
}

// Each iterator of each face that has elements of a class has operator->.
TEST(Iterators, have_an_arrow) {
  const std::string counts = entry(5, "\x0a\x01" "a\x10\x07");
  const std::string child = entry(9, "\x12\x02nn" + counts);
  p3::ChildPool pool;
  const std::string bytes = child + counts;
  ASSERT_TRUE(pool.decode(bytes).ok());
  EXPECT_EQ(pool->counts().begin()->key, "a");
  EXPECT_EQ(pool->counts().find("a")->value, 7);
  EXPECT_EQ(pool->children().begin()->name(), "nn");
  EXPECT_EQ(std::next(pool->counts().begin()), pool->counts().end());
}

TEST(PoolMap, keys_are_found_in_maps_of_any_size_and_order) {
  Random random;
  p3::AllPool pool;
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = random.below(round % 10 == 0 ? 400 : 40);
    const bool by_key = random.one_in(3);
    std::map<std::int32_t, std::int32_t> ints;
    std::map<std::string, std::string> texts;
    std::string input;
    for (std::size_t i = 0; i < size; ++i) {
      const std::int32_t key =
          by_key ? static_cast<std::int32_t>(i) - 20 : static_cast<std::int32_t>(random.below(500)) - 250;
      const std::string text = by_key ? std::string(1 + i / 100, static_cast<char>('0' + i % 100 % 64)) + std::to_string(1000 + i)
                                      : random.bytes(random.below(3)).append(random.below(20), 'k');
      const std::string name = hotpb::utf8::is_valid(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())
                                   ? text
                                   : to_hex(text);
      const std::int32_t value = static_cast<std::int32_t>(i);
      ints[key] = value;
      texts[name] = std::to_string(i);
      input += int_entry(key, value) + text_entry(name, std::to_string(i));
    }
    const Exact bytes(input);
    ASSERT_TRUE(pool.decode(bytes.bytes()).ok());
    expect_found(*pool, ints, texts);
    std::size_t at = 0;
    std::int32_t last = -1;
    for (const auto [key, value] : pool->key_int32()) {  // POL-24
      EXPECT_LT(last, value);
      last = value;
      ++at;
      static_cast<void>(key);
    }
    EXPECT_EQ(at, ints.size());
    p3::AllBuilder builder(*pool);
    expect_found(*builder, ints, texts);
    for (int i = 0; i < 20; ++i) {
      const std::int32_t key = static_cast<std::int32_t>(random.below(100));
      ints[key] = i;
      EXPECT_TRUE(builder.put_key_int32(key, i));
      EXPECT_EQ(builder.erase_key_int32(key + 1), ints.erase(key + 1) != 0);
    }
    expect_found(*builder, ints, texts);
  }
}

TEST(PoolMap, keys_that_are_chosen_to_collide_are_found) {
  // All in the first four slots of the table: the decode builds none.
  std::string input;
  std::map<std::int32_t, std::int32_t> ints;
  std::vector<std::pair<std::uint64_t, std::int32_t>> by_slot;
  for (std::int32_t key = 0; by_slot.size() < 600; ++key) {
    const std::uint64_t slot = hotpb::pool::detail::mix(static_cast<std::uint32_t>(key)) & 2047;
    if (slot < 4) by_slot.emplace_back(slot, key);
  }
  for (const auto& [slot, key] : by_slot) {
    ints[key] = static_cast<std::int32_t>(slot);
    input += int_entry(key, static_cast<std::int32_t>(slot));
  }
  std::string backwards;
  for (auto key = by_slot.rbegin(); key != by_slot.rend(); ++key) {
    backwards += int_entry(key->second, static_cast<std::int32_t>(key->first));
  }
  p3::AllPool pool;
  for (const std::string& bytes : {input, backwards}) {
    ASSERT_TRUE(pool.decode(std::string_view(bytes)).ok());
    expect_found(*pool, ints, {});
  }
}

}  // namespace
}  // namespace hotpb_test
