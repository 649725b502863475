#include <cstring>
#include <memory>

#include "bench/events.hot.h"
#include "scatter/rivals.h"
#include "scatter/stream.h"

namespace bench {
namespace {

using hotpb::bench::hot::EventWriter;

class RingSource final : public hotpb::ChunkSource {
 public:
  explicit RingSource(Ring& ring) : ring_(ring) {}
  hotpb::Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t) override {
    if (full_id != hotpb::kNoChunk) ring_.give_back(full_id, used);
    const std::uint64_t number = ring_.take();
    return {number, ring_.at(number), kChunk};
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t) override {
    std::memcpy(ring_.at(id) + offset, bytes, sizeof bytes);
    return true;
  }
  bool finish(std::uint64_t id, std::size_t used, const hotpb::MessageEnd&) override {
    ring_.give_back(id, used);
    return true;
  }

 private:
  Ring& ring_;
};

class Scattered {
 public:
  void write(std::uint64_t events) {
    ring_.rewind();
    auto root = out_.message<EventWriter>();
    for (std::uint64_t i = 0; i < events; ++i) {
      auto event = root.add_field_nested();
      Nested::fill(event);
    }
  }
  std::string bytes() { return ring_.joined(); }

 private:
  Ring ring_;
  RingSource source_{ring_};
  hotpb::WriteStream out_{source_};
};

class Contiguous {
 public:
  Contiguous() : memory_(new std::uint8_t[kRing]()), out_(memory_.get(), kRing) {}
  void write(std::uint64_t events) {
    while (events > 0) {
      out_.clear();
      auto root = out_.message<EventWriter>();
      for (; events > 0 && out_.status().valid_len + kLargestEvent <= kRing; --events) {
        auto event = root.add_field_nested();
        Nested::fill(event);
      }
    }
  }
  std::string bytes() { return std::string(out_.bytes().text()); }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  hotpb::FixedBuffer out_;
};

}  // namespace

void add_scatter_hotpb_writer(Grid& grid) {
  add_scatter_rival<Scattered>(grid, "hotpb-writer", "WriteStream over a ring of 4 KiB chunks, patches applied");
  add_scatter_rival<Contiguous>(grid, "hotpb-writer:contiguous", "FixedBuffer of 1 MiB");
}

}  // namespace bench
