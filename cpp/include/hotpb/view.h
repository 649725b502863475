// The view face: generated FooView types that read a message where it lies.
//
//   demo::hot::TestMsgView msg;
//   if (hotpb::Error error = msg.decode(body); !error.ok()) return error;
//   use(msg.str_val());                                  // a std::string_view into `body`
//   for (const auto& element : msg.nested()) {
//     demo::hot::TestMsgView nested;
//     if (hotpb::Error error = nested.open(element); !error.ok()) return error;
//   }
//
// Promise: decode() scans one message level once, checks it whole (tags, lengths, wire types, groups, packed payloads,
// UTF-8), notes where each field is, and allocates nothing. Accessors decode when they are called. Nested messages are
// opened, and checked, when they are asked for; validate() checks the whole tree at once.
//
// The bytes are borrowed: they must not change, or go away, while the view or anything taken from it is in use. Reading
// changes nothing in a view: any number of threads may read one. A position lives in an iterator, which is a value.
//
// Bad bytes give an error, with the code, offset and path of spec/errors.md; offsets count from the first byte of the
// message that was opened. After an error the view is an empty message, as it is before the first decode().
//
// Nothing but the bytes has to outlive what is taken from a view: strings, Bytes and spans depend on the bytes alone,
// and a view, a Message, an iterator or a range is a value that keeps what it needs. That is so whatever the bytes are:
// a message that came in several records merges by being read record by record where it lies (view/parts.h).
#ifndef HOTPB_VIEW_H_
#define HOTPB_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "hotpb/abi.h"
#include "hotpb/check.h"
#include "hotpb/error.h"
#include "hotpb/view/map.h"
#include "hotpb/view/message.h"
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
// The part of a generated view that is the same for all: V has scan_(), clear_() and kTable.
template <class V>
class View {
 public:
  // Opens `bytes`, which are borrowed.
  [[nodiscard]] Error decode(Bytes bytes, const ReadOptions& options = {}) {
    return start(bytes, make_rules(Limits(options)));
  }

  // What goes away at the end of the call cannot be borrowed.
  template <class Owner,
            std::enable_if_t<!std::is_lvalue_reference_v<Owner> && !std::is_trivially_destructible_v<Owner>, int> = 0>
  Error decode(Owner&& bytes, const ReadOptions& options = {}) = delete;

  // Opens a message that a view handed out, and checks its level.
  [[nodiscard]] HOTPB_INLINE Error open(const Message<V>& message) {
    if (HOTPB_LIKELY(message.is_one_piece())) return start(message.bytes(), message.rules());
    return open_rare(Message<V>(message));  // a copy: a message whose address went nowhere can be kept in registers
  }

  // Checks the whole message, with all that is in it.
  [[nodiscard]] Error validate() const { return raw_.validate(V::kTable); }
  // Looks for required fields that are absent, in the whole message but for extensions, which are checked when opened.
  [[nodiscard]] Error check_initialized() const {
    if (V::kTable.need_count == 0) return {};
    return detail::check_initialized(raw_, V::kTable);
  }

  // Appends the bytes of the message to a std::string, std::vector<std::uint8_t> or their like.
  template <class Buffer>
  void append_to(Buffer& out) const {
    pieces().append_to(out);
  }
  // The bytes of the message where they lie: in several pieces if it came in several records.
  Pieces pieces() const { return raw_.parts().any() ? Pieces({}, raw_.parts()) : Pieces(raw_.bytes(), {}); }

  // The message itself, to be opened once more, as another type too.
  template <class Other = V>
  Message<Other> whole() const {
    if (HOTPB_UNLIKELY(raw_.parts().any())) return Message<Other>(MessageRef(raw_.parts(), raw_.rules()));
    return Message<Other>(MessageRef(raw_.bytes(), raw_.rules()));
  }

  // What the schema does not know, extensions included.
  UnknownFields unknown_fields() const { return UnknownFields(raw_, V::kTable); }

  // For generated extension handles.
  const Raw& raw() const { return raw_; }

 protected:
  View() = default;
  View(const View&) = default;
  View(View&&) = default;
  View& operator=(const View&) = default;
  View& operator=(View&&) = default;
  ~View() = default;

  Raw raw_;

 private:
  V& self() { return static_cast<V&>(*this); }

  HOTPB_INLINE Error start(Bytes bytes, const Rules& rules) {
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
    raw_ = Raw();
  }

  // Several records, or none.
  HOTPB_COLD Error open_rare(const Message<V>& message) {
    if (message.is_missing()) {
      reset();
      return Error{Code::HandleMisuse, 0, {}};
    }
    Bytes bytes;
    Parts parts;
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

// An extension, read from its extendee's bytes as a message that has only this field: so every rule of an ordinary
// field holds. open() decodes and checks its records; the accessors are has_value() and value().
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

// The same of an extension of a message set, whose items of this number merge.
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
