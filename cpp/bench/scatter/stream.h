// The output of scatter: a long message, each field of which is an event of four levels (the one of protozero-nested),
// in chunks of 4 KiB. Lengths that are not known when their chunk leaves are patched. The chunks come in turn from a
// ring of 1 MiB. The contiguous run writes the same into one piece of 1 MiB, and starts again when it is full.
#ifndef HOTPB_BENCH_SCATTER_STREAM_H_
#define HOTPB_BENCH_SCATTER_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "grid/harness.h"
#include "protozero/document.h"

namespace bench {

constexpr std::size_t kChunk = 4096;
constexpr std::size_t kRing = std::size_t{1} << 20;
constexpr std::size_t kLargestEvent = 512;
constexpr std::uint64_t kMillion = 1000000;
constexpr std::uint64_t kVerified = 2000;  // events; they fit into the ring

// Whether libprotobuf reads these bytes as a message of kVerified events. Returns the difference, or "".
std::string differs_from_events(const std::string& bytes);

class Ring {
 public:
  static constexpr std::size_t kChunks = kRing / kChunk;
  Ring() : memory_(new std::uint8_t[kRing]()) {}

  void rewind() { taken_ = 0; }
  // Returns the next chunk. Its number grows without end.
  std::uint64_t take() { return taken_++; }
  std::uint8_t* at(std::uint64_t number) { return memory_.get() + number % kChunks * kChunk; }
  void give_back(std::uint64_t number, std::size_t used) { used_[number % kChunks] = used; }

  // The bytes that were written since rewind(), if they were less than a round.
  std::string joined() {
    std::string bytes;
    for (std::uint64_t i = 0; i < taken_; ++i) bytes.append(reinterpret_cast<const char*>(at(i)), used_[i]);
    return bytes;
  }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::uint64_t taken_ = 0;
  std::size_t used_[kChunks] = {};
};

// Rival: void write(n) writes n events; std::string bytes() returns the output.
template <class Rival>
class ScatterContender final : public Contender {
 public:
  void run(std::uint64_t operations) override { rival_.write(operations); }
  std::uint64_t fewest() const override { return kMillion; }
  std::size_t size() const override { return encoded_by_stock(true).size(); }
  std::string verify() override {
    rival_.write(kVerified);
    return differs_from_events(rival_.bytes());
  }

 private:
  Rival rival_;
};

template <class Rival>
void add_scatter_rival(Grid& grid, const char* rival, const char* note) {
  grid.add("scatter", rival, note, [](const Request& request) -> std::unique_ptr<Contender> {
    if (request.case_name != "nested-events") return nullptr;
    return std::make_unique<ScatterContender<Rival>>();
  });
}

}  // namespace bench

#endif  // HOTPB_BENCH_SCATTER_STREAM_H_
