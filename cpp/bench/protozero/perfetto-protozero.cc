#include <cstring>

#include "perfetto/events.pbzero.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

// As its own benchmark: a root message, with its arena, for each message.
struct Fresh : ProtobufRival {
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    protozero::StaticBuffered<pbzero::Event> event(out, kRoom);
    Fill::fill(*event.get());
    return event.Finalize();
  }
};

// One root message for all: what a tracing thread keeps.
template <class Root>
class Reused : public ProtobufRival {
 public:
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    writer_.Reset(protozero::ContiguousMemoryRange{out, out + kRoom});
    event_.Reset(&writer_);
    Fill::fill(event_);
    event_.Finalize();
    return static_cast<std::size_t>(writer_.write_ptr() - out);
  }

 private:
  struct Nowhere : protozero::ScatteredStreamWriter::Delegate {
    protozero::ContiguousMemoryRange GetNewBuffer() override { std::abort(); }
  };
  Nowhere nowhere_;
  protozero::ScatteredStreamWriter writer_{&nowhere_};
  protozero::RootMessage<Root> event_;
};

// Strings with their size, which spares the copy into a std::string.
class Sized : public pbzero::Event {
 public:
  void set_field_string(const char* text) { pbzero::Event::set_field_string(text, std::strlen(text)); }
  Sized* add_field_nested() { return pbzero::Event::add_field_nested<Sized>(); }
};

}  // namespace

void add_perfetto_protozero(Grid& grid) {
  add_document_rival<Fresh>(grid, "perfetto-protozero", "1.4.0; root and arena for each message");
  add_document_rival<Reused<pbzero::Event>>(grid, "perfetto-protozero:reused", "1.4.0; root message reset");
  add_document_rival<Reused<Sized>>(grid, "perfetto-protozero:reused+size", "1.4.0; root message reset, strings with their size");
}

}  // namespace bench
