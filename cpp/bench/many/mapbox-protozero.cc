#include <protozero/buffer_fixed.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "many/rivals.h"

namespace bench {
namespace many {
namespace {

// The code that Mapbox's library leaves to its users: the loop, and a struct to read into. Each type has code of its
// own, as for real schemas.
template <int kType>
class Loop final : public Decoder {
  std::uint64_t decode(const std::string& bytes) override {
    values_ = {};
    protozero::pbf_reader message(bytes);
    while (message.next()) {
      switch (message.tag()) {
#define BENCH_FIELD(type, name, number) \
  case number: values_.name = get_##type(message); break;
        BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
        default: message.skip();
      }
    }
    Sum sum;
#define BENCH_FIELD(type, name, number) add(sum, values_.name);
    BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
    return sum.value();
  }

#define BENCH_GET(type) \
  static auto get_##type(protozero::pbf_reader& message) { return message.get_##type(); }
  BENCH_GET(int32) BENCH_GET(int64) BENCH_GET(uint32) BENCH_GET(uint64) BENCH_GET(sint32) BENCH_GET(sint64)
  BENCH_GET(bool)
  BENCH_GET(fixed32) BENCH_GET(fixed64) BENCH_GET(float) BENCH_GET(double)
#undef BENCH_GET
  static std::string_view get_string(protozero::pbf_reader& message) {
    const protozero::data_view view = message.get_view();
    return {view.data(), view.size()};
  }
  static std::string_view get_bytes(protozero::pbf_reader& message) { return get_string(message); }

  Wide<std::string_view> values_;
};

template <int kType>
class Fixed final : public Encoder {
  void keep(const Wide<std::string>& message) override { message_ = message; }
  std::size_t encode(std::uint8_t* out) override {
    using Buffer = protozero::fixed_size_buffer_adaptor;
    Buffer buffer(reinterpret_cast<char*>(out), kRoom);
    {
      protozero::basic_pbf_writer<Buffer> message(buffer);
#define BENCH_FIELD(type, name, number) \
  if (is_set(message_.name)) message.add_##type(number, message_.name);
      BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
    }
    return buffer.size();
  }

  Wide<std::string> message_;
};

#define BENCH_LOOP(nn) std::make_unique<Loop<1##nn>>(),
#define BENCH_FIXED(nn) std::make_unique<Fixed<1##nn>>(),

Decoders loops() { return {BENCH_WIDE_TYPES(BENCH_LOOP)}; }
Encoders fixed() { return {BENCH_WIDE_TYPES(BENCH_FIXED)}; }

}  // namespace

void add_mapbox_protozero(Grid& grid) {
  add_decoders(grid, "mapbox-protozero", "1.7; a loop by hand into a struct of views, no UTF-8 check", loops);
  add_encoders(grid, "mapbox-protozero", "1.7; fixed_size_buffer_adaptor, from a plain struct", fixed);
}

}  // namespace many
}  // namespace bench
