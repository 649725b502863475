// What a rival of the benchmark can do: the same events, in a session of its own. Each run writes `events` of a kind,
// all at the same call site; what it times is that loop.
#ifndef TRACING_BENCH_RIVALS_H_
#define TRACING_BENCH_RIVALS_H_

#include <cstddef>
#include <cstdint>

enum Task {
  kOff,         // a scope of a category that is off
  kBegin,       // the begin of a slice with a static name; its end is written, too, but not timed
  kPair,        // a scope: begin and end
  kAnnotation,  // a begin with one integer
  kRaw,         // a packet with a payload of its own and no time
  kTasks,
};

// Where the trace goes.
struct Room {
  std::uint32_t shared_kib;  // memory shared with the reader
  std::uint32_t buffer_kib;  // of the trace, where the rival has such a buffer
  bool wakes;                // ours: the writer wakes the service at half of the memory; Perfetto's always does
};

struct Read {
  std::uint64_t events;  // of the trace, as they were read back
  std::uint64_t bytes;   // of the file
  std::uint64_t before_loss;  // events before the first mark of a loss
};

struct ServiceTime {
  double read_ns;
  double translate_ns;
};

extern "C" {
// Perfetto's C++ SDK in process: perfetto_rival.cc. v2: its second layout of shared memory. After perfetto_use_system()
// its service is a process of its own, which is forked: no thread may run yet.
bool perfetto_use_system();
bool perfetto_start(Room room, bool v2);
void perfetto_write(Task task, std::uint64_t events);       // the timed loop
void perfetto_write_ends(Task task, std::uint64_t events);  // what balances it
Read perfetto_stop();

// Ours: hotpb_rival.cc. After hotpb_use_system(), the service is the program of that path.
void hotpb_use_system(const char* service);
bool hotpb_start(Room room);
void hotpb_write(Task task, std::uint64_t events);
void hotpb_write_ends(Task task, std::uint64_t events);
Read hotpb_stop();
// The CPU time of the service for one event: to read it from the memory, and to translate and write it.
ServiceTime hotpb_service(Task task, std::uint64_t events);
}

#endif  // TRACING_BENCH_RIVALS_H_
