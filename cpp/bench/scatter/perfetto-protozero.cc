#include "perfetto/events.pbzero.h"
#include "perfetto/reused_root.h"
#include "scatter/rivals.h"
#include "scatter/stream.h"

namespace bench {
namespace {

// Chunks stay in place until the ring comes round, so lengths may be written straight into them.
class Scattered final : protozero::ScatteredStreamWriter::Delegate {
 public:
  void write(std::uint64_t events) {
    ring_.rewind();
    writer_.Reset(chunk());
    root_.Reset(&writer_);
    for (std::uint64_t i = 0; i < events; ++i) Nested::fill(*root_.add_field_nested());
    root_.Finalize();
    give_back();
  }
  std::string bytes() { return ring_.joined(); }

 private:
  protozero::ContiguousMemoryRange chunk() {
    number_ = ring_.take();
    return {ring_.at(number_), ring_.at(number_) + kChunk};
  }
  void give_back() { ring_.give_back(number_, static_cast<std::size_t>(writer_.write_ptr() - ring_.at(number_))); }
  protozero::ContiguousMemoryRange GetNewBuffer() override {
    give_back();
    return chunk();
  }

  Ring ring_;
  std::uint64_t number_ = 0;
  protozero::ScatteredStreamWriter writer_{this};
  protozero::RootMessage<pbzero::SizedEvent> root_;
};

class Contiguous {
 public:
  Contiguous() : memory_(new std::uint8_t[kRing]()) {}
  void write(std::uint64_t events) {
    while (events > 0) {
      auto& root = root_.reset(memory_.get(), kRing);
      for (; events > 0 && root_.written() + kLargestEvent <= kRing; --events) Nested::fill(*root.add_field_nested());
      size_ = root_.finish();
    }
  }
  std::string bytes() { return std::string(reinterpret_cast<const char*>(memory_.get()), size_); }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  ReusedRoot<pbzero::SizedEvent> root_;
  std::size_t size_ = 0;
};

}  // namespace

void add_scatter_perfetto_protozero(Grid& grid) {
  add_scatter_rival<Scattered>(grid, "perfetto-protozero:reused+size", "1.4.0; the same ring of chunks");
  add_scatter_rival<Contiguous>(grid, "perfetto-protozero:contiguous", "1.4.0; one range of 1 MiB");
}

}  // namespace bench
