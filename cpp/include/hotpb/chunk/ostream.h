// OstreamWriter: messages into a std::ostream.
//
//   hotpb::OstreamWriter out(file);
//   { auto msg = out.message<TestMsgWriter>(); ... }      or out.delimited<...>()
//   if (!out.flush().ok()) ...                            flushes the stream, too
//
// The writer writes a chunk to the stream once no length in it or before it is open: a nested message that is longer
// than a chunk stays in memory until it ends. Chunks are reused. If the stream goes bad or throws, the error is
// BufferExhausted; a stream with a buffer of its own may report that only when it is flushed.
//
// If a message fails before any of it was written to the stream, none of it is written. That is always so in a
// delimited stream, which therefore ends with the last whole message. Otherwise the output ends where the message is
// cut.
#ifndef HOTPB_CHUNK_OSTREAM_H_
#define HOTPB_CHUNK_OSTREAM_H_

#include <deque>
#include <memory>
#include <new>
#include <ostream>
#include <utility>
#include <vector>

#include "hotpb/detail/abi.h"
#include "hotpb/writer/stream.h"

HOTPB_NAMESPACE_BEGIN

// The chunks that wait to be written. It is a base class, so that it exists before the stream starts and after it ends.
class OstreamSource final : public ChunkSource {
 public:
  OstreamSource(std::ostream& out, std::size_t chunk_size)
      : out_(out), chunk_size_(chunk_size < kMinChunkSize ? kMinChunkSize : chunk_size) {}

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    leave(full_id, used, open_slots);
    write_out(kNoLimit);
    if (!good()) return {};
    std::unique_ptr<std::uint8_t[]> data;
    if (!spare_.empty()) {
      data = std::move(spare_.back());
      spare_.pop_back();
    } else {
      data.reset(new (std::nothrow) std::uint8_t[chunk_size_]);
      if (data == nullptr) return {};
    }
    std::uint8_t* const at = data.get();
    waiting_.push_back(Waiting{std::move(data), 0, 1});  // an open slot, so that it is not written before it comes back
    return {first_id_ + waiting_.size() - 1, at, chunk_size_};
  }
  // Writes nothing to the stream: the message may have failed, which only finish() knows.
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4],
             std::uint32_t still_open) override {
    Waiting& chunk = waiting_[static_cast<std::size_t>(id - first_id_)];
    std::memcpy(chunk.data.get() + offset, bytes, sizeof bytes);
    chunk.open_slots = still_open;
    return true;
  }
  bool finish(std::uint64_t id, std::size_t used, const MessageEnd& end) override {
    leave(id, used, 0);
    write_out(written_ <= end.whole ? end.whole : end.valid);
    const bool all = good();
    written_ = 0;
    bad_ = false;  // the stream keeps its own state, which counts for the next message too
    return all;
  }
  bool sync() override { return out_.flush().good(); }

 private:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  struct Waiting {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t used;
    std::uint32_t open_slots;
  };

  bool good() const { return !bad_ && out_.good(); }
  void leave(std::uint64_t id, std::size_t used, std::uint32_t open_slots) {
    if (id == kNoChunk) return;
    Waiting& chunk = waiting_[static_cast<std::size_t>(id - first_id_)];
    chunk.used = used;
    chunk.open_slots = open_slots;
  }
  // Writes the chunks that wait for no length, up to `limit`, which counts from the message's start.
  void write_out(std::uint64_t limit) {
    while (!waiting_.empty() && waiting_.front().open_slots == 0) {
      Waiting chunk = std::move(waiting_.front());
      waiting_.pop_front();
      ++first_id_;
      const std::uint64_t left = limit > written_ ? limit - written_ : 0;
      const std::size_t size = chunk.used < left ? chunk.used : static_cast<std::size_t>(left);
      if (size > 0 && !bad_) write(chunk.data.get(), size);
      written_ += size;
      HOTPB_TRY { spare_.push_back(std::move(chunk.data)); }
      HOTPB_CATCH {}  // there is one spare chunk less
    }
  }
  void write(const std::uint8_t* data, std::size_t size) {
    bad_ = true;
    HOTPB_TRY {
      out_.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
      bad_ = !out_.good();
    }
    HOTPB_CATCH {}
  }

  std::ostream& out_;
  std::size_t chunk_size_;
  std::deque<Waiting> waiting_;
  std::uint64_t first_id_ = 0;  // the id of the first chunk that waits
  std::uint64_t written_ = 0;   // how many bytes of the current message are in the stream
  bool bad_ = false;            // a write has failed: no more of this message is written
  std::vector<std::unique_ptr<std::uint8_t[]>> spare_;
};

namespace detail {
// A base class, because the source must exist longer than the stream.
struct OwnOstreamSource {
  OwnOstreamSource(std::ostream& out, std::size_t chunk_size) : source(out, chunk_size) {}
  OstreamSource source;
};
}  // namespace detail

class OstreamWriter : private detail::OwnOstreamSource, public WriteStream {
 public:
  explicit OstreamWriter(std::ostream& out, std::size_t chunk_size = 4096,
                         StreamPolicy policy = StreamPolicy::compact)
      : OwnOstreamSource(out, chunk_size), WriteStream(source, policy) {}
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_OSTREAM_H_
