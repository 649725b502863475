// Remote write 1.0 as programs decode it by hand, with a library that reads fields and no more: loops, and vectors that
// are used again. They check no UTF-8, keep no unknown fields, and skip the fields that are not in these structs.
#ifndef HOTPB_BENCH_POOL_BY_HAND_H_
#define HOTPB_BENCH_POOL_BY_HAND_H_

#include "pool/plain.h"
#include "pool/stock.h"

namespace bench {

// The lists of all series one after the other, and how many elements of them each series has.
struct PlainRequest {
  struct Series {
    std::size_t labels, samples;
  };
  std::vector<Series> series;
  std::vector<PlainLabel> labels;
  std::vector<PlainSample> samples;

  void clear() {
    series.clear();
    labels.clear();
    samples.clear();
  }
};

// Loops has one function: static bool decode(std::string_view input, PlainRequest& into).
template <class Loops>
class ByHand {
 public:
  bool decode(std::string_view input) {
    request_.clear();
    return Loops::decode(input, request_);
  }

  // The same as libprotobuf's, for inputs that have only fields of the loops.
  std::string reencoded() const { return stock().SerializeAsString(); }

  template <class Walk>
  void walk(Sum& sum) const {
    StockAccess access;
    Walk::all(access, stock(), sum);
  }
  std::string_view encode() { return {}; }

  static Grid::Make task() {
    return [](const Request& request) -> std::unique_ptr<Contender> {
      if (request.case_name == "unknown-sprinkled") return nullptr;  // the loops drop them
      return decoding<ByHand, prometheus::WriteRequest>(input_file)(request);
    };
  }

 private:
  prometheus::WriteRequest stock() const {
    prometheus::WriteRequest request;
    auto label = request_.labels.begin();
    auto sample = request_.samples.begin();
    for (const PlainRequest::Series& counts : request_.series) {
      prometheus::TimeSeries& series = *request.add_timeseries();
      for (const auto end = label + static_cast<std::ptrdiff_t>(counts.labels); label != end; ++label) {
        prometheus::Label& to = *series.add_labels();
        to.set_name(std::string(label->name));
        to.set_value(std::string(label->value));
      }
      for (const auto end = sample + static_cast<std::ptrdiff_t>(counts.samples); sample != end; ++sample) {
        prometheus::Sample& to = *series.add_samples();
        to.set_value(sample->value);
        to.set_timestamp(sample->timestamp);
      }
    }
    return request;
  }

  PlainRequest request_;
};

}  // namespace bench

#endif  // HOTPB_BENCH_POOL_BY_HAND_H_
