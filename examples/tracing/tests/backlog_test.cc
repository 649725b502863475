// The service between the producers' memory and the output: what was read and is not written yet (spec/tracing.md,
// TRC-44 and TRC-57 to TRC-59).
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hotpb/shm/source.h"
#include "read_trace.h"
#include "sdk/connection.h"
#include "sdk/event.h"
#include "sdk/registry.h"
#include "service/backlog.h"
#include "service/output.h"
#include "service/server.h"
#include "support/support.h"

namespace tracing_test {
namespace {

using namespace tracing::service;

class Recorder final : public Output {
 public:
  void flush() override {}
};

// A producer without the SDK: its area, its registry with one name, and one stream.
struct Source {
  explicit Source(const hotpb::shm::AreaOptions& area, std::uint64_t wait_ns = 0) {
    EXPECT_EQ(producer.create(area), hotpb::shm::AreaError::Ok);
    EXPECT_TRUE(registry.create(4096));
    EXPECT_EQ(registry.text("an event"), 1u);
    out = std::make_unique<hotpb::shm::Stream>(producer, wait_ns);
  }
  bool write(std::string_view text = {}) {
    auto packet = out->message<tracing::hot::TracePacketWriter>();
    packet.set_timestamp(++time);
    {
      auto event = packet.set_track_event();
      event.set_type(Type::TYPE_INSTANT);
      event.set_name_iid(1);
      if (!text.empty()) event.add_debug_annotations([&](auto& annotation) {
        annotation.set_name("text");
        annotation.set_string_value(text);
      });
    }
    const bool good = packet.finish().ok();
    written += good;
    return good;
  }
  hotpb::shm::Producer producer;
  tracing::detail::Registry registry;
  std::unique_ptr<hotpb::shm::Stream> out;
  std::uint64_t time = 0;
  std::uint64_t written = 0;
};

// A server in a thread of its own, whose output is a pipe that nobody reads before read_pipe().
class Service {
 public:
  explicit Service(std::uint64_t backlog_bytes) {
    char name[] = "/tmp/tracing-backlog-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    pipe_ = ends[0];
    EXPECT_TRUE(output_->open(ends[1]));
    ServerOptions options;
    options.socket = socket();
    options.backlog_bytes = backlog_bytes;
    server_ = std::make_unique<Server>(*output_, options);
    EXPECT_TRUE(server_->listen());
    thread_ = std::thread([this] {
      while (runs_.load()) server_->step(1);
    });
  }
  ~Service() {
    close(pipe_);
    rmdir(folder_.c_str());
  }
  std::string socket() const { return folder_ + "/socket"; }
  void read_pipe() {
    reads_ = std::thread([this] {
      char part[65536];
      for (ssize_t size; (size = read(pipe_, part, sizeof part)) > 0;) {
        file_.append(part, static_cast<std::size_t>(size));
      }
    });
  }
  // False: `watched` ended it before all was written.
  bool drain(int watched = -1) {
    runs_ = false;
    if (thread_.joinable()) thread_.join();
    return server_->drain(watched);
  }
  // After read_pipe(): ends the service, and returns what it wrote.
  Trace end() {
    EXPECT_TRUE(drain());
    counts = server_->counts();
    server_.reset();
    output_.reset();
    reads_.join();
    return read_trace(hotpb::Bytes(file_));
  }
  ServerCounts counts;

 private:
  std::string folder_;
  int pipe_ = -1;
  std::unique_ptr<FileOutput> output_ = std::make_unique<FileOutput>();
  std::unique_ptr<Server> server_;
  std::atomic<bool> runs_{true};
  std::thread thread_;
  std::thread reads_;
  std::string file_;
};

// As many events as fit nowhere but into a backlog.
const std::string kText(100, 'x');
constexpr std::uint64_t kMinute = 60000000000;

// TRC-57: the writer would wait in vain for a chunk that the service does not free.
TEST(TracingBacklog, an_output_that_blocks_keeps_no_chunk) {
  Service service(16 << 20);
  Source source({1024, 64, 2}, 10 * kMinute);
  tracing::detail::Connection connection(service.socket());
  ASSERT_TRUE(connection.connect(source.producer.fd(), source.registry.fd()));
  for (int i = 0; i < 20000; ++i) ASSERT_TRUE(source.write(kText)) << i;  // 2.4 MB, and a pipe holds 64 KB
  EXPECT_EQ(source.producer.dropped(), 0u);
  service.read_pipe();
  const Trace trace = service.end();
  EXPECT_EQ(trace.events.size(), 20000u);
  EXPECT_TRUE(trace.losses.empty());
  EXPECT_EQ(service.counts.held_back, 0u);
}

// TRC-44, TRC-58: above the bound, packets stay in the area, and the producer drops and counts them.
TEST(TracingBacklog, a_full_backlog_leaves_the_loss_to_the_producer) {
  Service service(1 << 20);
  Source source({1024, 64, 2});
  tracing::detail::Connection connection(service.socket());
  ASSERT_TRUE(connection.connect(source.producer.fd(), source.registry.fd()));
  // The drops of a writer that is faster than the service's looks, and then those of a backlog that stays full.
  for (int i = 0; i < 400; ++i) {
    for (int k = 0; k < 50; ++k) source.write(kText);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  EXPECT_LT(source.written, 16000u) << "more than the bound is somewhere";
  const std::uint64_t dropped = source.producer.dropped();
  EXPECT_EQ(source.written + dropped, 20000u);
  service.read_pipe();
  const Trace trace = service.end();
  EXPECT_EQ(trace.events.size(), source.written);
  EXPECT_EQ(service.counts.written.lost, dropped);
  EXPECT_GT(service.counts.held_back, 0u);
  ASSERT_EQ(trace.losses.size(), 1u);
  EXPECT_EQ(trace.losses.begin()->second, 257u);
}

// SHM-36: a writer that waits does not lose what the backlog has no room for.
TEST(TracingBacklog, a_writer_that_waits_loses_nothing) {
  Service service(1 << 20);
  Source source({1024, 64, 2}, 10 * kMinute);
  tracing::detail::Connection connection(service.socket());
  ASSERT_TRUE(connection.connect(source.producer.fd(), source.registry.fd()));
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (; written < 20000; ++written) EXPECT_TRUE(source.write(kText));
  });
  while (written < 3000) std::this_thread::yield();  // these fit
  service.read_pipe();
  writer.join();
  const Trace trace = service.end();
  EXPECT_EQ(trace.events.size(), 20000u);
  EXPECT_TRUE(trace.losses.empty());
}

// A second signal ends a service whose output blocks; without one it goes on where it was.
TEST(TracingBacklog, a_drain_that_blocks_can_be_ended) {
  Service service(16 << 20);
  Source source({1024, 64, 2}, 10 * kMinute);
  tracing::detail::Connection connection(service.socket());
  ASSERT_TRUE(connection.connect(source.producer.fd(), source.registry.fd()));
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(source.write(kText)) << i;
  int signal[2];
  ASSERT_EQ(pipe2(signal, O_CLOEXEC), 0);
  ASSERT_EQ(write(signal[1], "x", 1), 1);
  EXPECT_FALSE(service.drain(signal[0]));
  service.read_pipe();
  EXPECT_EQ(service.end().events.size(), 5000u);
  close(signal[0]);
  close(signal[1]);
}

// A client of a shared backlog, and its producer.
struct Busy {
  Busy(Output& output, FileNumbers& numbers, TranslateCounts& counts, const std::shared_ptr<Backlog>& backlog)
      : client(output, numbers, counts, 1, 1, CategoryFilter(), backlog) {
    EXPECT_TRUE(client.open(source.producer.fd(), source.registry.fd(), 1 << 30));
  }
  // Writes as much as the area holds, and lets the service look at it once.
  void fill() {
    while (source.write(kText)) {
    }
    EXPECT_TRUE(client.read());
  }
  Source source{{1024, 64, 2}};
  Client client;
};

// TRC-58
TEST(TracingBacklog, a_producer_that_floods_leaves_room_for_others) {
  constexpr std::uint64_t kBound = 4 << 20;
  Recorder output;
  FileNumbers numbers;
  TranslateCounts counts;
  const auto backlog = std::make_shared<Backlog>(kBound);
  std::vector<std::unique_ptr<Busy>> all;
  std::uint64_t before = 0;
  for (int i = 0; i < 5; ++i) {
    all.push_back(std::make_unique<Busy>(output, numbers, counts, backlog));
    Busy& busy = *all.back();
    for (int k = 0; k < 200; ++k) {
      busy.fill();
      EXPECT_LE(backlog->bytes(), kBound);
    }
    EXPECT_GT(busy.client.held_back(), 0u);
    const std::uint64_t part = backlog->bytes() - before;
    EXPECT_GE(part, (kBound - before) / 2 - 131072) << "half of what was free";
    EXPECT_LE(part, (kBound - before) / 2 + 65536);
    before = backlog->bytes();
  }
  // What one has translated is free for those that hold less, not for itself.
  for (int k = 0; k < 8; ++k) ASSERT_TRUE(all[0]->client.translate());
  for (auto& busy : all) busy->fill();
  EXPECT_LE(backlog->bytes(), kBound);
  std::uint64_t written = 0;
  for (auto& busy : all) {
    busy->client.end();
    written += busy->source.written;
  }
  EXPECT_EQ(backlog->bytes(), 0u);
  EXPECT_EQ(counts.packets, written);
  const Trace trace = read_trace(output.buffer().bytes());
  EXPECT_EQ(trace.events.size(), written);
}

// A producer that ends while the backlog is full is not forgotten before all of it is read.
TEST(TracingBacklog, what_is_left_of_a_producer_waits_for_room) {
  Recorder output;
  FileNumbers numbers;
  TranslateCounts counts;
  Busy busy(output, numbers, counts, std::make_shared<Backlog>(131072));
  busy.fill();
  while (busy.source.write(kText)) {
  }
  EXPECT_FALSE(busy.client.finish());
  EXPECT_FALSE(busy.client.finish());
  std::size_t rounds = 0;
  while (!busy.client.finish()) rounds += busy.client.translate();
  EXPECT_GT(rounds, 0u);
  while (!busy.client.is_over()) busy.client.translate();
  const Trace trace = read_trace(output.buffer().bytes());
  EXPECT_EQ(trace.events.size(), busy.source.written);
  EXPECT_EQ(counts.lost, busy.source.producer.dropped());
}

// SHM-27, TRC-44: it passes, and its memory is given back.
class Discard final : public Output {
 public:
  void flush() override {
    bytes_ += buffer().size();
    clear_buffer();
  }
};
TEST(TracingBacklog, an_event_of_100_mib_is_written) {
  constexpr std::size_t kSize = 100u << 20;
  Discard output;
  FileNumbers numbers;
  TranslateCounts counts;
  const auto backlog = std::make_shared<Backlog>();
  Source source({32768, 64, 2}, 10 * kMinute);
  Client client(output, numbers, counts, 1, 1, CategoryFilter(), backlog);
  ASSERT_TRUE(client.open(source.producer.fd(), source.registry.fd(), 1 << 30));
  std::thread writer([&] {
    EXPECT_TRUE(source.write());
    EXPECT_TRUE(source.write(std::string(kSize, 'x')));
    EXPECT_TRUE(source.write());
  });
  while (counts.packets < 3 && source.producer.dropped() == 0) ASSERT_TRUE(client.poll());
  writer.join();
  client.end();
  EXPECT_GT(output.bytes(), kSize);
  EXPECT_LT(output.bytes(), kSize + 1000);
  EXPECT_EQ(client.counts().too_large, 0u);
  EXPECT_EQ(backlog->bytes(), 0u);
  EXPECT_EQ(output.buffer().size(), 0u);
}

// TRC-52. Somebody waits for what was read: it is there, although a later pass is reading.
TEST(TracingBacklog, sealed_blocks_can_be_taken_while_a_pass_reads) {
  Backlog backlog;
  Queue queue(backlog);
  const auto pass = [&queue](std::string_view packet) {
    queue.begin(1);
    if (!packet.empty()) queue.add(hotpb::Bytes(packet));
    queue.end();
  };
  pass("before");
  queue.seal();
  pass("");
  pass("after");
  pass("more");
  EXPECT_EQ(queue.blocks(), 2u);
  Block block;
  queue.begin(1);  // has the open block, but not the sealed one
  EXPECT_EQ(queue.blocks(), 1u);
  ASSERT_TRUE(queue.take(block));
  EXPECT_EQ(block.used, 4 + sizeof "before" - 1);
  queue.release(std::move(block));
  EXPECT_FALSE(queue.take(block));
  queue.end();
  ASSERT_TRUE(queue.take(block));
  EXPECT_EQ(block.used, 2 * 4 + sizeof "after" - 1 + sizeof "more" - 1);
  queue.release(std::move(block));
  EXPECT_EQ(backlog.bytes(), 0u);
  pass("alone");
  queue.begin(1);
  EXPECT_FALSE(queue.take(block));  // not sealed: the pass goes on in it
  queue.end();
  EXPECT_TRUE(queue.take(block));
  queue.release(std::move(block));
}

// Work for the thread that owns the output comes after everything that was read before.
TEST(TracingBacklog, posted_work_follows_what_was_read) {
  char folder[] = "/tmp/tracing-backlog-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  Recorder output;
  ServerOptions options;
  options.socket = std::string(folder) + "/socket";
  Source source({1024, 1024, 2});
  std::atomic<std::uint64_t> seen{0};
  {
    Server server(output, options);
    ASSERT_TRUE(server.listen());
    tracing::detail::Connection connection(options.socket);
    ASSERT_TRUE(connection.connect(source.producer.fd(), source.registry.fd()));
    while (server.producers() == 0) server.step(1);
    std::uint64_t wanted = 0;
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 2000; ++i) ASSERT_TRUE(source.write(kText));
      wanted += 2000;
      server.step(1);
      server.step(1);
      server.post([&] { seen = read_trace(output.buffer().bytes()).events.size(); });
      while (seen == 0) std::this_thread::yield();
      ASSERT_EQ(seen.exchange(0), wanted);
    }
    EXPECT_TRUE(server.drain());
  }
  rmdir(folder);
}

// ---- most events take a shorter way ----

// A packet whose first tag has a byte too many is the same packet, and takes the long way: both must write the same.
TEST(TracingBacklog, usual_events_are_written_as_all_others) {
  hotpb_test::Random random;
  const auto below = [&random](std::uint64_t limit) { return random.bits() % limit; };
  const auto varint = [](std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
  };
  tracing::detail::Registry registry;
  ASSERT_TRUE(registry.create(65536));
  for (int i = 1; i <= 300; ++i) registry.text("text " + std::to_string(i));
  for (int i = 1; i <= 5; ++i) registry.counter(std::to_string(i).c_str(), "");
  struct Way {
    explicit Way(int fd) { EXPECT_TRUE(registry.open(fd)); }
    Recorder output;
    FileNumbers numbers;
    TranslateCounts counts;
    RegistryReader registry;
    Translator translator{output, numbers, registry, 1, 2, 2, counts};
  };
  Way ways[] = {Way(registry.fd()), Way(registry.fd())};
  std::uint64_t time = 1000;
  std::size_t written = 0;
  for (int i = 0; i < 60000; ++i) {
    const auto number = [&] { return varint(1 + below(i % 50 == 0 ? 310 : 40)); };
    std::string event = "\x48";
    const std::uint64_t type = 1 + below(5);
    event += static_cast<char>(type);
    if (type == 4) {
      event += "\x58" + varint(1 + below(6));
      if (below(2) == 0) event += "\xf0\x01" + varint(random.bits() >> below(64));
      else event += "\xe1\x02" + std::string(8, 'd');
    } else {
      if (below(4) != 0) event += "\x18" + number();
      if (below(4) != 0) event += "\x50" + number();
      for (std::uint64_t k = below(3); k > 0; --k) {
        std::string value;
        switch (below(5)) {
          case 0: value = "\x10\x01"; break;
          case 1: value = "\x18" + varint(random.bits() >> below(64)); break;
          case 2: value = "\x20" + varint(random.bits() >> below(64)); break;
          case 3: value = "\x29" + std::string(8, 'd'); break;
          default: value = "\x32" + varint(20) + std::string(19, 't') + (below(9) == 0 ? "\xff" : "t"); break;
        }
        const std::string annotation = "\x08" + number() + value;
        event += "\x22" + varint(annotation.size()) + annotation;
      }
    }
    if (below(8) == 0) event[below(event.size())] = static_cast<char>(random.bits());
    if (below(20) == 0) event.resize(below(event.size()));
    time = below(30) == 0 ? time - below(500) : time + below(200000);
    const std::uint32_t losses = below(100) == 0 ? hotpb::shm::kLossFull : hotpb::shm::kLossNone;
    const auto writer = static_cast<std::uint32_t>(1 + below(2));
    const std::uint32_t sequence = writer + 2 * static_cast<std::uint32_t>(i / 20000);
    const std::string rest = varint(time) + "\x5a" + varint(event.size()) + event;
    const std::uint64_t latest = time + below(20) * 100 - 100;
    const std::string packets[] = {"\x40" + rest, std::string("\xc0\x00", 2) + rest};
    for (int way = 0; way < 2; ++way) {
      const hotpb_test::Exact packet(packets[way]);
      ways[way].translator.packet({writer, sequence, packet.bytes(), losses, losses}, latest);
    }
    if (i % 1000 != 999) continue;
    const std::string files[] = {std::string(ways[0].output.buffer().bytes().text()),
                                 std::string(ways[1].output.buffer().bytes().text())};
    ASSERT_EQ(hotpb_test::to_hex(files[0]), hotpb_test::to_hex(files[1])) << i;
    written += files[0].size();
    for (Way& way : ways) way.output.buffer().clear();
  }
  EXPECT_GT(written, 500000u);
  EXPECT_EQ(ways[0].counts.packets, ways[1].counts.packets);
  EXPECT_EQ(ways[0].counts.refused, ways[1].counts.refused);
  EXPECT_GT(ways[0].counts.packets, 30000u);
  for (const Refusal refusal : {Refusal::Malformed, Refusal::Field, Refusal::Number, Refusal::Event,
                                Refusal::Time}) {
    EXPECT_GT(ways[0].counts.refused[static_cast<std::size_t>(refusal)], 10u) << name_of(refusal);
  }
}

}  // namespace
}  // namespace tracing_test
