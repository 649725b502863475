// Writes a view back as the canonical bytes of spec/wire.md (section 10), through its public accessors. For tests only:
// the face +reencode of hotpb-cpp-testgen generates the functions, and nothing here is fast.
//
// hotpb bench has a fast version of this header, go/cmd/hotpb/internal/bench/cpp_reencode.txt, with the same functions.
#ifndef HOTPB_TESTGEN_HOTPB_TEST_REENCODE_H_
#define HOTPB_TESTGEN_HOTPB_TEST_REENCODE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/view.h"
#include "hotpb/wire.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

// A message type, for tests; each generated file has a list of them.
struct Reencoder {
  const char* message;  // full name
  const MessageTable* table;
  // Decodes, validates and writes back. Checks required fields unless `allow_partial`.
  Error (*reencode)(Bytes input, const ReadOptions& options, bool allow_partial, std::string& output);
  // Appends the message's own unknown fields.
  Error (*unknown_fields)(Bytes input, std::string& output);
};

namespace reencode {

template <class Kind>
void append(Kind, std::string& out, typename Kind::Value value) {
  if constexpr (Kind::kWire == wire::WireType::Len) {
    wire::append_len(out, value);
  } else if constexpr (Kind::kWire == wire::WireType::Varint) {
    wire::append_varint(out, Kind::encode(value));
  } else {
    wire::append_fixed(out, Kind::encode(value));
  }
}

// Whether it is the value that a field with implicit presence does not write.
inline bool is_default(float value) { return detail::port::bits_as<std::uint32_t>(value) == 0; }
inline bool is_default(double value) { return detail::port::bits_as<std::uint64_t>(value) == 0; }
inline bool is_default(std::string_view value) { return value.empty(); }
inline bool is_default(Bytes value) { return value.empty(); }
template <class T>
bool is_default(T value) {
  return static_cast<std::uint64_t>(value) == 0;
}

// Inserts the length before the bytes that were appended since `start`.
inline void insert_length(std::string& out, std::size_t start) {
  std::string length;
  wire::append_varint(length, out.size() - start);
  out.insert(start, length);
}

template <class Kind>
void put(std::string& out, std::uint32_t number, typename Kind::Value value) {
  wire::append_tag(out, number, Kind::kWire);
  append(Kind(), out, value);
}

// The functions below get the view and its accessor, not the accessor's value, so that the frames of the generated
// functions stay small: there is one for each level of nesting. Functions that can fail return false with the error.

template <class V>
using Has = bool (V::*)() const;
template <class V, class T>
using Get = T (V::*)() const;

template <class Kind, class V>
void put_explicit(std::string& out, std::uint32_t number, const V& view, Has<V> has, Get<V, typename Kind::Value> get) {
  if ((view.*has)()) put<Kind>(out, number, (view.*get)());
}

template <class Kind, class V>
void put_implicit(std::string& out, std::uint32_t number, const V& view, Get<V, typename Kind::Value> get) {
  const typename Kind::Value value = (view.*get)();
  if (!is_default(value)) put<Kind>(out, number, value);
}

template <class V, class Kind>
void put_unpacked(std::string& out, std::uint32_t number, const V& view, Get<V, Repeated<Kind>> get) {
  for (const auto& value : (view.*get)()) put<Kind>(out, number, value);
}

template <class V, class Kind>
void put_packed(std::string& out, std::uint32_t number, const V& view, Get<V, Repeated<Kind>> get) {
  const Repeated<Kind> elements = (view.*get)();
  if (elements.empty()) return;
  wire::append_tag(out, number, wire::WireType::Len);
  const std::size_t start = out.size();
  for (const auto& value : elements) append(Kind(), out, value);
  insert_length(out, start);
}

// Writes a message with its tag, and for a group with its end tag. append_canonical() is the generated function of the
// view.
template <class Child>
bool append_message(std::string& out, std::uint32_t tag, const Message<Child>& message, Error& error) {
  wire::append_varint(out, tag);
  const std::size_t start = out.size();
  const std::unique_ptr<Child> child(new Child);
  error = child->open(message);
  if (!error.ok() || !append_canonical(*child, out, error)) return false;
  if (wire::tag_type(tag) == wire::WireType::StartGroup) {
    wire::append_tag(out, wire::tag_number(tag), wire::WireType::EndGroup);
  } else {
    insert_length(out, start);
  }
  return true;
}

template <class V, class Child>
bool put_message(std::string& out, std::uint32_t tag, const V& view, Has<V> has, Get<V, Message<Child>> get,
                 Error& error) {
  return !(view.*has)() || append_message(out, tag, (view.*get)(), error);
}

template <class V, class Child>
bool put_messages(std::string& out, std::uint32_t tag, const V& view, Get<V, Messages<Child>> get, Error& error) {
  for (const auto& message : (view.*get)()) {
    if (!append_message(out, tag, message, error)) return false;
  }
  return true;
}

template <class Kind>
bool put_map_value(Kind, std::string& out, const typename Kind::Value& value, Error&) {
  put<Kind>(out, 2, value);
  return true;
}
template <class Child>
bool put_map_value(MessageKind<Child>, std::string& out, const Message<Child>& value, Error& error) {
  return append_message(out, wire::make_tag(2, wire::WireType::Len), value, error);
}

template <class V, class KeyKind, class ValueKind>
bool put_map(std::string& out, std::uint32_t number, const V& view, Get<V, Map<KeyKind, ValueKind>> get, Error& error) {
  for (const auto& entry : (view.*get)().collect()) {
    wire::append_tag(out, number, wire::WireType::Len);
    const std::size_t start = out.size();
    put<KeyKind>(out, 1, entry.key);
    if (!put_map_value(ValueKind(), out, entry.value, error)) return false;
    insert_length(out, start);
  }
  return true;
}

// Opens a message set's extension.
template <class Extension, class V>
bool put_item(std::string& out, std::uint32_t number, const V& view, Error& error) {
  Extension extension;
  error = extension.open(view);
  if (!error.ok()) return false;
  if (!extension.has_value()) return true;
  wire::append_varint(out, detail::kItemTag);
  wire::append_varint(out, detail::kItemTypeTag);
  wire::append_varint(out, number);
  if (!append_message(out, detail::kItemMessageTag, extension.value(), error)) return false;
  wire::append_tag(out, 1, wire::WireType::EndGroup);
  return true;
}

// Opens an extension, and passes it to `put`.
template <class Extension, class V, class Put>
bool put_extension(const V& view, Error& error, Put put) {
  Extension extension;
  error = extension.open(view);
  return error.ok() && put(extension);
}

template <class V>
void put_unknown(std::string& out, const V& view, const ExtensionEntry* extensions = nullptr, std::size_t count = 0) {
  for (const UnknownField& field : view.unknown_fields().without(extensions, count)) field.append_to(out);
}

template <class V>
Error reencode(Bytes input, const ReadOptions& options, bool allow_partial, std::string& output) {
  V view;
  Error error = view.decode(input, options);
  if (error.ok()) error = view.validate();
  if (error.ok() && !allow_partial) error = view.check_initialized();
  if (error.ok()) append_canonical(view, output, error);
  return error;
}

template <class V>
Error unknown_fields(Bytes input, std::string& output) {
  V view;
  Error error = view.decode(input);
  if (error.ok()) put_unknown(output, view);
  return error;
}

}  // namespace reencode
}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_TESTGEN_HOTPB_TEST_REENCODE_H_
