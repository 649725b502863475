// Writes a pooled message back as the canonical bytes of spec/wire.md, section 10, through its public accessors. For
// tests only: the functions come with the face +reencodepool of hotpb-cpp-testgen, and nothing here is quick.
#ifndef HOTPB_TESTGEN_HOTPB_TEST_REENCODE_POOL_H_
#define HOTPB_TESTGEN_HOTPB_TEST_REENCODE_POOL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hotpb/debug.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool.h"
#include "hotpb/wire.h"
#include "hotpb/wire/write.h"
#include "hotpb_test/reencode.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {

// A test's description of a message type; each generated file has a list of them.
struct Reencoder {
  const char* message;  // full name
  const MessageTable* table;
  // Decodes and writes back, with a pool of its own that is used again.
  Error (*reencode)(Bytes input, const DecodeOptions& options, std::string& output);
  // Decodes, and encodes with the face's own encoder.
  Error (*encode)(Bytes input, const DecodeOptions& options, const EncodeOptions& encoding, std::string& output);
  // Appends the message's own unknown fields.
  Error (*unknown_fields)(Bytes input, std::string& output);
  // Decodes, and shows as text.
  Error (*debug)(Bytes input, const DecodeOptions& options, std::string& output);
};

namespace reencode {

using view::reencode::insert_length;
using view::reencode::is_default;
using view::reencode::put;

template <class Kind, class T>
void put_packed(std::string& out, std::uint32_t number, Span<const T> elements) {
  if (elements.empty()) return;
  wire::append_tag(out, number, wire::WireType::Len);
  const std::size_t start = out.size();
  for (const T& value : elements) view::reencode::append(Kind(), out, value);
  insert_length(out, start);
}

template <class Kind, class T>
void put_unpacked(std::string& out, std::uint32_t number, Span<const T> elements) {
  for (const T& value : elements) put<Kind>(out, number, value);
}

template <class Kind>
void put_implicit(std::string& out, std::uint32_t number, typename Kind::Value value) {
  if (!is_default(value)) put<Kind>(out, number, value);
}

// With its tag; that of a group is followed by its end tag. append_canonical() is the generated function of the
// message.
template <class M>
bool put_message(std::string& out, std::uint32_t tag, const M& message, Error& error) {
  wire::append_varint(out, tag);
  const std::size_t start = out.size();
  if (!append_canonical(message, out, error)) return false;
  if (wire::tag_type(tag) == wire::WireType::StartGroup) {
    wire::append_tag(out, wire::tag_number(tag), wire::WireType::EndGroup);
  } else {
    insert_length(out, start);
  }
  return true;
}

template <class M>
bool put_messages(std::string& out, std::uint32_t tag, Span<const M> messages, Error& error) {
  for (const M& message : messages) {
    if (!put_message(out, tag, message, error)) return false;
  }
  return true;
}

// Entries by key. A value is written by `put_value`.
template <class KeyKind, class K, class V, class PutValue>
bool put_map(std::string& out, std::uint32_t number, const Map<K, V>& map, PutValue put_value) {
  using Iterator = typename Map<K, V>::Iterator;
  std::vector<Iterator> order;
  for (Iterator entry = map.begin(); entry != map.end(); ++entry) order.push_back(entry);
  std::sort(order.begin(), order.end(), [](const Iterator& a, const Iterator& b) { return (*a).key < (*b).key; });
  for (const Iterator& entry : order) {
    wire::append_tag(out, number, wire::WireType::Len);
    const std::size_t start = out.size();
    put<KeyKind>(out, 1, (*entry).key);
    if (!put_value((*entry).value)) return false;
    insert_length(out, start);
  }
  return true;
}

// Asks for a message set's extension.
template <class ExtensionPool, class M>
bool put_item(std::string& out, std::uint32_t number, const M& message, Error& error) {
  ExtensionPool extension;
  error = extension.open(message);
  if (!error.ok()) return false;
  if (!extension.has_value()) return true;
  wire::append_varint(out, detail::kItemTag);
  wire::append_varint(out, detail::kItemTypeTag);
  wire::append_varint(out, number);
  if (!put_message(out, detail::kItemMessageTag, *extension, error)) return false;
  wire::append_tag(out, 1, wire::WireType::EndGroup);
  return true;
}

// Asks for an extension and passes it to `put`.
template <class ExtensionPool, class M, class Put>
bool put_extension(const M& message, Error& error, Put put) {
  ExtensionPool extension;
  error = extension.open(message);
  return error.ok() && put(*extension);
}

// An extension that was asked for: which records are its own, and which of its values it does not define.
struct ReadExtension {
  bool (*takes)(const UnknownField& field);
  const FieldEntry* entry;  // null for an item of a message set
};

inline void put_undefined(std::string& out, const FieldEntry& entry, const UnknownField& field) {
  Bytes values = field.value();
  if (field.type() == wire::WireType::Len) wire::read_len(values.begin(), values.end(), values);
  for (const std::uint8_t* p = values.begin(); p != values.end();) {
    std::uint64_t word = 0;
    p = wire::read_varint(p, values.end(), word);
    if (p == nullptr) return;
    const std::int32_t value = static_cast<std::int32_t>(word);
    if (entry.closed(value)) continue;
    wire::append_tag(out, entry.number, wire::WireType::Varint);
    wire::append_varint(out, static_cast<std::uint64_t>(std::int64_t{value}));
  }
}

template <class M>
void put_unknown(std::string& out, const M& message, const ReadExtension* extensions = nullptr, std::size_t count = 0) {
  for (const UnknownField& field : message.unknown_fields()) {
    const ReadExtension* const found = std::find_if(
        extensions, extensions + count, [&](const ReadExtension& extension) { return extension.takes(field); });
    if (found == extensions + count) {
      out.append(field.record().text());
    } else if (found->entry != nullptr && found->entry->closed != nullptr) {
      put_undefined(out, *found->entry, field);
    }
  }
}

template <class M>
Pool<M>& used_again() {
  static Pool<M> pool;
  return pool;
}

template <class M>
Error reencode(Bytes input, const DecodeOptions& options, std::string& output) {
  Pool<M>& pool = used_again<M>();
  Error error = pool.decode(input, options);
  if (error.ok()) append_canonical(*pool, output, error);
  return error;
}

template <class M>
Error encode(Bytes input, const DecodeOptions& options, const EncodeOptions& encoding, std::string& output) {
  static EncodeBuffer buffer;
  Pool<M>& pool = used_again<M>();
  Error error = pool.decode(input, options);
  if (error.ok()) error = buffer.encode(*pool, encoding);
  if (error.ok()) output = buffer.bytes().text();
  return error;
}

template <class M>
Error unknown_fields(Bytes input, std::string& output) {
  Pool<M> pool;
  Error error = pool.decode(input);
  if (error.ok()) put_unknown(output, *pool);
  return error;
}

template <class M>
Error debug(Bytes input, const DecodeOptions& options, std::string& output) {
  Pool<M>& pool = used_again<M>();
  Error error = pool.decode(input, options);
  if (error.ok()) output = debug_string(*pool);
  return error;
}

}  // namespace reencode
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_TESTGEN_HOTPB_TEST_REENCODE_POOL_H_
