// Writes ProtoZero's two documents with hotpb and with ProtoZero, for machines that have an emulator and no
// libprotobuf:
//
//   machines_writer check                    both write messages that hotpb's view reads as intended
//   machines_writer WRITER simple|nested N   N messages; WRITER is one of those below
//
// machines.sh counts the instructions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/events.hot.h"
#include "called/bench/events.hot.h"
#include "perfetto/events.pbzero.h"
#include "perfetto/reused_root.h"
#include "protozero/document.h"

namespace bench {

Inputs inputs;

namespace {

using hotpb::bench::hot::EventView;
using hotpb::bench::hot::EventWriter;  // inlined, as hot= makes it
using CalledWriter = hotpb::bench::called::EventWriter;

std::uint8_t out[kRoom];

template <class Writer>
struct Kept {
  hotpb::FixedBuffer buffer{nullptr, 0};
  template <class Fill>
  BENCH_INLINE std::size_t write() {
    buffer.clear(out, kRoom);
    {
      auto event = buffer.message<Writer>();
      Fill::fill(event);
    }
    return buffer.bytes().size();
  }
};

struct Fresh {
  template <class Fill>
  BENCH_INLINE std::size_t write() {
    hotpb::FixedBuffer buffer(out, kRoom);
    {
      auto event = buffer.message<EventWriter>();
      Fill::fill(event);
    }
    return buffer.bytes().size();
  }
};

struct PerfettoFresh {
  template <class Fill>
  BENCH_INLINE std::size_t write() {
    protozero::StaticBuffered<pbzero::Event> event(out, kRoom);
    Fill::fill(*event.get());
    return event.Finalize();
  }
};

template <class Message>
struct PerfettoReused {
  ReusedRoot<Message> root;
  template <class Fill>
  BENCH_INLINE std::size_t write() {
    Fill::fill(root.reset(out, kRoom));
    return root.finish();
  }
};

// The message without anything: what the loop itself costs.
struct Nothing {
  template <class Fill>
  BENCH_INLINE std::size_t write() {
    asm volatile("" : "+m"(inputs) : : "memory");
    return 0;
  }
};

// Whether the bytes are the document, `levels` messages deep.
bool holds(EventView& event, int levels) {
  if (event.field_int32() != static_cast<std::int32_t>(inputs.numbers[0]) ||
      event.field_uint32() != static_cast<std::uint32_t>(inputs.numbers[1]) ||
      event.field_int64() != static_cast<std::int64_t>(inputs.numbers[2]) ||
      event.field_uint64() != inputs.numbers[3] ||
      event.field_string() != inputs.text || event.field_nested().size() != (levels > 1 ? 1u : 0u)) {
    return false;
  }
  if (levels == 1) return true;
  EventView child;
  return child.open(event.field_nested().nth(0)).ok() && holds(child, levels - 1);
}

template <class Writer>
__attribute__((noinline)) bool run(const std::string& document, std::uint64_t messages) {
  Writer writer;
  const bool nested = document == "nested";
  std::size_t size = 0;
  for (std::uint64_t i = 0; i < messages; ++i) {
    size = nested ? writer.template write<Nested>() : writer.template write<Simple>();
    asm volatile("" : : : "memory");
  }
  EventView event;
  return size == 0 || (event.decode(hotpb::Bytes(out, size)).ok() && holds(event, nested ? 4 : 1));
}

struct Named {
  const char* name;
  bool (*run)(const std::string& document, std::uint64_t messages);
};
constexpr Named kWriters[] = {
    {"hotpb-writer", run<Kept<EventWriter>>},
    {"hotpb-writer:called", run<Kept<CalledWriter>>},
    {"hotpb-writer:fresh", run<Fresh>},
    {"perfetto-protozero", run<PerfettoFresh>},
    {"perfetto-protozero:reused", run<PerfettoReused<pbzero::Event>>},
    {"perfetto-protozero:reused+size", run<PerfettoReused<pbzero::SizedEvent>>},
    {"nothing", run<Nothing>},
};

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  for (const Named& writer : kWriters) {
    if (first == "check" && !(writer.run("simple", 2) && writer.run("nested", 2))) {
      std::printf("%s wrote another message\n", writer.name);
      return 1;
    }
    if (first == writer.name && argc == 4) return writer.run(argv[2], std::strtoull(argv[3], nullptr, 10)) ? 0 : 1;
  }
  return first == "check" ? 0 : 2;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main(argc, argv); }
