// Packed fields, written element by element. The length of the record is written when the handle ends.
//
//   auto points = shape.packed_points();   22 00                  tag and slot, like those of a nested message
//   points.add(3);                         03
//   points.add(300);                       ac 02
//   points.finish();                       22 03 03 ac 02
//
// To write a span in one call, use shape.add_points(span), which needs no slot. (A packed record without elements is
// two bytes that readers skip: do not open it if there are none.)
#ifndef HOTPB_WRITER_PACKED_H_
#define HOTPB_WRITER_PACKED_H_

#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"
#include "hotpb/writer/message.h"

HOTPB_NAMESPACE_BEGIN

// How an element is encoded as a varint.
struct PackedUint {
  static constexpr bool kVarint = true;
  template <class T>
  static constexpr std::uint64_t bits(T value) {
    return static_cast<std::uint64_t>(value);
  }
};
struct PackedInt {  // int32 and enums: negative values are sign-extended
  static constexpr bool kVarint = true;
  template <class T>
  static constexpr std::uint64_t bits(T value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
};
struct PackedSint32 {
  static constexpr bool kVarint = true;
  static constexpr std::uint64_t bits(std::int32_t value) { return wire::zigzag32(value); }
};
struct PackedSint64 {
  static constexpr bool kVarint = true;
  static constexpr std::uint64_t bits(std::int64_t value) { return wire::zigzag64(value); }
};
struct PackedFixed {  // four and eight bytes, and bool
  static constexpr bool kVarint = false;
};

template <class Encode, class T>
class PackedWriter : public MessageWriter {
 public:
  explicit PackedWriter(detail::WriterKey key) noexcept : MessageWriter(key) {}

  HOTPB_INLINE void add(T value) noexcept {
    using namespace detail;
    std::uint8_t* const at = stream_->at_;
    if (HOTPB_UNLIKELY(!stream_->may_write(serial_, at))) return add_slow(value);
    if constexpr (Encode::kVarint) {
      const std::uint64_t bits = Encode::bits(value);
      if (HOTPB_LIKELY(bits < 0x80)) {
        put(at, bits);
        stream_->at_ = at + 1;
      } else {
        stream_->at_ = put_varint_long(at, bits);
      }
    } else {
      Word bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      put(at, bits);
      stream_->at_ = at + sizeof value;
    }
  }
  void add(Span<const T> values) noexcept {
    for (const T value : values) add(value);
  }

 private:
  using MessageWriter::append_raw;

  HOTPB_COLD void add_slow(T value) noexcept {
    std::uint8_t bytes[wire::kVarintRoom];
    std::size_t size = sizeof value;
    if constexpr (Encode::kVarint) {
      size = detail::encode_varint(bytes, Encode::bits(value));
    } else {
      std::memcpy(bytes, &value, sizeof value);
    }
    stream_->field(serial_, bytes, size);
  }
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_PACKED_H_
