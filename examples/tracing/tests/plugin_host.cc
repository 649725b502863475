// Loads and unloads a library that traces, several times, and keeps tracing itself. See plugins.sh.
//
//   plugin_host SOCKET PLUGIN linked|adopts|alone|starts LOCAL|GLOBAL
//
// linked: the library has the program's symbols. adopts: it has its own, and adopts the program's session. alone: it
// has its own, and traces into nothing. starts: it starts a session of its own. Prints as JSON how many packets of the
// host and of the plugin there must be, and how often the library was really unloaded.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "sdk/tracing.h"

namespace {

tracing::Category kHost{"host"};

template <class Function>
Function* symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) std::exit(4);
  return reinterpret_cast<Function*>(found);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string mode = argv[3];
  const int flags = RTLD_NOW | (std::strcmp(argv[4], "GLOBAL") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
  tracing::Options options;
  options.socket = argv[1];
  options.process = "the host";
  if (!tracing::start(options)) return 1;
  int rounds = 0;
  int unloaded = 0;
  for (; rounds < 4; ++rounds) {
    void* const library = dlopen(argv[2], flags);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 3;
    }
    if (mode == "adopts" && !symbol<bool(const void*)>(library, "plugin_adopt")(tracing::share())) return 5;
    if (mode == "starts" && rounds == 0 && !symbol<bool(const char*)>(library, "plugin_start")(argv[1])) return 6;
    auto* const trace = symbol<void(int)>(library, "plugin_trace");
    {
      TRACE_SCOPE(kHost, "host", "round", rounds);
      trace(rounds);
    }
    std::thread([&] {
      trace(rounds);
      TRACE_INSTANT(kHost, "in a thread");
    }).join();
    // What a stop walks over must be there, with the library and without.
    if (rounds == 1) {
      tracing::stop();
      if (!tracing::start(options)) return 7;
    }
    dlclose(library);
    void* const still = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD);
    if (still == nullptr) ++unloaded;
    else dlclose(still);
    if (rounds == 2) {
      tracing::stop();
      if (!tracing::start(options)) return 8;
    }
  }
  TRACE_INSTANT(kHost, "the last");
  tracing::stop();
  const bool plugin_traces = mode != "alone";
  std::printf("{\"host\": %d, \"plugin\": %d, \"unloaded\": %d, \"dropped\": %llu}\n", 3 * rounds + 1,
              plugin_traces ? 12 * rounds : 0, unloaded, static_cast<unsigned long long>(tracing::dropped()));
}
