#include <protozero/buffer_fixed.hpp>
#include <protozero/pbf_writer.hpp>

#include "varint/mix.h"
#include "varint/rivals.h"

namespace bench {
namespace {

struct Fixed {
  BENCH_INLINE std::size_t write(const Record& record, std::uint8_t* out) {
    using Buffer = protozero::fixed_size_buffer_adaptor;
    Buffer buffer(reinterpret_cast<char*>(out), kRecordRoom);
    {
      protozero::basic_pbf_writer<Buffer> message(buffer);
      for (unsigned i = 0; i < 8; ++i) message.add_uint64(i + 1, record[i]);
    }
    return buffer.size();
  }
};

}  // namespace

void add_varint_mapbox_protozero(Grid& grid) {
  add_mix_rival<Fixed>(grid, "mapbox-protozero", "1.7; fixed_size_buffer_adaptor");
}

}  // namespace bench
