// One producer's packets as they stand in the file: with numbers of sequences and tracks that are the file's own, times
// as differences, names where they are used first, and marks where packets are missing (spec/tracing.md, sections 4 and
// 5). The producer knows nothing of that: after a loss it is the service that says everything again.
#ifndef TRACING_SERVICE_TRANSLATE_H_
#define TRACING_SERVICE_TRANSLATE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "backlog.h"
#include "category_filter.h"
#include "event_check.h"
#include "hotpb/shm/reader.h"
#include "output.h"
#include "registry_reader.h"
#include "slices.h"
#include "tracing/packet.hot.h"

namespace tracing::service {

// Bits of previous_packet_dropped.
enum FileLoss : std::uint32_t {
  kFileLoss = 1,  // any
  kFileCorrupt = 4,
  kFileOrphan = 8,
  kFileGap = 16,
  kFileCut = 32,
  kFileTooLarge = 128,
  kFileFull = 256,
};

// Numbers that are the file's: one for all producers.
struct FileNumbers {
  std::uint32_t last_sequence = 1;  // 1 is the service's own
  std::uint64_t last_track = 0;
};

struct TranslateCounts {
  std::uint64_t packets = 0;
  std::uint64_t lost = 0;      // as producers say
  std::uint64_t restarts = 0;  // of sequences that had said everything already
  std::array<std::uint64_t, kRefusals> refused = {};
};

// The first packet of each block: how the clocks of the machine stand (TRC-16).
void write_clocks(Output& output);

class Translator {
 public:
  Translator(Output& output, FileNumbers& numbers, RegistryReader& registry, std::int32_t pid, std::int32_t uid,
             std::uint32_t writers, TranslateCounts& counts, CategoryFilter categories = CategoryFilter())
      : output_(output), numbers_(numbers), registry_(registry), pid_(pid), uid_(uid), counts_(counts),
        filter_(std::move(categories)), sequences_(writers + std::size_t{1}) {}

  // Where the packets that follow belong.
  void mark(const Mark& mark);
  void packet(hotpb::Bytes bytes);
  void packet(const hotpb::shm::Packet& packet, std::uint64_t latest_ns) {
    mark({latest_ns, packet.lost, packet.writer, packet.sequence, packet.losses, 0});
    this->packet(packet.bytes);
  }
  // After the last packet: losses that no packet followed (TRC-22).
  void end();

 private:
  using Numbers = std::vector<bool>;
  struct Sequence {
    std::uint32_t stream = 0;      // of the producer
    std::uint32_t number = 0;      // of the file, 0: none yet
    std::uint64_t track = 0;
    std::uint64_t block = 0;       // in which everything was said
    std::uint64_t failures = 0;    // of the output at that time
    std::uint64_t last_ns = 0;
    std::uint32_t losses = 0;      // FileLoss
    Slices slices;
    Numbers names;
    Numbers categories;
    Numbers keys;
  };
  struct UsualEvent;

  void establish(Sequence& sequence, std::uint64_t time_ns);
  void describe_process();
  void describe_counter(std::uint64_t counter, Sequence& sequence);
  void intern(hot::TracePacketWriter& packet, Sequence& sequence);
  void write_event(Sequence& sequence);
  bool write_usual(Sequence& sequence, hotpb::Bytes packet);
  bool read_usual(const Sequence& sequence, hotpb::Bytes packet, UsualEvent& out);

  Output& output_;
  FileNumbers& numbers_;
  RegistryReader& registry_;
  const std::int32_t pid_;
  const std::int32_t uid_;
  TranslateCounts& counts_;
  CategoryFilter filter_;
  std::vector<Sequence> sequences_;  // by the writer's id
  std::uint32_t writer_ = 0;         // of the packets that follow
  std::uint64_t latest_ns_ = 0;      // none of them is later
  std::uint64_t process_track_ = 0;
  std::uint64_t process_block_ = 0;
  struct CounterTrack {
    std::uint64_t track = 0;
    std::uint64_t block = 0;
  };
  std::vector<CounterTrack> counters_;
  CheckedPacket checked_;
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_TRANSLATE_H_
