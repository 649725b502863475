// Whether a producer's packet is one that may stand in a trace (spec/tracing.md, TRC-1 to TRC-4 and section 6), and
// what it needs there: the numbers of texts that it uses. Text that is not UTF-8 is repaired (TRC-49).
#ifndef TRACING_SERVICE_EVENT_CHECK_H_
#define TRACING_SERVICE_EVENT_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hotpb/wire.h"
#include "registry_reader.h"
#include "tracing/packet.hot.h"

namespace tracing::service {

enum class Refusal : std::uint8_t {
  None = 0,
  Malformed,   // no protobuf, or a field twice that stands once
  Field,       // a field that is not a producer's
  Number,      // a text or counter that is not in the registry
  Event,       // a type, or a combination of fields, that no event has
  Depth,       // annotations nested too deeply
  Time,        // later than now
};
constexpr std::size_t kRefusals = 7;
const char* name_of(Refusal refusal);

using Type = hot::TrackEvent_Type;

struct CheckedPacket {
  std::uint64_t time_ns = 0;
  Type type = Type::TYPE_UNSPECIFIED;  // of the event; of a packet that is refused, as far as that can be known
  bool has_time = false;
  bool has_event = false;
  hotpb::Bytes event;         // the track event, without
  hotpb::Bytes track_record;  // the record of its track in it, if there is one
  std::uint64_t counter = 0;  // its number, 0: none
  hotpb::Bytes rest;          // records that pass as they are
  std::vector<std::uint64_t> names;
  std::vector<std::uint64_t> categories;
  std::vector<hotpb::Bytes> category_texts;
  std::vector<std::uint64_t> keys;
  std::string repaired;       // the packet, if it had text that is not UTF-8; all of the above is in it

  void clear();
  // Of an end that is refused, its end is kept, at its time if that can be (TRC-51).
  void keep_end(std::uint64_t latest_ns, std::uint64_t otherwise_ns);
};

constexpr unsigned kAnnotationDepth = 8;

// Checks a packet. The registry is updated if it does not know a number. `packet` must outlive `out`.
Refusal check_packet(hotpb::Bytes packet, RegistryReader& registry, std::uint64_t latest_ns, CheckedPacket& out);

}  // namespace tracing::service

#endif  // TRACING_SERVICE_EVENT_CHECK_H_
