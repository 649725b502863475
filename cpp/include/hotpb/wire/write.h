// Writing wire format: raw stores for generated code, a bounds-checked Output for other code, and append_*() for
// strings and vectors that grow.
//
// Promise: tags and varints are minimal (OUT-1, OUT-2); negative int32 and enum values are sign-extended to ten bytes
// (VAR-7). Output never writes outside its buffer. A field that does not fit sets BufferExhausted, which is sticky:
// Output writes nothing after it. So one check at the end is enough, and the buffer consists of whole fields.
//
//   std::string message;
//   wire::append_tag(message, 2, WireType::Len);          12
//   wire::append_len(message, std::string_view("abc"));   03 61 62 63
#ifndef HOTPB_WIRE_WRITE_H_
#define HOTPB_WIRE_WRITE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace wire {

// May overwrite kTagRoom bytes from `p` on, like write_varint().
HOTPB_INLINE std::uint8_t* write_tag(std::uint8_t* p, std::uint32_t number, WireType type) {
  return write_varint(p, make_tag(number, type));
}

// Output writes fields one after another into a fixed buffer. Each call writes a whole field, tag and value, or
// nothing.
class Output {
 public:
  Output(std::uint8_t* data, std::size_t size) : begin_(data), at_(data), end_(data + size) {}

  bool ok() const { return !exhausted_; }
  // Ok, or BufferExhausted with the number of bytes that were written, which parse.
  Status status() const { return exhausted_ ? Status{Code::BufferExhausted, size()} : Status{}; }
  Bytes bytes() const { return {begin_, size()}; }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }

  void put_uint64(std::uint32_t number, std::uint64_t value) {
    const std::uint32_t tag = make_tag(number, WireType::Varint);
    if (HOTPB_LIKELY(has(2 * kVarintRoom))) {
      at_ = write_varint(write_varint(at_, tag), value);
    } else if (fits(varint_size(tag) + varint_size(value))) {
      tight_varint(tag);
      tight_varint(value);
    }
  }
  void put_int64(std::uint32_t number, std::int64_t value) { put_uint64(number, static_cast<std::uint64_t>(value)); }
  void put_uint32(std::uint32_t number, std::uint32_t value) { put_uint64(number, value); }
  void put_int32(std::uint32_t number, std::int32_t value) { put_int64(number, value); }  // enums too
  void put_sint32(std::uint32_t number, std::int32_t value) { put_uint64(number, zigzag32(value)); }
  void put_sint64(std::uint32_t number, std::int64_t value) { put_uint64(number, zigzag64(value)); }
  void put_bool(std::uint32_t number, bool value) { put_uint64(number, value ? 1 : 0); }

  void put_fixed32(std::uint32_t number, std::uint32_t value) { put_fixed(make_tag(number, WireType::Fixed32), value); }
  void put_fixed64(std::uint32_t number, std::uint64_t value) { put_fixed(make_tag(number, WireType::Fixed64), value); }
  void put_float(std::uint32_t number, float value) { put_fixed(make_tag(number, WireType::Fixed32), value); }
  void put_double(std::uint32_t number, double value) { put_fixed(make_tag(number, WireType::Fixed64), value); }

  // A string, bytes, an encoded message, a packed field.
  void put_bytes(std::uint32_t number, Bytes payload) {
    const std::uint32_t tag = make_tag(number, WireType::Len);
    const std::size_t header = varint_size(tag) + varint_size(payload.size());
    if (!fits(header) || !fits(header + payload.size())) return;
    tight_varint(tag);
    tight_varint(payload.size());
    copy(payload);
  }

  void put_start_group(std::uint32_t number) { put_tag(make_tag(number, WireType::StartGroup)); }
  void put_end_group(std::uint32_t number) { put_tag(make_tag(number, WireType::EndGroup)); }

  // Writes bytes unchanged: unknown fields, or a header that you have encoded.
  void put_raw(Bytes encoded) {
    if (fits(encoded.size())) copy(encoded);
  }

 private:
  HOTPB_INLINE bool has(std::size_t wanted) const { return room() >= wanted && !exhausted_; }

  bool fits(std::size_t wanted) {
    if (HOTPB_LIKELY(has(wanted))) return true;
    exhausted_ = true;
    return false;
  }

  // For when there is room for varint_size(value) bytes, but maybe not for kVarintRoom.
  void tight_varint(std::uint64_t value) { at_ = write_varint_tight(at_, value); }

  void put_tag(std::uint32_t tag) {
    if (fits(varint_size(tag))) tight_varint(tag);
  }

  template <class T>
  void put_fixed(std::uint32_t tag, T value) {
    if (!fits(varint_size(tag) + sizeof value)) return;
    tight_varint(tag);
    detail::port::store(at_, value);
    at_ += sizeof value;
  }

  void copy(Bytes bytes) {
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }

  std::uint8_t* begin_;
  std::uint8_t* at_;
  std::uint8_t* end_;
  bool exhausted_ = false;
};

// `Buffer` is std::string, std::vector<std::uint8_t>, std::vector<std::byte> or another container of bytes with
// insert() at its end.
template <class Buffer>
void append_varint(Buffer& out, std::uint64_t value) {
  std::uint8_t scratch[kVarintRoom];
  std::uint8_t* const end = write_varint(scratch, value);
  hotpb::detail::append(out, {scratch, static_cast<std::size_t>(end - scratch)});
}

template <class Buffer>
void append_tag(Buffer& out, std::uint32_t number, WireType type) {
  append_varint(out, make_tag(number, type));
}

// `T` is std::uint32_t, std::uint64_t, float, double or another type of four or eight bytes.
template <class Buffer, class T>
void append_fixed(Buffer& out, T value) {
  static_assert(sizeof value == 4 || sizeof value == 8, "append_fixed() takes a value of four or eight bytes");
  std::uint8_t scratch[sizeof value];
  detail::port::store(scratch, value);
  hotpb::detail::append(out, {scratch, sizeof value});
}

// Appends a length and the payload after it.
template <class Buffer>
void append_len(Buffer& out, Bytes payload) {
  append_varint(out, payload.size());
  hotpb::detail::append(out, payload);
}

}  // namespace wire
HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_WRITE_H_
