#include "bench/events.hot.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

using hotpb::bench::hot::EventWriter;

// The buffer object is made anew for each message.
struct Writer : ProtobufRival {
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
  add_document_rival<Writer>(grid, "hotpb-writer", "FixedBuffer made for each message");
}

}  // namespace bench
