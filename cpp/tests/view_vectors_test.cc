// The vectors through the view: decode, validate, check_initialized, and back through the public accessors.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hotpb/delimited.h"
#include "reencoders.h"
#include "support/vectors.h"

namespace hotpb_test {
namespace {

using hotpb::Error;

const hotpb::view::Reencoder& reencoder(const Json& vector) {
  const hotpb::view::Reencoder* const found = find_reencoder(vector.at("message").string);
  if (found == nullptr) throw std::runtime_error("no message " + vector.at("message").string);
  return *found;
}

// The canonical bytes, or the error that vectors/README.md requires of a view.
Error reencode(const Json& vector, hotpb::Bytes input, std::string& output) {
  return reencoder(vector).reencode(input, vector_options(vector), allow_partial(vector), output);
}

TEST(ViewVectors, good_messages_reencode_to_their_canonical_bytes) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "view")) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const bool excepted = vector.has("exceptions") && vector.at("exceptions").has("view");
    const std::string wanted = (excepted ? vector.at("exceptions").at("view") : vector.at("canonical")).string;
    const Exact input(from_hex(vector.at("input").string));
    std::string output;
    const Error error = reencode(vector, input.bytes(), output);
    EXPECT_EQ(hotpb::to_string(error), "Ok");
    EXPECT_EQ(to_hex(output), wanted);
  }
  EXPECT_GT(count, 0u);
}

TEST(ViewVectors, bad_messages_give_their_errors) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("invalid")) {
    if (!binds(vector, "view")) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const Exact input(from_hex(vector.at("input").string));
    std::string output;
    expect_error(vector.at("error"), reencode(vector, input.bytes(), output));
  }
  EXPECT_GT(count, 0u);
}

TEST(ViewVectors, streams_give_their_messages_and_errors) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("stream")) {
    if (!binds(vector, "view")) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const Exact input(from_hex(vector.at("input").string));
    hotpb::DelimitedReader stream(input.bytes(), vector_options(vector));
    const std::vector<Json>& wanted = vector.at("messages").array;
    std::size_t messages = 0;
    Error error;
    hotpb::Bytes message;
    while (stream.next(message)) {
      std::string output;
      error = reencode(vector, message, output);
      error.offset += stream.message_offset();
      if (!error.ok()) break;
      ASSERT_LT(messages, wanted.size());
      EXPECT_EQ(to_hex(message.text()), wanted[messages].string);
      ++messages;
    }
    EXPECT_EQ(messages, wanted.size());
    if (error.ok()) error = Error{stream.status().code, stream.status().offset, {}};
    if (vector.has("error")) {
      expect_error(vector.at("error"), error);
    } else {
      EXPECT_EQ(hotpb::to_string(error), "Ok");
    }
  }
  EXPECT_GT(count, 0u);
}

// Inputs of the vectors with bytes that are changed, removed and duplicated. The fast readers and the decoder by table
// agree on which inputs are valid, and a valid message, re-encoded twice, is the same both times.
TEST(ViewVectors, damaged_messages_give_the_error_of_check_or_reencode_stably) {
  Random random;
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "view")) continue;
    std::string bytes = from_hex(vector.at("input").string);
    if (bytes.empty() || bytes.size() > 2000) continue;
    SCOPED_TRACE(vector.at("name").string);
    const hotpb::view::Reencoder& message = reencoder(vector);
    const hotpb::ReadOptions options = vector_options(vector);
    for (int round = 0; round < 4; ++round) {
      const std::size_t at = random.below(bytes.size());
      const std::size_t size = std::min(random.below(8), bytes.size() - at);
      switch (random.below(4)) {
        case 0: bytes.erase(at, size); break;
        case 1: bytes.insert(at, bytes.substr(at, size)); break;
        default: bytes[at] = static_cast<char>(random.bits() & 0xff); break;
      }
      if (bytes.empty()) break;
      const Exact input(bytes);
      std::string output;
      const Error error = message.reencode(input.bytes(), options, true, output);
      const Error wanted = hotpb::check(*message.table, input.bytes(), options);
      if (!wanted.ok()) {
        ++bad;
        EXPECT_EQ(hotpb::to_string(error), hotpb::to_string(wanted)) << to_hex(bytes);
      } else if (error.ok()) {  // else an extension that was opened is bad
        ++good;
        std::string second;
        EXPECT_TRUE(message.reencode(std::string_view(output), options, true, second).ok()) << to_hex(bytes);
        EXPECT_EQ(to_hex(second), to_hex(output)) << to_hex(bytes);
      }
    }
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(bad, 1000u);
}

}  // namespace
}  // namespace hotpb_test
