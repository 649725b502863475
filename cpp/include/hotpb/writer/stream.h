// The state behind all writers of one message: the cursor, the open levels, the sticky error.
//
// A handle (MessageWriter) is a pointer to this and a serial; whoever holds the serial of the top level may write:
//
//   top ->  level 2   serial 0x0902   slot at 17      |08|2a|1a|??|12|03|66|6f|6f|
//           level 1   serial 0x0801   slot at  3                ^slot             ^at
//           root      serial 0x0700
//
// Serials are never used twice. Opening a child makes a new top; a write with the serial of a level below the top ends
// the levels above it first; a serial that is on no level is misuse. The fast paths compare one serial and one limit,
// everything else is out of line and may take its time.
//
// Slots: a child's length is one byte, until it turns out to be longer than 127 bytes; then its content is moved. Where
// the last ones below the same level were that long, the next one gets a slot of that width at once, and nothing moves
// when it is as long as expected. What is written is the same, whatever was expected.
//
//   one byte     |2a|??|aaaaaaaa...a|   ->   |2a|b2 01|aaaaaaaa...a|      moved
//   two bytes    |2a|?? ??|aaaaaaaa...a|  ->   |2a|b2 01|aaaaaaaa...a|    not moved
//
// Room: a slot may have to grow to four bytes. For each open slot the end of the chunk keeps the bytes that it lacks,
// and kSlack bytes more for stores that overhang. A field that does not fit before them takes the slow path, which
// fills the chunk to the last byte.
//
// Whole messages: what buffers hand out ends at whole(), which an open message or one that failed does not move.
//
//   |first message|second message|third, which is open or failed ...|
//                                ^message_start_, whole()      ^message_start_ + valid_len
//
// Nothing here throws. What a source throws is caught (ask()), and makes the message fail.
#ifndef HOTPB_WRITER_STREAM_H_
#define HOTPB_WRITER_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hotpb/abi.h"
#include "hotpb/chunk.h"
#include "hotpb/detail/port.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"
#include "hotpb/writer/levels.h"
#include "hotpb/writer/store.h"

HOTPB_NAMESPACE_BEGIN

class MessageWriter;
class WriteStream;
template <class Encode, class T>
class PackedWriter;
namespace detail {
struct Access;
template <class Writer>
struct IsPacked : std::false_type {};
template <class Encode, class T>
struct IsPacked<PackedWriter<Encode, T>> : std::true_type {};
}  // namespace detail

constexpr std::uint64_t kMaxNestedSize = (1u << 28) - 1;
constexpr std::uint64_t kMaxWriterDepth = 100;  // levels below a message: what readers accept by default

// Permission to make a handle; only the runtime can give it.
class WriterKey {
 private:
  friend class MessageWriter;
  friend class WriteStream;
  friend struct detail::Access;
  WriterKey(WriteStream* stream, std::uint64_t serial) : stream_(stream), serial_(serial) {}
  WriteStream* stream_;
  std::uint64_t serial_;
};

class WriteStream {
 public:
  // A stream over a source whose chunks leave. One message after the other: message<FooWriter>(), delimited<>().
  explicit WriteStream(ChunkSource& source, StreamPolicy policy = StreamPolicy::compact)
      : WriteStream(&source, policy == StreamPolicy::fixed4 ? LengthPolicy::fixed4 : LengthPolicy::compact, false) {}
  ~WriteStream() {
    // A root that is still open loses nothing but its right to write: what is there is handed over, and parses.
    if (!keeps_ && is_open()) is_idle() ? finish_root() : fail(Code::HandleMisuse, offset());
  }
  WriteStream(const WriteStream&) = delete;
  WriteStream& operator=(const WriteStream&) = delete;

  // The root of the next message; handles must not outlive the stream. A second root while one is open is misuse.
  template <class Writer>
  Writer message() {
    return Writer(key(open_root()));
  }
  // The same, length-prefixed: a delimited stream (spec/wire.md, section 12). Messages share chunks until flush().
  template <class Writer>
  Writer delimited() {
    return Writer(key(open_delimited()));
  }
  // Ends a delimited stream: hands its last chunk over, and has the source write out what it holds back. While a
  // message is open, that is HandleMisuse, and nothing happens.
  WriteStatus flush() {
    if (is_idle()) finish_root();
    if (is_open()) return {Code::HandleMisuse, 0};
    if (!ask([this] { return source_->sync(); }) && !failed()) lose();
    lost_ = false;
    return status();
  }

  // The sticky error, and how much of the last message parses.
  WriteStatus status() const { return failed() ? status_ : WriteStatus{Code::Ok, offset() - message_start()}; }
  bool ok() const { return !failed(); }
  // Where the last message starts, in bytes since the stream or the buffer started: `valid_len` counts from there.
  std::uint64_t message_start() const { return message_start_ < offset() ? message_start_ : offset(); }

  // Forgets the error, and the message that failed or is open; handles of it become stale. What a source that does not
  // keep its chunks has already, it has.
  void reset() {
    if (is_open()) fail(Code::HandleMisuse, offset());
    const bool goes_back = failed() && keeps_;
    status_.code = Code::Ok;
    top_ = kClosed;
    if (goes_back) go_back(whole_);
  }

 protected:
  WriteStream(ChunkSource* source, LengthPolicy policy, bool keeps) : source_(source), policy_(policy), keeps_(keeps) {
    clear_words(std::make_index_sequence<sizeof opening_ / 8>());
    const std::size_t in_line = policy == LengthPolicy::fixed4 ? 0 : kMaxWriterDepth;
    for (std::size_t level = in_line; level < sizeof opening_; ++level) opening_[level] = kOutOfLine;
    levels_.reset(kClosed);
    no_chunk();
  }

  // Starts anew in a chunk which was or will be given by the source (kept buffers only).
  HOTPB_INLINE void restart(std::uint64_t id, std::uint8_t* data, std::size_t size) {
    base_ = 0;
    chunk_id_ = id;
    restart(data, size);
  }
  // The same in the only chunk of a source that has no other. It is filled to the last byte instead of being left.
  void set_only_chunk(std::uint64_t id) {
    last_ = true;
    chunk_id_ = id;
  }
  HOTPB_INLINE void restart(std::uint8_t* data, std::size_t size) {
    status_.code = Code::Ok;
    top_ = kClosed;
    at_ = data;
    chunk_begin_ = data;
    chunk_end_ = reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::uintptr_t>(data) + size);
    HOTPB_FILL(data, size);
    // Too small for the fast paths, or so large that it is written window by window: the first field sets the limit.
    const bool usual = size - kSlack < kWindow - kSlack;
    limit_ = HOTPB_LIKELY(usual) ? reinterpret_cast<std::uintptr_t>(chunk_end_) - kSlack + 1 : 0;
  }
  // Stores in a cold branch: a choice of the size would cost what compilers know of it.
  HOTPB_INLINE void take_no_memory() {
    chunk_end_ = nullptr;
    limit_ = 0;
  }
  void restart_without_chunk() { restart(kNoChunk, nothing_, 0); }
  // How far whole messages go, and whether there is nothing else: an open message is HandleMisuse here.
  HOTPB_INLINE std::uint64_t whole() const { return HOTPB_LIKELY(top_ == kClosed) ? offset() : whole_slow(); }
  // The same in a buffer of one chunk.
  HOTPB_INLINE std::size_t whole_used() const {
    return HOTPB_LIKELY(top_ == kClosed) ? chunk_used() : static_cast<std::size_t>(whole_slow());
  }
  WriteStatus whole_status() const {
    return is_open() && !is_idle() ? WriteStatus{Code::HandleMisuse, 0} : status();
  }
  // How far the message goes that failed; whole() where none did.
  std::uint64_t partial() const {
    const std::uint64_t end = message_start_ + status_.valid_len;
    return failed() && end > whole_ ? end : whole();
  }
  void take_over(WriteStream& other) noexcept;  // of kept buffers; the chunks of `other` follow
  // For buffers that go: nobody can be told any more, nothing is to be handed over.
  void abandon() { top_ = kClosed; }
  std::uint64_t chunk_id() const { return chunk_id_; }
  std::uint8_t* chunk_begin() const { return chunk_begin_; }
  std::size_t chunk_size() const { return static_cast<std::size_t>(chunk_end_ - chunk_begin_); }
  std::size_t chunk_used() const { return static_cast<std::size_t>(at_ - chunk_begin_); }
  bool is_open() const { return top_ < kFailed; }

 private:
  friend class MessageWriter;
  template <class Encode, class T>
  friend class PackedWriter;
  friend struct detail::Access;

  // The low byte of a serial is its level; levels that no handle owns (a map entry around its value) have bit 7 too.
  static constexpr std::uint64_t kOwnerless = 0x80;
  static constexpr std::uint64_t kSerialStep = 0x100;
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};  // `top_` without a root; no serial is that
  static constexpr std::uint64_t kFailed = kClosed - 1;        // the same after an error
  static constexpr std::uint64_t kNoSerial = 0;                // of a handle that was moved from or has finished
  static constexpr std::uintptr_t kSlack = 24;  // the longest header, 5 + 8 bytes, and a word
  static constexpr std::size_t kSlotRoom = 4;   // of a slot, when the chunk leaves
  static constexpr std::size_t kSlotGrowth = kSlotRoom - 1;
  static constexpr std::size_t kWindow = std::size_t{1} << 27;  // of a large chunk as much at a time

  // The root is level 0; in a delimited stream the message is level 1; a packed record may be open in the last one.
  static constexpr std::size_t kLevels = kMaxWriterDepth + 3;
  using Levels = detail::Levels<kLevels>;
  using Kind = Levels::Kind;
  static constexpr std::uint8_t kOutOfLine = 0xff;
  static constexpr std::size_t kLearning = 16;  // the levels whose children's sizes are remembered
  static constexpr std::int8_t kConfident = 2;  // after so many long children in one-byte slots a longer slot is tried,
  static constexpr std::int8_t kDoubtful = -8;  // and later, when that was wrong

  static constexpr std::size_t level_of(std::uint64_t serial) { return static_cast<std::size_t>(serial & 0x7f); }

  WriterKey key(std::uint64_t serial) { return WriterKey(this, serial); }
  // Between two messages of a delimited stream.
  bool is_idle() const { return is_open() && level_of(top_) == 0 && (top_ & kOwnerless) != 0; }
  bool failed() const { return status_.code != Code::Ok; }
  std::uint64_t offset() const { return base_ + static_cast<std::uint64_t>(at_ - chunk_begin_); }
  std::uint64_t new_serial(std::size_t level) { return (next_serial_ += kSerialStep) + level; }

  // ---- the fast paths; what they cannot do, they leave to the functions below ----

  // Room for a header, and for `size` bytes behind it.
  HOTPB_INLINE bool may_write(std::uint64_t serial, const std::uint8_t* at, std::size_t size = 0) const {
    return top_ == serial && reinterpret_cast<std::uintptr_t>(at) + size < limit_;
  }

  // A child with a length: its serial.
  template <std::uint32_t kTag, bool kPacked = false>
  HOTPB_INLINE std::uint64_t open(std::uint64_t serial) {
    using namespace detail;
    std::uint8_t* const at = at_;
    const std::size_t level = level_of(serial);
    if (HOTPB_UNLIKELY(!may_write(serial, at) || opening_[level] != 0)) {
      return kPacked ? open_packed(serial, kTag) : open_other(serial, kTag);
    }
    put_tag<kTag>(at);  // the slot is the zero behind it
    std::uint8_t* const slot = at + tag_size(kTag);
    const std::uint64_t child = (next_serial_ += kSerialStep) + level + 1;
    levels_.open_short(level + 1, child, slot);
    at_ = slot + 1;
    limit_ -= kSlotGrowth;
    top_ = child;
    return child;
  }

  // The handle of `serial` ends its life.
  HOTPB_INLINE void destroy(std::uint64_t serial) {
    using namespace detail;
    if (HOTPB_LIKELY(top_ == serial)) {
      const std::size_t level = level_of(serial);
      std::uint8_t* const slot = levels_.short_slot(level);
      const std::uintptr_t length = reinterpret_cast<std::uintptr_t>(at_) - reinterpret_cast<std::uintptr_t>(slot) - 1;
      if (HOTPB_LIKELY(length < 128)) {  // no chunk is that near to address 0, so that a null slot is none of these
        put_length(slot, length);
        top_ = levels_.serial_below(level);
        limit_ += kSlotGrowth;
        return;
      }
    }
    destroy_slow(serial);
  }

  // ---- the slow paths ----

  HOTPB_INLINE std::uint64_t open_root() {
    if (HOTPB_UNLIKELY(top_ != kClosed) && !make_way()) return kNoSerial;
    return begin_message(0);
  }
  HOTPB_INLINE std::uint64_t begin_message(std::uint64_t ownerless) {
    message_start_ = offset();
    return top_ = levels_.open_root((next_serial_ += kSerialStep) | ownerless);
  }
  bool make_way() noexcept;  // for a root, when one may be open
  std::uint64_t open_delimited() noexcept;
  std::uint64_t open_other(std::uint64_t serial, std::uint32_t tag) noexcept;
  std::uint64_t open_packed(std::uint64_t serial, std::uint32_t tag) noexcept;
  std::uint64_t open_slow(std::uint64_t serial, std::uint32_t tag, std::uint32_t end_tag, std::uint64_t ownerless,
                          bool packed = false) noexcept;
  void destroy_slow(std::uint64_t serial) noexcept;
  void destroy_rest(std::uint64_t serial) noexcept;
  WriteStatus finish(std::uint64_t serial) noexcept;
  void field(std::uint64_t serial, const std::uint8_t* bytes, std::size_t size) noexcept;
  void field(std::uint64_t serial, const Bytes* parts, std::size_t count) noexcept;

  // Whether the level of `serial` may be written now; ends the levels above it.
  bool settle(std::uint64_t serial) noexcept;
  // Whether a level more may be opened in it, too. A packed record is none, to readers (LIM-1).
  bool settle_for_child(std::uint64_t serial, bool packed) noexcept;
  bool is_waiting(std::uint64_t serial) const { return is_live(pinned_) && level_of(serial) < level_of(pinned_); }
  bool is_live(std::uint64_t serial) const;
  // Before a field of `size` bytes: sizes, and the mark to which a field that is not finished is taken back.
  bool begin_field(std::uint64_t size) noexcept;
  bool append(const std::uint8_t* bytes, std::size_t size) noexcept;
  bool advance() noexcept;
  bool set_widths(std::size_t width);
  void close_top() noexcept;
  void close_down_to(std::size_t level) noexcept;
  void close_here(std::size_t index);
  void write_length(std::size_t index, std::uint64_t length);
  void learn(std::size_t level, std::size_t expected, std::size_t size);
  void finish_root() noexcept;
  MessageEnd message_end() const;
  void go_back(std::uint64_t offset) noexcept;
  std::uint64_t whole_slow() const;
  bool claim_source();
  void fail(Code code, std::uint64_t valid) noexcept;
  // The source failed after a message had ended.
  void lose() {
    status_ = {Code::BufferExhausted, 0};
    top_ = kFailed;
    whole_ = message_start_;
  }
  // An exception leaves the callable that writes the child of `serial`, which would end there as if it were whole.
  HOTPB_COLD void cut(std::uint64_t serial) noexcept {
    if (!failed() && is_live(serial)) misuse();
  }
  // A call of the source: false, or no chunk, when it throws.
  template <class Call>
  auto ask(Call call) noexcept -> decltype(call()) {
    HOTPB_TRY { return call(); }
    HOTPB_CATCH {
      lost_ = true;
      return {};
    }
  }
  void misuse() {
    if (!failed()) fail(Code::HandleMisuse, offset());
  }

  // Of the content of a level: its offset in the stream, and its bytes up to here.
  std::uint64_t content_start(std::size_t level) const {
    if (!levels_.is_here(level)) return levels_.start(level);
    return base_ + static_cast<std::uint64_t>(levels_.content(level) - chunk_begin_);
  }

  // memset() of so many bytes is `rep stos` to some compilers, which costs more than the rest of a message.
  template <std::size_t... kWord>
  HOTPB_INLINE void clear_words(std::index_sequence<kWord...>) {
    (port::store(opening_ + 8 * kWord, std::uint64_t{0}), ...);
  }

  void take(std::uint64_t id, std::uint8_t* data, std::size_t size) {
    chunk_id_ = id;
    chunk_begin_ = at_ = data;
    chunk_end_ = data + size;
    update_limit();
  }
  void no_chunk() { take(kNoChunk, nothing_, 0); }
  std::size_t reserved() const;
  std::size_t room() const;  // in the chunk, in front of what is kept back
  void update_limit();

  // Setters use these; they share a cache line. Members that are written together are not neighbours: compilers would
  // write them as one vector, which is slower than two stores.
  std::uint8_t* at_ = nullptr;
  std::uint8_t* chunk_begin_ = nullptr;
  std::uintptr_t limit_ = 0;            // a small field that starts before it fits
  std::uint8_t* chunk_end_ = nullptr;
  std::uint64_t top_ = kClosed;         // the serial that may write
  ChunkSource* source_;
  std::uint64_t next_serial_ = kSerialStep;
  std::uint64_t base_ = 0;              // offset of chunk_begin_ in the stream
  std::uint64_t chunk_id_ = kNoChunk;
  std::uint64_t message_start_ = 0;
  std::uint64_t field_start_ = 0;
  WriteStatus status_;
  std::uint64_t whole_ = 0;             // after an error: the end of the last message that is whole
  std::uint64_t delimited_start_ = 0;   // of a delimited stream: its first byte
  std::uint64_t pinned_ = kNoSerial;    // of the child that a lambda is writing: the levels below it wait
  LengthPolicy policy_;
  bool keeps_;                          // all chunks stay until the stream starts anew
  bool last_ = false;                   // the current chunk is the only one
  bool lost_ = false;                   // the source has failed
  std::uint8_t nothing_[1] = {};
  std::int8_t confidence_[kLearning] = {};  // that longer slots pay, by level
  // How children of a level are opened: 0 in line with a slot of one byte; with one of so many bytes; kOutOfLine.
  std::uint8_t opening_[(kLevels + 7) / 8 * 8];
  Levels levels_;
};

inline bool WriteStream::is_live(std::uint64_t serial) const {
  return is_open() && serial != kNoSerial && level_of(serial) <= level_of(top_) &&
         levels_.serial(level_of(serial)) == serial;
}

inline std::size_t WriteStream::reserved() const {
  std::size_t size = 0;
  if (!is_open()) return size;
  for (std::size_t i = level_of(top_); i > 0; --i) size += levels_.is_here(i) ? kSlotRoom - levels_.width(i) : 0;
  return size;
}

inline std::size_t WriteStream::room() const {
  const std::size_t left = static_cast<std::size_t>(chunk_end_ - at_);
  const std::size_t kept = reserved();
  return left > kept ? left - kept : 0;
}

inline void WriteStream::update_limit() {
  const std::size_t left = room();
  if (left < kSlack) {
    limit_ = 0;
    return;
  }
  // Inside a window no message can get too large; near the size limits all goes through begin_field().
  std::size_t window = left < kWindow ? left : kWindow;
  if (HOTPB_UNLIKELY(left >= kWindow || base_ > kMaxNestedSize / 2 || chunk_used() > kMaxNestedSize / 2)) {
    // The root, and the outermost nested message, which is the largest.
    std::uint64_t end = message_start_ + kMaxMessageSize;
    for (std::size_t i = 1; is_open() && i <= level_of(top_); ++i) {
      if (levels_.kind(i) == Kind::Group) continue;
      const std::uint64_t nested_end = kMaxNestedSize + content_start(i);
      if (nested_end < end) end = nested_end;
      break;
    }
    end -= kSlotGrowth * kLevels;
    if (offset() >= end) {
      limit_ = 0;
      return;
    }
    if (window > end - offset()) window = static_cast<std::size_t>(end - offset());
  }
  if (window < kSlack) {
    limit_ = 0;
    return;
  }
  limit_ = reinterpret_cast<std::uintptr_t>(at_) + window - kSlack + 1;
}

HOTPB_NAMESPACE_END

#include "hotpb/writer/slow.h"

#endif  // HOTPB_WRITER_STREAM_H_
