// Streams, areas and the reader in one process (spec/shm.md): the reader reads packets, counts losses, and refuses
// bytes of other origin.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hotpb/shm/reader.h"
#include "shm/packets.h"

namespace hotpb_test {
namespace {

using hotpb::shm::AreaError;
using hotpb::shm::AreaOptions;
using hotpb::shm::Packet;
using hotpb::shm::Producer;
using hotpb::shm::Reader;
using hotpb::shm::ReaderOptions;
using hotpb::shm::Stream;
namespace layout = hotpb::shm::detail;

struct Got {
  std::vector<std::string> packets;
  std::vector<std::uint32_t> losses;
  std::vector<std::uint64_t> lost;
  std::vector<std::uint32_t> sequences;

  void operator()(const Packet& packet) {
    packets.emplace_back(packet.bytes.text());
    losses.push_back(packet.losses);
    lost.push_back(packet.lost);
    sequences.push_back(packet.sequence);
  }
};

bool write_name(Stream& out, std::string_view name) {
  auto packet = out.message<ChildWriter>();
  packet.set_name(name);
  return packet.finish().ok();
}

// An area with both sides. The reader has mappings of its own.
struct Both {
  Producer producer;
  Reader reader;
  std::uint8_t* memory = nullptr;  // the test's own mapping of the area

  explicit Both(const AreaOptions& area, const ReaderOptions& options = {}) {
    EXPECT_EQ(producer.create(area), AreaError::Ok);
    EXPECT_EQ(reader.open(producer.fd(), options), AreaError::Ok);
    memory = static_cast<std::uint8_t*>(
        mmap(nullptr, producer.area_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, producer.fd(), 0));
  }
  ~Both() { munmap(memory, producer.area_bytes()); }
  layout::Parts parts() const {
    layout::Header header;
    std::memcpy(&header, memory, sizeof header);
    return layout::Parts(memory, memory + header.control_at, header);
  }
};

// SHM-2, SHM-4, SHM-5, SHM-6, SHM-9, SHM-32: other programs rely on these bytes.
TEST(Shm, header_line_and_record_have_these_bytes) {
  Both area({128, 70, 3});
  EXPECT_EQ(hex(area.memory, 80),
            "68747062" "73686d31" "0100" "0000" "50000000" "00000000" "00000000" "80000000" "46000000" "03000000"
            "00000000" "0010000000000000" "c010000000000000" "0030000000000000" "0040000000000000" "0070000000000000");
  const std::uint8_t* const control = area.memory + 4096;
  EXPECT_EQ(hex(control, 8), "0000000000000000");
  EXPECT_EQ(hex(control + 64, 8), "ffffffffffffffff");
  EXPECT_EQ(hex(control + 128, 8), "3f00000000000000");

  Stream out(area.producer);
  EXPECT_TRUE(write_name(out, "abc"));
  // The hint of writer 1 is word 1: chunk 64. The state: committed 7, phase 2, epoch 1, writer 1.
  const std::uint8_t* const line = area.memory + 0x10c0 + 64 * 64;
  EXPECT_EQ(hex(line, 24), "0700120000000100" "00000000" "01000000" "00000000" "00000000");
  EXPECT_EQ(hex(area.memory + 0x4000 + 64 * 128, 7), "0500" "1203616263");
  EXPECT_EQ(hex(control + 128, 8), "3e00000000000000");
  EXPECT_EQ(hex(area.memory + 0x3000 + 64, 4), "01000000");

  Got got;
  EXPECT_EQ(area.reader.poll(got), 1u);
  EXPECT_EQ(hex(line, 24), "0700120000000100" "00000000" "01000000" "07000000" "00000000");
  EXPECT_EQ(fcntl(area.producer.fd(), F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);  // SHM-7
}

// SHM-8, SHM-31: each transition, in the line.
TEST(Shm, a_chunk_goes_through_its_phases) {
  Both area({128, 2, 2});
  Got got;
  const auto state = [&](std::uint32_t chunk) { return layout::State::of(area.parts().line(chunk).state.load()); };
  {
    Stream out(area.producer);
    {
      auto packet = out.message<ChildWriter>();
      packet.set_id(1);
      EXPECT_EQ(state(0).phase, layout::Phase::Busy);
      EXPECT_EQ(state(0).committed, 0u);
      EXPECT_EQ(area.parts().bits(0).load(), 2u);
    }
    EXPECT_EQ(state(0).phase, layout::Phase::Idle);
    EXPECT_EQ(state(0).committed, 4u);
    {
      auto packet = out.message<ChildWriter>();
      packet.set_id(1);
      EXPECT_EQ(state(0).phase, layout::Phase::Busy);
      EXPECT_EQ(state(0).committed, 4u);
      EXPECT_EQ(area.reader.poll(got), 1u) << "what is committed is read beside a packet in progress";
      packet.set_name(std::string(150, 'x'));
      EXPECT_EQ(state(0).phase, layout::Phase::Closed);
      EXPECT_EQ(state(0).committed, 128u);
      EXPECT_EQ(state(1).phase, layout::Phase::Busy);
      area.reader.poll(got);
      EXPECT_EQ(state(0).phase, layout::Phase::Free);
      EXPECT_EQ(area.parts().bits(0).load(), 1u);
    }
    EXPECT_EQ(state(1).phase, layout::Phase::Idle);
  }
  EXPECT_EQ(state(1).phase, layout::Phase::Closed) << "its stream has ended";
  area.reader.poll(got);
  EXPECT_EQ(got.packets.size(), 2u);
  EXPECT_EQ(area.parts().bits(0).load(), 3u);
  EXPECT_EQ(state(1).epoch, 1u);
}

TEST(Shm, a_packet_is_visible_when_it_ends) {
  Both area({1024, 8, 2});
  Got got;
  Stream out(area.producer);
  {
    auto packet = out.message<ChildWriter>();
    packet.set_id(1);
    EXPECT_EQ(area.reader.poll(got), 0u);
  }
  EXPECT_EQ(area.reader.poll(got), 1u);
  EXPECT_EQ(area.reader.poll(got), 0u);
  EXPECT_TRUE(write_name(out, "second"));
  { auto packet = out.message<ChildWriter>(); }  // an empty message is a packet too
  EXPECT_EQ(area.reader.poll(got), 2u);
  EXPECT_EQ(got.packets, (std::vector<std::string>{{"\x08\x01", 2}, "\x12\x06second", ""}));
}

// SHM-10, SHM-11, SHM-33, SHM-34: nested messages whose lengths are known after their chunk has left, in every place.
TEST(Shm, packets_are_those_of_a_heap_buffer_whatever_the_chunks) {
  const bool thorough = std::getenv("HOTPB_THOROUGH") != nullptr;
  std::uint64_t patched = 0;
  for (const std::uint32_t chunk_bytes : {128u, 192u, 256u, 1024u, 4096u, 8192u}) {
    for (const bool fixed : {false, true}) {
      Both area({chunk_bytes, (8u << 20) / chunk_bytes, 2});
      Stream out(area.producer, 0, fixed ? hotpb::LengthPolicy::fixed4 : hotpb::LengthPolicy::compact);
      Dice dice{chunk_bytes};
      const int packets = thorough ? 4000 : 250;
      for (int i = 0; i < packets; ++i) {
        const std::size_t budget = i % 100 == 99 ? 3u << 20 : 1 + dice.below(i % 10 == 9 ? 40000 : 400);
        const Dice before{dice.next()};
        const std::string wanted = expected(before, budget);
        {
          auto packet = out.message<ChildWriter>();
          Dice now = before;
          write_random(packet, now, budget);
          ASSERT_TRUE(packet.finish().ok()) << i;
        }
        Got got;
        ASSERT_EQ(area.reader.poll(got), 1u) << i;
        ASSERT_TRUE(minimal(hotpb::Bytes(got.packets[0])) == wanted) << i << " of " << chunk_bytes;
        ASSERT_EQ(got.losses[0], 0u);
        patched += got.packets[0].size() != wanted.size();
      }
      EXPECT_EQ(area.reader.held_bytes(), 0u);
      EXPECT_EQ(area.reader.counts().corrupt + area.reader.counts().cut + area.reader.counts().gaps, 0u);
    }
  }
  EXPECT_GT(patched, 500u) << "lengths of four bytes";
}

// 100 levels: more patches than one chunk can hold.
void nest(ChildWriter& message, int levels) {
  message.set_name("a name that takes some room in its chunk");
  if (levels > 0) message.set_child([&](ChildWriter& child) { nest(child, levels - 1); });
}
TEST(Shm, a_hundred_open_lengths_are_patched) {
  for (const std::uint32_t chunk_bytes : {128u, 256u, 8192u}) {
    Both area({chunk_bytes, 300, 2});
    Stream out(area.producer);
    {
      auto packet = out.message<ChildWriter>();
      nest(packet, 100);
      EXPECT_TRUE(packet.finish().ok());
    }
    hotpb::HeapOptions options;
    options.policy = hotpb::LengthPolicy::minimal;
    hotpb::HeapBuffer buffer(options);
    {
      auto packet = buffer.message<ChildWriter>();
      nest(packet, 100);
    }
    std::string wanted;
    EXPECT_TRUE(buffer.append_to(wanted).ok());
    Got got;
    ASSERT_EQ(area.reader.poll(got), 1u);
    EXPECT_EQ(minimal(hotpb::Bytes(got.packets[0])), wanted);
  }
}

// SHM-13, SHM-14, SHM-37, SHM-38.
TEST(Shm, a_packet_without_room_is_dropped_counted_and_marked) {
  Both area({128, 4, 2});
  Stream out(area.producer);
  EXPECT_TRUE(write_name(out, "first"));
  EXPECT_FALSE(write_name(out, std::string(1000, 'x')));  // larger than the area
  EXPECT_FALSE(write_name(out, std::string(1000, 'x')));
  EXPECT_TRUE(write_name(out, "second")) << "no error sticks";
  Got got;
  area.reader.poll(got);
  area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{"\x12\x05" "first", "\x12\x06second"}));
  EXPECT_EQ(got.losses, (std::vector<std::uint32_t>{0, hotpb::shm::kLossFull}));
  EXPECT_EQ(got.lost, (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(out.dropped(), 2u);
  EXPECT_EQ(area.producer.dropped(), 2u);
  EXPECT_EQ(area.reader.dropped(1), 2u);
  EXPECT_EQ(area.reader.held_bytes(), 0u);
}

// SHM-6: also if the stream writes nothing afterwards, the entry of the writer has the count.
TEST(Shm, a_stream_that_never_writes_again_has_its_losses_counted) {
  Both area({128, 2, 2});
  Stream other(area.producer);
  EXPECT_FALSE(write_name(other, std::string(1000, 'x')));
  Stream third(area.producer);
  Stream without_a_place(area.producer);
  EXPECT_FALSE(write_name(without_a_place, "x"));
  EXPECT_EQ(area.reader.dropped(1), 1u);
  EXPECT_EQ(area.reader.dropped(0), 1u);
}

TEST(Shm, a_waiting_stream_gives_up_after_its_time) {  // SHM-36, SHM-39
  Both area({128, 2, 2});
  Stream out(area.producer, 20000000);
  const std::uint64_t before = layout::monotonic_ns();
  EXPECT_FALSE(write_name(out, std::string(1000, 'x')));
  const std::uint64_t took = layout::monotonic_ns() - before;
  EXPECT_GE(took, 20000000u);
  Got got;
  area.reader.poll(got);
  EXPECT_TRUE(write_name(out, "next"));
  area.reader.poll(got);
  EXPECT_EQ(got.packets, std::vector<std::string>{"\x12\x04next"});
  EXPECT_EQ(got.lost, std::vector<std::uint64_t>{1});
  EXPECT_EQ(area.reader.counts().lost, 1u);
  EXPECT_EQ(area.reader.held_bytes(), 0u) << "what had left of the packet";
}

// SHM-36: what it drops after a wait in vain, a stream waits for again when there was room in between.
TEST(Shm, a_stream_waits_again_when_a_chunk_was_free) {
  Both area({128, 4, 2});
  Stream hasty(area.producer, 1000000);
  EXPECT_FALSE(write_name(hasty, std::string(1000, 'x')));
  Got got;
  area.reader.poll(got);
  Stream out(area.producer, 60000000000);
  EXPECT_TRUE(write_name(out, "a chunk is free"));
  std::atomic<bool> stop{false};
  std::thread service([&] {
    while (!stop) area.reader.poll(got);
  });
  EXPECT_TRUE(write_name(out, std::string(100000, 'x')));  // 4 chunks have no room for it
  stop = true;
  service.join();
}

// SHM-41: 300 threads that traced once, and one that still traces, in 512 KiB.
TEST(Shm, chunks_of_idle_streams_are_taken_back) {
  Both area({4096, 128, 512});
  Got got;
  std::vector<std::unique_ptr<Stream>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<Stream>(area.producer));
    ASSERT_TRUE(write_name(*idle.back(), "once")) << i;
    if (i % 50 == 49) area.reader.poll(got);
  }
  Stream busy(area.producer);
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(write_name(busy, "an event of some length, as events are")) << i;
    if (i % 500 == 0) area.reader.poll(got);
  }
  for (std::size_t i = 0; i < idle.size(); ++i) {
    ASSERT_TRUE(write_name(*idle[i], "again")) << i;
    if (i % 50 == 49) area.reader.poll(got);
  }
  area.reader.poll(got);
  area.reader.poll(got);
  EXPECT_EQ(got.packets.size(), 20600u);
  EXPECT_EQ(area.producer.dropped(), 0u);
  EXPECT_GE(area.reader.counts().taken_back, 200u);
  for (const std::uint32_t losses : got.losses) EXPECT_EQ(losses, 0u);
}

TEST(Shm, an_idle_chunk_is_taken_back_after_its_time_and_not_before) {  // SHM-16
  Both area({1024, 64, 2});
  Stream out(area.producer);
  Got got;
  ASSERT_TRUE(write_name(out, "one"));
  area.reader.poll(got, 1000);
  area.reader.poll(got, 100000999);
  EXPECT_EQ(area.reader.counts().taken_back, 0u);
  ASSERT_TRUE(write_name(out, "two"));  // not idle: its time starts again
  area.reader.poll(got, 100001000);
  EXPECT_EQ(area.reader.counts().taken_back, 0u);
  area.reader.poll(got, 200001000);
  EXPECT_EQ(area.reader.counts().taken_back, 1u);
  ASSERT_TRUE(write_name(out, "three"));
  area.reader.poll(got, 200001001);
  EXPECT_EQ(got.packets.size(), 3u);
  EXPECT_EQ(got.losses, (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST(Shm, a_place_of_a_writer_is_used_again_by_another_sequence) {
  Both area({128, 16, 1});
  Got got;
  for (int i = 0; i < 100; ++i) {
    Stream out(area.producer);
    EXPECT_TRUE(write_name(out, "mine"));
    if (i % 7 == 0) area.reader.poll(got);
  }
  area.reader.poll(got);
  ASSERT_EQ(got.sequences.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(got.sequences[i], i + 1);
}

TEST(Shm, a_packet_that_is_open_when_its_stream_ends_is_dropped) {
  Both area({128, 16, 1});
  Got got;
  alignas(ChildWriter) unsigned char handle[sizeof(ChildWriter)];
  {
    Stream out(area.producer);
    EXPECT_TRUE(write_name(out, "whole"));
    auto* packet = new (handle) ChildWriter(out.message<ChildWriter>());
    packet->set_name(std::string(300, 'x'));  // the handle never ends
  }
  Stream next(area.producer);
  EXPECT_TRUE(write_name(next, "next"));
  area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{"\x12\x05whole", "\x12\x04next"}));
  EXPECT_EQ(area.producer.dropped(), 1u);
}

// Misuse through the base class, which does not know packets: the packet is lost, and nothing else happens.
TEST(Shm, a_message_of_the_base_class_is_an_error) {
  Both area({128, 16, 1});
  Stream out(area.producer);
  EXPECT_TRUE(write_name(out, "one"));
  Got got;
  area.reader.poll(got, 0);
  area.reader.poll(got, 1000000000);  // the chunk is gone
  hotpb::WriteStream& base = out;
  {
    auto packet = base.message<ChildWriter>();
    packet.set_id(1);
    EXPECT_FALSE(packet.finish().ok());
  }
  EXPECT_TRUE(write_name(out, "two"));
  area.reader.poll(got);
  EXPECT_EQ(got.packets.size(), 2u);
  EXPECT_EQ(area.reader.counts().corrupt, 0u);
}

// SHM-19: the child's packets never arrive, also not an open one; the parent's arrive.
TEST(Shm, a_forked_child_drops_and_the_parent_goes_on) {
  Both area({128, 64, 4});
  Stream out(area.producer, 1000000000);
  EXPECT_TRUE(write_name(out, "before"));
  auto open = out.message<ChildWriter>();
  open.set_name("parent");
  const pid_t child = fork();
  if (child == 0) {
    open.set_name(std::string(500, 'c'));
    const bool went = open.finish().ok();
    const bool again = write_name(out, "child");
    Producer own;
    bool good = own.create({128, 4, 1}) == AreaError::Ok;
    Stream stream(own);
    good = good && write_name(stream, "own");
    _exit(good && !went && !again ? 42 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_TRUE(open.finish().ok());
  EXPECT_TRUE(write_name(out, "after"));
  Got got;
  area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{"\x12\x06" "before", "\x12\x06parent", "\x12\x05" "after"}));
}

// SHM-17: another reader continues where the first one stopped.
TEST(Shm, a_reader_that_starts_again_repeats_nothing) {
  Both area({256, 64, 2});
  Stream out(area.producer);
  Got got;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(write_name(out, "one of ten, thirty bytes long"));
  area.reader.poll(got);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(write_name(out, "one of ten, thirty bytes long"));
  Reader second;
  ASSERT_EQ(second.open(area.producer.fd()), AreaError::Ok);
  Got more;
  second.poll(more);
  EXPECT_EQ(got.packets.size(), 10u);
  EXPECT_EQ(more.packets.size(), 10u);
  EXPECT_EQ(more.losses[0], 0u);
}

// ---- versions ----

AreaError opened_with(const std::function<void(layout::Header&)>& change, int seals = layout::kSeals) {
  layout::Header header = layout::layout({128, 16, 2});
  const std::uint64_t bytes = header.area_bytes;
  change(header);
  const int fd = memfd_create("test", MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(bytes)), 0);
  EXPECT_EQ(pwrite(fd, &header, sizeof header, 0), static_cast<ssize_t>(sizeof header));
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  Reader reader;
  const AreaError error = reader.open(fd);
  close(fd);
  return error;
}
// SHM-20, SHM-21.
TEST(Shm, versions_and_features_are_refused_or_ignored) {
  using Header = layout::Header;
  EXPECT_EQ(opened_with([](Header&) {}), AreaError::Ok);
  EXPECT_EQ(opened_with([](Header& h) { h.minor = 7; }), AreaError::Ok);
  EXPECT_EQ(opened_with([](Header& h) { h.optional = ~0u; }), AreaError::Ok);
  EXPECT_EQ(opened_with([](Header& h) { h.header_bytes = 128; }), AreaError::Ok);
  EXPECT_EQ(opened_with([](Header& h) { h.major = 2; }), AreaError::UnknownMajor);
  EXPECT_EQ(opened_with([](Header& h) { h.required = 1; }), AreaError::UnknownFeature);
  EXPECT_EQ(opened_with([](Header& h) { h.magic ^= 1; }), AreaError::NotAnArea);
}
// SHM-3, SHM-22.
TEST(Shm, layouts_that_do_not_fit_are_refused) {
  using Header = layout::Header;
  EXPECT_EQ(opened_with([](Header& h) { h.chunk_bytes = 64; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.chunk_bytes = 130; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.chunk_bytes = 16384; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.chunks = ~0u; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.chunks = 0; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.chunks = 1000; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.writers = 0; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.writers = ~0u; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.header_bytes = 8; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.lines_at += 64; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.chunks_at = ~0ull; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.control_at = 0; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header& h) { h.area_bytes += 4096; }), AreaError::BadLayout);
  EXPECT_EQ(opened_with([](Header&) {}, 0), AreaError::NotSealed);
  EXPECT_EQ(opened_with([](Header&) {}, F_SEAL_GROW), AreaError::NotSealed);
  EXPECT_EQ(Reader().open(-1), AreaError::System);
  Producer producer;
  for (const AreaOptions& bad :
       {AreaOptions{100, 16, 2}, AreaOptions{64, 16, 2}, AreaOptions{128, 1, 2}, AreaOptions{128, 16, 0}}) {
    EXPECT_EQ(producer.create(bad), AreaError::BadOptions);
  }
}

// ---- bytes of other origin ----

// A chunk as a writer would publish it, with records that the test chooses.
void publish(const Both& area, std::uint32_t chunk, std::uint32_t number, const std::string& records,
             std::uint32_t writer = 1, layout::Phase phase = layout::Phase::Closed) {
  std::memcpy(area.parts().chunk(chunk), records.data(), records.size());
  layout::Line& line = area.parts().line(chunk);
  line.number = number;
  line.sequence = 5;
  line.state = layout::state_word(writer, 1, phase, records.size());
}
std::string record(layout::Kind kind, const std::string& bytes) {
  const std::uint32_t header = layout::record_header(kind, bytes.size());
  return std::string{static_cast<char>(header), static_cast<char>(header >> 8)} + bytes;
}
using layout::Kind;

// SHM-15, SHM-28, SHM-44.
TEST(Shm, records_that_no_writer_writes_lose_that_packet_and_no_more) {
  const std::string good = record(Kind::Whole, "good");
  const std::string zeros(4, '\0');
  const std::string begin = record(Kind::Begin, "ab" + zeros) + record(Kind::Middle, "cd");
  const struct {
    std::string records;
    std::uint32_t losses;
  } cases[] = {
      {"\x01", hotpb::shm::kLossCorrupt},                             // half a header
      {std::string("\x05\x00xx", 4), hotpb::shm::kLossCorrupt},       // longer than the committed bytes
      {record(static_cast<Kind>(6), "x"), hotpb::shm::kLossCorrupt},  // reserved
      {record(Kind::Lost, "\xff"), hotpb::shm::kLossCorrupt},         // not a varint
      {record(Kind::Lost, ""), hotpb::shm::kLossCorrupt},
      {record(Kind::Middle, "x"), hotpb::shm::kLossOrphan},
      {record(Kind::End, "x"), hotpb::shm::kLossOrphan},
      {begin, hotpb::shm::kLossCut},
      {begin + record(Kind::Patches, std::string("\x00\x02", 2)), hotpb::shm::kLossCorrupt},      // ends too early
      {begin + record(Kind::Patches, std::string("\x07\x02\x01", 3)), hotpb::shm::kLossCorrupt},  // no such fragment
      {begin + record(Kind::Patches, std::string("\x00\x03\x01", 3)), hotpb::shm::kLossCorrupt},  // beyond its end
      {begin + record(Kind::Patches, std::string("\x00\x01\x01", 3)), hotpb::shm::kLossCorrupt},  // not zero
      {begin + record(Kind::Patches, "\x01\x7f\x01"), hotpb::shm::kLossCorrupt},
      {begin + record(Kind::Patches, std::string("\x00\x02\xff\xff\xff\xff\x01", 7)), hotpb::shm::kLossCorrupt},
      {begin + record(Kind::Patches, std::string("\x00\x02\x01\x00\x02\x01", 6)), hotpb::shm::kLossCorrupt},  // twice
  };
  for (const auto& one : cases) {
    Both area({128, 16, 2});
    publish(area, 3, 0, one.records);
    publish(area, 4, 1, good);
    publish(area, 5, 0, good, 2);
    Got got;
    area.reader.poll(got);
    ASSERT_EQ(got.packets, (std::vector<std::string>{"good", "good"}))
        << hex(reinterpret_cast<const std::uint8_t*>(one.records.data()), one.records.size());
    EXPECT_EQ(got.losses, (std::vector<std::uint32_t>{one.losses, 0}));
    EXPECT_EQ(area.reader.held_bytes(), 0u);
  }
  Both area({128, 16, 2});
  publish(area, 3, 0, begin + record(Kind::Patches, std::string("\x00\x02\x05", 3)) + record(Kind::End, ""));
  Got got;
  area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{std::string("ab\x85\x80\x80\x00" "cd", 8)}));
}

// SHM-25.
TEST(Shm, lines_that_no_writer_writes_are_left_alone) {
  const std::string good = record(Kind::Whole, "good");
  for (int i = 0; i < 6; ++i) {
    Both area({128, 16, 2});
    publish(area, 1, 0, good);
    publish(area, 7, 0, good, 2);
    layout::Line& line = area.parts().line(1);
    switch (i) {
      case 0: line.state = layout::state_word(0, 1, layout::Phase::Closed, 6); break;
      case 1: line.state = layout::state_word(3, 1, layout::Phase::Closed, 6); break;
      case 2: line.state = layout::state_word(1, 1, static_cast<layout::Phase>(9), 6); break;
      case 3: line.state = layout::state_word(1, 1, layout::Phase::Closed, 129); break;
      case 4: line.taken = 7; break;
      default: publish(area, 2, 0, good); break;  // two chunks with one number: one of them counts
    }
    Got got;
    for (int pass = 0; pass < 3; ++pass) area.reader.poll(got);
    EXPECT_EQ(got.packets.size(), i < 5 ? 1u : 2u) << i;
    EXPECT_EQ(area.reader.counts().corrupt, 1u) << i;
  }
}

// SHM-15, SHM-40. (shm_process_test.cc shows that a chunk that was only read late is no gap.)
TEST(Shm, a_missing_chunk_is_a_gap) {
  Both area({128, 16, 2});
  publish(area, 2, 0xffffffff, record(Kind::Whole, "a") + record(Kind::Begin, "cut"));
  publish(area, 1, 1, record(Kind::End, "x") + record(Kind::Whole, "c"));
  publish(area, 3, 2, record(Kind::Whole, "d"));
  Got got;
  area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{"a", "c", "d"}));
  EXPECT_EQ(got.losses[1], hotpb::shm::kLossGap | hotpb::shm::kLossOrphan);
  EXPECT_EQ(got.losses[2], 0u);
  EXPECT_EQ(area.reader.counts().gaps, 1u);
}

// SHM-27.
TEST(Shm, unfinished_packets_take_no_more_than_the_limit) {
  ReaderOptions options;
  options.held_bytes = 500;
  Both area({128, 64, 2}, options);
  const std::string hundred(100, 'x');
  publish(area, 0, 0, record(Kind::Begin, hundred), 2);
  publish(area, 20, 0, record(Kind::Begin, hundred));
  for (std::uint32_t i = 1; i < 8; ++i) publish(area, 20 + i, i, record(Kind::Middle, hundred));
  Got got;
  area.reader.poll(got);
  EXPECT_LE(area.reader.held_bytes(), 500u);
  publish(area, 40, 8, record(Kind::End, "") + record(Kind::Whole, "next"));
  publish(area, 41, 1, record(Kind::End, "end"), 2);
  area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{"next", hundred + "end"}));
  EXPECT_EQ(got.losses, (std::vector<std::uint32_t>{hotpb::shm::kLossTooLarge, 0}));
  EXPECT_EQ(area.reader.counts().too_large, 1u);
  EXPECT_EQ(area.reader.held_bytes(), 0u);
}

// SHM-23: the page table enforces it, whatever the code does.
TEST(Shm, the_reader_can_change_nothing_but_lines_and_bitmap) {
  Both area({128, 64, 2});
  std::vector<std::string> writable;
  std::uint64_t bytes = 0;
  FILE* const maps = std::fopen("/proc/self/maps", "r");
  ASSERT_NE(maps, nullptr);
  char line[512];
  int read_only = 0;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    if (std::strstr(line, "hotpb-shm") == nullptr) continue;
    unsigned long long from = 0, to = 0;
    char rights[8] = {};
    ASSERT_EQ(std::sscanf(line, "%llx-%llx %7s", &from, &to, rights), 3);
    if (std::string(rights) == "r--s") {
      ++read_only;
      EXPECT_EQ(to - from, area.producer.area_bytes());
    } else if (to - from != area.producer.area_bytes()) {
      bytes += to - from;
    }
  }
  std::fclose(maps);
  EXPECT_EQ(read_only, 1);
  EXPECT_EQ(bytes, area.parts().header().writers_at - area.parts().header().control_at);
}

}  // namespace
}  // namespace hotpb_test
