// The vectors through builders (POL-16, POL-36) and visitors (POL-11, POL-15, POL-25): a builder holds what a handle
// shows, and a visitor sees all that a builder needs.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "hotpb_test/owned.h"
#include "hotpb_test/reencode_pool.h"
#include "lists.h"
#include "support/runner.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::Error;

const hotpb::pool::Owned& owned(const Json& vector) {
  const hotpb::pool::Owned* const found = find<hotpb::pool::Owned>(vector.at("message").string);
  if (found == nullptr) throw std::runtime_error("no message " + vector.at("message").string);
  return *found;
}
const hotpb::pool::Reencoder& handle(const Json& vector) {
  return *find<hotpb::pool::Reencoder>(vector.at("message").string);
}

// The results of a decode of the pool, a visit, a builder and the handle's encoder for the same bytes.
struct All {
  Error error;    // of the decode
  Error visited;  // by a visitor that looks at nothing
  Error built;
  Error filled;
  std::string of_handle, of_builder, of_visitor;

  All(const Json& vector, hotpb::Bytes input, const hotpb::DecodeOptions& options) {
    hotpb::EncodeOptions encoding;
    encoding.deterministic = true;
    encoding.allow_partial = options.allow_partial;
    error = handle(vector).encode(input, options, encoding, of_handle);
    visited = owned(vector).look(input, options);
    built = owned(vector).build(input, options, encoding, of_builder);
    filled = owned(vector).fill(input, options, encoding, of_visitor);
  }

  void compare() const {
    EXPECT_EQ(hotpb::to_string(built), hotpb::to_string(error));
    EXPECT_EQ(to_hex(of_builder), to_hex(of_handle));
    if (error.code == Code::MissingRequired) {  // which a visit does not look for, and the encode of a builder does
      EXPECT_EQ(hotpb::to_string(visited), "Ok");
      // Of several the first, by index: the builder has the entries of maps by key.
      if (error.path.find('[') == std::string::npos) {
        EXPECT_EQ(filled.path, error.path);
      }
      EXPECT_EQ(filled.code, error.code);
      return;
    }
    EXPECT_EQ(hotpb::to_string(visited), hotpb::to_string(error));
    EXPECT_EQ(hotpb::to_string(filled), hotpb::to_string(error));
    EXPECT_EQ(to_hex(of_visitor), to_hex(of_handle));
  }
};

TEST(PoolOwned, good_messages_are_the_same_in_a_builder_and_through_a_visitor) {
  const std::size_t count = each_vector("wire", "pool", [](const Json& vector, hotpb::Bytes input) {
    const All all(vector, input, pool_options(vector));
    EXPECT_EQ(hotpb::to_string(all.error), "Ok");
    all.compare();
  });
  EXPECT_GT(count, 1000u);
}

TEST(PoolOwned, bad_messages_give_their_errors) {
  std::size_t count = 0;
  each_vector("invalid", "pool", [&](const Json& vector, hotpb::Bytes input) {
    const hotpb::DecodeOptions options = pool_options(vector);
    const All all(vector, input, options);
    if (all.error.ok()) return;  // the error is that of an extension, when it is opened
    ++count;
    if (all.error.code == Code::CountExceeded && options.elements == hotpb::DecodeOptions::kNoLimit) {
      EXPECT_TRUE(all.visited.ok());  // POL-26: a visit needs no memory
      return;
    }
    all.compare();
    if (all.error.code != Code::MissingRequired) expect_error(vector.at("error"), all.visited);
  });
  EXPECT_GT(count, 100u);
}

TEST(PoolOwned, damaged_messages_are_the_same_too) {
  damaged_vectors("pool", [](const Json& vector, hotpb::Bytes input, Random& random) -> std::optional<bool> {
    hotpb::DecodeOptions options = pool_options(vector);
    options.allow_partial = random.below(2) == 0;
    options.strict = random.below(4) == 0;
    const All all(vector, input, options);
    if (all.error.code == Code::CountExceeded) return std::nullopt;  // memory, which a visit does not need
    all.compare();
    return all.error.ok();
  });
}

}  // namespace
}  // namespace hotpb_test
