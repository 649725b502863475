// The state that all writers of one message share: the cursor, the open levels, the sticky error.
//
// A handle (MessageWriter) is a pointer to this state and a serial. The handle with the serial of the top level may
// write:
//
//   top ->  level 2   serial 0x0902   slot at 17      |08|2a|1a|??|12|03|66|6f|6f|
//           level 1   serial 0x0801   slot at  3                ^slot             ^at
//           root      serial 0x0700
//
// (The serial of a child also has the size of its tag, in bits 8 to 10.) No serial is used twice. An opened child is
// the new top. A write with the serial of a level below the top first ends the levels above it. A serial that belongs
// to no level is misuse. The fast paths compare one serial and one limit; functions that are not inlined do everything
// else, and may be slower.
//
// Slots: the length of a child has one byte at first. If the child turns out to be longer than 127 bytes, its content
// moves. If the last children of the same level were that long, the next one gets a slot of that width at once, and
// nothing moves if its length is as expected. The output is the same for any expectation.
//
//   one byte     |2a|??|aaaaaaaa...a|   ->   |2a|b2 01|aaaaaaaa...a|      moved
//   two bytes    |2a|?? ??|aaaaaaaa...a|  ->   |2a|b2 01|aaaaaaaa...a|    not moved
//
// Room: a slot may have to grow to four bytes. At the end of the chunk, the stream reserves the missing bytes of each
// open slot, and kSlack bytes more, because stores write whole words. A field that does not fit before the reserved
// bytes takes the slow path, which fills the chunk to the last byte.
//
// Whole messages: the bytes that a buffer returns end at whole(). A message that is open or failed does not move it.
//
//   |first message|second message|third, which is open or failed ...|
//                                ^message_start_, whole()      ^message_start_ + valid_len
//
// Nothing here throws. If a source throws, ask() catches the exception, and the message fails.
#ifndef HOTPB_WRITER_STREAM_H_
#define HOTPB_WRITER_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hotpb/chunk/source.h"
#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"
#include "hotpb/writer/levels.h"
#include "hotpb/writer/store.h"

HOTPB_NAMESPACE_BEGIN

class InlinedWriter;
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
#if !defined(HOTPB_WRITER_DEPTH)
#define HOTPB_WRITER_DEPTH 100
#endif
static_assert(HOTPB_WRITER_DEPTH >= 1 && HOTPB_WRITER_DEPTH <= 100, "HOTPB_WRITER_DEPTH is from 1 to 100");
// Levels below a message: by default as many as readers accept.
constexpr std::uint64_t kMaxWriterDepth = HOTPB_WRITER_DEPTH;

// The memory for messages of more levels, up to `Depth` below the root. It must outlive the stream or buffer that uses
// it, and serves one of them at a time:
//
//   hotpb::DeepLevels<1000> levels;
//   hotpb::HeapBuffer out;
//   out.set_levels(levels);
//
// To open or end a child below the usual depth takes time in proportion to its level. Readers refuse more than 100
// levels unless their options allow them.
template <std::size_t Depth>
class DeepLevels {
 public:
  static_assert(Depth > kMaxWriterDepth && Depth <= 10000,
                "DeepLevels is for depths above HOTPB_WRITER_DEPTH, to 10,000");
  DeepLevels() = default;
  DeepLevels(const DeepLevels&) = delete;
  DeepLevels& operator=(const DeepLevels&) = delete;

 private:
  friend class WriteStream;
  detail::DeepLevel levels_[Depth - kMaxWriterDepth];
  detail::Slot slots_[Depth + 3];
  detail::DeepMemory memory_{levels_, slots_, Depth, 0};
};

namespace detail {

// The permission to construct a handle, which only the runtime can create.
class WriterKey {
 private:
  friend class hotpb::InlinedWriter;
  friend class hotpb::MessageWriter;
  friend class hotpb::WriteStream;
  friend struct Access;
  WriterKey(WriteStream* stream, std::uint64_t serial) : stream_(stream), serial_(serial) {}
  WriteStream* stream_;
  std::uint64_t serial_;
};

}  // namespace detail

class WriteStream {
 public:
  // A stream over a source whose chunks leave. It writes one message after the other: message<FooWriter>(),
  // delimited<>().
  explicit WriteStream(ChunkSource& source, StreamPolicy policy = StreamPolicy::compact)
      : WriteStream(&source, policy == StreamPolicy::fixed4 ? LengthPolicy::fixed4 : LengthPolicy::compact, false) {}
  ~WriteStream() {
    // A root that is still open can no longer write. The source gets the bytes that it has written, which parse.
    if (!keeps_ && is_open()) is_idle() ? finish_root() : fail(Code::HandleMisuse, offset());
  }
  WriteStream(const WriteStream&) = delete;
  WriteStream& operator=(const WriteStream&) = delete;

  // Returns the root of the next message. Handles must not outlive the stream. To open a second root while one is open
  // is misuse.
  template <class Writer>
  Writer message() HOTPB_LIFETIMEBOUND {
    return Writer(key(open_root()));
  }
  // Does the same for a length-prefixed message of a delimited stream (spec/wire.md, section 12). The messages share
  // chunks until flush().
  template <class Writer>
  Writer delimited() HOTPB_LIFETIMEBOUND {
    return Writer(key(open_delimited()));
  }
  // Ends a delimited stream: returns its last chunk to the source, which then writes all that it has not yet written.
  // If a message is open, flush() returns HandleMisuse and does nothing.
  WriteStatus flush() {
    if (is_idle()) finish_root();
    if (is_open()) return {Code::HandleMisuse, 0};
    if (!ask([this] { return source_->sync(); }) && !failed()) lose();
    lost_ = false;
    return status();
  }

  // The sticky error, and how many bytes of the last message parse.
  WriteStatus status() const { return failed() ? status_ : WriteStatus{Code::Ok, offset() - message_start()}; }
  bool ok() const { return !failed(); }
  // Where the last message starts, in bytes since the stream or the buffer started: `valid_len` counts from there.
  std::uint64_t message_start() const { return message_start_ < offset() ? message_start_ : offset(); }

  // Allows more levels (DeepLevels). Call it while no message is open; else the message fails with HandleMisuse. A
  // buffer that is moved keeps its own levels.
  template <std::size_t Depth>
  void set_levels(DeepLevels<Depth>& levels) {
    if (is_open() && !is_idle()) return misuse();
    levels_.set_deep(&levels.memory_);
  }

  // Clears the error, and discards the message that failed or is open; its handles become stale. If the source does not
  // keep its chunks, the bytes that have left stay written.
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

  // Starts again, in a chunk that the source has returned or will return (only for buffers that keep their chunks).
  HOTPB_INLINE void restart(std::uint64_t id, std::uint8_t* data, std::size_t size) {
    base_ = 0;
    chunk_id_ = id;
    restart(data, size);
  }
  // Does the same in the only chunk of a source. The writer fills it to the last byte, and never leaves it.
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
    // A chunk may be too small for the fast paths, or so large that it is written window by window. Then the first
    // field sets the limit.
    const bool usual = size - kSlack < kWindow - kSlack;
    limit_ = HOTPB_LIKELY(usual) ? reinterpret_cast<std::uintptr_t>(chunk_end_) - kSlack + 1 : 0;
  }
  // These stores are in a cold branch. If the branch chose the size instead, compilers would know less about the size.
  HOTPB_INLINE void take_no_memory() {
    chunk_end_ = nullptr;
    limit_ = 0;
  }
  void restart_without_chunk() { restart(kNoChunk, nothing_, 0); }
  // Where the whole messages end.
  HOTPB_INLINE std::uint64_t whole() const { return HOTPB_LIKELY(top_ == kClosed) ? offset() : whole_slow(); }
  // Returns the same in a buffer of one chunk.
  HOTPB_INLINE std::size_t whole_used() const {
    return HOTPB_LIKELY(top_ == kClosed) ? chunk_used() : static_cast<std::size_t>(whole_slow());
  }
  // The status of the stream; HandleMisuse if a message is open.
  WriteStatus whole_status() const {
    return is_open() && !is_idle() ? WriteStatus{Code::HandleMisuse, 0} : status();
  }
  // Where the part of the failed message ends; whole() if none failed.
  std::uint64_t partial() const {
    const std::uint64_t end = message_start_ + status_.valid_len;
    return failed() && end > whole_ ? end : whole();
  }
  void take_over(WriteStream& source) noexcept;  // for buffers that keep their chunks; the caller moves the chunks
  // For buffers that are destroyed: there is nothing to report or to return.
  void abandon() { top_ = kClosed; }
  std::uint64_t chunk_id() const { return chunk_id_; }
  std::uint8_t* chunk_begin() const { return chunk_begin_; }
  std::size_t chunk_size() const { return static_cast<std::size_t>(chunk_end_ - chunk_begin_); }
  std::size_t chunk_used() const { return static_cast<std::size_t>(at_ - chunk_begin_); }
  bool is_open() const { return top_ < kFailed; }

 private:
  friend class InlinedWriter;
  friend class MessageWriter;
  template <class Encode, class T>
  friend class PackedWriter;
  friend struct detail::Access;

  // The low byte of a serial is its level. Levels that no handle owns (a map entry around its value) also set bit 7.
  static constexpr std::uint64_t kOwnerless = 0x80;
  static constexpr unsigned kTagSizeShift = 8;
  static constexpr std::uint64_t kSerialStep = 0x800;
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};  // `top_` without a root; no serial has this value
  static constexpr std::uint64_t kFailed = kClosed - 1;        // `top_` after an error
  static constexpr std::uint64_t kNoSerial = 0;                // for a handle that was moved from or has finished
  static constexpr std::uintptr_t kSlack = 24;  // the longest header, 5 + 8 bytes, and a word
  static constexpr std::size_t kSlotRoom = 4;   // the width of a slot when its chunk leaves
  static constexpr std::size_t kSlotGrowth = kSlotRoom - 1;
  static constexpr std::size_t kWindow = std::size_t{1} << 27;  // a large chunk is written in windows of this size

  // The root is level 0. In a delimited stream, the message is level 1. A packed record may be open in the last level.
  static constexpr std::size_t kLevels = kMaxWriterDepth + 3;
  using Levels = detail::Levels<kLevels>;
  using Kind = Levels::Kind;
  static constexpr std::uint8_t kOutOfLine = 0xff;
  static constexpr std::size_t kLearning = 16;  // the stream learns the sizes of children in this many levels
  static constexpr std::int8_t kConfident = 2;  // after so many long children, the next one gets a longer slot;
  static constexpr std::int8_t kDoubtful = -8;  // if that was wrong, the count starts here

  // The level of a serial, but kLevels for all levels in DeepMemory.
  static constexpr std::size_t index_of(std::uint64_t serial) { return static_cast<std::size_t>(serial & 0x7f); }
  static constexpr std::size_t tag_size_of(std::uint64_t serial) {
    return static_cast<std::size_t>(serial >> kTagSizeShift & 7);
  }
  // The level of a serial. For a stale serial it may be any.
  std::size_t level_of(std::uint64_t serial) const {
    return HOTPB_LIKELY(index_of(serial) < kLevels) ? index_of(serial) : deep_level_of(serial);
  }
  std::size_t deep_level_of(std::uint64_t serial) const;
  std::size_t top_level() const {
    return HOTPB_LIKELY(index_of(top_) < kLevels) ? index_of(top_) : levels_.deep()->top;
  }
  // Makes the open level with this serial the top.
  void set_top(std::size_t level, std::uint64_t serial) {
    if (HOTPB_UNLIKELY(level >= kLevels)) levels_.deep()->top = level;
    top_ = serial;
  }
  std::size_t max_depth() const { return levels_.deep() != nullptr ? levels_.deep()->depth : kMaxWriterDepth; }

  detail::WriterKey key(std::uint64_t serial) { return detail::WriterKey(this, serial); }
  // Whether the stream is between two messages of a delimited stream.
  bool is_idle() const { return is_open() && index_of(top_) == 0 && (top_ & kOwnerless) != 0; }
  bool failed() const { return status_.code != Code::Ok; }
  std::uint64_t offset() const { return base_ + static_cast<std::uint64_t>(at_ - chunk_begin_); }
  // Of a level that is not in DeepMemory.
  std::uint64_t near_serial(std::size_t level, std::size_t tag_size) {
    return (next_serial_ += kSerialStep) + level + (tag_size << kTagSizeShift);
  }
  std::uint64_t new_serial(std::size_t level, std::size_t tag_size) {
    return near_serial(level < kLevels ? level : kLevels, tag_size);
  }

  // ---- the fast paths; they call the functions below for everything else ----

  // Whether `serial` may write, and there is room for a header and `size` bytes after it.
  HOTPB_INLINE bool may_write(std::uint64_t serial, const std::uint8_t* at, std::size_t size = 0) const {
    return top_ == serial && reinterpret_cast<std::uintptr_t>(at) + size < limit_;
  }

  // Opens a child with a length; the tag is a short one (detail::short_tag). Returns its serial.
  HOTPB_NOINLINE std::uint64_t open(std::uint64_t serial, std::uint32_t tag) noexcept {
    using namespace detail;
    std::uint8_t* const at = at_;
    const std::size_t level = index_of(serial);
    if (HOTPB_UNLIKELY(!may_write(serial, at) || opening_[level] != 0)) return open_other(serial, decoded_tag(tag));
    std::uint8_t* const slot = put_short_tag(at, tag);  // the slot is the zero after the tag
    return opened(level, slot, tag >> 24);
  }
  template <std::uint32_t kTag, bool kPacked = false>
  HOTPB_INLINE std::uint64_t open_inlined(std::uint64_t serial) {
    using namespace detail;
    std::uint8_t* const at = at_;
    const std::size_t level = index_of(serial);
    if (HOTPB_UNLIKELY(!may_write(serial, at) || opening_[level] != 0)) {
      return kPacked ? open_packed(serial, kTag) : open_other(serial, kTag);
    }
    put_tag<kTag>(at);
    return opened(level, at + tag_size(kTag), tag_size(kTag));
  }
  HOTPB_INLINE std::uint64_t opened(std::size_t level, std::uint8_t* slot, std::size_t tag_size) {
    const std::uint64_t child = (next_serial_ += kSerialStep) + level + 1 + (tag_size << kTagSizeShift);
    levels_.open_short(level + 1, child, slot);
    at_ = slot + 1;
    limit_ -= kSlotGrowth;
    top_ = child;
    return child;
  }

  // Called by the destructor of the handle with this serial.
  HOTPB_NOINLINE void destroy(std::uint64_t serial) noexcept { destroy_inlined(serial); }
  HOTPB_INLINE void destroy_inlined(std::uint64_t serial) {
    using namespace detail;
    if (HOTPB_LIKELY(top_ == serial)) {
      const std::size_t level = index_of(serial);
      std::uint8_t* const slot = levels_.short_slot(level);
      const std::uintptr_t length = reinterpret_cast<std::uintptr_t>(at_) - reinterpret_cast<std::uintptr_t>(slot) - 1;
      if (HOTPB_LIKELY(length < 128)) {  // false for a null slot, because no chunk is that near to address 0
        put_length(slot, length);
        top_ = levels_.serial_below(level);
        limit_ += kSlotGrowth;
        return;
      }
      if (HOTPB_UNLIKELY(level == 0) && slot == nullptr && keeps_) {  // the root
        top_ = kClosed;
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
  bool make_way() noexcept;  // for a new root, if one may be open
  std::uint64_t open_delimited() noexcept;
  std::uint64_t open_other(std::uint64_t serial, std::uint32_t tag) noexcept;
  std::uint64_t open_packed(std::uint64_t serial, std::uint32_t tag) noexcept;
  std::uint64_t open_slow(std::uint64_t serial, std::uint32_t tag, std::uint32_t end_tag, std::uint64_t ownerless,
                          bool packed = false) noexcept;
  void destroy_slow(std::uint64_t serial) noexcept;
  void destroy_rest(std::uint64_t serial) noexcept;
  WriteStatus finish(std::uint64_t serial) noexcept;
  bool take_back(std::uint64_t serial) noexcept;
  void field(std::uint64_t serial, const std::uint8_t* bytes, std::size_t size) noexcept;
  void field(std::uint64_t serial, const Bytes* parts, std::size_t count) noexcept;

  // Ends the levels above that of `serial`. Returns whether the level may be written.
  bool settle(std::uint64_t serial) noexcept;
  // Does the same, and returns whether one more level may be opened in it. To readers, a packed record is not a level
  // (LIM-1).
  bool settle_for_child(std::uint64_t serial, bool packed) noexcept;
  bool is_waiting(std::uint64_t serial) const {
    return pinned_ != kNoSerial && is_live(pinned_) && level_of(serial) < level_of(pinned_);
  }
  bool is_live(std::uint64_t serial) const;
  // Called before a field of `size` bytes: checks the limits of sizes, and stores where the field starts, so that a
  // field that cannot be finished is removed.
  bool begin_field(std::uint64_t size) noexcept;
  bool append(const std::uint8_t* bytes, std::size_t size) noexcept;
  bool advance() noexcept;
  bool set_widths(std::size_t width);
  bool set_deep_widths(std::size_t width);
  bool set_widths(std::size_t width, detail::Slot* slot_list, std::size_t top);
  void close_top() noexcept;
  void close_down_to(std::size_t level) noexcept;
  void close_here(std::size_t index);
  void fill_slot(std::uint8_t* slot, std::size_t width, std::uint64_t length);
  void write_length(std::size_t index, std::uint64_t length);
  void learn(std::size_t level, std::size_t expected, std::size_t size);
  void finish_root() noexcept;
  MessageEnd message_end() const;
  void go_back(std::uint64_t offset) noexcept;
  std::uint64_t whole_slow() const;
  bool claim_source();
  void fail(Code code, std::uint64_t valid) noexcept;
  // Called if the source failed after a message had ended.
  void lose() {
    status_ = {Code::BufferExhausted, 0};
    top_ = kFailed;
    whole_ = message_start_;
  }
  // Called if an exception leaves the callable that writes the child of `serial`: without it, the child would seem
  // whole.
  HOTPB_COLD void cut(std::uint64_t serial) noexcept {
    if (!failed() && is_live(serial)) misuse();
  }
  // Calls the source. Returns false, or no chunk, if it throws.
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

  // Calls kStep with the value and each open level above the root, from the top down, and returns the last value.
  template <std::uint64_t (WriteStream::*kStep)(std::uint64_t, std::size_t)>
  HOTPB_INLINE std::uint64_t each_level(std::uint64_t value) {
    if (HOTPB_UNLIKELY(index_of(top_) >= kLevels)) return each_deep_level<kStep>(value);
    for (std::size_t i = index_of(top_); i > 0; --i) {
      HOTPB_ASSUME(i < kLevels);  // then kStep has no code for levels in DeepMemory
      value = (this->*kStep)(value, i);
    }
    return value;
  }
  template <std::uint64_t (WriteStream::*kStep)(std::uint64_t, std::size_t)>
  HOTPB_COLD std::uint64_t each_deep_level(std::uint64_t value) {
    for (std::size_t i = is_open() ? levels_.deep()->top : 0; i > 0; --i) value = (this->*kStep)(value, i);
    return value;
  }
  std::uint64_t grow(std::uint64_t growth, std::size_t level);
  std::uint64_t leave(std::uint64_t open_slots, std::size_t level);
  std::uint64_t reserve(std::uint64_t size, std::size_t level);

  // The offset in the stream where the content of a level starts.
  HOTPB_INLINE std::uint64_t content_start(std::size_t level) const {
    if (!levels_.is_here(level)) return levels_.start(level);
    return base_ + static_cast<std::uint64_t>(levels_.content(level) - chunk_begin_);
  }

  // The offset in the stream of the start tag of a level, or of its length if it has no tag.
  std::uint64_t record_start(std::size_t level) const {
    if (levels_.kind(level) == Kind::Group) return levels_.start(level);
    const std::size_t left = levels_.kind(level) == Kind::ShortLeft ? 1 : 4;
    const std::size_t width = levels_.is_here(level) ? levels_.width(level) : left;
    return content_start(level) - width - tag_size_of(levels_.serial(level));
  }

  // Some compilers turn a memset() of so many bytes into `rep stos`, which costs more than the rest of a message.
  template <std::size_t... kWord>
  HOTPB_INLINE void clear_words(std::index_sequence<kWord...>) {
    (detail::port::store(opening_ + 8 * kWord, std::uint64_t{0}), ...);
  }

  void take(std::uint64_t id, std::uint8_t* data, std::size_t size) {
    chunk_id_ = id;
    chunk_begin_ = at_ = data;
    chunk_end_ = data + size;
    update_limit();
  }
  void no_chunk() {
    chunk_id_ = kNoChunk;
    chunk_begin_ = at_ = chunk_end_ = nothing_;
    limit_ = 0;
  }
  std::size_t last_window(std::size_t room) const;
  std::size_t room();  // the bytes in the chunk before the reserved ones
  void update_limit();

  // Setters use these, which share a cache line. Members that are written together are not neighbours, because
  // compilers would store them as one vector, which is slower than two stores.
  std::uint8_t* at_ = nullptr;
  std::uint8_t* chunk_begin_ = nullptr;
  std::uintptr_t limit_ = 0;            // a small field that starts before the limit fits
  std::uint8_t* chunk_end_ = nullptr;
  std::uint64_t top_ = kClosed;         // the serial that may write
  ChunkSource* source_;
  std::uint64_t next_serial_ = kSerialStep;
  std::uint64_t base_ = 0;              // the offset of chunk_begin_ in the stream
  std::uint64_t chunk_id_ = kNoChunk;
  std::uint64_t message_start_ = 0;
  std::uint64_t field_start_ = 0;
  WriteStatus status_;
  std::uint64_t whole_ = 0;             // after an error: the end of the last whole message
  std::uint64_t delimited_start_ = 0;   // the offset of the first byte of a delimited stream
  std::uint64_t pinned_ = kNoSerial;    // the child that a lambda is writing: the levels below it wait
  LengthPolicy policy_;
  bool keeps_;                          // all chunks stay until the stream starts again
  bool last_ = false;                   // the current chunk is the only one
  bool lost_ = false;                   // the source has failed
  std::uint8_t nothing_[1] = {};
  std::int8_t confidence_[kLearning] = {};  // by level: how likely a longer slot pays
  // How a child of a level is opened: 0, inlined, with a slot of one byte; kOutOfLine; else the width of its slot.
  std::uint8_t opening_[(kLevels + 8) / 8 * 8];
  Levels levels_;
};

inline bool WriteStream::is_live(std::uint64_t serial) const {
  if (!is_open() || serial == kNoSerial) return false;
  const std::size_t level = level_of(serial);
  return level <= top_level() && levels_.serial(level) == serial;
}

HOTPB_COLD inline std::size_t WriteStream::deep_level_of(std::uint64_t serial) const {
  std::size_t level = is_open() && index_of(top_) == kLevels ? levels_.deep()->top : 0;
  while (level > kLevels && levels_.serial(level) != serial) --level;
  return level;
}

HOTPB_INLINE std::uint64_t WriteStream::reserve(std::uint64_t size, std::size_t level) {
  return size + (levels_.is_here(level) ? kSlotRoom - levels_.width(level) : 0);
}

inline std::size_t WriteStream::room() {
  const std::size_t left = static_cast<std::size_t>(chunk_end_ - at_);
  const std::size_t kept = static_cast<std::size_t>(each_level<&WriteStream::reserve>(0));
  return left > kept ? left - kept : 0;
}

HOTPB_NOINLINE inline void WriteStream::update_limit() {
  std::size_t window = room();
  // Inside a window no message can get too large.
  if (HOTPB_UNLIKELY(window >= kWindow || offset() > kMaxNestedSize / 2)) {
    window = last_window(window);
  }
  limit_ = window < kSlack ? 0 : reinterpret_cast<std::uintptr_t>(at_) + window - kSlack + 1;
}

// Returns how much of the room may be written before a message could get too large. Near the size limits, every field
// goes through begin_field().
HOTPB_COLD inline std::size_t WriteStream::last_window(std::size_t room) const {
  // The limit of the root, and that of the outermost nested message, which is the largest one.
  std::uint64_t end = message_start_ + kMaxMessageSize;
  for (std::size_t i = 1; is_open() && i <= top_level(); ++i) {
    if (levels_.kind(i) == Kind::Group) continue;
    const std::uint64_t nested_end = kMaxNestedSize + content_start(i);
    if (nested_end < end) end = nested_end;
    break;
  }
  end -= kSlotGrowth * (max_depth() + 3);
  if (offset() >= end) return 0;
  std::size_t window = room < kWindow ? room : kWindow;
  if (window > end - offset()) window = static_cast<std::size_t>(end - offset());
  return window;
}

HOTPB_NAMESPACE_END

#include "hotpb/writer/slow.h"

#endif  // HOTPB_WRITER_STREAM_H_
