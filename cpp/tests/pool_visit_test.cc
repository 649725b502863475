// Visitors (POL-11, POL-15): what they receive, what they may leave, how they end a visit.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/vectors.visitor.hot.h"
#include "hotpb/vectors_proto2.visitor.hot.h"
#include "hotpb/wire/write.h"
#include "prometheus/remote.visitor.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::Records;
using hotpb::Visited;
using prometheus::hot::Label;
using prometheus::hot::LabelVisitor;
using prometheus::hot::Sample;
using prometheus::hot::TimeSeries;
using prometheus::hot::WriteRequest;
namespace p2 = hotpb::vectors::p2::hot;
namespace p3 = hotpb::vectors::p3::hot;

// A write request: two series of two labels and a sample.
std::string request() {
  const std::string series("\x0a\x06\x0a\x01" "a\x12\x01" "b\x0a\x06\x0a\x01" "c\x12\x01" "d"
                           "\x12\x0b\x09\0\0\0\0\0\0\xf0\x3f\x10\x05", 29);
  std::string out;
  for (int i = 0; i < 2; ++i) {
    hotpb::wire::append_tag(out, 1, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(out, series);
  }
  return out;
}

struct Rows {
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::pair<double, std::int64_t>> samples;
  std::string stop_at;
};

struct OneLabel : LabelVisitor {
  Rows& rows;
  explicit OneLabel(Rows& r) : rows(r) { rows.labels.emplace_back(); }
  bool name(std::string_view name) {
    rows.labels.back().first = name;
    return rows.stop_at.empty() || name != rows.stop_at;
  }
  void value(std::string_view value) { rows.labels.back().second = value; }
};

struct OneSample : prometheus::hot::SampleVisitor {
  Rows& rows;
  explicit OneSample(Rows& r) : rows(r) { rows.samples.emplace_back(); }
  void value(double value) { rows.samples.back().first = value; }
  void timestamp(std::int64_t timestamp) { rows.samples.back().second = timestamp; }
};

struct Series : prometheus::hot::TimeSeriesVisitor {
  Rows& rows;
  explicit Series(Rows& r) : rows(r) {}
  void labels(Records<Label>& records) {
    while (records.next()) records.visit(OneLabel(rows));
  }
  void samples(Records<Sample>& records) {
    while (records.next()) records.visit(OneSample(rows));
  }
};

struct Request : prometheus::hot::WriteRequestVisitor {
  Rows& rows;
  explicit Request(Rows& r) : rows(r) {}
  void timeseries(Records<TimeSeries>& records) { records.visit_each(Series(rows)); }
};

TEST(PoolVisit, bytes_become_rows) {
  const Exact input(request());
  Rows rows;
  Request visitor(rows);
  EXPECT_TRUE(hotpb::visit<WriteRequest>(input.bytes(), visitor).ok());
  const std::vector<std::pair<std::string, std::string>> labels = {{"a", "b"}, {"c", "d"}, {"a", "b"}, {"c", "d"}};
  EXPECT_EQ(rows.labels, labels);
  const std::vector<std::pair<double, std::int64_t>> samples = {{1.0, 5}, {1.0, 5}};
  EXPECT_EQ(rows.samples, samples);
}

// POL-27.
TEST(PoolVisit, a_function_that_returns_false_ends_the_visit) {
  const Exact input(request());
  Rows rows;
  rows.stop_at = "c";
  const Visited visited = hotpb::visit<WriteRequest>(input.bytes(), Request(rows));
  EXPECT_TRUE(visited.stopped);
  EXPECT_FALSE(visited.ok());
  EXPECT_TRUE(visited.error.ok());
  EXPECT_EQ(rows.labels.size(), 2u);
  EXPECT_EQ(rows.samples.size(), 0u);
}

// Visits the first record of a run only, and says afterwards that all is well.
struct Lazy : prometheus::hot::WriteRequestVisitor {
  bool first;
  explicit Lazy(bool visit_first) : first(visit_first) {}
  bool timeseries(Records<TimeSeries>& records) {
    Rows rows;
    if (first && records.next()) {
      records.visit(Series(rows));
      records.visit(Series(rows));  // again
    }
    return true;
  }
};

// POL-25: what a visitor leaves is checked.
TEST(PoolVisit, damage_is_found_wherever_it_is) {
  const std::string good = request();
  prometheus::hot::WriteRequestPool pool;
  std::size_t bad = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const unsigned value : {0u, 7u, 0x0bu, 0x7fu, 0x80u, 0xffu}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(value);
      const Exact input(bytes);
      const std::string wanted = hotpb::to_string(pool.decode(input.bytes()));
      bad += wanted != "Ok";
      Rows rows;
      EXPECT_EQ(hotpb::to_string(hotpb::visit<WriteRequest>(input.bytes(), Request(rows)).error), wanted);
      EXPECT_EQ(hotpb::to_string(hotpb::visit<WriteRequest>(input.bytes(), Lazy(at % 2 == 0)).error), wanted);
      EXPECT_EQ(hotpb::to_string(
                    hotpb::visit<WriteRequest>(input.bytes(), prometheus::hot::WriteRequestVisitor()).error),
                wanted);
    }
  }
  EXPECT_GT(bad, 50u);
}

struct Log : p3::AllVisitor {
  std::string text;
  void single_int32(std::int32_t value) { text += "i" + std::to_string(value) + ' '; }
  void repeated_int32(const hotpb::Elements<hotpb::FieldType::Int32, std::int32_t>& values) {
    text += '[';
    for (const std::int32_t value : values) text += std::to_string(value) + ',';
    text += "] ";
  }
  void repeated_string(std::string_view value) { text += "s" + std::string(value) + ' '; }
  void single_child(Records<p3::Child>& records) {
    std::size_t count = 0;
    while (records.next()) ++count;
    text += "c" + std::to_string(count) + ' ';
  }
  void repeated_child(Records<p3::Child>& records) {
    std::size_t count = 0;
    while (records.next()) ++count;
    text += "C" + std::to_string(count) + ' ';
  }
  void value_int32(std::int32_t key, std::int32_t value) {
    text += std::to_string(key) + "->" + std::to_string(value) + ' ';
  }
  void unknown_fields(const hotpb::pool::UnknownField& field) { text += "u" + std::to_string(field.number()) + ' '; }
};

std::uint32_t number_of(std::string_view name) {
  for (std::size_t i = 0; i < p3::All::kTable.field_count; ++i) {
    if (p3::All::kTable.fields[i].name == name) return p3::All::kTable.fields[i].number;
  }
  return 0;
}

// POL-15, POL-29: nothing merges.
TEST(PoolVisit, records_come_in_the_order_of_the_input) {
  using hotpb::wire::WireType;
  std::string input;
  const auto number = [&](std::string_view name, std::uint64_t value) {
    hotpb::wire::append_tag(input, number_of(name), WireType::Varint);
    hotpb::wire::append_varint(input, value);
  };
  const auto text = [&](std::string_view name, std::string_view value) {
    hotpb::wire::append_tag(input, number_of(name), WireType::Len);
    hotpb::wire::append_len(input, value);
  };
  number("single_int32", 1);
  number("single_int32", 2);
  text("repeated_int32", std::string_view("\x03\xac\x02\x00", 4));
  number("repeated_int32", 9);
  text("repeated_string", "x");
  text("single_child", "");
  text("single_child", "");
  text("repeated_child", "");
  text("repeated_child", "");
  number("single_int32", 3);
  text("repeated_child", "");
  text("value_int32", std::string_view("\x08\x01\x10\x02\x10\x03", 6));
  text("value_int32", std::string_view("\x08\x01", 2));
  hotpb::wire::append_tag(input, 9999, WireType::Varint);
  hotpb::wire::append_varint(input, 1);
  Log log;
  const Exact exact(input);
  ASSERT_TRUE(hotpb::visit<p3::All>(exact.bytes(), log).ok());
  EXPECT_EQ(log.text, "i1 i2 [3,300,0,] [9,] sx c1 c1 C2 i3 C1 1->3 1->0 u9999 ");
}

// Counts the levels, and visits itself.
struct Depth : p3::ChildVisitor {
  int levels = 0;
  bool child(Records<p3::Child>& records) {
    Depth inner;
    if (!records.visit_each(inner)) return false;
    levels = inner.levels + 1;
    return true;
  }
};

TEST(PoolVisit, the_limits_are_those_of_a_decode) {
  std::string nested;
  const std::uint32_t field = [] {
    for (std::size_t i = 0; i < p3::Child::kTable.field_count; ++i) {
      if (std::strcmp(p3::Child::kTable.fields[i].name, "child") == 0) return p3::Child::kTable.fields[i].number;
    }
    return 0u;
  }();
  for (int i = 0; i < 100; ++i) {
    std::string outer;
    hotpb::wire::append_tag(outer, field, hotpb::wire::WireType::Len);
    hotpb::wire::append_len(outer, nested);
    nested = outer;
  }
  Depth depth;
  EXPECT_TRUE(hotpb::visit<p3::Child>(nested, depth).ok());
  EXPECT_EQ(depth.levels, 100);
  hotpb::DecodeOptions options;
  options.depth = 99;
  EXPECT_EQ(hotpb::visit<p3::Child>(nested, Depth(), options).error.code, Code::DepthExceeded);
  EXPECT_EQ(hotpb::visit<p3::Child>(nested, p3::ChildVisitor(), options).error.code, Code::DepthExceeded);
  options = {};
  options.size = nested.size() - 1;
  EXPECT_EQ(hotpb::visit<p3::Child>(nested, depth, options).error.code, Code::SizeExceeded);
  options = {};
  options.elements = 99;
  EXPECT_EQ(hotpb::visit<p3::Child>(nested, depth, options).error.code, Code::CountExceeded);
  options.elements = 100;
  EXPECT_TRUE(hotpb::visit<p3::Child>(nested, depth, options).ok());
  EXPECT_TRUE(hotpb::visit<p3::Child>(hotpb::Bytes(), depth).ok());
}

}  // namespace
}  // namespace hotpb_test
