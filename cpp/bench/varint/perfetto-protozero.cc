#include "perfetto/events.pbzero.h"
#include "perfetto/reused_root.h"
#include "varint/mix.h"
#include "varint/rivals.h"

namespace bench {
namespace {

// As in ProtoZero's own benchmark: a root message, with its arena, for each message.
struct Fresh {
  BENCH_INLINE std::size_t write(const Record& record, std::uint8_t* out) {
    protozero::StaticBuffered<pbzero::Varints> message(out, kRecordRoom);
    fill(*message.get(), record);
    return message.Finalize();
  }
};

struct Reused {
  BENCH_INLINE std::size_t write(const Record& record, std::uint8_t* out) {
    fill(root.reset(out, kRecordRoom), record);
    return root.finish();
  }
  ReusedRoot<pbzero::Varints> root;
};

}  // namespace

void add_varint_perfetto_protozero(Grid& grid) {
  add_mix_rival<Fresh>(grid, "perfetto-protozero", "1.4.0; root and arena for each message");
  add_mix_rival<Reused>(grid, "perfetto-protozero:reused", "1.4.0; root message reset");
}

}  // namespace bench
