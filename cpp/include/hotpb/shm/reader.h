// Reader: the service's side of an area. It trusts no byte of the area.
//
//   hotpb::shm::Reader reader;
//   if (reader.open(fd) != hotpb::shm::AreaError::Ok) ...
//   reader.poll([&](const hotpb::shm::Packet& packet) { file.write(packet); });     for example every 10 ms
//
// poll() delivers the packets that were committed, each sequence in its order, and returns chunks to the writers. It
// never waits for a writer, and its time and memory are bounded, whatever the area contains. It copies bytes before it
// checks them, and reads each byte once. The producer chooses the bytes of a packet: parse them as untrusted input.
// Chunks return to the writers as fast as the sink takes packets: a sink that is slow should copy them, and leave the
// work to another thread. A sink may return a bool: after `false`, poll() finishes the chunk and returns; the rest
// stays in the area, and the next call begins with the next writer. wait() sleeps until a producer wakes the service.
// Use a reader in one thread at a time, and one reader for an area. open() and poll() may throw std::bad_alloc. If the
// sink throws, poll() throws the same exception, and delivers the packets of that chunk again in the next call.
#ifndef HOTPB_SHM_READER_H_
#define HOTPB_SHM_READER_H_

#include "hotpb/shm/source.h"
#include "hotpb/wire.h"
#include "hotpb/wire/varint.h"

#if HOTPB_SHM
#include <algorithm>
#include <type_traits>
#include <vector>

HOTPB_NAMESPACE_BEGIN
namespace shm {

// Why packets of a sequence are missing (SHM-14): bits.
enum Loss : std::uint32_t {
  kLossNone = 0,
  kLossFull = 1,      // the writer dropped them: it found no chunk, or its message failed
  kLossGap = 2,       // the reader never saw a chunk of the sequence
  kLossCorrupt = 4,   // there were bytes that no writer writes
  kLossOrphan = 8,    // there was a fragment without the start of its packet, as after the start of another reader
  kLossTooLarge = 16, // the packet was above the reader's limit
  kLossCut = 32,      // the packet has no end
};

struct Packet {
  std::uint32_t writer;      // 1 up to the area's writers; one stream at a time has the number
  std::uint32_t sequence;    // the number of the stream, never used again in the area
  Bytes bytes;               // valid until the call returns
  std::uint32_t losses;      // the Loss bits of the sequence since its previous packet
  std::uint64_t lost;        // how many packets of it were lost since then, as the writer reports
};

struct ReaderOptions {
  // The limit for unfinished packets, over all sequences. (A vector that grows takes up to three times the memory.)
  std::uint64_t held_bytes = std::uint64_t{256} << 20;
  std::uint64_t area_bytes = std::uint64_t{1} << 30;  // a larger area is BadLayout
  std::uint64_t idle_ns = 100000000;                  // the reader takes back a chunk without a new packet for so long
};

struct ReaderCounts {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;        // packets, as writers report in the stream
  std::uint64_t gaps = 0;        // runs of consecutive chunks that were missing
  std::uint64_t corrupt = 0;     // chunks and records that no writer writes
  std::uint64_t orphans = 0;     // fragments
  std::uint64_t too_large = 0;   // packets
  std::uint64_t cut = 0;         // packets
  std::uint64_t freed = 0;       // chunks
  std::uint64_t taken_back = 0;  // the freed chunks that were idle
};

class Reader {
 public:
  Reader() = default;
  ~Reader() { close(); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Maps the area of `fd`: only the lines and the bitmap for writing. The caller still owns `fd`.
  AreaError open(int fd, const ReaderOptions& options = {});
  // Opens an area of this process, through the producer's own mapping.
  AreaError open(const Producer& producer, const ReaderOptions& options = {}) {
    if (!lines_.empty() || producer.base_ == nullptr) return AreaError::BadOptions;
    start(producer.parts_, options);
    return AreaError::Ok;
  }
  void close() {
    if (base_ != nullptr) ::munmap(base_, mapped_);
    if (control_ != nullptr) ::munmap(control_, control_bytes_);
    base_ = nullptr;
    control_ = nullptr;
    lines_ = {};
    writers_ = {};
  }

  // Reads the area once. Returns how many packets it delivered.
  template <class Sink>
  std::size_t poll(Sink&& sink) {
    return poll(sink, detail::monotonic_ns());
  }
  template <class Sink>
  std::size_t poll(Sink&& sink, std::uint64_t now_ns) {
    const std::uint64_t before = counts_.packets;
    stopped_ = false;
    pass(now_ns, sink);
    for (int more = 2; again_ && more > 0; --more) pass(now_ns, sink);
    ring();
    return static_cast<std::size_t>(counts_.packets - before);
  }

  // Call it when the producer has ended: counts unfinished packets as cut.
  void end() {
    for (Writer& writer : writers_) cut(writer);
  }

  // Whether the sink ended the last poll(), so that packets are left.
  bool is_stopped() const { return stopped_; }
  std::uint32_t chunks() const { return static_cast<std::uint32_t>(lines_.size()); }

  // Whether the producer wakes a service that waits (AreaOptions::wakes).
  bool wakes() const { return !lines_.empty() && (parts_.header().optional & detail::kWakes) != 0; }

  const ReaderCounts& counts() const { return counts_; }
  std::uint64_t held_bytes() const { return held_; }
  // The current entries of the writers. dropped(id) is the number of packets that the writer dropped, dropped(0) that
  // of streams that got no id.
  std::uint32_t writers() const { return writers_.empty() ? 0 : parts_.header().writers; }
  std::uint64_t dropped(std::uint32_t writer) const {
    return writer > writers() ? 0 : parts_.writer(writer).dropped.load(std::memory_order_relaxed);
  }
  std::uint32_t thread(std::uint32_t writer) const {
    return writer > writers() ? 0 : parts_.writer(writer).thread.load(std::memory_order_relaxed);
  }

 private:
  friend bool wait(Reader* const* readers, std::size_t count, std::uint64_t ns);

  // The reader's own state of a chunk, which no other process can change.
  struct Known {
    std::uint64_t word = 0;       // the state at the last pass
    std::uint64_t since_ns = 0;   // when it was first seen
    std::uint32_t consumed = 0;
    bool started = false;         // `consumed` belongs to the current use of the chunk
    bool refused = false;         // corrupt: it is not read until it is free
  };
  struct Writer {
    std::vector<std::uint8_t> packet;
    std::vector<std::uint32_t> fragments;  // where each starts in `packet`
    std::uint64_t lost = 0;
    std::uint32_t losses = kLossNone;
    std::uint32_t sequence = 0;
    std::uint32_t number = 0;      // the number of the next chunk
    bool known = false;            // `number` is
    bool based = false;            // `number` is where distances are counted from, until it is known
    bool waits = false;            // for the pass after this one, which sees every chunk that this one may have missed
    bool open = false;             // a packet is in progress
    bool dead = false;             // its end is waited for, and its bytes are not kept
  };
  struct Found {
    std::uint32_t writer;
    std::uint32_t distance;  // from the number that is expected
    std::uint32_t chunk;
    std::uint32_t number;
    std::uint64_t word;
  };

  void start(const detail::Parts& parts, const ReaderOptions& options) {
    parts_ = parts;
    options_ = options;
    const detail::Header& header = parts.header();
    lines_.assign(header.chunks, Known());
    writers_.assign(header.writers + std::size_t{1}, Writer());
    copy_.resize(header.chunk_bytes);
    counts_ = {};
    held_ = 0;
    found_.clear();
    found_.reserve(header.chunks);
  }

  // Reads the lines once. A writer may take a chunk just after this loop read the chunk's line, and the next chunk just
  // before the loop reads that one's line. So if a number is missing, or the first number is not known, a second pass
  // sees all chunks that were taken before those that the first pass saw.
  template <class Sink>
  void pass(std::uint64_t now_ns, Sink& sink) {
    collect();
    again_ = false;
    // From the writer at which the sink ended the last pass, so that no writer waits for the same others each time.
    const auto is_before = [](const Found& found, std::uint32_t id) { return found.writer < id; };
    const auto resume = std::lower_bound(found_.begin(), found_.end(), resume_, is_before);
    const auto first = static_cast<std::size_t>(resume - found_.begin());
    resume_ = 0;
    for (std::size_t i = first; i < found_.size() && !stopped_;) i = read_writer(i, now_ns, sink);
    for (std::size_t i = 0; i < first && !stopped_;) i = read_writer(i, now_ns, sink);
    if (stopped_) again_ = false;
  }

  // Collects the chunks in use, those of a writer one after the other in the writer's order (SHM-12).
  void collect() {
    using namespace detail;
    const std::uint32_t chunks = static_cast<std::uint32_t>(lines_.size());
    found_.clear();
    free_ = 0;
    for (std::uint32_t i = 0; i < chunks; ++i) {
      Line& line = parts_.line(i);
      const std::uint64_t word = line.state.load(std::memory_order_acquire);
      const State state = State::from(word);
      Known& known = lines_[i];
      if (state.phase == Phase::Free) {
        ++free_;
        known = Known();
        continue;
      }
      if (known.refused) continue;
      if (state.phase > Phase::Closed || state.writer == 0 || state.writer >= writers_.size() ||
          state.committed > parts_.header().chunk_bytes) {
        refuse(i);
        continue;
      }
      const std::uint32_t number = line.number.load(std::memory_order_relaxed);
      found_.push_back({state.writer, number, i, number, word});
    }
    scarce_ = free_ <= lines_.size() / 4;
    // The distances of a writer's chunks count from one number: numbers wrap, and sorting needs a total order.
    for (Found& found : found_) {
      Writer& writer = writers_[found.writer];
      if (!writer.known && !writer.based) {
        writer.based = true;
        writer.number = found.number - (1u << 31);
      }
      found.distance = found.number - writer.number;
    }
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return a.writer != b.writer ? a.writer < b.writer
                                  : a.distance != b.distance ? a.distance < b.distance : a.chunk < b.chunk;
    });
  }

  // Reads the chunks of one writer. Returns where those of the next one start.
  template <class Sink>
  std::size_t read_writer(std::size_t i, std::uint64_t now_ns, Sink& sink) {
    const std::uint32_t id = found_[i].writer;
    Writer& writer = writers_[id];
    std::size_t end = i;
    while (end < found_.size() && found_[end].writer == id) ++end;
    if (!writer.known) {
      if (!writer.waits) {
        again_ = writer.waits = true;
        return end;
      }
      writer.known = true;
      writer.waits = false;
      writer.number = found_[i].number;
    }
    bool stops = false;
    for (; i < end && !stops; ++i) {
      const Found& found = found_[i];
      const std::uint32_t distance = found.number - writer.number;
      if (distance >= 1u << 31) {  // a chunk with this number was already read
        refuse(found.chunk);
        continue;
      }
      if (distance != 0) {
        if (!writer.waits) {
          again_ = writer.waits = true;
          return end;
        }
        ++counts_.gaps;
        abandon(writer, kLossGap);
        writer.number = found.number;
      }
      writer.waits = false;
      stops = !read_chunk(found, id, writer, now_ns, sink) || stopped_;
    }
    if (stopped_) resume_ = id + 1;
    return end;
  }

  // Reads the new bytes of a chunk. Returns false if the writer still writes to it.
  template <class Sink>
  bool read_chunk(const Found& found, std::uint32_t id, Writer& writer, std::uint64_t now_ns, Sink& sink) {
    using namespace detail;
    Line& line = parts_.line(found.chunk);
    Known& known = lines_[found.chunk];
    std::uint64_t word = found.word;
    const State state = State::from(word);
    if (!known.started) {
      known.started = true;
      known.consumed = line.consumed.load(std::memory_order_relaxed);
    }
    if (state.committed < known.consumed) {
      refuse(found.chunk);
      return false;
    }
    const std::uint32_t sequence = line.sequence.load(std::memory_order_relaxed);
    if (sequence != writer.sequence) {  // another stream now has the writer's id
      cut(writer);
      writer.sequence = sequence;
      writer.lost = 0;
      writer.losses = kLossNone;
    }
    if (known.consumed < state.committed) {
      const std::uint32_t size = state.committed - known.consumed;
      copy_shared(copy_.data(), parts_.chunk(found.chunk) + known.consumed, size);
      records(id, writer, copy_.data(), size, sink);
      known.consumed = state.committed;
      line.consumed.store(known.consumed, std::memory_order_release);
    }
    if (state.phase == Phase::Closed) {
      release(found.chunk, state, writer, found.number);
      return true;
    }
    if (known.word != word) {
      known.word = word;
      known.since_ns = now_ns;
    }
    const bool scarce =
        (scarce_ && free_ < lines_.size() / 2) || parts_.bell().waiting.load(std::memory_order_relaxed) != 0;
    if (state.phase == Phase::Idle && (scarce || now_ns - known.since_ns >= options_.idle_ns) &&
        line.state.compare_exchange_strong(word, state_word(0, state.epoch, Phase::Free, 0), std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) {
      ++counts_.taken_back;
      release(found.chunk, state, writer, found.number);
    }
    return false;
  }

  void release(std::uint32_t chunk, const detail::State& state, Writer& writer, std::uint32_t number) {
    using namespace detail;
    Line& line = parts_.line(chunk);
    // In this order, so that a reader that is killed in between delivers nothing twice.
    line.state.store(state_word(0, state.epoch, Phase::Free, 0), std::memory_order_release);
    line.consumed.store(0, std::memory_order_release);
    parts_.bits(chunk / 64).fetch_or(std::uint64_t{1} << (chunk % 64), std::memory_order_release);
    lines_[chunk] = Known();
    writer.number = number + 1;
    ++counts_.freed;
    ++free_;
    rings_ = true;
  }
  void ring() {
    if (!rings_) return;
    rings_ = false;
    detail::Bell& bell = parts_.bell();
    bell.freed.fetch_add(1, std::memory_order_seq_cst);
    if (bell.waiting.load(std::memory_order_seq_cst) != 0) {
      ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell.freed), FUTEX_WAKE,
                std::numeric_limits<int>::max(), nullptr, nullptr, 0);
    }
  }

  // ---- records, from the reader's copy ----

  template <class Sink>
  void records(std::uint32_t id, Writer& writer, const std::uint8_t* p, std::size_t size, Sink& sink) {
    using namespace detail;
    const std::uint8_t* const end = p + size;
    while (p < end) {
      if (end - p < static_cast<std::ptrdiff_t>(kRecordHeader)) return corrupt(writer);
      const std::uint32_t header = p[0] | static_cast<std::uint32_t>(p[1]) << 8;
      const std::uint32_t bytes = header & 0x1fff;
      p += kRecordHeader;
      if (bytes > static_cast<std::size_t>(end - p)) return corrupt(writer);
      const Bytes content(p, bytes);
      p += bytes;
      switch (static_cast<Kind>(header >> 13)) {
        case Kind::Whole:
          cut(writer);
          deliver(id, writer, content, sink);
          break;
        case Kind::Begin:
          cut(writer);
          writer.open = true;
          add(writer, content);
          break;
        case Kind::Middle: add(writer, content); break;
        case Kind::End:
          if (!add(writer, content)) break;
          if (!writer.dead) deliver(id, writer, Bytes(writer.packet.data(), writer.packet.size()), sink);
          discard(writer);
          break;
        case Kind::Patches:
          if (writer.open && !writer.dead && !patch(writer, content)) corrupt(writer);
          break;
        case Kind::Lost: {
          std::uint64_t count = 0;
          if (wire::read_varint(content.begin(), content.end(), count) != content.end()) return corrupt(writer);
          discard(writer);
          writer.losses |= kLossFull;
          writer.lost = count <= ~writer.lost ? writer.lost + count : ~std::uint64_t{0};
          counts_.lost = count <= ~counts_.lost ? counts_.lost + count : ~std::uint64_t{0};
          break;
        }
        default: return corrupt(writer);
      }
    }
  }

  // Adds a fragment to its packet. Returns false if the reader has not seen the start of the packet.
  bool add(Writer& writer, Bytes content) {
    if (!writer.open) {
      ++counts_.orphans;
      writer.losses |= kLossOrphan;
      return false;
    }
    if (writer.dead) return true;
    // The memory of the list counts too, for packets of many empty fragments.
    const std::uint64_t cost = content.size() + sizeof(std::uint32_t);
    if (cost > options_.held_bytes - held_ || writer.packet.size() + content.size() > kMaxMessageSize) {
      ++counts_.too_large;
      abandon(writer, kLossTooLarge);
      writer.open = true;
      writer.dead = true;
      return true;
    }
    held_ += cost;
    writer.fragments.push_back(static_cast<std::uint32_t>(writer.packet.size()));
    writer.packet.insert(writer.packet.end(), content.begin(), content.end());
    return true;
  }
  // Applies patches, which are (fragment, offset, length)*. The four bytes of a length replace four zeros.
  bool patch(Writer& writer, Bytes content) {
    const std::uint8_t* p = content.begin();
    while (p < content.end()) {
      std::uint64_t value[3];
      for (std::uint64_t& number : value) {
        p = wire::read_varint(p, content.end(), number);
        if (p == nullptr) return false;
      }
      const std::uint64_t fragment = value[0];
      if (fragment >= writer.fragments.size() || value[2] > kMaxNestedSize) return false;
      const std::uint64_t start = writer.fragments[static_cast<std::size_t>(fragment)];
      const std::uint64_t next = fragment + 1 < writer.fragments.size()
                                     ? writer.fragments[static_cast<std::size_t>(fragment + 1)]
                                     : writer.packet.size();
      if (value[1] > next - start || next - start - value[1] < 4) return false;
      std::uint8_t* const slot = writer.packet.data() + start + value[1];
      if (detail::port::load<std::uint32_t>(slot) != 0) return false;
      std::uint8_t four[4];
      hotpb::detail::encode_length4(four, value[2]);
      std::memcpy(slot, four, sizeof four);
    }
    return true;
  }

  template <class Sink>
  void deliver(std::uint32_t id, Writer& writer, Bytes bytes, Sink& sink) {
    ++counts_.packets;
    counts_.bytes += bytes.size();
    const Packet packet = {id, writer.sequence, bytes, writer.losses, writer.lost};
    writer.losses = kLossNone;
    writer.lost = 0;
    if constexpr (std::is_same_v<decltype(sink(packet)), bool>) {
      if (!sink(packet)) stopped_ = true;
    } else {
      sink(packet);
    }
  }
  // Discards the packet in progress, and counts nothing.
  void discard(Writer& writer) {
    held_ -= writer.packet.size() + writer.fragments.size() * sizeof(std::uint32_t);
    if (writer.packet.capacity() > kKeptBytes) {
      writer.packet = {};
      writer.fragments = {};
    }
    writer.packet.clear();
    writer.fragments.clear();
    writer.open = false;
    writer.dead = false;
  }
  void abandon(Writer& writer, Loss why) {
    writer.losses |= why;
    discard(writer);
  }
  void cut(Writer& writer) {
    if (!writer.open) return;
    if (!writer.dead) ++counts_.cut;
    abandon(writer, kLossCut);
  }
  void corrupt(Writer& writer) {
    ++counts_.corrupt;
    abandon(writer, kLossCorrupt);
  }
  void refuse(std::uint32_t chunk) {
    ++counts_.corrupt;
    lines_[chunk].refused = true;
  }

  static constexpr std::size_t kKeptBytes = 65536;  // how much of a packet's memory is kept for the next one

  detail::Parts parts_;
  ReaderOptions options_;
  std::uint8_t* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::uint8_t* control_ = nullptr;
  std::size_t control_bytes_ = 0;
  std::vector<Known> lines_;
  std::vector<Writer> writers_;
  std::vector<Found> found_;
  std::vector<std::uint8_t> copy_;
  ReaderCounts counts_;
  std::uint64_t held_ = 0;
  std::size_t free_ = 0;
  bool scarce_ = false;  // a quarter or less was free at the start of the pass: take back idle chunks, up to one half
  bool rings_ = false;
  bool again_ = false;
  bool stopped_ = false;
  std::uint32_t resume_ = 0;  // the writer with which the next pass begins
};

// Sleeps until a producer of these readers has half of its chunks in use, or for `ns` at most. Returns whether one had.
// Producers that do not wake a service (Reader::wakes) wake nobody, and neither do those after the first 128; in
// kernels before 5.16, only the first one does.
inline bool wait(Reader* const* readers, std::size_t count, std::uint64_t ns) {
  // The kernel's struct futex_waitv, which headers before 5.16 do not have.
  struct Wait {
    std::uint64_t value;
    std::uint64_t address;
    std::uint32_t flags;
    std::uint32_t zero;
  };
  constexpr long kFutexWaitv = 449;
  constexpr std::uint32_t kFutex32 = 2;
  constexpr unsigned kMost = 128;
  Wait waits[kMost];
  unsigned armed = 0;
  bool is_full = false;
  for (std::size_t i = 0; i < count && armed < kMost; ++i) {
    if (!readers[i]->wakes()) continue;
    std::atomic<std::uint32_t>& word = readers[i]->parts_.bell().armed;
    word.store(1, std::memory_order_seq_cst);
    waits[armed++] = {1, reinterpret_cast<std::uintptr_t>(&word), kFutex32, 0};
    is_full = is_full || readers[i]->parts_.is_half_full();  // a writer that came before saw no service that sleeps
  }
  timespec time = {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  if (armed == 0) {
    ::nanosleep(&time, nullptr);
  } else if (!is_full) {
    const std::uint64_t until = detail::monotonic_ns() + ns;
    timespec end = {static_cast<time_t>(until / 1000000000), static_cast<long>(until % 1000000000)};
    if (::syscall(kFutexWaitv, waits, armed, 0, &end, CLOCK_MONOTONIC) < 0 && errno == ENOSYS) {
      ::syscall(SYS_futex, waits[0].address, FUTEX_WAIT, 1, &time, nullptr, 0);
    }
  }
  bool is_woken = is_full;
  for (unsigned i = 0; i < armed; ++i) {
    auto& word = *reinterpret_cast<std::atomic<std::uint32_t>*>(static_cast<std::uintptr_t>(waits[i].address));
    if (word.exchange(0, std::memory_order_relaxed) == 0) is_woken = true;
  }
  return is_woken;
}

inline AreaError Reader::open(int fd, const ReaderOptions& options) {
  using namespace detail;
  if (!lines_.empty()) return AreaError::BadOptions;
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0) return errno == EINVAL ? AreaError::NotSealed : AreaError::System;
  constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_GROW;
  if ((seals & kNeeded) != kNeeded) return AreaError::NotSealed;
  struct stat about = {};
  if (::fstat(fd, &about) != 0) return AreaError::System;
  const std::uint64_t bytes = about.st_size < 0 ? 0 : static_cast<std::uint64_t>(about.st_size);
  if (bytes < kPage) return AreaError::NotAnArea;

  void* const base = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return AreaError::System;
  Header header;
  std::uint8_t copy[sizeof header];
  copy_shared(copy, static_cast<const std::uint8_t*>(base), sizeof copy);
  std::memcpy(&header, copy, sizeof header);
  AreaError error = bytes > options.area_bytes ? AreaError::BadLayout : check_header(header, bytes);
  void* control = MAP_FAILED;
  if (error == AreaError::Ok) {
    const std::size_t size = static_cast<std::size_t>(header.writers_at - header.control_at);
    control = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(header.control_at));
    if (control == MAP_FAILED) error = AreaError::System;
    control_bytes_ = size;
  }
  if (error != AreaError::Ok) {
    const int reason = errno;
    ::munmap(base, bytes);
    errno = reason;
    return error;
  }
  base_ = static_cast<std::uint8_t*>(base);
  mapped_ = static_cast<std::size_t>(bytes);
  control_ = static_cast<std::uint8_t*>(control);
  start(Parts(base_, control_, header), options);
  return AreaError::Ok;
}

}  // namespace shm
HOTPB_NAMESPACE_END

#endif  // HOTPB_SHM
#endif  // HOTPB_SHM_READER_H_
