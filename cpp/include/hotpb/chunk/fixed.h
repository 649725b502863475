// FixedBuffer: a buffer in one piece of the caller's memory.
//
//   std::uint8_t memory[512];
//   hotpb::FixedBuffer out(memory, sizeof memory);
//   { auto msg = out.message<TestMsgWriter>(); msg.set_int_val(42); }
//   if (out.ok()) send(out.bytes());
//
// The writer fills it to its last byte. A field that does not fit causes the sticky error BufferExhausted.
#ifndef HOTPB_CHUNK_FIXED_H_
#define HOTPB_CHUNK_FIXED_H_

#include "hotpb/detail/abi.h"
#include "hotpb/writer/stream.h"
#include "hotpb/writer/written.h"

HOTPB_NAMESPACE_BEGIN

class FixedBuffer final : public WriteStream, private ChunkSource {
 public:
  // If `data` is nullptr, the buffer has no bytes, whatever `size` is.
  FixedBuffer(void* data, std::size_t size, LengthPolicy policy = LengthPolicy::compact)
      : WriteStream(this, policy, true) {
    set_only_chunk(0);
    clear(data, size);
  }

  ~FixedBuffer() { abandon(); }

  // Starts again, in the same memory or in other memory. Open handles become stale.
  HOTPB_INLINE void clear() { restart(chunk_begin(), chunk_size()); }
  HOTPB_INLINE void clear(void* data, std::size_t size) {
    restart(static_cast<std::uint8_t*>(data), size);
    if (HOTPB_UNLIKELY(data == nullptr)) take_no_memory();
  }

  // The whole messages (written.h).
  Written<Bytes> bytes() const { return {Bytes(chunk_begin(), whole_used()), whole_status()}; }
  // The part of the message that failed which was written: it parses, but it is cut. Empty if no message failed.
  [[nodiscard]] Bytes partial_bytes() const {
    return {chunk_begin() + whole(), static_cast<std::size_t>(partial() - whole())};
  }

 private:
  Chunk next(std::uint64_t, std::size_t, std::uint32_t) override { return {}; }
  bool patch(std::uint64_t, std::size_t, const std::uint8_t (&)[4], std::uint32_t) override { return true; }
  bool finish(std::uint64_t, std::size_t, const MessageEnd&) override { return true; }
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_FIXED_H_
