// The vectors through the pool: decoded, and back through the public accessors. One pool of each type is used for all
// of its vectors, so that a leftover field would show up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hotpb/debug.h"
#include "hotpb_test/reencode_pool.h"
#include "lists.h"
#include "support/runner.h"

namespace hotpb_test {
namespace {

using hotpb::Error;

const hotpb::pool::Reencoder& reencoder(const Json& vector) {
  const hotpb::pool::Reencoder* const found = find<hotpb::pool::Reencoder>(vector.at("message").string);
  if (found == nullptr) throw std::runtime_error("no message " + vector.at("message").string);
  return *found;
}

// The canonical bytes, or the error that vectors/README.md asks of a pool.
Error reencode(const Json& vector, hotpb::Bytes input, std::string& output) {
  return reencoder(vector).reencode(input, pool_options(vector), output);
}

TEST(PoolVectors, good_messages_reencode_to_their_canonical_bytes) { good_vectors("pool", reencode); }

// The encoder leaves extensions among the unknown fields, where the re-encoder finds them.
TEST(PoolVectors, good_messages_encode_to_their_canonical_bytes) {
  hotpb::EncodeOptions encoding;
  encoding.deterministic = true;
  each_vector("wire", "pool", [&](const Json& vector, hotpb::Bytes input) {
    const hotpb::DecodeOptions options = pool_options(vector);
    encoding.allow_partial = options.allow_partial;
    const std::string& wanted = vector.at("canonical").string;
    std::string encoded;
    const Error error = reencoder(vector).encode(input, options, encoding, encoded);
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
      return;
    }
    EXPECT_EQ(to_hex(encoded), wanted);
  });
}

// FCE-33. Records that the encoder leaves among the unknown fields are there in the text, too.
TEST(PoolVectors, the_text_of_a_message_is_that_of_its_encoding) {
  std::size_t count = 0;
  hotpb::EncodeOptions encoding;
  each_vector("wire", "pool", [&](const Json& vector, hotpb::Bytes input) {
    const hotpb::DecodeOptions options = pool_options(vector);
    encoding.allow_partial = options.allow_partial;
    std::string encoded;
    std::string text;
    EXPECT_TRUE(reencoder(vector).encode(input, options, encoding, encoded).ok());
    EXPECT_TRUE(reencoder(vector).debug(input, options, text).ok());
    if (options.depth > hotpb::kDefaultDepth) return;  // the bytes are read with the default options
    EXPECT_EQ(text, hotpb::debug_string(*reencoder(vector).table, std::string_view(encoded)));
    count += !text.empty();
  });
  EXPECT_GT(count, 100u);
}

TEST(PoolVectors, bad_messages_give_their_errors) { bad_vectors("pool", reencode); }

TEST(PoolVectors, streams_give_their_messages_and_errors) { streams("pool", reencode); }

TEST(PoolVectors, damaged_messages_give_the_error_of_check_or_reencode_stably) {
  damaged_vectors("pool", [](const Json& vector, hotpb::Bytes input, Random&) {
    const hotpb::pool::Reencoder& message = reencoder(vector);
    hotpb::DecodeOptions options = pool_options(vector);
    options.allow_partial = true;
    const auto encoded = [&](hotpb::Bytes bytes, std::string& output) {
      return message.reencode(bytes, options, output);
    };
    std::string output;
    const Error error = encoded(input, output);
    return is_stable(error, hotpb::check(*message.table, input, options.reading()), output, encoded);
  });
}

}  // namespace
}  // namespace hotpb_test
