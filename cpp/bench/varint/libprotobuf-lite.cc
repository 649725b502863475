#include "lite/bench/events.pb.h"
#include "varint/mix.h"
#include "varint/rivals.h"

namespace bench {
namespace {

struct Fresh {
  BENCH_INLINE std::size_t write(const Record& record, std::uint8_t* out) {
    lite::hotpb::bench::Varints message;
    fill(message, record);
    message.SerializeToArray(out, static_cast<int>(kRecordRoom));
    return static_cast<std::size_t>(message.GetCachedSize());
  }
};

}  // namespace

void add_varint_libprotobuf_lite(Grid& grid) {
  add_mix_rival<Fresh>(grid, "libprotobuf-lite", "3.21; a message on the stack");
}

}  // namespace bench
