// Text of generated code: templates and lines with their indentation, broken at 120 columns.
#ifndef HOTPB_PLUGIN_CODE_H_
#define HOTPB_PLUGIN_CODE_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hotpb {
namespace plugin {

// The value of $name$ in a template: a string or an integer.
struct Value {
  template <class Text>
  Value(std::string_view value_name, const Text& value) : name(value_name) {
    if constexpr (std::is_integral_v<Text>) {
      text = std::to_string(value);
    } else {
      text = value;
    }
  }
  std::string_view name;
  std::string text;
};

class Values {
 public:
  Values(std::initializer_list<Value> values) : values_(values) {}
  void add(std::initializer_list<Value> values) { values_.insert(values_.end(), values); }
  // Null if no value has this name.
  const std::string* find(std::string_view name) const {
    for (const Value& value : values_) {
      if (value.name == name) return &value.text;
    }
    return nullptr;
  }

 private:
  std::vector<Value> values_;
};

class Code {
 public:
  // Appends the lines of a template, with the values in it. A line break at its start does not count, so that a
  // template looks like its output. A $name$ without a value does not change, and no compiler accepts it.
  void text(std::string_view shape, const Values& values = {}) {
    if (!shape.empty() && shape.front() == '\n') shape.remove_prefix(1);
    while (!shape.empty()) {
      const std::size_t end = std::min(shape.find('\n'), shape.size());
      line_.clear();
      if (end != 0) line_.append(2 * depth_, ' ');
      fill(shape.substr(0, end), values);
      append_lines();
      shape.remove_prefix(std::min(end + 1, shape.size()));
    }
  }
  // Appends a line that consists of the parts, which are strings and integers. Without parts, the line is empty.
  template <class... Parts>
  void line(const Parts&... parts) {
    line_.clear();
    if (sizeof...(parts) > 0) line_.append(2 * depth_, ' ');
    (add(parts), ...);
    append_lines();
  }
  void indent() { ++depth_; }
  void dedent() { --depth_; }

  void append(const Code& code) { text_ += code.text_; }

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kWidth = 120;

  void fill(std::string_view shape, const Values& values) {
    for (;;) {
      const std::size_t begin = shape.find('$');
      const std::size_t end = begin == std::string_view::npos ? begin : shape.find('$', begin + 1);
      line_ += shape.substr(0, begin);
      if (end == std::string_view::npos) {
        if (begin != end) line_ += shape.substr(begin);
        return;
      }
      const std::string_view name = shape.substr(begin + 1, end - begin - 1);
      const std::string* const value = values.find(name);
      line_ += value != nullptr ? std::string_view(*value) : shape.substr(begin, end + 1 - begin);
      shape.remove_prefix(end + 1);
    }
  }

  void add(std::string_view part) { line_ += part; }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  void add(Integer part) {
    line_ += std::to_string(part);
  }

  // A value may have line breaks.
  void append_lines() {
    for (std::size_t at = 0; at <= line_.size();) {
      const std::size_t end = std::min(line_.find('\n', at), line_.size());
      append_broken(std::string_view(line_).substr(at, end - at));
      at = end + 1;
    }
  }

  // Breaks a line that is too wide at the last blank that fits, and continues it on the next line, four columns further
  // in. Lines of the preprocessor, string literals, and comments after code are not broken. A line that is a comment
  // continues as a comment. If no blank fits, the line breaks at the next blank, or not at all.
  void append_broken(std::string_view line) {
    const std::size_t indentation = std::min(line.find_first_not_of(' '), line.size());
    if (line.size() <= kWidth || line[indentation] == '#') {
      text_ += line;
      text_ += '\n';
      return;
    }
    const bool comment = line.compare(indentation, 2, "//") == 0;
    const bool documentation = line.compare(indentation, 3, "///") == 0;
    const std::string start = std::string(indentation, ' ') + (documentation ? "/// " : comment ? "// " : "    ");
    std::string_view rest = line;
    std::size_t used = 0;  // the columns before the rest
    // Do not break before the first word.
    std::size_t skipped =
        std::min(line.find_first_not_of(' ', indentation + (documentation ? 3 : comment ? 2 : 0)), line.size());
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

  // The last blank up to `width` where the line may break, or else the first one after it.
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
