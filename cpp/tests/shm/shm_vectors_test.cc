// vectors/shm/: areas as bytes and what a reader finds in them, and the bytes that a stream writes. They are written down
// by hand from spec/shm.md, independent of the code.
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
      const Json& one = wanted[i++];
      EXPECT_EQ(packet.writer, one.at("writer").integer);
      EXPECT_EQ(packet.sequence, one.at("sequence").integer);
      EXPECT_EQ(packet.losses, one.at("losses").integer);
      EXPECT_EQ(packet.lost, static_cast<std::uint64_t>(one.at("lost").integer));
      EXPECT_EQ(to_hex(packet.bytes.text()), one.at("hex").string);
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

}  // namespace
}  // namespace hotpb_test
