// Nested messages before they are opened: Message<V> is a message, and Messages<V> are the elements of a repeated
// field.
//
//   for (const auto& element : v.nested()) {           // hotpb::view::Messages<TestMsgView>
//     TestMsgView nested;
//     if (hotpb::Error error = nested.open(element); !error.ok()) return error;
//   }
//
// Promise: to return a message, an accessor decodes only its length; open() checks it. Only a message in several
// records allocates: open() builds a list of them (view/parts.h). Message, Messages and their iterators are values that
// keep that list alive; they borrow only the input.
#ifndef HOTPB_VIEW_MESSAGE_H_
#define HOTPB_VIEW_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/arrow.h"
#include "hotpb/view/parts.h"
#include "hotpb/view/raw.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

template <class V>
class View;

namespace detail {

// A message set (message_set_wire_format) is a sequence of items, type_id and message in any order:
//
//   0b  10 <type_id>  1a <length> <message>  0c
//
// An extension in an ordinary length-delimited field is read too (SET-6).
constexpr std::uint32_t kItemTag = wire::make_tag(1, wire::WireType::StartGroup);
constexpr std::uint32_t kItemTypeTag = wire::make_tag(2, wire::WireType::Varint);
constexpr std::uint32_t kItemMessageTag = wire::make_tag(3, wire::WireType::Len);

class RequiredFields;

// Skips the value of a record that has been checked.
HOTPB_INLINE const std::uint8_t* skip_checked(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag) {
  return wire::skip_value(p, end, tag, kAnyDepth);
}

// Reads the payload or group of a record with this tag. Returns the byte after the record.
HOTPB_INLINE const std::uint8_t* read_payload(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag,
                                              Bytes& payload) {
  if (wire::tag_type(tag) == wire::WireType::Len) return wire::read_len(p, end, payload);
  return wire::read_group(p, end, wire::tag_number(tag), payload, kAnyDepth);
}

// Finds the next record with this tag, at `p` or after it. Returns the byte after the record, or nullptr if there is
// none.
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

// Reads the number of a message-set item. Returns false unless it has a type_id and a message. The last type_id counts.
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

// Walks the records of one message field or repeated field, all with one tag. In a message of several parts, the walk
// continues with the next part when it reaches the end of a part.
struct Records {
  const std::uint8_t* p = nullptr;
  const std::uint8_t* end = nullptr;
  std::uint32_t tag = 0;
  Parts parts;

  Records() = default;
  // The records of a message between two positions. In a message of several parts the walk may pass the second
  // position: no record with this tag follows it.
  HOTPB_INLINE Records(const Raw& raw, std::uint32_t from, std::uint32_t to, std::uint32_t record_tag)
      : p(raw.at(from)), end(raw.walk_end(from, to)), tag(record_tag), parts(raw.parts()) {}
  // The records in a contiguous range.
  Records(Bytes range, std::uint32_t record_tag) : p(range.begin()), end(range.end()), tag(record_tag) {}

  HOTPB_INLINE bool next(Bytes& payload) { return step(p, end, tag, parts, payload); }
  // For a walk whose state is in the caller's own variables.
  HOTPB_INLINE static bool step(const std::uint8_t*& p, const std::uint8_t*& end, std::uint32_t tag, const Parts& parts,
                                Bytes& payload) {
    // The most frequent case: the next record follows at once, with one byte of tag and one of length.
    if (HOTPB_LIKELY(end - p >= 2 && p[0] == tag && p[1] < 0x80 && p[1] <= end - p - 2 &&
                     wire::tag_type(tag) == wire::WireType::Len && tag < 0x80)) {
      payload = Bytes(p + 2, p[1]);
      p = payload.end();
      return true;
    }
    // The functions below get values and no address of the walk, so that the compiler can keep the walk in registers.
    Bytes found;
    const std::uint8_t* const next = next_record(p, end, tag, found);
    if (HOTPB_LIKELY(next != nullptr)) {
      p = next;
      payload = found;
      return true;
    }
    if (HOTPB_LIKELY(!parts.any())) {
      p = end;
      return false;
    }
    const Found later = find_in_next(Parts(parts), end, tag);
    p = later.p == nullptr ? later.end : later.p;
    end = later.end;
    payload = later.payload;
    return later.p != nullptr;
  }

 private:
  struct Found {
    const std::uint8_t* p;
    const std::uint8_t* end;
    Bytes payload;
  };
  HOTPB_COLD static Found find_in_next(const Parts& parts, const std::uint8_t* end, std::uint32_t tag) {
    Found found{nullptr, end, {}};
    const std::uint8_t* p = end;
    while (found.p == nullptr && parts.step(p, found.end)) {
      found.p = next_record(p, found.end, tag, found.payload);
    }
    return found;
  }
};

// Walks the message records in the message-set items of one number.
struct ItemRecords {
  const std::uint8_t* p = nullptr;
  const std::uint8_t* end = nullptr;
  std::uint32_t item = 0;
  Parts parts;
  Bytes inner;  // the rest of the current item

  ItemRecords() = default;
  ItemRecords(const Raw& set, std::uint32_t number)
      : p(set.first_part().begin()), end(set.first_part().end()), item(number), parts(set.parts()) {}

  bool next(Bytes& payload) {
    const bool may_be_field = item <= wire::kMaxFieldNumber;
    for (;;) {
      if (!inner.empty()) {
        const std::uint8_t* const stop = inner.end();
        const std::uint8_t* const next = next_record(inner.begin(), stop, kItemMessageTag, payload);
        inner = next == nullptr ? Bytes() : Bytes(next, static_cast<std::size_t>(stop - next));
        if (next != nullptr) return true;
      }
      if (p == end && !parts.step(p, end)) return false;
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

}  // namespace detail

// Where a nested message is; Message<V> adds its type. It is a value, and only the input must outlive it.
class MessageRef {
 public:
  MessageRef() { rules_.levels = 0; }
  MessageRef(Bytes bytes, const detail::Rules& rules) : begin_(bytes.data()), end_(bytes.end()), rules_(rules) {}
  // The message that is the merge of these records.
  MessageRef(const detail::Records& records, const detail::Rules& rules)
      : begin_(records.p),
        end_(records.end),
        key_(records.tag),
        rules_(rules),
        form_(Form::Records),
        parts_(records.parts) {}
  MessageRef(const detail::ItemRecords& records, const detail::Rules& rules)
      : begin_(records.p),
        end_(records.end),
        key_(records.item),
        rules_(rules),
        form_(Form::Items),
        parts_(records.parts) {}
  // The message that consists of these parts.
  MessageRef(const detail::Parts& parts, const detail::Rules& rules)
      : rules_(rules), form_(Form::Parts), parts_(parts) {}

  // An element that does not exist: open() returns HandleMisuse.
  static MessageRef missing() {
    MessageRef ref;
    ref.form_ = Form::Missing;
    return ref;
  }

  bool is_missing() const { return form_ == Form::Missing; }
  // Whether the message came in several records.
  bool is_split() const { return form_ != Form::OnePiece && form_ != Form::Missing; }
  bool is_one_piece() const { return form_ == Form::OnePiece; }
  const detail::Rules& rules() const { return rules_; }
  // Appends the bytes of the message; if it came in several records, those of the merged message.
  template <class Buffer>
  void append_to(Buffer& out) const {
    Bytes bytes;
    detail::Parts parts;
    resolve(bytes, parts);
    Pieces(bytes, parts).append_to(out);
  }

 private:
  template <class V>
  friend class View;
  friend class detail::RequiredFields;

  // Starts the message in `raw`. It must not be a missing element.
  void start(detail::Raw& raw) const {
    Bytes bytes;
    detail::Parts parts;
    resolve(bytes, parts);
    if (parts.any()) {
      raw.start(parts, rules_);
    } else {
      raw.start(bytes, rules_);
    }
  }
  // The bytes of a message in one piece.
  Bytes bytes() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  // Stores where the message is: in `bytes` if at most one of its parts is not empty, else in `parts`.
  void resolve(Bytes& bytes, detail::Parts& parts) const {
    switch (form_) {
      case Form::OnePiece: bytes = this->bytes(); break;
      case Form::Records: return gather(walk<detail::Records>(&detail::Records::tag), bytes, parts);
      case Form::Items: return gather(walk<detail::ItemRecords>(&detail::ItemRecords::item), bytes, parts);
      case Form::Parts: parts = parts_; break;
      case Form::Missing: break;
    }
  }

  enum class Form : std::uint8_t { OnePiece, Records, Items, Parts, Missing };

  template <class Walk>
  Walk walk(std::uint32_t Walk::*key) const {
    Walk records;
    records.p = begin_;
    records.end = end_;
    records.*key = key_;
    records.parts = parts_;
    return records;
  }
  template <class Walk>
  void gather(const Walk& records, Bytes& bytes, detail::Parts& parts) const {
    Bytes part;
    std::size_t count = 0;
    for (Walk all = records; all.next(part);) {
      if (part.empty()) continue;
      if (count++ == 0) bytes = part;
    }
    if (count < 2) return;
    detail::Parts list(begin_, count);
    for (Walk all = records; list.count() < count && all.next(part);) {
      if (!part.empty()) list.add(part);
    }
    if (list.count() != 0) parts = list;  // else the caller changed the bytes
  }

  const std::uint8_t* begin_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint32_t key_ = 0;  // the tag of the records, or the number of the items
  detail::Rules rules_;
  Form form_ = Form::OnePiece;
  detail::Parts parts_;  // the parts of the message that holds it, or its own (Form::Parts)
};

// A nested message of view type V that is not yet open: pass it to V::open().
template <class V>
class Message : public MessageRef {
 public:
  using View = V;

  Message() = default;
  explicit Message(const MessageRef& ref) : MessageRef(ref) {}
};

namespace detail {

// The message in the slot of a field with this tag; an empty message if the field is absent.
template <class V>
HOTPB_INLINE Message<V> sub_message(const Raw& raw, Sub slot, std::uint32_t tag) {
  Rules rules = raw.rules().below();
  if (!slot.has()) {
    if (rules.levels < 0) rules.levels = 0;  // an absent message is not too deep
    return Message<V>(MessageRef(Bytes(), rules));
  }
  const std::uint32_t first = slot.first & ~Sub::kSplit;
  if (HOTPB_UNLIKELY(first != slot.first)) return Message<V>(MessageRef(Records(raw, first, slot.end, tag), rules));
  // The field has one record, which is whole in one part.
  Bytes payload;
  Records(Bytes(raw.at(first), slot.end - first), tag).next(payload);
  return Message<V>(MessageRef(payload, rules));
}

// Finds the item of extension `number` in a message set. Returns false if there is none.
template <class V>
bool set_item(const Raw& raw, std::uint32_t number, Message<V>& found) {
  const ItemRecords records(raw, number);
  const Rules rules = raw.rules().below();
  ItemRecords rest = records;
  Bytes first;
  Bytes second;
  if (!rest.next(first)) {
    found = Message<V>(sub_message<V>(raw, Sub(), 0));
    return false;
  }
  found = Message<V>(rest.next(second) ? MessageRef(records, rules) : MessageRef(first, rules));
  return true;
}

}  // namespace detail

// The elements of a repeated message field, in order.
template <class V>
class Messages {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Message<V>;
    using difference_type = std::ptrdiff_t;
    using pointer = hotpb::detail::Arrow<value_type>;
    using reference = value_type;

    Iterator() = default;
    HOTPB_INLINE Iterator(const detail::Records& records, const detail::Rules& rules, std::uint32_t left)
        : records_(records), rules_(rules), left_(left) {
      if (left_ != 0) step();
    }

    HOTPB_INLINE value_type operator*() const { return value_type(MessageRef(current_, rules_)); }
    pointer operator->() const { return pointer(**this); }
    HOTPB_INLINE Iterator& operator++() {
      if (--left_ != 0) step();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    // Moves on by `count` elements, and walks over them. Use it to reach an index from a known position.
    Iterator& operator+=(std::size_t count) {
      if (count >= left_) left_ = 0;
      for (; count != 0 && left_ != 0; --count) ++*this;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.left_ != b.left_; }

    // For opened.h.
    HOTPB_INLINE bool is_end() const { return left_ == 0; }
    HOTPB_INLINE void stop() { left_ = 0; }
    HOTPB_INLINE auto open(View<V>& view) const { return view.start(current_, rules_); }

   private:
    HOTPB_INLINE void step() {
      if (!records_.next(current_)) left_ = 0;
    }

    detail::Records records_;
    Bytes current_;
    detail::Rules rules_;
    std::uint32_t left_ = 0;  // the number of elements, with the current one
  };
  using iterator = Iterator;
  using const_iterator = Iterator;
  using value_type = Message<V>;

  Messages() = default;
  HOTPB_INLINE Messages(const detail::Raw& raw, detail::Run run, std::uint32_t tag)
      : records_(raw, run.first, run.end, tag), rules_(raw.rules().below()), count_(run.count) {}

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  HOTPB_INLINE Iterator begin() const { return Iterator(records_, rules_, count_); }
  Iterator end() const { return Iterator(); }
  // Returns element `index`, after a walk over those before it: to read all elements in turn, iterate. If there is no
  // such element, to open it returns HandleMisuse.
  Message<V> nth(std::size_t index) const {
    const std::uint8_t* p = records_.p;
    const std::uint8_t* end = records_.end;
    Bytes payload;
    for (std::size_t left = index < count_ ? index + 1 : 0; left != 0; --left) {
      if (!detail::Records::step(p, end, records_.tag, records_.parts, payload)) break;
      if (left == 1) return Message<V>(MessageRef(payload, rules_));
    }
    return Message<V>(MessageRef::missing());
  }

 private:
  detail::Records records_;
  detail::Rules rules_;
  std::uint32_t count_ = 0;
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_MESSAGE_H_
