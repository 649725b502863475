// A producer that writes anything: packets, records, lines and entries of the registry (TRC-23 to TRC-25). Whatever
// comes, each pass ends and the file is one that spec/tracing.md describes.
//
//   op byte   0 .. 7     that many bytes of the registry's entries, or of all of it, from a place of two bytes
//             8 .. 15    the registry's end
//             16 .. 127  a packet of a stream: that many bytes, as they are
//             128 .. 143 a byte of the control part; 144 .. 159 of the chunks
//             160 .. 191 an event that is good, with a number from the op
//             others     a pass
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "check_output.h"
#include "hotpb/shm/source.h"
#include "sdk/registry.h"
#include "service/output.h"
#include "service/server.h"

namespace {

struct Input {
  const std::uint8_t* p;
  const std::uint8_t* end;
  std::uint8_t byte() { return p < end ? *p++ : std::uint8_t{0}; }
  std::size_t place() { return byte() | std::size_t{byte()} << 8; }
};
class Recorder final : public tracing::service::Output {
 public:
  void flush() override {}  // it stays in the buffer, which the check reads
};
[[noreturn]] void report(const char* problem) {
  std::fprintf(stderr, "the file: %s\n", problem);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in = {data, data + size};
  hotpb::shm::Producer producer;
  tracing::detail::Registry registry;
  if (producer.create({128, 16, 3}) != hotpb::shm::AreaError::Ok || !registry.create(4096)) std::abort();
  registry.text("a name");
  registry.text("another");
  registry.counter("a counter", "");
  auto* const area = static_cast<std::uint8_t*>(
      mmap(nullptr, producer.area_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, producer.fd(), 0));
  auto* const entries =
      static_cast<std::uint8_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, registry.fd(), 0));
  {
    Recorder output;
    tracing::service::FileNumbers numbers;
    tracing::service::TranslateCounts counts;
    tracing::service::Client client(output, numbers, counts, 1, 2);
    if (!client.open(producer.fd(), registry.fd(), 1 << 20)) std::abort();
    hotpb::shm::Stream out(producer);
    bool good = true;
    while (in.p < in.end && good) {
      const std::uint8_t op = in.byte();
      if (op < 8) {
        const std::size_t at = (op < 4 ? 64 : 0) + in.place() % 4000;
        for (unsigned i = 0; i < op && at + i < 4096; ++i) entries[at + i] = in.byte();
      } else if (op < 16) {
        const auto used = static_cast<std::uint32_t>(in.place());
        std::memcpy(entries + 16, &used, sizeof used);
      } else if (op < 128) {
        std::string bytes;
        for (unsigned i = 16; i < op; ++i) bytes += static_cast<char>(in.byte());
        auto packet = out.message<tracing::hot::TracePacketWriter>();
        packet.append_raw(hotpb::Bytes(bytes));
      } else if (op < 144) {
        area[4096 + in.place() % 4096] = in.byte();
      } else if (op < 160) {
        area[producer.area_bytes() - 4096 + in.place() % 4096] = in.byte();
      } else if (op < 192) {
        auto packet = out.message<tracing::hot::TracePacketWriter>();
        packet.set_timestamp(in.place());
        auto event = packet.set_track_event();
        event.set_type(static_cast<tracing::hot::TrackEvent_Type>(1 + op % 4));
        if (op % 4 == 3) {
          event.set_track_uuid(1);
          event.set_counter_value(op);
        }
        event.set_name_iid(op & 3);
      } else {
        good = client.poll();
      }
    }
    client.end();
    if (const char* const problem = tracing_test::problem_of(output.buffer().bytes())) report(problem);
  }
  munmap(area, producer.area_bytes());
  munmap(entries, 4096);
  return 0;
}
