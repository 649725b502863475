// A generated message, for the runtime: where its fields are stored. Constant-initialised, and the base of all
// that is not hot: decoding of messages by table, required fields, unique maps, encoding.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_TABLE_H_
#define HOTPB_POOL_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/pool/memory.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

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

// The state of a map's value of a closed enum. 0: absent.
constexpr std::uint32_t kDefinedValue = 1;
constexpr std::uint32_t kUndefinedValue = 2;

// A oneof: the member that is set, and its value.
struct Choice {
  std::uint64_t word;  // a number's bytes, or those of a pointer
  std::uint32_t size;  // of a string
  std::uint32_t number;
};

// The actions of the loops over tables for a field. Rare kinds, and numbers above 2047, are left to functions.
enum class Op : std::uint8_t {
  Int32,
  Enum,
  Uint32,
  Int64,  // and uint64
  Bool,
  Sint32,
  Sint64,
  Fixed32,
  Fixed64,
  String,
  Bytes,
  Message,
  Rare,
};

// One field, beside the FieldEntry of the same index.
//
// Its presence shows in a bit of the eight bytes at an offset, or in a number there that is not zero. The eight bytes
// are those up to the end of the number, so that they lie in the message, whose first member is a pointer.
//
//   |unknown.........|.....|has_bits|.......|size....|
//                    |.......bit....|       a number with presence
//                                   |........xxxxxxxx|   a string without
struct Place {
  constexpr Place(std::uint32_t tag, FieldType type, Shape shape, std::uint32_t at, std::uint32_t more = 0,
                  const Type* child = nullptr, bool packed = false);

  std::uint32_t tag;  // of the records that come most often
  std::uint32_t at;   // offset in the message
  // Of a string with a pointer: offset of its size. Of a number with presence: its bit, counted from the start of the
  // message. Of a closed enum in a map's entry: offset of its state.
  std::uint32_t more;
  std::uint32_t test_at;  // offset of the eight bytes that show presence
  std::uint64_t mask;     // what of them is not zero then
  const Type* child;      // of messages; of maps that of the entry
  Op op;
  Shape shape;
  bool packed;          // numbers are written packed
  bool bit;             // a number with presence: the mask is its bit
  std::uint8_t tag_size;
  std::uint16_t coded;  // the tag as it is written, in the last `tag_size` bytes, if it is not longer
};

struct Type {
  const MessageTable* table;
  const Place* places;
  std::uint32_t size;      // of the message
  bool is_entry;           // of a map
  bool maps;               // has a map, or may hold a message that has one
  std::int32_t absent_value;  // of a map's entry: what an absent value of a closed enum is
  const std::uint8_t* (*decode)(Decoder& d, void* message, const std::uint8_t* p, const std::uint8_t* end,
                                std::uint32_t end_tag, Level* level);
  void (*encode)(Encoder& e, const void* message);  // null where fields are dropped
};

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

constexpr Op op_of(FieldType type, Shape shape) {
  if (shape != Shape::Implicit && shape != Shape::Explicit) return Op::Rare;
  switch (type) {
    case FieldType::Int32: return Op::Int32;
    case FieldType::Enum: return Op::Enum;
    case FieldType::Uint32: return Op::Uint32;
    case FieldType::Int64:
    case FieldType::Uint64: return Op::Int64;
    case FieldType::Bool: return Op::Bool;
    case FieldType::Sint32: return Op::Sint32;
    case FieldType::Sint64: return Op::Sint64;
    case FieldType::Float:
    case FieldType::Fixed32:
    case FieldType::Sfixed32: return Op::Fixed32;
    case FieldType::Double:
    case FieldType::Fixed64:
    case FieldType::Sfixed64: return Op::Fixed64;
    case FieldType::String: return Op::String;
    case FieldType::Bytes: return Op::Bytes;
    case FieldType::Message: return Op::Message;
    default: return Op::Rare;
  }
}

// Is the field present? Of a field with implicit presence: is it other than its default?
inline bool has(const FieldEntry& field, const Place& place, const void* message) {
  const std::uint8_t* const value = at(message, place.at);
  switch (place.shape) {
    case Shape::Member: return port::load<Choice>(value).number == field.number;
    case Shape::Repeated:
    case Shape::Map: return port::load<Array>(value).size != 0;
    case Shape::Inline: return true;
    case Shape::Explicit:
      if (!is_text(field.type) && !is_message(field.type)) {
        const std::uint32_t word =
            port::load<std::uint32_t>(at(message, 4 * (place.more / 32)));
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

constexpr Place::Place(std::uint32_t tag_value, FieldType type, Shape shape_value, std::uint32_t offset,
                       std::uint32_t more_value, const Type* child_type, bool packed_list)
    : tag(tag_value),
      at(offset),
      more(more_value),
      test_at(0),
      mask(~std::uint64_t{0}),
      child(child_type),
      op(tag_value < 0x4000 ? detail::op_of(type, shape_value) : Op::Rare),
      shape(shape_value),
      packed(packed_list),
      bit(false),
      tag_size(tag_value < 0x80 ? 1 : 2),
      coded(static_cast<std::uint16_t>(tag_value < 0x80 ? tag_value << 8 : tag_value + (tag_value & 0x3f80) + 0x80)) {
  std::uint32_t end = offset;  // of the number that shows presence
  std::uint32_t width = 4;
  switch (shape_value) {
    case Shape::Member: end += offsetof(Choice, number) + 4; break;
    case Shape::Repeated:
    case Shape::Map: end += offsetof(Array, size) + 4; break;
    case Shape::Inline: return;
    case Shape::Explicit:
      if (detail::is_text(type) || detail::is_message(type)) {
        width = sizeof(void*);
        end += width;
        break;
      }
      test_at = 4 * (more_value / 32) - 4;
      bit = true;
      mask = std::uint64_t{1} << (32 + more_value % 32);
      return;
    case Shape::Implicit:
      if (detail::is_text(type)) {
        end = more_value + 4;
      } else {
        width = static_cast<std::uint32_t>(detail::number_width(type));
        end += width;
      }
  }
  test_at = end < 8 ? 0 : end - 8;
  if (width != 8) mask = ((std::uint64_t{1} << 8 * width) - 1) << 8 * (end - test_at - width);
}

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_TABLE_H_
