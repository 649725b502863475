// Reads a /metrics page in Prometheus' text format, line by line.
//
//   # HELP http_requests_total Requests served.
//   # TYPE http_requests_total counter
//   http_requests_total{path="C:\\"} 1027 1395066363000
//
// The reader is strict: the first line that does not have this form is an error, so that half of a page never seems to
// be a whole one. Of OpenMetrics, it understands `# UNIT` and `# EOF`, and skips and counts exemplars. The timestamps
// of OpenMetrics are seconds, and these are milliseconds, so a page with both `# EOF` and timestamps is an error. A
// warm reader allocates nothing for a line.
#ifndef FIRST_LIGHT_PAGE_H_
#define FIRST_LIGHT_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prometheus/types.hot.h"

namespace first_light {

struct Label {
  std::string_view name;
  std::string_view value;
};

// Remote write requires the labels sorted by name, without empty values and without duplicate names.
struct Sample {
  std::vector<Label> labels;  // the metric's name is the label __name__
  double value = 0;           // every NaN is Prometheus' ordinary one, never its stale marker
  std::optional<std::int64_t> timestamp_ms;
};

using MetricType = ::prometheus::hot::MetricMetadata_MetricType;

// The data of a metric from its comments.
struct Family {
  std::string name;
  MetricType type = MetricType::UNKNOWN;
  std::string help;
  std::string unit;
};

// The arguments are valid until the call returns; the labels are valid as long as the line.
class PageSink {
 public:
  virtual void sample(const Sample& sample) = 0;
  virtual void family(const Family& family) = 0;

 protected:
  ~PageSink() = default;
};

class PageReader {
 public:
  // `added` goes to every series, like the labels job and instance of a scraper. If the page has a label with such a
  // name, that label becomes exported_<name>.
  PageReader(PageSink& sink, const std::vector<Label>& added);

  // Reads the next line: `size` bytes and the newline after them. Resolves escapes in place. If it returns false,
  // error() has the reason.
  bool line(char* text, std::size_t size);
  // Call it after the last line.
  bool end();

  std::size_t lines() const { return lines_; }
  std::size_t exemplars() const { return exemplars_; }
  const std::string& error() const { return error_; }

 private:
  class Cursor;
  struct Added {
    std::string name;
    std::string value;
    std::string exported;
  };

  // Each function returns the error, or nullptr.
  const char* parse(Cursor& at);
  const char* comment(Cursor& at);
  const char* sample(Cursor& at);
  const char* labels(Cursor& at);
  const char* value_and_timestamp(Cursor& at);
  const char* complete_labels();

  Family& family(std::string_view name);
  void hand_family_over();

  PageSink& sink_;
  std::vector<Added> added_;
  Sample sample_;
  Family family_;
  bool family_open_ = false;
  bool ended_ = false;
  bool has_timestamps_ = false;
  std::size_t lines_ = 0;
  std::size_t samples_ = 0;
  std::size_t exemplars_ = 0;
  std::string error_;
};

}  // namespace first_light

#endif  // FIRST_LIGHT_PAGE_H_
