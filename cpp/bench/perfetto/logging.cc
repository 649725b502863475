// The function that ProtoZero calls before it aborts. The rest of Perfetto's logging is left out.
#include <cstdarg>
#include <cstdio>

#include "protozero.h"

namespace perfetto {
namespace base {

void LogMessage(LogLev, const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "perfetto: %s:%d: ", file, line);
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
}

}  // namespace base
}  // namespace perfetto
