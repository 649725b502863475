// Behaviour that users of ProtoZero rely on: messages in scattered chunks, a tolerant decoder, and a trace writer
// over shared memory that counts what it loses.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hotpb/check.h"
#include "hotpb/wire/write.h"
#include "peers.hot.h"
#include "support/support.h"
#include "writer/consumer.h"

#include "hotpb/shm/source.h"
#if HOTPB_SHM
#include "hotpb/shm/reader.h"
#endif

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
using peers::hot::EveryView;
using peers::hot::EveryWriter;

template <class Write>
std::string written(Write write) {
  hotpb::HeapBuffer out;
  auto root = out.message<EveryWriter>();
  write(root);
  EXPECT_TRUE(root.finish().ok());
  return std::string(out.bytes().text());
}

TEST(ProtoZeroMessage, the_bytes_of_each_kind_of_field) {
  const struct {
    const char* hex;
    void (*write)(EveryWriter&);
  } cases[] = {
      {"", [](EveryWriter&) {}},
      {"08ffffffffffffffffff01", [](EveryWriter& m) { m.set_int32(-1); }},
      {"10ffffffffffffffff7f", [](EveryWriter& m) { m.set_int64(INT64_MAX); }},
      {"18ffffffff0f", [](EveryWriter& m) { m.set_uint32(UINT32_MAX); }},
      {"2001", [](EveryWriter& m) { m.set_uint64(1); }},
      {"2801", [](EveryWriter& m) { m.set_sint32(-1); }},
      {"30ffffffffffffffffff01", [](EveryWriter& m) { m.set_sint64(INT64_MIN); }},
      {"3dddccbbaa", [](EveryWriter& m) { m.set_fixed32(0xaabbccdd); }},
      {"410100000000000080", [](EveryWriter& m) { m.set_fixed64(0x8000000000000001); }},
      {"5d0000803f", [](EveryWriter& m) { m.set_f32(1); }},
      {"61000000000000f0bf", [](EveryWriter& m) { m.set_f64(-1); }},
      {"68016800", [](EveryWriter& m) { m.set_flag(true), m.set_flag(false); }},
      {"72007a00", [](EveryWriter& m) { m.set_text(""), m.set_blob(Bytes()); }},
      {"7a03000102", [](EveryWriter& m) { m.set_blob("\x00\x01\x02"); }},
      {"800180808080f8ffffffff01", [](EveryWriter& m) { m.set_color(peers::hot::Color::LOW); }},
      {"8a0100", [](EveryWriter& m) { m.set_child(); }},
      {"8a010508018a0100", [](EveryWriter& m) { auto child = m.set_child(); child.set_int32(1); child.set_child(); }},
      {"9a0103010203", [](EveryWriter& m) { m.add_packed_int32({1, 2, 3}); }},
      {"", [](EveryWriter& m) { m.add_packed_int32({}); }},
      {"720568656c6c6f", [](EveryWriter& m) {
         const Bytes pieces[] = {Bytes("hel"), Bytes(), Bytes("lo")};
         m.set_text(hotpb::ByteRanges(pieces));
       }},
      {"8a0102080110021801", [](EveryWriter& m) {  // raw bytes end the child
         auto child = m.set_child();
         child.set_int32(1);
         m.append_raw("\x10\x02");
         m.set_uint32(1);
       }},
  };
  for (const auto& test : cases) EXPECT_EQ(to_hex(written(test.write)), test.hex);
}

// Five levels, of which each has a text before and after its child.
void write_levels(EveryWriter& message, std::size_t size, int levels) {
  message.set_text(std::string(size, 'a'));
  if (levels > 0) message.add_children([&](EveryWriter& child) { write_levels(child, size, levels - 1); });
  message.set_blob(std::string(size, 'b'));
}
void expect_levels(const EveryView& message, std::size_t size, int levels) {
  EXPECT_EQ(message.text(), std::string(size, 'a'));
  EXPECT_EQ(message.blob().text(), std::string(size, 'b'));
  ASSERT_EQ(message.children().size(), levels > 0 ? 1u : 0u);
  if (levels == 0) return;
  EveryView child;
  ASSERT_TRUE(child.open(*message.children().begin()).ok());
  expect_levels(child, size, levels - 1);
}

TEST(ProtoZeroMessage, nested_messages_are_patched_at_each_chunk_end) {
  for (const auto policy : {hotpb::StreamPolicy::compact, hotpb::StreamPolicy::fixed4}) {
    for (const std::size_t chunk : {64u, 65u, 67u, 73u, 100u, 127u, 129u, 4096u}) {
      for (const std::size_t size : {0u, 1u, 20u, 57u, 124u, 129u, 700u}) {
        Consumer consumer([&](std::size_t) { return chunk; });
        hotpb::WriteStream out(consumer, policy);
        auto root = out.message<EveryWriter>();
        write_levels(root, size, 5);
        ASSERT_TRUE(root.finish().ok());
        const std::string bytes = consumer.bytes();
        EveryView view;
        ASSERT_TRUE(view.decode(bytes).ok()) << chunk << ", " << size;
        expect_levels(view, size, 5);
      }
    }
  }
}

TEST(ProtoZeroMessage, a_thousand_levels) {
  hotpb::DeepLevels<1000> levels;
  hotpb::HeapBuffer out;
  out.set_levels(levels);
  std::vector<EveryWriter> open;
  open.push_back(out.message<EveryWriter>());
  for (int i = 0; i < 1000; ++i) {
    open.back().set_int32(i);
    open.push_back(open.back().set_child());
  }
  while (open.size() > 1) open.pop_back();
  ASSERT_TRUE(open[0].finish().ok());
  EveryView view;
  EXPECT_EQ(view.decode(out.bytes()).code, Code::Ok);
  EXPECT_EQ(view.validate().code, Code::DepthExceeded) << "of the usual limit of readers";
  hotpb::ReadOptions deep;
  deep.depth = 1000;
  ASSERT_TRUE(view.decode(out.bytes(), deep).ok());
  EXPECT_TRUE(view.validate().ok());
}

TEST(ProtoZeroMessage, a_message_finishes_once) {
  hotpb::HeapBuffer out;
  auto root = out.message<EveryWriter>();
  auto child = root.set_child();
  auto grandchild = child.set_child();
  root.set_int32(1);  // ends both
  EXPECT_TRUE(root.finish().ok());
  EXPECT_EQ(root.finish().code, Code::HandleMisuse);
}

TEST(ProtoZeroDecoder, what_is_malformed_is_an_error_with_its_place) {
  const struct {
    const char* hex;
    Code code;
    std::uint64_t offset;
  } cases[] = {
      {"", Code::Ok, 0},
      {"08", Code::Truncated, 1},
      {"0880", Code::Truncated, 1},
      {"08ffffffffffffffffffff", Code::VarintOverflow, 1},
      {"3d010203", Code::Truncated, 1},
      {"7205616263", Code::Truncated, 2},
      {"00", Code::InvalidTag, 0},
      {"0f", Code::InvalidWireType, 0},
      {"9a01020180", Code::Truncated, 4},                  // a packed varint without an end
      {"a2010301020304", Code::Truncated, 3},              // packed fixed32 of three bytes
      {"f8ffffff0f01" "0805", Code::Ok, 0},                // the largest field number is unknown
      {"0a0161", Code::Ok, 0},                             // another wire type is unknown
  };
  for (const auto& test : cases) {
    const std::string bytes = from_hex(test.hex);
    const Exact exact(bytes);
    EveryView view;
    const hotpb::Error error = view.decode(exact.bytes());
    EXPECT_EQ(error.code, test.code) << test.hex;
    if (!error.ok()) EXPECT_EQ(error.offset, test.offset) << test.hex;
  }
  EveryView view;
  const std::string large = from_hex("f8ffffff0f01" "0805");
  ASSERT_TRUE(view.decode(large).ok());
  EXPECT_EQ(view.int32(), 5);
  EXPECT_EQ(view.unknown_fields().begin()->number(), 536870911u);
}

TEST(ProtoZeroDecoder, repeated_numbers_are_read_in_both_forms) {
  const std::string bytes = from_hex("9a01020102" "980103" "9a01020405" "c80100");
  EveryView view;
  ASSERT_TRUE(view.decode(bytes).ok());
  std::vector<std::int32_t> all(view.packed_int32().begin(), view.packed_int32().end());
  EXPECT_EQ(all, (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
}

#if HOTPB_SHM
namespace shm = hotpb::shm;

struct Packets {
  std::vector<std::string> bytes;
  std::uint64_t lost = 0;
  void operator()(const shm::Packet& packet) {
    bytes.emplace_back(packet.bytes.text());
    lost += packet.lost;
  }
};

// An area of `chunks` chunks, for `writers` streams at a time.
struct Area {
  Area(std::uint32_t chunk, std::uint32_t chunks, std::uint16_t writers) {
    EXPECT_EQ(producer.create({chunk, chunks, writers}), shm::AreaError::Ok);
    EXPECT_EQ(reader.open(producer.fd(), {}), shm::AreaError::Ok);
  }
  Packets read() {
    Packets packets;
    while (reader.poll(packets) != 0) {
    }
    return packets;
  }
  shm::Producer producer;
  shm::Reader reader;
};

TEST(ProtoZeroTraceWriter, packets_in_fragments_with_nested_patches_arrive_whole) {
  for (const std::uint32_t chunk : {128u, 512u, 4096u, 8192u}) {
    Area area(chunk, 64, 2);
    shm::Stream out(area.producer);
    for (const std::size_t size : {0u, 20u, 200u, 1000u}) {
      auto packet = out.message<EveryWriter>();
      write_levels(packet, size * chunk / 4096, 3);
      ASSERT_TRUE(packet.finish().ok()) << chunk << ", " << size;
      const Packets packets = area.read();
      ASSERT_EQ(packets.bytes.size(), 1u);
      EveryView view;
      ASSERT_TRUE(view.decode(packets.bytes[0]).ok());
      expect_levels(view, size * chunk / 4096, 3);
    }
  }
}

TEST(ProtoZeroTraceWriter, packets_that_find_no_chunk_are_counted_and_later_ones_are_whole) {
  Area area(128, 4, 1);
  shm::Stream out(area.producer);
  std::uint64_t written = 0;
  std::uint64_t dropped = 0;
  std::uint64_t read = 0;
  std::uint64_t lost = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 20; ++i) {
      auto packet = out.message<EveryWriter>();
      write_levels(packet, 10, 2);
      ++(packet.finish().ok() ? written : dropped);
    }
    const Packets packets = area.read();
    for (const std::string& bytes : packets.bytes) {
      EveryView view;
      ASSERT_TRUE(view.decode(bytes).ok());
      expect_levels(view, 10, 2);
    }
    read += packets.bytes.size();
    lost += packets.lost;
  }
  EXPECT_EQ(read, written);
  EXPECT_GE(dropped, lost);  // the next packet reports the losses before it
  EXPECT_GT(lost, 10u);
}

TEST(ProtoZeroArbiter, a_stream_without_a_number_drops_and_numbers_are_used_again) {
  Area area(128, 16, 2);
  const auto writes = [](shm::Stream& out) {
    auto packet = out.message<EveryWriter>();
    packet.set_int32(7);
    return packet.finish().ok();
  };
  shm::Stream first(area.producer);
  EXPECT_TRUE(writes(first));
  {
    shm::Stream second(area.producer);
    EXPECT_TRUE(writes(second));
    shm::Stream third(area.producer);
    EXPECT_FALSE(writes(third));
  }
  EXPECT_EQ(area.read().bytes.size(), 2u);
  shm::Stream reopened(area.producer);
  EXPECT_TRUE(writes(reopened));
  EXPECT_TRUE(writes(first));
  EXPECT_EQ(area.read().bytes.size(), 2u);
}

TEST(ProtoZeroTraceWriter, a_child_that_is_abandoned_leaves_no_byte_in_a_packet) {
  Area area(512, 4, 1);
  shm::Stream out(area.producer);
  auto packet = out.message<EveryWriter>();
  packet.set_int32(1);
  auto child = packet.set_child();
  child.set_text("gone");
  EXPECT_TRUE(child.abandon());
  packet.set_int64(2);
  EXPECT_TRUE(packet.finish().ok());
  EXPECT_EQ(to_hex(area.read().bytes.at(0)), "08011002");
}
#endif

}  // namespace
}  // namespace hotpb_test
