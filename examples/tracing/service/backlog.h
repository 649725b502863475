// The packets that were read from producers and are not translated yet. One thread reads the areas and adds packets,
// another takes them: so no chunk of an area waits for the disk.
//
//   begin() add() add() end()                    the thread that reads
//   | block | block | open |   of one producer
//   take() each() release()                      the thread that translates
//
// A producer has room while it holds less than what is free (TRC-58): alone it may fill half of the backlog, and n
// producers get one part in n + 1 each. The packets of a producer without room stay in its area.
#ifndef TRACING_SERVICE_BACKLOG_H_
#define TRACING_SERVICE_BACKLOG_H_

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "hotpb/shm/reader.h"

namespace tracing::service {

// The bytes that the queues of all producers hold.
class Backlog {
 public:
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{64} << 20;

  explicit Backlog(std::uint64_t most_bytes = kDefaultBytes) : most_bytes_(most_bytes) {}
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class Queue;
  const std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> bytes_{0};
};

// Where the packets that follow belong, and how many are missing before them.
struct Mark {
  std::uint64_t latest_ns;  // no event is later
  std::uint64_t lost;       // packets, as the writer says
  std::uint32_t writer;
  std::uint32_t sequence;
  std::uint32_t losses;     // hotpb::shm::Loss
  std::uint32_t zero;
};

// A mark is kMark and its bytes; a packet is its size and its bytes.
struct Block {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t used = 0;
  std::size_t room = 0;
};

class Queue {
 public:
  explicit Queue(Backlog& backlog) : backlog_(backlog) {}
  ~Queue() { backlog_.bytes_.fetch_sub(bytes_.load(std::memory_order_relaxed), std::memory_order_relaxed); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // ---- the thread that reads ----

  bool has_room() const {
    return bytes_.load(std::memory_order_relaxed) + backlog_.bytes() < backlog_.most_bytes_;
  }
  void begin(std::uint64_t latest_ns) {
    mark_ = {};
    mark_.latest_ns = latest_ns;
    is_full_ = false;
    const std::lock_guard<std::mutex> guard(lock_);
    if (blocks_.size() <= sealed_) return;
    open_ = std::move(blocks_.back());  // goes on where the last pass stopped
    blocks_.pop_back();
  }
  // Whether the packet needs no mark before it.
  bool continues(const hotpb::shm::Packet& packet) const {
    return packet.writer == mark_.writer && packet.sequence == mark_.sequence && packet.losses == 0;
  }
  // Adds a packet in any case, and reports whether there is room for another one.
  bool add(hotpb::Bytes packet) {
    put(static_cast<std::uint32_t>(packet.size()), packet.data(), packet.size());
    return !is_full_;
  }
  void add_mark(std::uint32_t writer, std::uint32_t sequence, std::uint32_t losses, std::uint64_t lost) {
    mark_ = {mark_.latest_ns, lost, writer, sequence, losses, 0};
    put(kMark, &mark_, sizeof mark_);
  }
  void end() {
    if (open_.used != 0) push();
  }
  // Nothing is added to the blocks that are there: also those are read while a later pass reads. Call it before somebody
  // waits for them.
  void seal() {
    const std::lock_guard<std::mutex> guard(lock_);
    sealed_ = blocks_.size();
  }
  // Nothing will be added.
  void close() { closed_.store(true, std::memory_order_release); }

  // ---- the thread that translates ----

  bool is_closed() const { return closed_.load(std::memory_order_acquire); }
  std::size_t blocks() {
    const std::lock_guard<std::mutex> guard(lock_);
    return blocks_.size();
  }
  // The oldest block. False: there is none.
  bool take(Block& block) {
    const std::lock_guard<std::mutex> guard(lock_);
    if (blocks_.empty()) return false;
    block = std::move(blocks_.front());
    blocks_.pop_front();
    if (sealed_ != 0) --sealed_;
    return true;
  }
  // Calls to.mark(Mark) and to.packet(Bytes), in the order in which they were added.
  template <class To>
  static void each(const Block& block, To& to) {
    const std::uint8_t* p = block.bytes.get();
    for (const std::uint8_t* const end = p + block.used; p != end;) {
      std::uint32_t head = 0;
      std::memcpy(&head, p, sizeof head);
      p += sizeof head;
      if (head == kMark) {
        Mark mark;
        std::memcpy(&mark, p, sizeof mark);
        p += sizeof mark;
        to.mark(mark);
      } else {
        to.packet(hotpb::Bytes(p, head));
        p += head;
      }
    }
  }
  // Frees the memory of a block.
  void release(Block block) {
    bytes_.fetch_sub(block.room, std::memory_order_relaxed);
    backlog_.bytes_.fetch_sub(block.room, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kBlockBytes = 65536;
  static constexpr std::uint32_t kMark = ~std::uint32_t{0};  // a packet is smaller (LIM-1)

  void put(std::uint32_t head, const void* bytes, std::size_t size) {
    if (open_.room - open_.used < sizeof head + size) add_block(sizeof head + size);
    std::uint8_t* const p = open_.bytes.get() + open_.used;
    std::memcpy(p, &head, sizeof head);
    if (size != 0) std::memcpy(p + sizeof head, bytes, size);
    open_.used += sizeof head + size;
  }
  void add_block(std::size_t size) {
    if (open_.used != 0) push();
    open_.room = size < kBlockBytes ? kBlockBytes : size;
    open_.bytes.reset(new std::uint8_t[open_.room]);
    bytes_.fetch_add(open_.room, std::memory_order_relaxed);
    backlog_.bytes_.fetch_add(open_.room, std::memory_order_relaxed);
    is_full_ = !has_room();
  }
  void push() {
    const std::lock_guard<std::mutex> guard(lock_);
    blocks_.push_back(std::move(open_));
    open_ = {};
  }

  Backlog& backlog_;
  std::atomic<std::uint64_t> bytes_{0};  // of the blocks, as far as the translating thread has not released them
  Block open_;
  Mark mark_ = {};
  bool is_full_ = false;
  std::atomic<bool> closed_{false};
  std::mutex lock_;
  std::deque<Block> blocks_;
  std::size_t sealed_ = 0;  // the first blocks, which begin() leaves where they are
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_BACKLOG_H_
