// The open levels of a message: the serial of each, and where its length goes. Part of writer/stream.h.
//
//   open_short   a slot of one byte in the current chunk
//   open_slot    a slot of any width there
//   open_fixed   a slot of four bytes there, which never moves
//   open_group   no slot, but an end tag
//   moved        lay_out() has moved the slot in the current chunk, or changed its width
//   leave        the chunk with the slot leaves: four bytes can be patched; in chunks that are kept, one can be widened
#ifndef HOTPB_WRITER_LEVELS_H_
#define HOTPB_WRITER_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/abi.h"
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
inline std::uint8_t* lay_out(Slot* slots, std::size_t count, std::size_t width, std::uint8_t* end) {
  std::ptrdiff_t shift = 0;
  for (std::size_t i = 0; i < count; ++i) {
    slots[i].to = slots[i].at + shift;
    shift += static_cast<std::ptrdiff_t>(width) - static_cast<std::ptrdiff_t>(slots[i].width);
  }
  for (std::size_t k = 0; k < count; ++k) {
    // If bytes move up, the last ones move first, so that nothing is overwritten.
    const std::size_t i = shift > 0 ? count - 1 - k : k;
    const std::uint8_t* const from = slots[i].at + slots[i].width;
    const std::uint8_t* const stop = i + 1 < count ? slots[i + 1].at : end;
    std::uint8_t* const to = slots[i].to + width;
    if (to != from) std::memmove(to, from, static_cast<std::size_t>(stop - from));
  }
  return end + shift;
}

// The root is level 0. The fast paths use only serials and short slots, which have arrays of their own. A level with a
// short slot has nothing else.
template <std::size_t kLevels>
class Levels {
 public:
  enum class Kind : std::uint8_t {
    Root,
    Slot,       // in the current chunk
    Fixed,      // in the current chunk, with four bytes that never move
    FixedLeft,  // four bytes in a chunk that has left
    ShortLeft,  // one byte in a chunk that has left
    Group,
  };

  // Sets the state before the first message. `closed` is the serial below the root.
  void reset(std::uint64_t closed) {
    serials_[0] = closed;
    short_[0] = nullptr;
    rest_[0].kind = Kind::Root;
  }

  HOTPB_INLINE std::uint64_t serial(std::size_t level) const { return serials_[level + 1]; }
  HOTPB_INLINE std::uint64_t serial_below(std::size_t level) const { return serials_[level]; }

  HOTPB_INLINE std::uint64_t open_root(std::uint64_t serial) { return serials_[1] = serial; }
  HOTPB_INLINE void open_short(std::size_t level, std::uint64_t serial, std::uint8_t* slot) {
    serials_[level + 1] = serial;
    short_[level] = slot;
  }
  void open_slot(std::size_t level, std::uint64_t serial, std::uint8_t* slot, std::size_t width) {
    serials_[level + 1] = serial;
    moved(level, slot, width);
  }
  void open_fixed(std::size_t level, std::uint64_t serial, std::uint64_t chunk, std::size_t place,
                  std::uint64_t start) {
    serials_[level + 1] = serial;
    stay(level, Kind::Fixed, chunk, place, start);
  }
  void open_group(std::size_t level, std::uint64_t serial, std::uint64_t start, std::uint32_t end_tag) {
    serials_[level + 1] = serial;
    short_[level] = nullptr;
    rest_[level].kind = Kind::Group;
    rest_[level].start = start;
    rest_[level].end_tag = end_tag;
  }

  // The slot is now at `slot`, with this width.
  void moved(std::size_t level, std::uint8_t* slot, std::size_t width) {
    short_[level] = width == 1 ? slot : nullptr;
    rest_[level].kind = Kind::Slot;
    rest_[level].slot = slot;
    rest_[level].width = static_cast<std::uint8_t>(width);
  }
  // The chunk with the slot leaves; `begin` is its first byte, and `base` the offset of that byte.
  void leave(std::size_t level, std::uint64_t chunk, const std::uint8_t* begin, std::uint64_t base) {
    if (kind(level) == Kind::Fixed) rest_[level].kind = Kind::FixedLeft;
    if (!is_here(level)) return;
    const std::size_t place = static_cast<std::size_t>(slot(level) - begin);
    const std::size_t bytes = width(level);  // one or four
    std::memset(slot(level), 0, bytes);
    stay(level, bytes == 1 ? Kind::ShortLeft : Kind::FixedLeft, chunk, place, base + place + bytes);
  }
  // The start tag of a group moves with the slots around it.
  void move_group(std::size_t level, std::ptrdiff_t shift) {
    rest_[level].start += static_cast<std::uint64_t>(static_cast<std::int64_t>(shift));
  }

  Kind kind(std::size_t level) const { return short_[level] != nullptr ? Kind::Slot : rest_[level].kind; }
  bool is_here(std::size_t level) const { return kind(level) == Kind::Slot; }

  // Whether the level has a slot of this width. For levels that have no short slot.
  HOTPB_INLINE bool is_slot_of(std::size_t level, std::size_t width) const {
    return rest_[level].kind == Kind::Slot && rest_[level].width == width;
  }

  // For Kind::Slot.
  HOTPB_INLINE std::uint8_t* short_slot(std::size_t level) const { return short_[level]; }  // or nullptr
  std::uint8_t* slot(std::size_t level) const {
    return short_[level] != nullptr ? short_[level] : rest_[level].slot;
  }
  std::size_t width(std::size_t level) const { return short_[level] != nullptr ? 1 : rest_[level].width; }
  std::uint8_t* content(std::size_t level) const { return slot(level) + width(level); }

  // For all other kinds: where the content starts in the stream; for a group, where its start tag is.
  std::uint64_t start(std::size_t level) const { return rest_[level].start; }
  // For a slot that never moves.
  std::uint64_t chunk(std::size_t level) const { return rest_[level].chunk; }
  std::size_t place(std::size_t level) const { return rest_[level].place; }
  std::uint32_t end_tag(std::size_t level) const { return rest_[level].end_tag; }

 private:
  struct Rest {
    std::uint64_t start;
    std::uint64_t chunk;
    union {
      std::uint8_t* slot;  // Kind::Slot
      std::size_t place;   // in the chunk
    };
    std::uint32_t end_tag;
    std::uint8_t width;
    Kind kind;
  };

  void stay(std::size_t level, Kind kind, std::uint64_t chunk, std::size_t place, std::uint64_t start) {
    short_[level] = nullptr;
    rest_[level].kind = kind;
    rest_[level].chunk = chunk;
    rest_[level].place = place;
    rest_[level].start = start;
  }

  std::uint64_t serials_[kLevels + 1];  // the serial of level i is at i + 1
  std::uint8_t* short_[kLevels];        // slots of one byte in the current chunk, else nullptr
  Rest rest_[kLevels];                  // for the levels that have no short slot
};

}  // namespace detail
HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_LEVELS_H_
