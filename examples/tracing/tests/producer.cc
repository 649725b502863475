// A producer for the tests: threads that write numbered events and say in a file how far they are, so that whoever
// kills it knows which events had ended.
//
//   producer SOCKET NAME THREADS EVENTS [PROGRESS [PAUSE_US [WAIT_MS [CHUNKS [WAKES]]]]]
//
// Thread t writes for n = 1, 2, ...: a scope "step" with the annotations t and n, in it the counter "n" of t, an
// instant "in it", and every hundredth time a flow from the scope to the one a hundred later and a text of 3,000 bytes.
// PROGRESS is a file of THREADS numbers of 64 bits: the last n whose scope has ended. EVENTS 0 is without end.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "sdk/tracing.h"

namespace {

tracing::Category kWork{"work"};
tracing::Category kDetail{"detail"};

void count(unsigned thread, std::uint64_t n) {
  // A counter's name is a literal: two of them will do.
  if (thread % 2 == 0) TRACE_COUNTER_UNIT(kDetail, "even", "steps", n);
  else TRACE_COUNTER_UNIT(kDetail, "odd", "steps", n);
}

void write(unsigned thread, std::uint64_t n) {
  const std::uint64_t flow = static_cast<std::uint64_t>(getpid()) << 40 | std::uint64_t{thread} << 32 | n / 100;
  if (n % 100 == 0) {
    TRACE_SCOPE(kWork, "step", "t", thread, "n", n, tracing::FlowEnd{flow}, tracing::Flow{flow + 1});
    const std::string text(3000, 'x');
    TRACE_INSTANT(kDetail, "long", "text", text);
  } else {
    TRACE_SCOPE(kWork, "step", "t", thread, "n", n);
    count(thread, n);
    TRACE_INSTANT(kDetail, "in it");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  tracing::Options options;
  options.socket = argv[1];
  options.process = argv[2];
  const auto number = [&](int i, unsigned long long otherwise) {
    return argc > i ? strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const auto threads = static_cast<unsigned>(number(3, 1));
  const std::uint64_t events = number(4, 1);
  const auto pause_us = static_cast<unsigned>(number(6, 0));
  options.wait_ns = number(7, 0) * 1000000;
  options.area.chunks = static_cast<std::uint32_t>(number(8, 4096));
  options.area.wakes = number(9, 0) != 0;
  std::vector<std::atomic<std::uint64_t>> own(threads);
  std::atomic<std::uint64_t>* progress = own.data();
  if (argc > 5 && *argv[5] != 0) {
    const int fd = open(argv[5], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(8 * threads)) != 0) return 3;
    void* const memory = mmap(nullptr, 8 * threads, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return 3;
    progress = static_cast<std::atomic<std::uint64_t>*>(memory);
  }
  if (!tracing::start(options)) return 1;
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (std::uint64_t n = 1; events == 0 || n <= events; ++n) {
        write(t, n);
        progress[t].store(n, std::memory_order_release);
        if (pause_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  const bool connected = tracing::connected();
  tracing::stop();
  std::printf("{\"connected\": %s, \"dropped\": %" PRIu64 "}\n", connected ? "true" : "false", tracing::dropped());
}
