// start() and stop(): the area and the registry of this process, which categories are on, and what fork() does.
//
//   tracing::Options options;
//   options.socket = "/run/user/1000/trace";      of the service; empty: nobody is asked, and all categories are on
//   if (!tracing::start(options)) perror("tracing");
//   ...
//   tracing::stop();                              all categories off; a later start() goes on with the same area
//
// A session lives as long as its process. When the service dies, events go on into the area, and the next service gets
// all that is still in it. The child of fork() has no session: it may start one of its own.
#ifndef TRACING_SDK_SESSION_H_
#define TRACING_SDK_SESSION_H_

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "category.h"
#include "connection.h"
#include "hotpb/shm/source.h"
#include "registry.h"

namespace tracing {

struct Options {
  std::string socket;
  std::string process;                                   // its name in the trace; empty: that of its main thread
  hotpb::shm::AreaOptions area = {1024, 4096, 256};      // 4 MiB
  std::uint32_t registry_bytes = 1u << 20;
  std::uint64_t wait_ns = 0;                             // how long an event waits for room before it is dropped
  std::uint64_t connect_ns = 1000000000;                 // how long start() waits for the service
};

namespace detail {

struct Session {
  hotpb::shm::Producer producer;
  Registry registry;
  Options options;
  std::uint32_t generation = 0;

  std::mutex lock;  // of the rest
  std::condition_variable changed;
  bool running = false;
  bool all_on = false;
  std::vector<std::string> on;
  std::unique_ptr<Connection> connection;
  std::thread thread;

  bool is_on(std::string_view name) const {  // with the lock
    if (!running) return false;
    if (all_on) return true;
    for (const std::string& one : on) {
      if (one == name) return true;
    }
    return false;
  }
  void set_categories() {
    Categories::set([this](std::string_view name) { return is_on(name); });
  }
};

// Never destroyed: threads may trace until the process ends.
inline std::atomic<Session*> session{nullptr};
// What call sites know belongs to one session; the child of fork() has another one.
inline std::atomic<std::uint32_t> generation{1};
inline thread_local bool is_meeting = false;
inline std::mutex start_lock;

// While a thread may hold a lock of the session, events of its signal handlers wait for nothing: they are dropped.
class Meeting {
 public:
  Meeting() : before_(is_meeting) { is_meeting = true; }
  ~Meeting() { is_meeting = before_; }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

 private:
  const bool before_;
};

inline void in_child() {
  session.store(nullptr, std::memory_order_relaxed);  // its threads and locks are the parent's: it is left alone
  generation.fetch_add(1, std::memory_order_relaxed);
  new (&start_lock) std::mutex;  // another thread may have held it
  is_meeting = false;
  const int socket = open_socket.exchange(-1, std::memory_order_relaxed);
  if (socket >= 0) ::close(socket);
  Categories::set([](std::string_view) { return false; });
}

inline void apply(Session& s, std::vector<std::string> names) {
  const std::lock_guard<std::mutex> guard(s.lock);
  s.all_on = false;
  for (const std::string& name : names) s.all_on |= name == "*";
  s.on = std::move(names);
  s.set_categories();
  s.connection->set_ready();
  s.changed.notify_all();
}

// In a thread of its own, with all signals blocked.
inline void keep_connected(Session& s) {
  while (s.connection->connect(s.producer.fd(), s.registry.fd())) {
    std::vector<std::string> names;
    while (s.connection->receive(names)) apply(s, names);
  }
}

}  // namespace detail

// Whether a session runs and the service has the area.
inline bool connected() {
  detail::Session* const s = detail::session.load(std::memory_order_acquire);
  if (s == nullptr) return false;
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> guard(s->lock);
  return s->connection != nullptr && s->connection->is_ready();
}

// False: there is no area (errno says why), or a session is running. It waits for the service for `connect_ns` at most,
// and goes on looking for it afterwards. Of a second start() only `socket` and `connect_ns` count.
inline bool start(const Options& options) {
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> starting(detail::start_lock);
  detail::Session* s = detail::session.load(std::memory_order_acquire);
  if (s != nullptr && s->running) {
    errno = EALREADY;
    return false;
  }
  if (s == nullptr) {
    auto fresh = std::make_unique<detail::Session>();
    if (fresh->producer.create(options.area, "tracing-area") != hotpb::shm::AreaError::Ok ||
        !fresh->registry.create(options.registry_bytes)) {
      return false;
    }
    static const bool watches_fork = pthread_atfork(nullptr, nullptr, detail::in_child) == 0;
    if (!watches_fork) return false;
    fresh->registry.process(options.process.empty() ? detail::thread_name(getpid()) : options.process);
    fresh->generation = detail::generation.load(std::memory_order_relaxed);
    fresh->options = options;
    s = fresh.release();
    detail::session.store(s, std::memory_order_release);
  }
  std::unique_lock<std::mutex> guard(s->lock);
  s->running = true;
  s->all_on = options.socket.empty();
  s->on.clear();
  s->set_categories();
  if (options.socket.empty()) return true;
  s->connection = std::make_unique<detail::Connection>(options.socket);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  s->thread = std::thread([s] { detail::keep_connected(*s); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  s->changed.wait_for(guard, std::chrono::nanoseconds(options.connect_ns), [s] { return s->connection->is_ready(); });
  return true;
}

// Scopes that are open write their ends; nothing else is written after it. The service reads what is in the area.
inline void stop() {
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> starting(detail::start_lock);
  detail::Session* const s = detail::session.load(std::memory_order_acquire);
  if (s == nullptr) return;
  {
    const std::lock_guard<std::mutex> guard(s->lock);
    s->running = false;
    s->set_categories();
  }
  if (s->connection == nullptr) return;
  s->connection->stop();
  s->thread.join();
  const std::lock_guard<std::mutex> guard(s->lock);
  s->connection.reset();
}

// Packets that were dropped, over all threads.
inline std::uint64_t dropped() {
  detail::Session* const s = detail::session.load(std::memory_order_acquire);
  return s == nullptr ? 0 : s->producer.dropped();
}

// Not for the hot path: an event reaches it once for each category.
inline bool Category::meet() {
  if (detail::is_meeting) return false;  // in a signal handler, and the lock may be this thread's
  const detail::Meeting meeting;
  Categories::add(*this);
  if (detail::Session* const s = detail::session.load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> guard(s->lock);
    Categories::set(*this, s->is_on(name_));
  } else {
    Categories::set_if_unknown_off(*this);  // start() may have come to it by now
  }
  return state_.load(std::memory_order_relaxed) == kOn;
}

}  // namespace tracing

#endif  // TRACING_SDK_SESSION_H_
