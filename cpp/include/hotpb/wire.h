// The wire format: tags, values and skipping, one field at a time, for generated and for hand-written code.
//
// Promise: for any input, the functions read nothing outside [p, end) and allocate nothing, and the depth limit bounds
// the stack. Functions that read return the first byte after what they read, and nullptr for anything that spec/wire.md
// does not accept. They only detect an error; hotpb::check() (check.h) reports which error it was, and where.
//
//   08        tag      field number 1, wire type 0     (number << 3 | type, as a varint of at most 5 bytes)
//   96 01     value    150
//   12        tag      field number 2, wire type 2
//   03        length
//   61 62 63  payload  "abc"
#ifndef HOTPB_WIRE_H_
#define HOTPB_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire/varint.h"

HOTPB_NAMESPACE_BEGIN

namespace detail {

template <class T>
constexpr bool is_byte = std::is_same_v<T, char> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::byte>;

// Whether the container holds bytes, and whether it owns them. (A container that is trivially destructible most likely
// does not.)
template <class Container, bool Owns, class = void>
constexpr bool holds_bytes = false;
template <class Container, bool Owns>
constexpr bool holds_bytes<Container, Owns, std::void_t<decltype(*std::declval<const Container&>().data())>> =
    std::is_trivially_destructible_v<Container> != Owns &&
    is_byte<std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<const Container&>().data())>>>;

}  // namespace detail

// Borrowed bytes: a pointer and a length. Bytes owns nothing.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  // What C interfaces fill: char, std::byte, void.
  template <class Byte, std::enable_if_t<detail::is_byte<Byte> || std::is_void_v<Byte>, int> = 0>
  Bytes(const Byte* data, std::size_t size)
      : data_(static_cast<const std::uint8_t*>(static_cast<const void*>(data))), size_(size) {}
  Bytes(std::string_view text)  // implicit: every string is bytes
      : data_(reinterpret_cast<const std::uint8_t*>(text.data())), size_(text.size()) {}
  // From a string literal, without its terminating zero; zeros inside of it count. (An array that is not const may be a
  // buffer: say how much of it counts.)
  template <class Char, std::size_t N, std::enable_if_t<std::is_same_v<Char, const char>, int> = 0>
  Bytes(Char (&text)[N]) : Bytes(text, N - (text[N - 1] == '\0')) {}
  // From std::string, std::vector of std::uint8_t or std::byte, and similar containers, which must outlive the Bytes.
  template <class Container, std::enable_if_t<detail::holds_bytes<Container, true>, int> = 0>
  Bytes(const Container& container HOTPB_LIFETIMEBOUND)
      : data_(reinterpret_cast<const std::uint8_t*>(container.data())), size_(container.size()) {}
  // From std::span and similar types, and from std::array, which must outlive the Bytes.
  template <class Container, std::enable_if_t<detail::holds_bytes<Container, false>, int> = 0>
  Bytes(const Container& container)
      : data_(reinterpret_cast<const std::uint8_t*>(container.data())), size_(container.size()) {}

  constexpr const std::uint8_t* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const std::uint8_t* begin() const { return data_; }
  constexpr const std::uint8_t* end() const { return data_ + size_; }
  constexpr std::uint8_t operator[](std::size_t index) const { return data_[index]; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

// Appends `bytes` to a std::string, a std::vector of std::uint8_t, char or std::byte, or a similar container.
template <class Buffer>
void append(Buffer& out, Bytes bytes) {
  if constexpr (std::is_same_v<typename Buffer::value_type, std::byte>) {
    const std::byte* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    out.insert(out.end(), begin, begin + bytes.size());
  } else {
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
}

}  // namespace detail

constexpr std::uint64_t kMaxMessageSize = 0x7fffffff;  // 2^31 - 1
constexpr std::uint32_t kDefaultDepth = 100;
// A larger depth limit counts as this one, which bounds the stack of the recursive readers.
constexpr std::uint32_t kMaxDepth = 1000;

// Options of a reading call; the defaults are those of spec/wire.md, section 13.
struct ReadOptions {
  bool strict = false;                  // check every string for UTF-8, even if the schema does not ask for it
  std::uint32_t depth = kDefaultDepth;  // the root is level 0
  std::uint64_t size = kMaxMessageSize;
};

namespace detail {

// The limits that readers use: a limit in the options that is above the largest one counts as the largest (LIM-6). All
// readers take their limits from here. A std::size_t of 32 bits can hold any length up to size().
class Limits {
 public:
  constexpr explicit Limits(const ReadOptions& options)
      : size_(static_cast<std::uint32_t>(options.size < kMaxMessageSize ? options.size : kMaxMessageSize)),
        depth_(options.depth < kMaxDepth ? options.depth : kMaxDepth),
        strict_(options.strict) {}

  constexpr std::uint32_t size() const { return size_; }
  constexpr std::uint32_t depth() const { return depth_; }
  constexpr bool strict() const { return strict_; }
  // The limits of a message one level further down, whose level must be within the limit.
  constexpr Limits below() const {
    Limits limits = *this;
    --limits.depth_;
    return limits;
  }

 private:
  std::uint32_t size_;
  std::uint32_t depth_;
  bool strict_;
};

}  // namespace detail

namespace wire {

enum class WireType : std::uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Len = 2,
  StartGroup = 3,
  EndGroup = 4,
  Fixed32 = 5,
};

constexpr std::uint32_t kMaxFieldNumber = (1u << 29) - 1;
constexpr std::size_t kTagRoom = kVarintRoom;

constexpr std::uint32_t make_tag(std::uint32_t number, WireType type) {
  return number << 3 | static_cast<std::uint32_t>(type);
}
constexpr std::uint32_t tag_number(std::uint32_t tag) { return tag >> 3; }
// The wire type of a tag that read_tag() returned.
constexpr WireType tag_type(std::uint32_t tag) { return static_cast<WireType>(tag & 7); }

// Whether the field number is 1 or more, and the wire type 0 to 5.
constexpr bool is_valid_tag(std::uint64_t tag) { return tag >= 8 && tag <= 0xffffffffu && (tag & 7) <= 5; }

namespace detail {

HOTPB_NOINLINE inline const std::uint8_t* read_tag_long(const std::uint8_t* p, const std::uint8_t* end,
                                                        std::uint32_t& tag) {
  std::uint64_t value;
  const std::uint8_t* next = wire::detail::read_varint_long(p, end, value);
  if (next == nullptr || next - p > 5 || !is_valid_tag(value)) return nullptr;
  tag = static_cast<std::uint32_t>(value);
  return next;
}

// A tag of one or two bytes is not checked here, but where no field has it; p is before end.
HOTPB_INLINE const std::uint8_t* read_tag_unchecked(const std::uint8_t* p, const std::uint8_t* end,
                                                    std::uint32_t& tag) {
  const std::uint32_t first = *p;
  if (HOTPB_LIKELY(first < 0x80)) {
    tag = first;
    return p + 1;
  }
  if (HOTPB_LIKELY(end - p >= 2 && p[1] < 0x80)) {
    tag = first + (static_cast<std::uint32_t>(p[1]) << 7) - 0x80;
    return p + 2;
  }
  std::uint32_t wide = 0;  // so that `tag` may be in a register
  p = read_tag_long(p, end, wide);
  tag = wide;
  return p;
}

}  // namespace detail

// Tags of numbers below 16 have one byte, below 2048 two; the code for both is inlined.
HOTPB_INLINE const std::uint8_t* read_tag(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t& tag) {
  if (HOTPB_UNLIKELY(p == end)) return nullptr;
  std::uint32_t value = *p;
  if (HOTPB_LIKELY(value < 0x80)) {
    if (HOTPB_UNLIKELY(!is_valid_tag(value))) return nullptr;
    tag = value;
    return p + 1;
  }
  if (HOTPB_LIKELY(end - p >= 2 && p[1] < 0x80)) {
    value = (value & 0x7f) | static_cast<std::uint32_t>(p[1]) << 7;
    if (HOTPB_UNLIKELY(!is_valid_tag(value))) return nullptr;
    tag = value;
    return p + 2;
  }
  return detail::read_tag_long(p, end, tag);
}

HOTPB_INLINE const std::uint8_t* read_fixed32(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t& value) {
  if (HOTPB_UNLIKELY(end - p < 4)) return nullptr;
  value = detail::port::load<std::uint32_t>(p);
  return p + 4;
}

HOTPB_INLINE const std::uint8_t* read_fixed64(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value) {
  if (HOTPB_UNLIKELY(end - p < 8)) return nullptr;
  value = detail::port::load<std::uint64_t>(p);
  return p + 8;
}

namespace detail {
// A payload whose length has three bytes or more, or does not end in the range. Its data is null if there is none.
HOTPB_NOINLINE inline Bytes read_len_long(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t size_limit) {
  std::uint64_t length;
  p = read_varint_long(p, end, length);
  if (p == nullptr || length > size_limit || length > static_cast<std::uint64_t>(end - p)) return {};
  return {p, static_cast<std::size_t>(length)};
}
}  // namespace detail

// Reads a length and the payload that follows it within the range. Returns the byte after the payload.
// `size_limit` is the limit of the call (ReadOptions::size).
HOTPB_INLINE const std::uint8_t* read_len(const std::uint8_t* p, const std::uint8_t* end, Bytes& payload,
                                          std::uint64_t size_limit = kMaxMessageSize) {
  if (HOTPB_UNLIKELY(p == end)) return nullptr;
  std::uint64_t length = *p;
  if (HOTPB_LIKELY(length < 0x80)) {
    ++p;
  } else if (HOTPB_LIKELY(end - p >= 2 && p[1] < 0x80)) {  // up to 16383: most messages that hold messages
    length = (length & 0x7f) | std::uint64_t{p[1]} << 7;
    p += 2;
  } else {
    const Bytes found = detail::read_len_long(p, end, size_limit);
    if (HOTPB_UNLIKELY(found.data() == nullptr)) return nullptr;
    payload = found;
    return found.end();
  }
  if (HOTPB_UNLIKELY(length > size_limit || length > static_cast<std::uint64_t>(end - p))) {
    return nullptr;
  }
  payload = Bytes(p, static_cast<std::size_t>(length));
  return p + length;
}

// Reads the content of a group up to its end tag. `p` follows the start tag of field `number`. Returns the byte after
// the end tag.
const std::uint8_t* read_group(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t number, Bytes& content,
                               std::uint32_t levels_left, std::uint64_t size_limit = kMaxMessageSize);

// Skips the value of the field whose tag was just read, and returns the byte after it. `levels_left` is the depth limit
// minus the level of the message that holds the field: a group needs one level. For an end tag, which has no value, the
// function returns nullptr.
HOTPB_INLINE const std::uint8_t* skip_value(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t tag,
                                            std::uint32_t levels_left, std::uint64_t size_limit = kMaxMessageSize) {
  Bytes ignored;
  switch (tag_type(tag)) {
    case WireType::Varint: return skip_varint(p, end);
    case WireType::Fixed64: return end - p >= 8 ? p + 8 : nullptr;
    case WireType::Fixed32: return end - p >= 4 ? p + 4 : nullptr;
    case WireType::Len: return read_len(p, end, ignored, size_limit);
    case WireType::StartGroup: return read_group(p, end, tag_number(tag), ignored, levels_left, size_limit);
    case WireType::EndGroup: return nullptr;
  }
  return nullptr;
}

inline const std::uint8_t* read_group(const std::uint8_t* p, const std::uint8_t* end, std::uint32_t number,
                                      Bytes& content, std::uint32_t levels_left, std::uint64_t size_limit) {
  if (levels_left == 0) return nullptr;
  if (levels_left > kMaxDepth) levels_left = kMaxDepth;
  const std::uint8_t* const begin = p;
  for (;;) {
    const std::uint8_t* const field = p;
    std::uint32_t tag;
    p = read_tag(p, end, tag);
    if (p == nullptr) return nullptr;
    if (tag_type(tag) == WireType::EndGroup) {
      if (tag_number(tag) != number) return nullptr;
      content = Bytes(begin, static_cast<std::size_t>(field - begin));
      return p;
    }
    p = skip_value(p, end, tag, levels_left - 1, size_limit);
    if (p == nullptr) return nullptr;
  }
}

}  // namespace wire
HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_H_
