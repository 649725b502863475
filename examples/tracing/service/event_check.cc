#include "event_check.h"

#include "hotpb/wire/reader.h"
#include "hotpb/wire/utf8.h"
#include "tracing/packet.hot.h"

namespace tracing::service {

namespace {

using hotpb::Bytes;
using hotpb::wire::make_tag;
using hotpb::wire::Reader;
using hotpb::wire::WireType;
using Type = hot::TrackEvent_Type;

bool is_text(Bytes bytes) { return hotpb::utf8::is_valid(bytes.data(), bytes.size()); }

constexpr std::uint32_t varint(std::uint32_t number) { return make_tag(number, WireType::Varint); }
constexpr std::uint32_t fixed64(std::uint32_t number) { return make_tag(number, WireType::Fixed64); }
constexpr std::uint32_t len(std::uint32_t number) { return make_tag(number, WireType::Len); }

class Check {
 public:
  Check(RegistryReader& registry, CheckedPacket& out) : registry_(registry), out_(out) {}

  Refusal packet(Bytes bytes, std::uint64_t latest_ns) {
    Reader fields(bytes);
    while (fields.next()) {
      switch (fields.tag()) {
        case varint(8):
          if (out_.has_time) return Refusal::Malformed;
          out_.has_time = true;
          out_.time_ns = fields.as_uint64();
          break;
        case len(11):
          if (out_.has_event) return Refusal::Malformed;
          out_.has_event = true;
          out_.event = fields.as_bytes();
          break;
        case len(900):
          if (!out_.other.empty()) return Refusal::Malformed;
          out_.other = fields.record();
          if (const Refusal refusal = testing(fields.as_bytes()); refusal != Refusal::None) return refusal;
          break;
        default: return Refusal::Field;
      }
    }
    if (!fields.ok()) return Refusal::Malformed;
    if (out_.has_time && out_.time_ns > latest_ns) return Refusal::Time;
    if (out_.has_event) return out_.has_time ? event(out_.event) : Refusal::Event;
    return out_.other.empty() ? Refusal::Event : Refusal::None;
  }

 private:
  // TestEvent, of which only the text may be there.
  static Refusal testing(Bytes bytes) {
    Reader fields(bytes);
    while (fields.next()) {
      if (fields.tag() != len(1)) return Refusal::Field;
      if (!is_text(fields.as_bytes())) return Refusal::Text;
    }
    return fields.ok() ? Refusal::None : Refusal::Malformed;
  }

  Refusal event(Bytes bytes) {
    std::uint64_t type = 0;
    bool has_value = false;
    bool has_track = false;
    std::uint64_t track = 0;
    Reader fields(bytes);
    while (fields.next()) {
      Refusal refusal = Refusal::None;
      switch (fields.tag()) {
        case varint(9): type = fields.as_uint64(); break;
        case varint(3): refusal = text_number(fields.as_uint64(), out_.categories); break;
        case varint(10): refusal = text_number(fields.as_uint64(), out_.names); break;
        case varint(11):
          if (has_track) return Refusal::Malformed;
          has_track = true;
          track = fields.as_uint64();
          out_.track_record = fields.record();
          break;
        case varint(30):
        case fixed64(44):
          if (has_value) return Refusal::Malformed;
          has_value = true;
          break;
        case len(22):
        case len(23): refusal = text(fields.as_bytes()); break;
        case fixed64(47):
        case fixed64(48): break;
        case len(4): refusal = annotation(fields.as_bytes(), kAnnotationDepth); break;
        default: return Refusal::Field;
      }
      if (refusal != Refusal::None) return refusal;
    }
    if (!fields.ok()) return Refusal::Malformed;
    const bool is_counter = type == static_cast<std::uint64_t>(Type::TYPE_COUNTER);
    if (type == 0 || type > static_cast<std::uint64_t>(Type::TYPE_COUNTER)) return Refusal::Event;
    if (is_counter != has_value || is_counter != has_track) return Refusal::Event;
    if (!is_counter) return Refusal::None;
    out_.counter = track;
    return is_known(track, registry_.counters(), [this] { return registry_.counters(); }) ? Refusal::None
                                                                                          : Refusal::Number;
  }

  Refusal annotation(Bytes bytes, unsigned depth) {
    if (depth == 0) return Refusal::Depth;
    Reader fields(bytes);
    while (fields.next()) {
      Refusal refusal = Refusal::None;
      switch (fields.tag()) {
        case varint(1): refusal = text_number(fields.as_uint64(), out_.keys); break;
        case varint(2):
        case varint(3):
        case varint(4):
        case varint(7):
        case fixed64(5): break;
        case len(6):
        case len(10): refusal = text(fields.as_bytes()); break;
        case len(11):
        case len(12): refusal = annotation(fields.as_bytes(), depth - 1); break;
        default: return Refusal::Field;
      }
      if (refusal != Refusal::None) return refusal;
    }
    return fields.ok() ? Refusal::None : Refusal::Malformed;
  }

  static Refusal text(Bytes bytes) { return is_text(bytes) ? Refusal::None : Refusal::Text; }
  Refusal text_number(std::uint64_t number, std::vector<std::uint64_t>& list) {
    if (!is_known(number, registry_.texts(), [this] { return registry_.texts(); })) return Refusal::Number;
    list.push_back(number);
    return Refusal::None;
  }
  // Entries are published before a packet refers to them.
  template <class Known>
  bool is_known(std::uint64_t number, std::uint64_t known, Known again) {
    if (number == 0) return false;
    if (number <= known) return true;
    return registry_.update() && number <= again();
  }

  RegistryReader& registry_;
  CheckedPacket& out_;
};

}  // namespace

const char* name_of(Refusal refusal) {
  constexpr const char* kNames[kRefusals] = {"none", "malformed", "field", "text", "number", "event", "depth", "time"};
  return kNames[static_cast<std::size_t>(refusal)];
}

void CheckedPacket::clear() {
  time_ns = 0;
  counter = 0;
  has_time = false;
  has_event = false;
  event = {};
  track_record = {};
  other = {};
  names.clear();
  categories.clear();
  keys.clear();
}

Refusal check_packet(Bytes packet, RegistryReader& registry, std::uint64_t latest_ns, CheckedPacket& out) {
  out.clear();
  return Check(registry, out).packet(packet, latest_ns);
}

}  // namespace tracing::service
