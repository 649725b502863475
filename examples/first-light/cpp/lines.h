// Splits a file into lines, which the caller may change in place. A line without a newline is an error: the page was
// cut off.
#ifndef FIRST_LIGHT_LINES_H_
#define FIRST_LIGHT_LINES_H_

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace first_light {

class Lines {
 public:
  static constexpr std::size_t kLongest = 1 << 20;  // the most memory that an untrusted page can occupy

  explicit Lines(std::FILE* file) : file_(file), buffer_(1 << 16) {}

  struct Line {
    char* text = nullptr;  // nullptr if there is none: error() has the reason, or is empty at the end of the file
    std::size_t size = 0;  // without the newline, which follows it
  };

  // Valid until the next call.
  Line next() {
    for (std::size_t seen = 0;;) {
      if (void* const newline = std::memchr(at() + seen, '\n', held() - seen)) {
        const Line line{at(), static_cast<std::size_t>(static_cast<char*>(newline) - at())};
        begin_ += line.size + 1;
        return line;
      }
      seen = held();
      if (!fill()) return {};
    }
  }

  const std::string& error() const { return error_; }
  std::size_t bytes() const { return bytes_; }

 private:
  char* at() { return buffer_.data() + begin_; }
  std::size_t held() const { return end_ - begin_; }

  bool fill() {
    if (held() > kLongest) {
      error_ = "a line is longer than " + std::to_string(kLongest) + " bytes";
      return false;
    }
    std::memmove(buffer_.data(), at(), held());
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_);
    end_ += got;
    bytes_ += got;
    if (got > 0) return true;
    if (std::ferror(file_)) {
      error_ = std::strerror(errno);
    } else if (held() > 0) {
      error_ = "the page ends inside a line: it was cut off";
    }
    return false;
  }

  std::FILE* file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t bytes_ = 0;
  std::string error_;
};

}  // namespace first_light

#endif  // FIRST_LIGHT_LINES_H_
