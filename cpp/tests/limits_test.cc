// A size above 2^31 - 1 counts as 2^31 - 1 for every reader (LIM-6).
#include <gtest/gtest.h>

#include <string>

#include "hotpb/check.h"
#include "hotpb/delimited.h"
#include "hotpb/wire/reader.h"
#include "hotpb/wkt/any.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::ReadOptions;
using hotpb::Status;

ReadOptions with_size(std::uint64_t size) {
  ReadOptions options;
  options.size = size;
  return options;
}

static_assert(hotpb::detail::Limits(ReadOptions{false, 5000, ~std::uint64_t{0}}).size() == hotpb::kMaxMessageSize);
static_assert(hotpb::detail::Limits(ReadOptions{false, 5000, ~std::uint64_t{0}}).depth() == hotpb::kMaxDepth);
static_assert(hotpb::detail::Limits(ReadOptions{true, 3, 20}).size() == 20);
static_assert(hotpb::detail::Limits(ReadOptions{true, 3, 20}).depth() == 3);
static_assert(hotpb::detail::Limits(ReadOptions{true, 3, 20}).strict());
static_assert(hotpb::detail::Limits(ReadOptions{}).below().depth() == hotpb::kDefaultDepth - 1);

// Lengths of 2^31, 2^32 + 1 and 2^64 - 1, which a std::size_t of 32 bits would turn into 0x80000000, 1 and 0xffffffff.
const char* const kLengths[] = {"80 80 80 80 08", "81 80 80 80 10", "ff ff ff ff ff ff ff ff ff 01"};
const std::uint64_t kSizes[] = {hotpb::kMaxMessageSize, hotpb::kMaxMessageSize + 1, std::uint64_t{1} << 32,
                                ~std::uint64_t{0}};

TEST(Limits, a_length_above_the_largest_message_is_size_exceeded_to_every_reader) {
  for (const char* const length : kLengths) {
    for (const std::uint64_t size : kSizes) {
      SCOPED_TRACE(std::string(length) + ", size " + std::to_string(size));
      const ReadOptions options = with_size(size);
      const Exact message(from_hex("0a 01 61 0a") + from_hex(length) + "bc");
      const Status wanted{Code::SizeExceeded, 3};
      EXPECT_EQ(hotpb::check(message.bytes(), options).status(), wanted);
      using google::protobuf::hot::AnyView;
      EXPECT_EQ(hotpb::check(AnyView::kTable, message.bytes(), options).status(), wanted);
      AnyView view;
      EXPECT_EQ(view.decode(message.bytes(), options).status(), wanted);
      hotpb::wire::Reader reader(message.bytes(), options);
      EXPECT_TRUE(reader.next());
      EXPECT_FALSE(reader.next());
      EXPECT_EQ(reader.status(), wanted);
      const Exact outer(from_hex("0b") + std::string(message.bytes().text()) + from_hex("0c"));
      hotpb::wire::Reader group(outer.bytes(), options);
      EXPECT_FALSE(group.next());
      EXPECT_EQ(group.status().code, Code::SizeExceeded);

      const Exact stream(from_hex("01 61") + from_hex(length) + "bc");
      const Status second{Code::SizeExceeded, 2};
      hotpb::DelimitedReader messages(stream.bytes(), options);
      hotpb::Bytes framed;
      EXPECT_TRUE(messages.next(framed));
      EXPECT_FALSE(messages.next(framed));
      EXPECT_EQ(messages.status(), second);
      std::size_t at = 0;
      hotpb::DelimitedSource source(
          [&](std::uint8_t* to, std::size_t) {
            if (at == stream.bytes().size()) return std::size_t{0};
            *to = stream.bytes()[at++];
            return std::size_t{1};
          },
          options);
      EXPECT_TRUE(source.next(framed));
      EXPECT_FALSE(source.next(framed));
      EXPECT_EQ(source.status(), second);
    }
  }
}

TEST(Limits, a_size_can_be_lowered_everywhere) {
  const ReadOptions options = with_size(4);
  const Exact message(from_hex("0a 05 61 62 63"));
  EXPECT_EQ(hotpb::check(message.bytes(), options).status(), (Status{Code::SizeExceeded, 0}));
  hotpb::wire::Reader reader(message.bytes(), options);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.status(), (Status{Code::SizeExceeded, 0}));
  google::protobuf::hot::AnyView view;
  EXPECT_EQ(view.decode(message.bytes(), options).status(), (Status{Code::SizeExceeded, 0}));
}

}  // namespace
}  // namespace hotpb_test
