// A pull reader over the fields of one message, for code that knows its fields but has no generated face.
//
//   hotpb::wire::Reader fields(body);
//   while (fields.next()) {
//     switch (fields.tag()) {
//       case make_tag(1, WireType::Varint): id = fields.as_uint64(); break;
//       case make_tag(2, WireType::Len):    name = fields.as_bytes().text(); break;
//       case make_tag(3, WireType::Len):    read_child(fields.child()); break;
//     }                                                  // any other field is unknown: nothing to do
//   }
//   if (!fields.ok()) return fields.status();            // code and offset, as spec/errors.md defines them
//
// Promise: before next() returns true, it checks the wire form of the whole field (a length against the range, a group
// up to its end tag), so accessors cannot fail. The reader allocates nothing, except in status() after an error. It
// does not check strings for UTF-8. Reading the fields of a group walks its bytes again, once per level of nesting.
#ifndef HOTPB_WIRE_READER_H_
#define HOTPB_WIRE_READER_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace wire {

class Reader {
 public:
  explicit Reader(Bytes message, const ReadOptions& options = {}) : Reader(message, hotpb::detail::Limits(options)) {}

  // Moves to the next field. Returns false at the end of the message and after an error; ok() distinguishes the two.
  bool next() {
    if (HOTPB_UNLIKELY(next_ == end_)) return false;
    field_ = next_;
    const std::uint8_t* p = read_tag(next_, end_, tag_);
    if (HOTPB_UNLIKELY(p == nullptr)) return fail();
    switch (tag_type(tag_)) {
      case WireType::Varint: p = read_varint(p, end_, scalar_); break;
      case WireType::Fixed64: p = read_fixed64(p, end_, scalar_); break;
      case WireType::Fixed32: {
        std::uint32_t word = 0;
        p = read_fixed32(p, end_, word);
        scalar_ = word;
        break;
      }
      case WireType::Len: p = read_len(p, end_, payload_, limits_.size()); break;
      case WireType::StartGroup:
        p = read_group(p, end_, number(), payload_, limits_.depth(), limits_.size());
        break;
      case WireType::EndGroup: p = nullptr; break;
    }
    if (HOTPB_UNLIKELY(p == nullptr)) return fail();
    next_ = p;
    return true;
  }

  // These describe the current field. Call them after next() has returned true.
  std::uint32_t tag() const { return tag_; }
  std::uint32_t number() const { return tag_number(tag_); }
  WireType type() const { return tag_type(tag_); }
  Bytes record() const { return {field_, static_cast<std::size_t>(next_ - field_)}; }  // tag, value, end tag

  // The value of a varint, fixed32 or fixed64 field. On a field of another type, these return the last number that was
  // read, so check tag() first.
  std::uint64_t as_uint64() const { return scalar_; }
  std::int64_t as_int64() const { return static_cast<std::int64_t>(scalar_); }
  std::uint32_t as_uint32() const { return static_cast<std::uint32_t>(scalar_); }
  std::int32_t as_int32() const { return static_cast<std::int32_t>(as_uint32()); }
  std::int64_t as_sint64() const { return unzigzag64(scalar_); }
  std::int32_t as_sint32() const { return unzigzag32(as_uint32()); }
  bool as_bool() const { return scalar_ != 0; }
  float as_float() const { return detail::port::bits_as<float>(as_uint32()); }
  double as_double() const { return detail::port::bits_as<double>(scalar_); }

  // The payload of a Len field, or the bytes between the tags of a group.
  Bytes as_bytes() const { return payload_; }

  // A reader of the message in the current field, which may be length-delimited or a group. If the message exceeds the
  // depth limit, the reader starts with that error.
  Reader child() const {
    Reader reader(payload_, limits_);
    if (limits_.depth() == 0) {
      reader.begin_ = field_;
      reader.too_deep_ = true;
      reader.fail();
    } else {
      reader.limits_ = limits_.below();
    }
    return reader;
  }

  bool ok() const { return !failed_; }

  // The error, or Ok. Offsets count from `base`, the start of the input that contains this message.
  Status status(const std::uint8_t* base) const {
    if (!failed_) return {};
    const std::uint64_t from = static_cast<std::uint64_t>(begin_ - base);
    if (too_deep_) return {Code::DepthExceeded, from};
    const Bytes message(begin_, static_cast<std::size_t>(end_ - begin_));
    const Status inside = hotpb::detail::Checker(message, limits_).run(hotpb::detail::kNothingKnown).status();
    return {inside.code, from + inside.offset};
  }
  Status status() const { return status(begin_); }

 private:
  Reader(Bytes message, const hotpb::detail::Limits& limits)
      : begin_(message.begin()), next_(message.begin()), end_(message.end()), limits_(limits) {
    if (message.size() > limits_.size()) fail();
  }

  HOTPB_COLD bool fail() {
    failed_ = true;
    next_ = end_;
    return false;
  }

  const std::uint8_t* begin_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  const std::uint8_t* field_ = nullptr;
  std::uint64_t scalar_ = 0;
  Bytes payload_;
  hotpb::detail::Limits limits_;
  std::uint32_t tag_ = 0;
  bool failed_ = false;
  bool too_deep_ = false;
};

}  // namespace wire
HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_READER_H_
