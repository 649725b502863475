// The runner of the vectors. Its parameters are a face, and how that face encodes the input of a vector again.
#ifndef HOTPB_TESTS_SUPPORT_RUNNER_H_
#define HOTPB_TESTS_SUPPORT_RUNNER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpb/delimited.h"
#include "hotpb/error.h"
#include "hotpb/pool/options.h"
#include "support/json.h"
#include "support/support.h"
#include "support/vectors.h"

namespace hotpb_test {

using Reencode = hotpb::Error (*)(const Json& vector, hotpb::Bytes input, std::string& output);

// Calls `test` with each vector of a file that binds the face, and with its input; returns their number.
template <class Test>
std::size_t each_vector(const std::string& file, const std::string& face, const Test& test) {
  std::size_t count = 0;
  for (const Json& vector : load_vectors(file)) {
    if (!binds(vector, face)) continue;
    SCOPED_TRACE(vector.at("name").string);
    ++count;
    const Exact input(from_hex(vector.at("input").string));
    test(vector, input.bytes());
  }
  EXPECT_GT(count, 0u);
  return count;
}

// The options of a vector, for a decode into a pool.
inline hotpb::DecodeOptions pool_options(const Json& vector) {
  const hotpb::ReadOptions reading = vector_options(vector);
  hotpb::DecodeOptions options;
  options.strict = reading.strict;
  options.depth = reading.depth;
  options.size = reading.size;
  options.allow_partial = allow_partial(vector);
  if (!vector.has("options")) return options;
  // A thousand of the widest messages need more than the default of 1 MiB, which these vectors do not test.
  if (vector.at("options").has("depth")) options.memory = 16u << 20;
  if (vector.at("options").has("elements")) {
    options.elements = static_cast<std::uint64_t>(vector.at("options").at("elements").integer);
  }
  return options;
}

inline void good_vectors(const std::string& face, Reencode reencode) {
  each_vector("wire", face, [&](const Json& vector, hotpb::Bytes input) {
    const bool excepted = vector.has("exceptions") && vector.at("exceptions").has(face);
    const std::string wanted = (excepted ? vector.at("exceptions").at(face) : vector.at("canonical")).string;
    std::string output;
    EXPECT_EQ(hotpb::to_string(reencode(vector, input, output)), "Ok");
    EXPECT_EQ(to_hex(output), wanted);
  });
}

inline void bad_vectors(const std::string& face, Reencode reencode) {
  each_vector("invalid", face, [&](const Json& vector, hotpb::Bytes input) {
    std::string output;
    expect_error(vector.at("error"), reencode(vector, input, output));
  });
}

inline void streams(const std::string& face, Reencode reencode) {
  each_vector("stream", face, [&](const Json& vector, hotpb::Bytes input) {
    hotpb::DelimitedReader stream(input, vector_options(vector));
    const std::vector<Json>& wanted = vector.at("messages").array;
    std::size_t messages = 0;
    hotpb::Error error;
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
    if (error.ok()) error = hotpb::Error{stream.status().code, stream.status().offset, {}};
    if (vector.has("error")) {
      expect_error(vector.at("error"), error);
    } else {
      EXPECT_EQ(hotpb::to_string(error), "Ok");
    }
  });
}

// Calls `test` with inputs of the good vectors with bytes changed, cut out and doubled, until it fails. It returns
// whether the input is a good message, or nothing.
template <class Test>
void damaged_vectors(const std::string& face, const Test& test) {
  Random random;
  std::size_t good = 0;
  std::size_t bad = 0;
  for (const Json& vector : load_vectors("wire")) {
    if (!binds(vector, face)) continue;
    std::string bytes = from_hex(vector.at("input").string);
    if (bytes.empty() || bytes.size() > 2000) continue;
    SCOPED_TRACE(vector.at("name").string);
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
      const std::optional<bool> is_good = test(vector, input.bytes(), random);
      if (is_good.has_value()) ++(*is_good ? good : bad);
      if (testing::Test::HasFailure()) FAIL() << to_hex(bytes);
    }
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(bad, 1000u);
}

// The quick readers and the table-driven decoder agree on what is good; and what is good comes back the same the second
// time, when `encode` encodes it.
template <class Encode>
std::optional<bool> is_stable(const hotpb::Error& error, const hotpb::Error& of_check, const std::string& output,
                              const Encode& encode) {
  if (!of_check.ok()) {
    EXPECT_EQ(hotpb::to_string(error), hotpb::to_string(of_check));
    return false;
  }
  if (!error.ok()) return std::nullopt;  // an extension that was asked for is bad
  std::string second;
  EXPECT_TRUE(encode(std::string_view(output), second).ok());
  EXPECT_EQ(to_hex(second), to_hex(output));
  return true;
}

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_RUNNER_H_
