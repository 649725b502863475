// Trace events of a C++ program, for Perfetto's UI and trace processor, through shared memory.
//
//   inline tracing::Category kRender{"render"};
//
//   void draw(const Frame& frame) {
//     TRACE_SCOPE(kRender, "draw", "width", frame.width, "name", frame.name);   to the end of the block
//     TRACE_INSTANT(kRender, "vsync");
//     TRACE_COUNTER(kRender, "queue", frames.size());
//     TRACE_SCOPE(kRender, "upload", tracing::Flow{frame.id});    an arrow to the next event with that number
//   }
//
//   tracing::start({"/run/user/1000/trace"});                                   session.h
//
// Names, keys and counters are string literals: they go to the service once. For a name that is created at run time,
// use TRACE_SCOPE_NAMED(kRender, text, ...), which writes it out. Values are bool, numbers, enums, text and pointers.
// Text may be any bytes: the service writes U+FFFD for those that are not UTF-8. A null pointer is empty text, and a
// text of more than 4 MiB is cut. A thread has the name that it has at its first event.
//
// Promise: an event of a category that is off costs one load of a byte. One that is on takes no system call (but for
// the clock, where the kernel has no user-space clock) and no allocation, except for the first of its thread and the
// first of its call site. Without room it is dropped and counted; nothing waits unless Options says so, and nothing
// aborts. Threads may end and processes may fork at any time. In a signal handler an event that interrupts another one,
// or is its thread's first, is dropped.
//
// TRACE_BEGIN and TRACE_END are for what does not begin and end in one block. Both are in the same thread, and nest.
#ifndef TRACING_SDK_TRACING_H_
#define TRACING_SDK_TRACING_H_

#include "event.h"
#include "session.h"

#define TRACING_CONCAT_(a, b) a##b
#define TRACING_CONCAT(a, b) TRACING_CONCAT_(a, b)

// `...` is a name, and then the arguments. Each is expanded once, where the macro declares no name.
#define TRACING_SCOPE(function, category, ...)                                                            \
  ::tracing::Scope TRACING_CONCAT(tracing_scope_, __COUNTER__) {                                    \
    TRACING_UNLIKELY((category).may_be_on()) ? ::tracing::detail::function([] {}, category, __VA_ARGS__)  \
                                             : nullptr                                                    \
  }
#define TRACING_EVENT(condition, function, category, ...)                                              \
  do {                                                                                                 \
    if (TRACING_UNLIKELY(condition)) ::tracing::detail::function([] {}, category, __VA_ARGS__);        \
  } while (false)

#define TRACE_SCOPE(category, ...) TRACING_SCOPE(begin_at, category, __VA_ARGS__)
#define TRACE_SCOPE_NAMED(category, ...) TRACING_SCOPE(begin_named_at, category, __VA_ARGS__)
#define TRACE_INSTANT(category, ...) TRACING_EVENT((category).may_be_on(), instant_at, category, __VA_ARGS__)
#define TRACE_BEGIN(category, ...) \
  TRACING_EVENT((category).may_be_on() || ::tracing::detail::open_by_hand != 0, open_begin_at, category, __VA_ARGS__)
#define TRACE_END(category)                                                                                  \
  do {                                                                                                       \
    if (TRACING_UNLIKELY((category).may_be_on() || ::tracing::detail::open_by_hand != 0))                    \
      ::tracing::detail::open_end(category);                                                                 \
  } while (false)

// The value is an integer or a floating-point number; name and unit are literals.
#define TRACE_COUNTER_UNIT(category, name, unit, ...) \
  TRACING_EVENT((category).may_be_on(), counter_at, category, name, unit, __VA_ARGS__)
#define TRACE_COUNTER(category, name, ...) TRACE_COUNTER_UNIT(category, name, "", __VA_ARGS__)

#endif  // TRACING_SDK_TRACING_H_
