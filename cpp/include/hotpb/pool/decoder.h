// The state of one decode, and calls for decoders of messages: generated ones for hot messages, by_table() for others.
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

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/packed.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

class Decoder {
 public:
  Decoder(Memory& memory, const hotpb::detail::Limits& limits, std::uint64_t bytes)
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
    if (HOTPB_UNLIKELY(p >= end)) return nullptr;
    if (HOTPB_LIKELY(*p < 0x80)) {
      word = *p;
      return p + 1;
    }
    std::uint64_t wide;
    p = wire::detail::read_varint_long(p, end_, wide);
    word = wide;
    return HOTPB_LIKELY(p <= end) ? p : nullptr;
  }
  // The same, with a call for two bytes and more: for bools and enums.
  HOTPB_INLINE const std::uint8_t* small_varint(const std::uint8_t* p, const std::uint8_t* end,
                                                std::uint64_t& word) const {
    if (HOTPB_UNLIKELY(p >= end)) return nullptr;
    if (HOTPB_LIKELY(*p < 0x80)) {
      word = *p;
      return p + 1;
    }
    const Wide wide = called_varint(p, end);
    word = wide.word;
    return wide.p;
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
    if (HOTPB_LIKELY(place != nullptr)) port::clear(place, size);
    return place;
  }
  template <class T>
  HOTPB_INLINE void* create(Level& level) {
    void* const place = take(level, sizeof(T));
    if (HOTPB_LIKELY(place != nullptr)) port::clear<sizeof(T)>(place);
    return place;
  }

  // One more message of a repeated field; nullptr if there is no memory.
  template <class T>
  HOTPB_INLINE T* add(Level& level, Array& array) {
    T* const place = append<T>(level, array);
    if (HOTPB_LIKELY(place != nullptr)) port::clear<sizeof(T)>(place);
    return place;
  }
  // The message of a singular field, which is created when its first record comes.
  template <class T>
  HOTPB_INLINE T* child(Level& level, void*& slot) {
    if (slot == nullptr) slot = create<T>(level);
    return static_cast<T*>(slot);
  }
  // The same of a member of a oneof.
  template <class T>
  HOTPB_INLINE T* child(Level& level, Choice& choice, std::uint32_t number) {
    if (choice.number == number) return port::load<T*>(&choice.word);
    return static_cast<T*>(set_child(choice, number, create<T>(level)));
  }
  void* child(Level& level, Choice& choice, std::uint32_t number, std::size_t size) {
    if (choice.number == number) return port::load<void*>(&choice.word);
    return set_child(choice, number, create(level, size));
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

  // Are these bytes ASCII, and not too many to see at once? Where the input has slack after them.
  HOTPB_INLINE static bool is_plain(const std::uint8_t* text, std::size_t size) {
    return utf8::detail::is_plain(text, size);
  }
  // Most strings are short ASCII: then a load or two tell.
  HOTPB_INLINE bool is_utf8(Bytes text) const { return is_utf8(text, end_); }
  // Of an input that ends at `end`.
  HOTPB_INLINE static bool is_utf8(Bytes text, const std::uint8_t* end) {
    return utf8::detail::is_valid_before(end, text.data(), text.size());
  }
  HOTPB_INLINE static bool is_valid(Bytes text) { return utf8::detail::is_valid_called(text.data(), text.size()); }
  HOTPB_INLINE bool is_accepted(Bytes text) const { return HOTPB_LIKELY(!strict_) || is_valid(text); }

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
  // Numbers in one record.
  const std::uint8_t* packed(const FieldEntry& entry, Array& array, void* message, const std::uint8_t* p,
                             const std::uint8_t* end, Level* level);
  const std::uint8_t* packed_fixed(Array& array, std::size_t width, const std::uint8_t* p, const std::uint8_t* end,
                                   Level* level);
  const std::uint8_t* packed_closed(const FieldEntry& entry, Array& array, void* message, const std::uint8_t* p,
                                    const std::uint8_t* end, Level* level);
  // Varints, stored as T. Where there is room for as many as the record has bytes, nothing counts them first.
  template <class T, class As>
  HOTPB_NOINLINE const std::uint8_t* packed(Array& array, const std::uint8_t* p, const std::uint8_t* end,
                                            Level* level) {
    Bytes payload;
    p = wire::read_len(p, end, payload);
    if (HOTPB_UNLIKELY(p == nullptr) || payload.empty()) return p;
    Level& arena = level[1];
    if (array.size == 0) start(arena, array);
    const std::size_t most = payload.size() * sizeof(T);
    const bool on_top = array.data + array.size * sizeof(T) == arena.at && left_ >= most &&
                        static_cast<std::size_t>(arena.end - arena.at) >= most;
    std::uint8_t* place = arena.at;
    if (HOTPB_UNLIKELY(!on_top)) {
      const std::size_t count = detail::count_packed(payload.begin(), payload.end(), end_);
      place = count == 0 ? nullptr : reserve(arena, array, count, sizeof(T));
      if (place == nullptr) return nullptr;
    }
    std::uint8_t* const to = detail::read_packed<T, As>(payload.begin(), payload.end(), end_, place);
    if (HOTPB_UNLIKELY(to == nullptr)) return nullptr;
    const std::size_t size = static_cast<std::size_t>(to - place);
    array.size += static_cast<std::uint32_t>(size / sizeof(T));
    if (on_top) {
      left_ -= size;
      arena.at = to;
    }
    return p;
  }
  // An entry of a map with a key and a value of these types; `kSize` is that of the entry. Not for values of closed
  // enums.
  template <FieldType kKey, FieldType kValue, std::size_t kSize>
  HOTPB_NOINLINE const std::uint8_t* map(const Type& type, Array& array, const std::uint8_t* p,
                                         const std::uint8_t* end, Level* level);
  // Any entry of a map.
  const std::uint8_t* map(const FieldEntry& entry, const Type& type, Array& array, void* message,
                          const std::uint8_t* start, const std::uint8_t* p, const std::uint8_t* end, Level* level);

 private:
  // In two registers.
  struct Wide {
    const std::uint8_t* p;
    std::uint64_t word;
  };
  HOTPB_NOINLINE static Wide called_varint(const std::uint8_t* p, const std::uint8_t* end) {
    std::uint64_t word = 0;
    p = wire::detail::read_varint_long(p, end, word);
    return {p, word};
  }

  // The key or the value of a map's entry; `p` is after its tag.
  template <FieldType kType>
  HOTPB_INLINE const std::uint8_t* entry_part(const FieldEntry& field, const Place& place, void* entry,
                                              const std::uint8_t* p, const std::uint8_t* end, Level* level);

  // An array that is empty begins at the top.
  HOTPB_INLINE static void start(Level& level, Array& array) {
    level.at = aligned(level.at);
    array.data = level.at;
    array.room = 0;
  }

  HOTPB_INLINE static void* set_child(Choice& choice, std::uint32_t number, void* message) {
    choice = Choice{0, 0, number};
    std::memcpy(&choice.word, &message, sizeof message);
    return message;
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

  HOTPB_NOINLINE std::uint8_t* append_one(Level& level, Array& array, std::size_t width) {
    return append(level, array, width);
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

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_DECODER_H_
