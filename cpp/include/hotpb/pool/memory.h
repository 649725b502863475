// The memory of a pool: for each level of nesting one arena, which the next decode uses again.
//
//   level 0   WriteRequest
//   level 1   TimeSeries TimeSeries TimeSeries          the elements of one repeated field are adjacent,
//   level 2   Label Label Label Sample Label Label ...  because their own elements are one level further down
//
// An array whose end is the top of its arena grows in place. Any other array that grows (repeated fields whose records
// interleave) moves to the top, with room for twice its elements.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_MEMORY_H_
#define HOTPB_POOL_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN

// Where a pool takes its memory from, in place of malloc(): a std::pmr::memory_resource fits in five lines.
class PoolAllocator {
 public:
  // `size` bytes, aligned for any type; nullptr if there are none, which the decode reports as CountExceeded.
  virtual void* allocate(std::size_t size) = 0;
  // A block that allocate() returned, with the same size.
  virtual void release(void* block, std::size_t size) = 0;

 protected:
  ~PoolAllocator() = default;
};

namespace pool {
namespace detail {

// A repeated field: elements of one type, which generated code knows.
struct Array {
  std::uint8_t* data;
  std::uint32_t size;
  std::uint32_t room;  // of an array that has moved, else 0
};

constexpr std::size_t kAlign = 8;

HOTPB_INLINE std::uint8_t* aligned(std::uint8_t* p) {
  return p + (std::size_t{0} - reinterpret_cast<std::uintptr_t>(p)) % kAlign;
}

// The arena of one level.
struct Level {
  struct Block {
    Block* next;
    std::size_t size;  // the header included
  };

  std::uint8_t* at;     // the top: what follows is free
  std::uint8_t* end;    // of the newest block
  Block* blocks;        // newest first
  std::size_t wanted;   // size of the next block, if it is larger than usual
};

class Memory {
 public:
  Memory() = default;
  explicit Memory(PoolAllocator* allocator) : allocator_(allocator) {}
  Memory(Memory&& source) noexcept { swap(source); }
  Memory& operator=(Memory&& source) noexcept {
    Memory moved(std::move(source));
    swap(moved);
    return *this;
  }
  ~Memory() { release_all(); }

  // Empties all levels, and has at least `count`. False if there is no memory.
  bool reset(std::uint32_t count) {
    // A level without memory may lie above one with memory: the level of a map's entries, if these borrow all they
    // hold.
    for (std::uint32_t i = 0; i < used_; ++i) {
      if (HOTPB_LIKELY(levels_[i].blocks != nullptr)) reset(levels_[i]);
    }
    return HOTPB_LIKELY(count <= count_) || add_levels(count);
  }

  Level* levels() { return levels_; }
  PoolAllocator* allocator() const { return allocator_; }

  // A new block for the level, with room for `size` bytes. False if there is no memory.
  HOTPB_COLD bool grow(Level& level, std::size_t size) {
    std::size_t wanted = level.blocks == nullptr ? kFirstBlock : 2 * level.blocks->size;
    if (wanted < level.wanted) wanted = level.wanted;
    // With room to align what comes next: then the block suffices in the next decode, too.
    const std::size_t least = size + sizeof(Level::Block) + kAlign;
    if (wanted < least) wanted = least;
    // The end is aligned, so that a top that is aligned is not after it.
    wanted += (std::size_t{0} - wanted) % kAlign;
    void* const place = allocate(wanted);
    if (place == nullptr) return false;
    level.blocks = new (place) Level::Block{level.blocks, wanted};
    level.at = static_cast<std::uint8_t*>(place) + sizeof(Level::Block);
    level.end = static_cast<std::uint8_t*>(place) + wanted;
    level.wanted = 0;
    const std::uint32_t index = static_cast<std::uint32_t>(&level - levels_);
    if (index >= used_) used_ = index + 1;
    return true;
  }

  // Bytes of a level, which the next decode uses again; nullptr if there is no memory.
  std::uint8_t* take(Level& level, std::size_t size) {
    if (static_cast<std::size_t>(level.end - level.at) < size + kAlign && !grow(level, size)) return nullptr;
    std::uint8_t* const place = aligned(level.at);
    level.at = place + size;
    return place;
  }

  // A copy of the input, in memory that the next copy uses again; nullptr if there is no memory.
  const std::uint8_t* copy(Bytes input) {
    if (input.size() > copy_size_) {
      free_copy();
      copy_ = static_cast<std::uint8_t*>(allocate(input.size()));
      if (copy_ == nullptr) return nullptr;
      copy_size_ = input.size();
    }
    if (!input.empty()) std::memcpy(copy_, input.data(), input.size());
    return copy_;
  }

  // Room for `count` numbers, for a while; nullptr if there is no memory.
  std::uint32_t* scratch(std::size_t count) {
    const std::size_t size = count * sizeof(std::uint32_t);
    if (size > scratch_size_) {
      free_scratch();
      scratch_ = static_cast<std::uint32_t*>(allocate(size));
      if (scratch_ == nullptr) return nullptr;
      scratch_size_ = size;
    }
    return scratch_;
  }

  // Bytes that are kept.
  std::size_t bytes() const {
    std::size_t sum = count_ * sizeof(Level) + copy_size_ + scratch_size_;
    for (std::uint32_t i = 0; i < count_; ++i) {
      for (const Level::Block* block = levels_[i].blocks; block != nullptr; block = block->next) sum += block->size;
    }
    return sum;
  }

  // Keeps at most `limit` bytes. The decoded message is gone.
  void shrink_to(std::size_t limit) {
    const std::size_t all = bytes();
    if (all <= limit) return;
    free_copy();
    free_scratch();
    const std::size_t fixed = count_ * sizeof(Level);
    if (fixed > limit) return release_all();
    // The levels get their shares of the limit when they are used next.
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::size_t size = 0;
      for (const Level::Block* block = levels_[i].blocks; block != nullptr; block = block->next) size += block->size;
      const double share = static_cast<double>(limit - fixed) / static_cast<double>(all);
      release(levels_[i]);
      levels_[i].wanted = static_cast<std::size_t>(static_cast<double>(size) * share);
    }
  }

 private:
  static constexpr std::size_t kFirstBlock = 512;

  void swap(Memory& source) noexcept {
    std::swap(allocator_, source.allocator_);
    std::swap(levels_, source.levels_);
    std::swap(count_, source.count_);
    std::swap(used_, source.used_);
    std::swap(copy_, source.copy_);
    std::swap(copy_size_, source.copy_size_);
    std::swap(scratch_, source.scratch_);
    std::swap(scratch_size_, source.scratch_size_);
  }

  void* allocate(std::size_t size) { return allocator_ != nullptr ? allocator_->allocate(size) : std::malloc(size); }
  void release(void* block, std::size_t size) {
    if (block == nullptr) return;
    if (allocator_ != nullptr) {
      allocator_->release(block, size);
    } else {
      std::free(block);
    }
  }

  // One block stays. Of several, one of their size together takes the place when it is needed.
  HOTPB_INLINE void reset(Level& level) {
    if (HOTPB_UNLIKELY(level.blocks->next != nullptr)) return merge(level);
    level.at = reinterpret_cast<std::uint8_t*>(level.blocks) + sizeof(Level::Block);
    HOTPB_FILL(level.at, static_cast<std::size_t>(level.end - level.at));
  }
  HOTPB_COLD void merge(Level& level) {
    std::size_t size = 0;
    for (const Level::Block* block = level.blocks; block != nullptr; block = block->next) size += block->size;
    release(level);
    level.wanted = size + 8 * kAlign;  // borders lie elsewhere
    grow(level, 0);
  }
  void release(Level& level) {
    while (level.blocks != nullptr) {
      Level::Block* const block = level.blocks;
      level.blocks = block->next;
      release(block, block->size);
    }
    level = Level{nullptr, nullptr, nullptr, 0};
  }

  HOTPB_COLD bool add_levels(std::uint32_t count) {
    Level* const more = static_cast<Level*>(allocate(count * sizeof(Level)));
    if (more == nullptr) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      new (more + i) Level(i < count_ ? levels_[i] : Level{nullptr, nullptr, nullptr, 0});
    }
    release(levels_, count_ * sizeof(Level));
    levels_ = more;
    count_ = count;
    return true;
  }

  void free_copy() {
    release(copy_, copy_size_);
    copy_ = nullptr;
    copy_size_ = 0;
  }
  void free_scratch() {
    release(scratch_, scratch_size_);
    scratch_ = nullptr;
    scratch_size_ = 0;
  }
  void release_all() {
    for (std::uint32_t i = 0; i < count_; ++i) release(levels_[i]);
    release(levels_, count_ * sizeof(Level));
    levels_ = nullptr;
    count_ = used_ = 0;
    free_copy();
    free_scratch();
  }

  PoolAllocator* allocator_ = nullptr;
  Level* levels_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t used_ = 0;  // levels after these have had no memory
  std::uint8_t* copy_ = nullptr;
  std::size_t copy_size_ = 0;
  std::uint32_t* scratch_ = nullptr;
  std::size_t scratch_size_ = 0;
};

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_MEMORY_H_
