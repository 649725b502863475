// start() and stop(): the area and the registry of this process, which categories are on, and what fork() does.
//
//   tracing::Options options;
//   options.socket = "/run/user/1000/trace";      of the service; empty: nobody is asked, and all categories are on
//   if (!tracing::start(options)) perror("tracing");
//   ...
//   tracing::flush([](bool written) { ... });     when all events so far are in the service's file
//   tracing::stop();                              all categories off; a later start() goes on with the same area
//
// A session lives as long as its process. When the service dies, events go on into the area, and the next service gets
// all that is still in it. The child of fork() has no session: it may start one of its own.
//
// Libraries that are linked to the program's own symbols (in the program itself, or loaded by a program that was linked
// with -rdynamic) trace into its session. A library with symbols of its own traces into nothing until it adopts the
// program's session: the program passes tracing::share() to a function of the library, which passes it to
// tracing::adopt(). Only the program starts and stops the session. Both are compiled with the same version of the SDK.
// A library may be unloaded when none of its functions runs and none of its scopes is open.
#ifndef TRACING_SDK_SESSION_H_
#define TRACING_SDK_SESSION_H_

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
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
  bool early = false;                                    // keep the events before the first service: as many as fit
                                                         // into the area; others are dropped and counted
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
  pthread_t thread = {};
  std::vector<std::function<void(bool)>> flushes;  // that no service has answered yet
  std::uint64_t flushes_asked = 0;                 // the number of the last of them

  // All categories are on because no service has said which are (TRC-53).
  std::atomic<bool> is_early{false};

  bool is_on(std::string_view name) const {  // with the lock
    if (!running) return false;
    if (all_on || is_early.load(std::memory_order_relaxed)) return true;
    for (const std::string& category : on) {
      if (category == name) return true;
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
  s.is_early.store(false, std::memory_order_relaxed);
  s.all_on = false;
  for (const std::string& name : names) s.all_on |= name == "*";
  s.on = std::move(names);
  s.set_categories();
  s.connection->set_ready();
  s.changed.notify_all();
}

// The flushes up to a number are answered, in the session's thread.
inline void answer(Session& s, std::uint64_t number, bool written) {
  std::vector<std::function<void(bool)>> answered;
  {
    const std::lock_guard<std::mutex> guard(s.lock);
    const std::uint64_t before = s.flushes_asked - s.flushes.size();
    if (number <= before) return;
    const auto end = s.flushes.begin() + static_cast<std::ptrdiff_t>(std::min(number, s.flushes_asked) - before);
    answered.assign(std::make_move_iterator(s.flushes.begin()), std::make_move_iterator(end));
    s.flushes.erase(s.flushes.begin(), end);
  }
  for (const auto& done : answered) done(written);
}
inline bool ask_for_flushes(Session& s) {
  std::uint64_t number = 0;
  {
    const std::lock_guard<std::mutex> guard(s.lock);
    if (s.flushes.empty()) return true;
    number = s.flushes_asked;
  }
  return s.connection->ask_for_flush(number);
}

// In a thread of its own, with all signals blocked.
inline void keep_connected(Session& s) {
  // A library that started the session stays loaded as long as this thread runs: it has this object.
  struct Stay {
    ~Stay() { asm volatile("" ::: "memory"); }  // not to be optimised away
  };
  static thread_local Stay stay;
  static_cast<void>(stay);
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  while (s.connection->connect(s.producer.fd(), s.registry.fd())) {
    Connection::Message message;
    for (bool goes_on = true; goes_on;) {
      switch (s.connection->receive(message)) {
        case Connection::Event::Gone: goes_on = false; break;
        case Connection::Event::Woken: goes_on = ask_for_flushes(s); break;
        case Connection::Event::Message:
          apply(s, std::move(message.categories));
          answer(s, message.flushed, !message.unwritten);
          break;
      }
    }
    s.connection->disconnect();
    answer(s, kAll, false);
  }
}
inline void* run_connection(void* session_of_thread) {
  keep_connected(*static_cast<Session*>(session_of_thread));
  return nullptr;
}

// ---- libraries with symbols of their own ----

struct Thread;                // event.h
inline Thread* own_thread();  // of the calling thread; nullptr: its events are dropped

inline bool meet(Category& category) {
  if (is_meeting) return false;  // in a signal handler, and the lock may be this thread's
  const Meeting meeting;
  Categories::add(category);
  if (Session* const s = session.load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> guard(s->lock);
    const bool on = s->is_on(category.name());
    Categories::set(category, on);
    return on;
  }
  Categories::set_if_unknown_off(category);  // start() may have come to it by now
  return false;
}
inline void forget(Category& category) {
  if (is_meeting) return;  // exit() in a signal handler
  const Meeting meeting;
  Categories::remove(category);
}

// What a program shares with a library: code and variables that are the program's.
struct Host {
  std::uint64_t layout;  // the first in every version
  std::atomic<Session*>* session;
  bool (*meet)(Category&);
  void (*forget)(Category&);
  Thread* (*thread)();
};
extern const Host own_host;  // event.h
inline std::atomic<const Host*> host{&own_host};

inline Session* shared_session() {
  return host.load(std::memory_order_acquire)->session->load(std::memory_order_acquire);
}
}  // namespace detail

// Whether a session runs and the service has the area.
inline bool connected() {
  detail::Session* const s = detail::shared_session();
  if (s == nullptr) return false;
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> guard(s->lock);
  return s->connection != nullptr && s->connection->is_ready();
}

// False: there is no session, and errno says why: EINVAL for sizes that no area or registry has, ENAMETOOLONG for the
// socket's path, EALREADY if a session runs, EPERM if it is another's that was adopted, or what the system lacks.
// It waits for the service for `connect_ns` at most, and goes on looking for it afterwards. Of a second start() only
// `socket`, `connect_ns` and `early` count.
inline bool start(const Options& options) {
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> starting(detail::start_lock);
  const auto fails = [](int reason) {
    errno = reason;
    return false;
  };
  if (detail::host.load(std::memory_order_acquire) != &detail::own_host) return fails(EPERM);
  detail::Session* s = detail::session.load(std::memory_order_acquire);
  if (s != nullptr && s->running) return fails(EALREADY);
  std::unique_ptr<detail::Connection> connection;
  if (!options.socket.empty()) {
    connection = std::make_unique<detail::Connection>(options.socket);
    if (const int problem = connection->problem()) return fails(problem);
  }
  if (s == nullptr) {
    auto fresh = std::make_unique<detail::Session>();
    switch (fresh->producer.create(options.area, "tracing-area")) {
      case hotpb::shm::AreaError::Ok: break;
      case hotpb::shm::AreaError::System: return false;
      default: return fails(EINVAL);
    }
    if (!fresh->registry.create(options.registry_bytes)) return false;
    static const int watches_fork = pthread_atfork(nullptr, nullptr, detail::in_child);
    if (watches_fork != 0) return fails(watches_fork);
    fresh->registry.process(options.process.empty() ? detail::process_name() : options.process);
    fresh->generation = detail::generation.load(std::memory_order_relaxed);
    fresh->options = options;
    s = fresh.release();
    detail::session.store(s, std::memory_order_release);
  }
  std::unique_lock<std::mutex> guard(s->lock);
  if (connection != nullptr) {
    s->connection = std::move(connection);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int problem = pthread_create(&s->thread, nullptr, detail::run_connection, s);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (problem != 0) {
      s->connection.reset();
      return fails(problem);
    }
  }
  s->running = true;
  s->all_on = s->connection == nullptr;
  s->is_early.store(options.early && !s->all_on, std::memory_order_relaxed);
  s->on.clear();
  s->set_categories();
  if (s->connection == nullptr) return true;
  s->changed.wait_for(guard, std::chrono::nanoseconds(options.connect_ns), [s] { return s->connection->is_ready(); });
  return true;
}

// Scopes that are open write their ends; nothing else is written after it. The service reads what is in the area.
// Flushes that were not answered are answered with false.
inline void stop() {
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> starting(detail::start_lock);
  detail::Session* const s = detail::session.load(std::memory_order_acquire);
  if (s == nullptr) return;
  {
    const std::lock_guard<std::mutex> guard(s->lock);
    s->running = false;
    s->is_early.store(false, std::memory_order_relaxed);
    s->set_categories();
  }
  if (s->connection == nullptr) return;
  s->connection->stop();
  pthread_join(s->thread, nullptr);
  const std::lock_guard<std::mutex> guard(s->lock);
  s->connection.reset();
}

// Calls `done(true)` when every event that had ended before, in whatever thread, is in the service's output (a file, or
// a flight recorder's memory), and `done(false)` when the connection ends before, or the output could not be written.
// `done` is called in the session's thread: it must return soon, and not call stop(). False: no service is connected
// (ENOTCONN), and `done` is not called.
inline bool flush(std::function<void(bool written)> done) {
  detail::Session* const s = detail::shared_session();
  if (s != nullptr) {
    const detail::Meeting meeting;
    const std::lock_guard<std::mutex> guard(s->lock);
    if (s->connection != nullptr && s->connection->is_ready()) {
      s->flushes.push_back(std::move(done));
      ++s->flushes_asked;
      s->connection->wake();
      return true;
    }
  }
  errno = ENOTCONN;
  return false;
}

// Packets that were dropped, over all threads.
inline std::uint64_t dropped() {
  detail::Session* const s = detail::shared_session();
  return s == nullptr ? 0 : s->producer.dropped();
}

// What adopt() of a library needs. It is valid as long as this program, or the library that it adopted it from, is.
inline const void* share() { return detail::host.load(std::memory_order_acquire); }

// For a library with symbols of its own: its events go into the session of the program that shares it. Call it before
// the library's first event. False: errno is EINVAL for a null pointer, EPROTO if the program has another version of
// the SDK or was compiled with other settings of hotpb, EALREADY if the library has started a session of its own.
inline bool adopt(const void* shared) {
  const detail::Meeting meeting;
  const std::lock_guard<std::mutex> starting(detail::start_lock);
  const auto* const theirs = static_cast<const detail::Host*>(shared);
  if (theirs != nullptr && theirs == detail::host.load(std::memory_order_acquire)) return true;
  errno = 0;
  if (theirs == nullptr) errno = EINVAL;
  else if (theirs->layout != detail::own_host.layout) errno = EPROTO;
  else if (detail::session.load(std::memory_order_acquire) != nullptr) errno = EALREADY;
  if (errno != 0) return false;
  detail::host.store(theirs, std::memory_order_release);
  Categories::release();
  return true;
}

inline bool Category::meet() { return detail::host.load(std::memory_order_acquire)->meet(*this); }
inline Category::~Category() { detail::host.load(std::memory_order_acquire)->forget(*this); }

}  // namespace tracing

#include "event.h"

#endif  // TRACING_SDK_SESSION_H_
