#include "options.h"

#include <charconv>
#include <chrono>
#include <string_view>

#include "hotpb/chunk/source.h"

namespace first_light {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc() && end == text.data() + text.size();
}

bool parse_label(std::string_view text, std::vector<Label>& labels) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) return false;
  labels.push_back({text.substr(0, equals), text.substr(equals + 1)});
  return true;
}

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  options.timestamp_ms = now_ms();
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name.substr(0, 2) != "--") {
      files.emplace_back(name);
      continue;
    }
    if (name == "--time") {
      options.time = true;
      continue;
    }
    if (++i == argc) return std::nullopt;
    const std::string_view value = argv[i];
    const bool understood = name == "--label"       ? parse_label(value, options.labels)
                            : name == "--timestamp" ? parse_number(value, options.timestamp_ms)
                            : name == "--chunk"     ? parse_number(value, options.chunk_size)
                                                    : false;
    if (!understood) return std::nullopt;
  }
  if (files.size() != (options.time ? 1 : 2) || options.chunk_size < hotpb::kMinChunkSize) return std::nullopt;
  options.page = files[0];
  if (!options.time) options.request = files[1];
  return options;
}

}  // namespace first_light
