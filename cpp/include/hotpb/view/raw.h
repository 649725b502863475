// What every generated view is made of: the message's bytes, and slots that say where its fields are.
//
// A slot holds positions in the bytes, not values, and is all zero when the field is absent: no value can stand at
// position 0, where the first tag is. Slots are dense, in the order of the fields, whatever the field numbers are.
//
//   message   08 2a  12 03 66 6f 6f  1a 02 08 01  1a 00
//   int_val = 1      at 1                                      std::uint32_t: position of the last value
//   str_val = 2      at 4, size 3                              Extent: the last payload
//   nested  = 3      first 7, end 13, count 2                  Run: first record's tag to the end of the last record
//
// A message that came in several records is scanned record by record, as one: its positions count from the first
// record's tag, and what lies between its records is never looked at (view/parts.h).
//
// This header serves generated code; users meet view.h.
#ifndef HOTPB_VIEW_RAW_H_
#define HOTPB_VIEW_RAW_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hotpb/abi.h"
#include "hotpb/check.h"
#include "hotpb/error.h"
#include "hotpb/view/parts.h"
#include "hotpb/view/valid.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

// What is left of the options of a decode for one message.
struct Rules {
  std::uint32_t limit = static_cast<std::uint32_t>(kMaxMessageSize);  // of its size
  std::int32_t levels = kDefaultDepth;  // that may open below it; negative: it is itself too deep
  bool strict = false;

  Rules below() const { return {limit, levels - 1, strict}; }
  ReadOptions options() const {
    ReadOptions result;
    result.strict = strict;
    result.depth = levels > 0 ? static_cast<std::uint32_t>(levels) : 0;
    result.size = limit;
    return result;
  }
};

inline Rules make_rules(const Limits& limits) {
  return {limits.size(), static_cast<std::int32_t>(limits.depth()), limits.strict()};
}

// The slot of a string or bytes field.
struct Extent {
  std::uint32_t at = 0;
  std::uint32_t size = 0;

  bool has() const { return at != 0; }
};

// The slot of a singular message or group: from the first record's tag to the end of the last record.
struct Sub {
  static constexpr std::uint32_t kSplit = 1u << 31;  // in `first`: there is more than one record, they merge

  std::uint32_t first = 0;
  std::uint32_t end = 0;

  bool has() const { return end != 0; }
  HOTPB_INLINE void add(std::uint32_t start, std::uint32_t stop) {
    first = end == 0 ? start : first | kSplit;
    end = stop;
  }
};

// The slot of a repeated or map field. Records of other fields may stand between its own.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t count = 0;  // of elements

  HOTPB_INLINE void add(std::uint32_t start, std::uint32_t stop, std::uint32_t elements) {
    if (count == 0) first = start;
    end = stop;
    count += elements;
  }
};

// The slot of a oneof: the number of the member that is set, and that member's own slot.
struct Choice {
  std::uint32_t number = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  HOTPB_INLINE void set_scalar(std::uint32_t member, std::uint32_t at) { *this = {member, at, 0}; }
  HOTPB_INLINE void set_span(std::uint32_t member, std::uint32_t at, std::uint32_t size) { *this = {member, at, size}; }
  // A record of a message member merges with those of the same member right before it.
  HOTPB_INLINE void add_sub(std::uint32_t member, std::uint32_t start, std::uint32_t stop) {
    Sub slot = sub(member);
    slot.add(start, stop);
    *this = {member, slot.first, slot.end};
  }

  std::uint32_t at(std::uint32_t member) const { return number == member ? a : 0; }
  Extent span(std::uint32_t member) const { return number == member ? Extent{a, b} : Extent{}; }
  Sub sub(std::uint32_t member) const { return number == member ? Sub{a, b} : Sub{}; }
};

// What a map field needs to be checked: the tags of key and value in an entry.
struct EntryRules {
  std::uint32_t key_tag;
  std::uint32_t value_tag;
  bool key_is_string;
  bool value_is_string;
  bool verify_key;    // checked for UTF-8 without being asked to
  bool verify_value;
  bool (*closed)(std::int32_t);  // tells the values of a closed enum, else nullptr
};

enum class EntryScan { Bad, Known, Unknown };

// Limits for walking what a scan has checked: they cannot be met.
constexpr std::uint32_t kAnyDepth = kMaxDepth;

class Raw {
 public:
  // Nothing of the message before is left.
  HOTPB_INLINE void start(Bytes bytes, const Rules& rules) {
    data_ = bytes.data();
    // A size above the limit is refused before it is used; all others fit.
    size_ = bytes.size() > kMaxMessageSize ? 0xffffffffu : static_cast<std::uint32_t>(bytes.size());
    unknown_ = 0;
    last_ = 0;
    rules_ = rules;
    if (HOTPB_UNLIKELY(parts_.any())) parts_ = Parts();
  }
  // A message of several parts.
  HOTPB_COLD void start(const Parts& parts, const Rules& rules) {
    const Parts kept = parts;  // they may be this message's own
    start(Bytes(kept.base(), static_cast<std::size_t>(kept[kept.count() - 1].end() - kept.base())), rules);
    parts_ = kept;
  }

  // May the message be scanned at all?
  bool admitted() const { return rules_.levels >= 0 && size_ <= rules_.limit; }

  // From the first byte to the last one: of several parts with what lies between them.
  const std::uint8_t* begin() const { return data_; }
  const std::uint8_t* end() const { return data_ + size_; }
  const std::uint8_t* at(std::uint32_t position) const { return data_ + position; }
  // The message's own bytes when it is not of several parts.
  Bytes bytes() const { return {data_, size_}; }
  const Parts& parts() const { return parts_; }
  std::uint32_t message_size() const { return parts_.any() ? parts_.total() : size_; }
  Bytes first_part() const { return parts_.any() ? parts_[0] : bytes(); }
  // Where a walk that begins at `from` has to stop first: at `to`, or at the end of its part.
  HOTPB_INLINE const std::uint8_t* walk_end(std::uint32_t from, std::uint32_t to) const {
    return HOTPB_UNLIKELY(parts_.any()) ? part_end(from, to) : at(to);
  }
  const Rules& rules() const { return rules_; }
  bool strict() const { return rules_.strict; }
  std::uint32_t unknown_begin() const { return unknown_; }
  bool any_unknown() const { return last_ != 0; }
  std::uint32_t unknown_end() const { return last_; }

  // Position of `p`, which lies in the message.
  HOTPB_INLINE std::uint32_t offset(const std::uint8_t* p) const { return static_cast<std::uint32_t>(p - data_); }

  // Scanning. Each returns the byte after the record, nullptr when it is bad; `end` is that of the part.

  // Over a record that is none of the message's fields: it is kept as unknown.
  const std::uint8_t* skip(const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end,
                           std::uint32_t tag) {
    p = wire::skip_value(p, end, tag, levels());
    if (p != nullptr) keep_unknown(start, p);
    return p;
  }
  // Over a record of a field that the generated code leaves out: checked as an unknown one is, and not kept.
  const std::uint8_t* drop(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag) const {
    return wire::skip_value(p, end, tag, levels());
  }
  HOTPB_INLINE const std::uint8_t* skip_len(const std::uint8_t* p, const std::uint8_t* end) const {
    Bytes ignored;
    return wire::read_len(p, end, ignored);
  }
  const std::uint8_t* skip_group(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t number) const {
    Bytes ignored;
    return wire::read_group(p, end, number, ignored, levels());
  }
  // The record between `start` and `stop` is, or has in it, an unknown field.
  void keep_unknown(const std::uint8_t* start, const std::uint8_t* stop) {
    if (last_ == 0) unknown_ = offset(start);
    last_ = offset(stop);
  }

  // Counts the varints of a packed payload; false when one is bad.
  static bool scan_varints(const std::uint8_t* p, const std::uint8_t* stop, std::uint32_t& count) {
    count = 0;
    while (p != stop) {
      // One byte each, eight at a time: what small numbers, bools and enums are.
      if (stop - p >= 8 && (port::load<std::uint64_t>(p) & 0x8080808080808080u) == 0) {
        p += 8;
        count += 8;
        continue;
      }
      p = wire::skip_varint(p, stop);
      if (p == nullptr) return false;
      ++count;
    }
    return true;
  }
  // The same of a closed enum: counts the values it defines; the others are unknown fields.
  template <class Known>
  bool scan_closed(const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* stop, Known known,
                   std::uint32_t& count) {
    count = 0;
    bool others = false;
    while (p != stop) {
      std::uint64_t value;
      p = wire::read_varint(p, stop, value);
      if (p == nullptr) return false;
      if (known(static_cast<std::int32_t>(value))) {
        ++count;
      } else {
        others = true;
      }
    }
    if (others) keep_unknown(start, stop);
    return true;
  }
  // The map entry in [p, stop).
  EntryScan scan_entry(const std::uint8_t* p, const std::uint8_t* stop, const EntryRules& entry) const {
    if (rules_.levels <= 0) return EntryScan::Bad;
    EntryScan found = EntryScan::Known;
    while (p != stop) {
      std::uint32_t tag;
      p = wire::read_tag(p, stop, tag);
      if (p == nullptr) return EntryScan::Bad;
      const std::uint8_t* const value = p;
      p = wire::skip_value(p, stop, tag, levels() - 1);
      if (p == nullptr) return EntryScan::Bad;
      if (tag == entry.key_tag) {
        if (entry.key_is_string && (entry.verify_key || strict()) && !is_text(value, p)) return EntryScan::Bad;
      } else if (tag == entry.value_tag) {
        if (entry.value_is_string && (entry.verify_value || strict()) && !is_text(value, p)) return EntryScan::Bad;
        if (entry.closed != nullptr) {
          std::uint64_t number = 0;
          wire::read_varint(value, p, number);
          found = entry.closed(static_cast<std::int32_t>(number)) ? EntryScan::Known : EntryScan::Unknown;
        }
      }
    }
    return found;
  }

  // What is wrong with a message whose scan failed.
  HOTPB_COLD Error fail(const MessageTable& table) const {
    if (rules_.levels < 0) return Error{Code::DepthExceeded, 0, {}};
    if (!admitted()) return Error{Code::SizeExceeded, 0, {}};
    // Each part must be good by itself. Offsets count from the first byte of the merged message, indices within the
    // part (PTH-2).
    std::uint64_t before = 0;
    for (std::size_t i = 0; i == 0 || (parts_.any() && i < parts_.count()); ++i) {
      const Bytes part = parts_.any() ? parts_[i] : bytes();
      Error error = check(table, part, rules_.options());
      if (!error.ok()) {
        error.offset += before;
        return error;
      }
      before += part.size();
    }
    // Not reached unless somebody changed the bytes meanwhile.
    return Error{Code::HandleMisuse, 0, {}};
  }
  // The message with all that is in it.
  Error validate(const MessageTable& table) const {
    if (!admitted()) return fail(table);
    if (HOTPB_UNLIKELY(parts_.any())) return validate_parts(table);
    if (HOTPB_LIKELY(is_valid(table, bytes(), levels(), strict()))) return {};
    return fail(table);
  }

  std::string_view text(Extent slot) const { return {reinterpret_cast<const char*>(data_) + slot.at, slot.size}; }
  Bytes payload(Extent slot) const { return {data_ + slot.at, slot.size}; }

 private:
  std::uint32_t levels() const { return static_cast<std::uint32_t>(rules_.levels); }
  HOTPB_COLD const std::uint8_t* part_end(std::uint32_t from, std::uint32_t to) const {
    return from == to ? at(to) : parts_.end_of(at(from));
  }
  HOTPB_COLD Error validate_parts(const MessageTable& table) const {
    for (std::size_t i = 0; i < parts_.count(); ++i) {
      if (!is_valid(table, parts_[i], levels(), strict())) return fail(table);
    }
    return {};
  }
  // Is the payload of the length-delimited value in [p, stop), which has been checked, well-formed UTF-8?
  static bool is_text(const std::uint8_t* p, const std::uint8_t* stop) {
    Bytes payload;
    return wire::read_len(p, stop, payload) != nullptr && utf8::is_valid(payload.data(), payload.size());
  }

  const std::uint8_t* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t unknown_ = 0;  // first unknown record
  std::uint32_t last_ = 0;     // end of the last one; 0 when there is none
  Rules rules_;
  Parts parts_;  // of a message that came in several records
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_RAW_H_
