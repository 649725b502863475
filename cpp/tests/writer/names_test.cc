// Names in generated code: full names of messages (FCE-31), and values of enums by name (FCE-32).
#include <gtest/gtest.h>

#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/wkt/timestamp.hot.h"

namespace hotpb_test {
namespace {

namespace p2 = hotpb::vectors::p2::hot;

static_assert(p2::AllWriter::kFullName == "hotpb.vectors.p2.All");
static_assert(google::protobuf::hot::TimestampView::kFullName == "google.protobuf.Timestamp");
static_assert(google::protobuf::hot::TimestampWriter::kFullName == google::protobuf::hot::TimestampView::kFullName);

template <class Enum>
constexpr Enum parsed(std::string_view name, Enum otherwise) {
  Enum value = otherwise;
  return enum_parse(name, value) ? value : otherwise;
}

TEST(Names, an_enum_value_is_found_by_each_of_its_names) {
  using p2::Closed;
  static_assert(parsed("CLOSED_FIVE", Closed::CLOSED_ONE) == Closed::CLOSED_FIVE);
  EXPECT_EQ(parsed("CLOSED_UNO", Closed::CLOSED_FIVE), Closed::CLOSED_ONE);
  EXPECT_EQ(parsed("CLOSED_NEGATIVE", Closed::CLOSED_FIVE), Closed::CLOSED_NEGATIVE);
  for (const Closed value : {Closed::CLOSED_FIVE, Closed::CLOSED_ONE, Closed::CLOSED_NEGATIVE}) {
    Closed found = Closed::CLOSED_FIVE;
    EXPECT_TRUE(enum_parse(enum_name(value), found));
    EXPECT_EQ(found, value);
  }
}

TEST(Names, another_name_changes_nothing) {
  for (const std::string_view name : {"", "CLOSED", "CLOSED_FIVES", "closed_five", "5"}) {
    p2::Closed value = p2::Closed::CLOSED_NEGATIVE;
    EXPECT_FALSE(enum_parse(name, value));
    EXPECT_EQ(value, p2::Closed::CLOSED_NEGATIVE);
  }
}

}  // namespace
}  // namespace hotpb_test
