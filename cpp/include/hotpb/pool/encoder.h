// Encoding of pooled messages: from the last byte to the first, in one pass, so that every length is known when it is
// written.
//
//   hotpb::EncodeBuffer buffer;                            // used again, and then allocates nothing
//   if (hotpb::Error error = buffer.encode(*pool); !error.ok()) return error;
//   send(buffer.bytes());
//
// The bytes are canonical (spec/wire.md, section 10): fields by ascending number, then unknown fields, extensions among
// them.
#ifndef HOTPB_POOL_ENCODER_H_
#define HOTPB_POOL_ENCODER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/backward.h"
#include "hotpb/pool/finish.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN

struct EncodeOptions {
  bool deterministic = false;  // maps by key, so that equal messages have equal bytes
  bool allow_partial = false;  // required fields may be absent
  bool strict = false;         // refuse strings that a strict decode would refuse
};

namespace pool {
namespace detail {

// A text that stays where it is until the message is complete, and how many bytes of the block follow it.
struct Piece {
  const void* data;
  std::size_t size;
  std::size_t suffix;
};

// Memory of the caller, on the stack until finish(): for pieces, and for the bytes of an encoder without a block.
struct Room {
  static constexpr std::size_t kPieces = 32;
  Piece pieces[kPieces];
  std::uint8_t bytes[2048];
};

// The output of generated and table-driven encoders. Each call writes in front of the bytes before.
//
// A long text for which there is no room is not copied into a larger block: it becomes a piece. finish() copies the
// pieces, and what was written around them, into a block of the right size, each once.
//
//   begin_        p_                                  end_
//   |   free      |  front     ^piece 1   ^piece 0      |
class Encoder {
 public:
  Encoder() = default;
  Encoder(Encoder&& source) noexcept { swap(source); }
  Encoder& operator=(Encoder&& source) noexcept {
    Encoder moved(std::move(source));
    swap(moved);
    return *this;
  }
  ~Encoder() { std::free(block_); }

  // Forgets what was written.
  void start(bool deterministic, Room& room) {
    if (block_ == nullptr) {
      begin_ = room.bytes;
      end_ = room.bytes + sizeof room.bytes;
    }
    p_ = end_;
    pieces_ = room.pieces;
    piece_count_ = piece_bytes_ = 0;
    deterministic_ = deterministic;
    failed_ = false;
  }
  // The message is complete: bytes() are one after the other. An error if there are too many, or was not enough memory.
  Code finish() {
    const std::size_t size = this->size();
    const bool fits = size <= kMaxMessageSize;
    if (fits && (begin_ != block_ || piece_count_ != 0)) join(size);
    if (HOTPB_UNLIKELY(failed_)) return Code::BufferExhausted;
    return fits ? Code::Ok : Code::SizeExceeded;
  }
  Bytes bytes() const { return {p_, size()}; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - p_) + piece_bytes_; }
  std::size_t memory() const { return block_ == nullptr ? 0 : static_cast<std::size_t>(end_ - block_); }

  HOTPB_INLINE void varint(std::uint32_t tag, std::uint64_t value) {
    reserve(backward::kFieldRoom);
    number(tag, value);
  }
  HOTPB_INLINE void fixed32(std::uint32_t tag, std::uint32_t value) {
    reserve(backward::kFieldRoom);
    p_ = backward::fixed(p_, tag, value);
  }
  HOTPB_INLINE void fixed64(std::uint32_t tag, std::uint64_t value) {
    reserve(backward::kFieldRoom);
    p_ = backward::fixed(p_, tag, value);
  }
  HOTPB_INLINE void text(std::uint32_t tag, const void* data, std::size_t size) {
    if (HOTPB_UNLIKELY(room() < size + backward::kFieldRoom)) return long_text(tag, data, size);
    p_ = backward::text(p_, tag, data, size);
  }
  // Room for so many numbers, which the functions after this one write without a look at it. Eight at most: without
  // memory they are written over what is there.
  HOTPB_INLINE void numbers(std::size_t count) { reserve(count * backward::kFieldRoom); }
  HOTPB_INLINE void number(std::uint32_t tag, std::uint64_t value) { p_ = backward::number(p_, tag, value); }
  // The same for one that has one byte nearly always.
  HOTPB_INLINE void small_number(std::uint32_t tag, std::uint64_t value) {
    p_ = backward::varint(backward::small_varint(p_, value), tag);
  }
  template <class T>
  HOTPB_INLINE void fixed(std::uint32_t tag, T value) {
    p_ = backward::fixed(p_, tag, value);
  }
  // The bytes since size() was `before` become the content of a field.
  HOTPB_INLINE void length(std::uint32_t tag, std::size_t before) {
    reserve(backward::kFieldRoom);
    small_number(tag, size() - before);
  }
  HOTPB_NOINLINE void tag(std::uint32_t tag) {
    reserve(backward::kFieldRoom);
    p_ = backward::varint(p_, tag);
  }
  // A message that M::write_() writes at one go.
  template <class M>
  HOTPB_INLINE void leaf(std::uint32_t tag, const M& message) {
    if (HOTPB_UNLIKELY(port::load<const UnknownList*>(&message) != nullptr ||
                       room() < M::room_(&message) + backward::kFieldRoom)) {
      const std::size_t before = size();
      M::encode_(*this, &message);
      return length(tag, before);
    }
    std::uint8_t* const end = p_;
    std::uint8_t* const begin = M::write_(&message, end);
    p_ = backward::number(begin, tag, static_cast<std::uint64_t>(end - begin));
  }
  HOTPB_INLINE void unknown(const UnknownList* list) {
    if (HOTPB_UNLIKELY(list != nullptr)) put_unknown(*list);
  }

  // A field by table.
  void field(const Type& type, std::size_t index, const void* message);
  // A message by table.
  void by_table(const Type& type, const void* message);

 private:
  void swap(Encoder& source) noexcept {
    std::swap(block_, source.block_);
    std::swap(begin_, source.begin_);
    std::swap(p_, source.p_);
    std::swap(end_, source.end_);
    std::swap(deterministic_, source.deterministic_);
    std::swap(failed_, source.failed_);
    order_.swap(source.order_);
  }

  std::size_t room() const { return static_cast<std::size_t>(p_ - begin_); }
  HOTPB_INLINE bool reserve(std::size_t size) {
    if (HOTPB_LIKELY(room() >= size)) return true;
    return grow(size);
  }
  // A new buffer is to copy little: blocks grow fast, and a large text has as much room again before it. Without memory
  // the encoder writes over what it has, which is enough for a number with its tag. (Not cold: compilers would copy
  // byte by byte there.)
  HOTPB_NOINLINE bool grow(std::size_t size) {
    const std::size_t used = static_cast<std::size_t>(end_ - p_);
    std::size_t wanted = block_ == nullptr ? kFirstBlock : (memory() < kManyBytes ? 8 : 2) * memory();
    while ((wanted - used) / 2 < size) wanted *= 2;
    std::uint8_t* const block = failed_ ? nullptr : static_cast<std::uint8_t*>(std::malloc(wanted));
    if (block == nullptr) {
      failed_ = true;
      p_ = end_;
      return false;
    }
    if (used != 0) port::copy(block + wanted - used, p_, used);
    keep(block, wanted, block + wanted - used);
    return true;
  }
  void keep(std::uint8_t* block, std::size_t size, std::uint8_t* written) {
    std::free(block_);
    block_ = begin_ = block;
    end_ = block + size;
    p_ = written;
  }

  // The text as a piece, if it is long and there is room for a note of it.
  bool note(const void* data, std::size_t size) {
    if (size < kLongText || piece_count_ == Room::kPieces || size > kMaxMessageSize - piece_bytes_) return false;
    pieces_[piece_count_++] = {data, size, static_cast<std::size_t>(end_ - p_)};
    piece_bytes_ += size;
    return true;
  }
  HOTPB_NOINLINE void long_text(std::uint32_t tag, const void* data, std::size_t size) {
    raw(Bytes(data, size));
    reserve(backward::kFieldRoom);
    p_ = backward::small_varint(backward::small_varint(p_, size), tag);
  }
  HOTPB_NOINLINE void join(std::size_t used) {
    const std::size_t wanted = used + used / 8 + backward::kRunRoom;
    std::uint8_t* const block = failed_ ? nullptr : static_cast<std::uint8_t*>(std::malloc(wanted));
    if (block == nullptr) {
      failed_ = true;
      p_ = end_;
    } else {
      std::uint8_t* to = block + wanted;
      std::size_t copied = 0;  // of the block, from its end
      const auto part = [&](std::size_t suffix) {
        const std::size_t count = suffix - copied;
        to -= count;
        port::copy(to, end_ - suffix, count);
        copied = suffix;
      };
      for (std::size_t i = 0; i != piece_count_; ++i) {
        part(pieces_[i].suffix);
        to -= pieces_[i].size;
        port::copy(to, pieces_[i].data, pieces_[i].size);
      }
      part(static_cast<std::size_t>(end_ - p_));
      keep(block, wanted, to);
    }
    piece_count_ = piece_bytes_ = 0;
  }

  HOTPB_NOINLINE void put_unknown(const UnknownList& list) {
    const Bytes* const ranges = reinterpret_cast<const Bytes*>(list.ranges.data);
    for (std::uint32_t i = list.ranges.size; i != 0; --i) raw(ranges[i - 1]);
  }
  HOTPB_NOINLINE void put_text(std::uint32_t tag, const void* data, std::size_t size) { text(tag, data, size); }
  HOTPB_NOINLINE void raw(Bytes bytes) {
    if (room() < bytes.size() && note(bytes.data(), bytes.size())) return;
    if (!reserve(bytes.size())) return;
    p_ -= bytes.size();
    if (!bytes.empty()) port::copy(p_, bytes.data(), bytes.size());
  }

  void number(const FieldEntry& field, std::uint32_t tag, const std::uint8_t* value);
  void packed(const FieldEntry& field, const Array& array);
  template <class To>
  void packed(const Array& array);
  template <class To>
  void unpacked(std::uint32_t tag, const Array& array);
  void repeated(const FieldEntry& field, const Place& place, const Array& array);
  void map(const FieldEntry& field, const Type& entry, const Array& entries);
  void message(const FieldEntry& field, const Type& type, const void* message);

  static constexpr std::size_t kFirstBlock = 8192;
  static constexpr std::size_t kManyBytes = std::size_t{1} << 19;
  static constexpr std::size_t kLongText = 256;

  std::uint8_t* block_ = nullptr;  // its own
  std::uint8_t* begin_ = nullptr;
  std::uint8_t* p_ = nullptr;
  std::uint8_t* end_ = nullptr;
  Piece* pieces_ = nullptr;
  std::size_t piece_count_ = 0;
  std::size_t piece_bytes_ = 0;
  bool deterministic_ = false;
  bool failed_ = false;
  std::vector<std::uint32_t> order_;  // of the entries of the maps that are open
};

// The varint of a number as it is stored.
HOTPB_INLINE std::uint64_t varint_of(FieldType type, const std::uint8_t* value) {
  switch (type) {
    case FieldType::Bool: return *value;
    case FieldType::Int64:
    case FieldType::Uint64: return port::load<std::uint64_t>(value);
    case FieldType::Uint32: return port::load<std::uint32_t>(value);
    case FieldType::Sint32: return wire::zigzag32(port::load<std::int32_t>(value));
    case FieldType::Sint64: return wire::zigzag64(port::load<std::int64_t>(value));
    default: return static_cast<std::uint64_t>(std::int64_t{port::load<std::int32_t>(value)});
  }
}

HOTPB_NOINLINE inline void Encoder::number(const FieldEntry& field, std::uint32_t tag, const std::uint8_t* value) {
  switch (hotpb::detail::element_wire_type(field.type)) {
    case wire::WireType::Fixed32: return fixed32(tag, port::load<std::uint32_t>(value));
    case wire::WireType::Fixed64: return fixed64(tag, port::load<std::uint64_t>(value));
    default: return varint(tag, detail::varint_of(field.type, value));
  }
}

template <class To>
HOTPB_NOINLINE void Encoder::packed(const Array& array) {
  for (std::size_t left = array.size; left != 0;) {
    const std::size_t count = left % backward::kRun != 0 ? left % backward::kRun : backward::kRun;
    reserve(backward::kRunRoom);
    left -= count;
    p_ = backward::run<To>(p_, array.data + left * sizeof(typename To::Type), count);
  }
}

inline void Encoder::packed(const FieldEntry& field, const Array& array) {
  const std::size_t before = size();
  switch (field.type) {
    case FieldType::Int32:
    case FieldType::Enum: packed<backward::ToNumber<std::int32_t>>(array); break;
    case FieldType::Uint32: packed<backward::ToNumber<std::uint32_t>>(array); break;
    case FieldType::Int64:
    case FieldType::Uint64: packed<backward::ToNumber<std::uint64_t>>(array); break;
    case FieldType::Sint32: packed<backward::ToSint32>(array); break;
    case FieldType::Sint64: packed<backward::ToSint64>(array); break;
    default: raw(Bytes(array.data, detail::number_width(field.type) * array.size));
  }
  length(wire::make_tag(field.number, wire::WireType::Len), before);
}

// Varints with a tag each.
template <class To>
HOTPB_NOINLINE void Encoder::unpacked(std::uint32_t tag, const Array& array) {
  using T = typename To::Type;
  std::uint8_t* p = p_;
  for (const std::uint8_t* at = array.data + array.size * sizeof(T); at != array.data;) {
    at -= sizeof(T);
    if (HOTPB_UNLIKELY(static_cast<std::size_t>(p - begin_) < backward::kFieldRoom)) {
      p_ = p;
      grow(backward::kFieldRoom);
      p = p_;
    }
    p = backward::tag(backward::varint(p, To::word(port::load<T>(at))), tag);
  }
  p_ = p;
}

inline void Encoder::message(const FieldEntry& field, const Type& type, const void* message) {
  const std::uint32_t first = detail::tag_of(field);
  if (field.type == FieldType::Group) {
    tag(wire::make_tag(field.number, wire::WireType::EndGroup));
    type.encode(*this, message);
    return tag(first);
  }
  const std::size_t before = size();
  type.encode(*this, message);
  length(first, before);
}

inline void Encoder::repeated(const FieldEntry& field, const Place& place, const Array& array) {
  const std::uint32_t first = detail::tag_of(field);
  switch (field.type) {
    case FieldType::Message:
    case FieldType::Group:
      for (std::size_t i = array.size; i != 0; --i) {
        message(field, *place.child, array.data + std::size_t{place.child->size} * (i - 1));
      }
      return;
    case FieldType::String:
    case FieldType::Bytes:
      for (std::size_t i = array.size; i != 0; --i) {
        const Bytes element = field.type == FieldType::Bytes
                                  ? reinterpret_cast<const Bytes*>(array.data)[i - 1]
                                  : Bytes(reinterpret_cast<const std::string_view*>(array.data)[i - 1]);
        text(first, element.data(), element.size());
      }
      return;
    case FieldType::Int32:
    case FieldType::Enum: return unpacked<backward::ToNumber<std::int32_t>>(first, array);
    case FieldType::Uint32: return unpacked<backward::ToNumber<std::uint32_t>>(first, array);
    case FieldType::Int64:
    case FieldType::Uint64: return unpacked<backward::ToNumber<std::uint64_t>>(first, array);
    case FieldType::Sint32: return unpacked<backward::ToSint32>(first, array);
    case FieldType::Sint64: return unpacked<backward::ToSint64>(first, array);
    case FieldType::Bool: return unpacked<backward::ToNumber<std::uint8_t>>(first, array);
    default: break;
  }
  const std::size_t width = detail::number_width(field.type);
  for (const std::uint8_t* at = array.data + width * array.size; at != array.data;) {
    at -= width;
    number(field, first, at);
  }
}

inline void Encoder::map(const FieldEntry& field, const Type& entry, const Array& entries) {
  const std::size_t base = order_.size();
  for (std::uint32_t i = 0; i < entries.size && deterministic_; ++i) order_.push_back(i);
  if (deterministic_) detail::sort(detail::Keys(entry, entries), order_.data() + base, order_.data() + order_.size());
  for (std::uint32_t i = entries.size; i != 0; --i) {
    const std::size_t index = deterministic_ ? order_[base + i - 1] : i - 1;
    const std::uint8_t* const place = entries.data + std::size_t{entry.size} * index;
    const std::size_t before = size();
    for (std::size_t part = 2; part != 0; --part) {
      const FieldEntry& part_field = entry.table->fields[part - 1];
      const Place& at = entry.places[part - 1];
      const std::uint8_t* const value = detail::at(place, at.at);
      if (at.shape == Shape::Inline) {
        message(part_field, *at.child, value);
      } else if (detail::is_text(part_field.type)) {
        put_text(detail::tag_of(part_field), port::load<const void*>(value),
                 port::load<std::uint32_t>(detail::at(place, at.more)));
      } else if (part_field.closed != nullptr && port::load<std::uint32_t>(detail::at(place, at.more)) == 0) {
        const std::int32_t absent = entry.absent_value;
        number(part_field, detail::tag_of(part_field), reinterpret_cast<const std::uint8_t*>(&absent));
      } else {
        number(part_field, detail::tag_of(part_field), value);
      }
    }
    length(wire::make_tag(field.number, wire::WireType::Len), before);
  }
  order_.resize(base);
}

inline void Encoder::field(const Type& type, std::size_t index, const void* message) {
  const FieldEntry& field = type.table->fields[index];
  const Place& place = type.places[index];
  const std::uint8_t* const slot = detail::at(message, place.at);
  if (!detail::has(field, place, message)) return;
  switch (place.shape) {
    case Shape::Map: return map(field, *place.child, port::load<Array>(slot));
    case Shape::Repeated:
      if (place.packed) return packed(field, port::load<Array>(slot));
      return repeated(field, place, port::load<Array>(slot));
    default: break;
  }
  if (detail::is_message(field.type)) return this->message(field, *place.child, detail::message_at(place, message));
  const std::uint32_t first = detail::tag_of(field);
  if (!detail::is_text(field.type)) return number(field, first, slot);
  const std::uint32_t size = place.shape == Shape::Member ? port::load<Choice>(slot).size
                                                          : port::load<std::uint32_t>(detail::at(message, place.more));
  put_text(first, port::load<const void*>(slot), size);
}

// One test for each field, which does not depend on its kind, and one switch for each that is present.
inline void Encoder::by_table(const Type& type, const void* message) {
  unknown(port::load<const UnknownList*>(message));
  std::uint8_t* p = p_;
  const std::uint8_t* least = begin_ + backward::kFieldRoom;
  const Place* const first = type.places;
  const auto tag = [](std::uint8_t* to, const Place& target) {
    backward::put(to, target.coded);
    return to - target.tag_size;
  };
  for (const Place* place = first + type.table->field_count; place != first;) {
    --place;
    if ((port::load<std::uint64_t>(detail::at(message, place->test_at)) & place->mask) == 0) {
      continue;
    }
    if (HOTPB_UNLIKELY(p < least)) {
      p_ = p;
      grow(backward::kFieldRoom);
      p = p_;
      least = begin_ + backward::kFieldRoom;
    }
    const std::uint8_t* const slot = detail::at(message, place->at);
    std::uint64_t word;
    HOTPB_ASSUME(place->op <= Op::Rare);
    // The value, backwards. A fixed width, or a rare kind, is done with its case; the others leave a word: a number or
    // a length.
    switch (place->op) {
      case Op::Int32:
      case Op::Enum: word = static_cast<std::uint64_t>(std::int64_t{port::load<std::int32_t>(slot)}); break;
      case Op::Uint32: word = port::load<std::uint32_t>(slot); break;
      case Op::Int64: word = port::load<std::uint64_t>(slot); break;
      case Op::Bool: word = *slot; break;
      case Op::Sint32: word = wire::zigzag32(port::load<std::int32_t>(slot)); break;
      case Op::Sint64: word = wire::zigzag64(port::load<std::int64_t>(slot)); break;
      case Op::Fixed32: p = tag(backward::put(p, port::load<std::uint32_t>(slot)), *place); continue;
      case Op::Fixed64: p = tag(backward::put(p, port::load<std::uint64_t>(slot)), *place); continue;
      case Op::String:
      case Op::Bytes: {
        word = port::load<std::uint32_t>(detail::at(message, place->more));
        if (HOTPB_UNLIKELY(static_cast<std::uint64_t>(p - least) < word)) {
          p_ = p;
          if (note(port::load<const void*>(slot), word)) break;
          const bool grown = grow(word + backward::kFieldRoom);
          p = p_;
          least = begin_ + backward::kFieldRoom;
          if (HOTPB_UNLIKELY(!grown)) continue;
        }
        p = backward::bytes(p, port::load<const void*>(slot), word);
        break;
      }
      case Op::Message: {
        p_ = p;
        const std::size_t before = size();
        place->child->encode(*this, port::load<const void*>(slot));
        word = size() - before;
        reserve(backward::kFieldRoom);
        p = p_;
        least = begin_ + backward::kFieldRoom;
        break;
      }
      case Op::Rare:
      default:
        p_ = p;
        field(type, static_cast<std::size_t>(place - first), message);
        p = p_;
        least = begin_ + backward::kFieldRoom;
        continue;
    }
    // The word, then the tag before it.
    if (HOTPB_LIKELY(word < 0x80)) {
      *--p = static_cast<std::uint8_t>(word);
    } else if (HOTPB_LIKELY(word < 0x4000)) {
      p = backward::put(p, static_cast<std::uint16_t>(word + (word & 0x3f80) + 0x80));
    } else {
      p = backward::long_varint(p, word);
    }
    p = tag(p, *place);
  }
  p_ = p;
}

}  // namespace detail
}  // namespace pool

// Memory for encoding, which the next encode uses again.
class EncodeBuffer {
 public:
  // Encodes a pooled message. The errors are MissingRequired with the path of the field, InvalidUtf8 with `strict`,
  // SizeExceeded above 2^31 - 1 bytes, and BufferExhausted without memory.
  template <class M>
  [[nodiscard]] Error encode(const M& message, const EncodeOptions& options = {}) {
    static_assert(M::kEncodes, "fields of this message, or of one in it, were left out by only= or skip= and dropped");
    return run(M::kType, &message, options);
  }

  // Has no message then, and returns the error: for encoders that find it before they begin.
  Error refuse(Code code) {
    whole_ = false;
    return Error{code, 0, {}};
  }

  // The message that was encoded last; nothing after an error.
  Bytes bytes() const HOTPB_LIFETIMEBOUND { return whole_ ? encoder_.bytes() : Bytes(); }
  // Bytes that the buffer keeps.
  std::size_t memory() const { return encoder_.memory(); }
  // Frees all memory.
  void shrink() { *this = EncodeBuffer(); }

 private:
  Error run(const pool::detail::Type& type, const void* message, const EncodeOptions& options) {
    whole_ = false;
    if (type.table->need_count != 0 && !options.allow_partial) {
      Error error = pool::detail::check_required(type, message, 0);
      if (!error.ok()) return error;
    }
    pool::detail::Room room;
    encoder_.start(options.deterministic, room);
    type.encode(encoder_, message);
    const Code code = encoder_.finish();
    if (code != Code::Ok) return Error{code, 0, {}};
    if (options.strict) {
      ReadOptions reading;
      reading.strict = true;
      reading.depth = kMaxDepth;
      Error error = check(*type.table, encoder_.bytes(), reading);
      if (!error.ok()) return error;
    }
    whole_ = true;
    return {};
  }

  pool::detail::Encoder encoder_;
  bool whole_ = false;
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_ENCODER_H_
