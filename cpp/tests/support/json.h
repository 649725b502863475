// A small JSON reader for the lines of build/vectors/*.jsonl: objects, arrays, strings, integers, true, false, null.
#ifndef HOTPB_TESTS_SUPPORT_JSON_H_
#define HOTPB_TESTS_SUPPORT_JSON_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hotpb_test {

struct Json {
  enum class Kind { Null, Bool, Int, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  std::int64_t integer = 0;
  std::string string;
  std::vector<Json> array;
  std::map<std::string, Json> object;

  bool has(const std::string& key) const { return object.count(key) != 0; }
  const Json& at(const std::string& key) const { return object.at(key); }
};

// Throws std::runtime_error if the text is not exactly one JSON value.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json read() {
    Json json = value();
    space();
    if (at_ != text_.size()) fail("more after the value");
    return json;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error("JSON, at " + std::to_string(at_) + ": " + problem);
  }

  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  char peek() {
    space();
    if (at_ == text_.size()) fail("the end");
    return text_[at_];
  }

  void expect(char c) {
    if (peek() != c) fail(std::string("no ") + c);
    ++at_;
  }

  bool word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json value() {
    Json json;
    const char c = peek();
    if (c == '{') {
      json.kind = Json::Kind::Object;
      list('{', '}', [&] {
        const std::string key = string();
        expect(':');
        json.object[key] = value();
      });
    } else if (c == '[') {
      json.kind = Json::Kind::Array;
      list('[', ']', [&] { json.array.push_back(value()); });
    } else if (c == '"') {
      json.kind = Json::Kind::String;
      json.string = string();
    } else if (word("true") || word("false")) {
      json.kind = Json::Kind::Bool;
      json.boolean = c == 't';
    } else if (!word("null")) {
      json.kind = Json::Kind::Int;
      std::size_t used = 0;
      json.integer = std::stoll(std::string(text_.substr(at_, 20)), &used);
      at_ += used;
    }
    return json;
  }

  template <class Element>
  void list(char open, char close, Element element) {
    expect(open);
    if (peek() == close) {
      ++at_;
      return;
    }
    for (;;) {
      element();
      if (peek() == close) break;
      expect(',');
    }
    ++at_;
  }

  std::string string() {
    expect('"');
    std::string result;
    for (;;) {
      const std::size_t end = std::min(text_.find_first_of("\"\\", at_), text_.size());
      result += text_.substr(at_, end - at_);
      at_ = end;
      if (at_ == text_.size() || text_[at_] == '"') break;
      char c = text_.at(at_ + 1);
      at_ += 2;
      switch (c) {
        case 'n': c = '\n'; break;
        case 't': c = '\t'; break;
        case '"':
        case '\\':
        case '/': break;
        case 'u': {
          // Only the texts of vectors have escapes above ASCII, and the tests do not read these texts.
          c = static_cast<char>(std::stoi(std::string(text_.substr(at_, 4)), nullptr, 16));
          at_ += 4;
          break;
        }
        default: fail("an escape that is not read here");
      }
      result += c;
    }
    expect('"');
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_JSON_H_
