// Ours: the SDK, and its service, in process as Perfetto's, or as a process of its own.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "hotpb/wire/reader.h"
#include "rivals.h"
#include "sdk/tracing.h"
#include "service/output.h"
#include "service/server.h"

extern char** environ;

namespace {

tracing::Category kBench{"bench"};
tracing::Category kOffCategory{"off"};

class Recorder final : public tracing::service::Output {
 public:
  void flush() override {}
};
class Discard final : public tracing::service::Output {
 public:
  void flush() override { buffer().clear(); }
};

// A folder for the socket and the file.
const std::string& folder() {
  static std::string path;
  if (!path.empty()) return path;
  char name[] = "/tmp/tracing-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) std::abort();
  path = name;
  std::atexit([] { rmdir(path.c_str()); });
  return path;
}

tracing::service::ServerOptions server_options() {
  tracing::service::ServerOptions options;
  options.socket = folder() + "/socket";
  options.categories = {"bench"};
  return options;
}
struct Service {
  Recorder output;
  tracing::service::Server server{output, server_options()};
  std::atomic<bool> runs{true};
  std::thread thread;
};
std::unique_ptr<Service> service;
std::string program;  // of the service, if it is a process of its own
pid_t process = 0;

bool start_service() {
  if (program.empty()) {
    service = std::make_unique<Service>();
    if (!service->server.listen()) return false;
    service->thread = std::thread([] {
      tracing::service::shorten_slice();
      while (service->runs.load(std::memory_order_relaxed)) service->server.step(10);
    });
    return true;
  }
  const std::string socket = folder() + "/socket";
  const std::string file = folder() + "/trace";
  const char* const arguments[] = {program.c_str(), "--socket", socket.c_str(), "--out", file.c_str(), "--categories",
                                   "bench",         nullptr};
  return posix_spawn(&process, program.c_str(), nullptr, nullptr, const_cast<char**>(arguments), environ) == 0;
}
// Returns the file.
std::string stop_service() {
  std::string bytes;
  if (program.empty()) {
    service->runs = false;
    service->thread.join();
    service->server.drain();
    static_cast<void>(service->output.buffer().append_to(bytes));
    service.reset();
    return bytes;
  }
  kill(process, SIGTERM);
  waitpid(process, nullptr, 0);
  const std::string path = folder() + "/trace";
  std::ifstream in(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(in), {});
  unlink(path.c_str());
  return bytes;
}
bool is_connected() {
  for (int i = 0; i < 5000; ++i) {
    if (tracing::connected()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void write_ends(std::uint64_t events) {
  for (std::uint64_t i = 0; i < events; ++i) TRACE_END(kBench);
}

double cpu_ns() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

extern "C" void hotpb_use_system(const char* service_program) { program = service_program; }

extern "C" bool hotpb_start(Room room) {
  if (!start_service()) return false;
  if (tracing::detail::session.load() == nullptr) {
    tracing::Options options;
    options.area = {1024, room.shared_kib, 16, room.wakes};
    options.socket = folder() + "/socket";
    options.connect_ns = 5000000000;
    if (!tracing::start(options)) return false;
    TRACE_INSTANT(kBench, "make the categories known");
    TRACE_INSTANT(kOffCategory, "make the categories known");
    stop_service();
    if (!start_service()) return false;
  }
  return is_connected();
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
  const std::string bytes = stop_service();
  Read read = {0, bytes.size(), 0};
  bool lost = false;
  const hotpb::Bytes file(bytes);
  hotpb::wire::Reader packets(file);
  while (packets.next()) {
    tracing::hot::TracePacketView packet;
    if (!packet.decode(packets.as_bytes()).ok()) std::abort();
    lost = lost || (packet.has_previous_packet_dropped() && read.events != 0);
    read.events += packet.has_track_event() || packet.has_for_testing();
    if (!lost) read.before_loss = read.events;
  }
  return read;
}

extern "C" ServiceTime hotpb_service(Task task, std::uint64_t events) {
  static Discard output;
  static tracing::service::FileNumbers numbers;
  static tracing::service::TranslateCounts counts;
  static std::unique_ptr<tracing::service::Client> client;
  if (client == nullptr) {
    tracing::Options options;
    options.area = {1024, 16384, 16};
    if (!tracing::start(options)) std::abort();
    client = std::make_unique<tracing::service::Client>(output, numbers, counts, getpid(), 1000);
    tracing::detail::Session* const s = tracing::detail::session.load();
    if (!client->open(s->producer.fd(), s->registry.fd(), std::uint64_t{1} << 30)) std::abort();
  }
  hotpb_write(task, events);
  const std::uint64_t before = counts.packets;
  const double start = cpu_ns();
  if (!client->read()) std::abort();
  const double middle = cpu_ns();
  while (client->translate()) {
  }
  const double end = cpu_ns();
  const auto packets = static_cast<double>(counts.packets - before);
  hotpb_write_ends(task, events);
  if (!client->poll()) std::abort();
  return {(middle - start) / packets, (end - middle) / packets};
}
