// The cost of a committed packet in shared memory, beside that of the same calls into a FixedBuffer; and the cost of
// reading a packet. Every packet is read back: a row with missing packets is an error.
#include <benchmark/benchmark.h>

#include <string_view>

#include "hotpb/shm/reader.h"
#include "hotpb/writer.h"

namespace {

using namespace hotpb::shm;

class EventWriter : public hotpb::MessageWriter {
 public:
  explicit EventWriter(hotpb::detail::WriterKey key) : MessageWriter(key) {}
  void set_time(std::uint64_t value) { this->put_uint64<8>(value); }
  void set_name(std::string_view text) { this->put_string<23>(text); }
};

template <class Out>
inline void write_event(Out& out, std::uint64_t time) {
  auto event = out.template message<EventWriter>();
  event.set_time(time);
  event.set_name("a name of twenty byt");
}

void fixed_buffer(benchmark::State& state) {
  std::uint8_t memory[256];
  hotpb::FixedBuffer out(memory, sizeof memory);
  std::uint64_t time = 1000000;
  for (auto _ : state) {
    out.clear();
    write_event(out, time++);
    benchmark::DoNotOptimize(memory);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(fixed_buffer);

// Writes until half of the area is used, then reads. One of the two is timed.
template <bool kWrites>
void area(benchmark::State& state) {
  constexpr std::uint64_t kBatch = 40000;
  Producer producer;
  Reader reader;
  if (producer.create({static_cast<std::uint32_t>(state.range(0)),
                       (8u << 20) / static_cast<std::uint32_t>(state.range(0)), 4}) != AreaError::Ok ||
      reader.open(producer.fd()) != AreaError::Ok) {
    return state.SkipWithError("no area");
  }
  std::uint64_t time = 1000000;
  std::uint64_t bytes = 0;
  const auto sink = [&bytes](const Packet& packet) { bytes += packet.bytes.size(); };
  std::uint64_t written = 0;
  {
    Stream out(producer);
    const auto write = [&] {
      for (std::uint64_t i = 0; i < kBatch; ++i) write_event(out, time++);
      written += kBatch;
    };
    const auto read = [&] { reader.poll(sink, 0); };
    while (state.KeepRunningBatch(kBatch)) {
      if (!kWrites) {
        state.PauseTiming();
        write();
        state.ResumeTiming();
        read();
      } else {
        write();
        state.PauseTiming();
        read();
        state.ResumeTiming();
      }
    }
  }
  reader.poll(sink, 0);
  if (reader.counts().packets != written || producer.dropped() != 0) state.SkipWithError("packets are missing");
}
BENCHMARK_TEMPLATE(area, true)->Name("shm_write")->Arg(256)->Arg(1024)->Arg(4096);
BENCHMARK_TEMPLATE(area, false)->Name("shm_read")->Arg(256)->Arg(1024)->Arg(4096);

}  // namespace
