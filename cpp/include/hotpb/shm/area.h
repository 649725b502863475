// A shared area: memory into which the threads of one process write packets, and which another process reads
// (spec/shm.md). This header has its layout and its limits; shm/source.h writes, shm/reader.h reads.
//
//   | header | freed, waiting, bitmap, lines | writers  | chunks    |   parts start on pages of 4 KiB
//     once     both sides write                producer   producer       who writes
//
// The area is a memfd that is sealed, so that its size cannot change. It needs Linux on a 64-bit machine. On other
// machines HOTPB_SHM is 0, and these headers declare nothing.
#ifndef HOTPB_SHM_AREA_H_
#define HOTPB_SHM_AREA_H_

#include "hotpb/detail/abi.h"

#if defined(__linux__) && defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 8 && \
    (defined(__GNUC__) || defined(__clang__))
#define HOTPB_SHM 1
#else
#define HOTPB_SHM 0
#endif

#if HOTPB_SHM
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

HOTPB_NAMESPACE_BEGIN
namespace shm {

enum class AreaError : std::uint8_t {
  Ok = 0,
  System,          // a system call failed; errno has the reason
  BadOptions,      // no area can have these sizes
  NotSealed,       // the size could still change
  NotAnArea,       // the first eight bytes are not those of an area
  UnknownMajor,    // the area has another layout
  UnknownFeature,  // the area needs a feature that this reader does not know
  BadLayout,       // the sizes and offsets do not match
};

// SHM-3: the size of a chunk is a multiple of 64.
constexpr std::uint32_t kMinChunkBytes = 128;
constexpr std::uint32_t kMaxChunkBytes = 32768;
constexpr std::uint32_t kMaxChunks = 1u << 20;
constexpr std::uint32_t kMaxWriters = 65535;

struct AreaOptions {
  std::uint32_t chunk_bytes = 1024;
  std::uint32_t chunks = 1024;
  std::uint32_t writers = 256;  // how many streams may exist at the same time
  bool wakes = false;           // a thread wakes a service that sleeps, when half of the chunks are in use (SHM-45)
};

namespace detail {

constexpr std::uint64_t kMagic = 0x316d687362707468;  // "htpbshm1"
constexpr std::uint16_t kMajor = 1;
constexpr std::uint16_t kMinor = 0;
constexpr std::uint32_t kKnownRequired = 0;  // no feature exists yet
constexpr std::uint32_t kWakes = 1;          // an optional feature: the producer wakes the service
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLine = 64;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

struct Header {
  std::uint64_t magic;
  std::uint16_t major;
  std::uint16_t minor;
  std::uint32_t header_bytes;
  std::uint32_t required;
  std::uint32_t optional;
  std::uint32_t chunk_bytes;
  std::uint32_t chunks;
  std::uint32_t writers;
  std::uint32_t zero;
  std::uint64_t control_at;
  std::uint64_t lines_at;
  std::uint64_t writers_at;
  std::uint64_t chunks_at;
  std::uint64_t area_bytes;
};
static_assert(sizeof(Header) == 80, "the header must have the layout of SHM-2 (spec/shm.md)");

// One for each chunk.
struct alignas(kLine) Line {
  std::atomic<std::uint64_t> state;
  std::atomic<std::uint32_t> number;    // the number of the chunk among those of its writer
  std::atomic<std::uint32_t> sequence;  // the sequence of the stream that fills it
  std::atomic<std::uint32_t> consumed;  // how many bytes the service has read
  std::uint32_t zero[11];
};
static_assert(sizeof(Line) == kLine && std::atomic<std::uint64_t>::is_always_lock_free,
              "a line must have the layout of SHM-5 (spec/shm.md), and its atomics must be lock-free");

// The first line of the control part. Each of the next lines has a word of the bitmap.
struct alignas(kLine) Bell {
  std::atomic<std::uint32_t> freed;
  std::atomic<std::uint32_t> waiting;
  std::atomic<std::uint32_t> armed;  // 1: the service sleeps until half of the chunks are in use
};
struct alignas(kLine) BitmapWord {
  std::atomic<std::uint64_t> bits;
};
struct alignas(kLine) WriterEntry {
  std::atomic<std::uint32_t> sequence;
  std::atomic<std::uint32_t> thread;
  std::atomic<std::uint64_t> dropped;
};

enum class Phase : std::uint8_t { Free = 0, Busy = 1, Idle = 2, Closed = 3 };

// |63 writer 48|47 epoch 20|19 phase 16|15 committed 0|
struct State {
  std::uint32_t writer;
  std::uint32_t epoch;
  Phase phase;
  std::uint32_t committed;

  static constexpr State from(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 48), static_cast<std::uint32_t>(word >> 20) & 0xfffffff,
            static_cast<Phase>((word >> 16) & 0xf), static_cast<std::uint32_t>(word & 0xffff)};
  }
};
constexpr std::uint64_t state_word(std::uint64_t writer, std::uint64_t epoch, Phase phase, std::uint64_t committed) {
  return writer << 48 | (epoch & 0xfffffff) << 20 | static_cast<std::uint64_t>(phase) << 16 | committed;
}

// A record of a chunk: 16 bits, little-endian, with the kind in the upper three and the size in the lower thirteen;
// then the bytes of the record.
enum class Kind : std::uint8_t { Whole = 0, Begin = 1, Middle = 2, End = 3, Patches = 4, Lost = 5 };
constexpr std::size_t kRecordHeader = 2;
constexpr std::size_t kMaxRecordBytes = 8191;
constexpr std::uint32_t record_header(Kind kind, std::size_t size) {
  return static_cast<std::uint32_t>(kind) << 13 | static_cast<std::uint32_t>(size);
}

constexpr std::uint64_t up_to_page(std::uint64_t size) { return (size + kPage - 1) / kPage * kPage; }

// The header of an area with these sizes (SHM-4), which must be within their limits.
constexpr Header layout(const AreaOptions& options) {
  const std::uint64_t words = (std::uint64_t{options.chunks} + 63) / 64;
  const std::uint64_t lines_at = kPage + kLine * (1 + words);
  const std::uint64_t writers_at = up_to_page(lines_at + kLine * std::uint64_t{options.chunks});
  const std::uint64_t chunks_at = up_to_page(writers_at + kLine * (std::uint64_t{options.writers} + 1));
  const std::uint64_t bytes = up_to_page(chunks_at + std::uint64_t{options.chunk_bytes} * options.chunks);
  return {kMagic, kMajor, kMinor, sizeof(Header), 0, options.wakes ? kWakes : 0, options.chunk_bytes, options.chunks,
          options.writers, 0, kPage, lines_at, writers_at, chunks_at, bytes};
}
constexpr bool possible(const AreaOptions& o) {
  return o.chunk_bytes >= kMinChunkBytes && o.chunk_bytes <= kMaxChunkBytes && o.chunk_bytes % kLine == 0 &&
         o.chunks >= 2 && o.chunks <= kMaxChunks && o.writers >= 1 && o.writers <= kMaxWriters;
}

// The parts of a mapped area. The control part and the other parts may be in different mappings: `control` is the
// mapping of the first, `base` that of the others.
class Parts {
 public:
  Parts() = default;
  Parts(std::uint8_t* base, std::uint8_t* control, const Header& header)
      : header_(header), base_(base), control_(control) {}

  const Header& header() const { return header_; }
  Bell& bell() const { return *reinterpret_cast<Bell*>(control_); }
  std::uint32_t words() const { return (header_.chunks + 63) / 64; }
  std::atomic<std::uint64_t>& bits(std::uint32_t word) const {
    return reinterpret_cast<BitmapWord*>(control_ + kLine)[word].bits;
  }
  Line& line(std::uint32_t chunk) const {
    return reinterpret_cast<Line*>(control_ + (header_.lines_at - header_.control_at))[chunk];
  }
  WriterEntry& writer(std::uint32_t id) const { return reinterpret_cast<WriterEntry*>(base_ + header_.writers_at)[id]; }
  std::uint8_t* chunk(std::uint32_t index) const {
    return base_ + header_.chunks_at + std::uint64_t{header_.chunk_bytes} * index;
  }
  // Whether half of the chunks or more are in use. The bitmap may change at any time.
  bool is_half_full() const {
    std::uint32_t free = 0;
    for (std::uint32_t word = 0; word < words(); ++word) {
      free += static_cast<std::uint32_t>(__builtin_popcountll(bits(word).load(std::memory_order_seq_cst)));
    }
    return free <= header_.chunks / 2;
  }

 private:
  Header header_ = {};
  std::uint8_t* base_ = nullptr;
  std::uint8_t* control_ = nullptr;
};

// Copies bytes that another process may be writing. Reads each byte once, and no other bytes.
inline void copy_shared(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  while (size > 0 && reinterpret_cast<std::uintptr_t>(from) % 8 != 0) {
    *to++ = __atomic_load_n(from++, __ATOMIC_RELAXED);
    --size;
  }
  for (; size >= 8; size -= 8, from += 8, to += 8) {
    const std::uint64_t word = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(from), __ATOMIC_RELAXED);
    std::memcpy(to, &word, sizeof word);
  }
  for (; size > 0; --size) *to++ = __atomic_load_n(from++, __ATOMIC_RELAXED);
}

// Checks a header that another process wrote: whether this code can read such an area of `bytes` bytes (SHM-20 to
// SHM-22).
inline AreaError check_header(const Header& header, std::uint64_t bytes) {
  if (header.magic != kMagic) return AreaError::NotAnArea;
  if (header.major != kMajor) return AreaError::UnknownMajor;
  if ((header.required & ~kKnownRequired) != 0) return AreaError::UnknownFeature;
  const AreaOptions sizes = {header.chunk_bytes, header.chunks, header.writers, false};
  if (!possible(sizes) || header.header_bytes < sizeof(Header) || header.header_bytes > kPage)
    return AreaError::BadLayout;
  const Header expected = layout(sizes);
  const bool fits = header.control_at == expected.control_at && header.lines_at == expected.lines_at &&
                    header.writers_at == expected.writers_at && header.chunks_at == expected.chunks_at &&
                    header.area_bytes >= expected.area_bytes && header.area_bytes == bytes;
  return fits ? AreaError::Ok : AreaError::BadLayout;
}

}  // namespace detail
}  // namespace shm
HOTPB_NAMESPACE_END

#endif  // HOTPB_SHM
#endif  // HOTPB_SHM_AREA_H_
