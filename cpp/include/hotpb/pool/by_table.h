// Decoding by table: one loop for messages of any type, and the packed fields and maps of all messages.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_BY_TABLE_H_
#define HOTPB_POOL_BY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/pool/decoder.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/packed.h"
#include "hotpb/pool/table.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// The word of a number as it is read, stored as the number.
HOTPB_INLINE void store_number(FieldType type, std::uint8_t* to, std::uint64_t word) {
  switch (type) {
    case FieldType::Bool: *to = word != 0; break;
    case FieldType::Sint32: port::store(to, wire::unzigzag32(static_cast<std::uint32_t>(word))); break;
    case FieldType::Sint64: port::store(to, wire::unzigzag64(word)); break;
    case FieldType::Int64:
    case FieldType::Uint64:
    case FieldType::Double:
    case FieldType::Fixed64:
    case FieldType::Sfixed64: port::store(to, word); break;
    default: port::store(to, static_cast<std::uint32_t>(word)); break;
  }
}

// A number of that type.
HOTPB_INLINE const std::uint8_t* read_number(FieldType type, const std::uint8_t* p, const std::uint8_t* end,
                                             std::uint64_t& word) {
  switch (hotpb::detail::element_wire_type(type)) {
    case wire::WireType::Fixed64: return wire::read_fixed64(p, end, word);
    case wire::WireType::Fixed32: {
      std::uint32_t half = 0;
      p = wire::read_fixed32(p, end, half);
      word = half;
      return p;
    }
    default: return wire::read_varint(p, end, word);
  }
}

// The place of the field that takes a record of this tag, or nullptr: one of the next after `place`, or any.
HOTPB_NOINLINE inline const Place* find_place(const Type& type, const Place* place, std::uint32_t tag) {
  constexpr std::size_t kSteps = 16;  // after that a search is quicker
  const std::size_t count = type.table->field_count;
  std::size_t index = static_cast<std::size_t>(place - type.places);
  const Place* const limit = count - index > kSteps ? place + kSteps : type.places + count;
  while (place != limit && place->tag < tag) ++place;
  if (HOTPB_LIKELY(place != limit && place->tag == tag)) return place;
  index = static_cast<std::size_t>(place - type.places);
  return hotpb::detail::find_field(*type.table, tag, index) == nullptr ? nullptr : type.places + index;
}

inline const std::uint8_t* Decoder::packed(const FieldEntry& entry, Array& array, void* message, const std::uint8_t* p,
                                           const std::uint8_t* end, Level* level) {
  switch (entry.type) {
    case FieldType::Bool: return packed<std::uint8_t, AsBool>(array, p, end, level);
    case FieldType::Sint32: return packed<std::int32_t, AsSint32>(array, p, end, level);
    case FieldType::Sint64: return packed<std::int64_t, AsSint64>(array, p, end, level);
    case FieldType::Int64:
    case FieldType::Uint64: return packed<std::uint64_t, AsNumber>(array, p, end, level);
    case FieldType::Enum:
      if (entry.closed != nullptr) return packed_closed(entry, array, message, p, end, level);
      return packed<std::uint32_t, AsNumber>(array, p, end, level);
    case FieldType::Int32:
    case FieldType::Uint32: return packed<std::uint32_t, AsNumber>(array, p, end, level);
    default: return packed_fixed(array, detail::number_width(entry.type), p, end, level);
  }
}

inline const std::uint8_t* Decoder::packed_fixed(Array& array, std::size_t width, const std::uint8_t* p,
                                                 const std::uint8_t* end, Level* level) {
  Bytes payload;
  p = wire::read_len(p, end, payload);
  if (p == nullptr || payload.empty()) return p;
  if (payload.size() % width != 0) return nullptr;
  std::uint8_t* const to = reserve(level[1], array, payload.size() / width, width);
  if (to == nullptr) return nullptr;
  std::memcpy(to, payload.data(), payload.size());
  array.size += static_cast<std::uint32_t>(payload.size() / width);
  return p;
}

inline const std::uint8_t* Decoder::packed_closed(const FieldEntry& entry, Array& array, void* message,
                                                  const std::uint8_t* p, const std::uint8_t* end, Level* level) {
  Bytes payload;
  p = wire::read_len(p, end, payload);
  if (p == nullptr || payload.empty()) return p;
  const std::size_t count = wire::count_varints(payload.begin(), payload.end());
  if (count == 0 || reserve(level[1], array, count, sizeof(std::uint32_t)) == nullptr) return nullptr;
  for (const std::uint8_t* at = payload.begin(); at != payload.end();) {
    std::uint64_t word;
    at = wire::read_varint(at, payload.end(), word);
    if (at == nullptr) return nullptr;
    if (entry.closed(static_cast<std::int32_t>(word))) {
      port::store(array.data + 4 * array.size++, static_cast<std::uint32_t>(word));
    } else if (!undefined(message, entry.number, word, level)) {
      return nullptr;
    }
  }
  return p;
}

template <FieldType kType>
HOTPB_INLINE const std::uint8_t* Decoder::entry_part(const FieldEntry& field, const Place& place, void* entry,
                                                     const std::uint8_t* p, const std::uint8_t* end, Level* level) {
  std::uint8_t* const slot = detail::at(entry, place.at);
  if constexpr (hotpb::detail::element_wire_type(kType) == wire::WireType::Len) {
    Bytes payload;
    p = wire::read_len(p, end, payload);
    if (HOTPB_UNLIKELY(p == nullptr)) return nullptr;
    if constexpr (kType == FieldType::Message) {
      if (!may_nest(level) || decode(*place.child, slot, payload.begin(), payload.end(), 0, level + 1) == nullptr) {
        return nullptr;
      }
    } else {
      if (kType == FieldType::String && (field.verify_utf8 || strict_) && !is_utf8(payload)) return nullptr;
      port::store(slot, payload.data());
      port::store(detail::at(entry, place.more), static_cast<std::uint32_t>(payload.size()));
    }
  } else {
    std::uint64_t word = 0;
    p = detail::read_number(kType, p, end, word);
    detail::store_number(kType, slot, word);
  }
  return p;
}

// Most entries are a key and a value. All others are read on by table.
template <FieldType kKey, FieldType kValue, std::size_t kSize>
const std::uint8_t* Decoder::map(const Type& type, Array& array, const std::uint8_t* p, const std::uint8_t* end,
                                 Level* level) {
  Bytes payload;
  p = wire::read_len(p, end, payload);
  if (HOTPB_UNLIKELY(p == nullptr) || !may_nest(level)) return nullptr;
  std::uint8_t* const place = append(level[1], array, kSize);
  if (HOTPB_UNLIKELY(place == nullptr)) return nullptr;
  port::clear<kSize>(place);
  constexpr std::uint8_t kKeyTag = 1u << 3 | static_cast<unsigned>(hotpb::detail::element_wire_type(kKey));
  constexpr std::uint8_t kValueTag = 2u << 3 | static_cast<unsigned>(hotpb::detail::element_wire_type(kValue));
  const std::uint8_t* at = payload.begin();
  const std::uint8_t* const stop = payload.end();
  const FieldEntry* const fields = type.table->fields;
  if (at != stop && *at == kKeyTag) {
    at = entry_part<kKey>(fields[0], type.places[0], place, at + 1, stop, level + 1);
    if (HOTPB_UNLIKELY(at == nullptr)) return nullptr;
  }
  if (at != stop && *at == kValueTag) {
    at = entry_part<kValue>(fields[1], type.places[1], place, at + 1, stop, level + 1);
    if (HOTPB_UNLIKELY(at == nullptr)) return nullptr;
  }
  if (HOTPB_UNLIKELY(at != stop) && by_table(type, place, at, stop, 0, level + 1) == nullptr) return nullptr;
  if (array.size > 1) any_map_ = true;
  return p;
}

inline const std::uint8_t* Decoder::map(const FieldEntry& entry, const Type& type, Array& array, void* message,
                                        const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end,
                                        Level* level) {
  Bytes payload;
  p = wire::read_len(p, end, payload);
  if (p == nullptr || !may_nest(level)) return nullptr;
  std::uint8_t* const place = append(level[1], array, type.size);
  if (place == nullptr) return nullptr;
  port::clear(place, type.size);
  if (by_table(type, place, payload.begin(), payload.end(), 0, level + 1) == nullptr) return nullptr;
  if (HOTPB_UNLIKELY(array.size > 1)) any_map_ = true;
  if (entry.closed == nullptr) return p;
  // The value of a closed enum: an undefined one makes the whole record unknown.
  if (port::load<std::uint32_t>(detail::at(place, type.places[1].more)) != kUndefinedValue) return p;
  --array.size;
  // The array keeps its place where it has room for it.
  if (array.size >= array.room && level[1].at == place + type.size) level[1].at = place;
  return keep(message, Bytes(start, static_cast<std::size_t>(p - start)), level) ? p : nullptr;
}

inline const std::uint8_t* Decoder::field(const Type& type, const FieldEntry& entry, void* message, std::uint32_t tag,
                                          const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end,
                                          Level* level) {
  const Place& place = type.places[&entry - type.table->fields];
  std::uint8_t* const slot = detail::at(message, place.at);
  if (detail::is_message(entry.type)) {
    if (place.shape == Shape::Map) {
      return map(entry, *place.child, *reinterpret_cast<Array*>(slot), message, start, p, end, level);
    }
    const std::uint8_t* stop = end;
    std::uint32_t end_tag = wire::make_tag(entry.number, wire::WireType::EndGroup);
    if (entry.type == FieldType::Message) {
      Bytes payload;
      if (wire::read_len(p, end, payload) == nullptr) return nullptr;
      p = payload.begin();
      stop = payload.end();
      end_tag = 0;
    }
    if (!may_nest(level)) return nullptr;
    void* child;
    switch (place.shape) {
      case Shape::Inline: child = slot; break;
      case Shape::Member:
        child = this->child(level[1], *reinterpret_cast<Choice*>(slot), entry.number, place.child->size);
        break;
      case Shape::Repeated:
        child = append_one(level[1], *reinterpret_cast<Array*>(slot), place.child->size);
        if (child != nullptr) port::clear(child, place.child->size);
        break;
      default: {
        void*& pointer = *reinterpret_cast<void**>(slot);
        if (pointer == nullptr) pointer = create(level[1], place.child->size);
        child = pointer;
      }
    }
    if (child == nullptr) return nullptr;
    return decode(*place.child, child, p, stop, end_tag, level + 1);
  }
  if (detail::is_text(entry.type)) {
    Bytes payload;
    p = wire::read_len(p, end, payload);
    if (p == nullptr) return nullptr;
    const bool text = entry.type == FieldType::String;
    if (text && (entry.verify_utf8 || strict_) && !is_utf8(payload)) return nullptr;
    switch (place.shape) {
      case Shape::Repeated: {
        std::uint8_t* const element = append_one(level[1], *reinterpret_cast<Array*>(slot),
                                             text ? sizeof(std::string_view) : sizeof(Bytes));
        if (element == nullptr) return nullptr;
        if (text) {
          new (element) std::string_view(payload.text());
        } else {
          new (element) Bytes(payload);
        }
        break;
      }
      case Shape::Member: {
        Choice& choice = *reinterpret_cast<Choice*>(slot);
        const std::uint8_t* const data = payload.data();
        choice = Choice{0, static_cast<std::uint32_t>(payload.size()), entry.number};
        std::memcpy(&choice.word, &data, sizeof data);
        break;
      }
      default:
        port::store(slot, payload.data());
        port::store(detail::at(message, place.more), static_cast<std::uint32_t>(payload.size()));
    }
    return p;
  }
  // Packed numbers.
  if (wire::tag_type(tag) == wire::WireType::Len &&
      hotpb::detail::element_wire_type(entry.type) != wire::WireType::Len) {
    return packed(entry, *reinterpret_cast<Array*>(slot), message, p, end, level);
  }
  // A number; an undefined value of a closed enum becomes an unknown field.
  std::uint64_t word = 0;
  p = detail::read_number(entry.type, p, end, word);
  if (p == nullptr) return nullptr;
  if (entry.closed != nullptr) {
    const bool known = entry.closed(static_cast<std::int32_t>(word));
    if (place.shape == Shape::Implicit && place.more != 0) {  // of a map entry, which notes it
      port::store(detail::at(message, place.more), known ? kDefinedValue : kUndefinedValue);
    } else if (!known) {
      return undefined(message, entry.number, word, level) ? p : nullptr;
    }
  }
  // Where it goes.
  std::uint8_t* to = slot;
  switch (place.shape) {
    case Shape::Repeated:
      to = append_one(level[1], *reinterpret_cast<Array*>(slot), detail::number_width(entry.type));
      if (to == nullptr) return nullptr;
      break;
    case Shape::Member: {
      Choice& choice = *reinterpret_cast<Choice*>(slot);
      choice = Choice{0, 0, entry.number};
      to = reinterpret_cast<std::uint8_t*>(&choice.word);
      break;
    }
    case Shape::Explicit: {
      std::uint8_t* const bits = detail::at(message, place.test_at);
      port::store(bits, port::load<std::uint64_t>(bits) | place.mask);
      break;
    }
    default: break;
  }
  detail::store_number(entry.type, to, word);
  return p;
}

// The loop finds a field by its number, as in the run of numbers that the last one was in, and reads the usual kinds
// itself.
inline const std::uint8_t* Decoder::by_table(const Type& type, void* message, const std::uint8_t* p,
                                             const std::uint8_t* end, std::uint32_t end_tag, Level* level) {
  const Place* const places = type.places;
  const std::size_t count = type.table->field_count;
  const Place* place = places;
  std::size_t skew = 1;  // a number less its index
  const auto entry = [&]() -> const FieldEntry& { return type.table->fields[place - places]; };
  const std::uint8_t* start;
  for (;;) {
    if (p == end) return end_tag == 0 ? p : nullptr;
    start = p;
    std::uint32_t tag;
    p = wire::detail::read_tag_unchecked(p, end, tag);
    if (HOTPB_UNLIKELY(p == nullptr)) return nullptr;
    const std::size_t guess = wire::tag_number(tag) - skew;
    if (HOTPB_LIKELY(guess < count && places[guess].tag == tag)) {
      place = places + guess;
    } else {
      const Place* const next = detail::find_place(type, place, tag);
      if (HOTPB_UNLIKELY(next == nullptr)) {
        if (HOTPB_UNLIKELY(!wire::is_valid_tag(tag))) return nullptr;
        if (tag == end_tag) return p;
        p = type.is_entry ? wire::skip_value(p, end, tag, levels_left(level))
                          : unknown(type, message, start, p, end, tag, level);
        if (HOTPB_UNLIKELY(p == nullptr)) break;
        continue;
      }
      place = next;
      skew = wire::tag_number(tag) - static_cast<std::size_t>(place - places);
    }
    if (HOTPB_UNLIKELY(place->op == Op::Rare)) {
      p = field(type, entry(), message, tag, start, p, end, level);
      if (HOTPB_UNLIKELY(p == nullptr)) break;
      continue;
    }
    std::uint8_t* const slot = detail::at(message, place->at);
    std::uint64_t word;
    if (place->op <= Op::Sint64) {
      const std::uint8_t* const value = p;
      p = varint(p, end, word);
      if (HOTPB_UNLIKELY(p == nullptr)) break;
      switch (place->op) {
        case Op::Int64: port::store(slot, word); break;
        case Op::Bool: *slot = word != 0; break;
        case Op::Sint32: port::store(slot, wire::unzigzag32(static_cast<std::uint32_t>(word))); break;
        case Op::Sint64: port::store(slot, wire::unzigzag64(word)); break;
        case Op::Enum:
          if (entry().closed != nullptr && (!place->bit || !entry().closed(static_cast<std::int32_t>(word)))) {
            p = field(type, entry(), message, tag, start, value, end, level);
            if (HOTPB_UNLIKELY(p == nullptr)) break;
            continue;
          }
          [[fallthrough]];
        default: port::store(slot, static_cast<std::uint32_t>(word)); break;
      }
      if (HOTPB_UNLIKELY(p == nullptr)) break;
    } else if (place->op == Op::String || place->op == Op::Bytes) {
      Bytes payload;
      p = wire::read_len(p, end, payload);
      if (HOTPB_UNLIKELY(p == nullptr)) break;
      if (place->op == Op::String && (entry().verify_utf8 || strict_) && HOTPB_UNLIKELY(!is_utf8(payload))) break;
      port::store(slot, payload.data());
      port::store(detail::at(message, place->more), static_cast<std::uint32_t>(payload.size()));
      continue;
    } else if (place->op == Op::Message) {
      Bytes payload;
      p = wire::read_len(p, end, payload);
      if (HOTPB_UNLIKELY(p == nullptr || !may_nest(level))) break;
      void*& child = *reinterpret_cast<void**>(slot);
      if (child == nullptr) child = create(level[1], place->child->size);
      if (HOTPB_UNLIKELY(child == nullptr || decode(*place->child, child, payload.begin(), payload.end(), 0,
                                                    level + 1) == nullptr)) {
        break;
      }
      continue;
    } else if (place->op == Op::Fixed32) {
      std::uint32_t half = 0;
      p = wire::read_fixed32(p, end, half);
      if (HOTPB_UNLIKELY(p == nullptr)) break;
      port::store(slot, half);
    } else {
      p = wire::read_fixed64(p, end, word);
      if (HOTPB_UNLIKELY(p == nullptr)) break;
      port::store(slot, word);
    }
    if (place->bit) {
      std::uint8_t* const bits = detail::at(message, place->test_at);
      port::store(bits, port::load<std::uint64_t>(bits) | place->mask);
    }
  }
  if (exhausted_ && record_ == nullptr) record_ = start;
  return nullptr;
}

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_BY_TABLE_H_
