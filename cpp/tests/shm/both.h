// Both sides of an area in one process, and the packets that a reader delivered.
#ifndef HOTPB_TESTS_SHM_BOTH_H_
#define HOTPB_TESTS_SHM_BOTH_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "hotpb/shm/reader.h"
#include "shm/packets.h"

namespace hotpb_test {

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

inline bool write_name(Stream& out, std::string_view name) {
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

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SHM_BOTH_H_
