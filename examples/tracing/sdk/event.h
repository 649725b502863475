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
#include "text.h"
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
  template <class Text, std::enable_if_t<detail::kIsText<Text>, int> = 0>
  explicit Name(const Text& its_text) : text(detail::text_of(its_text)) {}
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
// into the registry. It is a variable of the function that the macros call, of which each call site has its own: the
// first argument's type is that of a lambda expression there. So the macros declare no name around the user's
// arguments, which they expand once.
struct SiteBase {
  std::atomic<const Category*> category{nullptr};
  std::atomic<const char*> name{nullptr};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> name_id{0};
  std::atomic<std::uint32_t> category_id{0};
  std::atomic<bool> writes_text{false};  // a number is missing
};
template <std::size_t kKeys>
struct Site : SiteBase {
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
  if (thread->out.sequence() != 0) s->registry.thread(thread->out.sequence(), tid, thread_name());
  return current = thread;
}

inline bool is_mine(const Thread* thread) {
  return thread != nullptr && thread->generation == generation.load(std::memory_order_relaxed);
}
inline Thread* own_thread() { return is_mine(current) ? current : make_thread(); }

// What a library must have in common with its program: sizes, and the version and settings of hotpb.
#define TRACING_TEXT_(...) #__VA_ARGS__
#define TRACING_TEXT(...) TRACING_TEXT_(__VA_ARGS__)
constexpr std::uint64_t layout() {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : TRACING_TEXT(HOTPB_ABI)) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  for (const std::size_t size : {sizeof(Host), sizeof(Session), sizeof(Thread), sizeof(Category), sizeof(std::string)})
    hash = (hash ^ size) * 0x100000001b3;
  return hash;
}
inline const Host own_host{layout(), &session, meet, forget, own_thread};

// In a library that has adopted a session `current` is always null: its program knows the thread.
TRACING_NOINLINE inline Thread* shared_thread() { return host.load(std::memory_order_acquire)->thread(); }
TRACING_INLINE Thread* this_thread() {
  return TRACING_LIKELY(is_mine(current)) ? current : shared_thread();
}

// Whether the site is known in the thread's session, with this category: a function may take it as an argument.
inline bool is_known(const SiteBase& site, const Category& category, const Thread& thread) {
  return site.generation.load(std::memory_order_acquire) == thread.generation &&
         site.category.load(std::memory_order_relaxed) == &category;
}
// This thread, if it and the call site are known.
TRACING_INLINE Thread* known_thread(const SiteBase& site, const Category& category) {
  Thread* const thread = current;
  return TRACING_LIKELY(is_mine(thread) && is_known(site, category, *thread)) ? thread : nullptr;
}
// False: the event is dropped, because it interrupts another one of its thread.
TRACING_INLINE bool enter(Thread& thread) {
  if (TRACING_UNLIKELY(thread.busy)) {
    dropped_in_signals.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  thread.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return true;
}
TRACING_INLINE void leave(Thread& thread) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread.busy = false;
}

// ---- arguments: Flow, FlowEnd, Name, or a key and a value ----

template <class Arg>
constexpr bool kIsMark = std::is_same_v<std::decay_t<Arg>, Flow> || std::is_same_v<std::decay_t<Arg>, FlowEnd> ||
                         std::is_same_v<std::decay_t<Arg>, Name>;

// How many keys there are.
template <class... Args>
constexpr std::size_t keys_of() {
  return (sizeof...(Args) - (std::size_t{0} + ... + std::size_t{kIsMark<Args>})) / 2;
}
template <class... Args>
constexpr bool kHasName = (false || ... || std::is_same_v<std::decay_t<Args>, Name>);

template <class Event, class Value>
TRACING_INLINE void set_value(Event& annotation, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) annotation.set_bool_value(value);
  else if constexpr (std::is_floating_point_v<Value>) annotation.set_double_value(static_cast<double>(value));
  else if constexpr (std::is_enum_v<Value>) annotation.set_int_value(static_cast<std::int64_t>(value));
  else if constexpr (std::is_integral_v<Value> && std::is_unsigned_v<Value>) annotation.set_uint_value(value);
  else if constexpr (std::is_integral_v<Value>) annotation.set_int_value(value);
  else if constexpr (kIsText<Value>) annotation.set_string_value(text_of(value).substr(0, kMostValue));
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
    if (TRACING_UNLIKELY(id == 0)) annotation.set_name(text_of(key));
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
  else if constexpr (std::is_same_v<First, Name>) event.set_name(first.text.substr(0, kMostValue));
  if constexpr (kIsMark<First>) add_args(event, ids, rest...);
  else add_pair(event, ids, first, rest...);
}

inline void find_keys(Registry&, std::atomic<std::uint32_t>*) {}
template <class First, class... Rest>
void find_keys(Registry& registry, std::atomic<std::uint32_t>* ids, const First& first, const Rest&... rest);
template <class Value, class... Rest>
void find_pair(Registry& registry, std::atomic<std::uint32_t>* ids, const char* key, const Value&,
               const Rest&... rest) {
  ids->store(registry.text(text_of(key)), std::memory_order_relaxed);
  find_keys(registry, ids + 1, rest...);
}
template <class First, class... Rest>
void find_keys(Registry& registry, std::atomic<std::uint32_t>* ids, const First& first, const Rest&... rest) {
  if constexpr (kIsMark<First>) find_keys(registry, ids, rest...);
  else find_pair(registry, ids, first, rest...);
}

// This thread, with a call site that is known from now on; nullptr: the event is dropped.
template <std::size_t kKeys, class... Args>
TRACING_NOINLINE Thread* find(Site<kKeys>& site, Category& category, const char* name, const Args&... args) {
  if (!category.is_on()) return nullptr;
  Thread* const thread = this_thread();
  if (thread == nullptr || is_known(site, category, *thread)) return thread;
  if (!enter(*thread)) return nullptr;
  Registry& registry = thread->session.registry;
  site.category.store(&category, std::memory_order_relaxed);
  site.name.store(name, std::memory_order_relaxed);
  site.category_id.store(registry.text(category.name()), std::memory_order_relaxed);
  if (!kHasName<Args...>) site.name_id.store(registry.text(text_of(name)), std::memory_order_relaxed);
  find_keys(registry, site.key_ids, args...);
  bool complete = site.name_id.load(std::memory_order_relaxed) != 0;
  complete &= site.category_id.load(std::memory_order_relaxed) != 0;
  for (std::size_t i = 0; i < keys_of<Args...>(); ++i) complete &= site.key_ids[i].load(std::memory_order_relaxed) != 0;
  site.writes_text.store(!complete, std::memory_order_relaxed);
  site.generation.store(thread->generation, std::memory_order_release);
  leave(*thread);
  return thread;
}

// ---- packets ----

template <std::size_t kKeys, class... Args>
TRACING_NOINLINE bool write(Thread& thread, Site<kKeys>& site, Type type, const Args&... args) {
  if (TRACING_UNLIKELY(thread.owed != 0) && !pay(thread)) return false;
  const std::uint32_t category_id = site.category_id.load(std::memory_order_relaxed);
  const std::uint32_t name_id = site.name_id.load(std::memory_order_relaxed);
  const std::uint64_t now = now_ns();
  constexpr std::size_t kRoom = room<kEventRoom, std::decay_t<Args>...>();
  if constexpr (kRoom != 0 && kRoom <= kMostRoom) {
    const auto body = [&](std::uint8_t* p) {
      p[0] = 0x48;  // type
      p[1] = static_cast<std::uint8_t>(type);
      p = put(p + 2, 0x18, category_id);
      p = put(p, 0x50, name_id);
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
    if (TRACING_UNLIKELY(category_id == 0)) event.add_categories(site.category.load(std::memory_order_relaxed)->name());
    else event.add_category_iids(category_id);
    if (TRACING_LIKELY(name_id != 0)) event.set_name_iid(name_id);
    else if (!kHasName<Args...>) event.set_name(text_of(site.name.load(std::memory_order_relaxed)));
    add_args(event, site.key_ids, args...);
  }
  return thread.out.dropped() == before;
}

// The thread, if the event was written.
template <std::size_t kKeys, class... Args>
TRACING_INLINE Thread* write_if_on(Site<kKeys>& site, Type type, Category& category, const char* name,
                                   const Args&... args) {
  Thread* thread = known_thread(site, category);
  if (TRACING_UNLIKELY(thread == nullptr)) {
    thread = find(site, category, name, args...);
    if (thread == nullptr) return nullptr;
  }
  if (!enter(*thread)) return nullptr;
  const bool written = write(*thread, site, type, args...);
  leave(*thread);
  return written ? thread : nullptr;
}
template <std::size_t kKeys, class... Args>
TRACING_NOINLINE void instant(Site<kKeys>& site, Category& category, const char* name, const Args&... args) {
  write_if_on(site, Type::TYPE_INSTANT, category, name, args...);
}
// The thread, if the begin was written: its end must be, too.
template <std::size_t kKeys, class... Args>
TRACING_NOINLINE Thread* begin(Site<kKeys>& site, Category& category, const char* name, const Args&... args) {
  return write_if_on(site, Type::TYPE_SLICE_BEGIN, category, name, args...);
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

// How many TRACE_BEGIN of this thread have no TRACE_END yet. While there are any, both are counted although their
// category is off, so that each end finds its begin when categories are switched in between.
inline thread_local std::uint32_t open_by_hand = 0;

template <std::size_t kKeys, class... Args>
TRACING_NOINLINE void open_begin(Site<kKeys>& site, Category& category, const char* name, const Args&... args) {
  const bool is_on = category.is_on();
  if (!is_on && open_by_hand == 0) return;
  Thread* const written = is_on ? begin(site, category, name, args...) : nullptr;
  Thread* const thread = written != nullptr ? written : this_thread();
  if (thread == nullptr) return;
  if (thread->depth < 64) thread->open = thread->open << 1 | (written != nullptr ? 1 : 0);
  ++thread->depth;
  ++open_by_hand;
}
TRACING_NOINLINE inline void open_end(Category& category) {
  if (open_by_hand == 0 && !category.is_on()) return;
  Thread* const thread = this_thread();
  if (thread == nullptr || thread->depth == 0) {
    open_by_hand = 0;
    return;
  }
  if (open_by_hand != 0) --open_by_hand;
  --thread->depth;
  bool written = true;
  if (thread->depth < 64) {
    written = (thread->open & 1) != 0;
    thread->open >>= 1;
  }
  if (written) end(*thread);
}

// A counter's number is in name_id; if the registry is full there is none, and its values are not written. Before a
// service has said which categories are on, the packet has its category, and the site stays unknown.
TRACING_NOINLINE inline Thread* find_counter(SiteBase& site, Category& category, const char* name, const char* unit) {
  if (!category.is_on()) return nullptr;
  Thread* const thread = this_thread();
  if (thread == nullptr || is_known(site, category, *thread)) return thread;
  if (!enter(*thread)) return nullptr;
  Session& s = thread->session;
  site.category.store(&category, std::memory_order_relaxed);
  site.name_id.store(s.registry.counter(text_of(name), text_of(unit)), std::memory_order_relaxed);
  if (s.is_early.load(std::memory_order_relaxed)) {
    site.category_id.store(s.registry.text(category.name()), std::memory_order_relaxed);
  } else {
    site.generation.store(thread->generation, std::memory_order_release);
  }
  leave(*thread);
  return thread;
}
template <class Value>
TRACING_NOINLINE void counter(SiteBase& site, Category& category, const char* name, const char* unit, Value value) {
  Thread* thread = known_thread(site, category);
  if (TRACING_UNLIKELY(thread == nullptr)) {
    thread = find_counter(site, category, name, unit);
    if (thread == nullptr) return;
  }
  if (!enter(*thread)) return;
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
  const bool is_early = TRACING_UNLIKELY(site.generation.load(std::memory_order_relaxed) != thread->generation);
  if (number != 0 && (thread->owed == 0 || pay(*thread)) &&
      (is_early || !write_whole(*thread, now, 2 + kIidRoom + 12, body))) {
    auto packet = thread->out.message<hot::TracePacketWriter>();
    packet.set_timestamp(now);
    auto event = packet.set_track_event();
    event.set_type(Type::TYPE_COUNTER);
    if (is_early) {
      if (const std::uint32_t id = site.category_id.load(std::memory_order_relaxed)) event.add_category_iids(id);
      else event.add_categories(category.name());
    }
    event.set_track_uuid(number);
    if constexpr (std::is_floating_point_v<Value>) event.set_double_counter_value(static_cast<double>(value));
    else event.set_counter_value(static_cast<std::int64_t>(value));
  }
  leave(*thread);
}

// ---- what the macros call: `Place` is the type of a call site ----

template <class Place, class... Args>
TRACING_INLINE void instant_at(Place, Category& category, const char* name, const Args&... args) {
  static Site<keys_of<Args...>()> site;
  instant(site, category, name, args...);
}
template <class Place, class... Args>
TRACING_INLINE Thread* begin_at(Place, Category& category, const char* name, const Args&... args) {
  static Site<keys_of<Args...>()> site;
  return begin(site, category, name, args...);
}
template <class Place, class Text, class... Args>
TRACING_INLINE Thread* begin_named_at(Place place, Category& category, const Text& text, const Args&... args) {
  return begin_at(place, category, nullptr, Name(text), args...);
}
template <class Place, class... Args>
TRACING_INLINE void open_begin_at(Place, Category& category, const char* name, const Args&... args) {
  static Site<keys_of<Args...>()> site;
  open_begin(site, category, name, args...);
}
template <class Place, class Value>
TRACING_INLINE void counter_at(Place, Category& category, const char* name, const char* unit, Value value) {
  static SiteBase site;
  counter(site, category, name, unit, value);
}

}  // namespace detail

// What TRACE_SCOPE declares.
class Scope {
 public:
  TRACING_INLINE explicit Scope(detail::Thread* thread) : thread_(thread) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  TRACING_INLINE ~Scope() {
    if (TRACING_UNLIKELY(thread_ != nullptr)) detail::end(*thread_);
  }

 private:
  detail::Thread* thread_;
};

}  // namespace tracing

#endif  // TRACING_SDK_EVENT_H_
