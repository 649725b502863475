// Where a writer's bytes go: chunks of memory that a source hands out one after the other (spec/wire.md, section 11).
//
//   next()  ->  |tag|len|........|tag|00 00 00 00|.....|      a chunk leaves with its number of open length slots
//   next()  ->  |.......................................|
//   patch() ->        the four bytes of a slot of a chunk that has left, and how many are still open in it
//   finish()->        the message has ended: whole, or with an error
//
// A consumer may take a chunk away at once, but parses it only when its number of open slots is 0.
// Promise of the writer: every chunk that next() gave comes back once, through the following next() or through
// finish(); every open slot is patched before finish(), after errors too. The source is called from the writer's thread
// only, and never for a field that fits into the current chunk.
// Promise of the source: the ids of the current chunk and of those with open slots differ. It serves one stream at a
// time (a second one gets HandleMisuse), unless it says is_shared() and locks.
// A source reports that it failed: next() returns no chunk, the others return false, or any of them throws. The message
// then has the sticky error BufferExhausted; no exception of a source leaves the writer.
#ifndef HOTPB_CHUNK_H_
#define HOTPB_CHUNK_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/abi.h"
#include "hotpb/error.h"

HOTPB_NAMESPACE_BEGIN

constexpr std::uint64_t kNoChunk = ~std::uint64_t{0};
constexpr std::size_t kMinChunkSize = 64;  // what a source gives at least; less counts as exhausted

class WriteStream;

struct Chunk {
  std::uint64_t id = kNoChunk;     // the source's own name for it, anything but kNoChunk
  std::uint8_t* data = nullptr;    // nullptr: exhausted
  std::size_t size = 0;
};

// The status of a message. `valid_len` bytes of it, counted from its start, were written and parse: all of it when
// ok(), none of it when the source failed, because nobody knows then how much arrived.
struct [[nodiscard]] WriteStatus {
  Code code = Code::Ok;
  std::uint64_t valid_len = 0;

  constexpr bool ok() const { return code == Code::Ok; }
};

// How that ended which a source was given since the last finish(): a message, or the messages of a delimited stream.
// Counted from the first byte of it, `whole` bytes are messages that have finished, and `valid` bytes parse: after an
// error, what there is of the message that failed comes after the whole ones.
struct MessageEnd {
  Code code = Code::Ok;
  std::uint64_t whole = 0;
  std::uint64_t valid = 0;

  constexpr bool ok() const { return code == Code::Ok; }
};

class ChunkSource {
 public:
  // The next chunk, in exchange for the one that is full (kNoChunk at first): `used` bytes of it count, `open_slots`
  // of its lengths are four zero bytes until they are patched.
  virtual Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) = 0;

  // The bytes at `offset` of a chunk that was handed in, and the number of its slots that are still open afterwards.
  // Returns whether they are there now.
  virtual bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4],
                     std::uint32_t still_open) = 0;

  // The message has ended; the last chunk comes back with it (kNoChunk when there is none). Returns whether all of it
  // has arrived, as far as the source knows.
  virtual bool finish(std::uint64_t id, std::size_t used, const MessageEnd& end) = 0;

  // WriteStream::flush(): whether all that was finished has arrived.
  virtual bool sync() { return true; }

  // Whether several streams may have messages in it at the same time, each from a thread of its own.
  virtual bool is_shared() const { return false; }

  // Of a source that keeps all its chunks and lets `policy minimal` move bytes inside them: replaces the one-byte slot
  // at `offset` by `size` bytes, moving what is behind it. There is room for that.
  virtual void widen(std::uint64_t id, std::size_t offset, const std::uint8_t* bytes, std::size_t size) {
    static_cast<void>(id);
    static_cast<void>(offset);
    static_cast<void>(bytes);
    static_cast<void>(size);
  }

  // Of a source that keeps all its chunks: the chunk with the byte `offset` of all that was written since it started
  // is the current one again, the later ones are forgotten. `start` becomes the offset of that chunk's first byte.
  virtual Chunk rewind(std::uint64_t offset, std::uint64_t& start) {
    static_cast<void>(offset);
    static_cast<void>(start);
    return {};
  }

 protected:
  ~ChunkSource() = default;  // sources are not owned through this interface

 private:
  friend class WriteStream;
  const WriteStream* user_ = nullptr;  // whose message is in it, unless it is shared
};

// How the lengths of nested messages are written. `compact`: one byte below 128, minimal by one move while the message
// is still in one chunk, otherwise four bytes. `fixed4`: always four bytes, never a move. `minimal`: always minimal,
// which only buffers that keep all their chunks can give.
enum class LengthPolicy : std::uint8_t { compact, fixed4, minimal };

// The policies of a writer whose chunks leave.
enum class StreamPolicy : std::uint8_t { compact, fixed4 };

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_H_
