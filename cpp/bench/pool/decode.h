// One operation of the tasks that decode whole messages. A reader keeps what it decodes until its next operation:
//
//   bool decode(std::string_view input);
//   std::string reencoded();                          the message as canonical bytes
//   std::string_view encode();                    where the library encodes
//   template <class Walk> void walk(Sum& sum);    reads every field
#ifndef HOTPB_BENCH_POOL_DECODE_H_
#define HOTPB_BENCH_POOL_DECODE_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grid/harness.h"
#include "pool/rivals.h"
#include "view/walk.h"

namespace bench {

// The inputs of a case, decoded in turn; none if the task has no such case.
using Inputs = std::vector<std::string> (*)(const Request&);
std::vector<std::string> input_file(const Request& request);
std::vector<std::string> listings(const Request& request);
std::vector<std::string> logs(const Request& request);
std::vector<std::string> packed(const Request& request);
std::vector<std::string> maps(const Request& request);
std::vector<std::string> deep(const Request& request);
std::vector<std::string> spans(const Request& request);

enum class Work { Decode, DecodeRead, Encode };

// The result of libprotobuf's parse of the bytes, as canonical bytes and as the sum of all fields.
template <class Stock>
std::string canonical(const std::string& input);
template <class Stock, class Walk>
std::uint64_t sum_of(const std::string& input);

struct NoWalk {};

template <class Reader, class Stock, Work kWork, class Walk>
class Decoding final : public Contender {
 public:
  explicit Decoding(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {
    if (kWork == Work::Encode && !reader_.decode(inputs_[0])) std::abort();
  }

  void run(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) {
      if constexpr (kWork == Work::Encode) {
        use(reader_.encode().size());
      } else {
        const std::string& input = inputs_[next_];
        if (++next_ == inputs_.size()) next_ = 0;
        if (!reader_.decode(input)) std::abort();
        if constexpr (kWork == Work::DecodeRead) use(sum());
        clobber_memory();
      }
    }
  }
  std::uint64_t fewest() const override { return 2 * inputs_.size(); }
  std::string verify() override {
    for (const std::string& input : inputs_) {
      if (!reader_.decode(input)) return "an input is refused";
      if (reader_.reencoded() != canonical<Stock>(input)) return "re-encoded, the message is not libprotobuf's";
      if constexpr (kWork == Work::DecodeRead) {
        if (sum() != sum_of<Stock, Walk>(input)) return "the checksum is not that of libprotobuf's parse";
      }
      if constexpr (kWork == Work::Encode) {
        if (reader_.encode() != canonical<Stock>(input)) return "other bytes than libprotobuf's";
      }
    }
    return "";
  }
  std::size_t size() const override {
    std::size_t all = 0;
    for (const std::string& input : inputs_) all += input.size();
    return all / inputs_.size();
  }
  std::uint64_t checksum() override {
    if constexpr (kWork == Work::DecodeRead) {
      if (reader_.decode(inputs_[0])) return sum();
    }
    return 0;
  }

 private:
  std::uint64_t sum() {
    Sum sum;
    reader_.template walk<Walk>(sum);
    return sum.value();
  }

  std::vector<std::string> inputs_;
  std::size_t next_ = 0;
  Reader reader_;
};

template <class Reader, class Stock, Work kWork = Work::Decode, class Walk = NoWalk>
Grid::Make decoding(Inputs inputs) {
  return [inputs](const Request& request) -> std::unique_ptr<Contender> {
    std::vector<std::string> found = inputs(request);
    if (found.empty()) return nullptr;
    return std::make_unique<Decoding<Reader, Stock, kWork, Walk>>(std::move(found));
  };
}

}  // namespace bench

#endif  // HOTPB_BENCH_POOL_DECODE_H_
