// The open levels of a message: the serial of each, and where its length goes. Part of writer/stream.h.
//
//   open_short   a slot of one byte in the current chunk
//   open_slot    a slot of any width there
//   open_fixed   a slot of four bytes there, which never moves
//   open_group   no slot, but an end tag
//   moved        lay_out() has moved the slot in the current chunk, or changed its width
//   leave        the chunk with the slot leaves: four bytes can be patched; in chunks that are kept, one can be widened
//   come_back    a chunk that is kept is the current one again
//
// A level that the stream has no room for is in the memory of DeepLevels. The fast paths do not see such levels: all of
// them have the index kLevels there, which never has a short slot.
#ifndef HOTPB_WRITER_LEVELS_H_
#define HOTPB_WRITER_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"

HOTPB_NAMESPACE_BEGIN
namespace detail {

// A slot in the current chunk, and where lay_out() has put it.
struct Slot {
  std::uint8_t* at;
  std::size_t width;
  std::uint8_t* to;
};

// Changes the width of a slot from `before` to `after` bytes, and moves the bytes after it, up to `end`. Returns the
// new end.
inline std::uint8_t* resize(std::uint8_t* slot, std::size_t before, std::size_t after, std::uint8_t* end) {
  std::memmove(slot + after, slot + before, static_cast<std::size_t>(end - (slot + before)));
  return end + after - before;
}

// Changes all slots, by ascending address, to one width, which is at least, or at most, the width of each.
//
//   |t|?|aaaa|t|?|bbbb|      <->      |t|????|aaaa|t|????|bbbb|
inline std::uint8_t* lay_out(Slot* slot_list, std::size_t count, std::size_t width, std::uint8_t* end) {
  std::ptrdiff_t shift = 0;
  for (std::size_t i = 0; i < count; ++i) {
    slot_list[i].to = slot_list[i].at + shift;
    shift += static_cast<std::ptrdiff_t>(width) - static_cast<std::ptrdiff_t>(slot_list[i].width);
  }
  for (std::size_t k = 0; k < count; ++k) {
    // If bytes move up, the last ones move first, so that nothing is overwritten.
    const std::size_t i = shift > 0 ? count - 1 - k : k;
    const std::uint8_t* const from = slot_list[i].at + slot_list[i].width;
    const std::uint8_t* const stop = i + 1 < count ? slot_list[i + 1].at : end;
    std::uint8_t* const to = slot_list[i].to + width;
    if (to != from) std::memmove(to, from, static_cast<std::size_t>(stop - from));
  }
  return end + shift;
}

enum class LevelKind : std::uint8_t {
  Root,
  Slot,       // in the current chunk
  Fixed,      // in the current chunk, with four bytes that never move
  FixedLeft,  // four bytes in a chunk that has left
  ShortLeft,  // one byte in a chunk that has left
  Group,
};

// The state of a level besides its serial and a short slot.
struct LevelRest {
  std::uint64_t start;
  std::uint64_t chunk;
  union {
    std::uint8_t* slot;  // LevelKind::Slot
    std::size_t place;   // in the chunk
  };
  std::uint32_t end_tag;
  std::uint8_t width;
  LevelKind kind;
};

struct DeepLevel {
  std::uint64_t serial;
  LevelRest rest;
};

// The memory of hotpb::DeepLevels.
struct DeepMemory {
  DeepLevel* levels;
  Slot* slot_list;        // for all levels, to lay them out
  std::size_t depth;
  std::size_t top;    // the top level, if it is in this memory
};

// The root is level 0. The fast paths use only serials and short slots, which have arrays of their own. A level with a
// short slot has nothing else.
template <std::size_t kLevels>
class Levels {
 public:
  using Kind = LevelKind;

  // Sets the state before the first message. `closed` is the serial below the root.
  void reset(std::uint64_t closed) {
    serials_[0] = closed;
    short_[0] = nullptr;
    rest_[0].kind = rest_[kLevels].kind = Kind::Root;
    short_[kLevels] = nullptr;
  }

  void set_deep(DeepMemory* deep) { deep_ = deep; }
  DeepMemory* deep() const { return deep_; }

  std::uint64_t serial(std::size_t level) const {
    return HOTPB_LIKELY(level < kLevels) ? serials_[level + 1] : deep_->levels[level - kLevels].serial;
  }
  // For levels that are not in DeepMemory.
  HOTPB_INLINE std::uint64_t serial_below(std::size_t level) const { return serials_[level]; }

  HOTPB_INLINE std::uint64_t open_root(std::uint64_t serial) { return serials_[1] = serial; }
  HOTPB_INLINE void open_short(std::size_t level, std::uint64_t serial, std::uint8_t* slot) {
    serials_[level + 1] = serial;
    short_[level] = slot;
  }
  // For a level that is not in DeepMemory.
  HOTPB_INLINE void open_slot(std::size_t level, std::uint64_t serial, std::uint8_t* slot, std::size_t width) {
    serials_[level + 1] = serial;
    short_[level] = width == 1 ? slot : nullptr;
    put_slot(rest_[level], slot, width);
  }
  void open_deep_slot(std::size_t level, std::uint64_t serial, std::uint8_t* slot) {
    set_serial(level, serial);
    put_slot(rest(level), slot, 1);
  }
  void open_fixed(std::size_t level, std::uint64_t serial, std::uint64_t chunk, std::size_t place,
                  std::uint64_t start) {
    set_serial(level, serial);
    stay(level, Kind::Fixed, chunk, place, start);
  }
  void open_group(std::size_t level, std::uint64_t serial, std::uint64_t start, std::uint32_t end_tag) {
    set_serial(level, serial);
    set_short(level, nullptr);
    rest(level).kind = Kind::Group;
    rest(level).start = start;
    rest(level).end_tag = end_tag;
  }

  // The slot is now at `slot`, with this width.
  void moved(std::size_t level, std::uint8_t* slot, std::size_t width) {
    set_short(level, width == 1 ? slot : nullptr);
    put_slot(rest(level), slot, width);
  }
  // The chunk with the slot leaves; `begin` is its first byte, and `base` the offset of that byte.
  HOTPB_INLINE void leave(std::size_t level, std::uint64_t chunk, const std::uint8_t* begin, std::uint64_t base) {
    if (kind(level) == Kind::Fixed) rest(level).kind = Kind::FixedLeft;
    if (!is_here(level)) return;
    const std::size_t place = static_cast<std::size_t>(slot(level) - begin);
    const std::size_t bytes = width(level);  // one or four
    std::memset(slot(level), 0, bytes);
    stay(level, bytes == 1 ? Kind::ShortLeft : Kind::FixedLeft, chunk, place, base + place + bytes);
  }
  // The chunk is the current one again, and `begin` its first byte. `fixed`: its slots are Kind::Fixed.
  void come_back(std::size_t level, std::uint64_t chunk, std::uint8_t* begin, bool fixed) {
    const bool short_left = kind(level) == Kind::ShortLeft;
    if ((!short_left && kind(level) != Kind::FixedLeft) || rest(level).chunk != chunk) return;
    if (fixed) {
      rest(level).kind = Kind::Fixed;
    } else {
      moved(level, begin + place(level), short_left ? 1 : 4);
    }
  }
  // The start tag of a group moves with the slots around it.
  void move_group(std::size_t level, std::ptrdiff_t shift) {
    rest(level).start += static_cast<std::uint64_t>(static_cast<std::int64_t>(shift));
  }

  HOTPB_INLINE Kind kind(std::size_t level) const { return is_short(level) ? Kind::Slot : rest(level).kind; }
  HOTPB_INLINE bool is_here(std::size_t level) const { return kind(level) == Kind::Slot; }

  // Whether the level has a slot of this width, and which. For levels that have no short slot, by their index here.
  HOTPB_INLINE bool is_slot_of(std::size_t index, std::size_t width) const {
    return rest_[index].kind == Kind::Slot && rest_[index].width == width;
  }
  HOTPB_INLINE std::uint8_t* long_slot(std::size_t index) const { return rest_[index].slot; }

  // For Kind::Slot.
  HOTPB_INLINE std::uint8_t* short_slot(std::size_t level) const { return short_[level]; }  // or nullptr
  HOTPB_INLINE std::uint8_t* slot(std::size_t level) const {
    return is_short(level) ? short_[level] : rest(level).slot;
  }
  HOTPB_INLINE std::size_t width(std::size_t level) const { return is_short(level) ? 1 : rest(level).width; }
  std::uint8_t* content(std::size_t level) const { return slot(level) + width(level); }

  // For all other kinds: where the content starts in the stream; for a group, where its start tag is.
  std::uint64_t start(std::size_t level) const { return rest(level).start; }
  // For a slot that never moves.
  std::uint64_t chunk(std::size_t level) const { return rest(level).chunk; }
  std::size_t place(std::size_t level) const { return rest(level).place; }
  std::uint32_t end_tag(std::size_t level) const { return rest(level).end_tag; }

 private:
  static void put_slot(LevelRest& rest, std::uint8_t* slot, std::size_t width) {
    rest.kind = Kind::Slot;
    rest.slot = slot;
    rest.width = static_cast<std::uint8_t>(width);
  }
  HOTPB_INLINE bool is_short(std::size_t level) const { return level < kLevels && short_[level] != nullptr; }
  void set_short(std::size_t level, std::uint8_t* slot) {
    if (level < kLevels) short_[level] = slot;
  }
  void set_serial(std::size_t level, std::uint64_t serial) {
    (level < kLevels ? serials_[level + 1] : deep_->levels[level - kLevels].serial) = serial;
  }
  HOTPB_INLINE LevelRest& rest(std::size_t level) {
    return HOTPB_LIKELY(level < kLevels) ? rest_[level] : deep_->levels[level - kLevels].rest;
  }
  HOTPB_INLINE const LevelRest& rest(std::size_t level) const { return const_cast<Levels*>(this)->rest(level); }

  HOTPB_INLINE void stay(std::size_t level, Kind kind, std::uint64_t chunk, std::size_t place, std::uint64_t start) {
    set_short(level, nullptr);
    rest(level).kind = kind;
    rest(level).chunk = chunk;
    rest(level).place = place;
    rest(level).start = start;
  }

  std::uint64_t serials_[kLevels + 1];  // the serial of level i is at i + 1
  std::uint8_t* short_[kLevels + 1];    // slots of one byte in the current chunk, else nullptr
  LevelRest rest_[kLevels + 1];         // for the levels that have no short slot
  DeepMemory* deep_ = nullptr;
};

}  // namespace detail
HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_LEVELS_H_
