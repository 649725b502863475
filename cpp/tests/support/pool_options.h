// The options of a vector, for a decode into a pool.
#ifndef HOTPB_TESTS_SUPPORT_POOL_OPTIONS_H_
#define HOTPB_TESTS_SUPPORT_POOL_OPTIONS_H_

#include <cstdint>

#include "hotpb/pool/options.h"
#include "support/vectors.h"

namespace hotpb_test {

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

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_POOL_OPTIONS_H_
