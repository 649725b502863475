// Scans a message by table: one loop for all messages whose code is not straight (spec/plan.md, PLN-32).
//
// Straight code has a section for each field. That is fastest for the few messages that occur often, but for a message
// of many fields it costs code, compile time and instruction cache. Here a field is an entry of eight bytes.
//
// This header is for generated code. It fills the same slots as straight code (view/raw.h).
#ifndef HOTPB_VIEW_TABLE_H_
#define HOTPB_VIEW_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/view/raw.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
namespace detail {

enum class ScanKind : std::uint8_t {
  Varint,
  Fixed32,
  Fixed64,
  Utf8,    // a string that is always checked
  String,  // a string that only ReadOptions::strict checks
  Bytes,
  Message,
  Group,
  Closed,  // a closed enum: values that it does not define are unknown fields
  Map,
};

enum class ScanShape : std::uint8_t { Single, Member, Repeated };

// One field; the FieldEntry at the same index has the rest. Entries are in ascending order of numbers. The last one has
// tag 0, which no record has.
struct ScanEntry {
  std::uint32_t tag;   // as the schema requires it: for a packed field, that of the packed record
  std::uint16_t slot;  // in Slots, in units of four bytes
  ScanKind kind;
  ScanShape shape;
};

using ::hotpb::detail::element_wire_type;
using ::hotpb::detail::is_packable;

// The entry that takes a record of this tag, or the entry with tag 0: one of the next after `entry`, or any.
HOTPB_NOINLINE inline const ScanEntry* find_scan(const ScanEntry* entries, const MessageTable& table,
                                                 const ScanEntry* entry, std::uint32_t tag) {
  constexpr std::ptrdiff_t kSteps = 16;  // after that a search is quicker
  const ScanEntry* const last = entries + table.field_count;
  const ScanEntry* const limit = last - entry > kSteps ? entry + kSteps : last;
  while (entry != limit && entry->tag < tag) ++entry;
  if (HOTPB_LIKELY(entry != limit && entry->tag == tag)) return entry;
  const FieldEntry* const field = find_entry(table, wire::tag_number(tag));
  if (field == nullptr || !::hotpb::detail::takes(*field, wire::tag_type(tag))) return last;
  return entries + (field - table.fields);
}

// Skips the value of one element at `p`, and stores its payload if it has one. Returns nullptr if the value is bad.
HOTPB_INLINE const std::uint8_t* scan_value(const Raw& raw, const ScanEntry& entry, const std::uint8_t* p,
                                            const std::uint8_t* end, Bytes& payload) {
  switch (entry.kind) {
    case ScanKind::Varint:
    case ScanKind::Closed: return wire::skip_varint(p, end);
    case ScanKind::Fixed32: return end - p >= 4 ? p + 4 : nullptr;
    case ScanKind::Fixed64: return end - p >= 8 ? p + 8 : nullptr;
    case ScanKind::Group: return raw.skip_group(p, end, wire::tag_number(entry.tag));
    default: break;
  }
  p = wire::read_len(p, end, payload);
  if (p == nullptr) return nullptr;
  if (entry.kind == ScanKind::Utf8 || (entry.kind == ScanKind::String && raw.strict())) {
    if (!utf8::is_valid(payload.data(), payload.size())) return nullptr;
  }
  return p;
}

// Scans a packed record whose length is at `p`.
inline const std::uint8_t* scan_packed(Raw& raw, const FieldEntry& field, Run& run, const std::uint8_t* start,
                                       const std::uint8_t* p, const std::uint8_t* end) {
  Bytes payload;
  p = wire::read_len(p, end, payload);
  if (p == nullptr) return nullptr;
  const wire::WireType type = element_wire_type(field.type);
  std::uint32_t count = 0;
  if (type == wire::WireType::Varint) {
    const bool good = field.closed != nullptr ? raw.scan_closed(start, payload.begin(), p, field.closed, count)
                                              : raw.scan_varints(payload.begin(), p, count);
    if (!good) return nullptr;
  } else {
    const std::size_t width = type == wire::WireType::Fixed32 ? 4 : 8;
    if (payload.size() % width != 0) return nullptr;
    count = static_cast<std::uint32_t>(payload.size() / width);
  }
  if (count != 0) run.add(raw.offset(start), raw.offset(p), count);
  return p;
}

// Whether a record whose value ends at `p` counts or is an unknown field. For closed enums, and maps.
inline EntryScan scan_counts(const Raw& raw, const ScanEntry& entry, const FieldEntry& field,
                             const std::uint8_t* value, const std::uint8_t* p, const Bytes& payload) {
  if (entry.kind == ScanKind::Closed) {
    std::uint64_t number = 0;
    wire::read_varint(value, p, number);
    return field.closed(static_cast<std::int32_t>(number)) ? EntryScan::Known : EntryScan::Unknown;
  }
  const FieldEntry& key_field = field.child->fields[0];
  const FieldEntry& value_field = field.child->fields[1];
  return raw.scan_entry(payload.begin(), p,
                        {wire::make_tag(1, element_wire_type(key_field.type)),
                         wire::make_tag(2, element_wire_type(value_field.type)), key_field.type == FieldType::String,
                         value_field.type == FieldType::String, key_field.verify_utf8, value_field.verify_utf8,
                         field.closed});
}

// Scans a record of a repeated or map field, of a member of a oneof, or of a closed enum. `p` follows the tag.
HOTPB_NOINLINE inline const std::uint8_t* scan_rare(Raw& raw, unsigned char* slot, const ScanEntry& entry,
                                                    const FieldEntry& field, std::uint32_t tag,
                                                    const std::uint8_t* start, const std::uint8_t* p,
                                                    const std::uint8_t* end) {
  if (entry.shape == ScanShape::Repeated && is_packable(field.type) && wire::tag_type(tag) == wire::WireType::Len) {
    return scan_packed(raw, field, *reinterpret_cast<Run*>(slot), start, p, end);
  }
  const std::uint8_t* const value = p;
  Bytes payload;
  p = scan_value(raw, entry, p, end, payload);
  if (p == nullptr) return nullptr;
  if (entry.kind == ScanKind::Closed || entry.kind == ScanKind::Map) {
    const EntryScan counts = scan_counts(raw, entry, field, value, p, payload);
    if (counts == EntryScan::Bad) return nullptr;
    if (counts == EntryScan::Unknown) {
      raw.keep_unknown(start, p);
      return p;
    }
  }
  if (entry.shape == ScanShape::Repeated) {
    reinterpret_cast<Run*>(slot)->add(raw.offset(start), raw.offset(p), 1);
  } else if (entry.shape == ScanShape::Single) {
    *reinterpret_cast<std::uint32_t*>(slot) = raw.offset(value);  // a closed enum
  } else {
    Choice& choice = *reinterpret_cast<Choice*>(slot);
    switch (entry.kind) {
      case ScanKind::Utf8:
      case ScanKind::String:
      case ScanKind::Bytes:
        choice.set_span(field.number, raw.offset(payload.data()), static_cast<std::uint32_t>(payload.size()));
        break;
      case ScanKind::Message:
      case ScanKind::Group: choice.add_sub(field.number, raw.offset(start), raw.offset(p)); break;
      default: choice.set_scalar(field.number, raw.offset(value)); break;
    }
  }
  return p;
}

// Fills `slots` from the records in [p, end). The entries have the places of its members. Returns false if a record is
// bad. A field is found by its number, as in the run of numbers that the last one was in; one switch reads the usual
// forms.
HOTPB_NOINLINE inline bool scan_by_table(Raw& raw, void* all_slots, const MessageTable& table, const ScanEntry* entries,
                                         const std::uint8_t* p, const std::uint8_t* const end) {
  static_assert(sizeof(ScanEntry) == sizeof(std::uint64_t), "an entry is read as one word");
  const std::size_t count = table.field_count;
  const ScanEntry* entry = entries;
  std::size_t skew = 1;  // a number less its index
  while (p != end) {
    const std::uint8_t* const start = p;
    std::uint32_t tag;
    p = wire::detail::read_tag_unchecked(p, end, tag);
    if (HOTPB_UNLIKELY(p == nullptr)) return false;
    // The field, or what is done with a record that has none.
    const std::size_t guess = wire::tag_number(tag) - skew;
    if (HOTPB_LIKELY(guess < count && entries[guess].tag == tag)) {
      entry = entries + guess;
    } else {
      const ScanEntry* const found = detail::find_scan(entries, table, entry, tag);
      if (HOTPB_UNLIKELY(found->tag == 0)) {
        if (!wire::is_valid_tag(tag)) return false;
        const bool dropped = ::hotpb::detail::is_dropped(table, wire::tag_number(tag));
        p = dropped ? raw.drop(p, end, tag) : raw.skip(start, p, end, tag);
        if (p == nullptr) return false;
        continue;
      }
      entry = found;
      skew = wire::tag_number(tag) - static_cast<std::size_t>(entry - entries);
    }
    // What the slot notes of the value.
    const std::uint64_t word = port::load<std::uint64_t>(entry);
    unsigned char* const slot = static_cast<unsigned char*>(all_slots) + (word >> 32 & 0xffff) * 4;
    Bytes payload;
    switch (word >> 48) {  // the shape above the kind
      case static_cast<unsigned>(ScanKind::Varint):
        *reinterpret_cast<std::uint32_t*>(slot) = raw.offset(p);
        p = wire::skip_varint(p, end);
        if (HOTPB_UNLIKELY(p == nullptr)) return false;
        continue;
      case static_cast<unsigned>(ScanKind::Fixed32):
        *reinterpret_cast<std::uint32_t*>(slot) = raw.offset(p);
        if (HOTPB_UNLIKELY(end - p < 4)) return false;
        p += 4;
        continue;
      case static_cast<unsigned>(ScanKind::Fixed64):
        *reinterpret_cast<std::uint32_t*>(slot) = raw.offset(p);
        if (HOTPB_UNLIKELY(end - p < 8)) return false;
        p += 8;
        continue;
      case static_cast<unsigned>(ScanKind::Utf8):
      case static_cast<unsigned>(ScanKind::String):
      case static_cast<unsigned>(ScanKind::Bytes):
        p = wire::read_len(p, end, payload);
        if (HOTPB_UNLIKELY(p == nullptr)) return false;
        if ((entry->kind == ScanKind::Utf8 || (entry->kind == ScanKind::String && raw.strict())) &&
            HOTPB_UNLIKELY(!utf8::detail::is_valid_before(end, payload.data(), payload.size()))) {
          return false;
        }
        *reinterpret_cast<Extent*>(slot) = {raw.offset(payload.data()), static_cast<std::uint32_t>(payload.size())};
        continue;
      case static_cast<unsigned>(ScanKind::Message):
        p = wire::read_len(p, end, payload);
        if (HOTPB_UNLIKELY(p == nullptr)) return false;
        reinterpret_cast<Sub*>(slot)->add(raw.offset(start), raw.offset(p));
        continue;
      case static_cast<unsigned>(ScanKind::Group):
        p = raw.skip_group(p, end, wire::tag_number(tag));
        if (HOTPB_UNLIKELY(p == nullptr)) return false;
        reinterpret_cast<Sub*>(slot)->add(raw.offset(start), raw.offset(p));
        continue;
      default:
        p = detail::scan_rare(raw, slot, *entry, table.fields[entry - entries], tag, start, p, end);
        if (HOTPB_UNLIKELY(p == nullptr)) return false;
        continue;
    }
  }
  return true;
}

}  // namespace detail
}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_TABLE_H_
