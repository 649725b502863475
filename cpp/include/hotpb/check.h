// The cold decoder: it finds out which error the input has, where, and in which field.
//
// Fast readers only detect that there is an error. Then check() walks the same bytes again. It reads small tables
// instead of using generated code, and its code is simple: byte by byte, left to right, depth first. It returns the one
// error that spec/errors.md requires, the same in every language:
//
//   hotpb::Error error = hotpb::check(demo::hot::TestMsgView::kTable, body);
//   if (!error.ok()) log(hotpb::to_string(error));     // "Truncated at byte 17: nested[2].str_val"
//
// Promise: check() takes time linear in the input, does not recurse, and allocates at most one small frame per open
// level. It does not check required fields and element counts: these are not errors of the bytes (spec/errors.md,
// ERR-5), so the face that decodes checks them.
#ifndef HOTPB_CHECK_H_
#define HOTPB_CHECK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN

// The type numbers of descriptor.proto.
enum class FieldType : std::uint8_t {
  Double = 1,
  Float = 2,
  Int64 = 3,
  Uint64 = 4,
  Int32 = 5,
  Fixed64 = 6,
  Fixed32 = 7,
  Bool = 8,
  String = 9,
  Group = 10,  // a DELIMITED message field too
  Message = 11,
  Bytes = 12,
  Uint32 = 13,
  Enum = 14,
  Sfixed32 = 15,
  Sfixed64 = 16,
  Sint32 = 17,
  Sint64 = 18,
};

struct MessageTable;

// One field of a MessageTable. Plain data: tables are constant-initialised.
struct FieldEntry {
  std::uint32_t number;
  FieldType type;
  bool repeated;     // true for map fields too, whose child is the table of the entry: fields 1 and 2
  bool verify_utf8;  // for strings: check for UTF-8 also without ReadOptions::strict
  const char* name;
  const MessageTable* child;  // the table of a message or group, else nullptr
  // For a closed enum, or a map with such values: whether a number is a value of the enum. check() does not use it;
  // unknown fields do.
  bool (*closed)(std::int32_t) = nullptr;
};

namespace detail {

// A field that the search for absent required fields must know (view/required.h): a required field, a message that can
// hold a required field, all members of a oneof that has such a message, and any map.
struct NeedEntry {
  std::uint32_t field;  // the index of the field in the table
  std::uint32_t slot;   // below need_count; members of one oneof have the same
  bool is_required;
  bool is_map;
};

}  // namespace detail

// The fields of a message by ascending number. A message set has none: its items are read like unknown groups.
struct MessageTable {
  const FieldEntry* fields;
  std::size_t field_count;
  // The numbers, ascending, of the fields that the generated code leaves out. Their records are not unknown fields.
  const std::uint32_t* dropped = nullptr;
  std::size_t dropped_count = 0;
  // By ascending index. Empty if neither the message nor any message that it can hold has a required field.
  const detail::NeedEntry* needs = nullptr;
  std::size_t need_count = 0;
};

// The entry of a field number, or nullptr if the message does not have the field.
inline const FieldEntry* find_entry(const MessageTable& table, std::uint32_t number) {
  std::size_t low = 0;
  std::size_t high = table.field_count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (table.fields[middle].number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low != table.field_count && table.fields[low].number == number ? &table.fields[low] : nullptr;
}

namespace detail {

// The wire type of a record with one element that is not packed.
constexpr wire::WireType element_wire_type(FieldType type) {
  switch (type) {
    case FieldType::Double:
    case FieldType::Fixed64:
    case FieldType::Sfixed64: return wire::WireType::Fixed64;
    case FieldType::Float:
    case FieldType::Fixed32:
    case FieldType::Sfixed32: return wire::WireType::Fixed32;
    case FieldType::String:
    case FieldType::Message:
    case FieldType::Bytes: return wire::WireType::Len;
    case FieldType::Group: return wire::WireType::StartGroup;
    default: return wire::WireType::Varint;
  }
}

constexpr bool is_packable(FieldType type) {
  const wire::WireType wire_type = element_wire_type(type);
  return wire_type == wire::WireType::Varint || wire_type == wire::WireType::Fixed32 ||
         wire_type == wire::WireType::Fixed64;
}

// Whether a record of this wire type belongs to the field. Numbers of a repeated field may be packed or not.
constexpr bool takes(const FieldEntry& field, wire::WireType type) {
  return type == element_wire_type(field.type) ||
         (type == wire::WireType::Len && field.repeated && is_packable(field.type));
}

// The field that takes a record of this tag, or nullptr if none does. `hint` is the index where the search starts: that
// of the last field found, or of the one after it.
inline const FieldEntry* find_field(const MessageTable& table, std::uint32_t tag, std::size_t& hint) {
  const std::uint32_t number = wire::tag_number(tag);
  const FieldEntry* field = nullptr;
  if (hint < table.field_count && table.fields[hint].number == number) {
    field = &table.fields[hint];
  } else if (hint + 1 < table.field_count && table.fields[hint + 1].number == number) {
    field = &table.fields[++hint];
  } else {
    field = find_entry(table, number);
    if (field == nullptr) return nullptr;
    hint = static_cast<std::size_t>(field - table.fields);
  }
  return takes(*field, wire::tag_type(tag)) ? field : nullptr;
}

inline bool is_dropped(const MessageTable& table, std::uint32_t number) {
  return std::binary_search(table.dropped, table.dropped + table.dropped_count, number);
}

constexpr MessageTable kNothingKnown{nullptr, 0};

class Checker {
 public:
  Checker(Bytes input, const detail::Limits& limits) : data_(input.data()), size_(input.size()), limits_(limits) {}

  // At most this many repeated elements, nested messages, groups and map entries (LIM-4).
  void count_to(std::uint64_t elements) { elements_ = elements; }
  // The record at this offset needs more memory than a decoder may use.
  void stop_at(std::size_t offset) { stop_ = offset; }

  Error run(const MessageTable& root) {
    if (size_ > limits_.size()) return Error{Code::SizeExceeded, 0, {}};
    open(&root, size_, 0);
    while (!levels_.empty() && step()) {
    }
    return std::move(error_);
  }

 private:
  // A message or group that is open. The last three members describe the field that is being read.
  struct Level {
    const MessageTable* table;  // nullptr inside an unknown group
    std::size_t begin;          // the first byte of the content
    std::size_t end;            // the end of the range; for a group, that of the length-delimited record around it
    std::uint32_t group;        // the field number of a group, 0 for a length-delimited record
    std::size_t tag_at;         // where the tag starts
    std::uint32_t number;
    const FieldEntry* field;    // nullptr if the field is unknown
  };

  void open(const MessageTable* table, std::size_t end, std::uint32_t group) {
    levels_.push_back(Level{table, at_, end, group, at_, 0, nullptr});
  }

  // Reads one field, or the end of a level. Returns false if there is an error.
  bool step() {
    Level& level = levels_.back();
    if (at_ == level.end) {
      if (level.group != 0) return fail_message(Code::Truncated, at_);
      levels_.pop_back();
      return true;
    }
    level.tag_at = at_;
    std::uint32_t tag;
    const Code code = read_tag(level.end, tag);
    if (code != Code::Ok) return fail_message(code, level.tag_at);
    level.number = wire::tag_number(tag);
    const wire::WireType type = wire::tag_type(tag);
    if (type == wire::WireType::EndGroup) {
      if (level.number != level.group) return fail_message(Code::GroupMismatch, level.tag_at);
      levels_.pop_back();
      return true;
    }
    level.field = find(level.table, level.number, type);
    if (level.tag_at == stop_) return fail_field(Code::CountExceeded, level.tag_at);
    switch (type) {
      case wire::WireType::Varint: {
        const std::size_t from = at_;
        std::uint64_t ignored;
        const Code varint = read_varint(level.end, ignored);
        return varint == Code::Ok ? count_element(level) : fail_field(varint, from);
      }
      case wire::WireType::Fixed32: return fixed(level.end, 4) && count_element(level);
      case wire::WireType::Fixed64: return fixed(level.end, 8) && count_element(level);
      case wire::WireType::Len: return len(level);
      case wire::WireType::StartGroup: {
        if (too_deep()) return fail_field(Code::DepthExceeded, level.tag_at);
        if (level.field != nullptr && !count(level, 1)) return false;
        open(level.field != nullptr ? level.field->child : nullptr, level.end, level.number);
        return true;
      }
      case wire::WireType::EndGroup: break;
    }
    return true;
  }

  bool fixed(std::size_t end, std::size_t width) {
    if (end - at_ < width) return fail_field(Code::Truncated, at_);
    at_ += width;
    return true;
  }

  bool len(const Level& level) {
    const std::size_t from = at_;
    std::uint64_t length;
    const Code code = read_varint(level.end, length);
    if (code != Code::Ok) return fail_field(code, from);
    if (length > limits_.size()) return fail_field(Code::SizeExceeded, level.tag_at);
    if (length > level.end - at_) return fail_field(Code::Truncated, at_);
    const std::size_t end = at_ + static_cast<std::size_t>(length);
    const FieldEntry* field = level.field;
    if (field == nullptr) {
      at_ = end;
      return true;
    }
    if (field->type == FieldType::Message) {
      if (too_deep()) return fail_field(Code::DepthExceeded, level.tag_at);
      if (!count(level, 1)) return false;
      open(field->child, end, 0);
      return true;
    }
    if (field->type == FieldType::String && (field->verify_utf8 || limits_.strict())) {
      const std::size_t good = utf8::valid_prefix(data_ + at_, end - at_);
      if (good != end - at_) return fail_field(Code::InvalidUtf8, at_ + good);
    }
    if (is_packable(field->type)) {
      return count(level, packed_elements(field->type, Bytes(data_ + at_, end - at_))) && packed(*field, end);
    }
    at_ = end;
    return count_element(level);
  }

  // Elements of the record that is being read.
  bool count(const Level& level, std::uint64_t elements) {
    if (elements > elements_) return fail_field(Code::CountExceeded, level.tag_at);
    elements_ -= elements;
    return true;
  }
  bool count_element(const Level& level) {
    return level.field == nullptr || !level.field->repeated || count(level, 1);
  }

  bool packed(const FieldEntry& field, std::size_t end) {
    const wire::WireType type = element_wire_type(field.type);
    const std::size_t width = type == wire::WireType::Fixed32 ? 4 : 8;
    for (std::size_t index = 0; at_ != end; ++index) {
      const std::size_t from = at_;
      Code code = Code::Ok;
      if (type == wire::WireType::Varint) {
        std::uint64_t ignored;
        code = read_varint(end, ignored);
      } else if (end - at_ < width) {
        code = Code::Truncated;
      } else {
        at_ += width;
      }
      if (code != Code::Ok) return fail_field(code, from, index);
    }
    return true;
  }

  // The number of open levels, with the root, is the level of a message that would be opened next.
  bool too_deep() const { return levels_.size() > limits_.depth(); }

  // Checks in the order of ERR-2: the end of the range or the length of the tag, then its value, then the wire type.
  Code read_tag(std::size_t end, std::uint32_t& tag) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == end) return Code::Truncated;
      const std::uint64_t byte = data_[at_++];
      value |= (byte & 0x7f) << shift;
      if (shift == 28 && byte > 0x0f) return Code::InvalidTag;
      if (byte < 0x80) break;
    }
    if (value < 8) return Code::InvalidTag;
    if ((value & 7) > 5) return Code::InvalidWireType;
    tag = static_cast<std::uint32_t>(value);
    return Code::Ok;
  }

  Code read_varint(std::size_t end, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (at_ == end) return Code::Truncated;
      const std::uint64_t byte = data_[at_++];
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return Code::Ok;
    }
    return Code::VarintOverflow;
  }

  // The entry of a known field that takes this wire type, else nullptr: then the field is unknown.
  static const FieldEntry* find(const MessageTable* table, std::uint32_t number, wire::WireType type) {
    if (table == nullptr) return nullptr;
    const FieldEntry* field = find_entry(*table, number);
    return field != nullptr && takes(*field, type) ? field : nullptr;
  }

  // Sets an error of a tag or of a group without an end: the path is that of the message that holds it.
  HOTPB_COLD bool fail_message(Code code, std::size_t offset) {
    error_ = Error{code, offset, path(levels_.size() - 1)};
    levels_.clear();
    return false;
  }

  // Sets an error of the field that is being read, or of element number `element` of its packed record.
  HOTPB_COLD bool fail_field(Code code, std::size_t offset, std::size_t element = 0) {
    error_ = Error{code, offset, path(levels_.size(), element)};
    levels_.clear();
    return false;
  }

  HOTPB_COLD std::string path(std::size_t fields, std::size_t element = 0) const {
    std::string text;
    for (std::size_t i = 0; i < fields; ++i) {
      const Level& level = levels_[i];
      if (i != 0) text += '.';
      if (level.field == nullptr) {
        text += std::to_string(level.number);
        continue;
      }
      text += level.field->name;
      if (!level.field->repeated) continue;
      const std::size_t index = elements_before(level) + (i + 1 == fields ? element : 0);
      text += '[' + std::to_string(index) + ']';
    }
    return text;
  }

  // The number of elements of the level's field before the one that is being read (PTH-2). They are counted only after
  // an error, so that good input costs nothing. All bytes up to there have been checked, so the fast readers cannot
  // fail.
  HOTPB_COLD std::size_t elements_before(const Level& level) const {
    const std::uint8_t* p = data_ + level.begin;
    const std::uint8_t* const stop = data_ + level.tag_at;
    const FieldEntry& field = *level.field;
    std::size_t count = 0;
    while (p != stop) {
      std::uint32_t tag = 0;
      p = wire::read_tag(p, stop, tag);
      const wire::WireType type = wire::tag_type(tag);
      if (wire::tag_number(tag) != field.number) {
        p = type == wire::WireType::StartGroup ? after_group(p, stop) : skip_scalar(p, stop, tag);
      } else if (type == wire::WireType::Len && is_packable(field.type)) {
        Bytes packed;
        p = wire::read_len(p, stop, packed, limits_.size());
        count += packed_elements(field.type, packed);
      } else {
        count += type == element_wire_type(field.type);
        p = type == wire::WireType::StartGroup ? after_group(p, stop) : skip_scalar(p, stop, tag);
      }
    }
    return count;
  }

  static std::size_t packed_elements(FieldType type, Bytes packed) {
    switch (element_wire_type(type)) {
      case wire::WireType::Fixed32: return packed.size() / 4;
      case wire::WireType::Fixed64: return packed.size() / 8;
      default: return wire::count_varints(packed.begin(), packed.end());
    }
  }

  const std::uint8_t* skip_scalar(const std::uint8_t* p, const std::uint8_t* stop, std::uint32_t tag) const {
    return wire::skip_value(p, stop, tag, 0, limits_.size());
  }

  // Skips a group that has been checked. Its end tags match, so to count them is enough.
  const std::uint8_t* after_group(const std::uint8_t* p, const std::uint8_t* stop) const {
    for (std::size_t open = 1; open != 0;) {
      std::uint32_t tag = 0;
      p = wire::read_tag(p, stop, tag);
      switch (wire::tag_type(tag)) {
        case wire::WireType::StartGroup: ++open; break;
        case wire::WireType::EndGroup: --open; break;
        default: p = skip_scalar(p, stop, tag); break;
      }
    }
    return p;
  }

  const std::uint8_t* const data_;
  const std::size_t size_;
  const detail::Limits limits_;
  std::uint64_t elements_ = ~std::uint64_t{0};
  std::size_t stop_ = ~std::size_t{0};
  std::size_t at_ = 0;
  std::vector<Level> levels_;
  Error error_;
};

}  // namespace detail

// Reads `input` as a message of `table`. Returns its error, or an Error that is ok().
HOTPB_COLD inline Error check(const MessageTable& table, Bytes input, const ReadOptions& options = {}) {
  return detail::Checker(input, detail::Limits(options)).run(table);
}

// Checks the wire form only: every field counts as unknown, and the path consists of numbers.
inline Error check(Bytes input, const ReadOptions& options = {}) {
  return check(detail::kNothingKnown, input, options);
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHECK_H_
