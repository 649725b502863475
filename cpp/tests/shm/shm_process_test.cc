// A producer and a service in two processes; the producer is killed at any time (SHM-18).
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "hotpb/shm/reader.h"
#include "shm/packets.h"
#include "support/thorough.h"

namespace hotpb_test {
namespace {

using hotpb::shm::AreaError;
using hotpb::shm::Packet;
using hotpb::shm::Producer;
using hotpb::shm::Reader;
using hotpb::shm::Stream;

constexpr int kThreads = 2;

// Memory beside the area: the number of packets that each thread of the producer has ended.
struct Ended {
  std::atomic<std::uint64_t> count[kThreads];
};

std::size_t size_of(std::uint64_t number) { return 1 + Dice{number}.below(number % 30 == 29 ? 5000 : 150); }

void write_numbered(ChildWriter& packet, std::uint64_t number) {
  packet.set_pick_id(static_cast<std::int64_t>(number));
  Dice dice{number};
  write_random(packet, dice, size_of(number));
}

[[noreturn]] void produce(Producer& producer, Ended& ended) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Stream out(producer, ~std::uint64_t{0});
      for (std::uint64_t number = 1;; ++number) {
        auto packet = out.message<ChildWriter>();
        write_numbered(packet, number);
        if (!packet.finish().ok()) _exit(3);
        ended.count[i].store(number, std::memory_order_release);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(4);
}

std::string numbered(std::uint64_t number) {
  static hotpb::HeapBuffer buffer;
  buffer.clear();
  {
    auto packet = buffer.message<ChildWriter>();
    write_numbered(packet, number);
  }
  std::string out;
  EXPECT_TRUE(buffer.append_to(out).ok());
  return minimal(hotpb::Bytes(out));
}

// The child creates the producer's memfd, as in real use; the parent opens it through /proc.
TEST(ShmProcesses, a_killed_producer_leaves_every_packet_that_had_ended) {
  const int rounds = thorough() ? 1000 : 40;
  void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  std::uint64_t total = 0;
  std::uint64_t cut = 0;
  for (int round = 0; round < rounds; ++round) {
    auto& ended = *new (shared) Ended{};
    Dice dice{static_cast<std::uint64_t>(round)};
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
      Producer producer;
      if (producer.create({dice.below(2) == 0 ? 128u : 1024u, 64, 4}) != AreaError::Ok) _exit(1);
      const int fd = producer.fd();
      if (write(pipes[1], &fd, sizeof fd) != static_cast<ssize_t>(sizeof fd)) _exit(2);
      produce(producer, ended);
    }
    close(pipes[1]);
    int fd = -1;
    ASSERT_EQ(read(pipes[0], &fd, sizeof fd), static_cast<ssize_t>(sizeof fd));
    close(pipes[0]);
    const int opened =
        open(("/proc/" + std::to_string(child) + "/fd/" + std::to_string(fd)).c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(opened, 0);
    Reader reader;
    ASSERT_EQ(reader.open(opened), AreaError::Ok);
    close(opened);

    std::vector<std::uint64_t> last(kThreads + 1, 0);
    std::uint64_t wrong = 0;
    const auto sink = [&](const Packet& packet) {
      if (packet.sequence < 1 || packet.sequence > kThreads || packet.losses != 0) {
        ++wrong;
        return;
      }
      const std::uint64_t number = ++last[packet.sequence];  // none is missing, and none comes twice
      wrong += minimal(packet.bytes) != numbered(number);
    };
    const std::uint64_t until =
        hotpb::shm::detail::monotonic_ns() + 500000 + dice.below(thorough() ? 20000000 : 8000000);
    while (hotpb::shm::detail::monotonic_ns() < until) reader.poll(sink);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the producer ended by itself: " << WEXITSTATUS(status);
    for (int i = 0; i < 3; ++i) reader.poll(sink);
    reader.end();

    ASSERT_EQ(wrong, 0u) << "round " << round;
    // The threads' sequences are 1 and 2, in any order.
    std::vector<std::uint64_t> delivered = {last[1], last[2]};
    std::vector<std::uint64_t> counted = {ended.count[0].load(), ended.count[1].load()};
    const auto fits = [](std::uint64_t got, std::uint64_t had) { return got == had || got == had + 1; };
    EXPECT_TRUE((fits(delivered[0], counted[0]) && fits(delivered[1], counted[1])) ||
                (fits(delivered[1], counted[0]) && fits(delivered[0], counted[1])))
        << delivered[0] << " and " << delivered[1] << " delivered, " << counted[0] << " and " << counted[1]
        << " had ended";
    total += delivered[0] + delivered[1];
    cut += reader.counts().cut;
    EXPECT_EQ(reader.counts().corrupt + reader.counts().gaps + reader.counts().orphans + reader.counts().lost, 0u);
  }
  munmap(shared, 4096);
  EXPECT_GT(total, static_cast<std::uint64_t>(rounds) * 10);
  std::printf("%d producers killed, %llu packets delivered, %llu cut\n", rounds, static_cast<unsigned long long>(total),
              static_cast<unsigned long long>(cut));
}

}  // namespace
}  // namespace hotpb_test
