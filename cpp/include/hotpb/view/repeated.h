// The types a field can have, as values of a view, and the elements of repeated fields.
//
// Each type of descriptor.proto is a type here (Int32, Sfixed64, String, Enum<E>, ...), which states its C++ type, its
// wire type, and how it is read. The accessor of a `repeated int32` returns Repeated<Int32>:
//
//   for (std::int32_t number : v.numbers()) sum += number;
//   if (!v.numbers().empty()) last = v.numbers().nth(v.numbers().size() - 1);
//
// Packed, unpacked and mixed records are read in the same way, without allocation.
#ifndef HOTPB_VIEW_REPEATED_H_
#define HOTPB_VIEW_REPEATED_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/arrow.h"
#include "hotpb/view/message.h"
#include "hotpb/view/parts.h"
#include "hotpb/view/raw.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

namespace detail {

struct VarintKind {
  static constexpr wire::WireType kWire = wire::WireType::Varint;
  static constexpr std::size_t kWidth = 0;
  using Word = std::uint64_t;
  HOTPB_INLINE static const std::uint8_t* read(const std::uint8_t* p, const std::uint8_t* end, Word& word) {
    return wire::read_varint(p, end, word);
  }
};

struct Fixed32Kind {
  static constexpr wire::WireType kWire = wire::WireType::Fixed32;
  static constexpr std::size_t kWidth = 4;
  using Word = std::uint32_t;
  HOTPB_INLINE static const std::uint8_t* read(const std::uint8_t* p, const std::uint8_t* end, Word& word) {
    return wire::read_fixed32(p, end, word);
  }
};

struct Fixed64Kind {
  static constexpr wire::WireType kWire = wire::WireType::Fixed64;
  static constexpr std::size_t kWidth = 8;
  using Word = std::uint64_t;
  HOTPB_INLINE static const std::uint8_t* read(const std::uint8_t* p, const std::uint8_t* end, Word& word) {
    return wire::read_fixed64(p, end, word);
  }
};

// Whether the enum defines this value. For generated enums: argument-dependent look-up finds their enum_is_defined(). Lists
// take its address, so that it is not forced inline.
template <class E>
inline bool is_defined(std::int32_t value) {
  return enum_is_defined(static_cast<E>(value));
}

}  // namespace detail

// decode() converts a word to a value, encode() a value to a word. For closed enums, known() returns whether the enum
// defines the value.
struct Int32 : detail::VarintKind {
  using Value = std::int32_t;
  static Value decode(Word word) { return static_cast<Value>(word); }
  static Word encode(Value value) { return static_cast<Word>(std::int64_t{value}); }
};
struct Int64 : detail::VarintKind {
  using Value = std::int64_t;
  static Value decode(Word word) { return static_cast<Value>(word); }
  static Word encode(Value value) { return static_cast<Word>(value); }
};
struct Uint32 : detail::VarintKind {
  using Value = std::uint32_t;
  static Value decode(Word word) { return static_cast<Value>(word); }
  static Word encode(Value value) { return value; }
};
struct Uint64 : detail::VarintKind {
  using Value = std::uint64_t;
  static Value decode(Word word) { return word; }
  static Word encode(Value value) { return value; }
};
struct Sint32 : detail::VarintKind {
  using Value = std::int32_t;
  static Value decode(Word word) { return wire::unzigzag32(static_cast<std::uint32_t>(word)); }
  static Word encode(Value value) { return wire::zigzag32(value); }
};
struct Sint64 : detail::VarintKind {
  using Value = std::int64_t;
  static Value decode(Word word) { return wire::unzigzag64(word); }
  static Word encode(Value value) { return wire::zigzag64(value); }
};
struct Bool : detail::VarintKind {
  using Value = bool;
  static Value decode(Word word) { return word != 0; }
  static Word encode(Value value) { return value ? 1 : 0; }
};
struct Fixed32 : detail::Fixed32Kind {
  using Value = std::uint32_t;
  static Value decode(Word word) { return word; }
  static Word encode(Value value) { return value; }
};
struct Sfixed32 : detail::Fixed32Kind {
  using Value = std::int32_t;
  static Value decode(Word word) { return static_cast<Value>(word); }
  static Word encode(Value value) { return static_cast<Word>(value); }
};
struct Float : detail::Fixed32Kind {
  using Value = float;
  static Value decode(Word word) { return detail::port::bits_as<float>(word); }
  static Word encode(Value value) { return detail::port::bits_as<Word>(value); }
};
struct Fixed64 : detail::Fixed64Kind {
  using Value = std::uint64_t;
  static Value decode(Word word) { return word; }
  static Word encode(Value value) { return value; }
};
struct Sfixed64 : detail::Fixed64Kind {
  using Value = std::int64_t;
  static Value decode(Word word) { return static_cast<Value>(word); }
  static Word encode(Value value) { return static_cast<Word>(value); }
};
struct Double : detail::Fixed64Kind {
  using Value = double;
  static Value decode(Word word) { return detail::port::bits_as<double>(word); }
  static Word encode(Value value) { return detail::port::bits_as<Word>(value); }
};
template <class E>
struct Enum : detail::VarintKind {
  using Value = E;
  static Value decode(Word word) { return static_cast<E>(static_cast<std::int32_t>(word)); }
  static Word encode(Value value) { return static_cast<Word>(std::int64_t{static_cast<std::int32_t>(value)}); }
};
// Values for which `Known` returns false are unknown fields.
template <class E, bool (*Known)(std::int32_t)>
struct ClosedEnum : Enum<E> {
  static bool known(std::uint64_t word) { return Known(static_cast<std::int32_t>(word)); }
};

struct String {
  static constexpr wire::WireType kWire = wire::WireType::Len;
  using Value = std::string_view;
  static Value decode(hotpb::Bytes payload) { return payload.text(); }
};
struct ByteString {
  static constexpr wire::WireType kWire = wire::WireType::Len;
  using Value = hotpb::Bytes;
  static Value decode(hotpb::Bytes payload) { return payload; }
};

namespace detail {

template <class Kind>
HOTPB_INLINE bool is_known(const Kind&, typename Kind::Word) {
  return true;
}
template <class E, bool (*Known)(std::int32_t)>
HOTPB_INLINE bool is_known(const ClosedEnum<E, Known>&, std::uint64_t word) {
  return ClosedEnum<E, Known>::known(word);
}
template <class Kind>
struct IsClosed {
  static constexpr bool value = false;
};
template <class E, bool (*Known)(std::int32_t)>
struct IsClosed<ClosedEnum<E, Known>> {
  static constexpr bool value = true;
};

// The value that the scan found at `position`, or `fallback` if the field is absent.
template <class Kind>
HOTPB_INLINE typename Kind::Value get(const Raw& raw, std::uint32_t position, typename Kind::Value fallback) {
  if (position == 0) return fallback;
  typename Kind::Word word = 0;
  Kind::read(raw.at(position), raw.end(), word);
  return Kind::decode(word);
}

// Walks the elements of a number field through its records.
template <class Kind>
class NumberCursor {
 public:
  NumberCursor() = default;
  HOTPB_INLINE NumberCursor(const Raw& raw, Run run, std::uint32_t number)
      : at_(raw.at(run.first)),
        stop_(at_),
        end_(raw.walk_end(run.first, run.end)),
        number_(number),
        parts_(raw.parts()) {
    limit_ = HOTPB_UNLIKELY(parts_.any()) ? end_ : raw.end();
    // The most frequent case: one record, packed, with one byte of tag and one of length.
    const std::uint32_t tag = number << 3 | 2u;
    if (HOTPB_LIKELY(tag < 0x80 && end_ - at_ >= 2 && *at_ == tag && at_[1] < 0x80 && at_[1] <= end_ - at_ - 2)) {
      at_ += 2;
      stop_ = at_ + at_[-1];
    }
  }

  // Reads the next element that the field accepts. Returns false if there is none.
  HOTPB_INLINE bool next(typename Kind::Word& word) {
    do {
      if (at_ == stop_ && !next_record()) return false;
      at_ = read(word);
      if (HOTPB_UNLIKELY(at_ == nullptr)) {  // the caller changed the bytes
        at_ = stop_ = end_;
        return false;
      }
    } while (!is_known(Kind(), word));
    return true;
  }

  // Returns where the next element that the field accepts starts, or nullptr if there is none.
  const std::uint8_t* locate() {
    while (at_ != stop_ || next_record()) {
      typename Kind::Word word;
      const std::uint8_t* const next = Kind::read(at_, stop_, word);
      if (next == nullptr) break;
      if (is_known(Kind(), word)) return at_;
      at_ = next;
    }
    return nullptr;
  }

  // Skips `count` elements: in one step within a packed record of fixed width, otherwise one by one.
  bool skip(std::size_t count) {
    while (count != 0) {
      if (at_ == stop_ && !next_record()) return false;
      if (Kind::kWidth != 0) {
        const std::size_t here = static_cast<std::size_t>(stop_ - at_) / (Kind::kWidth == 0 ? 1 : Kind::kWidth);
        if (here == 0) return false;
        const std::size_t step = count < here ? count : here;
        at_ += step * Kind::kWidth;
        count -= step;
        continue;
      }
      typename Kind::Word ignored;
      if (!next(ignored)) return false;
      --count;
    }
    return true;
  }

 private:
  // Reads the element at at_, which is not stop_.
  HOTPB_INLINE const std::uint8_t* read(typename Kind::Word& word) const {
    if constexpr (Kind::kWire != wire::WireType::Varint) {
      return Kind::read(at_, stop_, word);
    } else {
      if (HOTPB_LIKELY(*at_ < 0x80)) {
        word = *at_;
        return at_ + 1;
      }
      if (stop_ - at_ >= 2 && at_[1] < 0x80) {
        word = (at_[0] & 0x7fu) | std::uint64_t{at_[1]} << 7;
        return at_ + 2;
      }
      return read_long(at_, stop_, limit_, word);
    }
  }
  HOTPB_NOINLINE static const std::uint8_t* read_long(const std::uint8_t* p, const std::uint8_t* stop,
                                                      const std::uint8_t* limit, typename Kind::Word& word) {
    if constexpr (Kind::kWire == wire::WireType::Varint) p = wire::detail::read_varint_long(p, limit, word);
    return HOTPB_LIKELY(p <= stop) ? p : nullptr;
  }
  // Moves to the next record of the field that has an element, in this part or in a later one.
  HOTPB_NOINLINE bool next_record() {
    const std::uint8_t* p = at_;
    for (;;) {
      if (next_record_from(p)) return true;
      if (!parts_.step(p, end_)) break;
      limit_ = end_;
    }
    at_ = stop_ = end_;
    return false;
  }
  bool next_record_from(const std::uint8_t* p) {
    while (p != end_) {
      std::uint32_t tag;
      p = wire::read_tag(p, end_, tag);
      if (p == nullptr) return false;
      if (tag == wire::make_tag(number_, Kind::kWire)) {
        at_ = p;
        stop_ = skip_checked(p, end_, tag);
        return stop_ != nullptr;
      }
      if (tag == wire::make_tag(number_, wire::WireType::Len)) {
        hotpb::Bytes packed;
        p = wire::read_len(p, end_, packed);
        if (p == nullptr) return false;
        if (packed.empty()) continue;
        at_ = packed.begin();
        stop_ = packed.end();
        return true;
      }
      p = skip_checked(p, end_, tag);
      if (p == nullptr) return false;
    }
    return false;
  }

  const std::uint8_t* at_ = nullptr;    // the next element
  const std::uint8_t* stop_ = nullptr;  // the end of its record
  const std::uint8_t* end_ = nullptr;   // the end of the last record, or of the part
  const std::uint8_t* limit_ = nullptr;  // bytes up to here may be read
  std::uint32_t number_ = 0;
  Parts parts_;
};

// Walks the records of a string or bytes field.
template <class Kind>
class PayloadCursor {
 public:
  using Word = hotpb::Bytes;

  PayloadCursor() = default;
  HOTPB_INLINE PayloadCursor(const Raw& raw, Run run, std::uint32_t number)
      : records_(raw, run.first, run.end, wire::make_tag(number, wire::WireType::Len)) {}

  bool next(hotpb::Bytes& payload) { return records_.next(payload); }
  bool skip(std::size_t count) {
    hotpb::Bytes ignored;
    for (; count != 0; --count) {
      if (!records_.next(ignored)) return false;
    }
    return true;
  }

 private:
  Records records_;
};

template <class Kind, bool IsNumber = Kind::kWire != wire::WireType::Len>
struct CursorOf {
  using Type = NumberCursor<Kind>;
  using Word = typename Kind::Word;
};
template <class Kind>
struct CursorOf<Kind, false> {
  using Type = PayloadCursor<Kind>;
  using Word = hotpb::Bytes;
};

}  // namespace detail

// The elements of a repeated field of any type but messages.
template <class Kind>
class Repeated {
 public:
  using value_type = typename Kind::Value;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = typename Kind::Value;
    using difference_type = std::ptrdiff_t;
    using pointer = hotpb::detail::Arrow<value_type>;
    using reference = value_type;

    Iterator() = default;
    HOTPB_INLINE Iterator(const typename detail::CursorOf<Kind>::Type& cursor, std::uint32_t left)
        : cursor_(cursor), left_(left) {
      if (left_ != 0) step();
    }

    value_type operator*() const { return Kind::decode(word_); }
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
    // Moves on by `count` elements: in one step within a packed record of fixed-width elements.
    Iterator& operator+=(std::size_t count) {
      if (count == 0) return *this;
      if (count >= left_ || !cursor_.skip(count - 1)) {
        left_ = 0;
        return *this;
      }
      left_ -= static_cast<std::uint32_t>(count);
      step();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.left_ != b.left_; }

   private:
    HOTPB_INLINE void step() {
      if (!cursor_.next(word_)) left_ = 0;
    }

    typename detail::CursorOf<Kind>::Type cursor_;
    typename detail::CursorOf<Kind>::Word word_{};
    std::uint32_t left_ = 0;  // the number of elements, with the current one
  };
  using iterator = Iterator;
  using const_iterator = Iterator;

  Repeated() = default;
  HOTPB_INLINE Repeated(const detail::Raw& raw, detail::Run run, std::uint32_t number)
      : cursor_(raw, run, number), count_(run.count) {}

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  HOTPB_INLINE Iterator begin() const { return Iterator(cursor_, count_); }
  Iterator end() const { return Iterator(); }
  // Returns element `index`, or zero if there is none. That takes one step in a packed record of fixed width, else a
  // walk over the elements before it: to read all elements in turn, iterate.
  value_type nth(std::size_t index) const {
    if (index >= count_) return value_type();
    typename detail::CursorOf<Kind>::Type cursor = cursor_;
    typename detail::CursorOf<Kind>::Word word{};
    if (!cursor.skip(index) || !cursor.next(word)) return value_type();
    return Kind::decode(word);
  }

  // Moves `cursor` to just before element `index`, for callers that need its place. Returns false if there is none.
  bool find(std::size_t index, typename detail::CursorOf<Kind>::Type& cursor) const {
    cursor = cursor_;
    return index < count_ && cursor.skip(index);
  }

 private:
  typename detail::CursorOf<Kind>::Type cursor_;
  std::uint32_t count_ = 0;
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_REPEATED_H_
