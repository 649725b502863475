// The state of every generated view: the message's bytes, and slots that store where its fields are.
//
// A slot holds positions in the bytes, not values. It is all zero if the field is absent: position 0 is that of the
// first tag, so no value is there. Slots are dense, in the order of the fields, whatever the field numbers are.
//
//   message   08 2a  12 03 66 6f 6f  1a 02 08 01  1a 00
//   int_val = 1      at 1                                      std::uint32_t: position of the last value
//   str_val = 2      at 4, size 3                              Extent: the last payload
//   nested  = 3      first 7, end 13, count 2                  Run: first record's tag to the end of the last record
//
// A message in several records is scanned record by record, as one message. Its positions count from the tag of the
// first record, and the scan never reads the bytes between the records (view/parts.h).
//
// This header is for generated code; users include view.h.
#ifndef HOTPB_VIEW_RAW_H_
#define HOTPB_VIEW_RAW_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/packed.h"
#include "hotpb/view/parts.h"
#include "hotpb/view/valid.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
namespace detail {

// The options of a decode, as they apply to one message.
struct Rules {
  std::uint32_t limit = static_cast<std::uint32_t>(kMaxMessageSize);  // of the message's size
  std::int32_t levels = kDefaultDepth;  // the levels that may open below it; negative if the message itself is too deep
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

inline Rules make_rules(const hotpb::detail::Limits& limits) {
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
  static constexpr std::uint32_t kSplit = 1u << 31;  // in `first`: there are several records, which merge

  std::uint32_t first = 0;
  std::uint32_t end = 0;

  bool has() const { return end != 0; }
  HOTPB_INLINE void add(std::uint32_t start, std::uint32_t stop) {
    first = end == 0 ? start : first | kSplit;
    end = stop;
  }
};

// The slot of a repeated or map field. Records of other fields may be between its own.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t count = 0;  // the number of elements

  HOTPB_INLINE void add(std::uint32_t start, std::uint32_t stop, std::uint32_t elements) {
    if (count == 0) first = start;
    end = stop;
    count += elements;
  }
};

// The slot of a oneof: the number of the member that is set, and the slot of that member.
struct Choice {
  std::uint32_t number = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  HOTPB_INLINE void set_scalar(std::uint32_t member, std::uint32_t at) { *this = {member, at, 0}; }
  HOTPB_INLINE void set_span(std::uint32_t member, std::uint32_t at, std::uint32_t size) { *this = {member, at, size}; }
  // A record of a message member merges with the records of the same member right before it.
  HOTPB_INLINE void add_sub(std::uint32_t member, std::uint32_t start, std::uint32_t stop) {
    Sub slot = sub(member);
    slot.add(start, stop);
    *this = {member, slot.first, slot.end};
  }

  std::uint32_t at(std::uint32_t member) const { return number == member ? a : 0; }
  Extent span(std::uint32_t member) const { return number == member ? Extent{a, b} : Extent{}; }
  Sub sub(std::uint32_t member) const { return number == member ? Sub{a, b} : Sub{}; }
};

// How the entries of a map field are checked: the tags of key and value, and their rules.
struct EntryRules {
  std::uint32_t key_tag;
  std::uint32_t value_tag;
  bool key_is_string;
  bool value_is_string;
  bool verify_key;    // check for UTF-8 also without ReadOptions::strict
  bool verify_value;
  bool (*closed)(std::int32_t);  // for a closed enum: whether a number is a value of it; else nullptr
};

enum class EntryScan { Bad, Known, Unknown };

// The depth limit for walks over bytes that a scan has checked: they cannot reach it.
constexpr std::uint32_t kAnyDepth = kMaxDepth;

class Raw {
 public:
  // Starts a message, and forgets the previous one.
  HOTPB_INLINE void start(Bytes bytes, const Rules& rules) {
    data_ = bytes.data();
    // A size above the limit is an error before it is used; all other sizes fit.
    size_ = bytes.size() > kMaxMessageSize ? 0xffffffffu : static_cast<std::uint32_t>(bytes.size());
    unknown_ = 0;
    last_ = 0;
    rules_ = rules;
    if (HOTPB_UNLIKELY(parts_.any())) parts_ = Parts();
  }
  // Starts a message of several parts.
  HOTPB_COLD void start(const Parts& parts, const Rules& rules) {
    const Parts kept = parts;  // the argument may be this message's own list
    start(Bytes(kept.base(), static_cast<std::size_t>(kept[kept.count() - 1].end() - kept.base())), rules);
    parts_ = kept;
  }

  // Whether the limits allow a scan of the message.
  bool admitted() const { return rules_.levels >= 0 && size_ <= rules_.limit; }

  // From the first byte to the last one; with several parts, also the bytes between them.
  const std::uint8_t* begin() const { return data_; }
  const std::uint8_t* end() const { return data_ + size_; }
  const std::uint8_t* at(std::uint32_t position) const { return data_ + position; }
  // The bytes of a message that does not have several parts.
  Bytes bytes() const { return {data_, size_}; }
  const Parts& parts() const { return parts_; }
  std::uint32_t message_size() const { return parts_.any() ? parts_.total() : size_; }
  Bytes first_part() const { return parts_.any() ? parts_[0] : bytes(); }
  // Where a walk from `from` must stop first: at `to`, or at the end of its part.
  HOTPB_INLINE const std::uint8_t* walk_end(std::uint32_t from, std::uint32_t to) const {
    return HOTPB_UNLIKELY(parts_.any()) ? part_end(from, to) : at(to);
  }
  const Rules& rules() const { return rules_; }
  bool strict() const { return rules_.strict; }
  std::uint32_t unknown_begin() const { return unknown_; }
  bool any_unknown() const { return last_ != 0; }
  std::uint32_t unknown_end() const { return last_; }

  // The position of `p`, which points into the message.
  HOTPB_INLINE std::uint32_t offset(const std::uint8_t* p) const { return static_cast<std::uint32_t>(p - data_); }

  // Scanning. Each function returns the byte after the record, or nullptr if the record is bad. `end` is the end of the
  // part.

  // Skips a record that is none of the message's fields, and keeps it as unknown.
  const std::uint8_t* skip(const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end,
                           std::uint32_t tag) {
    p = wire::skip_value(p, end, tag, levels());
    if (p != nullptr) keep_unknown(start, p);
    return p;
  }
  // Skips a record of a field that the generated code leaves out. It is checked like an unknown one, and not kept.
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
  // Notes that the record between `start` and `stop` is, or contains, an unknown field.
  void keep_unknown(const std::uint8_t* start, const std::uint8_t* stop) {
    if (last_ == 0) unknown_ = offset(start);
    last_ = offset(stop);
  }

  // Counts the varints of a packed payload, a block at a time. Returns false if one is bad.
  bool scan_varints(const std::uint8_t* p, const std::uint8_t* stop, std::uint32_t& count) const {
    const std::uint8_t* const limit = HOTPB_UNLIKELY(parts_.any()) ? stop : end();
    count = 0;
    while (stop - p >= pool::detail::kBlock) {
      if (HOTPB_UNLIKELY(!scan_block(pool::detail::find_ends(p), ~std::uint64_t{0}, p, count))) return false;
    }
    while (p != stop && limit - p >= 16) {
      const std::uint64_t range = pool::detail::first_bits(stop - p < 16 ? stop - p : 16);
      if (HOTPB_UNLIKELY(!scan_block(pool::detail::find_ends_of_16(p) & range, range, p, count))) return false;
    }
    for (; p != stop; ++count) {
      p = wire::skip_varint(p, stop);
      if (p == nullptr) return false;
    }
    return true;
  }
  // Moves to the byte after the last varint that ends in the block.
  HOTPB_INLINE static bool scan_block(std::uint64_t ends, std::uint64_t range, const std::uint8_t*& p,
                                      std::uint32_t& count) {
    // Bits where two, four, eight bytes in a row do not end a varint, which has ten bytes at most.
    const std::uint64_t two = (ends ^ range) & (ends ^ range) >> 1;
    const std::uint64_t four = two & two >> 2;
    if (HOTPB_UNLIKELY(ends == 0 || (four & four >> 4 & two >> 8) != 0)) return false;
    count += port::count_bits(ends);
    p += port::highest_bit(ends) + 1;
    return true;
  }
  // Does the same for a closed enum. Counts the values that the enum defines; the others are unknown fields.
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
  // Scans the map entry in [p, stop).
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

  // Returns the error of a message whose scan failed.
  HOTPB_COLD Error fail(const MessageTable& table) const {
    if (rules_.levels < 0) return Error{Code::DepthExceeded, 0, {}};
    if (!admitted()) return Error{Code::SizeExceeded, 0, {}};
    // Each part must be valid by itself. Offsets count from the first byte of the merged message, indices within the
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
    // Reached only if the caller changed the bytes meanwhile.
    return Error{Code::HandleMisuse, 0, {}};
  }
  // Checks the message with all messages in it. A call: sources have View's functions once for each message.
  HOTPB_NOINLINE Error validate(const MessageTable& table) const {
    if (!admitted()) return fail(table);
    if (HOTPB_UNLIKELY(parts_.any())) return validate_parts(table);
    if (HOTPB_LIKELY(is_valid(table, bytes(), levels(), strict()))) return {};
    return fail(table);
  }

  // Forgets the message.
  HOTPB_COLD void reset() { *this = Raw(); }

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
  // Whether the payload of a length-delimited value is well-formed UTF-8. The value is at [p, stop) and has been
  // checked.
  static bool is_text(const std::uint8_t* p, const std::uint8_t* stop) {
    Bytes payload;
    return wire::read_len(p, stop, payload) != nullptr && utf8::is_valid(payload.data(), payload.size());
  }

  const std::uint8_t* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t unknown_ = 0;  // the first unknown record
  std::uint32_t last_ = 0;     // the end of the last unknown record; 0 if there is none
  Rules rules_;
  Parts parts_;  // for a message that came in several records
};

}  // namespace detail
}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_RAW_H_
