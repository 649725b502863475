#include <protozero/buffer_fixed.hpp>
#include <protozero/pbf_writer.hpp>

#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

// The setters that Mapbox's library leaves to its users.
template <class Buffer>
class Event {
 public:
  using Writer = protozero::basic_pbf_writer<Buffer>;
  explicit Event(Buffer& buffer) : writer_(buffer) {}
  BENCH_INLINE void set_field_int32(std::int32_t value) { writer_.add_int32(1, value); }
  BENCH_INLINE void set_field_int64(std::int64_t value) { writer_.add_int64(2, value); }
  BENCH_INLINE void set_field_uint32(std::uint32_t value) { writer_.add_uint32(3, value); }
  BENCH_INLINE void set_field_uint64(std::uint64_t value) { writer_.add_uint64(4, value); }
  BENCH_INLINE void set_field_string(const char* text) { writer_.add_string(500, text); }
  BENCH_INLINE Event add_field_nested() { return Event(writer_); }

 private:
  explicit Event(Writer& parent) : writer_(parent, 14) {}
  Writer writer_;
};

// Writes straight into the output.
struct Fixed : ProtobufRival {
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    using Buffer = protozero::fixed_size_buffer_adaptor;
    Buffer buffer(reinterpret_cast<char*>(out), kRoom);
    {
      Event<Buffer> event(buffer);
      Fill::fill(event);
    }
    return buffer.size();
  }
};

}  // namespace

void add_mapbox_protozero(Grid& grid) {
  add_document_rival<Fixed>(grid, "mapbox-protozero", "1.7; fixed_size_buffer_adaptor");
}

}  // namespace bench
