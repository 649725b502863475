// The unknown fields of a message, in their order: records that the schema does not define, records of extensions and
// message-set items unless they are left out with without(), and undefined values of closed enums.
//
//   for (const auto& field : v.unknown_fields()) field.append_to(out);
#ifndef HOTPB_VIEW_UNKNOWN_H_
#define HOTPB_VIEW_UNKNOWN_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/view/map.h"
#include "hotpb/view/message.h"
#include "hotpb/view/parts.h"
#include "hotpb/view/raw.h"
#include "hotpb/wire.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

// An extension, for UnknownFields::without(); each generated handle has one.
struct ExtensionEntry {
  const FieldEntry* field;
  bool set_item;  // its extendee is a message set
};

class UnknownField {
 public:
  UnknownField() = default;
  explicit UnknownField(std::uint32_t tag, Bytes record) : tag_(tag), record_(record) {}
  UnknownField(std::uint32_t tag, std::uint64_t value) : tag_(tag), value_(value) {}

  std::uint32_t number() const { return wire::tag_number(tag_); }
  wire::WireType type() const { return wire::tag_type(tag_); }
  // The record of the input, with its tag; empty for a value of a closed enum, which may share its record with others.
  Bytes record() const { return record_; }
  // For a value of a closed enum: the value, sign-extended.
  std::uint64_t enum_value() const { return value_; }

  // Appends the record unchanged, or, for a value of a closed enum, as a varint record.
  template <class Buffer>
  void append_to(Buffer& out) const {
    if (!record_.empty()) {
      hotpb::detail::append(out, record_);
      return;
    }
    wire::append_varint(out, tag_);
    wire::append_varint(out, value_);
  }

 private:
  std::uint32_t tag_ = 0;
  std::uint64_t value_ = 0;
  Bytes record_;
};

namespace detail {

// The records between the first unknown one and the last, and the tables of the fields among them. In a message of
// several parts, the walk continues with the next part when it reaches the end of a part.
struct UnknownRange {
  const std::uint8_t* begin = nullptr;
  const std::uint8_t* end = nullptr;
  Parts parts;
  const MessageTable* table = nullptr;
  const ExtensionEntry* extensions = nullptr;
  std::size_t asked_count = 0;

  // The field, or the extension in `asked`, that takes the record. The value of the record is at [value, stop).
  const FieldEntry* find(std::uint32_t tag, const std::uint8_t* value, const std::uint8_t* stop) const {
    const FieldEntry* const known = find_entry(*table, wire::tag_number(tag));
    if (known != nullptr) return hotpb::detail::takes(*known, wire::tag_type(tag)) ? known : nullptr;
    for (std::size_t i = 0; i < asked_count; ++i) {
      const FieldEntry& field = *extensions[i].field;
      if (extensions[i].set_item && tag == kItemTag) {
        Bytes item;
        std::uint32_t number = 0;
        if (wire::read_group(value, stop, 1, item, kAnyDepth) != nullptr && detail::read_item(item, number) &&
            number == field.number) {
          return &field;
        }
      }
      if (field.number == wire::tag_number(tag) && hotpb::detail::takes(field, wire::tag_type(tag))) return &field;
    }
    return nullptr;
  }

  bool is_dropped(std::uint32_t number) const { return hotpb::detail::is_dropped(*table, number); }
};

}  // namespace detail

class UnknownFields {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = UnknownField;
    using difference_type = std::ptrdiff_t;
    using pointer = const UnknownField*;
    using reference = const UnknownField&;

    Iterator() = default;
    explicit Iterator(const detail::UnknownRange& range) : range_(range), p_(range.begin), done_(false) { step(); }

    reference operator*() const { return current_; }
    pointer operator->() const { return &current_; }
    Iterator& operator++() {
      step();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.done_ == b.done_ && (a.done_ || (a.p_ == b.p_ && a.value_ == b.value_));
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

   private:
    void step() {
      for (;;) {
        // Returns the undefined values in one record of a closed enum.
        while (value_ != values_end_) {
          std::uint64_t word = 0;
          const std::uint8_t* const next = wire::read_varint(value_, values_end_, word);
          value_ = next == nullptr ? values_end_ : next;
          const std::int32_t value = static_cast<std::int32_t>(word);
          if (next != nullptr && !closed_(value)) {
            current_ = UnknownField(values_tag_, static_cast<std::uint64_t>(std::int64_t{value}));
            return;
          }
        }
        if (p_ == range_.end && !range_.parts.step(p_, range_.end)) {
          done_ = true;
          return;
        }
        const std::uint8_t* const start = p_;
        std::uint32_t tag = 0;
        const std::uint8_t* const value = wire::read_tag(p_, range_.end, tag);
        p_ = value == nullptr ? nullptr : detail::skip_checked(value, range_.end, tag);
        if (p_ == nullptr) {  // the caller changed the bytes
          p_ = range_.end;
          continue;
        }
        if (whole_record(start, value, tag)) return;
      }
    }

    // Whether the record is unknown as a whole. For a closed enum, prepares the walk over the values of the record.
    bool whole_record(const std::uint8_t* start, const std::uint8_t* value, std::uint32_t tag) {
      current_ = UnknownField(tag, Bytes(start, static_cast<std::size_t>(p_ - start)));
      const FieldEntry* const field = range_.find(tag, value, p_);
      if (field == nullptr) return !range_.is_dropped(wire::tag_number(tag));
      if (field->closed == nullptr) return false;
      if (field->type == FieldType::Message) {  // a map
        Bytes entry;
        wire::read_len(value, p_, entry);
        const detail::EntryParts parts =
            detail::find_parts(entry, 0, wire::make_tag(2, wire::WireType::Varint));
        std::uint64_t word = 0;
        if (parts.has_value) wire::read_varint(parts.value.begin(), parts.value.end(), word);
        return parts.has_value && !field->closed(static_cast<std::int32_t>(word));
      }
      closed_ = field->closed;
      value_ = value;
      values_end_ = p_;
      if (wire::tag_type(tag) == wire::WireType::Len) {
        Bytes packed;
        wire::read_len(value, p_, packed);
        value_ = packed.begin();
      }
      values_tag_ = wire::make_tag(field->number, wire::WireType::Varint);
      return false;
    }

    detail::UnknownRange range_;
    const std::uint8_t* p_ = nullptr;
    UnknownField current_;
    bool done_ = true;
    const std::uint8_t* value_ = nullptr;
    const std::uint8_t* values_end_ = nullptr;
    std::uint32_t values_tag_ = 0;
    bool (*closed_)(std::int32_t) = nullptr;
  };

  UnknownFields() = default;
  HOTPB_NOINLINE UnknownFields(const detail::Raw& raw, const MessageTable& table) {
    range_.table = &table;
    if (!raw.any_unknown()) return;
    range_.begin = raw.at(raw.unknown_begin());
    range_.end = raw.walk_end(raw.unknown_begin(), raw.unknown_end());
    range_.parts = raw.parts();
  }

  Iterator begin() const { return Iterator(range_); }
  Iterator end() const { return Iterator(); }
  bool empty() const { return begin() == end(); }

  // Leaves out the records of these extensions, which otherwise are unknown fields. Borrows the list.
  UnknownFields without(const ExtensionEntry* extensions HOTPB_LIFETIMEBOUND, std::size_t count) const {
    UnknownFields rest = *this;
    rest.range_.extensions = extensions;
    rest.range_.asked_count = count;
    return rest;
  }

 private:
  detail::UnknownRange range_;
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_UNKNOWN_H_
