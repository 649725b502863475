#include <cstring>

#include "lite/bench/events.pb.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {

Inputs inputs;

namespace {

using Event = lite::hotpb::bench::Event;

Event reference(bool nested) {
  Event event;
  nested ? Nested::fill(event) : Simple::fill(event);
  return event;
}

// The empty harness.
struct Floor {
  explicit Floor(bool) {}
  template <class Fill>
  std::size_t write(std::uint8_t*) { return 0; }
  std::string check(const std::uint8_t*, std::size_t, bool) { return {}; }
};

// Copies the encoded bytes to the place.
class Memcpy : public ProtobufRival {
 public:
  explicit Memcpy(bool nested) : ProtobufRival(nested), encoded_(encoded_by_stock(nested)) {}
  template <class Fill>
  std::size_t write(std::uint8_t* out) {
    std::memcpy(out, encoded_.data(), encoded_.size());
    return encoded_.size();
  }

 private:
  std::string encoded_;
};

}  // namespace

std::string encoded_by_stock(bool nested) { return reference(nested).SerializeAsString(); }

std::string differs_from_stock(const std::uint8_t* bytes, std::size_t size, bool nested) {
  Event event;
  if (size > kRoom) return "the message is too large";
  if (!event.ParseFromArray(bytes, static_cast<int>(size))) return "libprotobuf cannot parse the message";
  return event.SerializeAsString() == encoded_by_stock(nested) ? "" : "libprotobuf reads another message";
}

void protozero_tasks(Grid& grid) {
  add_hotpb_writer(grid);
  add_perfetto_protozero(grid);
#ifdef BENCH_MAPBOX
  add_mapbox_protozero(grid);
#endif
  add_libprotobuf_lite(grid);
  add_speed_of_light(grid);
  add_document_rival<Memcpy>(grid, "memcpy", "the encoded bytes, copied");
  add_document_rival<Floor>(grid, "floor", "the empty harness");
}

}  // namespace bench
