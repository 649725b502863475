// HeapBuffer: a chain of chunks on the heap, used again after clear().
//
//   hotpb::HeapBuffer out;                       keep it per thread
//   { auto msg = out.message<TestMsgWriter>(); msg.set_int_val(42); }
//   out.chunks() / out.append_to(text) / out.bytes()
//   out.clear();
//
// Chunks are 4 KiB at first and double up to 32 KiB; they are allocated when first needed and kept, so that a buffer
// that has grown allocates no more. `limit` bounds what is written to it; more is BufferExhausted, as is running out
// of memory. Room of less than 64 bytes below the limit is not used.
#ifndef HOTPB_CHUNK_HEAP_H_
#define HOTPB_CHUNK_HEAP_H_

#include <memory>
#include <new>
#include <vector>

#include "hotpb/span.h"
#include "hotpb/writer_stream.h"

namespace hotpb {

struct HeapOptions {
  LengthPolicy policy = LengthPolicy::compact;
  std::size_t first_chunk = 4096;   // 64 at least
  std::size_t largest_chunk = 32768;
  std::uint64_t limit = ~std::uint64_t{0};
};

class HeapBuffer final : public WriteStream, private ChunkSource {
 public:
  explicit HeapBuffer(const HeapOptions& options = {})
      : WriteStream(this, options.policy, true), options_(options) {}

  ~HeapBuffer() { abandon(); }

  // Starts anew and keeps the chunks. Open handles become stale.
  void clear() {
    count_ = 0;
    held_ = 0;
    if (blocks_.empty() || options_.limit < kMinChunkSize) {
      restart_without_chunk();
    } else {
      count_ = 1;
      held_ = blocks_[0].size < options_.limit ? blocks_[0].size : options_.limit;
      restart(0, blocks_[0].data.get(), static_cast<std::size_t>(held_), false);
    }
  }
  void shrink_to_fit() {
    clear();
    restart_without_chunk();
    count_ = 0;
    held_ = 0;
    blocks_.clear();
    pieces_.clear();
    joined_.clear();
    blocks_.shrink_to_fit();
    pieces_.shrink_to_fit();
    joined_.shrink_to_fit();
  }

  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += used(i);
    return sum;
  }

  // What was written, in pieces; valid until the next call on the buffer.
  Span<const Bytes> chunks() {
    pieces_.clear();
    for (std::size_t i = 0; i < count_; ++i) {
      if (used(i) > 0) pieces_.push_back(Bytes(blocks_[i].data.get(), used(i)));
    }
    return {pieces_.data(), pieces_.size()};
  }
  // In one piece: copied together if there is more than one chunk. Valid until the next call on the buffer.
  Bytes bytes() {
    const Span<const Bytes> pieces = chunks();
    if (pieces.empty()) return {};
    if (pieces.size() == 1) return pieces[0];
    joined_.clear();
    append_to(joined_);
    return {joined_.data(), joined_.size()};
  }
  // std::string, std::vector<std::uint8_t> and their like.
  template <class Container>
  void append_to(Container& out) const {
    for (std::size_t i = 0; i < count_; ++i) {
      out.insert(out.end(), blocks_[i].data.get(), blocks_[i].data.get() + used(i));
    }
  }

 private:
  struct Block {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t size;
    std::size_t used;
  };

  std::size_t used(std::size_t i) const { return chunk_id() == i ? chunk_used() : blocks_[i].used; }

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t) override {
    if (full_id != kNoChunk) blocks_[static_cast<std::size_t>(full_id)].used = used;
    const std::uint64_t left = options_.limit - held_;
    if (left < kMinChunkSize) return {};
    if (count_ == blocks_.size()) {
      std::size_t size = options_.first_chunk;
      if (!blocks_.empty()) size = blocks_.back().size > options_.largest_chunk / 2 ? options_.largest_chunk
                                                                                    : 2 * blocks_.back().size;
      if (size < kMinChunkSize) size = kMinChunkSize;
      std::unique_ptr<std::uint8_t[]> data(new (std::nothrow) std::uint8_t[size]);
      if (data == nullptr) return {};
      blocks_.push_back(Block{std::move(data), size, 0});
    }
    Block& block = blocks_[count_];
    block.used = 0;
    const std::size_t size = block.size < left ? block.size : static_cast<std::size_t>(left);
    held_ += size;
    return {count_++, block.data.get(), size};
  }
  void patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t) override {
    std::memcpy(blocks_[static_cast<std::size_t>(id)].data.get() + offset, bytes, sizeof bytes);
  }
  void finish(std::uint64_t, std::size_t) override {}
  void widen(std::uint64_t id, std::size_t offset, const std::uint8_t* bytes, std::size_t size) override {
    Block& block = blocks_[static_cast<std::size_t>(id)];
    std::uint8_t* const slot = block.data.get() + offset;
    std::memmove(slot + size, slot + 1, block.used - offset - 1);
    std::memcpy(slot, bytes, size);
    block.used += size - 1;
  }

  HeapOptions options_;
  std::vector<Block> blocks_;
  std::size_t count_ = 0;     // blocks in use
  std::uint64_t held_ = 0;    // their sizes
  std::vector<Bytes> pieces_;
  std::vector<std::uint8_t> joined_;
};

}  // namespace hotpb

#endif  // HOTPB_CHUNK_HEAP_H_
