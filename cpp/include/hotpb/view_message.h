// Nested messages before they are opened: Message<V> is one, Messages<V> are the elements of a repeated field.
//
//   for (const auto& element : v.nested()) {           // hotpb::view::Messages<TestMsgView>
//     TestMsgView nested;
//     if (hotpb::Error error = nested.open(element); !error.ok()) return error;
//   }
//
// Promise: handing one out decodes nothing but its length; open() checks it. Nothing is allocated, but for a message
// that came in several records, which merge when it is opened (view_memory.h).
#ifndef HOTPB_VIEW_MESSAGE_H_
#define HOTPB_VIEW_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "hotpb/view_raw.h"
#include "hotpb/wire.h"

namespace hotpb {
namespace view {

// A message set (message_set_wire_format) is a sequence of items, type_id and message in any order:
//
//   0b  10 <type_id>  1a <length> <message>  0c
//
// An extension that comes as an ordinary length-delimited field is read as well (SET-6).
constexpr std::uint32_t kItemTag = wire::make_tag(1, wire::WireType::StartGroup);
constexpr std::uint32_t kItemTypeTag = wire::make_tag(2, wire::WireType::Varint);
constexpr std::uint32_t kItemMessageTag = wire::make_tag(3, wire::WireType::Len);

namespace internal {

// Over the value of a record that has been checked.
HOTPB_INLINE const std::uint8_t* skip_checked(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag) {
  return wire::skip_value(p, end, tag, kAnyDepth);
}

// What a record of this tag holds; returns the byte behind it.
HOTPB_INLINE const std::uint8_t* read_payload(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag,
                                              Bytes& payload) {
  if (wire::tag_type(tag) == wire::WireType::Len) return wire::read_len(p, end, payload);
  return wire::read_group(p, end, wire::tag_number(tag), payload, kAnyDepth);
}

// The next record with this tag at or behind `p`; nullptr when there is none.
inline const std::uint8_t* next_record(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag,
                                       Bytes& payload) {
  while (p != end) {
    std::uint32_t got;
    p = wire::read_tag(p, end, got);
    if (p == nullptr) return nullptr;
    if (HOTPB_LIKELY(got == tag)) return read_payload(p, end, tag, payload);
    p = skip_checked(p, end, got);
    if (p == nullptr) return nullptr;
  }
  return nullptr;
}

// The number of a message-set item, when it has both parts; of several type_ids the last wins.
inline bool read_item(Bytes item, std::uint32_t& number) {
  bool has_number = false;
  bool has_message = false;
  for (const std::uint8_t* p = item.begin(); p != item.end();) {
    std::uint32_t tag;
    p = wire::read_tag(p, item.end(), tag);
    if (p == nullptr) return false;
    if (tag == kItemTypeTag) {
      std::uint64_t value = 0;
      wire::read_varint(p, item.end(), value);
      number = static_cast<std::uint32_t>(value);
      has_number = true;
    }
    has_message = has_message || tag == kItemMessageTag;
    p = skip_checked(p, item.end(), tag);
    if (p == nullptr) return false;
  }
  return has_number && has_message;
}

// Walks the records of one message or repeated field: all with one tag, or, when `item` is not 0, the message records
// in the message-set items of that number.
struct Records {
  const std::uint8_t* p = nullptr;
  const std::uint8_t* end = nullptr;
  std::uint32_t tag = 0;
  std::uint32_t item = 0;
  Bytes inner;  // of an item: what is left of it

  bool next(Bytes& payload) {
    // Most often the record behind the last one is the next one, of one byte of tag and one of length.
    if (HOTPB_LIKELY(end - p >= 2 && p[0] == tag && p[1] < 0x80 && p[1] <= end - p - 2 &&
                     wire::tag_type(tag) == wire::WireType::Len && tag < 0x80)) {
      payload = Bytes(p + 2, p[1]);
      p = payload.end();
      return true;
    }
    if (HOTPB_UNLIKELY(item != 0)) return next_item(payload);
    const std::uint8_t* const next = next_record(p, end, tag, payload);
    p = next == nullptr ? end : next;
    return next != nullptr;
  }

 private:
  HOTPB_NOINLINE bool next_item(Bytes& payload) {
    const bool may_be_field = item <= wire::kMaxFieldNumber;
    for (;;) {
      if (!inner.empty()) {
        const std::uint8_t* const stop = inner.end();
        const std::uint8_t* const next = next_record(inner.begin(), stop, kItemMessageTag, payload);
        inner = next == nullptr ? Bytes() : Bytes(next, static_cast<std::size_t>(stop - next));
        if (next != nullptr) return true;
      }
      if (p == end) return false;
      std::uint32_t got;
      const std::uint8_t* at = wire::read_tag(p, end, got);
      bool field = false;
      if (at != nullptr && got == kItemTag) {
        Bytes content;
        at = wire::read_group(at, end, 1, content, kAnyDepth);
        std::uint32_t number = 0;
        if (at != nullptr && read_item(content, number) && number == item) inner = content;
      } else if (at != nullptr && may_be_field && got == wire::make_tag(item, wire::WireType::Len)) {
        field = true;
        at = wire::read_len(at, end, payload);
      } else if (at != nullptr) {
        at = skip_checked(at, end, got);
      }
      p = at == nullptr ? end : at;
      if (field) return at != nullptr;
    }
  }
};

}  // namespace internal

// Where a nested message is; Message<V> says what it is.
class MessageRef {
 public:
  MessageRef() { rules_.levels = 0; }
  MessageRef(Bytes bytes, const Rules& rules) : begin_(bytes.data()), end_(bytes.end()), rules_(rules) {}
  MessageRef(const internal::Records& records, const Rules& rules)
      : begin_(records.p), end_(records.end), tag_(records.tag), item_(records.item), rules_(rules) {}

  // An element that is not there: open() answers HandleMisuse.
  static MessageRef missing() {
    MessageRef ref;
    ref.missing_ = true;
    return ref;
  }

  bool is_missing() const { return missing_; }
  // Did it come in more than one record?
  bool is_split() const { return (tag_ | item_) != 0; }
  // The bytes of a message that is not split.
  Bytes bytes() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  const Rules& rules() const { return rules_; }

  internal::Records records() const {
    internal::Records records;
    records.p = begin_;
    records.end = end_;
    records.tag = tag_;
    records.item = item_;
    return records;
  }
  // Size of all records together.
  std::size_t merged_size() const {
    std::size_t size = 0;
    Bytes part;
    for (internal::Records parts = records(); parts.next(part);) size += part.size();
    return size;
  }
  // The records behind each other, which is what merging means on the wire. `into` has room for merged_size() bytes.
  void merge(std::uint8_t* into) const {
    Bytes part;
    for (internal::Records parts = records(); parts.next(part); into += part.size()) {
      if (!part.empty()) std::memcpy(into, part.data(), part.size());
    }
  }

 private:
  const std::uint8_t* begin_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint32_t tag_ = 0;
  std::uint32_t item_ = 0;
  Rules rules_;
  bool missing_ = false;
};

// A nested message of view type V that has not been opened yet: give it to V::open().
template <class V>
class Message : public MessageRef {
 public:
  using View = V;

  Message() = default;
  explicit Message(const MessageRef& ref) : MessageRef(ref) {}
};

namespace internal {

// The message in slot `slot` of a field with this tag; an empty one when it is absent.
template <class V>
Message<V> sub_message(const Raw& raw, Sub slot, std::uint32_t tag) {
  Rules rules = raw.rules().below();
  if (!slot.has()) {
    if (rules.levels < 0) rules.levels = 0;  // what is not there is not too deep
    return Message<V>(MessageRef(Bytes(), rules));
  }
  Records records;
  records.p = raw.at(slot.first & ~Sub::kSplit);
  records.end = raw.at(slot.end);
  records.tag = tag;
  if ((slot.first & Sub::kSplit) != 0) return Message<V>(MessageRef(records, rules));
  Bytes payload;
  records.next(payload);
  return Message<V>(MessageRef(payload, rules));
}

// The message-set item of extension `number` in a message set; false when there is none.
template <class V>
bool set_item(const Raw& raw, std::uint32_t number, Message<V>& found) {
  Records records;
  records.p = raw.begin();
  records.end = raw.end();
  records.item = number;
  const Rules rules = raw.rules().below();
  Records rest = records;
  Bytes first;
  Bytes second;
  if (!rest.next(first)) {
    found = Message<V>(sub_message<V>(raw, Sub(), 0));
    return false;
  }
  found = Message<V>(rest.next(second) ? MessageRef(records, rules) : MessageRef(first, rules));
  return true;
}

}  // namespace internal

// The elements of a repeated message field, in order.
template <class V>
class Messages {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Message<V>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = value_type;

    Iterator() = default;
    Iterator(const internal::Records& records, const Rules& rules, std::uint32_t left)
        : records_(records), rules_(rules), left_(left) {
      if (left_ != 0) step();
    }

    value_type operator*() const { return value_type(MessageRef(current_, rules_)); }
    Iterator& operator++() {
      if (--left_ != 0) step();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    // `count` elements on, which are walked over: what an index from a known position costs.
    Iterator& operator+=(std::size_t count) {
      if (count >= left_) left_ = 0;
      for (; count != 0 && left_ != 0; --count) ++*this;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.left_ != b.left_; }

   private:
    HOTPB_INLINE void step() {
      if (!records_.next(current_)) left_ = 0;
    }

    internal::Records records_;
    Bytes current_;
    Rules rules_;
    std::uint32_t left_ = 0;  // elements, the current one included
  };
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = Message<V>;

  Messages() = default;
  Messages(const Raw& raw, Run run, std::uint32_t tag) : rules_(raw.rules().below()), count_(run.count) {
    records_.p = raw.at(run.first);
    records_.end = raw.at(run.end);
    records_.tag = tag;
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Iterator begin() const { return Iterator(records_, rules_, count_); }
  Iterator end() const { return Iterator(); }
  // Element `index`, walking over those before it; opening one that is not there answers HandleMisuse.
  Message<V> operator[](std::size_t index) const {
    if (index >= count_) return Message<V>(MessageRef::missing());
    Iterator at = begin();
    at += index;
    return *at;
  }

 private:
  internal::Records records_;
  Rules rules_;
  std::uint32_t count_ = 0;
};

}  // namespace view
}  // namespace hotpb

#endif  // HOTPB_VIEW_MESSAGE_H_
