// Where a writer's bytes go: a source supplies chunks of memory, one after the other (spec/wire.md, section 11).
//
//   next()  ->  |tag|len|........|tag|00 00 00 00|.....|      a chunk leaves with its number of open length slots
//   next()  ->  |.......................................|
//   patch() ->        the four bytes of a slot in a chunk that has left, and how many slots are still open in it
//   finish()->        the message has ended: whole, or with an error
//
// A consumer may take a chunk away at once, but may parse it only when its number of open slots is 0.
// Promise of the writer: it returns every chunk of next() once, to the following next() or to finish(). It patches
// every open slot before finish(), also after errors. It calls the source from its own thread only, and never for a
// field that fits into the current chunk.
// Promise of the source: the ids of the current chunk and of all chunks with open slots differ. It serves one stream at
// a time (a second one has the error HandleMisuse), unless it returns true from is_shared() and locks.
// A source reports its failure as follows: next() returns no chunk, the other functions return false, or any of them
// throws. The message then has the sticky error BufferExhausted. No exception of a source leaves the writer.
#ifndef HOTPB_CHUNK_SOURCE_H_
#define HOTPB_CHUNK_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"

HOTPB_NAMESPACE_BEGIN

constexpr std::uint64_t kNoChunk = ~std::uint64_t{0};
constexpr std::size_t kMinChunkSize = 64;  // the smallest chunk of a source; a smaller one counts as exhausted

class WriteStream;

struct Chunk {
  std::uint64_t id = kNoChunk;     // the source chooses it: any number but kNoChunk
  std::uint8_t* data = nullptr;    // nullptr means exhausted
  std::size_t size = 0;
};

// The status of a message. Its first `valid_len` bytes were written and parse. That is the whole message if ok(), and
// none of it if the source failed, because then it is unknown how much arrived.
struct [[nodiscard]] WriteStatus {
  Code code = Code::Ok;
  std::uint64_t valid_len = 0;

  constexpr bool ok() const { return code == Code::Ok; }
};

// "BufferExhausted at byte 17": 17 bytes are valid.
inline std::string to_string(WriteStatus status) { return to_string(Status{status.code, status.valid_len}); }

// How the output since the last finish() ended: a message, or the messages of a delimited stream. Counted from its
// first byte, `whole` bytes are messages that have finished, and `valid` bytes parse. After an error, the part of the
// failed message that parses follows the whole messages.
struct MessageEnd {
  Code code = Code::Ok;
  std::uint64_t whole = 0;
  std::uint64_t valid = 0;

  constexpr bool ok() const { return code == Code::Ok; }
};

namespace detail {
// The stream whose message is open in a source, unless the source is shared.
class SourceUser {
  friend class hotpb::WriteStream;
  const WriteStream* user_ = nullptr;
};
}  // namespace detail

class ChunkSource : public detail::SourceUser {
 public:
  // Returns the next chunk, and takes back the one that is full (kNoChunk at first). `used` bytes of the full chunk
  // count; `open_slots` of its lengths are four zero bytes until they are patched.
  virtual Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) = 0;

  // Writes the bytes at `offset` of a chunk that was taken back. `still_open` is the number of its slots that remain
  // open. Returns whether the bytes were written.
  virtual bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4],
                     std::uint32_t still_open) = 0;

  // Ends the message, and takes back the last chunk (kNoChunk if there is none). Returns whether the whole message has
  // arrived, as far as the source knows.
  virtual bool finish(std::uint64_t id, std::size_t used, const MessageEnd& end) = 0;

  // Called by WriteStream::flush(). Returns whether all finished messages have arrived.
  virtual bool sync() { return true; }

  // Whether several streams may have open messages in the source at the same time, each on a thread of its own.
  virtual bool is_shared() const { return false; }

  // For a source that keeps all its chunks, so that LengthPolicy::minimal can move bytes in them: replaces the one-byte
  // slot at `offset` by `size` bytes, and moves the bytes after it. There is room for them.
  virtual void widen(std::uint64_t id, std::size_t offset, const std::uint8_t* bytes, std::size_t size) {
    static_cast<void>(id);
    static_cast<void>(offset);
    static_cast<void>(bytes);
    static_cast<void>(size);
  }

  // For a source that keeps all its chunks: returns the chunk that holds byte `offset`, counted from the source's
  // start, as the current one, and drops the later ones. Sets `start` to the offset of that chunk's first byte.
  virtual Chunk rewind(std::uint64_t offset, std::uint64_t& start) {
    static_cast<void>(offset);
    static_cast<void>(start);
    return {};
  }

 protected:
  ~ChunkSource() = default;  // sources are not owned through this interface
};

// How the lengths of nested messages are written. `compact`: one byte below 128; otherwise minimal, with one move, if
// the message is still in one chunk, and four bytes if it is not. `fixed4`: always four bytes, and never a move.
// `minimal`: always minimal, which needs a buffer that keeps all its chunks.
enum class LengthPolicy : std::uint8_t { compact, fixed4, minimal };

// The policies of a writer whose chunks leave.
enum class StreamPolicy : std::uint8_t { compact, fixed4 };

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_SOURCE_H_
