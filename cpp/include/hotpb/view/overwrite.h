// Overwriting a value in place, by one whose encoding has the same length, so that no byte has to move.
//
//   std::vector<std::uint8_t> body = ...;
//   msg.decode({body.data(), body.size()});
//   msg.overwrite_ttl(body, msg.ttl() - 1);             // false: nothing was changed
//   msg.overwrite_weights(body, 3, 0.5f);               // element 3 of a repeated field
//
//   before   08 2a  15 00 00 80 3f  1a 03 61 62 63      int_val 42, ratio 1.0f, str_val "abc"
//   after    08 2b  15 00 00 00 3f  1a 03 78 79 7a      43, 0.5f, "xyz": tags, lengths and offsets do not change
//
// The caller passes the memory that the view reads, or a part of it, as a buffer that it may write. The functions write
// only into that buffer. They write nothing and return false if the field is absent, if the new value needs more or
// fewer bytes than the old one, if the field does not accept it (a closed enum, text that must be UTF-8), or if the old
// value is outside of the buffer. Views of the same bytes see the new value; no thread may read them meanwhile.
#ifndef HOTPB_VIEW_OVERWRITE_H_
#define HOTPB_VIEW_OVERWRITE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"
#include "hotpb/view/raw.h"
#include "hotpb/view/repeated.h"
#include "hotpb/wire.h"
#include "hotpb/wire/span.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
namespace detail {

// Where the `size` bytes at `at` are in `buffer`; nullptr if they are not in it.
inline std::uint8_t* writable(Span<std::uint8_t> buffer, const std::uint8_t* at, std::size_t size) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(buffer.data());
  const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(at);
  if (from < begin || from - begin > buffer.size() || buffer.size() - (from - begin) < size) return nullptr;
  return buffer.data() + (from - begin);
}

template <class Kind>
bool overwrite(const Raw& raw, Span<std::uint8_t> buffer, std::uint32_t position, typename Kind::Value value) {
  if (position == 0) return false;
  const typename Kind::Word word = Kind::encode(value);
  if (!is_known(Kind(), word)) return false;
  typename Kind::Word old;
  const std::uint8_t* const at = raw.at(position);
  const std::uint8_t* const end = Kind::read(at, raw.end(), old);
  if (end == nullptr) return false;
  const std::size_t size = static_cast<std::size_t>(end - at);
  std::uint8_t encoded[wire::kVarintRoom];
  if constexpr (Kind::kWidth != 0) {
    port::store(encoded, word);
  } else if (static_cast<std::size_t>(wire::write_varint(encoded, word) - encoded) != size) {
    return false;
  }
  std::uint8_t* const into = writable(buffer, at, size);
  if (into == nullptr) return false;
  std::memcpy(into, encoded, size);
  return true;
}

// For strings and bytes. With `verify`, the value must be UTF-8.
inline bool overwrite(const Raw& raw, Span<std::uint8_t> buffer, Extent slot, hotpb::Bytes value,
                      bool verify) {
  if (!slot.has() || slot.size != value.size()) return false;
  if (verify && !utf8::is_valid(value.data(), value.size())) return false;
  std::uint8_t* const into = writable(buffer, raw.at(slot.at), slot.size);
  if (into == nullptr) return false;
  if (slot.size != 0) std::memmove(into, value.data(), slot.size);
  return true;
}

// For element `index` of a repeated field.
template <class Kind>
bool overwrite_element(const Raw& raw, Span<std::uint8_t> buffer, const Repeated<Kind>& elements,
                       std::size_t index, typename Kind::Value value) {
  typename CursorOf<Kind>::Type cursor;
  if (!elements.find(index, cursor)) return false;
  const std::uint8_t* const at = cursor.locate();
  return at != nullptr && overwrite<Kind>(raw, buffer, raw.offset(at), value);
}
template <class Kind>
bool overwrite_element(const Raw& raw, Span<std::uint8_t> buffer, const Repeated<Kind>& elements,
                       std::size_t index, hotpb::Bytes value, bool verify) {
  typename CursorOf<Kind>::Type cursor;
  hotpb::Bytes old;
  if (!elements.find(index, cursor) || !cursor.next(old)) return false;
  return overwrite(raw, buffer, {raw.offset(old.data()), static_cast<std::uint32_t>(old.size())}, value, verify);
}

}  // namespace detail
}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_OVERWRITE_H_
