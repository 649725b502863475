// The vectors (vectors/README.md) that the tests read from build/vectors/*.jsonl.
#ifndef HOTPB_TESTS_SUPPORT_VECTORS_H_
#define HOTPB_TESTS_SUPPORT_VECTORS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "hotpb/error.h"
#include "hotpb/wire.h"
#include "support/json.h"
#include "support/support.h"

namespace hotpb_test {

// A file is read once: without optimisation, and with sanitizers, that takes as long as many of its tests.
inline const std::vector<Json>& load_vectors(const std::string& name) {
  static std::map<std::string, std::vector<Json>> files;
  std::vector<Json>& vectors = files[name];
  if (!vectors.empty()) return vectors;
  const std::string path = repository("build/vectors/" + name + ".jsonl");
  for (const std::string& line : read_lines(path)) vectors.push_back(JsonReader(line).read());
  EXPECT_FALSE(vectors.empty()) << path << " is missing: run tools/vectors/compile";
  return vectors;
}

// Whether the vector applies to a face.
inline bool binds(const Json& vector, const std::string& face) {
  const std::vector<Json>& faces = vector.at("faces").array;
  return std::any_of(faces.begin(), faces.end(), [&](const Json& item) { return item.string == face; });
}

inline hotpb::ReadOptions vector_options(const Json& vector) {
  hotpb::ReadOptions result;
  if (!vector.has("options")) return result;
  for (const auto& option : vector.at("options").object) {
    if (option.first == "strict") {
      result.strict = option.second.boolean;
    } else if (option.first == "depth") {
      result.depth = static_cast<std::uint32_t>(option.second.integer);
    } else if (option.first == "size") {
      result.size = static_cast<std::uint64_t>(option.second.integer);
    } else if (option.first != "elements" && option.first != "allow_partial") {  // for other faces, or for the test
      throw std::runtime_error("unknown option " + option.first);
    }
  }
  return result;
}

inline bool allow_partial(const Json& vector) {
  return vector.has("options") && vector.at("options").has("allow_partial") &&
         vector.at("options").at("allow_partial").boolean;
}

inline void expect_error(const Json& wanted, const hotpb::Error& got) {
  EXPECT_EQ(hotpb::code_name(got.code), wanted.at("code").string);
  if (wanted.has("offset") && wanted.at("offset").kind == Json::Kind::Int) {
    EXPECT_EQ(got.offset, static_cast<std::uint64_t>(wanted.at("offset").integer));
  }
  if (wanted.has("path") && wanted.at("path").kind == Json::Kind::String) {
    EXPECT_EQ(got.path, wanted.at("path").string);
  }
}

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_VECTORS_H_
