// The state of one decode, and what decoders of messages call: generated ones for hot messages, by_table() for others.
//
// A decoder of a message reads the range [p, end), or up to its end tag if the message is a group, and merges with what
// the message holds. It returns the byte after the message, and nullptr for anything that is wrong: then Pool finds out
// what and where (check.h). The message is on `level`; what it holds is on the levels after that.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_DECODER_H_
#define HOTPB_POOL_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "hotpb/abi.h"
#include "hotpb/check.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {

class Decoder {
 public:
  Decoder(Memory& memory, const Limits& limits, std::uint64_t bytes)
      : memory_(&memory), last_(memory.levels() + limits.depth()), left_(bytes), strict_(limits.strict()) {}

  // May a message of this level hold messages?
  HOTPB_INLINE bool may_nest(const Level* level) const { return HOTPB_LIKELY(level < last_); }
  std::uint32_t levels_left(const Level* level) const { return static_cast<std::uint32_t>(last_ - level); }
  bool strict() const { return strict_; }
  // Was there a map of more than one entry?
  bool any_map() const { return any_map_; }
  // Did a message not fit into the memory that the decode may use, or into that of the machine?
  bool exhausted() const { return exhausted_; }

  // The input, or the part of it, that is read next.
  void set_input(Bytes part) { end_ = part.end(); }
  // A varint of a range. Bytes after the range are read, too, but not used.
  HOTPB_INLINE const std::uint8_t* varint(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& word) const {
    p = wire::read_varint(p, end_, word);
    return HOTPB_LIKELY(p <= end) ? p : nullptr;
  }

  // For a second decode, which finds the record that exhausted the memory: all messages by table.
  void find_record() { all_by_table_ = true; }
  const std::uint8_t* record() const { return record_; }

  // One more element, whose bytes are not set; nullptr if there is no memory.
  template <class T>
  HOTPB_INLINE T* append(Level& level, Array& array) {
    return reinterpret_cast<T*>(append(level, array, sizeof(T)));
  }
  HOTPB_INLINE std::uint8_t* append(Level& level, Array& array, std::size_t width) {
    if (array.size == 0) start(level, array);
    std::uint8_t* const top = level.at;
    if (HOTPB_LIKELY(array.data + array.size * width == top && static_cast<std::size_t>(level.end - top) >= width &&
                     left_ >= width)) {
      left_ -= width;
      level.at = top + width;
      ++array.size;
      return top;
    }
    return append_elsewhere(level, array, width);
  }
  // Room for `count` elements more. The array gets them when its size is set.
  std::uint8_t* reserve(Level& level, Array& array, std::size_t count, std::size_t width) {
    if (HOTPB_UNLIKELY(count > left_ / width)) return exhaust();
    left_ -= count * width;
    const std::size_t size = array.size + count;
    if (array.size == 0) start(level, array);
    if (size > array.room) {
      std::size_t room = size;
      if (array.data + array.size * width == level.at &&
          static_cast<std::size_t>(level.end - level.at) >= count * width) {
        level.at += count * width;
      } else {
        if (room < 2 * std::size_t{array.size}) room = 2 * std::size_t{array.size};
        if (!move(level, array, room, width)) return exhaust();
      }
      array.room = static_cast<std::uint32_t>(room);
    }
    return array.data + array.size * width;
  }

  // Elements that follow one another, each of which M::quick_() reads at one go; `p` is at the length of the first.
  // True: `p` is after the last one. False: it is at the length of one that has to be read another way.
  template <class M, std::uint8_t Tag>
  HOTPB_INLINE bool run(Level* level, Array& array, const std::uint8_t*& p, const std::uint8_t* end) {
    if (HOTPB_UNLIKELY(!may_nest(level) || end_ - p < kSlack)) return false;
    Level& arena = level[1];
    if (array.size == 0) start(arena, array);
    if (HOTPB_UNLIKELY(array.data + array.size * sizeof(M) != arena.at)) return false;
    const std::size_t here = static_cast<std::size_t>(arena.end - arena.at);
    std::uint8_t* const first = arena.at;
    std::uint8_t* const limit = first + (here < left_ ? here : static_cast<std::size_t>(left_)) / sizeof(M) * sizeof(M);
    // Up to there, and the slack after it is read, too: a tag that follows the range by chance is seen after the loop.
    const std::uint8_t* const safe = end_ - end >= kSlack ? end : end_ - kSlack;
    const std::uint8_t* at = p;
    std::uint8_t* to = first;
    bool whole = false;
    while (HOTPB_LIKELY(to != limit)) {
      const std::size_t length = *at;
      const std::uint8_t* const stop = at + 1 + length;
      if (HOTPB_UNLIKELY(length >= 0x80 || stop > safe || !M::quick_(*this, to, at + 1, stop))) break;
      to += sizeof(M);
      at = stop;
      if (*at != Tag) {
        whole = true;
        break;
      }
      ++at;
    }
    if (at == end + 1) {
      at = end;
      whole = true;
    }
    const std::size_t size = static_cast<std::size_t>(to - first);
    array.size += static_cast<std::uint32_t>(size / sizeof(M));
    arena.at = to;
    left_ -= size;
    p = at;
    return whole;
  }

  // A message that is all zero; nullptr if there is no memory.
  HOTPB_INLINE void* create(Level& level, std::size_t size) {
    void* const place = take(level, size);
    if (HOTPB_LIKELY(place != nullptr)) std::memset(place, 0, size);
    return place;
  }

  // The message of a singular field, which is created when its first record comes.
  template <class T>
  HOTPB_INLINE T* child(Level& level, void*& slot) {
    if (slot == nullptr) slot = create(level, sizeof(T));
    return static_cast<T*>(slot);
  }
  // The same of a member of a oneof.
  template <class T>
  HOTPB_INLINE T* child(Level& level, Choice& choice, std::uint32_t number) {
    return static_cast<T*>(child(level, choice, number, sizeof(T)));
  }
  void* child(Level& level, Choice& choice, std::uint32_t number, std::size_t size) {
    if (choice.number == number) return port::load<void*>(&choice.word);
    void* const message = create(level, size);
    choice = Choice{0, 0, number};
    std::memcpy(&choice.word, &message, sizeof message);
    return message;
  }

  // A record that is none of the message's fields: it is kept. Returns the byte after it. An end tag is an error.
  HOTPB_NOINLINE const std::uint8_t* unknown(const Type& type, void* message, const std::uint8_t* start,
                                             const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag,
                                             Level* level) {
    p = wire::skip_value(p, end, tag, levels_left(level));
    if (p == nullptr || (type.table->dropped_count != 0 &&
                         hotpb::detail::is_dropped(*type.table, wire::tag_number(tag)))) {
      return p;
    }
    return keep(message, Bytes(start, static_cast<std::size_t>(p - start)), level) ? p : nullptr;
  }
  // An undefined value of a closed enum: a record of its own, with the number of the field.
  HOTPB_COLD bool undefined(void* message, std::uint32_t number, std::uint64_t word, Level* level) {
    std::uint8_t record[2 * wire::kVarintRoom];
    const std::int32_t value = static_cast<std::int32_t>(word);
    std::uint8_t* const end = wire::write_varint(wire::write_tag(record, number, wire::WireType::Varint),
                                                 static_cast<std::uint64_t>(std::int64_t{value}));
    const std::size_t size = static_cast<std::size_t>(end - record);
    std::uint8_t* const copy = take_bytes(level[1], size);
    if (copy == nullptr) return false;
    std::memcpy(copy, record, size);
    return keep(message, Bytes(copy, size), level);
  }
  bool keep(void* message, Bytes record, Level* level) {
    UnknownList*& list = *static_cast<UnknownList**>(message);  // the first member of every message
    if (list == nullptr) {
      list = static_cast<UnknownList*>(create(level[1], sizeof(UnknownList)));
      if (list == nullptr) return false;
    }
    if (list->ranges.size != 0) {
      Bytes& last = reinterpret_cast<Bytes*>(list->ranges.data)[list->ranges.size - 1];
      if (last.end() == record.begin()) {
        last = Bytes(last.begin(), last.size() + record.size());
        return true;
      }
    }
    std::uint8_t* const range = append(level[1], list->ranges, sizeof(Bytes));
    if (range == nullptr) return false;
    new (range) Bytes(record);
    return true;
  }

  // A string that is checked always, with `strict`, or never.
  // Are these bytes ASCII? Where the input has slack after them.
  HOTPB_INLINE static bool is_plain(const std::uint8_t* text, std::size_t size) {
#if HOTPB_SSE2
    const auto block = [](const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
    if (size <= 16) return (_mm_movemask_epi8(block(text)) & ((1 << size) - 1)) == 0;
    const std::uint8_t* const last = text + size - 16;
    if (size <= 32) return _mm_movemask_epi8(_mm_or_si128(block(text), block(last))) == 0;
    if (size <= 64) {
      return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(block(text), block(text + 16)),
                                            _mm_or_si128(block(last - 16), block(last)))) == 0;
    }
#endif
    return utf8::detail::ascii_prefix(text, size) == size;
  }
  HOTPB_INLINE static bool is_utf8(Bytes text) { return utf8::is_valid(text.data(), text.size()); }
  HOTPB_INLINE bool is_accepted(Bytes text) const { return !strict_ || is_utf8(text); }

  // A message of any type.
  HOTPB_INLINE const std::uint8_t* decode(const Type& type, void* message, const std::uint8_t* p,
                                          const std::uint8_t* end, std::uint32_t end_tag, Level* level) {
    if (HOTPB_UNLIKELY(all_by_table_)) return by_table(type, message, p, end, end_tag, level);
    return type.decode(*this, message, p, end, end_tag, level);
  }
  const std::uint8_t* by_table(const Type& type, void* message, const std::uint8_t* p, const std::uint8_t* end,
                               std::uint32_t end_tag, Level* level);

  // A record of a field that is read by table; `p` is after its tag.
  const std::uint8_t* field(const Type& type, const FieldEntry& entry, void* message, std::uint32_t tag,
                            const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end, Level* level);
  // Numbers in one record. `start` is null or where the record begins.
  const std::uint8_t* packed(const FieldEntry& entry, Array& array, void* message, const std::uint8_t* p,
                             const std::uint8_t* end, Level* level);
  // An entry of a map.
  const std::uint8_t* map(const FieldEntry& entry, const Type& type, Array& array, void* message,
                          const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end, Level* level);

 private:
  // An array that is empty begins at the top.
  HOTPB_INLINE static void start(Level& level, Array& array) {
    level.at = aligned(level.at);
    array.data = level.at;
    array.room = 0;
  }

  HOTPB_COLD std::uint8_t* exhaust() {
    exhausted_ = true;
    return nullptr;
  }

  HOTPB_INLINE std::uint8_t* take(Level& level, std::size_t size) {
    std::uint8_t* const top = aligned(level.at);
    if (HOTPB_UNLIKELY(left_ < size)) return exhaust();
    if (HOTPB_UNLIKELY(static_cast<std::size_t>(level.end - level.at) < size + kAlign)) {
      return take_elsewhere(level, size);
    }
    left_ -= size;
    level.at = top + size;
    return top;
  }
  HOTPB_NOINLINE std::uint8_t* take_elsewhere(Level& level, std::size_t size) {
    if (!memory_->grow(level, size)) return exhaust();
    left_ -= size;
    std::uint8_t* const top = level.at;
    level.at = top + size;
    return top;
  }
  // Bytes that may follow others without a gap.
  std::uint8_t* take_bytes(Level& level, std::size_t size) {
    if (left_ < size || (static_cast<std::size_t>(level.end - level.at) < size && !memory_->grow(level, size))) {
      return exhaust();
    }
    left_ -= size;
    std::uint8_t* const top = level.at;
    level.at = top + size;
    return top;
  }

  HOTPB_NOINLINE std::uint8_t* append_elsewhere(Level& level, Array& array, std::size_t width) {
    if (left_ < width) return exhaust();
    if (array.size >= array.room) {
      const bool on_top = array.data + array.size * width == level.at;
      const std::size_t room = array.size == 0 ? 1 : on_top ? std::size_t{array.size} + 1 : 2 * std::size_t{array.size};
      if (!move(level, array, room, width)) return exhaust();
      if (!on_top) array.room = static_cast<std::uint32_t>(room);
    }
    left_ -= width;
    return array.data + width * array.size++;
  }
  // The array goes to the top of the level, with room for `count` elements.
  bool move(Level& level, Array& array, std::size_t count, std::size_t width) {
    level.at = aligned(level.at);
    const std::size_t size = count * width;
    if (static_cast<std::size_t>(level.end - level.at) < size) {
      // Twice the array: one that has filled a block grows into the next.
      if (!memory_->grow(level, size + array.size * width)) return false;
    }
    if (array.size != 0) std::memcpy(level.at, array.data, array.size * width);
    array.data = level.at;
    level.at += size;
    return true;
  }

  static constexpr std::ptrdiff_t kSlack = 16;

  Memory* memory_;
  const std::uint8_t* end_ = nullptr;
  Level* last_;         // the deepest level that messages may be on
  std::uint64_t left_;  // of the memory that the message may need
  bool strict_;
  bool any_map_ = false;
  bool exhausted_ = false;
  bool all_by_table_ = false;
  const std::uint8_t* record_ = nullptr;
};

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

// The varints of a payload, as T; `convert` makes one of a word. False when one is bad.
template <class T, class Convert>
HOTPB_INLINE bool read_varints(const std::uint8_t* p, const std::uint8_t* end, std::uint8_t* to, Convert convert) {
  while (p != end) {
    std::uint64_t word;
    p = wire::read_varint(p, end, word);
    if (HOTPB_UNLIKELY(p == nullptr)) return false;
    port::store(to, static_cast<T>(convert(word)));
    to += sizeof(T);
  }
  return true;
}

}  // namespace detail

inline const std::uint8_t* Decoder::packed(const FieldEntry& entry, Array& array, void* message, const std::uint8_t* p,
                                           const std::uint8_t* end, Level* level) {
  Bytes payload;
  p = wire::read_len(p, end, payload);
  if (p == nullptr || payload.empty()) return p;
  const FieldType type = entry.type;
  const std::size_t width = detail::number_width(type);
  if (hotpb::detail::element_wire_type(type) != wire::WireType::Varint) {
    if (payload.size() % width != 0) return nullptr;
    std::uint8_t* const to = reserve(level[1], array, payload.size() / width, width);
    if (to == nullptr) return nullptr;
    std::memcpy(to, payload.data(), payload.size());
    array.size += static_cast<std::uint32_t>(payload.size() / width);
    return p;
  }
  const std::size_t count = wire::count_varints(payload.begin(), payload.end());
  std::uint8_t* const to = count == 0 ? nullptr : reserve(level[1], array, count, width);
  if (to == nullptr) return nullptr;
  if (entry.closed != nullptr) {
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
  const std::uint8_t* const begin = payload.begin();
  const std::uint8_t* const stop = payload.end();
  bool good = false;
  switch (type) {
    case FieldType::Bool:
      good = detail::read_varints<std::uint8_t>(begin, stop, to, [](std::uint64_t word) { return word != 0; });
      break;
    case FieldType::Sint32:
      good = detail::read_varints<std::int32_t>(
          begin, stop, to, [](std::uint64_t word) { return wire::unzigzag32(static_cast<std::uint32_t>(word)); });
      break;
    case FieldType::Sint64: good = detail::read_varints<std::int64_t>(begin, stop, to, wire::unzigzag64); break;
    case FieldType::Int64:
    case FieldType::Uint64:
      good = detail::read_varints<std::uint64_t>(begin, stop, to, [](std::uint64_t word) { return word; });
      break;
    default:
      good = detail::read_varints<std::uint32_t>(begin, stop, to, [](std::uint64_t word) { return word; });
      break;
  }
  if (!good) return nullptr;
  array.size += static_cast<std::uint32_t>(count);
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
  std::memset(place, 0, type.size);
  if (by_table(type, place, payload.begin(), payload.end(), 0, level + 1) == nullptr) return nullptr;
  if (HOTPB_UNLIKELY(array.size > 1)) any_map_ = true;
  if (entry.closed == nullptr) return p;
  // The value of a closed enum: an undefined one makes the whole record unknown.
  if (port::load<std::uint32_t>(detail::at(place, type.places[1].more)) != kUndefinedValue) return p;
  --array.size;
  if (level[1].at == place + type.size) level[1].at = place;
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
        child = append(level[1], *reinterpret_cast<Array*>(slot), place.child->size);
        if (child != nullptr) std::memset(child, 0, place.child->size);
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
        std::uint8_t* const element = append(level[1], *reinterpret_cast<Array*>(slot),
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
  if (wire::tag_type(tag) == wire::WireType::Len &&
      hotpb::detail::element_wire_type(entry.type) != wire::WireType::Len) {
    return packed(entry, *reinterpret_cast<Array*>(slot), message, p, end, level);
  }
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
  switch (place.shape) {
    case Shape::Repeated: {
      const std::size_t width = detail::number_width(entry.type);
      std::uint8_t* const element = append(level[1], *reinterpret_cast<Array*>(slot), width);
      if (element == nullptr) return nullptr;
      detail::store_number(entry.type, element, word);
      break;
    }
    case Shape::Member: {
      Choice& choice = *reinterpret_cast<Choice*>(slot);
      choice = Choice{0, 0, entry.number};
      detail::store_number(entry.type, reinterpret_cast<std::uint8_t*>(&choice.word), word);
      break;
    }
    case Shape::Explicit: {
      std::uint8_t* const bits = detail::at(message, type.has_bits + 4 * (place.more / 32));
      port::store(bits, port::load<std::uint32_t>(bits) | 1u << place.more % 32);
      detail::store_number(entry.type, slot, word);
      break;
    }
    default: detail::store_number(entry.type, slot, word);
  }
  return p;
}

inline const std::uint8_t* Decoder::by_table(const Type& type, void* message, const std::uint8_t* p,
                                             const std::uint8_t* end, std::uint32_t end_tag, Level* level) {
  std::size_t hint = 0;
  for (;;) {
    if (p == end) return end_tag == 0 ? p : nullptr;
    const std::uint8_t* const start = p;
    std::uint32_t tag;
    p = wire::read_tag(p, end, tag);
    if (HOTPB_UNLIKELY(p == nullptr)) return nullptr;
    const FieldEntry* const entry = hotpb::detail::find_field(*type.table, tag, hint);
    if (HOTPB_LIKELY(entry != nullptr)) {
      p = field(type, *entry, message, tag, start, p, end, level);
    } else if (tag == end_tag) {
      return p;
    } else if (type.is_entry) {
      p = wire::skip_value(p, end, tag, levels_left(level));
    } else {
      p = unknown(type, message, start, p, end, tag, level);
    }
    if (HOTPB_UNLIKELY(p == nullptr)) {
      if (exhausted_ && record_ == nullptr) record_ = start;
      return nullptr;
    }
  }
}

}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_DECODER_H_
