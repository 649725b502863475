// vectors/shm/: areas as bytes with what a reader finds in them, and the bytes that a stream writes. The vectors are
// written by hand from spec/shm.md, independent of the code.
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

#include "hotpb/shm/reader.h"
#include "shm/packets.h"
#include "support/json.h"
#include "support/support.h"

namespace hotpb_test {
namespace {

using namespace hotpb::shm;

Json load(const std::string& name) {
  std::string text;
  EXPECT_TRUE(read_file(repository("vectors/shm/" + name), text));
  return JsonReader(text).read();
}

const char* name_of(AreaError error) {
  switch (error) {
    case AreaError::Ok: return "Ok";
    case AreaError::System: return "System";
    case AreaError::BadOptions: return "BadOptions";
    case AreaError::NotSealed: return "NotSealed";
    case AreaError::NotAnArea: return "NotAnArea";
    case AreaError::UnknownMajor: return "UnknownMajor";
    case AreaError::UnknownFeature: return "UnknownFeature";
    case AreaError::BadLayout: return "BadLayout";
  }
  return "?";
}

int sealed_area(const Json& vector) {
  const int fd = memfd_create("vector", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_GE(fd, 0);
  EXPECT_EQ(ftruncate(fd, vector.at("size").integer), 0);
  for (const Json& part : vector.at("parts").array) {
    const std::string bytes = from_hex(part.at("hex").string);
    EXPECT_EQ(pwrite(fd, bytes.data(), bytes.size(), part.at("at").integer), static_cast<ssize_t>(bytes.size()));
  }
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  return fd;
}

TEST(ShmVectors, areas) {
  for (const Json& vector : load("areas.json").array) {
    SCOPED_TRACE(vector.at("name").string);
    const int fd = sealed_area(vector);
    Reader reader;
    const AreaError error = reader.open(fd);
    close(fd);
    if (vector.has("error")) {
      EXPECT_EQ(name_of(error), vector.at("error").string);
      continue;
    }
    ASSERT_EQ(error, AreaError::Ok);
    const std::vector<Json>& wanted = vector.at("packets").array;
    std::size_t i = 0;
    const auto sink = [&](const Packet& packet) {
      ASSERT_LT(i, wanted.size());
      const Json& expected = wanted[i++];
      EXPECT_EQ(packet.writer, expected.at("writer").integer);
      EXPECT_EQ(packet.sequence, expected.at("sequence").integer);
      EXPECT_EQ(packet.losses, expected.at("losses").integer);
      EXPECT_EQ(packet.lost, static_cast<std::uint64_t>(expected.at("lost").integer));
      EXPECT_EQ(to_hex(packet.bytes.text()), expected.at("hex").string);
    };
    for (int pass = 0; pass < 3; ++pass) reader.poll(sink, 1);
    EXPECT_EQ(i, wanted.size());
  }
}

TEST(ShmVectors, what_a_stream_writes) {
  for (const Json& vector : load("streams.json").array) {
    SCOPED_TRACE(vector.at("name").string);
    const auto size = [&](const char* key) { return static_cast<std::uint32_t>(vector.at(key).integer); };
    Producer producer;
    ASSERT_EQ(producer.create({size("chunk_bytes"), size("chunks"), size("writers")}), AreaError::Ok);
    Stream out(producer);
    for (const Json& text : vector.at("texts").array) {
      auto packet = out.message<ChildWriter>();
      packet.set_name(text.string);
      ASSERT_TRUE(packet.finish().ok());
    }
    for (const Json& part : vector.at("parts").array) {
      std::string got(from_hex(part.at("hex").string).size(), '\0');
      ASSERT_EQ(pread(producer.fd(), got.data(), got.size(), part.at("at").integer), static_cast<ssize_t>(got.size()));
      EXPECT_EQ(to_hex(got), part.at("hex").string) << "at byte " << part.at("at").integer;
    }
  }
}

// The same bytes by begin_whole() and end_whole(), up to the end of a chunk; then message() takes the next chunk.
TEST(ShmVectors, packets_whose_bytes_are_the_caller_s) {
  const auto write = [](Stream& out, std::size_t size, std::uint8_t value, bool whole) {
    std::uint8_t* p = whole ? out.begin_whole(size) : nullptr;
    if (p != nullptr) {
      *p++ = 0x12;
      *p++ = static_cast<std::uint8_t>(size - 2);
      std::memset(p, value, size - 2);
      out.end_whole(p + size - 2);
      return true;
    }
    auto packet = out.message<ChildWriter>();
    packet.set_name(std::string(size - 2, static_cast<char>(value)));
    EXPECT_TRUE(packet.finish().ok());
    return false;
  };
  std::string areas[2];
  for (const bool whole : {false, true}) {
    Producer producer;
    ASSERT_EQ(producer.create({128, 64, 2}), AreaError::Ok);
    Stream out(producer);
    EXPECT_EQ(out.begin_whole(1), nullptr) << "the stream has no chunk yet";
    std::size_t wholes = 0;
    for (int i = 0; i < 40; ++i) {
      wholes += write(out, 5 + static_cast<std::size_t>(i) % 50, static_cast<std::uint8_t>('a' + i % 26), whole);
    }
    EXPECT_EQ(wholes > 15, whole);
    Reader reader;
    ASSERT_EQ(reader.open(producer.fd()), AreaError::Ok);
    for (int i = 0; i < 3; ++i) {
      reader.poll([&](const Packet& packet) {
        EXPECT_EQ(packet.losses, 0u);
        areas[whole].append(packet.bytes.text());
      });
    }
    // A packet that is open, and one that was dropped, which message() must report.
    {
      auto open = out.message<ChildWriter>();
      EXPECT_EQ(out.begin_whole(1), nullptr);
    }
    EXPECT_EQ(reader.counts().packets, 40u);
  }
  EXPECT_EQ(areas[0], areas[1]);
}

// After the service has taken back the chunk, and after a packet was dropped, begin_whole() returns nullptr.
TEST(ShmVectors, begin_whole_after_the_chunk_has_gone) {
  Producer producer;
  ASSERT_EQ(producer.create({128, 2, 2}), AreaError::Ok);
  Stream out(producer);
  { out.message<ChildWriter>().set_name("first"); }
  Reader reader;
  ASSERT_EQ(reader.open(producer.fd()), AreaError::Ok);
  std::size_t packets = 0;
  std::uint64_t lost = 0;
  const auto sink = [&](const Packet& packet) {
    ++packets;
    lost += packet.lost;
  };
  for (std::uint64_t now = 1; now < 4; ++now) reader.poll(sink, now * 200000000);
  EXPECT_EQ(reader.counts().taken_back, 1u);
  EXPECT_EQ(out.begin_whole(10), nullptr);
  { out.message<ChildWriter>().set_name(std::string(1000, 'x')); }
  EXPECT_EQ(out.dropped(), 1u);
  EXPECT_EQ(out.begin_whole(10), nullptr);
  for (std::uint64_t now = 10; now < 13; ++now) reader.poll(sink, now * 200000000);
  { out.message<ChildWriter>().set_name("after"); }
  std::uint8_t* const p = out.begin_whole(2);
  ASSERT_NE(p, nullptr);
  p[0] = 0x12;
  p[1] = 0;
  out.end_whole(p + 2);
  for (std::uint64_t now = 20; now < 23; ++now) reader.poll(sink, now * 200000000);
  EXPECT_EQ(packets, 3u);
  EXPECT_EQ(lost, 1u);
}

}  // namespace
}  // namespace hotpb_test
