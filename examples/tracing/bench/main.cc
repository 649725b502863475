// bench [--rounds N] [--events N]: the rivals take turns, task by task, with one thread and with two; a row counts only
// if every event was read back. bench --only RIVAL TASK EVENTS: one run, for callgrind, which counts what is inside of
// RIVAL_write. bench --system …: the same with the services in processes of their own. bench --loss RIVAL KIB: scopes
// at full speed into so much shared memory; how many events come before the first that is lost. bench --service: the
// CPU time of our service for an event.
//
// The time is that of the writing thread alone (CPU time): the service's thread competes for the machine's cores.
#include <time.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "rivals.h"

namespace {

constexpr Room kRoom = {16384, 65536, false};
constexpr const char* kTaskNames[kTasks] = {"trace-off", "trace-begin", "trace-pair", "trace-annotation", "trace-raw"};
constexpr unsigned kPerEvent[kTasks] = {0, 2, 2, 2, 1};  // events in the file for one in the loop

struct Rival {
  const char* name;
  bool (*start)();
  void (*write)(Task, std::uint64_t);
  void (*write_ends)(Task, std::uint64_t);
  Read (*stop)();
  bool is_floor;
};

// The clock, and twenty bytes into memory of our own.
alignas(64) std::uint8_t ring[65536];
void floor_write(Task task, std::uint64_t events) {
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < events; ++i) {
    for (unsigned k = task == kPair ? 2 : 1; k > 0; --k) {
      timespec now = {};
      if (task != kRaw) clock_gettime(CLOCK_BOOTTIME, &now);
      std::uint64_t words[] = {static_cast<std::uint64_t>(now.tv_sec), static_cast<std::uint64_t>(now.tv_nsec)};
      std::memcpy(ring + at, words, sizeof words);
      std::memcpy(ring + at + 16, &i, 4);
      at = (at + 20) % (sizeof ring - 20);
      asm volatile("" ::: "memory");
    }
  }
}

Rival kRivals[] = {
    {"floor", [] { return true; }, floor_write, [](Task, std::uint64_t) {}, [] { return Read{}; }, true},
    {"hotpb-sdk", [] { return hotpb_start(kRoom); }, hotpb_write, hotpb_write_ends, hotpb_stop, false},
    {"perfetto-sdk", [] { return perfetto_start(kRoom, false); }, perfetto_write, perfetto_write_ends, perfetto_stop,
     false},
};

std::uint64_t cpu_ns() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

struct Row {
  std::vector<double> ns;
  double bytes = 0;
  bool complete = true;
};

// The time of an event in this thread.
double write(const Rival& rival, Task task, std::uint64_t events) {
  rival.write(task, 10);  // the first of the call site
  rival.write_ends(task, 10);
  const std::uint64_t before = cpu_ns();
  rival.write(task, events);
  const double ns = static_cast<double>(cpu_ns() - before) / static_cast<double>(events);
  rival.write_ends(task, events);
  return ns;
}

void run(const Rival& rival, Task task, std::uint64_t events, unsigned threads, Row& row) {
  if (!rival.start()) {
    std::fprintf(stderr, "bench: %s does not start\n", rival.name);
    std::exit(1);
  }
  double other_ns = 0;
  std::thread second;
  if (threads == 2) second = std::thread([&] { other_ns = write(rival, task, events); });
  double ns = write(rival, task, events);
  if (threads == 2) {
    second.join();
    ns = (ns + other_ns) / 2;
  }
  row.ns.push_back(ns);
  const Read read = rival.stop();
  if (rival.is_floor) return;
  const std::uint64_t wanted = threads * (events + 10) * kPerEvent[task];
  row.complete = row.complete && read.events == wanted;
  if (wanted != 0) row.bytes = static_cast<double>(read.bytes) / static_cast<double>(wanted);
}

// A session of each round writes until long after the first loss; the service reads meanwhile as it always does.
int loss(const std::string& name, std::uint32_t shared_kib) {
  constexpr std::uint64_t kScopes = 500000;
  constexpr int kRounds = 9;
  const bool is_hotpb = name.compare(0, 9, "hotpb-sdk") == 0;
  const Room room = {shared_kib, 262144, name.find(":wake") != std::string::npos};
  std::vector<std::uint64_t> before;
  double read_back = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (!(is_hotpb ? hotpb_start(room) : perfetto_start(room, false))) return 1;
    (is_hotpb ? hotpb_write : perfetto_write)(kPair, kScopes);
    const Read read = is_hotpb ? hotpb_stop() : perfetto_stop();
    before.push_back(read.before_loss);
    read_back += static_cast<double>(read.events) / static_cast<double>(2 * kScopes * kRounds);
  }
  std::sort(before.begin(), before.end());
  std::printf("{\"task\": \"trace-loss\", \"case\": \"%u KiB\", \"language\": \"cpp\", \"rival\": \"%s\", "
              "\"events_before_loss\": %" PRIu64 ", \"least\": %" PRIu64 ", \"most\": %" PRIu64
              ", \"written\": %" PRIu64 ", \"read_back\": %.3f}\n",
              static_cast<unsigned>(shared_kib), name.c_str(), before[before.size() / 2], before.front(), before.back(),
              2 * kScopes, read_back);
  return 0;
}

// The least of the rounds: the machine is shared.
int service(std::uint64_t rounds, std::uint64_t events) {
  for (const Task task : {kPair, kAnnotation}) {
    ServiceTime least = {1e9, 1e9};
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const ServiceTime time = hotpb_service(task, events);
      least = {std::min(least.read_ns, time.read_ns), std::min(least.translate_ns, time.translate_ns)};
    }
    std::printf("{\"task\": \"trace-service\", \"case\": \"%s\", \"language\": \"cpp\", \"rival\": \"hotpb-sdk\", "
                "\"read_ns\": %.1f, \"translate_ns\": %.1f}\n",
                kTaskNames[task], least.read_ns, least.translate_ns);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t rounds = 15;
  std::uint64_t events = 50000;
  int first = 1;
  if (argc > 1 && std::string(argv[1]) == "--system") {
    if (!perfetto_use_system()) {
      std::fprintf(stderr, "bench: Perfetto's service does not start\n");
      return 1;
    }
    const std::string program = argv[0];
    static const std::string service = program.substr(0, program.rfind('/') + 1) + "trace-service";
    hotpb_use_system(service.c_str());
    kRivals[1].name = "hotpb-sdk:system";
    kRivals[2].name = "perfetto-sdk:system";
    first = 2;
  }
  for (int i = first; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--service") return service(rounds, events);
    if (option == "--loss" && i + 2 < argc) {
      return loss(argv[i + 1], static_cast<std::uint32_t>(std::strtoul(argv[i + 2], nullptr, 10)));
    }
    if (option == "--only" && i + 3 < argc) {
      for (const Rival& rival : kRivals) {
        for (int task = 0; task < kTasks; ++task) {
          if (rival.name != std::string(argv[i + 1]) || kTaskNames[task] != std::string(argv[i + 2])) continue;
          Row row;
          run(rival, static_cast<Task>(task), std::strtoull(argv[i + 3], nullptr, 10), 1, row);
          return row.complete ? 0 : 1;
        }
      }
      return 2;
    }
    if (i + 1 == argc) return 2;
    if (option == "--rounds") rounds = std::strtoull(argv[++i], nullptr, 10);
    else if (option == "--events") events = std::strtoull(argv[++i], nullptr, 10);
    else return 2;
  }
  // The memory of each has been written before anything is timed: the kernel hands out a page at its first use.
  for (const Rival& rival : kRivals) {
    Row ignored;
    for (int i = 0; i < 12; ++i) run(rival, kPair, 50000, 1, ignored);
  }
  bool good = true;
  for (int at = 0; at < 2 * kTasks; ++at) {
    const int task = at % kTasks;
    const unsigned threads = at < kTasks ? 1 : 2;
    Row rows[std::size(kRivals)];
    const std::uint64_t count = task == kOff ? events * 100 : events;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < std::size(kRivals); ++i) {
        const std::size_t turn = (i + round) % std::size(kRivals);
        run(kRivals[turn], static_cast<Task>(task), count, threads, rows[turn]);
      }
    }
    for (std::size_t i = 0; i < std::size(kRivals); ++i) {
      Row& row = rows[i];
      if (!row.complete) {
        std::fprintf(stderr, "bench: %s, %s: events are missing, no row\n", kTaskNames[task], kRivals[i].name);
        good = false;
        continue;
      }
      std::sort(row.ns.begin(), row.ns.end());
      const double median = row.ns[row.ns.size() / 2];
      std::printf("{\"task\": \"%s\", \"case\": \"%s\", \"language\": \"cpp\", \"rival\": \"%s\", "
                  "\"ns_per_op\": %.2f, "
                  "\"least_ns\": %.2f, \"spread\": %.3f, \"bytes_per_event\": %.1f, \"verified\": %s}\n",
                  kTaskNames[task], threads == 1 ? "one-thread" : "two-threads", kRivals[i].name, median,
                  row.ns.front(),
                  (row.ns[row.ns.size() * 3 / 4] - row.ns[row.ns.size() / 4]) / median, row.bytes,
                  kRivals[i].is_floor ? "false" : "true");
    }
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}
