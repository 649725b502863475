// The command line.
#ifndef FIRST_LIGHT_OPTIONS_H_
#define FIRST_LIGHT_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "page.h"

namespace first_light {

struct Options {
  bool time = false;
  std::vector<Label> labels;
  std::int64_t timestamp_ms = 0;  // of samples that have none: now, unless it was given
  std::size_t chunk_size = 4096;
  std::string page;
  std::string request;
};

constexpr char kUsage[] =
    "usage: first-light-cpp [OPTION]... PAGE REQUEST   turns a /metrics page (- is standard input) into a request\n"
    "       first-light-cpp --time PAGE                times that, without reading the page and writing the file\n"
    "  --label NAME=VALUE   goes to every series, as job and instance do\n"
    "  --timestamp MS       of samples that have none, in milliseconds since 1970 (now)\n"
    "  --chunk BYTES        size of a chunk (4096)\n";

// Nothing when it cannot be understood.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace first_light

#endif  // FIRST_LIGHT_OPTIONS_H_
