// MessageWriter: the handle that all generated FooWriter classes derive from, without state of their own.
//
// Promise: a setter writes its field at once into the current chunk: one copy, no allocation, no system call. Handles
// can be moved, not copied; the destructor ends the message. Write all of a child before you return to its parent: a
// call on the parent ends the child. A call on a handle that is no longer valid writes nothing and sets the sticky
// error HandleMisuse; the message stays well-formed. finish() of the root reports the status.
//
//   msg.set_int_val(42);                   10 2a
//   auto child = msg.add_nested();         1a 00                  the slot of the length: one byte, filled in later
//   child.set_str_val("foo");              0a 03 66 6f 6f
//   msg.set_int_val(43);                   10 2b                  ends the child: the slot is 05 now
#ifndef HOTPB_WRITER_MESSAGE_H_
#define HOTPB_WRITER_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/wire/span.h"
#include "hotpb/writer/stream.h"

// A setter is a call of a function that all setters of its kind share: 20 to 40 bytes of code where it is called
// (cpp/tests/size). The option hot= inlines the setters of a message (inlined.h).
#define HOTPB_SETTER HOTPB_INLINE

HOTPB_NAMESPACE_BEGIN

// A payload in several pieces of memory.
class ByteRanges {
 public:
  constexpr ByteRanges(const Bytes* ranges, std::size_t count) : ranges_(ranges), count_(count) {}
  template <std::size_t N>
  constexpr ByteRanges(const Bytes (&ranges)[N]) : ranges_(ranges), count_(N) {}
  constexpr const Bytes* data() const { return ranges_; }
  constexpr std::size_t size() const { return count_; }

 private:
  const Bytes* ranges_;
  std::size_t count_;
};

// An encoded message. Setters that take a message write it unchanged.
struct RawMessage {
  explicit RawMessage(Bytes encoded_message) : encoded(encoded_message) {}
  Bytes encoded;
};

namespace detail {
// Whether a class represents a bool, such as an element of std::vector<bool>: it has an implicit conversion to bool.
template <class T, class = void>
constexpr bool is_bool_reference = false;
template <class T>
constexpr bool is_bool_reference<T, std::void_t<decltype(std::declval<const T&>().operator bool())>> =
    std::is_convertible_v<const T&, bool>;
}  // namespace detail

// A bool. Values that only convert to bool, such as pointers, do not convert to it.
class ExactBool {
 public:
  template <class T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
  constexpr ExactBool(T value) : value_(value) {}
  template <class T, std::enable_if_t<detail::is_bool_reference<T>, int> = 0>
  constexpr ExactBool(const T& value) : value_(value) {}
  constexpr operator bool() const { return value_; }

 private:
  bool value_;
};

// Text. Unlike std::string_view, it does not accept the constants 0 and nullptr. A pointer that is null at run time is
// the empty text.
class Text {
 public:
  template <class T, std::enable_if_t<std::is_convertible_v<const T&, std::string_view> &&
                                          !std::is_same_v<T, std::nullptr_t>, int> = 0>
  constexpr Text(const T& text) : view_(view_of(text)) {}
  constexpr operator std::string_view() const { return view_; }
  constexpr std::string_view view() const { return view_; }

 private:
  template <class T>
  static constexpr std::string_view view_of(const T& text) {
    if constexpr (std::is_pointer_v<T>) {
      if (text == nullptr) return {};
    }
    return text;
  }

  std::string_view view_;
};

class MessageWriter {
 public:
  MessageWriter(const MessageWriter&) = delete;
  MessageWriter& operator=(const MessageWriter&) = delete;
  HOTPB_INLINE MessageWriter(MessageWriter&& source) noexcept
      : stream_(source.stream_), serial_(std::exchange(source.serial_, WriteStream::kNoSerial)) {}
  MessageWriter& operator=(MessageWriter&& source) noexcept {
    if (this != &source) {
      stream_->destroy(serial_);
      stream_ = source.stream_;
      serial_ = std::exchange(source.serial_, WriteStream::kNoSerial);
    }
    return *this;
  }
  HOTPB_INLINE ~MessageWriter() {
    // If the compiler knows that the handle has finished, there is no call.
    if (!HOTPB_KNOWN(serial_ == WriteStream::kNoSerial)) stream_->destroy(serial_);
  }

  // Ends the message, and its child if one is open. For the root, returns whether all of the message was written. A
  // second call is misuse.
  [[nodiscard]] WriteStatus finish() noexcept {
    return stream_->finish(std::exchange(serial_, WriteStream::kNoSerial));
  }

  // Removes the child and all that was written of it, as if it had not been opened, and ends the handle. Returns false,
  // and the child stays open, if its first bytes are in a chunk that has left, because they can no longer be removed: a
  // HeapBuffer and a FixedBuffer keep all chunks, other streams only the current one. Returns false for a root (use
  // reset() of the stream), and after an error.
  //
  //   auto child = msg.add_nested();         1a 00
  //   child.set_str_val("foo");              1a 00 0a 03 66 6f 6f
  //   child.abandon();                       nothing
  [[nodiscard]] bool abandon() noexcept {
    if (!stream_->take_back(serial_)) return false;
    serial_ = WriteStream::kNoSerial;
    return true;
  }

  // Writes encoded fields of this message unchanged.
  void append_raw(Bytes fields) noexcept { stream_->field(serial_, fields.data(), fields.size()); }

 protected:
  HOTPB_INLINE explicit MessageWriter(detail::WriterKey key) noexcept : stream_(key.stream_), serial_(key.serial_) {}

  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_uint64(std::uint64_t value) noexcept {
    constexpr std::uint32_t kTag = wire::make_tag(kNumber, wire::WireType::Varint);
    if constexpr (detail::short_tag(kTag) != 0) {
      varint_field(stream_, serial_, detail::short_tag(kTag), value);
    } else {
      varint_rest(stream_, serial_, kTag, value);
    }
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_uint32(std::uint32_t value) noexcept {
    put_uint64<kNumber>(value);
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_int64(std::int64_t value) noexcept {
    put_uint64<kNumber>(static_cast<std::uint64_t>(value));
  }
  // Negative values have ten bytes.
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_int32(std::int32_t value) noexcept {
    put_int64<kNumber>(value);
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_sint32(std::int32_t value) noexcept {
    put_uint32<kNumber>(wire::zigzag32(value));
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_sint64(std::int64_t value) noexcept {
    put_uint64<kNumber>(wire::zigzag64(value));
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_bool(bool value) noexcept {
    put_uint64<kNumber>(value);
  }
  template <std::uint32_t kNumber, class Enum>
  HOTPB_INLINE void put_enum(Enum value) noexcept {
    put_int32<kNumber>(static_cast<std::int32_t>(value));
  }
  // `T` is std::uint32_t, std::int64_t, float, double, ...
  template <std::uint32_t kNumber, class T>
  HOTPB_INLINE void put_fixed(T value) noexcept {
    static_assert(sizeof value == 4 || sizeof value == 8, "put_fixed() takes a value of four or eight bytes");
    constexpr std::uint32_t kTag =
        wire::make_tag(kNumber, sizeof value == 8 ? wire::WireType::Fixed64 : wire::WireType::Fixed32);
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const Bits bits = detail::port::bits_as<Bits>(value);
    if constexpr (detail::short_tag(kTag) != 0) {
      fixed_field(stream_, serial_, detail::short_tag(kTag), bits);
    } else {
      fixed_rest(stream_, serial_, kTag, bits);
    }
  }

  // For strings, bytes and raw messages.
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_bytes(const void* data, std::size_t size) noexcept {
    constexpr std::uint32_t kTag = wire::make_tag(kNumber, wire::WireType::Len);
    if constexpr (detail::short_tag(kTag) != 0) {
      bytes_field(stream_, serial_, detail::short_tag(kTag), data, size);
    } else {
      bytes_rest(stream_, serial_, kTag, data, size);
    }
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_string(std::string_view text) noexcept {
    put_bytes<kNumber>(text.data(), text.size());
  }
  template <std::uint32_t kNumber>
  HOTPB_INLINE void put_bytes(Bytes payload) noexcept {
    put_bytes<kNumber>(payload.data(), payload.size());
  }
  template <std::uint32_t kNumber>
  void put_ranges(ByteRanges ranges) noexcept {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < ranges.size() && size <= kMaxMessageSize; ++i) {
      size += ranges.data()[i].size() <= kMaxMessageSize ? ranges.data()[i].size() : kMaxMessageSize + 1;
    }
    begin_bytes(wire::make_tag(kNumber, wire::WireType::Len), size);
    if (!stream_->failed()) append_parts(ranges.data(), ranges.size());
  }

  // Packed fields from a span. An empty span writes nothing.
  template <std::uint32_t kNumber, class T>
  void put_packed_fixed(Span<const T> values) noexcept {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8, "an element must have its size on the wire");
    if (!values.empty()) {
      bytes_rest(stream_, serial_, wire::make_tag(kNumber, wire::WireType::Len), values.data(),
                 values.size() * sizeof(T));
    }
  }
  template <std::uint32_t kNumber, class Encode, class T>
  void put_packed_varint(Span<const T> values) noexcept {
    if (values.empty()) return;
    std::uint64_t size = 0;
    for (const T value : values) size += wire::varint_size(Encode::bits(value));
    begin_bytes(wire::make_tag(kNumber, wire::WireType::Len), size);
    if (stream_->failed()) return;
    std::uint8_t bytes[wire::kVarintRoom * 16];
    std::size_t used = 0;
    for (const T value : values) {
      used = static_cast<std::size_t>(wire::write_varint(bytes + used, Encode::bits(value)) - bytes);
      if (sizeof bytes - used >= wire::kVarintRoom) continue;
      if (!stream_->append(bytes, used)) return;
      used = 0;
    }
    if (stream_->append(bytes, used)) stream_->update_limit();
  }

  // Children.
  template <class Writer, std::uint32_t kNumber>
  HOTPB_INLINE Writer open() noexcept {
    constexpr std::uint32_t kTag = wire::make_tag(kNumber, wire::WireType::Len);
    if constexpr (detail::IsPacked<Writer>::value) {
      return Writer(detail::WriterKey(stream_, stream_->open_inlined<kTag, true>(serial_)));
    } else if constexpr (detail::short_tag(kTag) != 0) {
      return Writer(detail::WriterKey(stream_, stream_->open(serial_, detail::short_tag(kTag))));
    } else {
      return Writer(detail::WriterKey(stream_, stream_->open_other(serial_, kTag)));
    }
  }
  template <class Writer, std::uint32_t kNumber>
  Writer open_group() noexcept {
    return Writer(detail::WriterKey(
        stream_, stream_->open_slow(serial_, wire::make_tag(kNumber, wire::WireType::StartGroup),
                                    wire::make_tag(kNumber, wire::WireType::EndGroup), 0)));
  }
  template <std::uint32_t kNumber>
  void put_group(Bytes encoded) noexcept {
    std::uint8_t start[wire::kTagRoom];
    std::uint8_t end[wire::kTagRoom];
    const Bytes parts[] = {
        {start, detail::encode_varint(start, wire::make_tag(kNumber, wire::WireType::StartGroup))},
        encoded,
        {end, detail::encode_varint(end, wire::make_tag(kNumber, wire::WireType::EndGroup))}};
    stream_->field(serial_, parts, 3);
  }
  // Calls `write` with the child. Do not use the parent before `write` returns. If it throws, the message fails.
  template <class Writer, class Write>
  HOTPB_INLINE void fill_child(Writer child, Write&& write) {
    static_assert(std::is_invocable_v<Write, Writer&>,
                  "the field is a message: pass a function of the child's writer, [](FooWriter& child) { ... }, or a "
                  "hotpb::RawMessage of encoded bytes");
    if constexpr (std::is_invocable_v<Write, Writer&>) {  // else there is one error, not two
      Pin pin(child);
      std::forward<Write>(write)(child);
      pin.returned();
    }
  }

 private:
  friend class InlinedWriter;
  friend class WriteStream;
  friend struct detail::Access;
  template <class Encode, class T>
  friend class PackedWriter;

  // While a Pin exists, the parents of its child may not be written.
  class Pin {
   public:
    HOTPB_INLINE explicit Pin(const MessageWriter& child)
        : stream_(child.stream_), before_(stream_->pinned_), serial_(child.serial_) {
      stream_->pinned_ = serial_;
    }
    HOTPB_INLINE ~Pin() {
      if (stream_->pinned_ == serial_) stream_->pinned_ = before_;
      if (!returned_) stream_->cut(serial_);
    }
    HOTPB_INLINE void returned() { returned_ = true; }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    WriteStream* stream_;
    std::uint64_t before_;
    std::uint64_t serial_;
    bool returned_ = false;
  };

  // A field with a short tag (detail::short_tag).
  HOTPB_NOINLINE static void varint_field(WriteStream* stream, std::uint64_t serial, std::uint32_t tag,
                                          std::uint64_t value) noexcept {
    using namespace detail;
    std::uint8_t* at = stream->at_;
    if (HOTPB_UNLIKELY(!stream->may_write(serial, at))) return varint_rest(stream, serial, decoded_tag(tag), value);
    at = put_short_tag(at, tag);
    if (HOTPB_LIKELY(value < 0x80)) {
      put_object<Octet>(at, static_cast<Octet>(value));
      stream->at_ = at + 1;
    } else {
      stream->at_ = put_varint_long(at, value);
    }
  }
  HOTPB_NOINLINE static void fixed_field(WriteStream* stream, std::uint64_t serial, std::uint32_t tag,
                                         std::uint64_t bits) noexcept {
    using namespace detail;
    std::uint8_t* at = stream->at_;
    if (HOTPB_UNLIKELY(!stream->may_write(serial, at))) return fixed_rest(stream, serial, decoded_tag(tag), bits);
    at = put_short_tag(at, tag);
    put(at, bits);
    // Wire type 1 has eight bytes, 5 has four.
    stream->at_ = at + ((tag & 4) != 0 ? 4 : 8);
  }
  HOTPB_NOINLINE static void bytes_field(WriteStream* stream, std::uint64_t serial, std::uint32_t tag,
                                         const void* data, std::size_t size) noexcept {
    using namespace detail;
    std::uint8_t* at = stream->at_;
    if (HOTPB_UNLIKELY(size >= 128 || !stream->may_write(serial, at, size))) {
      return bytes_rest(stream, serial, decoded_tag(tag), data, size);
    }
    at = put_short_tag(at, tag);
    put_object<Octet>(at, static_cast<Octet>(size));
    stream->at_ = at + 1 + size;
    copy_short(at + 1, static_cast<const std::uint8_t*>(data), size);
  }

  // Any field, also at the end of a chunk.
  HOTPB_COLD static void varint_rest(WriteStream* stream, std::uint64_t serial, std::uint32_t tag,
                                     std::uint64_t value) noexcept {
    std::uint8_t bytes[wire::kTagRoom + wire::kVarintRoom];
    stream->field(serial, bytes, encode_two(bytes, tag, value));
  }
  HOTPB_COLD static void fixed_rest(WriteStream* stream, std::uint64_t serial, std::uint32_t tag,
                                    std::uint64_t bits) noexcept {
    std::uint8_t bytes[wire::kTagRoom + sizeof bits];
    const std::size_t tag_bytes = detail::encode_varint(bytes, tag);
    detail::port::store(bytes + tag_bytes, bits);
    stream->field(serial, bytes, tag_bytes + (wire::tag_type(tag) == wire::WireType::Fixed64 ? 8 : 4));
  }
  HOTPB_NOINLINE static void bytes_rest(WriteStream* stream, std::uint64_t serial, std::uint32_t tag, const void* data,
                                        std::size_t size) noexcept {
    const Bytes payload(static_cast<const std::uint8_t*>(data), size);
    std::uint8_t* at = stream->at_;
    if (stream->may_write(serial, at) && size < stream->limit_ - reinterpret_cast<std::uintptr_t>(at)) {
      at = wire::write_varint(wire::write_varint(at, tag), size);
      if (size > 0) detail::port::copy(at, payload.data(), size);
      stream->at_ = at + size;
      return;
    }
    std::uint8_t header[wire::kTagRoom + wire::kVarintRoom];
    const Bytes parts[] = {{header, encode_two(header, tag, size)}, payload};
    stream->field(serial, parts, 2);
  }
  static std::size_t encode_two(std::uint8_t* at, std::uint64_t first, std::uint64_t second) {
    const std::size_t size = detail::encode_varint(at, first);
    return size + detail::encode_varint(at + size, second);
  }

  // Writes the tag and length of a field whose payload follows in parts. `size` is the sum of the parts.
  void begin_bytes(std::uint32_t tag, std::uint64_t size) {
    if (!stream_->settle(serial_)) return;
    std::uint8_t header[wire::kTagRoom + wire::kVarintRoom];
    const std::size_t header_size = encode_two(header, tag, size);
    if (stream_->begin_field(size > kMaxMessageSize ? size : header_size + size)) {
      static_cast<void>(stream_->append(header, header_size));
    }
  }
  void append_parts(const Bytes* parts, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!stream_->append(parts[i].data(), parts[i].size())) return;
    }
    stream_->update_limit();
  }

  WriteStream* stream_;
  std::uint64_t serial_;
};

static_assert(sizeof(MessageWriter) <= 16, "a handle is a pointer and a serial");

HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_MESSAGE_H_
