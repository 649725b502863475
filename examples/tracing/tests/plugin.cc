// A library that plugin_host.cc loads and unloads.
#include "sdk/tracing.h"

namespace {
tracing::Category kPlugin{"plugin"};
}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED bool plugin_adopt(const void* shared) { return tracing::adopt(shared); }
EXPORTED bool plugin_start(const char* socket) {
  tracing::Options options;
  options.socket = socket;
  options.process = "the plugin's own";
  return tracing::start(options);
}
EXPORTED void plugin_trace(int round) {
  TRACE_SCOPE(kPlugin, "plugin", "round", round);
  TRACE_INSTANT(kPlugin, "in it", "text", "a text");
  TRACE_COUNTER(kPlugin, "plugin counter", round);
  TRACE_BEGIN(kPlugin, "by hand");
  TRACE_END(kPlugin);
}
