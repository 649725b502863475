// A reader of shared memory on an area that the input fills (spec/shm.md, SHM-23 and the following). For any contents,
// each pass ends, uses bounded memory, and delivers bytes of the area. A stream in the same area writes nowhere else.
//
//   first byte: 0 the rest is a header; else passes of the reader, each after changes of the area, whose chunks have
//   128 bytes, or 16 KiB after 2; after 3 and above the sink ends each pass after a chunk:
//   op byte   0 .. 15   the chunk with this index: writer, number, phase, committed, taken, then `committed` bytes of
//   records
//             16 .. 31  a byte of the lines or the bitmap: two bytes of place, one of value
//             32 .. 47  a packet by a stream of hotpb
//             others    a pass
#include <algorithm>
#include <cstring>
#include <string>

#include "fuzz.h"
#include "hotpb/shm/reader.h"
#include "hotpb/writer.h"

namespace {

using namespace hotpb::shm;

// A writer of messages with one field, without generated code.
class NameWriter : public hotpb::MessageWriter {
 public:
  explicit NameWriter(hotpb::detail::WriterKey key) : MessageWriter(key) {}
  void set_name(std::string_view name) { this->put_string<2>(name); }
};

struct Input {
  const std::uint8_t* p;
  const std::uint8_t* end;
  std::uint8_t byte() { return p < end ? *p++ : std::uint8_t{0}; }
  bool more() const { return p < end; }
};

void check_header_of(Input in) {
  detail::Header header;
  std::uint8_t bytes[sizeof header] = {};
  for (std::uint8_t& byte : bytes) byte = in.byte();
  std::memcpy(&header, bytes, sizeof header);
  if (in.more()) header.magic = detail::kMagic;
  const std::uint64_t size = 4096 * (std::uint64_t{in.byte()} + 1);
  if (detail::check_header(header, size) != AreaError::Ok) return;
  FUZZ_REQUIRE(header.lines_at + 64 * std::uint64_t{header.chunks} <= header.writers_at);
  FUZZ_REQUIRE(header.writers_at + 64 * (std::uint64_t{header.writers} + 1) <= header.chunks_at);
  FUZZ_REQUIRE(header.chunks_at + std::uint64_t{header.chunk_bytes} * header.chunks <= size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in = {data, data + size};
  const std::uint8_t kind = in.byte();
  if (kind == 0) {
    check_header_of(in);
    return 0;
  }
  const std::uint32_t chunk_bytes = kind == 2 ? 16384 : 128;
  Producer producer;
  FUZZ_REQUIRE(producer.create({chunk_bytes, 16, 3, kind % 2 == 0}) == AreaError::Ok);
  const std::size_t bytes = static_cast<std::size_t>(producer.area_bytes());
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, producer.fd(), 0);
  FUZZ_REQUIRE(mapped != MAP_FAILED);
  auto* const memory = static_cast<std::uint8_t*>(mapped);
  detail::Header header;
  std::memcpy(&header, memory, sizeof header);
  const detail::Parts parts(memory, memory + header.control_at, header);
  {
    constexpr std::uint64_t kHeld = 1000;
    ReaderOptions options;
    options.held_bytes = kHeld;
    Reader reader;
    FUZZ_REQUIRE(reader.open(producer.fd(), options) == AreaError::Ok);
    Stream out(producer);
    std::uint64_t now = 0;
    const auto poll = [&] {
      std::size_t seen = 0;
      std::size_t total = 0;
      const std::size_t said = reader.poll(
          [&](const Packet& packet) {
            ++seen;
            total += packet.bytes.size();
            FUZZ_REQUIRE(packet.writer >= 1 && packet.writer <= 3);
            for (const std::uint8_t byte : packet.bytes) now += byte & 1;  // reads them, for the sanitizer
            return kind < 3;
          },
          now += 60000000);
      FUZZ_REQUIRE(seen == said && total <= kHeld + 3 * chunk_bytes * 16);
      FUZZ_REQUIRE(reader.held_bytes() <= kHeld);
      Reader* const readers[] = {&reader};
      if (reader.wakes()) hotpb::shm::wait(readers, 1, 0);
    };
    while (in.more()) {
      const std::uint8_t op = in.byte();
      if (op < 16) {
        detail::Line& line = parts.line(op);
        const std::uint8_t writer = in.byte();
        line.number = static_cast<std::uint32_t>(static_cast<std::int8_t>(in.byte()));
        const std::uint8_t phase = in.byte();
        const std::uint8_t committed = in.byte();
        line.consumed = in.byte();
        line.sequence = writer;
        for (std::size_t i = 0; i < std::min<std::size_t>(committed, 128); ++i) parts.chunk(op)[i] = in.byte();
        line.state = detail::state_word(writer & 0x7f, phase >> 4, static_cast<detail::Phase>(phase & 15), committed);
      } else if (op < 32) {
        const std::size_t place = in.byte() | std::size_t{in.byte()} << 8;
        memory[header.control_at + place % (header.writers_at - header.control_at)] = in.byte();
      } else if (op < 48) {
        auto packet = out.message<NameWriter>();
        packet.set_name(std::string(op == 47 ? 300 : op == 46 ? 20000 : std::size_t{op} & 15, 'n'));
      } else {
        poll();
      }
    }
    poll();
    reader.end();
    FUZZ_REQUIRE(reader.held_bytes() == 0);
  }
  munmap(mapped, bytes);
  return 0;
}
