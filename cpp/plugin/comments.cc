// The comments of a schema in generated code.
#include "comments.h"

#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Whether characters that change the direction of text start here: compilers warn about them, and readers see another
// text than there is (U+202A to U+202E, U+2066 to U+2069).
bool is_direction(std::string_view text) {
  const std::string_view start = text.substr(0, 2);
  const unsigned last = text.size() < 3 ? 0 : static_cast<unsigned char>(text[2]);
  return (start == "\xe2\x80" && last >= 0xaa && last <= 0xae) || (start == "\xe2\x81" && last >= 0xa6 && last <= 0xa9);
}

// A backslash at the end of a line continues the comment, and so does the trigraph of one. Long lines are broken at
// blanks, so no word ends with them. Other backslashes, and @, do not begin a command of documentation tools.
std::string safe(std::string_view line) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : ' ';
    if (is_direction(line.substr(i))) {
      i += 2;
    } else if (c == '\t') {
      result += "  ";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += ' ';
    } else if (c == '\\' && (is_blank(next) || is_letter(next) || static_cast<unsigned char>(next) < 0x20)) {
      result += is_letter(next) ? "\\\\" : "&#92;";
    } else if (c == '/' && i >= 2 && line.compare(i - 2, 2, "??") == 0) {
      result += "&#47;";
    } else if (c == '@' && is_letter(next) && (i == 0 || is_blank(line[i - 1]))) {
      result += "\\@";
    } else {
      result += c;
    }
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

}  // namespace

void Comments::read(const pb::FileDescriptorProtoView& file) {
  const pb::SourceCodeInfoView info = opened(file.source_code_info());
  for (const auto& element : info.location()) {
    const pb::SourceCodeInfo_LocationView location = opened(element);
    std::string_view text = location.leading_comments();
    if (text.empty()) text = location.trailing_comments();
    if (text.empty()) continue;
    const auto path = location.path();
    texts_.emplace(Path(path.begin(), path.end()), text);
  }
}

std::string Comments::at(const Path& path) const {
  const auto found = texts_.find(path);
  return found == texts_.end() ? std::string() : std::string(found->second);
}

std::vector<std::string> comment_lines(std::string_view comment) {
  std::vector<std::string> lines;
  for (std::string_view line : split(comment, '\n')) {
    if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    std::string text = safe(line);
    if (!text.empty() || !lines.empty()) lines.push_back(std::move(text));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace plugin
}  // namespace hotpb
