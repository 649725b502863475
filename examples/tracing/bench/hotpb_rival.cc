// Ours: the SDK, and a service that reads the memory every 10 ms in a thread of its own, as Perfetto's in process does.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "rivals.h"
#include "sdk/tracing.h"
#include "service/output.h"
#include "service/server.h"
#include "hotpb/wire/reader.h"

namespace {

tracing::Category kBench{"bench"};
tracing::Category kOffCategory{"off"};

class Recorder final : public tracing::service::Output {
 public:
  void flush() override {}
};

struct Service {
  Recorder output;
  tracing::service::FileNumbers numbers;
  tracing::service::TranslateCounts counts;
  tracing::service::Client client{output, numbers, counts, getpid(), 1000};
  std::atomic<bool> runs{false};
  std::thread thread;
};
Service* service = nullptr;

void write_ends(std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) TRACE_END(kBench);
}

}  // namespace

extern "C" bool hotpb_start(Room room) {
  if (service == nullptr) {
    tracing::Options options;
    options.area = {1024, room.shared_kib, 16};
    if (!tracing::start(options)) return false;
    service = new Service;
    tracing::detail::Session* const s = tracing::detail::session.load();
    if (!service->client.open(s->producer.fd(), s->registry.fd(), std::uint64_t{1} << 30)) return false;
    TRACE_INSTANT(kBench, "make the categories known");
    TRACE_INSTANT(kOffCategory, "make the categories known");
    tracing::Categories::set([](std::string_view name) { return name == "bench"; });
    hotpb_stop();
  }
  service->runs = true;
  service->thread = std::thread([] {
    while (service->runs.load(std::memory_order_relaxed)) {
      if (!service->client.poll()) std::abort();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  return true;
}

extern "C" __attribute__((noinline)) void hotpb_write(Task task, std::uint64_t events) {
  switch (task) {
    case kOff:
      for (std::uint64_t i = 0; i < events; ++i) {
        TRACE_SCOPE(kOffCategory, "an event");
        asm volatile("" ::: "memory");
      }
      break;
    case kBegin:
      for (std::uint64_t i = 0; i < events; ++i) TRACE_BEGIN(kBench, "an event");
      break;
    case kPair:
      for (std::uint64_t i = 0; i < events; ++i) {
        TRACE_SCOPE(kBench, "an event");
        asm volatile("" ::: "memory");
      }
      break;
    case kAnnotation:
      for (std::uint64_t i = 0; i < events; ++i) TRACE_BEGIN(kBench, "an event", "number", i);
      break;
    case kRaw:
      for (std::uint64_t i = 0; i < events; ++i) {
        tracing::detail::Thread* const thread = tracing::detail::this_thread();
        if (thread == nullptr || !tracing::detail::enter(*thread)) return;
        {
          auto packet = thread->out.message<tracing::hot::TracePacketWriter>();
          packet.set_for_testing().set_str("a text of twenty byt");
        }
        tracing::detail::leave(*thread);
      }
      break;
    default: break;
  }
}
extern "C" __attribute__((noinline)) void hotpb_write_ends(Task task, std::uint64_t events) {
  if (task == kBegin || task == kAnnotation) write_ends(events);
}

extern "C" Read hotpb_stop() {
  if (service->thread.joinable()) {
    service->runs = false;
    service->thread.join();
  }
  for (int i = 0; i < 3; ++i) {
    if (!service->client.poll()) std::abort();
  }
  Read read = {0, service->output.buffer().size(), 0};
  bool lost = false;
  const hotpb::Bytes file = service->output.buffer().bytes();
  hotpb::wire::Reader packets(file);
  while (packets.next()) {
    tracing::hot::TracePacketView packet;
    if (!packet.decode(packets.as_bytes()).ok()) std::abort();
    lost = lost || (packet.has_previous_packet_dropped() && read.events != 0);
    read.events += packet.has_track_event() || packet.has_for_testing();
    if (!lost) read.before_loss = read.events;
  }
  service->output.buffer().clear();
  return read;
}
