// The check of strings that code generated with utf8=check or utf8=strict makes (WTR-14 in spec/faces.md, WTR-15
// and WTR-16 in cpp/rules.md). Other generated code does not include this header.
//
//   event.set_name("caf\xc3\xa9");         0a 05 63 61 66 c3 a9
//   event.set_name("caf\xe9");             nothing: the sticky error is InvalidUtf8
#ifndef HOTPB_WRITER_CHECKED_H_
#define HOTPB_WRITER_CHECKED_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hotpb/detail/abi.h"
#include "hotpb/wire/utf8.h"
#include "hotpb/writer/entry.h"
#include "hotpb/writer/inlined.h"
#include "hotpb/writer/message.h"

HOTPB_NAMESPACE_BEGIN
namespace detail {

// How many bytes the sequence has that starts with this byte.
constexpr std::size_t sequence_size(std::uint8_t first) {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

// Whether the pieces together are UTF-8. A sequence may lie in several pieces.
HOTPB_NOINLINE inline bool is_text(ByteRanges ranges) noexcept {
  std::uint8_t held[4];  // the start of a sequence that the next piece continues
  std::size_t count = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint8_t* at = ranges.data()[i].data();
    std::size_t size = ranges.data()[i].size();
    if (count > 0) {
      for (; count < sequence_size(held[0]) && size > 0; --size) held[count++] = *at++;
      if (count < sequence_size(held[0])) continue;
      if (!utf8::is_valid(held, count)) return false;
      count = 0;
    }
    if (size == 0) continue;
    const std::size_t valid = utf8::valid_prefix(at, size);
    count = size - valid;
    if (count == 0) continue;
    if (count >= sequence_size(at[valid])) return false;
    std::memcpy(held, at + valid, count);
  }
  return count == 0;
}

// If the text is not UTF-8, the message fails, and the setter that called this writes nothing.
// It is a call, or inlined, as the setter is.
HOTPB_INLINE void check_text(const InlinedWriter& message, std::string_view text) noexcept {
  const std::uint8_t* const data = reinterpret_cast<const std::uint8_t*>(text.data());
  if (HOTPB_UNLIKELY(!utf8::is_valid(data, text.size()))) Access::refuse_text(message);
}
HOTPB_NOINLINE inline void check_text(const MessageWriter& message, std::string_view text) noexcept {
  const std::uint8_t* const data = reinterpret_cast<const std::uint8_t*>(text.data());
  if (HOTPB_UNLIKELY(!utf8::is_valid(data, text.size()))) Access::refuse_text(message);
}
inline void check_text(const MessageWriter& message, ByteRanges ranges) noexcept {
  if (HOTPB_UNLIKELY(!is_text(ranges))) Access::refuse_text(message);
}

}  // namespace detail
HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_CHECKED_H_
