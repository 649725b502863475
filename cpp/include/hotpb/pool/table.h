// What the runtime knows of a generated message: where its fields are stored. Constant-initialised, and the base of all
// that is not hot: decoding of messages by table, required fields, unique maps, encoding.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_TABLE_H_
#define HOTPB_POOL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/abi.h"
#include "hotpb/check.h"
#include "hotpb/pool/memory.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {

class Decoder;
class Encoder;
struct Type;

enum class Shape : std::uint8_t {
  Implicit,  // the value; of a string the pointer, and the size elsewhere
  Explicit,  // the same, with a bit for a number; of a message a pointer
  Member,    // of a oneof: in its Choice
  Repeated,  // an Array
  Map,       // an Array of entries
  Inline,    // the message itself: the value of a map entry
};

// One field, beside the FieldEntry of the same index.
struct Place {
  std::uint32_t at;    // offset in the message
  // Of a string with a pointer: offset of its size. Of a number with presence: its bit. Of a closed enum in a map's
  // entry: offset of its state.
  std::uint32_t more;
  Shape shape;
  bool packed;         // numbers are written packed
  const Type* child;   // of messages; of maps that of the entry
};

// The state of a map's value of a closed enum. 0: absent.
constexpr std::uint32_t kDefinedValue = 1;
constexpr std::uint32_t kUndefinedValue = 2;

// A oneof: the member that is set, and its value.
struct Choice {
  std::uint64_t word;  // a number's bytes, or those of a pointer
  std::uint32_t size;  // of a string
  std::uint32_t number;
};

struct Type {
  const MessageTable* table;
  const Place* places;
  std::uint32_t size;      // of the message
  std::uint32_t has_bits;  // offset of the presence bits
  bool is_entry;           // of a map
  bool maps;               // has a map, or may hold a message that has one
  std::int32_t absent_value;  // of a map's entry: what an absent value of a closed enum is
  const std::uint8_t* (*decode)(Decoder& d, void* message, const std::uint8_t* p, const std::uint8_t* end,
                                std::uint32_t end_tag, Level* level);
  void (*encode)(Encoder& e, const void* message);  // null where fields are dropped
};

namespace detail {

HOTPB_INLINE std::uint8_t* at(void* message, std::uint32_t offset) {
  return static_cast<std::uint8_t*>(message) + offset;
}
HOTPB_INLINE const std::uint8_t* at(const void* message, std::uint32_t offset) {
  return static_cast<const std::uint8_t*>(message) + offset;
}

constexpr std::uint32_t tag_of(const FieldEntry& field) {
  return wire::make_tag(field.number, hotpb::detail::element_wire_type(field.type));
}

constexpr bool is_text(FieldType type) { return type == FieldType::String || type == FieldType::Bytes; }
constexpr bool is_message(FieldType type) { return type == FieldType::Message || type == FieldType::Group; }

// Bytes of a number where it is stored.
constexpr std::size_t number_width(FieldType type) {
  switch (type) {
    case FieldType::Double:
    case FieldType::Int64:
    case FieldType::Uint64:
    case FieldType::Fixed64:
    case FieldType::Sfixed64:
    case FieldType::Sint64: return 8;
    case FieldType::Bool: return 1;
    default: return 4;
  }
}

// Is the field present? Of a field with implicit presence: is it other than its default?
inline bool has(const Type& type, const FieldEntry& field, const Place& place, const void* message) {
  const std::uint8_t* const value = at(message, place.at);
  switch (place.shape) {
    case Shape::Member: return port::load<Choice>(value).number == field.number;
    case Shape::Repeated:
    case Shape::Map: return port::load<Array>(value).size != 0;
    case Shape::Inline: return true;
    case Shape::Explicit:
      if (!is_text(field.type) && !is_message(field.type)) {
        const std::uint32_t word =
            port::load<std::uint32_t>(at(message, type.has_bits + 4 * (place.more / 32)));
        return (word >> place.more % 32 & 1) != 0;
      }
      return port::load<const void*>(value) != nullptr;
    case Shape::Implicit: break;
  }
  if (is_text(field.type)) return port::load<std::uint32_t>(at(message, place.more)) != 0;
  switch (number_width(field.type)) {
    case 8: return port::load<std::uint64_t>(value) != 0;
    case 4: return port::load<std::uint32_t>(value) != 0;
    default: return *value != 0;
  }
}

// The message of a singular field that is present.
inline const void* message_at(const Place& place, const void* message) {
  const std::uint8_t* const value = at(message, place.at);
  return place.shape == Shape::Inline ? value : port::load<const void*>(value);
}

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_TABLE_H_
