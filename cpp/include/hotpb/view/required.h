// Searches for required fields that are absent: one loop that reads tables, for all messages.
//
// Promise: the loop scans each message that can hold a required field as a view does, with the same errors. It does not
// recurse: an open level is an entry of a vector, and the depth limit bounds their number. It skips messages that can
// hold no required field.
#ifndef HOTPB_VIEW_REQUIRED_H_
#define HOTPB_VIEW_REQUIRED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/view/map.h"
#include "hotpb/view/message.h"
#include "hotpb/view/raw.h"
#include "hotpb/view/table.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
namespace detail {

class RequiredFields {
 public:
  Error look(Raw root, const MessageTable& table) {
    Error error = enter(std::move(root), table);
    while (error.ok() && !levels_.empty()) {
      Level& level = levels_.back();
      if (level.left == 0 && !next_field(level)) {
        slots_.resize(level.first_slot);
        levels_.pop_back();
        continue;
      }
      const MessageTable* const child = child_of(level);
      error = enter(next_message(level), *child);
    }
    return error;
  }

 private:
  // Where a field's records are: in `run` for a repeated field, else in `choice`, which the members of a oneof share.
  struct Slot {
    Choice choice;
    Run run;
  };

  // An open message. needs[next - 1] is the field whose messages are being checked.
  struct Level {
    Raw raw;
    const MessageTable* table;
    std::size_t first_slot;
    std::size_t next = 0;
    std::size_t left = 0;     // how many messages of that field remain
    std::size_t index = 0;    // the index of the message after the current one
    Records records;          // for a repeated field
    std::vector<MessageRef> values;  // for a map, in reverse order; or the only message
  };

  struct MapValue {
    MessageRef message;
    std::uint64_t word;  // the key, if it is a number
    Bytes text;          // the key, if it is a string
    std::size_t place;

    bool is_before(const MapValue& right) const {
      if (word != right.word) return word < right.word;
      if (text.text() != right.text.text()) return text.text() < right.text.text();
      return place < right.place;
    }
    bool has_key_of(const MapValue& right) const { return word == right.word && text.text() == right.text.text(); }
  };

  static const hotpb::detail::NeedEntry& need_of(const Level& level) { return level.table->needs[level.next - 1]; }
  static const FieldEntry& field_of(const Level& level) { return level.table->fields[need_of(level).field]; }
  static const MessageTable* child_of(const Level& level) {
    const FieldEntry& field = field_of(level);
    return need_of(level).is_map ? field.child->fields[1].child : field.child;
  }

  // Scans a message, and checks its own required fields.
  Error enter(Raw raw, const MessageTable& table) {
    const std::size_t first = slots_.size();
    slots_.resize(first + table.need_count);
    if (!raw.admitted()) return raw.fail(table);
    for (std::size_t i = 0; i == 0 || (raw.parts().any() && i < raw.parts().count()); ++i) {
      const Bytes part = raw.parts().any() ? raw.parts()[i] : raw.bytes();
      if (!scan(raw, table, &slots_[first], part.begin(), part.end())) return raw.fail(table);
    }
    for (std::size_t i = 0; i < table.need_count; ++i) {
      const hotpb::detail::NeedEntry& need = table.needs[i];
      const Slot& slot = slots_[first + need.slot];
      if (need.is_required && slot.choice.number == 0) return missing(raw, table.fields[need.field].name);
    }
    levels_.push_back(Level{std::move(raw), &table, first, 0, 0, 0, {}, {}});
    return {};
  }

  // The offset of the error counts from the outermost message, and so does its path.
  Error missing(const Raw& raw, const char* name) const {
    std::string path;
    for (const Level& level : levels_) {
      const FieldEntry& field = field_of(level);
      path += field.name;
      if (field.repeated) path += '[' + std::to_string(level.index - 1) + ']';
      path += need_of(level).is_map ? ".value." : ".";
    }
    const Raw& outermost = levels_.empty() ? raw : levels_.front().raw;
    return Error{Code::MissingRequired, outermost.message_size(), path + name};
  }

  static bool scan(Raw& raw, const MessageTable& table, Slot* all_slots, const std::uint8_t* p,
                   const std::uint8_t* end) {
    std::size_t hint = 0;
    while (p != end) {
      const std::uint8_t* const start = p;
      std::uint32_t tag;
      p = wire::read_tag(p, end, tag);
      if (p == nullptr) return false;
      const FieldEntry* const field = hotpb::detail::find_field(table, tag, hint);
      p = field == nullptr ? raw.skip(start, p, end, tag) : record(raw, table, *field, all_slots, tag, start, p, end);
      if (p == nullptr) return false;
    }
    return true;
  }

  static ScanKind kind_of(const FieldEntry& field, bool is_map) {
    switch (field.type) {
      case FieldType::String: return field.verify_utf8 ? ScanKind::Utf8 : ScanKind::String;
      case FieldType::Bytes: return ScanKind::Bytes;
      case FieldType::Message: return is_map ? ScanKind::Map : ScanKind::Message;
      case FieldType::Group: return ScanKind::Group;
      default: break;
    }
    switch (hotpb::detail::element_wire_type(field.type)) {
      case wire::WireType::Fixed32: return ScanKind::Fixed32;
      case wire::WireType::Fixed64: return ScanKind::Fixed64;
      default: return field.closed != nullptr ? ScanKind::Closed : ScanKind::Varint;
    }
  }

  // Scans a record of a field of the message. `p` follows the tag.
  static const std::uint8_t* record(Raw& raw, const MessageTable& table, const FieldEntry& field, Slot* all_slots,
                                    std::uint32_t tag, const std::uint8_t* start, const std::uint8_t* p,
                                    const std::uint8_t* end) {
    if (is_packable(field.type) && wire::tag_type(tag) == wire::WireType::Len) {
      Run ignored;
      return scan_packed(raw, field, ignored, start, p, end);
    }
    const std::uint32_t index = static_cast<std::uint32_t>(&field - table.fields);
    const hotpb::detail::NeedEntry* const stop = table.needs + table.need_count;
    const hotpb::detail::NeedEntry* need =
        std::lower_bound(table.needs, stop, index, [](const hotpb::detail::NeedEntry& entry, std::uint32_t at) {
          return entry.field < at;
        });
    if (need == stop || need->field != index) need = nullptr;
    const ScanKind kind = kind_of(field, need != nullptr && need->is_map);
    const ScanEntry entry{tag, 0, kind, ScanShape::Single};
    const std::uint8_t* const value = p;
    Bytes payload;
    p = scan_value(raw, entry, p, end, payload);
    if (p == nullptr) return nullptr;
    if (kind == ScanKind::Closed || kind == ScanKind::Map) {
      const EntryScan counts = scan_counts(raw, entry, field, value, p, payload);
      if (counts != EntryScan::Known) return counts == EntryScan::Bad ? nullptr : p;
    }
    if (need == nullptr) return p;
    Slot& slot = all_slots[need->slot];
    if (field.repeated) {
      slot.run.add(raw.offset(start), raw.offset(p), 1);
    } else if (field.child != nullptr) {
      slot.choice.add_sub(field.number, raw.offset(start), raw.offset(p));
    } else {
      slot.choice.set_scalar(field.number, raw.offset(value));
    }
    return p;
  }

  // Moves to the next field that has messages to check. Returns false after the last one.
  bool next_field(Level& level) const {
    while (level.next != level.table->need_count) {
      const hotpb::detail::NeedEntry& need = level.table->needs[level.next++];
      const MessageTable* const child = child_of(level);
      if (child == nullptr || child->need_count == 0) continue;
      const FieldEntry& field = field_of(level);
      const Slot& slot = slots_[level.first_slot + need.slot];
      const std::uint32_t tag = wire::make_tag(field.number, hotpb::detail::element_wire_type(field.type));
      level.index = 0;
      if (need.is_map) {
        level.values = map_values(level.raw, field, slot.run);
        level.left = level.values.size();
      } else if (field.repeated) {
        level.records = Records(level.raw, slot.run.first, slot.run.end, tag);
        level.left = slot.run.count;
      } else if (slot.choice.number == field.number) {
        level.values.assign(1, sub_message<void>(level.raw, slot.choice.sub(field.number), tag));
        level.left = 1;
      }
      if (level.left != 0) return true;
    }
    return false;
  }

  // The next message of the field, opened.
  static Raw next_message(Level& level) {
    --level.left;
    ++level.index;
    Raw raw;
    if (level.values.empty()) {
      Bytes element;
      level.records.next(element);
      raw.start(element, level.raw.rules().below());
    } else {
      level.values.back().start(raw);
      level.values.pop_back();
    }
    return raw;
  }

  // The values that count: the last one of each key.
  static std::vector<MessageRef> map_values(const Raw& raw, const FieldEntry& field, Run run) {
    const FieldEntry& key = field.child->fields[0];
    const std::uint32_t key_tag = wire::make_tag(1, hotpb::detail::element_wire_type(key.type));
    const std::uint32_t value_tag = wire::make_tag(2, hotpb::detail::element_wire_type(field.child->fields[1].type));
    const Rules rules = raw.rules().below();
    std::vector<MapValue> all;
    Records records(raw, run.first, run.end, wire::make_tag(field.number, wire::WireType::Len));
    Bytes entry;
    while (all.size() < run.count && records.next(entry)) {
      const EntryParts parts = find_parts(entry, key_tag, value_tag);
      const bool is_text = key.type == FieldType::String;
      all.push_back({ValueReader<MessageKind<void>>::read(parts, rules), is_text ? 0 : key_word(key.type, parts.key),
                     is_text ? parts.key : Bytes(), all.size()});
    }
    std::sort(all.begin(), all.end(), [](const MapValue& a, const MapValue& b) { return a.is_before(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i + 1 == all.size() || !all[i].has_key_of(all[i + 1])) all[kept++] = all[i];
    }
    all.resize(kept);
    std::sort(all.begin(), all.end(), [](const MapValue& a, const MapValue& b) { return a.place > b.place; });
    std::vector<MessageRef> values;
    values.reserve(kept);
    for (const MapValue& value : all) values.push_back(value.message);
    return values;
  }

  // A word that is equal for equal keys. It is zero for an absent key.
  static std::uint64_t key_word(FieldType type, Bytes key) {
    std::uint64_t word = 0;
    if (key.empty()) return word;
    switch (hotpb::detail::element_wire_type(type)) {
      case wire::WireType::Fixed32: return port::load<std::uint32_t>(key.data());
      case wire::WireType::Fixed64: return port::load<std::uint64_t>(key.data());
      default: wire::read_varint(key.begin(), key.end(), word);
    }
    switch (type) {
      case FieldType::Bool: return word != 0;
      case FieldType::Int32:
      case FieldType::Sint32:
      case FieldType::Uint32: return static_cast<std::uint32_t>(word);
      default: return word;
    }
  }

  std::vector<Level> levels_;
  std::vector<Slot> slots_;
};

// Returns the first required field that is absent in a message of this table.
HOTPB_COLD inline Error check_initialized(const Raw& raw, const MessageTable& table) {
  return RequiredFields().look(raw, table);
}

}  // namespace detail
}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_REQUIRED_H_
