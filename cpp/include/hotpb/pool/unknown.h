// The unknown fields of a pooled message, in their order: what the schema does not know, records of extensions and
// message-set items until they are asked for, and undefined values of closed enums, each as a record of its own.
//
//   for (const hotpb::pool::UnknownField& field : m.unknown_fields()) out.append(field.record().text());
#ifndef HOTPB_POOL_UNKNOWN_H_
#define HOTPB_POOL_UNKNOWN_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "hotpb/detail/abi.h"
#include "hotpb/pool/memory.h"
#include "hotpb/wire.h"
#include "hotpb/wire/span.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {

namespace detail {

// The unknown fields of a message that has some: ranges, each of whole records.
struct UnknownList {
  Array ranges;  // of Bytes
};

}  // namespace detail

class UnknownField {
 public:
  UnknownField() = default;
  UnknownField(std::uint32_t tag, Bytes record, Bytes value) : tag_(tag), record_(record), value_(value) {}

  std::uint32_t number() const { return wire::tag_number(tag_); }
  wire::WireType type() const { return wire::tag_type(tag_); }
  std::uint32_t tag() const { return tag_; }
  // The record as it came, with its tag.
  Bytes record() const { return record_; }
  // The bytes after the tag.
  Bytes value() const { return value_; }

 private:
  std::uint32_t tag_ = 0;
  Bytes record_;
  Bytes value_;
};

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
    Iterator(const Bytes* range, const Bytes* stop) : range_(range), stop_(stop) {
      if (range_ != stop_) enter();
    }

    reference operator*() const { return field_; }
    pointer operator->() const { return &field_; }
    Iterator& operator++() {
      step();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      step();
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.range_ == b.range_ && a.p_ == b.p_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

   private:
    void enter() {
      next_ = range_->begin();
      step();
    }
    // The records have been checked: a walk that fails means that somebody changed the bytes, and ends.
    void step() {
      p_ = next_;
      if (p_ == range_->end()) {
        if (++range_ != stop_) return enter();
        p_ = nullptr;
        return;
      }
      std::uint32_t tag = 0;
      const std::uint8_t* const value = wire::read_tag(p_, range_->end(), tag);
      next_ = value == nullptr ? nullptr : wire::skip_value(value, range_->end(), tag, kMaxDepth);
      if (next_ == nullptr) {
        range_ = stop_;
        p_ = nullptr;
        return;
      }
      field_ = UnknownField(tag, Bytes(p_, static_cast<std::size_t>(next_ - p_)),
                            Bytes(value, static_cast<std::size_t>(next_ - value)));
    }

    const Bytes* range_ = nullptr;
    const Bytes* stop_ = nullptr;
    const std::uint8_t* p_ = nullptr;
    const std::uint8_t* next_ = nullptr;
    UnknownField field_;
  };

  UnknownFields() = default;
  explicit UnknownFields(const detail::UnknownList* list) {
    if (list == nullptr) return;
    ranges_ = Span<const Bytes>(reinterpret_cast<const Bytes*>(list->ranges.data), list->ranges.size);
  }

  Iterator begin() const { return Iterator(ranges_.begin(), ranges_.end()); }
  Iterator end() const { return Iterator(ranges_.end(), ranges_.end()); }
  bool empty() const { return ranges_.empty(); }
  // The records without their borders: all of them, one range after the other, are the unknown fields.
  Span<const Bytes> ranges() const { return ranges_; }

 private:
  Span<const Bytes> ranges_;
};

}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_UNKNOWN_H_
