// Producer and Stream: they write packets into shared memory, without a system call or an allocation for each (SHM-1).
//
//   hotpb::shm::Producer producer;
//   if (producer.create({}) != hotpb::shm::AreaError::Ok) ...   send producer.fd() to the service
//   hotpb::shm::Stream out(producer);                           one for each thread
//   { auto packet = out.message<TracePacketWriter>(); packet.set_timestamp(now); }
//
// A packet ends with its handle. The service can then read it, even if this process dies. If no chunk is free, the
// packet is dropped and counted, at once or after a time (`wait_ns` of Stream); the next packet starts without the
// error. After a wait in vain, packets are dropped at once until a chunk is free: a service that hangs stops the
// program's threads once. A Producer must outlive its streams. Use a stream in one thread at a time, and in no signal
// handler. After fork(), the streams of the child drop all packets. The child may create a producer of its own.
#ifndef HOTPB_SHM_SOURCE_H_
#define HOTPB_SHM_SOURCE_H_

#include "hotpb/shm/area.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire/varint.h"
#include "hotpb/writer/stream.h"

#if HOTPB_SHM
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include <limits>
#include <memory>
#include <new>
#include <utility>

HOTPB_NAMESPACE_BEGIN
namespace shm {

class Producer;
class Stream;

namespace detail {

inline std::uint64_t monotonic_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// All producers of this process, for fork().
struct Producers {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  Producer* first = nullptr;
  bool watches_fork = false;
};
inline Producers& producers() {
  static Producers all;
  return all;
}

}  // namespace detail

class Producer {
 public:
  Producer() = default;
  ~Producer() { close(); }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // Creates an area. Create streams after it.
  AreaError create(const AreaOptions& options, const char* name = "hotpb-shm");
  void close();

  // The memfd, which you pass to the service, through a socket or by inheritance. -1 without an area.
  int fd() const { return fd_; }
  std::uint64_t area_bytes() const { return parts_.header().area_bytes; }
  // The number of packets that were dropped, over all streams.
  std::uint64_t dropped() const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; base_ != nullptr && i <= parts_.header().writers; ++i) {
      sum += parts_.writer(i).dropped.load(std::memory_order_relaxed);
    }
    return sum;
  }

 private:
  friend class Stream;
  friend class Reader;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Slot {
    std::atomic<bool> used{false};
    std::uint32_t next_number = 0;  // the number of the next chunk of the stream that uses the slot
  };

  // Takes a free chunk, and returns it, or kNone if there is none. `hint` is the word of the bitmap that is tried
  // first.
  std::uint32_t take(std::uint32_t& hint) {
    const std::uint32_t chunk = take_free(hint);
    if (wakes_) wake(chunk == kNone);
    return chunk;
  }
  // Wakes a service that sleeps, if half of the chunks are in use (SHM-45). To count them costs a load for each word of
  // the bitmap, so that only one chunk in so many counts.
  HOTPB_COLD void wake(bool is_full) {
    if (taken_.fetch_add(1, std::memory_order_relaxed) % parts_.words() != 0 && !is_full) return;
    std::atomic<std::uint32_t>& armed = parts_.bell().armed;
    if (armed.load(std::memory_order_seq_cst) == 0 || !parts_.is_half_full()) return;
    if (armed.exchange(0, std::memory_order_seq_cst) == 0) return;  // another thread wakes it
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&armed), FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  std::uint32_t take_free(std::uint32_t& hint) {
    const std::uint32_t words = parts_.words();
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint32_t word = hint + i < words ? hint + i : hint + i - words;
      std::atomic<std::uint64_t>& bits = parts_.bits(word);
      for (std::uint64_t free = bits.load(std::memory_order_relaxed); free != 0; free &= free - 1) {
        const unsigned bit = detail::port::lowest_bit(free);
        const std::uint64_t mask = std::uint64_t{1} << bit;
        if ((bits.fetch_and(~mask, std::memory_order_acq_rel) & mask) == 0) continue;  // another thread was first
        const std::uint32_t chunk = word * 64 + bit;
        // The bitmap is shared memory: ignore bits that must not be set.
        if (chunk >= parts_.header().chunks) continue;
        // (Acquire joins the bytes of the writer before, for a thread sanitizer that does not see the service between.)
        if (detail::State::from(parts_.line(chunk).state.load(std::memory_order_acquire)).phase != detail::Phase::Free)
          continue;
        hint = word;
        if (HOTPB_UNLIKELY(hangs_.load(std::memory_order_relaxed))) hangs_.store(false, std::memory_order_relaxed);
        return chunk;
      }
    }
    return kNone;
  }
  // Does the same, and waits for the service until `deadline`.
  std::uint32_t take_until(std::uint32_t& hint, std::uint64_t deadline) {
    detail::Bell& bell = parts_.bell();
    for (;;) {
      bell.waiting.fetch_add(1, std::memory_order_seq_cst);
      const std::uint32_t freed = bell.freed.load(std::memory_order_seq_cst);
      const std::uint32_t chunk = take(hint);
      const std::uint64_t now = chunk == kNone ? detail::monotonic_ns() : deadline;
      if (now < deadline) {
        const std::uint64_t left = deadline - now;
        // A dead service wakes no thread, and a hostile one may wake all of them at any time.
        const std::uint64_t step = left < 100000000 ? left : 100000000;
        const timespec wait = {0, static_cast<long>(step)};
        ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell.freed), FUTEX_WAIT, freed, &wait, nullptr, 0);
      }
      bell.waiting.fetch_sub(1, std::memory_order_seq_cst);
      if (chunk != kNone || now >= deadline || forked_) return chunk;
    }
  }

  static void before_fork() { pthread_mutex_lock(&detail::producers().lock); }
  static void after_fork() { pthread_mutex_unlock(&detail::producers().lock); }
  // The child does not share the area: its streams write into memory of the child, in which no chunk is free.
  static void in_child() {
    for (Producer* p = detail::producers().first; p != nullptr; p = p->next_) {
      p->forked_ = true;
      ::mmap(p->base_, p->parts_.header().area_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
    pthread_mutex_unlock(&detail::producers().lock);
  }

  detail::Parts parts_;
  std::uint8_t* base_ = nullptr;
  int fd_ = -1;
  bool forked_ = false;
  bool wakes_ = false;
  std::atomic<std::uint32_t> taken_{0};
  std::atomic<bool> hangs_{false};  // a stream has waited in vain, and no chunk was free since
  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint32_t> sequences_{0};
  Producer* next_ = nullptr;
};

inline AreaError Producer::create(const AreaOptions& options, const char* name) {
  using namespace detail;
  if (base_ != nullptr || !possible(options)) return AreaError::BadOptions;
  const Header header = layout(options);
  std::unique_ptr<Slot[]> slot_list(new (std::nothrow) Slot[options.writers + 1]);
  if (slot_list == nullptr) {
    errno = ENOMEM;
    return AreaError::System;
  }
  const int fd = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return AreaError::System;
  void* base = MAP_FAILED;
  if (::ftruncate(fd, static_cast<off_t>(header.area_bytes)) == 0 && ::fcntl(fd, F_ADD_SEALS, kSeals) == 0) {
    base = ::mmap(nullptr, header.area_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (base == MAP_FAILED) {
    const int reason = errno;
    ::close(fd);
    errno = reason;
    return AreaError::System;
  }
  base_ = static_cast<std::uint8_t*>(base);
  fd_ = fd;
  slots_ = std::move(slot_list);
  parts_ = Parts(base_, base_ + header.control_at, header);
  wakes_ = options.wakes;
  for (std::uint32_t word = 0; word < parts_.words(); ++word) {
    const std::uint32_t left = header.chunks - 64 * word;
    parts_.bits(word).store(left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1, std::memory_order_relaxed);
  }
  std::memcpy(base_, &header, sizeof header);

  Producers& all = producers();
  pthread_mutex_lock(&all.lock);
  if (!all.watches_fork) all.watches_fork = pthread_atfork(before_fork, after_fork, in_child) == 0;
  next_ = all.first;
  all.first = this;
  pthread_mutex_unlock(&all.lock);
  return AreaError::Ok;
}

inline void Producer::close() {
  if (base_ == nullptr) return;
  detail::Producers& all = detail::producers();
  pthread_mutex_lock(&all.lock);
  for (Producer** p = &all.first; *p != nullptr; p = &(*p)->next_) {
    if (*p != this) continue;
    *p = next_;
    break;
  }
  pthread_mutex_unlock(&all.lock);
  ::munmap(base_, parts_.header().area_bytes);
  ::close(fd_);
  base_ = nullptr;
  fd_ = -1;
  parts_ = {};
  slots_.reset();
}

// The packets of one thread, which are a sequence. If there are more streams than the area has writers, the additional
// streams drop all packets.
class Stream final : public WriteStream, private ChunkSource {
 public:
  // `wait_ns` is how long a packet waits for room, each time that it needs some, before it is dropped. Once a stream of
  // the producer has waited in vain, none waits until a chunk was free again.
  explicit Stream(Producer& producer, std::uint64_t wait_ns = 0, LengthPolicy policy = LengthPolicy::compact)
      : WriteStream(this, policy == LengthPolicy::minimal ? LengthPolicy::compact : policy, false),
        producer_(producer),
        chunk_bytes_(producer.parts_.header().chunk_bytes),
        wait_ns_(wait_ns) {
    const std::uint32_t writers = producer.base_ != nullptr ? producer.parts_.header().writers : 0;
    for (std::uint32_t id = 1; id <= writers && id_ == 0; ++id) {
      std::atomic<bool>& used = producer.slots_[id].used;
      if (!used.load(std::memory_order_relaxed) && !used.exchange(true, std::memory_order_acquire)) id_ = id;
    }
    if (id_ == 0) return;
    do {
      sequence_ = producer.sequences_.fetch_add(1, std::memory_order_relaxed) + 1;
    } while (sequence_ == 0);
    number_ = producer.slots_[id_].next_number;
    hint_ = id_ % producer.parts_.words();
    detail::WriterEntry& entry = producer.parts_.writer(id_);
    entry.thread.store(static_cast<std::uint32_t>(::syscall(SYS_gettid)), std::memory_order_relaxed);
    entry.sequence.store(sequence_, std::memory_order_release);
  }
  // Drops a packet that is open.
  ~Stream() {
    if (is_open()) reset();
    if (chunk_ != Producer::kNone) close_idle();
    if (id_ == 0) return;
    producer_.slots_[id_].next_number = number_;
    producer_.slots_[id_].used.store(false, std::memory_order_release);
  }

  // Returns the root of the next packet. (There is no delimited(): a packet is a message.)
  template <class Writer>
  Writer message() {
    if (HOTPB_LIKELY(!is_open())) begin_packet();
    return WriteStream::message<Writer>();
  }
  template <class Writer>
  Writer delimited() = delete;

  // Starts a packet of at most `most` bytes that you encode yourself, for events that are very frequent. Returns where
  // to write them, in the rest of the stream's chunk; end_whole() commits the packet. Do nothing else with the stream
  // in between. Returns nullptr if the chunk has no room, or if packets were dropped before this one: use message()
  // then.
  HOTPB_INLINE std::uint8_t* begin_whole(std::size_t most) {
    if (HOTPB_UNLIKELY(chunk_ == Producer::kNone || lost_packets_ != 0 || is_open() ||
                       most > detail::kMaxRecordBytes || chunk_bytes_ - committed_ < detail::kRecordHeader + most)) {
      return nullptr;
    }
    std::uint64_t expected = word(detail::Phase::Idle);
    if (HOTPB_UNLIKELY(!state().compare_exchange_strong(expected, word(detail::Phase::Busy), std::memory_order_acquire,
                                                        std::memory_order_relaxed))) {
      chunk_ = Producer::kNone;  // the service has taken back the chunk
      return nullptr;
    }
    return data_ + committed_ + detail::kRecordHeader;
  }
  // `end` is the end of the bytes that you wrote.
  HOTPB_INLINE void end_whole(const std::uint8_t* end) {
    const std::size_t size = static_cast<std::size_t>(end - (data_ + committed_ + detail::kRecordHeader));
    put_header(committed_, detail::Kind::Whole, size);
    committed_ += static_cast<std::uint32_t>(detail::kRecordHeader + size);
    publish();
  }

  std::uint32_t sequence() const { return sequence_; }
  // The number of packets of this stream that were dropped.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Patch {
    std::uint64_t fragment;
    std::uint64_t offset;
    std::uint64_t length;
  };
  static constexpr std::size_t kRest = 64;       // a chunk with less room is closed
  static constexpr std::size_t kMaxPatches = kMaxWriterDepth + 8;
  static constexpr std::size_t kPatchRoom = 5 + 2 + 4;

  std::atomic<std::uint64_t>& state() const { return producer_.parts_.line(chunk_).state; }
  std::uint64_t word(detail::Phase phase) const { return detail::state_word(id_, epoch_, phase, committed_); }
  void put_header(std::size_t at, detail::Kind kind, std::size_t size) {
    const std::uint32_t header = detail::record_header(kind, size);
    data_[at] = static_cast<std::uint8_t>(header);
    data_[at + 1] = static_cast<std::uint8_t>(header >> 8);
  }

  // ---- the chunk of this thread ----

  // Ends the busy phase: the service may read the committed bytes, and may take the chunk.
  void publish() {
    if (chunk_bytes_ - committed_ >= kRest) {
      state().store(word(detail::Phase::Idle), std::memory_order_release);
      busy_ = false;
    } else {
      publish_closed();
    }
  }
  void publish_closed() {
    state().store(word(detail::Phase::Closed), std::memory_order_release);
    chunk_ = Producer::kNone;
    busy_ = false;
  }
  void close_idle() {
    std::uint64_t expected = word(detail::Phase::Idle);
    state().compare_exchange_strong(expected, word(detail::Phase::Closed), std::memory_order_release,
                                    std::memory_order_relaxed);  // if it fails, the service has the chunk
    chunk_ = Producer::kNone;
  }
  // Starts to use a chunk that was taken.
  void enter(std::uint32_t chunk) {
    detail::Line& line = producer_.parts_.line(chunk);
    chunk_ = chunk;
    data_ = producer_.parts_.chunk(chunk);
    epoch_ = detail::State::from(line.state.load(std::memory_order_relaxed)).epoch + 1;
    committed_ = 0;
    record_at_ = 0;
    line.number.store(number_++, std::memory_order_relaxed);
    line.sequence.store(sequence_, std::memory_order_relaxed);
    state().store(word(detail::Phase::Busy), std::memory_order_release);
    busy_ = true;
  }
  bool may_wait() const {
    return wait_ns_ != 0 && !producer_.hangs_.load(std::memory_order_relaxed);
  }
  std::uint32_t wait_for_chunk() {
    if (producer_.forked_) return Producer::kNone;
    const std::uint64_t now = detail::monotonic_ns();
    const std::uint64_t longest = std::numeric_limits<std::uint64_t>::max() - now;
    const std::uint32_t chunk = producer_.take_until(hint_, now + (wait_ns_ < longest ? wait_ns_ : longest));
    if (chunk == Producer::kNone) producer_.hangs_.store(true, std::memory_order_relaxed);
    return chunk;
  }

  // ---- packets ----

  void begin_packet() {
    fragment_ = 0;
    patches_ = 0;
    if (HOTPB_LIKELY(chunk_ != Producer::kNone)) {
      std::uint64_t expected = word(detail::Phase::Idle);
      if (HOTPB_UNLIKELY(!state().compare_exchange_strong(expected, word(detail::Phase::Busy),
                                                          std::memory_order_acquire, std::memory_order_relaxed))) {
        chunk_ = Producer::kNone;  // the service has taken back the chunk
      } else {
        busy_ = true;
      }
    }
    if (HOTPB_UNLIKELY(chunk_ == Producer::kNone) && !begin_chunk()) return restart_without_chunk();
    record_at_ = committed_;
    if (HOTPB_UNLIKELY(lost_packets_ != 0)) put_lost();
    restart(0, data_ + record_at_ + detail::kRecordHeader, record_room());
  }
  HOTPB_COLD bool begin_chunk() {
    if (id_ == 0) return false;
    std::uint32_t chunk = producer_.take(hint_);
    if (chunk == Producer::kNone && may_wait()) chunk = wait_for_chunk();
    if (chunk == Producer::kNone) return false;
    enter(chunk);
    return true;
  }
  // Writes how many packets were lost since the last one that was committed (SHM-13). The record is committed together
  // with the next packet.
  HOTPB_COLD void put_lost() {
    std::uint8_t* const count = data_ + record_at_ + detail::kRecordHeader;
    const std::size_t size = static_cast<std::size_t>(wire::write_varint(count, lost_packets_) - count);
    put_header(record_at_, detail::Kind::Lost, size);
    record_at_ += detail::kRecordHeader + size;
  }

  // Ends the fragment in this chunk, and continues the packet in another chunk.
  HOTPB_COLD bool next_chunk() {
    std::uint32_t chunk = producer_.take(hint_);
    if (chunk == Producer::kNone && !may_wait()) return false;
    committed_ = static_cast<std::uint32_t>(record_at_);
    publish_closed();
    lost_packets_ = 0;
    if (chunk == Producer::kNone) chunk = wait_for_chunk();
    if (chunk == Producer::kNone) return false;
    enter(chunk);
    return true;
  }
  // How many bytes a record may have that starts here.
  std::size_t record_room() const {
    const std::size_t rest = chunk_bytes_ - record_at_ - detail::kRecordHeader;
    return rest < detail::kMaxRecordBytes ? rest : detail::kMaxRecordBytes;
  }
  bool has_room() const { return chunk_bytes_ - record_at_ >= detail::kRecordHeader + kMinChunkSize; }
  // Writes as many patches as there is room for.
  void put_patches() {
    std::uint8_t* const begin = data_ + record_at_ + detail::kRecordHeader;
    if (chunk_bytes_ - record_at_ <= detail::kRecordHeader) return;
    std::uint8_t* const end = begin + record_room();
    std::uint8_t* p = begin;
    while (patches_ > 0 && static_cast<std::size_t>(end - p) >= kPatchRoom) {
      const Patch& patch = patch_[--patches_];
      p = wire::write_varint_tight(p, patch.fragment);
      p = wire::write_varint_tight(p, patch.offset);
      p = wire::write_varint_tight(p, patch.length);
    }
    if (p == begin) return;
    put_header(record_at_, detail::Kind::Patches, static_cast<std::size_t>(p - begin));
    record_at_ = static_cast<std::size_t>(p - data_);
  }

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t) override {
    if (full_id == kNoChunk || !busy_) return {};
    put_header(record_at_, fragment_ == 0 ? detail::Kind::Begin : detail::Kind::Middle, used);
    const std::size_t before = record_at_;
    record_at_ += detail::kRecordHeader + used;
    // A chunk above 8 KiB may have room for another record of the packet (SHM-46).
    if (!has_room() && !next_chunk()) {
      record_at_ = before;
      return {};
    }
    for (put_patches(); patches_ > 0 || !has_room(); put_patches()) {
      if (!next_chunk()) return {};
    }
    return {++fragment_, data_ + record_at_ + detail::kRecordHeader, record_room()};
  }

  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t) override {
    if (patches_ == kMaxPatches) return false;
    std::uint64_t length = 0;
    for (unsigned i = 0; i < 4; ++i) length |= std::uint64_t{bytes[i] & 0x7fu} << (7 * i);
    patch_[patches_++] = {id, offset, length};
    return true;
  }

  bool finish(std::uint64_t id, std::size_t used, const MessageEnd& end) override {
    if (HOTPB_UNLIKELY(id == kNoChunk || !busy_ || !end.ok())) return drop();
    if (HOTPB_UNLIKELY(fragment_ != 0)) return finish_fragments(used);
    put_header(record_at_, detail::Kind::Whole, used);
    committed_ = static_cast<std::uint32_t>(record_at_ + detail::kRecordHeader + used);
    lost_packets_ = 0;
    publish();
    return true;
  }
  // Writes the last fragment. The patches are between it and the end (SHM-11).
  HOTPB_COLD bool finish_fragments(std::size_t used) {
    put_header(record_at_, patches_ == 0 ? detail::Kind::End : detail::Kind::Middle, used);
    record_at_ += detail::kRecordHeader + used;
    if (patches_ > 0) {
      for (put_patches(); patches_ > 0 || chunk_bytes_ - record_at_ < detail::kRecordHeader; put_patches()) {
        if (!next_chunk()) return drop();
      }
      put_header(record_at_, detail::Kind::End, 0);
      record_at_ += detail::kRecordHeader;
    }
    committed_ = static_cast<std::uint32_t>(record_at_);
    lost_packets_ = 0;
    publish();
    return true;
  }
  // Drops the packet in progress. The reader discards the part of it that has left.
  HOTPB_COLD bool drop() {
    ++lost_packets_;
    ++dropped_;
    std::atomic<std::uint64_t>& total = producer_.base_ != nullptr ? producer_.parts_.writer(id_).dropped : nowhere_;
    total.fetch_add(1, std::memory_order_relaxed);
    if (busy_) publish();
    return false;
  }

  Producer& producer_;
  std::uint8_t* data_ = nullptr;        // the bytes of the chunk
  std::size_t record_at_ = 0;           // where the record that is being written starts in the chunk
  const std::uint32_t chunk_bytes_;
  std::uint32_t committed_ = 0;
  std::uint32_t chunk_ = Producer::kNone;
  std::uint32_t epoch_ = 0;
  bool busy_ = false;                   // the chunk is busy: a packet is in progress
  std::uint32_t id_ = 0;                // 0 if the area had no room for another writer
  std::uint32_t sequence_ = 0;
  std::uint32_t number_ = 0;            // the number of the next chunk
  std::uint32_t hint_ = 0;
  std::uint64_t fragment_ = 0;          // the index of the packet's fragment in this chunk
  std::uint64_t lost_packets_ = 0;      // how many since the last commit
  std::uint64_t dropped_ = 0;
  const std::uint64_t wait_ns_;
  std::size_t patches_ = 0;
  std::atomic<std::uint64_t> nowhere_{0};
  Patch patch_[kMaxPatches];
};

}  // namespace shm
HOTPB_NAMESPACE_END

#endif  // HOTPB_SHM
#endif  // HOTPB_SHM_SOURCE_H_
