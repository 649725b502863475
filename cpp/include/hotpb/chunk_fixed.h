// FixedBuffer: one piece of the caller's memory.
//
//   std::uint8_t memory[512];
//   hotpb::FixedBuffer out(memory, sizeof memory);
//   { auto msg = out.message<TestMsgWriter>(); msg.set_int_val(42); }
//   send(out.bytes());
//
// It is filled to its last byte. What does not fit makes the sticky error BufferExhausted; bytes() then ends with the
// last whole field, and parses.
#ifndef HOTPB_CHUNK_FIXED_H_
#define HOTPB_CHUNK_FIXED_H_

#include "hotpb/writer_stream.h"

namespace hotpb {

class FixedBuffer final : public WriteStream, private ChunkSource {
 public:
  FixedBuffer(void* data, std::size_t size, LengthPolicy policy = LengthPolicy::compact)
      : WriteStream(this, policy, true), data_(static_cast<std::uint8_t*>(data)), size_(size) {
    clear();
  }

  ~FixedBuffer() { abandon(); }

  // Starts anew, in the same memory. Open handles become stale.
  HOTPB_INLINE void clear() { restart(0, data_, size_, true); }
  // The same in other memory.
  HOTPB_INLINE void clear(void* data, std::size_t size) {
    data_ = static_cast<std::uint8_t*>(data);
    size_ = size;
    clear();
  }
  Bytes bytes() const { return {data_, chunk_used()}; }

 private:
  Chunk next(std::uint64_t, std::size_t, std::uint32_t) override { return {}; }
  void patch(std::uint64_t, std::size_t, const std::uint8_t (&)[4], std::uint32_t) override {}
  void finish(std::uint64_t, std::size_t) override {}

  std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace hotpb

#endif  // HOTPB_CHUNK_FIXED_H_
