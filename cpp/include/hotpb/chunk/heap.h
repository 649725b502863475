// HeapBuffer: a chain of chunks on the heap, used again after clear().
//
//   hotpb::HeapBuffer out;                       keep it per thread
//   { auto msg = out.message<TestMsgWriter>(); msg.set_int_val(42); }
//   if (out.ok()) send(out.chunks());            or out.append_to(text), out.bytes()
//   out.clear();
//
// The first chunk has 4 KiB; each next one is twice as large, up to 32 KiB. The buffer allocates a chunk when it first
// needs it, and keeps it, so a warm buffer allocates no more. `limit` bounds the bytes that are written: above it, or
// when memory runs out, the error is BufferExhausted. The buffer does not use the last bytes below the limit if they
// are fewer than 64.
#ifndef HOTPB_CHUNK_HEAP_H_
#define HOTPB_CHUNK_HEAP_H_

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "hotpb/detail/abi.h"
#include "hotpb/wire/span.h"
#include "hotpb/writer/stream.h"
#include "hotpb/writer/written.h"

HOTPB_NAMESPACE_BEGIN

struct HeapOptions {
  LengthPolicy policy = LengthPolicy::compact;
  std::size_t first_chunk = 4096;   // at least 64
  std::size_t largest_chunk = 32768;
  std::uint64_t limit = ~std::uint64_t{0};
};

class HeapBuffer final : public WriteStream, private ChunkSource {
 public:
  explicit HeapBuffer(const HeapOptions& options = {})
      : WriteStream(this, options.policy, true), options_(options) {}

  // Takes the whole messages, their status and all chunks; `source` is then like a new buffer. A message that is open
  // in `source` fails with HandleMisuse and is not moved, because its handles belong to `source`.
  HeapBuffer(HeapBuffer&& source) noexcept
      : WriteStream(this, source.options_.policy, true), options_(source.options_) {
    take_from(source);
  }
  HeapBuffer& operator=(HeapBuffer&& source) noexcept {
    if (this != &source) {
      options_ = source.options_;
      take_from(source);
    }
    return *this;
  }

  ~HeapBuffer() { abandon(); }

  // Starts again and keeps the chunks. Open handles become stale.
  void clear() {
    count_ = 0;
    held_ = 0;
    if (blocks_.empty() || options_.limit < kMinChunkSize) {
      restart_without_chunk();
    } else {
      count_ = 1;
      held_ = blocks_[0].size < options_.limit ? blocks_[0].size : options_.limit;
      restart(0, blocks_[0].data.get(), static_cast<std::size_t>(held_));
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

  // The number of bytes of the whole messages (written.h).
  std::uint64_t size() const { return whole(); }

  // The whole messages in pieces, valid until the next call on the buffer.
  Written<Span<const Bytes>> chunks() HOTPB_LIFETIMEBOUND {
    pieces_.clear();
    each_piece(0, whole(), [this](Bytes piece) { pieces_.push_back(piece); });
    return {Span<const Bytes>(pieces_.data(), pieces_.size()), whole_status()};
  }
  // The whole messages in one piece, a copy if there is more than one chunk. Valid until the next call on the buffer.
  Written<Bytes> bytes() HOTPB_LIFETIMEBOUND { return {joined(0, whole()), whole_status()}; }
  // Appends the whole messages to a std::string, a std::vector of std::uint8_t or std::byte, or a similar container.
  template <class Container>
  WriteStatus append_to(Container& out) const {
    each_piece(0, whole(), [&out](Bytes piece) { detail::append(out, piece); });
    return whole_status();
  }

  // The part of the message that failed which was written: it parses, but it is cut. Empty if no message failed. Valid
  // until the next call on the buffer.
  [[nodiscard]] Bytes partial_bytes() HOTPB_LIFETIMEBOUND { return joined(whole(), partial()); }

 private:
  struct Block {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t size;
    std::size_t used;
  };

  void take_from(HeapBuffer& source) noexcept {
    take_over(source);
    blocks_ = std::move(source.blocks_);
    pieces_ = std::move(source.pieces_);
    joined_ = std::move(source.joined_);
    count_ = source.count_;
    held_ = source.held_;
    source.blocks_.clear();
    source.pieces_.clear();
    source.joined_.clear();
    source.clear();
  }

  std::size_t used(std::size_t i) const { return chunk_id() == i ? chunk_used() : blocks_[i].used; }

  // The pieces of the bytes between two offsets, none of them empty.
  template <class Visit>
  void each_piece(std::uint64_t from, std::uint64_t to, Visit visit) const {
    std::uint64_t start = 0;
    for (std::size_t i = 0; i < count_ && start < to; ++i) {
      const std::uint64_t end = start + used(i);
      const std::uint64_t first = from > start ? from : start;
      const std::uint64_t last = to < end ? to : end;
      if (first < last) {
        visit(Bytes(blocks_[i].data.get() + (first - start), static_cast<std::size_t>(last - first)));
      }
      start = end;
    }
  }
  Bytes joined(std::uint64_t from, std::uint64_t to) {
    Bytes only;
    std::size_t count = 0;
    each_piece(from, to, [&](Bytes piece) {
      only = piece;
      ++count;
    });
    if (count <= 1) return only;
    joined_.clear();
    each_piece(from, to, [this](Bytes piece) { joined_.insert(joined_.end(), piece.begin(), piece.end()); });
    return {joined_.data(), joined_.size()};
  }

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t) override {
    if (full_id != kNoChunk) blocks_[static_cast<std::size_t>(full_id)].used = used;
    if (options_.limit - held_ < kMinChunkSize) return {};
    if (count_ == blocks_.size()) {
      std::size_t size = options_.first_chunk;
      if (!blocks_.empty()) size = blocks_.back().size > options_.largest_chunk / 2 ? options_.largest_chunk
                                                                                    : 2 * blocks_.back().size;
      if (size < kMinChunkSize) size = kMinChunkSize;
      std::unique_ptr<std::uint8_t[]> data(new (std::nothrow) std::uint8_t[size]);
      if (data == nullptr) return {};
      HOTPB_TRY { blocks_.push_back(Block{std::move(data), size, 0}); }
      HOTPB_CATCH { return {}; }
    }
    return take_block();
  }
  Chunk take_block() {
    Block& block = blocks_[count_];
    block.used = 0;
    const std::uint64_t left = options_.limit - held_;
    const std::size_t size = block.size < left ? block.size : static_cast<std::size_t>(left);
    held_ += size;
    return {count_++, block.data.get(), size};
  }
  Chunk rewind(std::uint64_t offset, std::uint64_t& start) override {
    count_ = 0;
    held_ = 0;
    start = 0;
    while (start + blocks_[count_].used < offset) {
      start += blocks_[count_].used;
      held_ += blocks_[count_++].size;
    }
    return take_block();
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t) override {
    std::memcpy(blocks_[static_cast<std::size_t>(id)].data.get() + offset, bytes, sizeof bytes);
    return true;
  }
  bool finish(std::uint64_t, std::size_t, const MessageEnd&) override { return true; }
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

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_HEAP_H_
