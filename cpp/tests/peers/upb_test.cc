// Behaviour that users of upb and nanopb rely on: oneofs whose storage is used again, entries of maps in any form,
// closed enums, and messages that are edited with their own parts.
#include <gtest/gtest.h>

#include <string>

#include "peers.builder.hot.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using peers::hot::EveryBuilder;
using peers::hot::EveryPool;

std::string encoded(const peers::hot::Every& message) {
  hotpb::EncodeBuffer buffer;
  EXPECT_TRUE(buffer.encode(message).ok());
  return to_hex(buffer.bytes().text());
}

// The result of decode and encode of the pool, which is used again.
TEST(Upb, records_of_one_message) {
  const struct {
    const char* behaviour;
    const char* in;
    const char* out;
  } cases[] = {
      // Oneofs: the last member wins, and its storage held another one before.
      {"text, then number", "ca0103616263" "d80107", "d80107"},
      {"number, then text", "d80107" "ca0103616263", "ca0103616263"},
      {"message, text, message", "d201020801" "ca010161" "d201021002", "d201021002"},
      {"the same member merges", "d201020801" "d201021002", "d2010408011002"},
      {"text, then an empty message", "ca0103616263" "d20100", "d20100"},
      {"a member of another wire type is unknown", "d80107" "c80105", "d80107" "c80105"},
      // Entries of maps.
      {"key and value", "ba01070a016112020801", "ba01070a016112020801"},
      {"value before key", "ba0107120208010a0161", "ba01070a016112020801"},
      {"no value", "ba01030a0161", "ba01050a01611200"},
      {"no key", "ba010412020801", "ba01060a0012020801"},
      {"nothing", "ba0100", "ba01040a001200"},
      {"the same key again", "ba01070a016112020801" "ba01070a016112021002", "ba01070a016112021002"},
      {"values of an entry merge", "ba010b0a01611202080112021002", "ba01090a0161120408011002"},
      {"unknown fields of an entry", "ba01090a0161" "1805" "12020801", "ba01070a016112020801"},
      // Closed enums: an undefined value is an unknown field, in a map with its entry.
      {"a defined value", "800102", "800102"},
      {"an undefined value", "800163", "800163"},
      {"an undefined value after a defined one", "800102" "800163", "800102" "800163"},
      {"elements", "b00101" "b00163" "b00102", "b00101" "b00102" "b00163"},
      {"packed elements", "b20103016302", "b00101" "b00102" "b00163"},
      {"an entry", "c2010408011063", "c2010408011063"},
      {"an entry of a defined value", "c2010408011002", "c2010408011002"},
      // Messages merge, lists append, numbers are replaced.
      {"a message in three records", "8a01020801" "8a01021002" "8a01020803", "8a010408031002"},
      {"children", "9201020801" "92010208029201020803", "9201020801" "9201020802" "9201020803"},
  };
  EveryPool pool;
  for (const auto& test : cases) {
    const std::string bytes = from_hex(test.in);
    ASSERT_TRUE(pool.decode(bytes).ok()) << test.behaviour;
    EXPECT_EQ(encoded(*pool), test.out) << test.behaviour;
    const std::string before = from_hex("ca010a78787878787878787878" "800101" "b00101");
    ASSERT_TRUE(pool.decode(before).ok());  // other contents of the storage
    ASSERT_TRUE(pool.decode(bytes).ok());
    EXPECT_EQ(encoded(*pool), test.out) << test.behaviour << ", in storage that was used";
  }
}

TEST(Upb, an_absent_closed_enum_is_its_first_value) {
  EveryPool pool;
  const std::string bytes = from_hex("800163" "c20102" "0801");
  ASSERT_TRUE(pool.decode(bytes).ok());
  EXPECT_FALSE(pool->has_color());
  EXPECT_EQ(pool->color(), peers::hot::Color::NO_COLOR);
  EXPECT_EQ(pool->by_id().find(1)->value, peers::hot::Color::NO_COLOR);
}

TEST(Upb, a_message_takes_copies_of_its_own_parts) {
  EveryBuilder message;
  message.set_text("a");
  message.set_blob("\x00\xff");  // a literal, with its zeros
  message.add_children().set_text("child");
  for (int i = 0; i < 3; ++i) {
    message.add_children(*message);
    message.mutable_child().set(*message);
    message.set_pick_text(message->text());
    message.mutable_by_name("k").set(*message);
    message.put_by_name("l", message->by_name().find("k")->value);
  }
  EXPECT_EQ(message->children().size(), 4u);
  EXPECT_EQ(message->child().text(), "a");
  EXPECT_EQ(message->blob().size(), 2u);
  EXPECT_EQ(message->by_name().find("l")->value.pick_text(), "a");
  hotpb::EncodeBuffer buffer;
  ASSERT_TRUE(message.encode(buffer).ok());
  EveryPool pool;
  ASSERT_TRUE(pool.decode(buffer.bytes()).ok());
  EXPECT_EQ(encoded(*pool), to_hex(buffer.bytes().text()));
}

}  // namespace
}  // namespace hotpb_test
