// The macros in code whose own names are those that the macros and their functions use: an argument is
// expanded once, where none of our names is in sight. Compiled with -Wshadow, -Wpedantic and the like.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>

#include <map>
#include <string>
#include <vector>

#include "read_trace.h"
#include "sdk/tracing.h"
#include "service/output.h"
#include "service/server.h"

namespace {

tracing::Category kNames{"names"};

// Traces a variable of each name, as the text of the name, and as a scope's value.
#define TRACE_NAME(name)                                         \
  do {                                                           \
    const std::string name = #name;                              \
    TRACE_INSTANT(kNames, "an instant", #name, name);               \
    TRACE_SCOPE(kNames, "a scope", #name, name);                   \
    TRACE_SCOPE_NAMED(kNames, name, #name, name);                \
    TRACE_BEGIN(kNames, "a begin", #name, name);                   \
    TRACE_END(kNames);                                           \
    TRACE_COUNTER(kNames, "counter", name.size());               \
    TRACE_COUNTER_UNIT(kNames, "counter", "bytes", name.size()); \
    ++names;                                                     \
  } while (false)

int trace_all_names() {
  int names = 0;
  TRACE_NAME(site);
  TRACE_NAME(thread);
  TRACE_NAME(category);
  TRACE_NAME(name);
  TRACE_NAME(text);
  TRACE_NAME(args);
  TRACE_NAME(place);
  TRACE_NAME(value);
  TRACE_NAME(unit);
  TRACE_NAME(function);
  TRACE_NAME(condition);
  TRACE_NAME(generation);
  TRACE_NAME(session);
  TRACE_NAME(host);
  TRACE_NAME(current);
  TRACE_NAME(write);
  TRACE_NAME(begin);
  TRACE_NAME(end);
  TRACE_NAME(instant);
  TRACE_NAME(counter);
  TRACE_NAME(begin_at);
  TRACE_NAME(instant_at);
  TRACE_NAME(open_begin_at);
  TRACE_NAME(counter_at);
  TRACE_NAME(begin_named_at);
  TRACE_NAME(open_by_hand);
  TRACE_NAME(open_end);
  TRACE_NAME(find);
  TRACE_NAME(enter);
  TRACE_NAME(leave);
  TRACE_NAME(put);
  TRACE_NAME(room);
  TRACE_NAME(packet);
  TRACE_NAME(event);
  TRACE_NAME(annotation);
  TRACE_NAME(registry);
  TRACE_NAME(now);
  TRACE_NAME(number);
  TRACE_NAME(body);
  TRACE_NAME(written);
  TRACE_NAME(tracing_scope_0);
  TRACE_NAME(tracing);
  TRACE_NAME(detail);
  TRACE_NAME(hotpb);
  TRACE_NAME(std);
  TRACE_NAME(Scope);
  TRACE_NAME(Category);
  TRACE_NAME(Flow);
  TRACE_NAME(Name);
  TRACE_NAME(Thread);
  TRACE_NAME(Site);
  TRACE_NAME(Place);
  TRACE_NAME(Args);
  TRACE_NAME(Type);
  TRACE_NAME(function_);
  TRACE_NAME(may_be_on);
  return names;
}

int calls = 0;
int one_call() { return ++calls; }

// A member, a parameter, a constant of the class: what is in scope where the macro stands.
struct Widget {
  tracing::Category category{"names"};
  int site = 3;
  void trace(int name, const char* thread) {
    TRACE_SCOPE(category, "member", "site", site, "name", name, "thread", thread);
    TRACE_INSTANT(this->category, "member", "site", this->site);
    const auto in_lambda = [this, name] { TRACE_INSTANT(category, "lambda", "site", site, "name", name); };
    in_lambda();
  }
};

template <class T>
void trace_in_a_template(T value) {
  TRACE_SCOPE(kNames, "template", "value", value);
  TRACE_COUNTER(kNames, "template", value);
}
inline void trace_in_an_inline_function() { TRACE_SCOPE(kNames, "inline", "value", 1); }

void trace_arguments() {
  TRACE_INSTANT(kNames, "once", "value", one_call());
  TRACE_SCOPE(kNames, "once", "value", one_call());
  TRACE_BEGIN(kNames, "once", "value", one_call());
  TRACE_END(kNames);
  TRACE_COUNTER(kNames, "once", one_call());
  TRACE_SCOPE_NAMED(kNames, std::to_string(one_call()));
  // Lambda expressions, with events in them; commas that no parentheses hide.
  TRACE_INSTANT(kNames, "lambda", "value", [] { TRACE_SCOPE(kNames, "nested"); return one_call(); }());
  TRACE_SCOPE(kNames, "lambda", "value", [] {
    TRACE_SCOPE(kNames, "nested", "value", [] { TRACE_INSTANT(kNames, "deep"); return 1; }());
    return one_call();
  }());
  TRACE_COUNTER(kNames, "commas", std::map<int, int>{{1, 2}, {3, 4}}.size());
  TRACE_INSTANT(kNames, "commas", "value", std::pair<int, int>(1, 2).second);
  // Several on one line.
  TRACE_SCOPE(kNames, "1"); TRACE_SCOPE(kNames, "2"); TRACE_INSTANT(kNames, "3"); TRACE_INSTANT(kNames, "4");
  if (calls > 0) TRACE_INSTANT(kNames, "if");
  else TRACE_INSTANT(kNames, "else");
  if (calls > 0) TRACE_SCOPE(kNames, "statement");
  for (int i = 0; i < 2; ++i) TRACE_SCOPE(kNames, "loop", "i", i);
}

TEST(TracingNames, arguments_are_what_the_caller_sees) {
  const pid_t child = fork();
  if (child == 0) {
    ASSERT_TRUE(tracing::start({}));
    const int names = trace_all_names();
    Widget widget;
    widget.trace(5, "a thread");
    trace_in_a_template(1);
    trace_in_a_template(2.5);
    trace_in_an_inline_function();
    trace_arguments();
    EXPECT_EQ(calls, 7);

    tracing::service::FlightRecorder output(1u << 30, 1u << 30);
    tracing::service::FileNumbers numbers;
    tracing::service::TranslateCounts counts;
    tracing::service::Client client(output, numbers, counts, getpid(), 1000);
    tracing::detail::Session* const s = tracing::detail::session.load();
    EXPECT_TRUE(client.open(s->producer.fd(), s->registry.fd(), 1 << 30));
    client.poll_all();
    const tracing_test::Trace trace = tracing_test::read_trace(output.buffer().bytes());
    EXPECT_TRUE(tracing_test::is_balanced(trace));
    std::map<std::string, int> seen;  // name of the event -> how many have a text that is the name of its key
    for (const tracing_test::Event& event : trace.events) {
      if (event.texts.size() == 1 && event.keys.size() == 1 && event.texts[0] == event.keys[0]) {
        ++seen[event.name == event.keys[0] ? "its own name" : event.name];
      }
      if (event.name == "member") {
        EXPECT_EQ(event.numbers[0], std::make_pair(std::string("site"), std::int64_t{3}));
      }
    }
    for (const char* const title : {"an instant", "a scope", "a begin", "its own name"}) {
      EXPECT_EQ(seen[title], names) << title;
    }
    _exit(testing::Test::HasFailure() ? 1 : 42);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << "status " << std::hex << status;
}

}  // namespace
