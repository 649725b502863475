// Eight writers and a reader at the same time, through one mapping, so that the thread sanitizer sees both sides
// (threads.sh); and a reader of an area in which all bytes change.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "hotpb/shm/reader.h"
#include "shm/packets.h"
#include "support/thorough.h"

namespace hotpb_test {
namespace {

using hotpb::shm::AreaError;
using hotpb::shm::AreaOptions;
using hotpb::shm::Packet;
using hotpb::shm::Producer;
using hotpb::shm::Reader;
using hotpb::shm::ReaderOptions;
using hotpb::shm::Stream;

// Every packet of a writer arrives in order and whole (SHM-12), with its own sequence numbers (SHM-35); with `wait`,
// all packets arrive. The thread sanitizer shows that no thread still writes the bytes that the reader copies (SHM-24,
// SHM-30).
void eight_writers(const AreaOptions& area, std::uint64_t wait_ns, int packets) {
  constexpr int kWriters = 8;
  Producer producer;
  ASSERT_EQ(producer.create(area), AreaError::Ok);
  Reader reader;
  ReaderOptions options;
  options.idle_ns = 200000;  // so that slow writers lose their chunks
  ASSERT_EQ(reader.open(producer, options), AreaError::Ok);
  std::atomic<int> running{kWriters};
  std::atomic<std::uint64_t> written{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&, i] {
      Stream out(producer, wait_ns);
      Dice dice{static_cast<std::uint64_t>(i) + 1};
      std::uint64_t good = 0;
      for (int k = 0; k < packets; ++k) {
        const std::size_t budget = 1 + dice.below(k % 50 == 49 ? 20000 : 200);
        Dice content{dice.next()};
        auto packet = out.message<ChildWriter>();
        packet.set_pick_id(static_cast<std::int64_t>(k) << 1);  // the number of the packet
        packet.set_pick_name(std::string_view("seed").substr(0, 1 + content.state % 4));
        write_random(packet, content, budget);
        good += packet.finish().ok();
        if (k % 64 == i) std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
      written.fetch_add(good);
      running.fetch_sub(1);
    });
  }
  std::vector<std::int64_t> last(1000, -1);
  std::uint64_t wrong = 0;
  const auto sink = [&](const Packet& packet) {
    // pick_id is the first field: 40, varint.
    std::uint64_t number = 0;
    const bool first = packet.bytes.size() > 2 && packet.bytes.data()[0] == 0x40 &&
                       hotpb::wire::read_varint(packet.bytes.begin() + 1, packet.bytes.end(), number) != nullptr;
    const std::string text = minimal(packet.bytes);
    if (!first || text == kNone || packet.sequence >= last.size()) {
      ++wrong;
      return;
    }
    const std::int64_t before = last[packet.sequence];
    last[packet.sequence] = static_cast<std::int64_t>(number >> 1);
    wrong += last[packet.sequence] <= before;
    wrong += packet.losses == 0 && last[packet.sequence] != before + 1;
  };
  Reader* const readers[] = {&reader};
  while (running.load() > 0) {
    if (area.wakes) hotpb::shm::wait(readers, 1, 1000000);
    if (reader.poll(sink) == 0) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 3; ++i) reader.poll(sink);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(reader.counts().packets, written.load());
  EXPECT_EQ(producer.dropped() + written.load(),
            static_cast<std::uint64_t>(kWriters) * static_cast<std::uint64_t>(packets));
  if (wait_ns != 0) {
    EXPECT_EQ(producer.dropped(), 0u);
  }
  EXPECT_EQ(reader.counts().corrupt + reader.counts().gaps + reader.counts().orphans, 0u);
}

TEST(ShmThreads, eight_writers_lose_nothing_when_they_wait) {
  eight_writers({1024, 64, 16}, 60000000000u, thorough() ? 100000 : 2000);
}
TEST(ShmThreads, eight_writers_in_small_chunks) {
  eight_writers({128, 256, 16}, 60000000000u, thorough() ? 100000 : 1000);
}
TEST(ShmThreads, eight_writers_that_wake_the_service) {
  eight_writers({512, 64, 16, true}, 60000000000u, thorough() ? 100000 : 1000);
}
TEST(ShmThreads, eight_writers_in_chunks_above_8_kib) {
  eight_writers({16384, 32, 16}, 60000000000u, thorough() ? 100000 : 1000);
}
TEST(ShmThreads, eight_writers_that_drop_count_what_they_dropped) {
  eight_writers({256, 16, 16}, 0, thorough() ? 100000 : 2000);
}

#if !defined(__SANITIZE_THREAD__)
// SHM-25, SHM-26, SHM-29, SHM-42, SHM-43: a hostile producer writes while the reader reads, through a mapping of its
// own. This race is intended.
TEST(ShmThreads, a_reader_survives_whatever_is_written_under_it) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(thorough() ? 60000 : 1500);
  std::uint64_t seed = 1;
  std::uint64_t packets = 0;
  // On a busy machine the threads may hardly run at the same time: there the test takes longer.
  while (std::chrono::steady_clock::now() < until || (packets <= 100 && seed < 1000)) {
    Producer producer;
    ASSERT_EQ(producer.create({seed % 3 == 0 ? 16384u : 128u, 64, 4, seed % 2 == 0}), AreaError::Ok);
    const std::size_t size = static_cast<std::size_t>(producer.area_bytes());
    auto* const memory =
        static_cast<std::uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, producer.fd(), 0));
    ASSERT_NE(static_cast<void*>(memory), MAP_FAILED);
    Reader reader;
    ReaderOptions options;
    options.held_bytes = 100000;
    options.idle_ns = 1000;
    ASSERT_EQ(reader.open(producer.fd(), options), AreaError::Ok);
    std::atomic<bool> stop{false};
    std::thread hostile([&, seed] {
      Dice dice{seed};
      Stream out(producer);  // the producer's own code must survive it too
      while (!stop.load(std::memory_order_relaxed)) {
        {
          auto packet = out.message<ChildWriter>();
          write_random(packet, dice, 1 + dice.below(300));
        }
        for (std::uint64_t i = dice.below(8); i > 0; --i) {
          const std::uint64_t where = dice.below(4);
          const std::size_t at = where == 0   ? dice.below(size)
                                 : where == 1 ? 4096 + dice.below(64 * 66)
                                              : 4096 + 128 + 64 * dice.below(64) + dice.below(20);
          __atomic_fetch_xor(memory + at, static_cast<std::uint8_t>(1u << dice.below(8)), __ATOMIC_RELAXED);
        }
      }
    });
    for (int i = 0; i < 300; ++i) {
      reader.poll([&](const Packet& packet) {
        packets += packet.bytes.size() < 100000;
        EXPECT_TRUE(packet.writer >= 1 && packet.writer <= 4);
      });
      EXPECT_LE(reader.held_bytes(), 100000u);
      Reader* const readers[] = {&reader};
      if (i % 50 == 49) hotpb::shm::wait(readers, 1, 1000);
    }
    stop = true;
    hostile.join();
    munmap(memory, size);
    ++seed;
  }
  EXPECT_GT(packets, 100u);
}
#endif

}  // namespace
}  // namespace hotpb_test
