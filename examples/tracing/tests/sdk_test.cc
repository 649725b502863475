// The SDK with the service's reader in one process. A process has one session for its life: so each test is a child.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "own_service.h"
#include "read_trace.h"
#include "sdk/tracing.h"
#include "service/output.h"
#include "service/server.h"
#include "support/support.h"

namespace tracing_test {
namespace {

tracing::Category kOn{"on"};
tracing::Category kOther{"other"};

TEST(TracingSdk, every_kind_of_event_arrives) {
  in_child([] {
    ASSERT_TRUE(start_local());
    {
      TRACE_SCOPE(kOn, "outer", "signed", -5, "unsigned", 7u);
      TRACE_INSTANT(kOther, "now", tracing::Flow{9}, "text", "x", "double", 0.5, "bool", true);
      TRACE_COUNTER_UNIT(kOn, "queue", "items", 12);
      TRACE_SCOPE_NAMED(kOn, std::string("made ") + "up");
    }
    TRACE_BEGIN(kOn, "by hand");
    TRACE_END(kOn);
    OwnService service;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 8u);
    EXPECT_TRUE(is_balanced(trace));
    EXPECT_EQ(trace.events[0].name, "outer");
    EXPECT_EQ(trace.events[0].category, "on");
    EXPECT_EQ(trace.events[0].numbers[0], std::make_pair(std::string("signed"), std::int64_t{-5}));
    EXPECT_EQ(trace.events[0].numbers[1], std::make_pair(std::string("unsigned"), std::int64_t{7}));
    EXPECT_EQ(trace.events[1].category, "other");
    EXPECT_EQ(trace.events[2].name, "queue");
    EXPECT_EQ(trace.events[2].value, 12);
    EXPECT_EQ(trace.events[3].name, "made up");
    EXPECT_EQ(trace.events[6].name, "by hand");
    for (std::size_t i = 1; i < trace.events.size(); ++i) {
      EXPECT_GE(trace.events[i].time_ns, trace.events[i - 1].time_ns);
    }
    EXPECT_TRUE(trace.losses.empty());
  });
}

// TRC-27
TEST(TracingSdk, categories_are_off_until_a_session_starts_and_after_it_stops) {
  in_child([] {
    for (int round = 0; round < 3; ++round) {
      if (round == 1) {
        EXPECT_TRUE(kOn.may_be_on() == false) << "the first event made it known";
        ASSERT_TRUE(start_local());
        EXPECT_FALSE(start_local()) << "a session is running";
      }
      if (round == 2) tracing::stop();
      TRACE_INSTANT(kOn, "an event", "round", round);
    }
    ASSERT_TRUE(start_local());
    TRACE_INSTANT(kOn, "an event", "round", 3);
    OwnService service;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 2u);
    EXPECT_EQ(trace.events[0].numbers[0].second, 1);
    EXPECT_EQ(trace.events[1].numbers[0].second, 3);
  });
}
TEST(TracingSdk, a_scope_that_is_open_when_the_session_stops_is_ended) {
  in_child([] {
    ASSERT_TRUE(start_local());
    {
      TRACE_SCOPE(kOn, "open");
      tracing::stop();
    }
    OwnService service;
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size(), 2u);
    EXPECT_TRUE(is_balanced(trace));
  });
}

// TRC-28, TRC-46: a tree of calls, in an area that is full most of the time.
void tree(int depth, std::uint64_t& random) {
  TRACE_SCOPE(kOn, "node", "depth", depth);
  random = random * 6364136223846793005u + 1442695040888963407u;
  for (std::uint64_t i = random >> 62; depth < 8 && i > 0; --i) tree(depth + 1, random);
  if ((random >> 40) % 3 == 0) {
    TRACE_BEGIN(kOn, "by hand");
    TRACE_INSTANT(kOn, "in it");
    TRACE_END(kOn);
  }
}
TEST(TracingSdk, loss_does_not_tear_what_is_nested) {
  in_child([] {
    ASSERT_TRUE(start_local({128, 8, 4}));
    OwnService service;
    std::uint64_t random = 1;
    for (int round = 0; round < 3000; ++round) {
      tree(0, random);
      if (round % 7 == 0) service.poll();
    }
    for (int i = 0; i < 4; ++i) {
      service.poll();
      TRACE_INSTANT(kOn, "the last");
    }
    EXPECT_GT(tracing::dropped(), 1000u);
    const Trace trace = service.end();
    EXPECT_GT(trace.events.size(), 1000u);
    EXPECT_TRUE(is_balanced(trace));
    // A slice's depth is what it was when it was written: nothing is inside of what it was not in.
    std::vector<std::int64_t> open;
    for (const Event& event : trace.events) {
      if (event.type == Type::TYPE_SLICE_BEGIN) {
        const std::int64_t outside = open.empty() ? -1 : open.back();
        const std::int64_t depth = event.numbers.empty() ? outside + 1 : event.numbers[0].second;
        if (!open.empty()) {
          EXPECT_GT(depth, open.back());
        }
        open.push_back(depth);
      } else if (event.type == Type::TYPE_SLICE_END) {
        ASSERT_FALSE(open.empty());
        open.pop_back();
      }
    }
    EXPECT_EQ(trace.losses.size(), 1u);
    EXPECT_EQ(trace.losses.begin()->second, 257u);  // TRC-20
  });
}

TEST(TracingSdk, events_that_begin_and_end_by_hand_a_hundred_deep) {
  in_child([] {
    ASSERT_TRUE(start_local());
    for (int i = 0; i < 100; ++i) TRACE_BEGIN(kOn, "by hand");
    for (int i = 0; i < 100; ++i) TRACE_END(kOn);
    TRACE_END(kOn);  // one too many is no event
    OwnService service;
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size(), 200u);
    EXPECT_TRUE(is_balanced(trace));
  });
}

// TRC-22
TEST(TracingSdk, loss_at_the_end_is_said_although_no_event_follows) {
  in_child([] {
    ASSERT_TRUE(start_local({128, 2, 4}));
    for (int i = 0; i < 100; ++i) TRACE_INSTANT(kOn, "an event");
    OwnService service;
    service.poll();
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size() + tracing::dropped(), 100u);
    ASSERT_EQ(trace.losses.size(), 1u);
    EXPECT_EQ(trace.losses.begin()->second, 257u);
    EXPECT_EQ(service.counts.lost, tracing::dropped());
  });
}

// TRC-8
TEST(TracingSdk, a_full_registry_costs_bytes_and_no_events) {
  in_child([] {
    ASSERT_TRUE(start_local({1024, 256, 4}, 4096));
    tracing::detail::Session* const s = tracing::detail::session.load();
    for (int i = 0; s->registry.text("filler " + std::to_string(i)) != 0;) ++i;
    for (int i = 0; s->registry.text(std::to_string(i)) != 0;) ++i;
    TRACE_INSTANT(kOn, "a name that does not fit", "a key that does not fit", 5);
    TRACE_COUNTER(kOn, "a counter that does not fit", 1);
    OwnService service;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 1u);
    EXPECT_EQ(trace.events[0].name, "a name that does not fit");
    EXPECT_EQ(trace.events[0].category, "on");
    EXPECT_EQ(trace.events[0].numbers[0].first, "a key that does not fit");
  });
}

// TRC-29
TEST(TracingSdk, three_hundred_threads_come_and_go) {
  in_child([] {
    ASSERT_TRUE(start_local({1024, 1024, 64}));
    OwnService service;
    for (int i = 0; i < 300; ++i) {
      std::thread([i] {
        TRACE_SCOPE(kOn, "in a thread", "i", i);
      }).join();
      if (i % 10 == 0) service.poll();
    }
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size(), 600u);
    EXPECT_TRUE(is_balanced(trace));
    EXPECT_EQ(tracing::dropped(), 0u);
  });
}
TEST(TracingSdk, more_threads_than_writers_drop_and_count) {
  in_child([] {
    ASSERT_TRUE(start_local({1024, 64, 2}));
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        TRACE_INSTANT(kOn, "in a thread");
        ++ready;
        while (ready.load() < 6) std::this_thread::yield();
      });
    }
    for (std::thread& thread : threads) thread.join();
    OwnService service;
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size(), 2u);
    EXPECT_EQ(tracing::dropped(), 4u);
    EXPECT_EQ(service.counts.lost, 4u);
  });
}

// TRC-29, TRC-47
TEST(TracingSdk, a_child_of_fork_is_silent_until_it_starts_a_session) {
  in_child([] {
    ASSERT_TRUE(start_local());
    TRACE_INSTANT(kOn, "of the parent");
    in_child([] {
      TRACE_INSTANT(kOn, "of nobody");
      TRACE_SCOPE(kOther, "of nobody");
      ASSERT_TRUE(start_local());
      TRACE_INSTANT(kOn, "of the child");
      std::thread([] { TRACE_INSTANT(kOther, "of the child's thread"); }).join();
      OwnService service;
      const Trace trace = service.end();
      ASSERT_EQ(trace.events.size(), 2u);
      EXPECT_EQ(trace.events[0].name, "of the child");
      EXPECT_EQ(trace.events[1].name, "of the child's thread");
    });
    OwnService service;
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size(), 1u);
  });
}
TEST(TracingSdk, fork_inside_a_scope) {
  in_child([] {
    ASSERT_TRUE(start_local());
    {
      TRACE_SCOPE(kOn, "around fork");
      in_child([] { TRACE_SCOPE(kOn, "in the child"); });
    }
    OwnService service;
    const Trace trace = service.end();
    EXPECT_EQ(trace.events.size(), 2u);
    EXPECT_TRUE(is_balanced(trace));
  });
}

// TRC-48: a timer's handler traces, too. What it interrupts decides whether its event is written or dropped.
std::atomic<int> signals{0};
TEST(TracingSdk, events_in_signal_handlers) {
  in_child([] {
    ASSERT_TRUE(start_local({1024, 8192, 4}));
    TRACE_INSTANT(kOn, "the first");  // of the thread: that one is no handler's
    struct sigaction action = {};
    action.sa_handler = [](int) {
      ++signals;
      TRACE_INSTANT(kOther, "in a handler");
    };
    sigaction(SIGALRM, &action, nullptr);
    const itimerval every = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &every, nullptr);
    OwnService service;
    std::uint64_t written = 0;
    const std::uint64_t until = tracing::now_ns() + 400000000;
    while (tracing::now_ns() < until || signals < 20) {
      for (int i = 0; i < 100; ++i) TRACE_INSTANT(kOn, "an event");
      written += 100;
      service.poll();
    }
    const itimerval never = {};
    setitimer(ITIMER_REAL, &never, nullptr);
    const Trace trace = service.end();
    std::uint64_t handlers = 0;
    std::uint64_t others = 0;
    for (const Event& event : trace.events) ++(event.category == "other" ? handlers : others);
    EXPECT_EQ(others + tracing::dropped(), written + 1);
    EXPECT_GT(handlers, 0u);
    EXPECT_EQ(tracing::dropped(), 0u);
    EXPECT_EQ(handlers + tracing::detail::dropped_in_signals.load(), static_cast<std::uint64_t>(signals.load()));
  });
}

// TRC-55: it is empty, as the writer's Text is.
TEST(TracingSdk, a_text_that_is_null_is_empty) {
  in_child([] {
    ASSERT_TRUE(start_local());
    static tracing::Category unnamed{nullptr};
    const char* const none = nullptr;
    char* const writable = nullptr;
    const char without_nul[3] = {'a', 'b', 'c'};
    TRACE_INSTANT(unnamed, none, none, none);
    TRACE_INSTANT(kOn, nullptr, nullptr, nullptr, "view", std::string_view(), "array", without_nul, "w", writable);
    { TRACE_SCOPE_NAMED(kOn, none, "key", none); }
    { TRACE_SCOPE_NAMED(kOn, nullptr); }
    { TRACE_SCOPE_NAMED(kOn, std::string_view(), "key", std::string()); }
    TRACE_INSTANT(kOn, "name", tracing::Name{none}, tracing::Name{nullptr});
    TRACE_BEGIN(kOn, none, none, 1);
    TRACE_END(kOn);
    TRACE_COUNTER(kOn, none, 5);
    TRACE_COUNTER_UNIT(kOn, "counter", none, 6);
    OwnService service;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 13u);
    EXPECT_TRUE(is_balanced(trace));
    for (const Event& event : trace.events) {
      if (event.name != "counter") {
        EXPECT_EQ(event.name, "");
      }
    }
    EXPECT_EQ(trace.events[1].texts, (std::vector<std::string>{"", "", "abc", ""}));
    EXPECT_EQ(trace.events[11].value, 5);
  });
}
// Where the registry is full, they are in the event itself.
TEST(TracingSdk, a_text_that_is_null_is_empty_in_a_full_registry) {
  in_child([] {
    ASSERT_TRUE(start_local({1024, 256, 4}, 4096));
    tracing::detail::Session* const s = tracing::detail::session.load();
    for (int i = 0; s->registry.text("filler " + std::to_string(i)) != 0;) ++i;
    for (int i = 0; s->registry.text(std::to_string(i)) != 0;) ++i;
    static tracing::Category bad{"caf\xe9"};
    const char* const none = nullptr;
    TRACE_INSTANT(bad, none, none, none);
    TRACE_INSTANT(bad, "caf\xe9", "caf\xe9", "caf\xe9");
    OwnService service;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 2u);
    EXPECT_EQ(trace.events[0].name, "");
    EXPECT_EQ(trace.events[1].name, "caf\xef\xbf\xbd");
    EXPECT_EQ(trace.events[1].category, "caf\xef\xbf\xbd");
    EXPECT_EQ(trace.events[1].texts, std::vector<std::string>{"caf\xef\xbf\xbd"});
  });
}

// TRC-51: a producer that writes a begin which the service refuses, in each way.
TEST(TracingSdk, a_begin_that_is_refused_takes_its_end_along) {
  in_child([] {
    ASSERT_TRUE(start_local());
    const auto refused_begin = [](auto add) {
      tracing::detail::Thread* const thread = tracing::detail::this_thread();
      auto packet = thread->out.message<tracing::hot::TracePacketWriter>();
      packet.set_timestamp(tracing::now_ns());
      auto event = packet.set_track_event();
      event.set_type(Type::TYPE_SLICE_BEGIN);
      add(event);
    };
    TRACE_BEGIN(kOn, "outer", "depth", 0);
    for (int i = 0; i < 5; ++i) {
      refused_begin([i](tracing::hot::TrackEventWriter& event) {
        static const std::uint8_t kGroup[] = {0x0b, 0x0c};
        static const std::uint8_t kCut[] = {0xba, 0x01, 0x05};
        if (i == 0) event.set_name_iid(99);
        if (i == 1) event.set_counter_value(1);
        if (i == 2) event.append_raw(hotpb::Bytes(kGroup, sizeof kGroup));
        if (i == 3) event.append_raw(hotpb::Bytes(kCut, sizeof kCut));
        if (i == 4) event.set_track_uuid(1);
      });
      { TRACE_SCOPE(kOn, "inner", "depth", 1); }
      TRACE_BEGIN(kOn, "inner", "depth", 1);
      TRACE_END(kOn);
      tracing::detail::end(*tracing::detail::this_thread());  // of the begin that is refused
    }
    TRACE_INSTANT(kOn, "still inside");
    TRACE_END(kOn);
    OwnService service;
    service.refuses = true;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 2u + 5 * 4 + 1);
    EXPECT_TRUE(is_balanced(trace));
    EXPECT_EQ(trace.events[trace.events.size() - 2].name, "still inside");
    EXPECT_EQ(trace.events.back().type, Type::TYPE_SLICE_END);
  });
}

// A call site whose category is an argument of its function.
TEST(TracingSdk, a_category_that_is_an_argument) {
  in_child([] {
    ASSERT_TRUE(start_local());
    TRACE_INSTANT(kOther, "known");
    tracing::Categories::set([](std::string_view name) { return name == "on"; });
    const auto trace_with = [](tracing::Category& category) {
      TRACE_SCOPE(category, "scope");
      TRACE_COUNTER(category, "counter", 1);
    };
    for (int i = 0; i < 2; ++i) {
      trace_with(kOn);
      trace_with(kOther);
    }
    tracing::Categories::set([](std::string_view) { return true; });
    trace_with(kOther);
    OwnService service;
    const Trace trace = service.end();
    ASSERT_EQ(trace.events.size(), 1u + 2 * 3 + 3);
    EXPECT_EQ(trace.events[4].category, "on");
    EXPECT_EQ(trace.events[7].category, "other");
  });
}

// Categories are switched while slices are open that were begun by hand.
TEST(TracingSdk, each_end_by_hand_belongs_to_its_begin_when_categories_are_switched) {
  in_child([] {
    ASSERT_TRUE(start_local());
    const auto switch_to = [](bool on, bool rest) {
      tracing::Categories::set([=](std::string_view name) { return name == "on" ? on : rest; });
    };
    TRACE_INSTANT(kOn, "known");
    TRACE_INSTANT(kOther, "known");
    TRACE_BEGIN(kOn, "outer");
    TRACE_BEGIN(kOther, "ends although off");
    switch_to(true, false);
    TRACE_END(kOther);
    TRACE_BEGIN(kOther, "is off");
    switch_to(true, true);
    TRACE_BEGIN(kOther, "inner");
    TRACE_END(kOther);
    TRACE_END(kOther);  // of the one that was off
    TRACE_INSTANT(kOn, "still inside");
    switch_to(false, false);
    TRACE_END(kOn);
    TRACE_END(kOn);  // one too many
    TRACE_BEGIN(kOn, "off");
    TRACE_END(kOn);
    OwnService service;
    const Trace trace = service.end();
    std::vector<std::string> names;
    std::vector<std::string> open;
    for (const Event& event : trace.events) {
      if (event.type == Type::TYPE_SLICE_BEGIN) open.push_back(event.name);
      names.push_back(event.type == Type::TYPE_SLICE_END ? "/" + open.back() : event.name);
      if (event.type == Type::TYPE_SLICE_END) open.pop_back();
    }
    const std::vector<std::string> wanted = {
        "known", "known", "outer", "ends although off", "/ends although off", "inner", "/inner", "still inside", "/outer"};
    EXPECT_EQ(names, wanted);
  });
}

// TRC-26: what a flight recorder keeps can be read without what it forgot.
TEST(TracingSdk, a_flight_recorder_s_blocks_stand_by_themselves) {
  in_child([] {
    ASSERT_TRUE(start_local());
    tracing::service::FlightRecorder output(3 * 262144);
    tracing::service::FileNumbers numbers;
    tracing::service::TranslateCounts counts;
    tracing::service::Client client(output, numbers, counts, getpid(), 1000);
    tracing::detail::Session* const s = tracing::detail::session.load();
    ASSERT_TRUE(client.open(s->producer.fd(), s->registry.fd(), 1 << 30));
    constexpr int kEvents = 300000;
    for (int i = 0; i < kEvents; ++i) {
      TRACE_INSTANT(kOn, "an event", "i", i);
      TRACE_COUNTER(kOn, "a counter", i);
      if (i % 10000 == 0) {
        ASSERT_TRUE(client.poll());
      }
    }
    client.end();
    EXPECT_GT(output.blocks(), 2u);
    const std::string path = "/dev/shm/tracing-flight." + std::to_string(getpid());
    ASSERT_TRUE(output.dump(path));
    std::string file;
    ASSERT_TRUE(hotpb_test::read_file(path, file));
    unlink(path.c_str());
    EXPECT_LT(file.size(), 5u * 262144);
    const Trace trace = read_trace(hotpb::Bytes(file));
    ASSERT_GT(trace.events.size(), 10000u);
    EXPECT_EQ(trace.events.back().value, kEvents - 1);
    // No hole: from the first that is kept to the last.
    std::int64_t last = -1;
    for (const Event& event : trace.events) {
      if (event.type != Type::TYPE_COUNTER) continue;
      EXPECT_TRUE(last < 0 || event.value == last + 1);
      last = event.value;
    }
  });
}

// TRC-13, TRC-14, TRC-38
TEST(TracingSdk, a_file_that_is_full_stays_a_trace) {
  in_child([] {
    ASSERT_TRUE(start_local());
    char path[] = "/dev/shm/tracing-full.XXXXXX";
    const int fd = mkstemp(path);
    ASSERT_GE(fd, 0);
    signal(SIGXFSZ, SIG_IGN);
    std::uint64_t lost = 0;
    {
      tracing::service::FileOutput output;
      ASSERT_TRUE(output.open(fd));
      tracing::service::FileNumbers numbers;
      tracing::service::TranslateCounts counts;
      tracing::service::Client client(output, numbers, counts, getpid(), 1000);
      tracing::detail::Session* const s = tracing::detail::session.load();
      ASSERT_TRUE(client.open(s->producer.fd(), s->registry.fd(), 1 << 30));
      const auto write = [&](int from, int to) {
        for (int i = from; i < to; ++i) TRACE_INSTANT(kOn, "an event", "i", i);
        ASSERT_TRUE(client.poll());
        output.flush();
      };
      rlimit before = {};
      getrlimit(RLIMIT_FSIZE, &before);
      rlimit small = before;
      small.rlim_cur = 50001;
      setrlimit(RLIMIT_FSIZE, &small);
      write(0, 1000);
      write(1000, 4000);
      EXPECT_GT(output.lost_bytes(), 0u);
      setrlimit(RLIMIT_FSIZE, &before);
      lost = output.lost_bytes();
      write(4000, 4100);
      EXPECT_EQ(output.lost_bytes(), lost);
      client.end();
    }
    std::string file;
    ASSERT_TRUE(hotpb_test::read_file(path, file));
    unlink(path);
    const Trace trace = read_trace(hotpb::Bytes(file));
    EXPECT_GE(trace.events.size(), 1100u);
    EXPECT_LT(trace.events.size(), 4100u);
    EXPECT_EQ(trace.events.back().numbers[0].second, 4099);
    EXPECT_EQ(trace.losses.size(), 1u) << "the sequence is marked";
  });
}

}  // namespace
}  // namespace tracing_test
