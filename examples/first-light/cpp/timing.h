// Times the writer beside libprotobuf-lite, if that is installed: all take turns; prints medians, and the allocations
// of a warm turn.
#ifndef FIRST_LIGHT_TIMING_H_
#define FIRST_LIGHT_TIMING_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "page.h"

namespace first_light {

// A page that has been read: the data of an exporter before it writes a request.
struct PlainPage {
  struct Series {
    std::size_t first_label;
    std::size_t label_count;
    double value;
    std::int64_t timestamp_ms;
  };
  std::deque<std::string> text;  // the text that the labels refer to
  std::vector<Label> labels;
  std::vector<Series> series;
  std::vector<Family> families;
};

struct Contender {
  std::string operation;
  std::function<std::size_t()> encode;  // returns the size of the request
  std::vector<double> rounds = {};      // nanoseconds
};

// Prints tab-separated rows for demo.sh: language, contender, nanoseconds, MB/s, allocations. A line `request`, series,
// bytes precedes them. Returns the error, or "".
std::string time_page(std::FILE* page);

// In stock.cc, or in stock_absent.cc if libprotobuf-lite is not installed.
std::vector<Contender> stock_contenders(const PlainPage& page);
// Reads the request with libprotobuf-lite. Returns whether it is the page (always true if libprotobuf-lite is absent).
bool stock_agrees(const PlainPage& page, const std::string& request);

// In allocations.cc: how often this program has called operator new.
std::uint64_t allocation_count();

}  // namespace first_light

#endif  // FIRST_LIGHT_TIMING_H_
