// The part of remote write 1.0 that programs read.
#ifndef HOTPB_BENCH_POOL_PLAIN_H_
#define HOTPB_BENCH_POOL_PLAIN_H_

#include <cstdint>
#include <string_view>

namespace bench {

struct PlainLabel {
  std::string_view name, value;
};
struct PlainSample {
  double value = 0;
  std::int64_t timestamp = 0;
};

}  // namespace bench

#endif  // HOTPB_BENCH_POOL_PLAIN_H_
