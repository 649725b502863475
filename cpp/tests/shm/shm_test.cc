// Streams, areas and the reader in one process (spec/shm.md): the reader reads packets and counts losses.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "shm/both.h"
#include "support/thorough.h"

namespace hotpb_test {
namespace {

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
  const auto state = [&](std::uint32_t chunk) { return layout::State::from(area.parts().line(chunk).state.load()); };
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
  std::uint64_t patched = 0;
  for (const std::uint32_t chunk_bytes : {128u, 192u, 256u, 1024u, 4096u, 8192u, 8256u, 16384u, 32768u}) {
    for (const bool fixed : {false, true}) {
      Both area({chunk_bytes, (8u << 20) / chunk_bytes, 2});
      Stream out(area.producer, 0, fixed ? hotpb::LengthPolicy::fixed4 : hotpb::LengthPolicy::compact);
      Dice dice{chunk_bytes};
      const int packets = thorough() ? 4000 : 250;
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
  for (const std::uint32_t chunk_bytes : {128u, 256u, 8192u, 16384u}) {
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

// SHM-9, SHM-46: a record has 13 bits for its size, a chunk of 16 KiB has room for two of them.
TEST(Shm, a_packet_has_several_fragments_in_a_chunk_above_8_kib) {
  Both area({16384, 4, 2});
  Stream out(area.producer);
  const std::string name(9000, 'x');
  ASSERT_TRUE(write_name(out, name));
  const std::string packet = "\x12\xa8\x46" + name;
  const std::string wanted = std::string("\xff\x3f") + packet.substr(0, 8191) + "\x2c\x63" + packet.substr(8191);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(area.parts().chunk(0)), wanted.size()), wanted);
  EXPECT_EQ(layout::State::from(area.parts().line(0).state.load()).committed, wanted.size());
  // The message that is open in the first fragment is patched from the same chunk.
  {
    auto root = out.message<ChildWriter>();
    root.set_child([&](ChildWriter& child) { child.set_name(std::string(12000, 'y')); });
    ASSERT_TRUE(root.finish().ok());
  }
  Got got;
  EXPECT_EQ(area.reader.poll(got), 2u);
  EXPECT_EQ(got.packets[0], packet);
  EXPECT_EQ(minimal(hotpb::Bytes(got.packets[1])),
            "\x1a\xe3\x5d\x12\xe0\x5d" + std::string(12000, 'y'));
  EXPECT_EQ(area.reader.counts().freed, 1u) << "both packets had room in two chunks";
}
TEST(Shm, bytes_of_your_own_are_one_record_at_most) {
  Both area({32768, 4, 2});
  Stream out(area.producer);
  ASSERT_TRUE(write_name(out, "x"));
  EXPECT_EQ(out.begin_whole(8192), nullptr);
  std::uint8_t* const p = out.begin_whole(8191);
  ASSERT_NE(p, nullptr);
  std::memset(p, 0x5a, 8191);
  out.end_whole(p + 8191);
  Got got;
  EXPECT_EQ(area.reader.poll(got), 2u);
  EXPECT_EQ(got.packets[1], std::string(8191, 'Z'));
}
// A packet of several fragments that is committed in the stream's own chunk ends the report of what was lost before it.
TEST(Shm, a_large_packet_after_a_loss_reports_it_once) {
  Both area({32768, 2, 2});
  Stream out(area.producer);
  EXPECT_FALSE(write_name(out, std::string(100000, 'x')));
  Got got;
  area.reader.poll(got);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(write_name(out, std::string(9000, 'x')));
  area.reader.poll(got);
  area.reader.poll(got);
  EXPECT_EQ(got.lost, (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(got.losses, (std::vector<std::uint32_t>{hotpb::shm::kLossFull, 0}));
  EXPECT_EQ(area.reader.counts().lost, 1u);
}
// One that is cut leaves nothing of itself, although its first fragments are in the stream's own chunk.
TEST(Shm, a_large_packet_that_finds_no_room_is_dropped_whole) {
  Both area({16384, 2, 2});
  Stream out(area.producer);
  EXPECT_TRUE(write_name(out, "first"));
  EXPECT_FALSE(write_name(out, std::string(40000, 'x')));
  EXPECT_TRUE(write_name(out, "second"));
  Got got;
  for (int i = 0; i < 3; ++i) area.reader.poll(got);
  EXPECT_EQ(got.packets, (std::vector<std::string>{"\x12\x05" "first", "\x12\x06second"}));
  EXPECT_EQ(got.lost, (std::vector<std::uint64_t>{0, 1}));
}

// The default limit has room for it (SHM-27).
TEST(Shm, a_packet_of_100_mib_arrives) {
  Both area({32768, 64, 2});
  constexpr std::size_t kSize = 100u << 20;
  std::thread writer([&] {
    Stream out(area.producer, 60000000000u);
    EXPECT_TRUE(write_name(out, std::string(kSize, 'x')));
  });
  std::size_t size = 0;
  std::uint32_t losses = 0;
  while (size == 0 && area.producer.dropped() == 0) {
    area.reader.poll([&](const Packet& packet) {
      size = packet.bytes.size();
      losses = packet.losses;
    });
  }
  writer.join();
  EXPECT_EQ(size, kSize + 5);
  EXPECT_EQ(losses, 0u);
  EXPECT_EQ(area.reader.held_bytes(), 0u);
}

// A sink that has enough: the rest stays in the area, and no writer waits for the same others each time.
TEST(Shm, a_sink_may_end_a_pass_after_a_chunk) {
  Both area({128, 32, 3});
  Stream first(area.producer);
  Stream second(area.producer);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(write_name(first, "forty bytes, so that three fit in a chunk"));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(write_name(second, "forty bytes, so that three fit in a chunk"));
  Got got;
  std::vector<std::size_t> passes;
  for (std::size_t before = 0; got.packets.size() < 60 && passes.size() < 100; before = got.packets.size()) {
    area.reader.poll([&](const Packet& packet) {
      got(packet);
      return false;
    });
    passes.push_back(got.packets.size() - before);
    if (passes.size() > 2) {
      EXPECT_TRUE(area.reader.is_stopped() || got.packets.size() == 60);
    }
  }
  ASSERT_EQ(got.packets.size(), 60u);
  EXPECT_GT(passes.size(), 15u);
  for (const std::size_t count : passes) EXPECT_LE(count, 3u);
  const auto count_of = [&](std::size_t packets, std::uint32_t sequence) {
    return std::count(got.sequences.begin(), got.sequences.begin() + static_cast<std::ptrdiff_t>(packets), sequence);
  };
  EXPECT_GE(count_of(12, 1), 3) << "the writers take turns";
  EXPECT_GE(count_of(12, 2), 3);
  for (const std::uint32_t losses : got.losses) EXPECT_EQ(losses, 0u);
  Got rest;
  area.reader.poll(rest);
  EXPECT_FALSE(area.reader.is_stopped());
  EXPECT_EQ(rest.packets.size(), 0u);
}

// ---- a service that sleeps until much is waiting ----

// SHM-45. Without the option there is nothing to wake: the time passes.
TEST(Shm, half_of_the_chunks_in_use_wake_a_service_if_the_producer_was_told_to) {
  for (const bool wakes : {false, true}) {
    Both area({128, 64, 2, wakes});
    EXPECT_EQ(area.reader.wakes(), wakes);
    EXPECT_EQ(area.parts().header().optional, wakes ? 1u : 0u);
    Stream out(area.producer);
    Reader* const readers[] = {&area.reader};
    EXPECT_FALSE(hotpb::shm::wait(readers, 1, 1000000)) << "nothing is waiting";
    EXPECT_EQ(area.parts().bell().armed.load(), 0u);
    for (int i = 0; i < 31; ++i) ASSERT_TRUE(write_name(out, std::string(100, 'x')));
    EXPECT_FALSE(hotpb::shm::wait(readers, 1, 1000000)) << "less than half";
    ASSERT_TRUE(write_name(out, std::string(100, 'x')));
    EXPECT_EQ(hotpb::shm::wait(readers, 1, 1000000), wakes) << "half";
    Got got;
    area.reader.poll(got);
    EXPECT_FALSE(hotpb::shm::wait(readers, 1, 1000000));
  }
}
TEST(Shm, a_service_that_sleeps_is_woken_by_the_chunk_that_makes_it_half) {
  Both area({128, 64, 2, true});
  std::atomic<bool> woken{false};
  std::thread service([&] {
    Reader* const readers[] = {&area.reader};
    woken = hotpb::shm::wait(readers, 1, 600000000000u);
  });
  while (area.parts().bell().armed.load() == 0) std::this_thread::yield();
  Stream out(area.producer);
  for (int i = 0; i < 31; ++i) ASSERT_TRUE(write_name(out, std::string(100, 'x')));
  EXPECT_EQ(area.parts().bell().armed.load(), 1u) << "it sleeps";
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(write_name(out, std::string(100, 'x')));
  service.join();  // the time would not end this
  EXPECT_TRUE(woken.load());
  EXPECT_EQ(area.parts().bell().armed.load(), 0u);
}
// The first that is half full ends the sleep, whatever the others do.
TEST(Shm, one_of_several_producers_wakes_the_service) {
  Both quiet({128, 64, 2, true});
  Both mute({128, 64, 2});
  Both loud({128, 64, 2, true});
  std::thread service([&] {
    Reader* const readers[] = {&quiet.reader, &mute.reader, &loud.reader};
    EXPECT_TRUE(hotpb::shm::wait(readers, 3, 600000000000u));
  });
  while (loud.parts().bell().armed.load() == 0) std::this_thread::yield();
  Stream out(loud.producer);
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(write_name(out, std::string(100, 'x')));
  service.join();
  EXPECT_EQ(quiet.parts().bell().armed.load(), 0u);
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
  Stream blocked(area.producer);
  EXPECT_FALSE(write_name(blocked, std::string(1000, 'x')));
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
    const bool child_wrote = write_name(out, "child");
    Producer own;
    bool good = own.create({128, 4, 1}) == AreaError::Ok;
    Stream stream(own);
    good = good && write_name(stream, "own");
    _exit(good && !went && !child_wrote ? 42 : 1);
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

}  // namespace
}  // namespace hotpb_test
