// Visits: a message goes directly from its bytes into your own columns, rows or structs, without a pool.
//
//   struct Labels : prometheus::hot::LabelVisitor {        // generated, in x.visitor.hot.h (faces=pool+visitor)
//     Row& row;
//     explicit Labels(Row& r) : row(r) {}
//     void name(std::string_view value) { row.name = value; }
//     bool value(std::string_view value) { return row.accepts(value); }     // false ends the visit
//   };
//   struct Series : prometheus::hot::TimeSeriesVisitor {
//     Table& table;
//     explicit Series(Table& t) : table(t) {}
//     void labels(hotpb::Records<prometheus::hot::Label>& records) {
//       while (records.next()) records.visit(Labels(table.add_row()));
//     }
//   };
//   Series series(table);
//   hotpb::Visited visited = hotpb::visit<prometheus::hot::TimeSeries>(body, series);
//   if (!visited.ok()) return visited.error;
//
// A visitor is a class that derives from the generated one and has functions for the fields that it needs; each returns
// nothing, or a bool. The calls are not virtual: a function has the name and the parameters of the one that it
// replaces.
//
// Promise: a visit calls the functions for each record in the order of the input, and allocates nothing. It merges
// nothing: of a singular field with two records the function is called twice, a key of a map may come twice. Bytes that
// no function looks at are checked, too. The error is that of a decode, which may be found after a part of the message
// has been shown; but a visit does not look for required fields. Strings, bytes and elements borrow the input.
// `Records` and unknown fields are valid during the call that they are passed to.
#ifndef HOTPB_POOL_VISIT_H_
#define HOTPB_POOL_VISIT_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/by_table.h"
#include "hotpb/pool/options.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN

// How a visit ended: well, with an error in the bytes, or because a function of the visitor returned false.
struct Visited {
  Error error;
  bool stopped = false;
  bool ok() const { return error.ok() && !stopped; }
};

// The elements of one record of a repeated number: those of a packed record, or one. They have been checked.
template <FieldType Type, class T>
class Elements {
 public:
  using value_type = T;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const Elements& elements, const std::uint8_t* p)
        : p_(p), next_(p), end_(elements.bytes_.end()), closed_(elements.closed_) {
      step();
    }
    reference operator*() const { return value_; }
    pointer operator->() const { return &value_; }
    Iterator& operator++() {
      step();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      step();
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.p_ == b.p_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.p_ != b.p_; }

   private:
    void step() {
      do {
        p_ = next_;
        if (p_ == end_) return;
        std::uint64_t word = 0;
        next_ = pool::detail::read_number(Type, p_, end_, word);
        if (next_ == nullptr) {  // somebody changed the bytes
          p_ = next_ = end_;
          return;
        }
        pool::detail::store_number(Type, reinterpret_cast<std::uint8_t*>(&value_), word);
        if (closed_ == nullptr || closed_(static_cast<std::int32_t>(word))) return;
      } while (true);
    }

    const std::uint8_t* p_ = nullptr;
    const std::uint8_t* next_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    bool (*closed_)(std::int32_t) = nullptr;
    T value_{};
  };
  using iterator = Iterator;
  using const_iterator = Iterator;

  explicit Elements(Bytes bytes, bool (*closed)(std::int32_t) = nullptr) : bytes_(bytes), closed_(closed) {}

  Iterator begin() const { return Iterator(*this, bytes_.begin()); }
  Iterator end() const { return Iterator(*this, bytes_.end()); }
  // As they came, without tag and length. Undefined values of a closed enum are among them; the iterator skips those.
  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  bool (*closed_)(std::int32_t);
};

namespace pool {
namespace detail {

// Checks a message that no visitor looks at. Returns as a decoder does.
inline const std::uint8_t* pass(const MessageTable& table, const std::uint8_t* p, const std::uint8_t* end,
                                std::uint32_t end_tag, std::uint32_t left, bool strict) {
  std::size_t hint = 0;
  while (p != end) {
    std::uint32_t tag;
    p = wire::read_tag(p, end, tag);
    if (p == nullptr) return nullptr;
    const FieldEntry* const field = hotpb::detail::find_field(table, tag, hint);
    if (field == nullptr && tag == end_tag) return p;
    if (field != nullptr && wire::tag_type(tag) == wire::WireType::Len) {
      Bytes payload;
      p = wire::read_len(p, end, payload);
      if (p == nullptr) return nullptr;
      if (field->type == FieldType::Message) {
        if (left == 0 || pass(*field->child, payload.begin(), payload.end(), 0, left - 1, strict) == nullptr) {
          return nullptr;
        }
      } else if (field->type == FieldType::String) {
        if ((field->verify_utf8 || strict) && !utf8::is_valid(payload.data(), payload.size())) return nullptr;
      } else if (field->type != FieldType::Bytes) {
        for (const std::uint8_t* at = payload.begin(); at != payload.end();) {
          std::uint64_t word;
          at = read_number(field->type, at, payload.end(), word);
          if (at == nullptr) return nullptr;
        }
      }
    } else if (field != nullptr && wire::tag_type(tag) == wire::WireType::StartGroup) {
      const std::uint32_t close = wire::make_tag(field->number, wire::WireType::EndGroup);
      p = left == 0 ? nullptr : pass(*field->child, p, end, close, left - 1, strict);
    } else {
      p = wire::skip_value(p, end, tag, left);
    }
    if (p == nullptr) return nullptr;
  }
  return end_tag == 0 ? p : nullptr;
}

// The state of one visit, and functions for generated code.
class Visit {
 public:
  Visit(bool strict, const std::uint8_t* end) : end_(end), strict_(strict) {}

  bool strict() const { return strict_; }
  bool good() const { return !failed_ && !stopped_; }
  bool stopped() const { return stopped_; }
  // The bytes are bad, unless the visitor has stopped the visit.
  HOTPB_COLD const std::uint8_t* fail() {
    if (!stopped_) failed_ = true;
    return nullptr;
  }

  // Calls a function of the visitor. False ends the visit.
  template <class Call>
  HOTPB_INLINE bool call(Call call) {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
    } else {
      static_assert(std::is_same_v<decltype(call()), bool>, "functions of a visitor return nothing, or a bool");
      if (!call() && !failed_) stopped_ = true;
    }
    return good();
  }

  template <FieldType Type, class T>
  HOTPB_INLINE static const std::uint8_t* number(const std::uint8_t* p, const std::uint8_t* end, T& value) {
    std::uint64_t word = 0;
    p = detail::read_number(Type, p, end, word);
    detail::store_number(Type, reinterpret_cast<std::uint8_t*>(&value), word);
    return p;
  }
  template <class Text>
  HOTPB_INLINE const std::uint8_t* text(const std::uint8_t* p, const std::uint8_t* end, bool verify,
                                        Text& value) const {
    Bytes payload;
    p = wire::read_len(p, end, payload);
    if (HOTPB_UNLIKELY(p == nullptr)) return nullptr;
    if constexpr (std::is_same_v<Text, Bytes>) {
      value = payload;
    } else {
      if ((verify || strict_) && !Decoder::is_utf8(payload, end_)) return nullptr;
      value = payload.text();
    }
    return p;
  }
  // The numbers of one record.
  template <FieldType Type>
  static const std::uint8_t* packed(const std::uint8_t* p, const std::uint8_t* end, Bytes& numbers) {
    p = wire::read_len(p, end, numbers);
    if (p == nullptr) return nullptr;
    if constexpr (hotpb::detail::element_wire_type(Type) != wire::WireType::Varint) {
      return numbers.size() % detail::number_width(Type) == 0 ? p : nullptr;
    } else {
      for (const std::uint8_t* at = numbers.begin(); at != numbers.end();) {
        at = wire::skip_varint(at, numbers.end());
        if (at == nullptr) return nullptr;
      }
      return p;
    }
  }
  template <FieldType Type>
  static const std::uint8_t* single(const std::uint8_t* p, const std::uint8_t* end, Bytes& numbers) {
    std::uint64_t word;
    const std::uint8_t* const after = detail::read_number(Type, p, end, word);
    if (after != nullptr) numbers = Bytes(p, static_cast<std::size_t>(after - p));
    return after;
  }

  // A record that is none of the message's fields.
  template <class V>
  const std::uint8_t* unknown(const MessageTable& table, V& v, const std::uint8_t* start, const std::uint8_t* p,
                              const std::uint8_t* end, std::uint32_t tag, std::uint32_t left) {
    const std::uint8_t* const after = wire::skip_value(p, end, tag, left);
    if (after == nullptr ||
        (table.dropped_count != 0 && hotpb::detail::is_dropped(table, wire::tag_number(tag)))) {
      return after;
    }
    return record(v, tag, start, p, after) ? after : nullptr;
  }
  template <class V>
  bool record(V& v, std::uint32_t tag, const std::uint8_t* start, const std::uint8_t* value,
              const std::uint8_t* after) {
    const UnknownField field(tag, Bytes(start, static_cast<std::size_t>(after - start)),
                             Bytes(value, static_cast<std::size_t>(after - value)));
    return call([&] { return v.unknown_fields(field); });
  }
  // An undefined value of a closed enum: an unknown field, as a record of its own.
  template <class V>
  bool undefined(V& v, std::uint32_t number, std::int32_t value) {
    std::uint8_t bytes[2 * wire::kVarintRoom];
    const std::uint32_t tag = wire::make_tag(number, wire::WireType::Varint);
    std::uint8_t* const at = wire::write_tag(bytes, number, wire::WireType::Varint);
    std::uint8_t* const after = wire::write_varint(at, static_cast<std::uint64_t>(std::int64_t{value}));
    return record(v, tag, bytes, at, after);
  }
  template <class V>
  bool undefined(V& v, std::uint32_t number, Bytes numbers, bool (*closed)(std::int32_t)) {
    for (const std::uint8_t* at = numbers.begin(); at != numbers.end();) {
      std::uint64_t word = 0;
      at = wire::read_varint(at, numbers.end(), word);
      if (at == nullptr) return true;
      const std::int32_t value = static_cast<std::int32_t>(word);
      if (!closed(value) && !undefined(v, number, value)) return false;
    }
    return true;
  }

  // An entry of a map: its bytes, and the last key and value. A value that is a message is only skipped.
  template <FieldType KeyType, FieldType ValueType, class Key, class Value>
  const std::uint8_t* entry(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t left, bool verify_key,
                            bool verify_value, Bytes& entry, Key& key, Value& value) const {
    p = wire::read_len(p, end, entry);
    if (p == nullptr || left == 0) return nullptr;
    constexpr std::uint32_t kKey = wire::make_tag(1, hotpb::detail::element_wire_type(KeyType));
    constexpr std::uint32_t kValue = wire::make_tag(2, hotpb::detail::element_wire_type(ValueType));
    for (const std::uint8_t* at = entry.begin(); at != entry.end();) {
      std::uint32_t tag;
      at = wire::read_tag(at, entry.end(), tag);
      if (at == nullptr) return nullptr;
      if (tag == kKey) {
        at = part<KeyType>(at, entry.end(), verify_key, key);
      } else if (tag == kValue && ValueType != FieldType::Message) {
        at = part<ValueType>(at, entry.end(), verify_value, value);
      } else {
        at = wire::skip_value(at, entry.end(), tag, left - 1);
      }
      if (at == nullptr) return nullptr;
    }
    return p;
  }

 private:
  template <FieldType Type, class T>
  const std::uint8_t* part(const std::uint8_t* p, const std::uint8_t* end, bool verify, T& value) const {
    if constexpr (Type == FieldType::Message) {
      static_cast<void>(verify);
      static_cast<void>(value);
      return wire::skip_value(p, end, wire::make_tag(2, wire::WireType::Len), 0);
    } else if constexpr (detail::is_text(Type)) {
      return text(p, end, verify, value);
    } else {
      static_cast<void>(verify);
      return number<Type>(p, end, value);
    }
  }

  const std::uint8_t* const end_;  // of the input
  const bool strict_;
  bool failed_ = false;
  bool stopped_ = false;
};

}  // namespace detail
}  // namespace pool

// Records of a field of messages: of a repeated field those that follow one another, of a singular field one, of a
// map's entry those of its value. Records that the visitor does not visit are only checked.
template <class M>
class Records {
 public:
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  // Goes to the next record, at first to the first. False when there is none, or when the visit has ended.
  HOTPB_INLINE bool next() {
    if (HOTPB_UNLIKELY(!leave()) || !open_) return false;
    if (HOTPB_UNLIKELY(left_ == 0)) return stop();
    const std::uint8_t* const content = at_;
    if (end_tag_ == 0) {
      Bytes payload;
      at_ = wire::read_len(content, end_, payload);
      if (HOTPB_UNLIKELY(at_ == nullptr)) return stop();
      begin_ = payload.begin();
      stop_ = payload.end();
    } else {
      begin_ = content;
      stop_ = end_;
    }
    current_ = true;
    checked_ = false;
    return true;
  }

  // Shows the record to a visitor. False when the visit has ended.
  template <class V>
  HOTPB_INLINE bool visit(V&& visitor) {
    if (HOTPB_UNLIKELY(!current_ || !d_.good())) return false;
    const std::uint8_t* const after =
        visit_fields_(static_cast<const M*>(nullptr), visitor, d_, begin_, stop_, end_tag_, left_ - 1);
    if (HOTPB_UNLIKELY(after == nullptr)) return stop();
    passed(after);
    return true;
  }
  // Shows all records that are left to one visitor.
  template <class V>
  bool visit_each(V&& visitor) {
    while (next()) visit(visitor);
    return d_.good();
  }

  // For generated code. `p` is after the tag of the first record. An entry's value may have other records around.
  Records(pool::detail::Visit& d, std::uint32_t tag, bool repeated, const std::uint8_t* p, const std::uint8_t* end,
          std::uint32_t left)
      : d_(d), tag_(tag), repeated_(repeated), at_(p), end_(end), left_(left) {
    if (wire::tag_type(tag) == wire::WireType::StartGroup) {
      end_tag_ = wire::make_tag(wire::tag_number(tag), wire::WireType::EndGroup);
    }
  }
  Records(pool::detail::Visit& d, Bytes entry, std::uint32_t left)
      : d_(d), tag_(wire::make_tag(2, wire::WireType::Len)), repeated_(true), in_entry_(true), at_(entry.begin()),
        end_(entry.end()), left_(left) {
    seek();
  }
  // Checks what is left. Returns the byte after the records; nullptr when the visit has ended.
  const std::uint8_t* finish() {
    while (next()) {
    }
    return d_.good() ? at_ : nullptr;
  }

 private:
  HOTPB_COLD bool stop() {
    open_ = current_ = false;
    d_.fail();
    return false;
  }

  void passed(const std::uint8_t* after) {
    if (end_tag_ != 0) at_ = after;
    checked_ = true;
  }

  // Checks the record that is open, and finds the next.
  HOTPB_INLINE bool leave() {
    if (HOTPB_UNLIKELY(!d_.good())) return open_ = current_ = false;
    if (!current_) return true;
    if (HOTPB_UNLIKELY(!checked_) && !check()) return false;
    current_ = false;
    if (repeated_ && tag_ < 0x80 && at_ != end_ && *at_ == tag_) {  // most tags are one byte
      ++at_;
    } else {
      seek();
    }
    return true;
  }
  HOTPB_NOINLINE bool check() {
    const std::uint8_t* const after = pool::detail::pass(M::kTable, begin_, stop_, end_tag_, left_ - 1, d_.strict());
    if (after == nullptr) return stop();
    passed(after);
    return true;
  }

  HOTPB_NOINLINE void seek() {
    open_ = false;
    if (!repeated_) return;
    while (at_ != end_) {
      std::uint32_t tag;
      const std::uint8_t* const after = wire::read_tag(at_, end_, tag);
      if (after != nullptr && tag == tag_) {
        at_ = after;
        open_ = true;
        return;
      }
      if (!in_entry_) return;
      // The entry has been checked.
      at_ = after == nullptr ? end_ : wire::skip_value(after, end_, tag, kMaxDepth);
      if (at_ == nullptr) at_ = end_;
    }
  }

  pool::detail::Visit& d_;
  const std::uint32_t tag_;
  std::uint32_t end_tag_ = 0;
  const bool repeated_;
  const bool in_entry_ = false;
  bool open_ = true;      // there is a record, whose content starts at at_
  bool current_ = false;  // next() has found a record
  bool checked_ = false;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  const std::uint32_t left_;
  const std::uint8_t* begin_ = nullptr;
  const std::uint8_t* stop_ = nullptr;
};

// Shows the message M, whose bytes these are, to a visitor. `memory` and `allow_partial` have no effect.
template <class M, class V>
[[nodiscard]] Visited visit(Bytes input, V&& visitor, const DecodeOptions& options = {}) {
  const hotpb::detail::Limits limits(options.reading());
  if (input.size() > limits.size()) return {Error{Code::SizeExceeded, 0, {}}, false};
  const auto explain = [&](std::uint64_t elements) {
    hotpb::detail::Checker checker(input, limits);
    checker.count_to(elements);
    return checker.run(M::kTable);
  };
  if (HOTPB_UNLIKELY(options.elements != DecodeOptions::kNoLimit)) {
    Error error = explain(options.elements);
    if (!error.ok()) return {std::move(error), false};
  }
  pool::detail::Visit d(limits.strict(), input.end());
  if (HOTPB_LIKELY(visit_fields_(static_cast<const M*>(nullptr), visitor, d, input.begin(), input.end(), 0,
                                 limits.depth()) != nullptr) || input.empty()) {
    return {};
  }
  if (d.stopped()) return {Error(), true};
  Error error = explain(DecodeOptions::kNoLimit);
  // Not reached unless somebody changed the bytes meanwhile.
  if (error.ok()) error = Error{Code::HandleMisuse, 0, {}};
  return {std::move(error), false};
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_VISIT_H_
