// Text of generated code: lines with their indentation, broken at 120 columns.
#ifndef HOTPB_PLUGIN_CODE_H_
#define HOTPB_PLUGIN_CODE_H_

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

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kWidth = 120;

  void add(std::string_view part) { line_ += part; }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  void add(Integer part) {
    line_ += std::to_string(part);
  }

  // A line that is too wide goes on below, four columns further in, at the last blank that fits and stands in no
  // string. Where there is none it stays as it is.
  void append_broken() {
    std::string_view rest = line_;
    std::string start;  // of a line that goes on
    while (start.size() + rest.size() > kWidth) {
      const std::size_t at = last_break(rest, kWidth - start.size());
      if (at == std::string_view::npos) break;
      text_ += start;
      text_ += rest.substr(0, at);
      text_ += '\n';
      if (start.empty()) {
        const std::size_t indentation = line_.find_first_not_of(' ');
        start.assign(indentation, ' ');
        start += line_.compare(indentation, 2, "//") == 0 ? "// " : "    ";
      }
      rest.remove_prefix(at + 1);
    }
    text_ += start;
    text_ += rest;
    text_ += '\n';
  }

  static std::size_t last_break(std::string_view line, std::size_t width) {
    std::size_t found = std::string_view::npos;
    const std::size_t begin = line.find_first_not_of(' ');
    bool in_string = false;
    for (std::size_t i = begin; i < line.size() && i <= width; ++i) {
      if (in_string && line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        in_string = !in_string;
      } else if (!in_string && line[i] == ' ') {
        if (line.compare(i + 1, 3, "// ") == 0) break;  // a comment behind code is not torn
        if (i > begin + 2) found = i;
      }
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
