// The vectors through the view: decode, validate, check_initialized, and back through the public accessors.
#include <gtest/gtest.h>

#include <string>

#include "hotpb_test/reencode.h"
#include "lists.h"
#include "support/runner.h"

namespace hotpb_test {
namespace {

using hotpb::Error;

const hotpb::view::Reencoder& reencoder(const Json& vector) {
  const hotpb::view::Reencoder* const found = find<hotpb::view::Reencoder>(vector.at("message").string);
  if (found == nullptr) throw std::runtime_error("no message " + vector.at("message").string);
  return *found;
}

// The canonical bytes, or the error that vectors/README.md requires of a view.
Error reencode(const Json& vector, hotpb::Bytes input, std::string& output) {
  return reencoder(vector).reencode(input, vector_options(vector), allow_partial(vector), output);
}

TEST(ViewVectors, good_messages_reencode_to_their_canonical_bytes) { good_vectors("view", reencode); }

TEST(ViewVectors, bad_messages_give_their_errors) { bad_vectors("view", reencode); }

TEST(ViewVectors, streams_give_their_messages_and_errors) { streams("view", reencode); }

TEST(ViewVectors, damaged_messages_give_the_error_of_check_or_reencode_stably) {
  damaged_vectors("view", [](const Json& vector, hotpb::Bytes input, Random&) {
    const hotpb::view::Reencoder& message = reencoder(vector);
    const hotpb::ReadOptions options = vector_options(vector);
    const auto encoded = [&](hotpb::Bytes bytes, std::string& output) {
      return message.reencode(bytes, options, true, output);
    };
    std::string output;
    const Error error = encoded(input, output);
    return is_stable(error, hotpb::check(*message.table, input, options), output, encoded);
  });
}

}  // namespace
}  // namespace hotpb_test
