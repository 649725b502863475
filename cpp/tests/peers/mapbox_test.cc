// Behaviour that users of Mapbox's protozero rely on: each type at its limits, input that ends at any byte, packed
// iterators, and children that are rolled back.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hotpb/wire/reader.h"
#include "hotpb/wire/write.h"
#include "peers.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
using peers::hot::EveryView;
using peers::hot::EveryWriter;

// One field of each type, with a value of its limits.
template <std::size_t kRow>
void write_row(EveryWriter& m) {
  using peers::hot::Color;
  constexpr bool kLow = kRow == 0;
  m.set_int32(kLow ? INT32_MIN : INT32_MAX);
  m.set_int64(kLow ? INT64_MIN : INT64_MAX);
  m.set_uint32(kLow ? 0 : UINT32_MAX);
  m.set_uint64(kLow ? 0 : UINT64_MAX);
  m.set_sint32(kLow ? INT32_MIN : INT32_MAX);
  m.set_sint64(kLow ? INT64_MIN : INT64_MAX);
  m.set_fixed32(kLow ? 0 : UINT32_MAX);
  m.set_fixed64(kLow ? 0 : UINT64_MAX);
  m.set_sfixed32(kLow ? INT32_MIN : INT32_MAX);
  m.set_sfixed64(kLow ? INT64_MIN : INT64_MAX);
  m.set_f32(kLow ? std::numeric_limits<float>::lowest() : std::numeric_limits<float>::infinity());
  m.set_f64(kLow ? std::numeric_limits<double>::denorm_min() : (std::numeric_limits<double>::max)());
  m.set_flag(!kLow);
  m.set_text(std::string(kLow ? 1 : 200, 't'));
  m.set_blob(std::string("\0\xff", 2));
  m.set_color(kLow ? Color::LOW : Color::HIGH);
  m.add_children().set_int32(1);
  m.add_packed_int32({kLow ? INT32_MIN : INT32_MAX, 0, -1});
  m.add_packed_fixed32({1, UINT32_MAX});
  m.add_packed_sint64({INT64_MIN, INT64_MAX, 0});
}
std::string written(void (*write)(EveryWriter&)) {
  hotpb::HeapBuffer out;
  auto root = out.message<EveryWriter>();
  write(root);
  EXPECT_TRUE(root.finish().ok());
  return std::string(out.bytes().text());
}

TEST(MapboxReader, values_at_their_limits_come_back) {
  EveryView low;
  EveryView high;
  const std::string low_bytes = written(write_row<0>);
  const std::string high_bytes = written(write_row<1>);
  ASSERT_TRUE(low.decode(low_bytes).ok());
  ASSERT_TRUE(high.decode(high_bytes).ok());
  EXPECT_EQ(low.int32(), INT32_MIN);
  EXPECT_EQ(high.int64(), INT64_MAX);
  EXPECT_EQ(high.uint32(), UINT32_MAX);
  EXPECT_EQ(high.uint64(), UINT64_MAX);
  EXPECT_EQ(low.sint32(), INT32_MIN);
  EXPECT_EQ(low.sint64(), INT64_MIN);
  EXPECT_EQ(high.fixed64(), UINT64_MAX);
  EXPECT_EQ(low.sfixed32(), INT32_MIN);
  EXPECT_EQ(low.f32(), std::numeric_limits<float>::lowest());
  EXPECT_EQ(low.f64(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(high.text().size(), 200u);
  EXPECT_EQ(low.blob().text(), std::string_view("\0\xff", 2));
  EXPECT_EQ(low.color(), peers::hot::Color::LOW);
  const auto sint = low.packed_sint64();
  EXPECT_EQ(std::vector<std::int64_t>(sint.begin(), sint.end()), (std::vector<std::int64_t>{INT64_MIN, INT64_MAX, 0}));
}

// Each prefix, in a heap block of its size: a whole number of fields, or an error.
TEST(MapboxReader, input_that_ends_at_any_byte_is_no_read_past_it) {
  for (const std::string& bytes : {written(write_row<0>), written(write_row<1>)}) {
    std::vector<bool> boundary(bytes.size() + 1);
    boundary[0] = true;
    hotpb::wire::Reader fields{Bytes(std::string_view(bytes))};
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    while (fields.next()) boundary[static_cast<std::size_t>(fields.record().end() - begin)] = true;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const Exact exact(std::string_view(bytes).substr(0, size));
      EveryView view;
      EXPECT_EQ(view.decode(exact.bytes()).code, boundary[size] ? Code::Ok : Code::Truncated) << size;
    }
  }
}

TEST(MapboxReader, varints_of_each_length) {
  const struct {
    const char* hex;
    Code code;
    std::uint64_t value;
  } cases[] = {
      {"2000", Code::Ok, 0},
      {"207f", Code::Ok, 127},
      {"208001", Code::Ok, 128},
      {"208000", Code::Ok, 0},  // longer than needed
      {"20ffffffffffffffffff01", Code::Ok, UINT64_MAX},
      {"2080808080808080808001", Code::Ok, std::uint64_t{1} << 63},
      {"20ffffffffffffffffff7f", Code::Ok, UINT64_MAX},  // bits above the 64th
      {"20ffffffffffffffffffff01", Code::VarintOverflow, 0},
      {"20ffffffffffffffffff", Code::Truncated, 0},
      // Lengths may be longer than needed, too, up to ten bytes.
      {"728000" "2005", Code::Ok, 5},
      {"7280808080808080808000" "2005", Code::Ok, 5},
      {"72808080808080808080" "8000" "2005", Code::VarintOverflow, 0},
  };
  for (const auto& test : cases) {
    const std::string bytes = from_hex(test.hex);
    EveryView view;
    EXPECT_EQ(view.decode(bytes).code, test.code) << test.hex;
    if (test.code == Code::Ok) EXPECT_EQ(view.uint64(), test.value) << test.hex;
  }
}

TEST(MapboxReader, a_bool_is_any_number_that_is_not_zero) {
  for (const auto& [hex, value] : {std::pair("6800", false), std::pair("6801", true), std::pair("687f", true),
                                   std::pair("688000", false), std::pair("688001", true),
                                   std::pair("6880808080808080808001", true)}) {
    const std::string bytes = from_hex(hex);
    const Exact exact(bytes);
    EveryView view;
    ASSERT_TRUE(view.decode(exact.bytes()).ok()) << hex;
    EXPECT_EQ(view.flag(), value) << hex;
  }
}

TEST(MapboxReader, packed_iterators_count_compare_and_move) {
  const std::string bytes = written(write_row<1>);
  EveryView view;
  ASSERT_TRUE(view.decode(bytes).ok());
  const auto fixed = view.packed_fixed32();
  EXPECT_EQ(fixed.size(), 2u);
  auto at = fixed.begin();
  EXPECT_EQ(*at++, 1u);
  EXPECT_EQ(*at, UINT32_MAX);
  EXPECT_NE(at, fixed.end());
  EXPECT_EQ(++at, fixed.end());
  EXPECT_TRUE(EveryView().packed_int32().empty());
}

TEST(MapboxWriter, rollback_removes_a_child_and_a_packed_field) {
  const std::string bytes = written([](EveryWriter& m) {
    m.set_int32(1);
    auto child = m.set_child();
    child.set_text(std::string(300, 'x'));
    auto inner = child.add_children();
    inner.set_int32(3);
    EXPECT_TRUE(child.abandon());
    auto packed = m.packed_packed_int32();
    for (int i = 0; i < 200; ++i) packed.add(i);
    EXPECT_TRUE(packed.abandon());
    auto value = m.add_by_name("k");
    value.set_int32(1);
    EXPECT_TRUE(value.abandon());
    m.set_int64(2);
  });
  EXPECT_EQ(to_hex(bytes), "08011002");
}

}  // namespace
}  // namespace hotpb_test
