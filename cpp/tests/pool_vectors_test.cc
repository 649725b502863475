// The vectors through the pool: decoded, and back through the public accessors. One pool of each type is used for all
// of its vectors, so that a leftover field would show up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hotpb/debug.h"
#include "hotpb/delimited.h"
#include "pool_reencoders.h"
#include "support/pool_options.h"
#include "support/vectors.h"

namespace hotpb_test {
namespace {

using hotpb::Error;

const hotpb::pool::Reencoder& reencoder(const Json& vector) {
  const hotpb::pool::Reencoder* const found = find_pool_reencoder(vector.at("message").string);
  if (found == nullptr) throw std::runtime_error("no message " + vector.at("message").string);
  return *found;
}

// The canonical bytes, or the error that vectors/README.md asks of a pool.
Error reencode(const Json& vector, hotpb::Bytes input, std::string& output) {
  return reencoder(vector).reencode(input, pool_options(vector), output);
}

TEST(PoolVectors, good_messages_reencode_to_their_canonical_bytes) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "pool")) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const bool excepted = vector.has("exceptions") && vector.at("exceptions").has("pool");
    const std::string wanted = (excepted ? vector.at("exceptions").at("pool") : vector.at("canonical")).string;
    const Exact input(from_hex(vector.at("input").string));
    std::string output;
    const Error error = reencode(vector, input.bytes(), output);
    EXPECT_EQ(hotpb::to_string(error), "Ok");
    EXPECT_EQ(to_hex(output), wanted);
  }
  EXPECT_GT(count, 0u);
}

// The encoder leaves extensions among the unknown fields, where the re-encoder finds them.
TEST(PoolVectors, good_messages_encode_to_their_canonical_bytes) {
  std::size_t count = 0;
  hotpb::EncodeOptions encoding;
  encoding.deterministic = true;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "pool")) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const hotpb::DecodeOptions options = pool_options(vector);
    encoding.allow_partial = options.allow_partial;
    const std::string& wanted = vector.at("canonical").string;
    const Exact input(from_hex(vector.at("input").string));
    std::string encoded;
    const Error error = reencoder(vector).encode(input.bytes(), options, encoding, encoded);
    EXPECT_EQ(hotpb::to_string(error), "Ok");
    std::string second;
    EXPECT_TRUE(reencoder(vector).reencode(std::string_view(encoded), options, second).ok());
    EXPECT_EQ(to_hex(second), wanted);
    const auto of_extensions = [](const Json& id) {
      return id.string.rfind("EXT-", 0) == 0 || id.string.rfind("SET-", 0) == 0 || id.string == "REQ-4";
    };
    const std::vector<Json>& ids = vector.at("ids").array;
    if (std::any_of(ids.begin(), ids.end(), of_extensions) ||
        vector.at("name").string.find("_message_with_everything") != std::string::npos) {
      continue;
    }
    EXPECT_EQ(to_hex(encoded), wanted);
  }
  EXPECT_GT(count, 0u);
}

// FCE-33. Records that the encoder leaves among the unknown fields are there in the text, too.
TEST(PoolVectors, the_text_of_a_message_is_that_of_its_encoding) {
  std::size_t count = 0;
  hotpb::EncodeOptions encoding;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "pool")) continue;
    SCOPED_TRACE(vector.at("name").string);
    const hotpb::DecodeOptions options = pool_options(vector);
    encoding.allow_partial = options.allow_partial;
    const Exact input(from_hex(vector.at("input").string));
    std::string encoded;
    std::string text;
    EXPECT_TRUE(reencoder(vector).encode(input.bytes(), options, encoding, encoded).ok());
    EXPECT_TRUE(reencoder(vector).debug(input.bytes(), options, text).ok());
    if (options.depth > hotpb::kDefaultDepth) continue;  // the bytes are read with the default options
    EXPECT_EQ(text, hotpb::debug_string(*reencoder(vector).table, std::string_view(encoded)));
    count += !text.empty();
  }
  EXPECT_GT(count, 100u);
}

TEST(PoolVectors, bad_messages_give_their_errors) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("invalid")) {
    if (!binds(vector, "pool")) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const Exact input(from_hex(vector.at("input").string));
    std::string output;
    expect_error(vector.at("error"), reencode(vector, input.bytes(), output));
  }
  EXPECT_GT(count, 0u);
}

TEST(PoolVectors, streams_give_their_messages_and_errors) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors("stream")) {
    if (!binds(vector, "pool")) continue;
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

// Inputs of the vectors with bytes changed, cut out and doubled: the quick readers and the table-driven decoder agree
// on what is good, and what is good comes back the same the second time.
TEST(PoolVectors, damaged_messages_give_the_error_of_check_or_reencode_stably) {
  Random random;
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, "pool")) continue;
    std::string bytes = from_hex(vector.at("input").string);
    if (bytes.empty() || bytes.size() > 2000) continue;
    SCOPED_TRACE(vector.at("name").string);
    const hotpb::pool::Reencoder& message = reencoder(vector);
    hotpb::DecodeOptions options = pool_options(vector);
    options.allow_partial = true;
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
      const Error error = message.reencode(input.bytes(), options, output);
      const Error wanted = hotpb::check(*message.table, input.bytes(), options.reading());
      if (!wanted.ok()) {
        ++bad;
        EXPECT_EQ(hotpb::to_string(error), hotpb::to_string(wanted)) << to_hex(bytes);
      } else if (error.ok()) {  // else an extension that was asked for is bad
        ++good;
        std::string second;
        EXPECT_TRUE(message.reencode(std::string_view(output), options, second).ok()) << to_hex(bytes);
        EXPECT_EQ(to_hex(second), to_hex(output)) << to_hex(bytes);
      }
    }
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(bad, 1000u);
}

}  // namespace
}  // namespace hotpb_test
