// Sessions: why there is none, flushes, events before the first service, categories that end.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "own_service.h"

namespace tracing_test {
namespace {

tracing::Category kOn{"on"};
tracing::Category kOther{"other"};

// Every start() that returns false says why.
TEST(TracingSession, errno_says_why_there_is_no_session) {
  in_child([] {
    const auto reason = [](const tracing::Options& options) {
      errno = 0;
      EXPECT_FALSE(tracing::start(options));
      return errno;
    };
    for (const hotpb::shm::AreaOptions area :
         {hotpb::shm::AreaOptions{0, 4096, 64}, {100, 4096, 64}, {16384, 4096, 64}, {1024, 1, 64}, {1024, 4096, 0},
          {1024, 1u << 21, 64}, {1024, 4096, 70000}}) {
      tracing::Options options;
      options.area = area;
      EXPECT_EQ(reason(options), EINVAL);
    }
    tracing::Options options;
    options.registry_bytes = 100;
    EXPECT_EQ(reason(options), EINVAL);
    options.registry_bytes = 1u << 30;
    EXPECT_EQ(reason(options), EINVAL);
    options = {};
    options.socket = std::string(108, 'x');
    EXPECT_EQ(reason(options), ENAMETOOLONG);
    options.socket = "/dev/shm/tracing-sdk-test.none";
    options.connect_ns = 0;
    rlimit before = {};
    getrlimit(RLIMIT_NOFILE, &before);
    const int next = ::dup(0);
    ::close(next);
    for (int files = 0; files < 3; ++files) {  // of the connection, the area, the registry
      rlimit few = before;
      few.rlim_cur = static_cast<rlim_t>(next + files);
      setrlimit(RLIMIT_NOFILE, &few);
      EXPECT_EQ(reason(options), EMFILE) << files;
      setrlimit(RLIMIT_NOFILE, &before);
    }
    ASSERT_TRUE(tracing::start(options));
    EXPECT_EQ(reason(options), EALREADY);
    tracing::stop();
    errno = 0;
    EXPECT_FALSE(tracing::flush([](bool) {}));
    EXPECT_EQ(errno, ENOTCONN);
    errno = 0;
    EXPECT_FALSE(tracing::adopt(nullptr));
    EXPECT_EQ(errno, EINVAL);
    const tracing::detail::Host another = {tracing::detail::layout() + 1, nullptr, nullptr, nullptr, nullptr};
    errno = 0;
    EXPECT_FALSE(tracing::adopt(&another));
    EXPECT_EQ(errno, EPROTO);
    EXPECT_TRUE(tracing::adopt(tracing::share())) << "its own";
  });
}

// A service with a socket, in a thread.
class ThreadService {
 public:
  explicit ThreadService(std::vector<std::string> categories, tracing::service::Output& output)
      : server_(output, options(std::move(categories))), thread_([this] {
          EXPECT_TRUE(server_.listen());
          listens_ = true;
          while (!stop_) server_.step(1);
          server_.drain();
        }) {
    while (!listens_) std::this_thread::yield();
  }
  ~ThreadService() { end(); }
  void end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  static std::string path() { return "/dev/shm/tracing-sdk-socket." + std::to_string(getpid()); }

 private:
  static tracing::service::ServerOptions options(std::vector<std::string> categories) {
    tracing::service::ServerOptions chosen;
    chosen.socket = path();
    chosen.categories = std::move(categories);
    return chosen;
  }
  tracing::service::Server server_;
  std::atomic<bool> listens_{false};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};
class Recorder final : public tracing::service::Output {
 public:
  void flush() override { flushed = buffer_.size(); }
  std::atomic<std::size_t> flushed{0};
};

// TRC-52
TEST(TracingSession, a_flush_is_answered_when_all_events_before_it_are_in_the_output) {
  in_child([] {
    Recorder output;
    ThreadService service({"*"}, output);
    tracing::Options options;
    options.socket = ThreadService::path();
    options.connect_ns = 60000000000;
    ASSERT_TRUE(tracing::start(options));
    std::size_t before = 0;
    for (int round = 0; round < 20; ++round) {
      std::thread([] { for (int i = 0; i < 100; ++i) TRACE_INSTANT(kOn, "in a thread"); }).join();
      TRACE_INSTANT(kOn, "an event");
      std::promise<bool> written;
      std::size_t bytes = 0;
      ASSERT_TRUE(tracing::flush([&](bool good) {
        bytes = output.flushed;
        written.set_value(good);
      }));
      ASSERT_TRUE(written.get_future().get());
      EXPECT_GE(bytes, before + 101 * 8);
      before = bytes;
    }
    // Many at once: each is answered, in order.
    std::vector<int> order;
    std::promise<void> last;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(tracing::flush([&, i](bool good) {
        EXPECT_TRUE(good);
        order.push_back(i);
        if (i == 99) last.set_value();
      }));
    }
    last.get_future().get();
    ASSERT_EQ(order.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    service.end();
    EXPECT_EQ(read_trace(output.buffer().bytes()).events.size(), 20u * 101);
    tracing::stop();
  });
}
TEST(TracingSession, a_flush_that_no_service_answers_is_answered_with_false) {
  in_child([] {
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = ThreadService::path();
    std::memcpy(address.sun_path, path.c_str(), path.size());
    ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(listener, 4), 0);
    tracing::Options options;
    options.socket = path;
    options.connect_ns = 0;
    ASSERT_TRUE(tracing::start(options));
    for (const bool service_ends : {true, false}) {
      const int connection = accept(listener, nullptr, nullptr);
      ASSERT_GE(connection, 0);
      ASSERT_EQ(send(connection, "\x0a\x01*", 3, 0), 3);
      while (!tracing::connected()) std::this_thread::yield();
      std::promise<bool> written;
      ASSERT_TRUE(tracing::flush([&](bool good) { written.set_value(good); }));
      char bytes[64];
      ASSERT_GT(recv(connection, bytes, sizeof bytes, 0), 0);  // Hello
      ASSERT_GT(recv(connection, bytes, sizeof bytes, 0), 0);  // Flush
      if (service_ends) close(connection);
      else tracing::stop();
      EXPECT_FALSE(written.get_future().get());
    }
    unlink(path.c_str());
  });
}

// TRC-53: of the events before the first service, it writes those of the categories that it wants.
TEST(TracingSession, early_events_are_kept) {
  in_child([] {
    tracing::Options options;
    options.socket = ThreadService::path();
    options.connect_ns = 0;
    options.early = true;
    ASSERT_TRUE(tracing::start(options));
    const auto trace_it = [](int round) {
      TRACE_SCOPE(kOn, "outer", "round", round);
      {
        TRACE_SCOPE(kOther, "not wanted");
        TRACE_BEGIN(kOn, "by hand");
        TRACE_COUNTER(kOther, "not wanted", round);
        TRACE_COUNTER(kOn, "counter", round);
        TRACE_END(kOn);
      }
      TRACE_INSTANT(kOn, "in it");
    };
    trace_it(1);
    trace_it(2);
    TRACE_BEGIN(kOther, "not wanted, and open when the service comes");
    TRACE_BEGIN(kOn, "open when the service comes");
    Recorder output;
    ThreadService service({"on"}, output);
    while (!tracing::connected()) std::this_thread::yield();
    TRACE_END(kOn);
    TRACE_END(kOther);
    trace_it(3);
    tracing::stop();
    service.end();
    const Trace trace = read_trace(output.buffer().bytes());
    EXPECT_TRUE(is_balanced(trace));
    ASSERT_EQ(trace.events.size(), 3u * 6 + 2);
    for (const Event& event : trace.events) EXPECT_NE(event.name, "not wanted");
    EXPECT_EQ(trace.events[12].name, "open when the service comes");
    EXPECT_EQ(trace.events[13].type, Type::TYPE_SLICE_END);
    EXPECT_TRUE(trace.losses.empty());
    EXPECT_EQ(tracing::dropped(), 0u);
  });
}
TEST(TracingSession, early_events_beyond_the_area_are_dropped_and_counted) {
  in_child([] {
    tracing::Options options;
    options.socket = ThreadService::path();
    options.connect_ns = 0;
    options.area = {1024, 16, 4};
    options.early = true;
    ASSERT_TRUE(tracing::start(options));
    for (int i = 0; i < 3000; ++i) TRACE_INSTANT(kOn, "an event", "i", i);
    const std::uint64_t dropped = tracing::dropped();
    EXPECT_GT(dropped, 1000u);
    Recorder output;
    ThreadService service({"*"}, output);
    while (!tracing::connected()) std::this_thread::yield();
    tracing::stop();
    service.end();
    const Trace trace = read_trace(output.buffer().bytes());
    EXPECT_EQ(trace.events.size() + dropped, 3000u);
    EXPECT_EQ(trace.losses.size(), 1u);
  });
}
TEST(TracingSession, without_early_no_event_before_the_service_is_kept) {
  in_child([] {
    tracing::Options options;
    options.socket = ThreadService::path();
    options.connect_ns = 0;
    ASSERT_TRUE(tracing::start(options));
    TRACE_INSTANT(kOn, "too early");
    Recorder output;
    ThreadService service({"*"}, output);
    while (!tracing::connected()) std::this_thread::yield();
    TRACE_INSTANT(kOn, "in time");
    tracing::stop();
    service.end();
    ASSERT_EQ(read_trace(output.buffer().bytes()).events.size(), 1u);
  });
}

// Categories that are destroyed: those of a function, and of a library that is unloaded (plugin_host.cc).
TEST(TracingSession, a_category_that_ends_is_forgotten) {
  in_child([] {
    ASSERT_TRUE(start_local());
    for (int i = 0; i < 10; ++i) {
      tracing::Category first{"first"};
      auto second = std::make_unique<tracing::Category>("second");
      tracing::Category third{"third"};
      EXPECT_TRUE(first.is_on() && second->is_on() && third.is_on());
      second.reset();
      tracing::Categories::set([](std::string_view) { return true; });
    }
    tracing::stop();
    ASSERT_TRUE(start_local());
    EXPECT_TRUE(kOn.is_on());
  });
}

}  // namespace
}  // namespace tracing_test
