#include "perfetto/events.pbzero.h"
#include "perfetto/reused_root.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

// As in its own benchmark: a root message, with its arena, for each message.
struct Fresh : ProtobufRival {
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    protozero::StaticBuffered<pbzero::Event> event(out, kRoom);
    Fill::fill(*event.get());
    return event.Finalize();
  }
};

// One root message for all.
template <class Message>
class Reused : public ProtobufRival {
 public:
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    Fill::fill(root_.reset(out, kRoom));
    return root_.finish();
  }

 private:
  ReusedRoot<Message> root_;
};

}  // namespace

void add_perfetto_protozero(Grid& grid) {
  add_document_rival<Fresh>(grid, "perfetto-protozero", "1.4.0; root and arena for each message");
  add_document_rival<Reused<pbzero::Event>>(grid, "perfetto-protozero:reused", "1.4.0; root message reset");
  add_document_rival<Reused<pbzero::SizedEvent>>(grid, "perfetto-protozero:reused+size",
                                                 "1.4.0; root message reset, strings with their size");
}

}  // namespace bench
