// Small functions for text that several files use.
#ifndef HOTPB_PLUGIN_TEXT_H_
#define HOTPB_PLUGIN_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace hotpb {
namespace plugin {

inline constexpr char kHexDigits[] = "0123456789abcdef";

inline std::string quote(std::string_view text) { return '"' + std::string(text) + '"'; }

// The parts between the separators. There is one part more than separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_TEXT_H_
