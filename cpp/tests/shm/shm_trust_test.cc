// A reader trusts no byte of an area (spec/shm.md, sections 6 and 7): it refuses other versions, and bytes of other
// origin cost their own packets only.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "shm/both.h"

namespace hotpb_test {
namespace {

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
  EXPECT_EQ(opened_with([](Header& h) { h = layout::layout({32768 + 64, 2, 2}); }), AreaError::BadLayout);
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
  for (const auto& test : cases) {
    Both area({128, 16, 2});
    publish(area, 3, 0, test.records);
    publish(area, 4, 1, good);
    publish(area, 5, 0, good, 2);
    Got got;
    area.reader.poll(got);
    ASSERT_EQ(got.packets, (std::vector<std::string>{"good", "good"}))
        << hex(reinterpret_cast<const std::uint8_t*>(test.records.data()), test.records.size());
    EXPECT_EQ(got.losses, (std::vector<std::uint32_t>{test.losses, 0}));
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
      case 4: line.consumed = 7; break;
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
