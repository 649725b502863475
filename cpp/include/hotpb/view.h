// The view face: generated FooView types that read a message without a copy of its bytes.
//
//   demo::hot::TestMsgView msg;
//   if (hotpb::Error error = msg.decode(body); !error.ok()) return error;
//   use(msg.str_val());                                  // a std::string_view into `body`
//   for (const auto& element : msg.nested()) {           // or in one line: view/opened.h
//     demo::hot::TestMsgView nested;
//     if (hotpb::Error error = nested.open(element); !error.ok()) return error;
//   }
//
// Promise: decode() scans one message level once, checks all of it (tags, lengths, wire types, groups, packed payloads,
// UTF-8), stores where each field is, and allocates nothing. Accessors decode when you call them. open() opens and
// checks a nested message; validate() checks the whole tree at once.
//
// A view borrows the bytes: do not change or free them while you use the view, or anything that you got from it.
// Reading does not change a view, so any number of threads may read one. A position is in an iterator, which is a
// value.
//
// For bad bytes the functions return an error with the code, offset and path of spec/errors.md. Offsets count from the
// first byte of the message that was opened. After an error the view is an empty message, as before the first decode().
//
// Only the bytes must outlive the values that you get from a view: strings, Bytes and spans depend on the bytes alone,
// and a view, a Message, an iterator or a range is a value that holds all it needs. This holds for any bytes: a message
// in several records is merged when it is read, record by record, without a copy (view/parts.h).
#ifndef HOTPB_VIEW_H_
#define HOTPB_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/view/map.h"
#include "hotpb/view/message.h"
#include "hotpb/view/opened.h"
#include "hotpb/view/overwrite.h"
#include "hotpb/view/parts.h"
#include "hotpb/view/raw.h"
#include "hotpb/view/repeated.h"
#include "hotpb/view/required.h"
#include "hotpb/view/table.h"
#include "hotpb/view/unknown.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
// The part that all generated views share. V has scan_(), clear_() and kTable.
template <class V>
class View {
 public:
  // Opens `bytes`, which the view borrows, and checks the root level.
  [[nodiscard]] Error decode(Bytes bytes, const ReadOptions& options = {}) {
    return start(bytes, detail::make_rules(hotpb::detail::Limits(options)));
  }

  // A temporary cannot be borrowed: it is destroyed at the end of the call.
  template <class Owner,
            std::enable_if_t<!std::is_lvalue_reference_v<Owner> && !std::is_trivially_destructible_v<Owner>, int> = 0>
  Error decode(Owner&& bytes, const ReadOptions& options = {}) = delete;

  // Opens a message that a view returned, and checks its level.
  [[nodiscard]] HOTPB_INLINE Error open(const Message<V>& message) {
    if (HOTPB_LIKELY(message.is_one_piece())) return start(message.bytes(), message.rules());
    return open_rare(Message<V>(message));  // of a copy, so that the compiler can keep `message` in registers
  }

  // Checks the whole message, with all messages in it.
  [[nodiscard]] Error validate() const { return raw_.validate(V::kTable); }
  // Searches the whole message for required fields that are absent, except in extensions, which open() checks.
  [[nodiscard]] Error check_initialized() const {
    if (V::kTable.need_count == 0) return {};
    return detail::check_initialized(raw_, V::kTable);
  }

  // Appends the bytes of the message to a std::string, std::vector<std::uint8_t> or a similar container.
  template <class Buffer>
  void append_to(Buffer& out) const {
    pieces().append_to(out);
  }
  // The bytes of the message, not copied: several pieces if the message came in several records.
  Pieces pieces() const { return raw_.parts().any() ? Pieces({}, raw_.parts()) : Pieces(raw_.bytes(), {}); }

  // The message itself, which you can open once more, also as another type.
  template <class Other = V>
  Message<Other> whole() const {
    if (HOTPB_UNLIKELY(raw_.parts().any())) return Message<Other>(MessageRef(raw_.parts(), raw_.rules()));
    return Message<Other>(MessageRef(raw_.bytes(), raw_.rules()));
  }

  // The records that the schema does not define, with those of extensions.
  UnknownFields unknown_fields() const { return UnknownFields(raw_, V::kTable); }

  // For generated extension handles.
  const detail::Raw& raw() const { return raw_; }

 protected:
  View() = default;
  View(const View&) = default;
  View(View&&) = default;
  View& operator=(const View&) = default;
  View& operator=(View&&) = default;
  ~View() = default;

  detail::Raw raw_;

 private:
  friend class Messages<V>::Iterator;
  V& self() { return static_cast<V&>(*this); }

  HOTPB_INLINE Error start(Bytes bytes, const detail::Rules& rules) {
    self().clear_();
    raw_.start(bytes, rules);
    if (HOTPB_LIKELY(raw_.admitted() && self().scan_(raw_.begin(), raw_.end()))) return {};
    return refuse();
  }

  HOTPB_COLD Error refuse() {
    Error error = raw_.fail(V::kTable);
    reset();
    return error;
  }

  void reset() {
    self().clear_();
    raw_.reset();
  }

  // Opens a message of several records, or of none.
  HOTPB_COLD Error open_rare(const Message<V>& message) {
    if (message.is_missing()) {
      reset();
      return Error{Code::HandleMisuse, 0, {}};
    }
    Bytes bytes;
    detail::Parts parts;
    message.resolve(bytes, parts);
    if (!parts.any()) return start(bytes, message.rules());
    self().clear_();
    raw_.start(parts, message.rules());
    if (!raw_.admitted()) return refuse();
    for (std::size_t i = 0; i < parts.count(); ++i) {
      const Bytes part = parts[i];
      if (!self().scan_(part.begin(), part.end())) return refuse();
    }
    return {};
  }
};

// An extension. It is read from its extendee's bytes as a message that has only this field, so every rule of an
// ordinary field holds. open() decodes and checks its records; the accessors are has_value() and value().
//
//   demo::hot::colorView color;
//   if (hotpb::Error error = color.open(msg); !error.ok()) return error;
//   if (color.has_value()) use(color.value());
template <class V, class Extendee>
class ExtensionView : public View<V> {
 public:
  [[nodiscard]] Error open(const Extendee& message) { return View<V>::open(message.template whole<V>()); }

 protected:
  ExtensionView() = default;
};

// An extension of a message set. The items of this number merge.
template <class Extendee, class Child, std::uint32_t Number>
class SetItemView {
 public:
  [[nodiscard]] Error open(const Extendee& set) {
    has_ = detail::set_item<Child>(set.raw(), Number, value_);
    return {};
  }

  bool has_value() const { return has_; }
  Message<Child> value() const { return value_; }

 protected:
  SetItemView() = default;

 private:
  Message<Child> value_;
  bool has_ = false;
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_H_
