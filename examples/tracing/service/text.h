// Text of a producer, which may be any bytes: names that the kernel has cut inside a character, file names in Latin-1.
#ifndef TRACING_SERVICE_TEXT_H_
#define TRACING_SERVICE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

namespace tracing::service {

inline bool is_text(hotpb::Bytes bytes) { return hotpb::utf8::is_valid(bytes.data(), bytes.size()); }

// The length of an ill-formed sequence that one U+FFFD replaces: the longest beginning of a well-formed one, or one
// byte (the Unicode standard, table 3-7 and "U+FFFD substitution of maximal subparts").
inline std::size_t maximal_subpart(hotpb::Bytes bytes) {
  const std::uint8_t* const p = bytes.data();
  const std::size_t most = p[0] >= 0xf0 && p[0] <= 0xf4 ? 3 : p[0] >= 0xe0 && p[0] < 0xf0 ? 2 : 1;
  std::uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
  std::uint8_t high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
  std::size_t size = 1;
  while (size < most && size < bytes.size() && p[size] >= low && p[size] <= high) {
    ++size;
    low = 0x80;
    high = 0xbf;
  }
  return size;
}

constexpr char kReplacement[] = "\xef\xbf\xbd";  // U+FFFD

inline hotpb::Bytes rest(hotpb::Bytes bytes, std::size_t from) { return {bytes.data() + from, bytes.size() - from}; }

inline std::string repaired(hotpb::Bytes bytes) {
  std::string out;
  for (;;) {
    const std::size_t good = hotpb::utf8::valid_prefix(bytes.data(), bytes.size());
    out.append(reinterpret_cast<const char*>(bytes.data()), good);
    if (good == bytes.size()) return out;
    out.append(kReplacement);
    bytes = rest(bytes, good);
    bytes = rest(bytes, maximal_subpart(bytes));
  }
}

}  // namespace tracing::service

#endif  // TRACING_SERVICE_TEXT_H_
