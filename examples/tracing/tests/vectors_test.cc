// vectors/tracing/: what a producer's packets and registry may be, and the bytes of the file that come of them. They
// are written down by hand from spec/tracing.md, independent of the code.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "sdk/registry.h"
#include "service/event_check.h"
#include "service/output.h"
#include "service/registry_reader.h"
#include "service/translate.h"
#include "support/json.h"
#include "support/support.h"

namespace tracing_test {
namespace {

using namespace tracing::service;
using hotpb_test::from_hex;
using hotpb_test::Json;
using hotpb_test::to_hex;

Json load(const std::string& name) {
  std::string text;
  EXPECT_TRUE(hotpb_test::read_file(hotpb_test::repository("vectors/tracing/" + name), text));
  return hotpb_test::JsonReader(text).read();
}

// A sealed memfd with these bytes first, and zeros.
int sealed(const std::string& bytes, off_t size, int seals = F_SEAL_SHRINK | F_SEAL_GROW) {
  const int fd = memfd_create("registry", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_GE(fd, 0);
  EXPECT_EQ(ftruncate(fd, size), 0);
  EXPECT_EQ(pwrite(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  return fd;
}

std::string registry_of(const Json& entries) {
  std::string body;
  for (const Json& entry : entries.array) {
    const std::string bytes = from_hex(entry.string);
    body += static_cast<char>(bytes.size() & 0xff);
    body += static_cast<char>(bytes.size() >> 8);
    body += bytes;
  }
  std::string memory = "htpbreg1";
  memory.append("\1\0\0\0\100\0\0\0", 8);
  const auto used = static_cast<std::uint32_t>(64 + body.size());
  memory.append(reinterpret_cast<const char*>(&used), 4);
  memory.resize(64);
  return memory + body;
}

class TracingVectors : public testing::Test {
 protected:
  void open_registry(const Json& entries) {
    const int fd = sealed(registry_of(entries), 4096);
    ASSERT_TRUE(registry.open(fd));
    close(fd);
    ASSERT_TRUE(registry.update());
  }
  RegistryReader registry;
};

TEST_F(TracingVectors, packets) {
  const Json vectors = load("packets.json");
  open_registry(vectors.at("registry"));
  const auto latest = static_cast<std::uint64_t>(vectors.at("latest_ns").integer);
  for (const Json& vector : vectors.at("packets").array) {
    SCOPED_TRACE(vector.at("name").string);
    CheckedPacket out;
    const hotpb_test::Exact packet(from_hex(vector.at("hex").string));
    EXPECT_STREQ(name_of(check_packet(packet.bytes(), registry, latest, out)), vector.at("refusal").string.c_str());
  }
}

// Every prefix of a good packet, and every byte of it changed: refused or still one that may be written.
TEST_F(TracingVectors, packets_that_are_damaged) {
  const Json vectors = load("packets.json");
  open_registry(vectors.at("registry"));
  std::size_t refused = 0;
  for (const Json& vector : vectors.at("packets").array) {
    if (vector.at("refusal").string != "none") continue;
    const std::string good = from_hex(vector.at("hex").string);
    const auto check = [&](const std::string& bytes) {
      CheckedPacket out;
      const hotpb_test::Exact packet(bytes);
      if (check_packet(packet.bytes(), registry, ~std::uint64_t{0}, out) != Refusal::None) {
        ++refused;
        return;
      }
      tracing::hot::TracePacketView view;
      EXPECT_TRUE(view.decode(packet.bytes()).ok() && view.validate().ok()) << to_hex(bytes);
    };
    for (std::size_t i = 0; i < good.size(); ++i) {
      check(good.substr(0, i));
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        check(bad);
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST_F(TracingVectors, files) {
  const Json vectors = load("files.json");
  open_registry(vectors.at("registry"));
  for (const Json& vector : vectors.at("files").array) {
    SCOPED_TRACE(vector.at("name").string);
    FlightRecorder output(1 << 20);
    FileNumbers numbers;
    TranslateCounts counts;
    Translator translator(output, numbers, registry, static_cast<std::int32_t>(vectors.at("pid").integer),
                          static_cast<std::int32_t>(vectors.at("uid").integer), 4, counts);
    for (const Json& packet : vector.at("packets").array) {
      const std::string bytes = from_hex(packet.at("hex").string);
      const auto number = [&](const char* key) { return static_cast<std::uint32_t>(packet.at(key).integer); };
      translator.packet({number("writer"), number("sequence"), bytes, number("losses"), number("lost")},
                        static_cast<std::uint64_t>(vectors.at("latest_ns").integer));
    }
    const hotpb::Bytes file = output.buffer().bytes();
    EXPECT_EQ(to_hex(file.text()), vector.at("file").string);
  }
}

TEST(TracingRegistries, vectors) {
  for (const Json& vector : load("registries.json").array) {
    SCOPED_TRACE(vector.at("name").string);
    const int fd = sealed(from_hex(vector.at("hex").string), vector.at("size").integer);
    RegistryReader reader;
    const bool opens = reader.open(fd);
    close(fd);
    EXPECT_EQ(opens, vector.at("opens").boolean);
    if (!opens) continue;
    EXPECT_EQ(reader.update(), vector.at("good").boolean);
    EXPECT_EQ(reader.update(), vector.at("good").boolean) << "a corrupt one stays so";
    if (!vector.has("texts")) continue;
    const std::vector<Json>& texts = vector.at("texts").array;
    ASSERT_EQ(reader.texts(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(reader.text(i + 1), texts[i].string);
    const std::vector<Json>& counters = vector.at("counters").array;
    ASSERT_EQ(reader.counters(), counters.size());
    for (std::size_t i = 0; i < counters.size(); ++i) EXPECT_EQ(reader.counter(i + 1).name, counters[i].string);
    EXPECT_EQ(reader.process(), vector.at("process").string);
  }
}

// TRC-5
TEST(TracingRegistries, one_that_could_shrink_is_refused) {
  const std::string bytes = registry_of(Json());
  for (const int seals : {0, F_SEAL_GROW, F_SEAL_SHRINK}) {
    const int fd = sealed(bytes, 4096, seals);
    RegistryReader reader;
    EXPECT_FALSE(reader.open(fd)) << seals;
    close(fd);
  }
}

// TRC-6, TRC-7, TRC-8, TRC-34, TRC-35: what the SDK writes is what the service reads, until it is full.
TEST(TracingRegistries, written_and_read_back_until_it_is_full) {
  tracing::detail::Registry registry;
  ASSERT_TRUE(registry.create(4096));
  RegistryReader reader;
  ASSERT_TRUE(reader.open(registry.fd()));
  registry.process("demo");
  registry.thread(3, 1234, "worker");
  EXPECT_EQ(registry.text("a"), 1u);
  EXPECT_EQ(registry.text("b"), 2u);
  EXPECT_EQ(registry.text("a"), 1u);
  EXPECT_EQ(registry.counter("a", "ms"), 1u);
  ASSERT_TRUE(reader.update());
  EXPECT_EQ(reader.texts(), 2u);
  EXPECT_EQ(reader.process(), "demo");
  ASSERT_NE(reader.thread(3), nullptr);
  EXPECT_EQ(reader.thread(3)->tid, 1234);
  EXPECT_EQ(reader.thread(3)->name, "worker");
  EXPECT_EQ(reader.counter(1).unit, "ms");
  std::uint32_t last = 2;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t number = registry.text("a text of some length, number " + std::to_string(i));
    EXPECT_TRUE(number == 0 || number == last + 1);
    if (number != 0) last = number;
  }
  EXPECT_LT(last, 1000u);
  ASSERT_TRUE(reader.update());
  EXPECT_EQ(reader.texts(), last);
  EXPECT_EQ(registry.text("a"), 1u) << "what was there stays";
}

}  // namespace
}  // namespace tracing_test
