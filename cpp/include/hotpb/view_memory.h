// Where the parts of a message that came in several records are put behind each other: the one place where a view
// needs memory. Either the caller's Scratch, or a block that the view itself owns and shares with its copies.
#ifndef HOTPB_VIEW_MEMORY_H_
#define HOTPB_VIEW_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace hotpb {
namespace view {

// Memory for merged messages, used again and again: what was merged into it stays where it is until clear().
//
//   hotpb::view::Scratch scratch;                     // one per worker
//   for (...) { child.open(m.child(), scratch); ...; scratch.clear(); }
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // `size` bytes that nobody else has. Allocates only when the block at hand is full.
  std::uint8_t* take(std::size_t size) {
    if (blocks_.empty() || blocks_.back().size - used_ < size) {
      std::size_t wanted = blocks_.empty() ? std::size_t{512} : blocks_.back().size * 2;
      if (wanted < size) wanted = size;
      blocks_.push_back(Block{std::unique_ptr<std::uint8_t[]>(new std::uint8_t[wanted]), wanted});
      used_ = 0;
    }
    std::uint8_t* const taken = blocks_.back().bytes.get() + used_;
    used_ += size;
    return taken;
  }

  // Everything merged so far is gone; the largest block is kept.
  void clear() {
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    used_ = 0;
  }

 private:
  struct Block {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size;
  };

  std::vector<Block> blocks_;  // each larger than the one before
  std::size_t used_ = 0;       // of the last
};

// A block with a count of its owners; nothing at all in nearly every view.
class Owned {
 public:
  Owned() = default;
  explicit Owned(std::size_t size) : block_(static_cast<Block*>(::operator new(sizeof(Block) + size))) {
    new (block_) Block{{1}};
  }
  Owned(const Owned& other) : block_(other.block_) {
    if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Owned(Owned&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  Owned& operator=(const Owned& other) {
    Owned copy(other);
    std::swap(block_, copy.block_);
    return *this;
  }
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      if (block_ != nullptr) release();
      block_ = other.block_;
      other.block_ = nullptr;
    }
    return *this;
  }
  ~Owned() {
    if (block_ != nullptr) release();
  }

  std::uint8_t* bytes() const { return reinterpret_cast<std::uint8_t*>(block_ + 1); }

 private:
  struct Block {
    std::atomic<std::size_t> owners;
  };

  void release() {
    if (block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      block_->~Block();
      ::operator delete(block_);
    }
    block_ = nullptr;
  }

  Block* block_ = nullptr;
};

}  // namespace view
}  // namespace hotpb

#endif  // HOTPB_VIEW_MEMORY_H_
