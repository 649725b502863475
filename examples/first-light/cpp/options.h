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
  std::int64_t timestamp_ms = 0;  // for samples that have none; the default is now
  std::size_t chunk_size = 4096;
  std::string page;
  std::string request;
};

constexpr char kUsage[] =
    "usage: first-light-cpp [OPTION]... PAGE REQUEST   turns a /metrics page (- is standard input) into a request\n"
    "       first-light-cpp --time PAGE                times that, without reading the page and writing the file\n"
    "  --label NAME=VALUE   add this label to every series, as scrapers add job and instance\n"
    "  --timestamp MS       the time of samples that have none, in milliseconds since 1970 (default: now)\n"
    "  --chunk BYTES        the size of a chunk (default: 4096)\n";

// Returns nothing if the arguments are not valid.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace first_light

#endif  // FIRST_LIGHT_OPTIONS_H_
