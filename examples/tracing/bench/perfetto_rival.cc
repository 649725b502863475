// Perfetto's own SDK, as its documentation says: track events, in process. Its whole source is part of this file,
// because the macros of C++ are in it and in no header; it takes two minutes to compile.
#include "perfetto_c.cc"

#include <sys/prctl.h>

#include "rivals.h"

PERFETTO_DEFINE_CATEGORIES(perfetto::Category("bench"), perfetto::Category("off"));
PERFETTO_TRACK_EVENT_STATIC_STORAGE();

namespace {

class RawSource : public perfetto::DataSource<RawSource> {
 public:
  void OnSetup(const SetupArgs&) override {}
  void OnStart(const StartArgs&) override { runs = true; }
  void OnStop(const StopArgs&) override { runs = false; }
  static inline std::atomic<bool> runs{false};
};

std::unique_ptr<perfetto::TracingSession> session;
perfetto::BackendType backend = perfetto::kInProcessBackend;

// The service of the source as its program `traced` starts it: sockets, and one thread. Ends with its parent.
[[noreturn]] void serve(const std::string& folder, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  perfetto::base::MaybeLockFreeTaskRunner runner;
  auto host = perfetto::ServiceIPCHost::CreateInstance(&runner);
  const char started = host->Start((folder + "/producer").c_str(), (folder + "/consumer").c_str()) ? 1 : 0;
  if (write(ready, &started, 1) == 1 && started != 0) runner.Run();
  _exit(1);
}

}  // namespace

PERFETTO_DECLARE_DATA_SOURCE_STATIC_MEMBERS(RawSource);
PERFETTO_DEFINE_DATA_SOURCE_STATIC_MEMBERS(RawSource);

extern "C" bool perfetto_use_system() {
  static char folder[] = "/tmp/tracing-bench-XXXXXX";
  int ready[2];
  if (mkdtemp(folder) == nullptr || pipe(ready) != 0) return false;
  setenv("PERFETTO_PRODUCER_SOCK_NAME", (std::string(folder) + "/producer").c_str(), 1);
  setenv("PERFETTO_CONSUMER_SOCK_NAME", (std::string(folder) + "/consumer").c_str(), 1);
  const pid_t child = fork();
  if (child == 0) serve(folder, ready[1]);
  close(ready[1]);
  char started = 0;
  if (child < 0 || read(ready[0], &started, 1) != 1 || started == 0) return false;
  atexit([] {
    unlink((std::string(folder) + "/producer").c_str());
    unlink((std::string(folder) + "/consumer").c_str());
    rmdir(folder);
  });
  backend = perfetto::kSystemBackend;
  return true;
}

extern "C" bool perfetto_start(Room room, bool v2) {
  static bool initialized = false;
  if (!initialized) {
    initialized = true;
    perfetto::TracingInitArgs args;
    args.backends = backend;
    args.shmem_size_hint_kb = room.shared_kib;
    perfetto::Tracing::Initialize(args);
    perfetto::TrackEvent::Register();
    perfetto::DataSourceDescriptor raw;
    raw.set_name("raw");
    RawSource::Register(raw);
  }
  perfetto::TraceConfig config;
  auto* buffer = config.add_buffers();
  buffer->set_size_kb(room.buffer_kib);
  if (v2) buffer->set_experimental_mode(perfetto::protos::gen::TraceConfig_BufferConfig::TRACE_BUFFER_V2);
  auto* source = config.add_data_sources()->mutable_config();
  source->set_name("track_event");
  perfetto::protos::gen::TrackEventConfig events;
  events.add_disabled_categories("off");
  events.add_enabled_categories("bench");
  source->set_track_event_config_raw(events.SerializeAsString());
  config.add_data_sources()->mutable_config()->set_name("raw");
  session = perfetto::Tracing::NewTrace(backend);
  session->Setup(config);
  session->StartBlocking();
  // A service in another process learns of the first session's producer later.
  for (int i = 0; i < 5000; ++i) {
    if (TRACE_EVENT_CATEGORY_ENABLED("bench") && RawSource::runs) return true;
    usleep(1000);
  }
  return false;
}

extern "C" __attribute__((noinline)) void perfetto_write(Task task, std::uint64_t events) {
  switch (task) {
    case kOff:
      for (std::uint64_t i = 0; i < events; ++i) {
        TRACE_EVENT("off", "an event");
        asm volatile("" ::: "memory");
      }
      break;
    case kBegin:
      for (std::uint64_t i = 0; i < events; ++i) TRACE_EVENT_BEGIN("bench", "an event");
      break;
    case kPair:
      for (std::uint64_t i = 0; i < events; ++i) {
        TRACE_EVENT("bench", "an event");
        asm volatile("" ::: "memory");
      }
      break;
    case kAnnotation:
      for (std::uint64_t i = 0; i < events; ++i) TRACE_EVENT_BEGIN("bench", "an event", "number", i);
      break;
    case kRaw:
      for (std::uint64_t i = 0; i < events; ++i) {
        RawSource::Trace([&](RawSource::TraceContext context) {
          context.NewTracePacket()->set_for_testing()->set_str("a text of twenty byt");
        });
      }
      break;
    default: break;
  }
}
extern "C" __attribute__((noinline)) void perfetto_write_ends(Task task, std::uint64_t events) {
  if (task != kBegin && task != kAnnotation) return;
  for (std::uint64_t i = 0; i < events; ++i) TRACE_EVENT_END("bench");
}

extern "C" Read perfetto_stop() {
  perfetto::TrackEvent::Flush();
  RawSource::Trace([](RawSource::TraceContext context) { context.Flush(); });
  session->StopBlocking();
  const std::vector<char> file = session->ReadTraceBlocking();
  session.reset();
  Read read = {0, file.size(), 0};
  bool lost = false;
  perfetto::protos::pbzero::Trace::Decoder trace(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  for (auto packet = trace.packet(); packet; ++packet) {
    perfetto::protos::pbzero::TracePacket::Decoder decoded(*packet);
    // The first packet of a sequence has the mark, too.
    lost = lost || (decoded.previous_packet_dropped() && !decoded.first_packet_on_sequence() && read.events != 0);
    read.events += decoded.has_track_event() || decoded.has_for_testing();
    if (!lost) read.before_loss = read.events;
  }
  return read;
}
