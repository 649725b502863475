#include "bench/events.hot.h"
#include "varint/mix.h"
#include "varint/rivals.h"

namespace bench {
namespace {

using hotpb::bench::hot::VarintsWriter;

// One buffer object for all messages.
class Kept {
 public:
  BENCH_INLINE std::size_t write(const Record& record, std::uint8_t* out) {
    buffer_.clear(out, kRecordRoom);
    {
      auto message = buffer_.message<VarintsWriter>();
      fill(message, record);
    }
    return buffer_.bytes().size();
  }

 private:
  hotpb::FixedBuffer buffer_{nullptr, 0};
};

}  // namespace

void add_varint_hotpb_writer(Grid& grid) {
  add_mix_rival<Kept>(grid, "hotpb-writer", "one FixedBuffer, cleared each time");
}

}  // namespace bench
