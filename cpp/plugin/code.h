// Text of generated code: lines with their indentation.
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
    if (sizeof...(parts) > 0) text_.append(2 * depth_, ' ');
    (add(parts), ...);
    text_ += '\n';
  }
  void indent() { ++depth_; }
  void dedent() { --depth_; }

  const std::string& text() const { return text_; }

 private:
  void add(std::string_view part) { text_ += part; }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  void add(Integer part) {
    text_ += std::to_string(part);
  }

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_CODE_H_
