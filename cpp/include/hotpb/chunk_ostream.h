// OstreamWriter: messages into a std::ostream.
//
//   hotpb::OstreamWriter out(file);
//   { auto msg = out.message<TestMsgWriter>(); ... }      or out.delimited<...>(), and out.flush() at the end
//
// A chunk is written out as soon as no length in it or before it is open: a nested message that is longer than a chunk
// is held in memory until it ends. Chunks are used again. A stream that has gone bad makes BufferExhausted.
#ifndef HOTPB_CHUNK_OSTREAM_H_
#define HOTPB_CHUNK_OSTREAM_H_

#include <deque>
#include <memory>
#include <new>
#include <ostream>
#include <utility>
#include <vector>

#include "hotpb/writer_stream.h"

namespace hotpb {

// The chunks that wait; separate, so that it is there before the stream starts and after it ends.
class OstreamSource : public ChunkSource {
 public:
  OstreamSource(std::ostream& out, std::size_t chunk_size)
      : out_(out), chunk_size_(chunk_size < kMinChunkSize ? kMinChunkSize : chunk_size) {}

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    leave(full_id, used, open_slots);
    if (!out_.good()) return {};
    std::unique_ptr<std::uint8_t[]> data;
    if (!spare_.empty()) {
      data = std::move(spare_.back());
      spare_.pop_back();
    } else {
      data.reset(new (std::nothrow) std::uint8_t[chunk_size_]);
      if (data == nullptr) return {};
    }
    std::uint8_t* const at = data.get();
    waiting_.push_back(Waiting{std::move(data), 0, 1});  // not to be written before it comes back
    return {first_id_ + waiting_.size() - 1, at, chunk_size_};
  }
  void patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4],
             std::uint32_t still_open) override {
    Waiting& chunk = waiting_[static_cast<std::size_t>(id - first_id_)];
    std::memcpy(chunk.data.get() + offset, bytes, sizeof bytes);
    chunk.open_slots = still_open;
    write_out();
  }
  void finish(std::uint64_t id, std::size_t used) override { leave(id, used, 0); }

 private:
  struct Waiting {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t used;
    std::uint32_t open_slots;
  };

  void leave(std::uint64_t id, std::size_t used, std::uint32_t open_slots) {
    if (id == kNoChunk) return;
    Waiting& chunk = waiting_[static_cast<std::size_t>(id - first_id_)];
    chunk.used = used;
    chunk.open_slots = open_slots;
    write_out();
  }
  void write_out() {
    while (!waiting_.empty() && waiting_.front().open_slots == 0) {
      Waiting& chunk = waiting_.front();
      out_.write(reinterpret_cast<const char*>(chunk.data.get()), static_cast<std::streamsize>(chunk.used));
      spare_.push_back(std::move(chunk.data));
      waiting_.pop_front();
      ++first_id_;
    }
  }

  std::ostream& out_;
  std::size_t chunk_size_;
  std::deque<Waiting> waiting_;
  std::uint64_t first_id_ = 0;  // of the first one that waits
  std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
};

class OstreamWriter : private OstreamSource, public WriteStream {
 public:
  explicit OstreamWriter(std::ostream& out, std::size_t chunk_size = 4096,
                         StreamPolicy policy = StreamPolicy::compact)
      : OstreamSource(out, chunk_size), WriteStream(static_cast<OstreamSource&>(*this), policy) {}
};

}  // namespace hotpb

#endif  // HOTPB_CHUNK_OSTREAM_H_
