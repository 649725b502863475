#include "bench/events.hot.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

using hotpb::bench::hot::EventWriter;

// One buffer object for all messages, which writes to another place each time.
class Kept : public ProtobufRival {
 public:
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    buffer_.clear(out, kRoom);
    {
      auto event = buffer_.message<EventWriter>();
      Fill::fill(event);
    }
    return buffer_.bytes().size();
  }

 private:
  hotpb::FixedBuffer buffer_{nullptr, 0};
};

// A buffer object for each message.
struct Fresh : ProtobufRival {
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    hotpb::FixedBuffer buffer(out, kRoom);
    {
      auto event = buffer.message<EventWriter>();
      Fill::fill(event);
    }
    return buffer.bytes().size();
  }
};

}  // namespace

void add_hotpb_writer(Grid& grid) {
  add_document_rival<Kept>(grid, "hotpb-writer", "one FixedBuffer, cleared each time");
  add_document_rival<Fresh>(grid, "hotpb-writer:fresh", "a FixedBuffer for each message");
}

}  // namespace bench
