#include "event_check.h"

#include "hotpb/wire/reader.h"
#include "hotpb/wire/varint.h"
#include "text.h"

namespace tracing::service {

namespace {

using hotpb::Bytes;
using hotpb::wire::make_tag;
using hotpb::wire::Reader;
using hotpb::wire::WireType;

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
          if (!out_.rest.empty()) return Refusal::Malformed;
          out_.rest = fields.record();
          if (const Refusal refusal = testing(fields.as_bytes()); refusal != Refusal::None) return refusal;
          break;
        default: return Refusal::Field;
      }
    }
    if (!fields.ok()) return Refusal::Malformed;
    if (out_.has_time && out_.time_ns > latest_ns) return Refusal::Time;
    if (out_.has_event) return out_.has_time ? event(out_.event) : Refusal::Event;
    return out_.rest.empty() ? Refusal::Event : Refusal::None;
  }
  bool has_bad_text() const { return has_bad_text_; }

 private:
  // TestEvent, of which only the text may be there.
  Refusal testing(Bytes bytes) {
    Reader fields(bytes);
    while (fields.next()) {
      if (fields.tag() != len(1)) return Refusal::Field;
      text(fields.as_bytes());
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
          text(fields.as_bytes());
          out_.category_texts.push_back(fields.as_bytes());
          break;
        case len(23): text(fields.as_bytes()); break;
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
    out_.type = static_cast<Type>(type);
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
        case len(10): text(fields.as_bytes()); break;
        case len(11):
        case len(12): refusal = annotation(fields.as_bytes(), depth - 1); break;
        default: return Refusal::Field;
      }
      if (refusal != Refusal::None) return refusal;
    }
    return fields.ok() ? Refusal::None : Refusal::Malformed;
  }

  void text(Bytes bytes) { has_bad_text_ |= !is_text(bytes); }
  Refusal text_number(std::uint64_t number, std::vector<std::uint64_t>& list) {
    if (!is_known(number, registry_.texts(), [this] { return registry_.texts(); })) return Refusal::Number;
    list.push_back(number);
    return Refusal::None;
  }
  // Entries are published before a packet refers to them.
  template <class Known>
  bool is_known(std::uint64_t number, std::uint64_t known, Known reread) {
    if (number == 0) return false;
    if (number <= known) return true;
    return registry_.update() && number <= reread();
  }

  RegistryReader& registry_;
  CheckedPacket& out_;
  bool has_bad_text_ = false;
};

// ---- text that is not UTF-8, in a packet that is good but for it ----

enum class Level { Packet, Testing, Event, Annotation };

bool is_text_field(Level level, std::uint32_t tag) {
  switch (level) {
    case Level::Testing: return tag == len(1);
    case Level::Event: return tag == len(22) || tag == len(23);
    case Level::Annotation: return tag == len(6) || tag == len(10);
    default: return false;
  }
}
// The level of a message, `level` itself for what is none.
Level level_below(Level level, std::uint32_t tag) {
  switch (level) {
    case Level::Packet: return tag == len(11) ? Level::Event : tag == len(900) ? Level::Testing : level;
    case Level::Event: return tag == len(4) ? Level::Annotation : level;
    default: return level;
  }
}
std::string with_repaired_text(Bytes message, Level level) {
  std::string out;
  Reader fields(message);
  while (fields.next()) {
    const std::uint32_t tag = fields.tag();
    const Level below = level_below(level, tag);
    const bool is_dictionary = level == Level::Annotation && (tag == len(11) || tag == len(12));
    if (!is_text_field(level, tag) && below == level && !is_dictionary) {
      out.append(fields.record().text());
      continue;
    }
    const std::string content =
        is_text_field(level, tag) ? repaired(fields.as_bytes()) : with_repaired_text(fields.as_bytes(), below);
    std::uint8_t header[2 * hotpb::wire::kVarintRoom];
    std::uint8_t* const end = hotpb::wire::write_varint(hotpb::wire::write_varint(header, tag), content.size());
    out.append(reinterpret_cast<const char*>(header), static_cast<std::size_t>(end - header));
    out.append(content);
  }
  return out;
}

// The type of a packet that is refused, read as far as the packet can be.
Type type_of(Bytes packet) {
  std::uint64_t type = 0;
  Reader fields(packet);
  while (fields.next()) {
    if (fields.tag() != len(11)) continue;
    Reader event(fields.as_bytes());
    while (event.next()) {
      if (event.tag() == varint(9)) type = event.as_uint64();
    }
  }
  return type <= static_cast<std::uint64_t>(Type::TYPE_COUNTER) ? static_cast<Type>(type) : Type::TYPE_UNSPECIFIED;
}

}  // namespace

const char* name_of(Refusal refusal) {
  constexpr const char* kNames[kRefusals] = {"none", "malformed", "field", "number", "event", "depth", "time"};
  return kNames[static_cast<std::size_t>(refusal)];
}

void CheckedPacket::clear() {
  time_ns = 0;
  type = Type::TYPE_UNSPECIFIED;
  counter = 0;
  has_time = false;
  has_event = false;
  event = {};
  track_record = {};
  rest = {};
  names.clear();
  categories.clear();
  category_texts.clear();
  keys.clear();
}

void CheckedPacket::keep_end(std::uint64_t latest_ns, std::uint64_t otherwise_ns) {
  static constexpr std::uint8_t kEnd[] = {0x48, static_cast<std::uint8_t>(Type::TYPE_SLICE_END)};
  const std::uint64_t its_ns = has_time && time_ns <= latest_ns ? time_ns : otherwise_ns;
  clear();
  has_time = has_event = true;
  time_ns = its_ns;
  type = Type::TYPE_SLICE_END;
  event = hotpb::Bytes(kEnd, sizeof kEnd);
}

Refusal check_packet(Bytes packet, RegistryReader& registry, std::uint64_t latest_ns, CheckedPacket& out) {
  out.clear();
  Check check(registry, out);
  Refusal refusal = check.packet(packet, latest_ns);
  if (refusal == Refusal::None && check.has_bad_text()) {
    out.clear();
    out.repaired = with_repaired_text(packet, Level::Packet);
    refusal = Check(registry, out).packet(hotpb::Bytes(out.repaired), latest_ns);
  }
  if (refusal != Refusal::None) out.type = type_of(packet);
  return refusal;
}

}  // namespace tracing::service
