#include "page.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "hotpb/wire/utf8.h"

namespace first_light {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// As in Go and Prometheus: a stale marker is a different NaN, and has a meaning.
double ordinary_nan() {
  const std::uint64_t bits = 0x7ff8000000000001u;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// 1, -2.5e-3, 0x1p-2, NaN, +Inf. The text is not empty, and the byte after it ends a number: a blank or the end of the
// line.
bool parse_double(std::string_view text, double& value) {
  if (text.front() < '+' || text.find('(') != text.npos) return false;  // strtod also accepts white space and nan(...)
  char* end = nullptr;
  errno = 0;
  value = std::strtod(text.data(), &end);  // the program sets no locale
  if (end != text.data() + text.size()) return false;
  if (errno == ERANGE && std::isinf(value)) return false;
  if (std::isnan(value)) value = ordinary_nan();
  return true;
}

// "counter" is COUNTER. The type that older pages call untyped is unknown.
std::optional<MetricType> parse_type(std::string_view text) {
  if (text == "untyped") return MetricType::UNKNOWN;
  for (std::int32_t i = 0; i <= static_cast<std::int32_t>(MetricType::STATESET); ++i) {
    const auto type = static_cast<MetricType>(i);
    const std::string_view name = enum_name(type);
    const auto same = [](char lower, char upper) { return lower == upper - 'A' + 'a'; };
    if (std::equal(text.begin(), text.end(), name.begin(), name.end(), same)) return type;
  }
  return std::nullopt;
}

}  // namespace

class PageReader::Cursor {
 public:
  Cursor(char* text, std::size_t size) : begin_(text), at_(text), end_(text + size) {}

  std::size_t column() const { return static_cast<std::size_t>(at_ - begin_) + 1; }
  bool done() const { return at_ == end_; }
  char peek() const { return done() ? '\0' : *at_; }
  bool take(char c) {
    if (done() || *at_ != c) return false;
    ++at_;
    return true;
  }
  // Skips blanks. Returns whether there were any.
  bool blanks() {
    const char* const start = at_;
    while (!done() && is_blank(*at_)) ++at_;
    return at_ != start;
  }
  // Reads the name of a metric, which may have colons, or of a label. It is empty if there is none.
  std::string_view name(bool colons) {
    char* const start = at_;
    while (!done() && (starts_name(*at_) || (colons && *at_ == ':') || (at_ > start && is_digit(*at_)))) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  // Reads up to a blank.
  std::string_view word() {
    char* const start = at_;
    while (!done() && !is_blank(*at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  // Reads up to the closing quote. Returns false if there is none.
  bool quoted(std::string_view& text) {
    char* const start = at_;
    while (!done() && *at_ != '"') at_ += *at_ == '\\' && end_ - at_ > 1 ? 2 : 1;
    text = unescaped(start, at_, true);
    return take('"');
  }
  std::string_view rest() {
    char* const start = at_;
    at_ = end_;
    return unescaped(start, end_, false);
  }

 private:
  // Resolves \\, 
  //  and (in quotes) \" in place. Any other backslash is an ordinary character, as in Prometheus.
  static std::string_view unescaped(char* begin, const char* end, bool quotes) {
    char* to = begin;
    for (const char* from = begin; from != end; ++from) {
      if (*from == '\\' && end - from > 1 && (from[1] == '\\' || from[1] == 'n' || (quotes && from[1] == '"'))) {
        ++from;
        *to++ = *from == 'n' ? '\n' : *from;
      } else {
        *to++ = *from;
      }
    }
    return {begin, static_cast<std::size_t>(to - begin)};
  }

  const char* begin_;
  char* at_;
  char* end_;
};

PageReader::PageReader(PageSink& sink, const std::vector<Label>& added) : sink_(sink) {
  for (const Label& label : added) {
    added_.push_back({std::string(label.name), std::string(label.value), "exported_" + std::string(label.name)});
  }
}

bool PageReader::line(char* text, std::size_t size) {
  ++lines_;
  Cursor at(text, size);
  const char* const wrong = parse(at);
  if (wrong == nullptr) return true;
  error_ = "line " + std::to_string(lines_) + ", column " + std::to_string(at.column()) + ": " + wrong;
  return false;
}

bool PageReader::end() {
  hand_family_over();
  if (samples_ == 0) error_ = lines_ == 0 ? "the page is empty" : "no sample in the page";
  return samples_ > 0;
}

const char* PageReader::parse(Cursor& at) {
  at.blanks();
  if (at.done()) return nullptr;
  if (ended_) return "nothing may follow # EOF";
  if (at.peek() == '<' && samples_ == 0) return "this is HTML or XML, not a /metrics page";
  return at.take('#') ? comment(at) : sample(at);
}

const char* PageReader::comment(Cursor& at) {
  if (!at.blanks()) return nullptr;
  const std::string_view keyword = at.word();
  if (keyword == "EOF" && at.done()) {
    if (has_timestamps_) return "an OpenMetrics page with timestamps, which first-light does not read";
    ended_ = true;
    return nullptr;
  }
  if (keyword != "HELP" && keyword != "TYPE" && keyword != "UNIT") return nullptr;
  at.blanks();
  const std::string_view name = at.name(true);
  if (name.empty()) return "the name of a metric should be here";
  if (!at.blanks() && !at.done()) return "a blank should be here, after the metric's name";
  Family& family = this->family(name);
  if (keyword == "TYPE") {
    const std::optional<MetricType> type = parse_type(at.word());
    if (!type) return "not a known type of metrics";
    family.type = *type;
    at.blanks();
    return at.done() ? nullptr : "nothing should be here, after the type";
  }
  const std::string_view text = at.rest();
  if (!hotpb::utf8::is_valid(reinterpret_cast<const std::uint8_t*>(text.data()), text.size())) return "not UTF-8";
  (keyword == "HELP" ? family.help : family.unit) = text;
  return nullptr;
}

const char* PageReader::sample(Cursor& at) {
  sample_.labels.clear();
  sample_.timestamp_ms.reset();
  const std::string_view metric = at.name(true);
  if (metric.empty()) return "the name of a metric should be here";
  sample_.labels.push_back({"__name__", metric});
  at.blanks();
  if (at.take('{')) {
    if (const char* const wrong = labels(at)) return wrong;
  }
  if (const char* const wrong = value_and_timestamp(at)) return wrong;
  if (const char* const wrong = complete_labels()) return wrong;
  hand_family_over();
  ++samples_;
  sink_.sample(sample_);
  return nullptr;
}

const char* PageReader::labels(Cursor& at) {
  for (;;) {
    at.blanks();
    if (at.take('}')) return nullptr;
    Label label;
    label.name = at.name(false);
    if (label.name.empty()) return "the name of a label or } should be here";
    at.blanks();
    if (!at.take('=')) return "= should be here, after the label's name";
    at.blanks();
    if (!at.take('"')) return "a value in quotes should be here";
    if (!at.quoted(label.value)) return "the label's value has no closing quote";
    if (!hotpb::utf8::is_valid(reinterpret_cast<const std::uint8_t*>(label.value.data()), label.value.size())) {
      return "the label's value is not UTF-8";
    }
    sample_.labels.push_back(label);
    at.blanks();
    if (!at.take(',') && at.peek() != '}') return ", or } should be here";
  }
}

const char* PageReader::value_and_timestamp(Cursor& at) {
  at.blanks();
  if (at.done()) return "the value is missing";
  Cursor word = at;
  if (!parse_double(word.word(), sample_.value)) return "not a number";
  at = word;
  at.blanks();
  if (!at.done() && at.peek() != '#') {
    word = at;
    const std::string_view text = word.word();
    std::int64_t timestamp = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), timestamp);
    if (wrong != std::errc() || end != text.data() + text.size()) return "not a timestamp in milliseconds";
    sample_.timestamp_ms = timestamp;
    has_timestamps_ = true;
    at = word;
    at.blanks();
  }
  if (at.take('#')) {
    at.blanks();
    if (!at.take('{')) return "an exemplar's { should be here";
    ++exemplars_;
    at.rest();
  }
  return at.done() ? nullptr : "nothing should be here, after the timestamp";
}

const char* PageReader::complete_labels() {
  std::vector<Label>& labels = sample_.labels;
  for (const Added& added : added_) {
    for (Label& label : labels) {
      if (label.name == added.name) label.name = added.exported;
    }
    labels.push_back({added.name, added.value});
  }
  const auto empty = [](const Label& label) { return label.value.empty(); };
  labels.erase(std::remove_if(labels.begin(), labels.end(), empty), labels.end());
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.name < b.name; });
  const auto same = [](const Label& a, const Label& b) { return a.name == b.name; };
  const bool twice = std::adjacent_find(labels.begin(), labels.end(), same) != labels.end();
  return twice ? "a label's name occurs twice" : nullptr;
}

Family& PageReader::family(std::string_view name) {
  if (!family_open_ || family_.name != name) {
    hand_family_over();
    family_open_ = true;
    family_.name = name;
    family_.type = MetricType::UNKNOWN;
    family_.help.clear();
    family_.unit.clear();
  }
  return family_;
}

void PageReader::hand_family_over() {
  if (family_open_) sink_.family(family_);
  family_open_ = false;
}

}  // namespace first_light
