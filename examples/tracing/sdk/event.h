// One event: what is known of a call site, what is known of a thread, and the packet. The macros of tracing.h lead here
// when a category is on; nothing here is in line at a call site.
//
// Loss never tears what is nested: a scope whose begin found no room writes no end, and an end that found none is
// written, with its time, before the thread's next event (TRC-28).
#ifndef TRACING_SDK_EVENT_H_
#define TRACING_SDK_EVENT_H_

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include "hotpb/shm/source.h"
#include "hotpb/wire/varint.h"
#include "session.h"
#include "tracing/packet.hot.h"

#define TRACING_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TRACING_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define TRACING_NOINLINE __attribute__((noinline))
#define TRACING_INLINE inline __attribute__((always_inline))

namespace tracing {

// An event that goes on elsewhere, in another thread or process: events with the same number are joined by an arrow.
struct Flow {
  std::uint64_t id;
};
struct FlowEnd {
  std::uint64_t id;
};
// A name that is not a literal: it is written out in each event.
struct Name {
  std::string_view text;
};

inline std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

namespace detail {

using Type = hot::TrackEvent_Type;

// What a call site has found out in the session `generation`: the numbers of its texts, 0 for those that did not fit
// into the registry.
struct SiteBase {
  constexpr SiteBase(Category& its_category, const char* its_name) : category(its_category), name(its_name) {}
  Category& category;
  const char* const name;  // nullptr: the event brings it
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> name_id{0};
  std::atomic<std::uint32_t> category_id{0};
  std::atomic<bool> writes_text{false};  // a number is missing
};
template <std::size_t kKeys>
struct Site : SiteBase {
  using SiteBase::SiteBase;
  std::atomic<std::uint32_t> key_ids[kKeys == 0 ? 1 : kKeys] = {};
};

struct Thread {
  Thread(Session& its_session, std::uint64_t wait_ns)
      : session(its_session), generation(its_session.generation), out(its_session.producer, wait_ns) {}

  static constexpr std::size_t kOwed = 32;
  Session& session;
  const std::uint32_t generation;
  hotpb::shm::Stream out;
  volatile bool busy = false;         // in an event: a signal handler drops its own
  std::uint32_t owed = 0;             // ends that found no room,
  std::uint64_t owed_at[kOwed] = {};  // and their times; what is above that number gets the last one
  std::uint64_t open = 0;             // of TRACE_BEGIN: a bit for each of the outer 64 levels, 1 if it was written
  std::uint32_t depth = 0;
};

inline thread_local Thread* current = nullptr;
inline thread_local bool is_leaving = false;
inline std::atomic<std::uint64_t> dropped_in_signals{0};

// ---- packets whose size has a bound: their bytes go straight into the chunk ----

constexpr std::size_t kTimeRoom = 1 + 10;
constexpr std::size_t kIidRoom = 1 + 5;
constexpr std::size_t kEventRoom = 2 + 2 * kIidRoom;  // type, category, name
constexpr std::size_t kNumberRoom = 2 + kIidRoom + 1 + 10;
constexpr std::size_t kFlowRoom = 2 + 8;
constexpr std::size_t kMostRoom = 127;                // its length is one byte
constexpr std::size_t kOverhang = 16;                 // of stores that write more than the value has

TRACING_INLINE std::uint8_t* put(std::uint8_t* p, std::uint8_t tag, std::uint64_t value) {
  *p = tag;
  return hotpb::wire::write_varint(p + 1, value);
}
template <class Value>
TRACING_INLINE std::uint8_t* put_fixed64(std::uint8_t* p, std::uint32_t number, Value value) {
  static_assert(sizeof value == 8);
  p = hotpb::wire::write_varint(p, hotpb::wire::make_tag(number, hotpb::wire::WireType::Fixed64));
  std::memcpy(p, &value, sizeof value);
  return p + sizeof value;
}
// A packet with a time and an event of at most `room` bytes. False: there is no room for it here.
template <class Body>
TRACING_INLINE bool write_whole(Thread& thread, std::uint64_t now, std::size_t room, Body body) {
  std::uint8_t* p = thread.out.begin_whole(kTimeRoom + 2 + room + kOverhang);
  if (TRACING_UNLIKELY(p == nullptr)) return false;
  p = put(p, 0x40, now);  // timestamp
  *p = 0x5a;              // track_event
  std::uint8_t* const length = p + 1;
  p = body(p + 2);
  *length = static_cast<std::uint8_t>(p - length - 1);
  thread.out.end_whole(p);
  return true;
}

TRACING_NOINLINE inline bool write_end_slowly(Thread& thread, std::uint64_t now) {
  const std::uint64_t before = thread.out.dropped();
  {
    auto packet = thread.out.message<hot::TracePacketWriter>();
    packet.set_timestamp(now);
    packet.set_track_event().set_type(Type::TYPE_SLICE_END);
  }
  return thread.out.dropped() == before;
}
TRACING_NOINLINE inline bool write_end(Thread& thread, std::uint64_t now) {
  const bool whole = write_whole(thread, now, 2, [](std::uint8_t* p) {
    p[0] = 0x48;  // type
    p[1] = static_cast<std::uint8_t>(Type::TYPE_SLICE_END);
    return p + 2;
  });
  if (TRACING_UNLIKELY(!whole)) return write_end_slowly(thread, now);
  return true;
}
// Ends that are owed. False: there is no room yet, and the event that comes now is dropped for it.
TRACING_NOINLINE inline bool pay(Thread& thread) {
  std::uint32_t paid = 0;
  while (paid < thread.owed) {
    if (!write_end(thread, thread.owed_at[paid < Thread::kOwed ? paid : Thread::kOwed - 1])) break;
    ++paid;
  }
  thread.owed -= paid;
  for (std::uint32_t i = 0; i < thread.owed && i < Thread::kOwed; ++i) {
    thread.owed_at[i] = thread.owed_at[i + paid < Thread::kOwed ? i + paid : Thread::kOwed - 1];
  }
  return thread.owed == 0;
}
inline void owe(Thread& thread, std::uint64_t now) {
  thread.owed_at[thread.owed < Thread::kOwed ? thread.owed : Thread::kOwed - 1] = now;
  ++thread.owed;
}

struct Leaving {
  ~Leaving() {
    is_leaving = true;
    std::unique_ptr<Thread> thread(current);
    current = nullptr;
    if (thread == nullptr) return;
    // The child of fork() leaves its parent's stream alone.
    if (thread->generation != generation.load(std::memory_order_relaxed)) static_cast<void>(thread.release());
    else if (thread->owed != 0) pay(*thread);
  }
};

// The thread's first event of this session; nullptr: there is none, or the thread is ending.
TRACING_NOINLINE inline Thread* make_thread() {
  Session* const s = session.load(std::memory_order_acquire);
  if (s == nullptr || is_leaving || is_meeting) return nullptr;
  const Meeting meeting;
  static thread_local Leaving leaving;
  static_cast<void>(leaving);
  // A thread of another generation was the parent's, before fork(): what it points to is not touched.
  current = nullptr;
  Thread* const thread = new (std::nothrow) Thread(*s, s->options.wait_ns);
  if (thread == nullptr) return nullptr;
  const auto tid = static_cast<pid_t>(::syscall(SYS_gettid));
  if (thread->out.sequence() != 0) s->registry.thread(thread->out.sequence(), tid, thread_name(tid));
  return current = thread;
}

// This thread, marked as busy; nullptr: the event is dropped.
TRACING_INLINE Thread* enter() {
  Thread* thread = current;
  if (TRACING_UNLIKELY(thread == nullptr || thread->generation != generation.load(std::memory_order_relaxed))) {
    thread = make_thread();
    if (thread == nullptr) return nullptr;
  }
  if (TRACING_UNLIKELY(thread->busy)) {
    dropped_in_signals.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  thread->busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return thread;
}
TRACING_INLINE void leave(Thread& thread) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread.busy = false;
}

// ---- arguments: Flow, FlowEnd, Name, or a key and a value ----

template <class Arg>
constexpr bool kIsMark = std::is_same_v<std::decay_t<Arg>, Flow> || std::is_same_v<std::decay_t<Arg>, FlowEnd> ||
                         std::is_same_v<std::decay_t<Arg>, Name>;

template <std::size_t>
struct Count {};
// How many keys there may be; never called.
template <class... Args>
Count<sizeof...(Args) / 2> count(const Args&...);
template <class T>
struct KeysOf;
template <std::size_t kKeys>
struct KeysOf<Count<kKeys>> {
  static constexpr std::size_t value = kKeys;
};

// How many there are.
template <class... Args>
constexpr std::size_t keys_of() {
  return (sizeof...(Args) - (std::size_t{0} + ... + std::size_t{kIsMark<Args>})) / 2;
}
template <class Counted>
using SiteFor = Site<KeysOf<Counted>::value>;

template <class Event, class Value>
TRACING_INLINE void set_value(Event& annotation, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) annotation.set_bool_value(value);
  else if constexpr (std::is_floating_point_v<Value>) annotation.set_double_value(static_cast<double>(value));
  else if constexpr (std::is_enum_v<Value>) annotation.set_int_value(static_cast<std::int64_t>(value));
  else if constexpr (std::is_integral_v<Value> && std::is_unsigned_v<Value>) annotation.set_uint_value(value);
  else if constexpr (std::is_integral_v<Value>) annotation.set_int_value(value);
  else if constexpr (std::is_convertible_v<const Value&, std::string_view>)
    annotation.set_string_value(std::string_view(value));
  else annotation.set_pointer_value(reinterpret_cast<std::uintptr_t>(value));
}

// The bytes that the arguments have at most; 0 where there is text, whose size only the call knows.
template <class Value>
constexpr bool kIsNumber = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;
template <std::size_t kSum>
constexpr std::size_t room() {
  return kSum;
}
template <std::size_t kSum, class Value, class... Rest>
constexpr std::size_t pair_room();
template <std::size_t kSum, class First, class... Rest>
constexpr std::size_t room() {
  if constexpr (std::is_same_v<First, Flow> || std::is_same_v<First, FlowEnd>) {
    return room<kSum + kFlowRoom, Rest...>();
  } else if constexpr (std::is_same_v<First, Name> || sizeof...(Rest) == 0) {
    return 0;
  } else {
    return pair_room<kSum, Rest...>();
  }
}
template <std::size_t kSum, class Value, class... Rest>
constexpr std::size_t pair_room() {
  if constexpr (kIsNumber<Value>) return room<kSum + kNumberRoom, Rest...>();
  else return 0;
}

TRACING_INLINE std::uint8_t* put_args(std::uint8_t* p, const std::atomic<std::uint32_t>*) { return p; }
template <class First, class... Rest>
TRACING_INLINE std::uint8_t* put_args(std::uint8_t* p, const std::atomic<std::uint32_t>* ids, const First& first,
                                      const Rest&... rest);
template <class Value, class... Rest>
TRACING_INLINE std::uint8_t* put_pair(std::uint8_t* p, const std::atomic<std::uint32_t>* ids, const Value& value,
                                      const Rest&... rest) {
  *p = 0x22;  // debug_annotations
  std::uint8_t* const length = p + 1;
  p = put(p + 2, 0x08, ids->load(std::memory_order_relaxed));
  if constexpr (std::is_same_v<Value, bool>) p = put(p, 0x10, value ? 1 : 0);
  else if constexpr (std::is_floating_point_v<Value>) p = put_fixed64(p, 5, static_cast<double>(value));
  else if constexpr (std::is_integral_v<Value> && std::is_unsigned_v<Value>) p = put(p, 0x18, value);
  else p = put(p, 0x20, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  *length = static_cast<std::uint8_t>(p - length - 1);
  return put_args(p, ids + 1, rest...);
}
template <class First, class... Rest>
TRACING_INLINE std::uint8_t* put_args(std::uint8_t* p, const std::atomic<std::uint32_t>* ids, const First& first,
                                      const Rest&... rest) {
  if constexpr (std::is_same_v<First, Flow>) return put_args(put_fixed64(p, 47, first.id), ids, rest...);
  else if constexpr (std::is_same_v<First, FlowEnd>) return put_args(put_fixed64(p, 48, first.id), ids, rest...);
  else return put_pair(p, ids, rest...);
}

TRACING_INLINE void add_args(hot::TrackEventWriter&, const std::atomic<std::uint32_t>*) {}
template <class First, class... Rest>
TRACING_INLINE void add_args(hot::TrackEventWriter& event, const std::atomic<std::uint32_t>* ids, const First& first,
                             const Rest&... rest);
template <class Value, class... Rest>
TRACING_INLINE void add_pair(hot::TrackEventWriter& event, const std::atomic<std::uint32_t>* ids, const char* key,
                             const Value& value, const Rest&... rest) {
  {
    auto annotation = event.add_debug_annotations();
    const std::uint32_t id = ids->load(std::memory_order_relaxed);
    if (TRACING_UNLIKELY(id == 0)) annotation.set_name(key);
    else annotation.set_name_iid(id);
    set_value(annotation, value);
  }
  add_args(event, ids + 1, rest...);
}
template <class First, class... Rest>
TRACING_INLINE void add_args(hot::TrackEventWriter& event, const std::atomic<std::uint32_t>* ids, const First& first,
                             const Rest&... rest) {
  if constexpr (std::is_same_v<First, Flow>) event.add_flow_ids(first.id);
  else if constexpr (std::is_same_v<First, FlowEnd>) event.add_terminating_flow_ids(first.id);
  else if constexpr (std::is_same_v<First, Name>) event.set_name(first.text);
  if constexpr (kIsMark<First>) add_args(event, ids, rest...);
  else add_pair(event, ids, first, rest...);
}

inline void find_keys(Registry&, std::atomic<std::uint32_t>*) {}
template <class First, class... Rest>
void find_keys(Registry& registry, std::atomic<std::uint32_t>* ids, const First& first, const Rest&... rest);
template <class Value, class... Rest>
void find_pair(Registry& registry, std::atomic<std::uint32_t>* ids, const char* key, const Value&,
               const Rest&... rest) {
  ids->store(registry.text(key), std::memory_order_relaxed);
  find_keys(registry, ids + 1, rest...);
}
template <class First, class... Rest>
void find_keys(Registry& registry, std::atomic<std::uint32_t>* ids, const First& first, const Rest&... rest) {
  if constexpr (kIsMark<First>) find_keys(registry, ids, rest...);
  else find_pair(registry, ids, first, rest...);
}

TRACING_NOINLINE inline void find_site(SiteBase& site, Session& s) {
  site.category_id.store(s.registry.text(site.category.name()), std::memory_order_relaxed);
  if (site.name != nullptr) site.name_id.store(s.registry.text(site.name), std::memory_order_relaxed);
}
template <std::size_t kKeys, class... Args>
TRACING_NOINLINE void find(Site<kKeys>& site, Thread& thread, const Args&... args) {
  find_site(site, thread.session);
  find_keys(thread.session.registry, site.key_ids, args...);
  bool complete = site.name_id.load(std::memory_order_relaxed) != 0;
  complete &= site.category_id.load(std::memory_order_relaxed) != 0;
  for (std::size_t i = 0; i < keys_of<Args...>(); ++i) complete &= site.key_ids[i].load(std::memory_order_relaxed) != 0;
  site.writes_text.store(!complete, std::memory_order_relaxed);
  site.generation.store(thread.generation, std::memory_order_release);
}

// ---- packets ----

template <std::size_t kKeys, class... Args>
TRACING_NOINLINE bool write(Thread& thread, Site<kKeys>& site, Type type, const Args&... args) {
  if (TRACING_UNLIKELY(site.generation.load(std::memory_order_acquire) != thread.generation)) {
    find(site, thread, args...);
  }
  if (TRACING_UNLIKELY(thread.owed != 0) && !pay(thread)) return false;
  const std::uint32_t category = site.category_id.load(std::memory_order_relaxed);
  const std::uint32_t name = site.name_id.load(std::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  constexpr std::size_t kRoom = room<kEventRoom, std::decay_t<Args>...>();
  if constexpr (kRoom != 0 && kRoom <= kMostRoom) {
    const auto body = [&](std::uint8_t* p) {
      p[0] = 0x48;  // type
      p[1] = static_cast<std::uint8_t>(type);
      p = put(p + 2, 0x18, category);
      p = put(p, 0x50, name);
      return put_args(p, site.key_ids, args...);
    };
    const bool in_place = !site.writes_text.load(std::memory_order_relaxed) && write_whole(thread, now, kRoom, body);
    if (TRACING_LIKELY(in_place)) return true;
  }
  const std::uint64_t before = thread.out.dropped();
  {
    auto packet = thread.out.message<hot::TracePacketWriter>();
    packet.set_timestamp(now);
    auto event = packet.set_track_event();
    event.set_type(type);
    if (TRACING_UNLIKELY(category == 0)) event.add_categories(site.category.name());
    else event.add_category_iids(category);
    if (TRACING_UNLIKELY(name == 0)) {
      if (site.name != nullptr) event.set_name(site.name);
    } else {
      event.set_name_iid(name);
    }
    add_args(event, site.key_ids, args...);
  }
  return thread.out.dropped() == before;
}

template <std::size_t kKeys, class... Args>
TRACING_NOINLINE void instant(Site<kKeys>& site, const Args&... args) {
  if (!site.category.is_on()) return;
  Thread* const thread = enter();
  if (thread == nullptr) return;
  write(*thread, site, Type::TYPE_INSTANT, args...);
  leave(*thread);
}

// The thread, if the begin was written: its end must be, too.
template <std::size_t kKeys, class... Args>
TRACING_NOINLINE Thread* begin(Site<kKeys>& site, const Args&... args) {
  if (TRACING_UNLIKELY(!site.category.is_on())) return nullptr;
  Thread* const thread = enter();
  if (thread == nullptr) return nullptr;
  const bool written = write(*thread, site, Type::TYPE_SLICE_BEGIN, args...);
  leave(*thread);
  return written ? thread : nullptr;
}
TRACING_NOINLINE inline void end(Thread& thread) {
  if (TRACING_UNLIKELY(thread.busy)) return;
  thread.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint64_t now = now_ns();
  if (TRACING_UNLIKELY(thread.owed != 0) && !pay(thread)) owe(thread, now);
  else if (TRACING_UNLIKELY(!write_end(thread, now))) owe(thread, now);
  leave(thread);
}

template <std::size_t kKeys, class... Args>
TRACING_NOINLINE void open_begin(Site<kKeys>& site, const Args&... args) {
  if (!site.category.is_on()) return;
  Thread* const thread = begin(site, args...);
  Thread* const its = thread != nullptr ? thread : current;
  if (its == nullptr) return;
  if (its->depth < 64) its->open = its->open << 1 | (thread != nullptr ? 1 : 0);
  ++its->depth;
}
TRACING_NOINLINE inline void open_end(Category& category) {
  Thread* const thread = current;
  if (!category.is_on() || thread == nullptr || thread->depth == 0) return;
  --thread->depth;
  bool written = true;
  if (thread->depth < 64) {
    written = (thread->open & 1) != 0;
    thread->open >>= 1;
  }
  if (written) end(*thread);
}

// A counter's number is in name_id; if the registry is full there is none, and its values are not written.
template <class Value>
TRACING_NOINLINE void counter(SiteBase& site, const char* unit, Value value) {
  if (!site.category.is_on()) return;
  Thread* const thread = enter();
  if (thread == nullptr) return;
  if (TRACING_UNLIKELY(site.generation.load(std::memory_order_acquire) != thread->generation)) {
    site.name_id.store(thread->session.registry.counter(site.name, unit), std::memory_order_relaxed);
    site.generation.store(thread->generation, std::memory_order_release);
  }
  const std::uint32_t number = site.name_id.load(std::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  const auto body = [&](std::uint8_t* p) {
    p[0] = 0x48;  // type
    p[1] = static_cast<std::uint8_t>(Type::TYPE_COUNTER);
    p = put(p + 2, 0x58, number);  // track_uuid
    if constexpr (std::is_floating_point_v<Value>) return put_fixed64(p, 44, static_cast<double>(value));
    p[0] = 0xf0;  // counter_value
    p[1] = 0x01;
    return hotpb::wire::write_varint(p + 2, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  };
  if (number != 0 && (thread->owed == 0 || pay(*thread)) && !write_whole(*thread, now, 2 + kIidRoom + 12, body)) {
    auto packet = thread->out.message<hot::TracePacketWriter>();
    packet.set_timestamp(now);
    auto event = packet.set_track_event();
    event.set_type(Type::TYPE_COUNTER);
    event.set_track_uuid(number);
    if constexpr (std::is_floating_point_v<Value>) event.set_double_counter_value(static_cast<double>(value));
    else event.set_counter_value(static_cast<std::int64_t>(value));
  }
  leave(*thread);
}

}  // namespace detail

// What TRACE_SCOPE declares.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  TRACING_INLINE ~Scope() {
    if (TRACING_UNLIKELY(thread_ != nullptr)) detail::end(*thread_);
  }
  void set(detail::Thread* thread) { thread_ = thread; }

 private:
  detail::Thread* thread_ = nullptr;
};

}  // namespace tracing

#endif  // TRACING_SDK_EVENT_H_
