// Text of generated code: lines with their indentation, broken at 120 columns.
#ifndef HOTPB_PLUGIN_CODE_H_
#define HOTPB_PLUGIN_CODE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hotpb {
namespace plugin {

class Code {
 public:
  // One line of the parts behind one another; strings and integers. Without parts an empty line.
  template <class... Parts>
  void line(const Parts&... parts) {
    line_.clear();
    if (sizeof...(parts) > 0) line_.append(2 * depth_, ' ');
    (add(parts), ...);
    append_broken();
  }
  void indent() { ++depth_; }
  void dedent() { --depth_; }

  void append(const Code& other) { text_ += other.text_; }

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kWidth = 120;

  void add(std::string_view part) { line_ += part; }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  void add(Integer part) {
    line_ += std::to_string(part);
  }

  // A line that is too wide goes on below, four columns further in, at the last blank that fits. Not torn are lines of
  // the preprocessor, string literals, and comments after code; a line that is all comment goes on as a comment. Where
  // there is no such blank, the line goes on at the next one, or stays as it is.
  void append_broken() {
    const std::size_t indentation = std::min(line_.find_first_not_of(' '), line_.size());
    if (line_.size() <= kWidth || line_[indentation] == '#') {
      text_ += line_;
      text_ += '\n';
      return;
    }
    const bool comment = line_.compare(indentation, 2, "//") == 0;
    const std::string start = std::string(indentation, ' ') + (comment ? "// " : "    ");
    std::string_view rest = line_;
    std::size_t used = 0;  // columns that are taken in front of the rest
    // No break before the first word.
    std::size_t skipped = std::min(line_.find_first_not_of(' ', indentation + (comment ? 2 : 0)), line_.size());
    while (used + rest.size() > kWidth) {
      const std::size_t at = find_break(rest, skipped, kWidth - used, comment);
      if (at == std::string_view::npos) break;
      text_ += rest.substr(0, at);
      text_ += '\n';
      text_ += start;
      rest.remove_prefix(at + 1);
      used = start.size();
      skipped = 0;
    }
    text_ += rest;
    text_ += '\n';
  }

  // The last blank up to `width`, or else the first one after it, at which the line may be torn.
  static std::size_t find_break(std::string_view line, std::size_t from, std::size_t width, bool comment) {
    std::size_t found = std::string_view::npos;
    bool in_string = false;
    for (std::size_t i = from; i < line.size() && (i <= width || found == std::string_view::npos); ++i) {
      if (!comment) {
        if (in_string && line[i] == '\\') {
          ++i;
          continue;
        }
        if (line[i] == '"') in_string = !in_string;
        if (in_string) continue;
        const std::size_t next = std::min(line.find_first_not_of(' ', i), line.size());
        if (line.compare(next, 2, "//") == 0) break;  // only a comment follows
      }
      if (line[i] == ' ' && i > from) found = i;
    }
    return found;
  }

  std::string text_;
  std::string line_;
  std::size_t depth_ = 0;
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_CODE_H_
