// Times the writer beside libprotobuf-lite, where that is installed: turns of all, medians, allocations of a warm turn.
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

// A page that has been read: what an exporter holds before it writes a request.
struct PlainPage {
  struct Series {
    std::size_t first_label;
    std::size_t label_count;
    double value;
    std::int64_t timestamp_ms;
  };
  std::deque<std::string> text;  // what the labels refer to
  std::vector<Label> labels;
  std::vector<Series> series;
  std::vector<Family> families;
};

struct Contender {
  std::string what;
  std::function<std::size_t()> encode;  // gives the size of the request
  std::vector<double> rounds = {};      // nanoseconds
};

// Prints tab-separated rows for demo.sh: language, what, nanoseconds, MB/s, allocations; and before them a line
// `request`, series, bytes. Returns what went wrong, or nothing.
std::string time_page(std::FILE* page);

// Of stock.cc, or of stock_absent.cc where libprotobuf-lite is not installed.
std::vector<Contender> stock_contenders(const PlainPage& page);
// Reads the request with libprotobuf-lite; whether that is the page (always, where it is absent).
bool stock_agrees(const PlainPage& page, const std::string& request);

// Of allocations.cc: how often this program has called operator new.
std::uint64_t allocation_count();

}  // namespace first_light

#endif  // FIRST_LIGHT_TIMING_H_
