// A producer that changes its memory while the service reads it (TRC-23, TRC-25): nothing is written that is not a
// trace, nothing is read outside, and another producer loses nothing. Under the address sanitizer, and without the
// honest stream, whose plain stores a scribbler races with, under the thread sanitizer (threads.sh).
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "check_output.h"
#include "hotpb/shm/source.h"
#include "sdk/event.h"
#include "sdk/registry.h"
#include "service/output.h"
#include "service/server.h"

namespace tracing_test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

class Recorder final : public tracing::service::Output {
 public:
  void flush() override {}
};

struct Memory {
  Memory(int fd, std::size_t size) : bytes(size) {
    void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    words = static_cast<std::uint64_t*>(mapped);
  }
  ~Memory() { munmap(words, bytes); }
  std::uint64_t* words;
  const std::size_t bytes;
};

using Type = tracing::hot::TrackEvent_Type;

bool write_event(hotpb::shm::Stream& out, std::uint64_t time, std::uint64_t name) {
  auto packet = out.message<tracing::hot::TracePacketWriter>();
  packet.set_timestamp(time);
  {
    auto event = packet.set_track_event();
    event.set_type(Type::TYPE_INSTANT);
    event.set_name_iid(name);
  }
  return packet.finish().ok();
}

TEST(TracingHostile, memory_that_changes_while_it_is_read) {
  const std::uint64_t until =
      tracing::now_ns() + (std::getenv("HOTPB_THOROUGH") != nullptr ? 60000000000u : 1500000000u);
  std::uint64_t rounds = 0;
  std::size_t events = 0;
  std::uint64_t refused = 0;
  std::uint64_t corrupt = 0;
  Recorder honest_output;
  tracing::service::FileNumbers honest_numbers;
  tracing::service::TranslateCounts honest_counts;
  hotpb::shm::Producer honest;
  tracing::detail::Registry honest_registry;
  ASSERT_EQ(honest.create({1024, 64, 2}), hotpb::shm::AreaError::Ok);
  ASSERT_TRUE(honest_registry.create(4096));
  ASSERT_EQ(honest_registry.text("honest"), 1u);
  tracing::service::Client honest_client(honest_output, honest_numbers, honest_counts, 3, 4);
  ASSERT_TRUE(honest_client.open(honest.fd(), honest_registry.fd(), 1 << 20));
  hotpb::shm::Stream honest_stream(honest);
  std::size_t honest_written = 0;

  while (tracing::now_ns() < until) {
    ++rounds;
    hotpb::shm::Producer producer;
    tracing::detail::Registry registry;
    ASSERT_EQ(producer.create({128, 64, 4}), hotpb::shm::AreaError::Ok);
    ASSERT_TRUE(registry.create(8192));
    for (int i = 0; i < 20; ++i) registry.text("name " + std::to_string(i));
    Recorder output;
    tracing::service::FileNumbers numbers;
    tracing::service::TranslateCounts counts;
    tracing::service::Client client(output, numbers, counts, 1, 2);
    ASSERT_TRUE(client.open(producer.fd(), registry.fd(), 1 << 20));
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    threads.emplace_back([&] {
      const Memory area(producer.fd(), static_cast<std::size_t>(producer.area_bytes()));
      const Memory entries(registry.fd(), 8192);
      std::mt19937_64 dice(rounds);
      const std::size_t lines = (4096 + 128) / 8;
      while (!stop.load(std::memory_order_relaxed)) {
        const std::uint64_t random = dice();
        std::uint64_t* word = &area.words[512 + random % (area.bytes / 8 - 512)];  // anything but the header
        // Mostly lines that look like those of a writer: other ones are soon left alone.
        std::uint64_t value = dice();
        if (random >> 62 != 0) {
          word = &area.words[lines + random % 64 * 8];
          const auto phase = static_cast<hotpb::shm::detail::Phase>(value >> 20 & 3);
          value = hotpb::shm::detail::state_word(1 + value % 4, 1, phase, value >> 32 & 127);
        } else if (random >> 56 == 1 && rounds % 4 == 0) {
          word = &entries.words[8 + random % 200];
        }
        __atomic_store_n(word, value, __ATOMIC_RELAXED);
      }
    });
    if (!kThreadSanitizer) {
      threads.emplace_back([&] {
        hotpb::shm::Stream out(producer);
        for (std::uint64_t i = 0; !stop.load(std::memory_order_relaxed); ++i) write_event(out, i, i % 20 + 1);
      });
    }
    bool good = true;
    for (int pass = 0; pass < 200 && good; ++pass) {
      good = client.poll();
      honest_written += write_event(honest_stream, rounds, 1);
      ASSERT_TRUE(honest_client.poll());
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    client.end();
    ASSERT_EQ(problem_of(output.buffer().bytes(), &events), nullptr);
    for (const std::uint64_t refusals : counts.refused) refused += refusals;
    corrupt += client.counts().corrupt;
  }
  honest_client.end();
  std::size_t honest_events = 0;
  EXPECT_EQ(problem_of(honest_output.buffer().bytes(), &honest_events), nullptr);
  EXPECT_EQ(honest_events, honest_written);
  EXPECT_GT(corrupt + refused, 100u);
  std::printf("%llu areas, %zu events of theirs, %llu packets refused, %llu chunks and records corrupt; "
              "%zu honest events, all there\n",
              static_cast<unsigned long long>(rounds), events, static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(corrupt), honest_events);
}

}  // namespace
}  // namespace tracing_test
