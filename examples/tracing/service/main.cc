// trace-service: takes packets out of the shared memory of producers and writes a trace that Perfetto opens.
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "server.h"

namespace {

using namespace tracing::service;

constexpr char kUsage[] =
    R"(usage: trace-service --socket PATH --out FILE [options]

Producers that were built with the SDK connect to PATH. The service writes their events to FILE, a new one, until
SIGTERM or SIGINT comes. Then it reads what is left in their memory, writes it, and prints a line of JSON that counts
everything. A second SIGTERM or SIGINT ends it at once: what it had read and not written is lost.

  --categories A,B     only these categories; default: all
  --flight MIB         keep the last so many MiB in memory instead; SIGUSR1, SIGTERM and SIGINT write them to FILE, and
                       replace it
  --interval-ms N      how often the producers' memory is read; default 10
  --area-mib N         the largest area of a producer that is accepted; default 256
  --backlog-mib N      how much may have been read and not written yet, over all producers; default 64. While it is
                       full, events stay in the producers' memory, and are dropped once that is full, too

Status: 0; 1 if something could not be written or the socket cannot be had; 2 for a command line that is not understood.
)";

[[noreturn]] void usage(const std::string& why) {
  std::fprintf(stderr, "trace-service: %s\n\n%s", why.c_str(), kUsage);
  std::exit(2);
}
[[noreturn]] void fail(const std::string& action) {
  std::fprintf(stderr, "trace-service: %s: %s\n", action.c_str(), std::strerror(errno));
  std::exit(1);
}

std::uint64_t number(const std::string& option, const char* text, std::uint64_t most) {
  char* end = nullptr;
  errno = 0;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != 0 || value == 0 || value > most) {
    usage(option + ": '" + text + "' is not a number from 1 to " + std::to_string(most));
  }
  return value;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

struct Arguments {
  ServerOptions server;
  std::string out;
  std::uint64_t flight_mib = 0;
  int interval_ms = 10;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (i + 1 == argc) usage(option + ": unknown, or its value is missing");
    const char* const value = argv[++i];
    if (option == "--socket") arguments.server.socket = value;
    else if (option == "--out") arguments.out = value;
    else if (option == "--categories") arguments.server.categories = split(value);
    else if (option == "--flight") arguments.flight_mib = number(option, value, 1 << 16);
    else if (option == "--interval-ms") arguments.interval_ms = static_cast<int>(number(option, value, 60000));
    else if (option == "--area-mib") arguments.server.area_bytes = number(option, value, 1 << 16) << 20;
    else if (option == "--backlog-mib") arguments.server.backlog_bytes = number(option, value, 1 << 16) << 20;
    else usage(option + ": unknown");
  }
  if (arguments.server.socket.empty() || arguments.out.empty()) usage("--socket and --out are needed");
  return arguments;
}

void print(const ServerCounts& counts, const Output& output) {
  std::printf("{\"producers\": %" PRIu64 ", \"sent_away\": %" PRIu64 ", \"packets\": %" PRIu64 ", \"written\": %" PRIu64
              ", \"file_bytes\": %" PRIu64 ", \"unwritten_bytes\": %" PRIu64 ", \"dropped\": %" PRIu64
              ", \"restarts\": %" PRIu64 ", \"gaps\": %" PRIu64 ", \"corrupt\": %" PRIu64 ", \"orphans\": %" PRIu64
              ", \"too_large\": %" PRIu64 ", \"cut\": %" PRIu64 ", \"held_back\": %" PRIu64 ", \"refused\": {",
              counts.producers, counts.sent_away, counts.read.packets, counts.written.packets, output.bytes(),
              output.lost_bytes(), counts.written.lost, counts.written.restarts, counts.read.gaps, counts.read.corrupt,
              counts.read.orphans, counts.read.too_large, counts.read.cut, counts.held_back);
  const char* separator = "";
  for (std::size_t i = 1; i < kRefusals; ++i) {
    if (counts.written.refused[i] == 0) continue;
    std::printf("%s\"%s\": %" PRIu64, separator, name_of(static_cast<Refusal>(i)), counts.written.refused[i]);
    separator = ", ";
  }
  std::printf("}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // write() says that the file is too large
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd < 0) fail("signalfd");

  std::unique_ptr<Output> output;
  FlightRecorder* recorder = nullptr;
  if (arguments.flight_mib != 0) {
    auto chosen = std::make_unique<FlightRecorder>(arguments.flight_mib << 20);
    recorder = chosen.get();
    output = std::move(chosen);
  } else {
    auto chosen = std::make_unique<FileOutput>();
    if (!chosen->open(arguments.out)) fail(arguments.out);
    output = std::move(chosen);
  }
  Server server(*output, arguments.server);
  if (!server.listen()) fail(arguments.server.socket);
  std::fprintf(stderr, "trace-service: listens on %s\n", arguments.server.socket.c_str());

  shorten_slice();
  bool good = true;
  const auto dump = [&] {
    if (recorder == nullptr || recorder->dump(arguments.out)) return;
    good = false;
    std::fprintf(stderr, "trace-service: %s: %s\n", arguments.out.c_str(), std::strerror(errno));
  };
  // Whether SIGTERM or SIGINT came.
  const auto is_told_to_end = [&] {
    bool ends = false;
    signalfd_siginfo info = {};
    while (::read(signal_fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo == SIGUSR1) server.post(dump);
      else ends = true;
    }
    return ends;
  };
  while (!server.step(arguments.interval_ms, signal_fd) || !is_told_to_end()) {
  }
  while (!server.drain(signal_fd)) {
    if (!is_told_to_end()) continue;
    std::fprintf(stderr, "trace-service: ended by a second signal: what was read and not written is lost\n");
    ::_exit(1);
  }
  dump();
  print(server.counts(), *output);
  return good && output->lost_bytes() == 0 ? 0 : 1;
}
