// Whether a producer's packet is one that may stand in a trace (spec/tracing.md, TRC-1 to TRC-4 and section 6), and
// what it needs there: the numbers of texts that it uses.
#ifndef TRACING_SERVICE_EVENT_CHECK_H_
#define TRACING_SERVICE_EVENT_CHECK_H_

#include <cstdint>
#include <vector>

#include "hotpb/wire.h"
#include "registry_reader.h"

namespace tracing::service {

enum class Refusal : std::uint8_t {
  None = 0,
  Malformed,   // no protobuf, or a field twice that stands once
  Field,       // a field that is not a producer's
  Text,        // not UTF-8
  Number,      // a text or counter that is not in the registry
  Event,       // a type, or a combination of fields, that no event has
  Depth,       // annotations nested too deeply
  Time,        // later than now
};
constexpr std::size_t kRefusals = 8;
const char* name_of(Refusal refusal);

struct CheckedPacket {
  std::uint64_t time_ns = 0;
  bool has_time = false;
  bool has_event = false;
  hotpb::Bytes event;         // the track event, without
  hotpb::Bytes track_record;  // the record of its track in it, if there is one
  std::uint64_t counter = 0;  // its number, 0: none
  hotpb::Bytes other;         // records that pass as they are
  std::vector<std::uint64_t> names;
  std::vector<std::uint64_t> categories;
  std::vector<std::uint64_t> keys;

  void clear();
};

constexpr unsigned kAnnotationDepth = 8;

// Checks a packet. The registry is updated if it does not know a number.
Refusal check_packet(hotpb::Bytes packet, RegistryReader& registry, std::uint64_t latest_ns, CheckedPacket& out);

}  // namespace tracing::service

#endif  // TRACING_SERVICE_EVENT_CHECK_H_
