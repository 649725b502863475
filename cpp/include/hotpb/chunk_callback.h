// A chunk source made of three callables, for memory that is somewhere else: a ring, a file mapping, a pool.
//
//   hotpb::CallbackSource source(
//       [&](std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) { return hotpb::Chunk{...}; },
//       [&](std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) {...},
//       [&](std::uint64_t id, std::size_t used) {...});
//   hotpb::WriteStream out(source);
//   { auto msg = out.message<TestMsgWriter>(); ... }
//
// What the calls mean stands in chunk.h. The source must outlive the stream.
#ifndef HOTPB_CHUNK_CALLBACK_H_
#define HOTPB_CHUNK_CALLBACK_H_

#include <utility>

#include "hotpb/chunk.h"

namespace hotpb {

template <class Next, class Patch, class Finish>
class CallbackSource final : public ChunkSource {
 public:
  CallbackSource(Next next, Patch patch, Finish finish)
      : next_(std::move(next)), patch_(std::move(patch)), finish_(std::move(finish)) {}

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    return next_(full_id, used, open_slots);
  }
  void patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4],
             std::uint32_t still_open) override {
    patch_(id, offset, bytes, still_open);
  }
  void finish(std::uint64_t id, std::size_t used) override { finish_(id, used); }

 private:
  Next next_;
  Patch patch_;
  Finish finish_;
};

}  // namespace hotpb

#endif  // HOTPB_CHUNK_CALLBACK_H_
