// A producer for the tests whose names and values are any bytes.
//
//   texts SOCKET values TEXTS   TEXTS is a file of lengths (u32, little-endian), each followed by that many bytes. For
//                               each text: a scope "outer" with its number, in it a scope with the text as its name and
//                               as a value, in that an instant with the text as a C string.
//   texts SOCKET names TEXT     TEXT, an argument of the command line, is the name of everything: process, thread,
//                               category, events, keys, counter and unit. Two scopes "work" are in a scope of that
//                               name.
#include <pthread.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "sdk/tracing.h"

namespace {

tracing::Category kTexts{"texts"};

bool read_text(std::FILE* file, std::string& text) {
  std::uint32_t size = 0;
  if (std::fread(&size, sizeof size, 1, file) != 1) return false;
  text.resize(size);
  return std::fread(&text[0], 1, size, file) == size;
}

void write_values(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) std::exit(1);
  std::string text;
  for (int number = 0; read_text(file, text); ++number) {
    TRACE_SCOPE(kTexts, "outer", "number", number);
    TRACE_SCOPE_NAMED(kTexts, text, "value", text, "number", number);
    TRACE_INSTANT(kTexts, "in it", "value", text.c_str(), "number", number);
  }
  std::fclose(file);
}

void write_names(const char* text) {
  tracing::Category category{text};
  std::string cut(text);
  cut.resize(std::min(cut.size(), std::size_t{15}));
  std::thread([&] {
    pthread_setname_np(pthread_self(), cut.c_str());
    TRACE_SCOPE(category, text, text, 1);
    for (int i = 0; i < 2; ++i) {
      TRACE_SCOPE(kTexts, "work");
    }
    TRACE_COUNTER_UNIT(category, text, text, 7);
    // Named too late: its track has the name of its first event.
    pthread_setname_np(pthread_self(), "later");
  }).join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool names = std::strcmp(argv[2], "names") == 0;
  tracing::Options options;
  options.socket = argv[1];
  options.wait_ns = 60000000000;
  if (names) options.process = argv[3];
  if (!tracing::start(options)) return 1;
  if (names) write_names(argv[3]);
  else write_values(argv[3]);
  const bool connected = tracing::connected();
  tracing::stop();
  std::printf("{\"connected\": %s, \"dropped\": %" PRIu64 "}\n", connected ? "true" : "false", tracing::dropped());
}
