#include "bench/events.hot.h"
#include "called/bench/events.hot.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

using hotpb::bench::hot::EventWriter;  // inlined, as hot= makes it
using CalledWriter = hotpb::bench::called::EventWriter;

// One buffer object for all messages, which writes to another place each time.
template <class Writer>
class Kept : public ProtobufRival {
 public:
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    buffer_.clear(out, kRoom);
    {
      auto event = buffer_.template message<Writer>();
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
  add_document_rival<Kept<EventWriter>>(grid, "hotpb-writer", "hot=; one FixedBuffer, cleared each time");
  add_document_rival<Kept<CalledWriter>>(grid, "hotpb-writer:called",
                                         "setters are calls, the default; one FixedBuffer, cleared each time");
  add_document_rival<Fresh>(grid, "hotpb-writer:fresh", "hot=; a FixedBuffer for each message");
}

}  // namespace bench
