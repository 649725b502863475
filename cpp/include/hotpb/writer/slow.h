// The writer's slow paths: chunk ends, lengths of more than one byte, children that their parent ends, errors.
// Part of writer/stream.h.
#ifndef HOTPB_WRITER_SLOW_H_
#define HOTPB_WRITER_SLOW_H_

#include "hotpb/detail/abi.h"
#include "hotpb/writer/stream.h"

HOTPB_NAMESPACE_BEGIN

HOTPB_COLD inline bool WriteStream::make_way() noexcept {
  if (failed()) return false;
  if (!is_idle()) {
    misuse();
    return false;
  }
  finish_root();
  return true;
}

HOTPB_NOINLINE inline std::uint64_t WriteStream::open_delimited() noexcept {
  if (failed()) return kNoSerial;
  if (!is_open()) {
    begin_message(kOwnerless);
    delimited_start_ = message_start_;
  } else if (!is_idle()) {
    misuse();
    return kNoSerial;
  }
  message_start_ = offset();
  return open_other(top_, 0);
}

HOTPB_COLD inline bool WriteStream::settle(std::uint64_t serial) noexcept {
  if (HOTPB_LIKELY(top_ == serial)) return true;
  if (failed()) return false;
  if (!is_live(serial) || is_waiting(serial)) {
    misuse();
    return false;
  }
  close_down_to(level_of(serial));
  return !failed();
}

HOTPB_COLD inline bool WriteStream::settle_for_child(std::uint64_t serial, bool packed) noexcept {
  if (!settle(serial)) return false;
  const bool delimited = (levels_.serial(0) & kOwnerless) != 0;
  if (packed || level_of(serial) < max_depth() + (delimited ? 1 : 0)) return true;
  fail(Code::DepthExceeded, offset());
  return false;
}

// Opens a child with a slot for the expected length, or calls open_slow(). Tag 0 means a message of a delimited stream.
HOTPB_NOINLINE inline std::uint64_t WriteStream::open_other(std::uint64_t serial, std::uint32_t tag) noexcept {
  const std::size_t index = index_of(serial) + 1;
  const std::size_t expected = opening_[index - 1];
  std::uint8_t* const at = at_;
  if (!may_write(serial, at) || expected > kSlotRoom) return open_slow(serial, tag, 0, 0);
  std::uint8_t* const slot = tag != 0 ? wire::write_varint(at, tag) : at;
  detail::put(slot, 0);
  const std::uint64_t child = near_serial(index, static_cast<std::size_t>(slot - at));
  const std::size_t width = expected + (expected == 0);
  levels_.open_slot(index, child, slot, width);
  HOTPB_FILL(slot + 1, width - 1);
  at_ = slot + width;
  limit_ -= kSlotRoom - width;
  return top_ = child;
}

HOTPB_NOINLINE inline std::uint64_t WriteStream::open_packed(std::uint64_t serial, std::uint32_t tag) noexcept {
  return index_of(serial) < kMaxWriterDepth ? open_other(serial, tag) : open_slow(serial, tag, 0, 0, true);
}

HOTPB_NOINLINE inline std::uint64_t WriteStream::open_slow(std::uint64_t serial, std::uint32_t tag,
                                                           std::uint32_t end_tag, std::uint64_t ownerless,
                                                           bool packed) noexcept {
  if (!settle_for_child(serial, packed)) return kNoSerial;
  const std::size_t index = level_of(serial) + 1;
  std::uint8_t bytes[wire::kTagRoom];
  const std::size_t tag_bytes = tag != 0 ? detail::encode_varint(bytes, tag) : 0;
  const std::size_t width = end_tag != 0 ? 0 : policy_ == LengthPolicy::fixed4 ? 4 : 1;
  if (!begin_field(tag_bytes + width) || !append(bytes, tag_bytes)) return kNoSerial;
  // A slot is in one chunk, and may have to grow there.
  if (width != 0 && !last_ && room() < 4 && !advance()) return kNoSerial;

  const std::uint64_t child = new_serial(index, tag_bytes) | ownerless;
  if (width == 0) {
    levels_.open_group(index, child, field_start_, end_tag);
  } else if (width == 1) {
    index < kLevels ? levels_.open_short(index, child, at_) : levels_.open_deep_slot(index, child, at_);
  } else {
    levels_.open_fixed(index, child, chunk_id_, chunk_used(), offset() + width);
  }
  if (width != 0) std::memset(at_, 0, width);
  at_ += width;
  set_top(index, child);
  update_limit();
  return top_;
}

// First handles the two frequent cases: a root ends, or a child with a two-byte length, as expected.
HOTPB_NOINLINE inline void WriteStream::destroy_slow(std::uint64_t serial) noexcept {
  const std::size_t index = index_of(serial);
  if (HOTPB_LIKELY(top_ == serial && levels_.short_slot(index) == nullptr)) {
    if (index == 0 && keeps_) {
      top_ = kClosed;
      return;
    }
    if (levels_.is_slot_of(index, 2)) {
      std::uint8_t* const slot = levels_.long_slot(index);
      const std::uint64_t length = static_cast<std::uint64_t>(at_ - slot) - 2;
      if (HOTPB_LIKELY(length - 0x80 < 0x3f80)) {
        slot[0] = static_cast<std::uint8_t>(length | 0x80);
        slot[1] = static_cast<std::uint8_t>(length >> 7);
        limit_ += kSlotRoom - 2;
        top_ = levels_.serial_below(index);
        return;
      }
    }
  }
  destroy_rest(serial);
}

// Closes the top level, whose slot is in this chunk.
HOTPB_INLINE void WriteStream::close_here(std::size_t index) {
  std::uint8_t* const slot = levels_.slot(index);
  const std::size_t expected = levels_.width(index);
  const std::uint64_t length = static_cast<std::uint64_t>(at_ - (slot + expected));
  set_top(index - 1, levels_.serial(index - 1));
  limit_ += kSlotRoom - expected;
  fill_slot(slot, expected, length);
  if (index <= kLearning) learn(index - 1, expected, wire::varint_size(length));
}

HOTPB_NOINLINE inline void WriteStream::destroy_rest(std::uint64_t serial) noexcept {
  const std::size_t index = level_of(serial);
  if (top_ == serial) {
    if (index == 0) return finish_root();
    if (levels_.is_here(index)) return close_here(index);
    close_top();
    return update_limit();
  }
  // A handle that has finished, was moved from, or was ended by its parent is no misuse.
  if (failed() || !is_live(serial)) return;
  if (is_waiting(serial)) return misuse();
  bool orphans = false;
  for (std::size_t i = top_level(); i > index; --i) orphans = orphans || (levels_.serial(i) & kOwnerless) == 0;
  if (orphans) return misuse();
  close_down_to(index);
  if (failed()) return;
  if (index == 0) return finish_root();
  close_top();
  update_limit();
}

HOTPB_NOINLINE inline WriteStatus WriteStream::finish(std::uint64_t serial) noexcept {
  if (!settle(serial)) return status_;
  if (level_of(serial) != 0) {
    close_top();
    update_limit();
    return status();
  }
  const WriteStatus result = status();
  finish_root();
  return failed() ? status_ : result;
}

// Removes a child with its tag, the levels above it, and the entry or item that was opened for it.
HOTPB_COLD inline bool WriteStream::take_back(std::uint64_t serial) noexcept {
  if (failed()) return false;
  if (!is_live(serial) || is_waiting(serial)) {
    misuse();
    return false;
  }
  std::size_t index = level_of(serial);
  if (index == 0) return false;
  while (index > 1 && (levels_.serial(index - 1) & kOwnerless) != 0) --index;
  const std::uint64_t start = record_start(index);
  if (start < base_ && !keeps_) return false;
  set_top(index - 1, levels_.serial(index - 1));
  go_back(start);
  return true;
}

HOTPB_NOINLINE inline void WriteStream::field(std::uint64_t serial, const std::uint8_t* bytes,
                                              std::size_t size) noexcept {
  if (!settle(serial) || !begin_field(size) || !append(bytes, size)) return;
  update_limit();
}

// Writes the parts of one field one after another.
HOTPB_NOINLINE inline void WriteStream::field(std::uint64_t serial, const Bytes* parts, std::size_t count) noexcept {
  if (!settle(serial)) return;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < count && size <= kMaxMessageSize; ++i) {
    size += parts[i].size() <= kMaxMessageSize ? parts[i].size() : kMaxMessageSize + 1;
  }
  if (!begin_field(size)) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (!append(parts[i].data(), parts[i].size())) return;
  }
  update_limit();
}

// Returns how much the level below `level` grows if the content of `level` grows so much; more than kMaxMessageSize if
// it would be too long.
HOTPB_INLINE std::uint64_t WriteStream::grow(std::uint64_t growth, std::size_t level) {
  const Kind kind = levels_.kind(level);
  if (kind == Kind::Group) return growth;
  const std::uint64_t length = growth + offset() - content_start(level);
  if (length > kMaxNestedSize) return kMaxMessageSize + 1;
  if (kind == Kind::Slot) {
    const std::size_t final_width = last_ ? wire::varint_size(length) : kSlotRoom;
    const std::size_t width = levels_.width(level);
    return growth + (final_width > width ? final_width - width : 0);
  }
  return growth + (kind == Kind::ShortLeft ? kSlotGrowth : 0);
}

inline bool WriteStream::begin_field(std::uint64_t size) noexcept {
  field_start_ = offset();
  if (size > kMaxMessageSize) {
    fail(Code::SizeExceeded, field_start_);
    return false;
  }
  const std::uint64_t growth = each_level<&WriteStream::grow>(size);
  if (growth + (offset() - message_start_) > kMaxMessageSize) {
    fail(Code::SizeExceeded, field_start_);
    return false;
  }
  if (last_ && growth > static_cast<std::uint64_t>(chunk_end_ - at_)) {
    if (set_widths(1)) return begin_field(size);
    fail(Code::BufferExhausted, field_start_);
    return false;
  }
  return true;
}

inline bool WriteStream::append(const std::uint8_t* bytes, std::size_t size) noexcept {
  while (size > 0) {
    const std::size_t left = last_ ? static_cast<std::size_t>(chunk_end_ - at_) : room();
    const std::size_t part = size < left ? size : left;
    if (part > 0) detail::port::copy(at_, bytes, part);
    at_ += part;
    bytes += part;
    size -= part;
    if (size > 0 && !advance()) return false;
  }
  return true;
}

// The chunk of a level leaves. Adds the level to `open_slots`, if its length is in this chunk.
HOTPB_INLINE std::uint64_t WriteStream::leave(std::uint64_t open_slots, std::size_t level) {
  levels_.leave(level, chunk_id_, chunk_begin_, base_);
  return open_slots + (levels_.kind(level) == Kind::FixedLeft && levels_.chunk(level) == chunk_id_);
}

// Returns the current chunk to the source and takes the next one. If there is none, the message fails without the field
// that was begun, and the function returns false.
HOTPB_COLD inline bool WriteStream::advance() noexcept {
  if (last_) {
    fail(Code::BufferExhausted, field_start_);
    return false;
  }
  set_widths(policy_ != LengthPolicy::minimal ? kSlotRoom : 1);
  const std::uint64_t open_slots = each_level<&WriteStream::leave>(0);
  const std::uint64_t full = chunk_id_;
  if (full == kNoChunk && !claim_source()) {
    fail(Code::HandleMisuse, field_start_);
    return false;
  }
  const std::size_t used = chunk_used();
  base_ += used;
  no_chunk();  // the full chunk is gone, also if next() fails
  const Chunk next = ask([&] { return source_->next(full, used, static_cast<std::uint32_t>(open_slots)); });
  if (next.data == nullptr || next.id == kNoChunk || next.size < kMinChunkSize) {
    if (next.data != nullptr) take(next.id, next.data, 0);  // it returns to the source unused
    fail(Code::BufferExhausted, field_start_);
    return false;
  }
  take(next.id, next.data, next.size);
  HOTPB_FILL(next.data, next.size);
  return true;
}

inline void WriteStream::close_down_to(std::size_t level) noexcept {
  if (top_level() == level) return;
  while (!failed() && top_level() > level) close_top();
  if (!failed()) update_limit();
}

inline void WriteStream::close_top() noexcept {
  const std::size_t index = top_level();
  if (levels_.is_here(index)) return close_here(index);
  if (levels_.kind(index) == Kind::Group) {
    std::uint8_t bytes[wire::kTagRoom];
    const std::size_t size = detail::encode_varint(bytes, levels_.end_tag(index));
    if (!begin_field(size) || !append(bytes, size)) return;
  } else {
    write_length(index, offset() - levels_.start(index));
  }
  set_top(index - 1, levels_.serial(index - 1));
  if (lost_) fail(Code::BufferExhausted, offset());
}

inline void WriteStream::learn(std::size_t level, std::size_t expected, std::size_t size) {
  if (size == expected) return;
  if (expected > 1) {
    opening_[level] = 0;
    confidence_[level] = kDoubtful;
  } else if (++confidence_[level] >= kConfident) {
    opening_[level] = static_cast<std::uint8_t>(size);
    confidence_[level] = 0;
  }
}

// Changes all slots of this chunk to one width. Returns false if they already had it.
HOTPB_COLD inline bool WriteStream::set_widths(std::size_t width) {
  if (HOTPB_UNLIKELY(index_of(top_) >= kLevels)) return set_deep_widths(width);
  detail::Slot slot_list[kLevels];
  return set_widths(width, slot_list, index_of(top_));
}

HOTPB_COLD inline bool WriteStream::set_deep_widths(std::size_t width) {
  return set_widths(width, levels_.deep()->slot_list, levels_.deep()->top);
}

HOTPB_INLINE bool WriteStream::set_widths(std::size_t width, detail::Slot* slot_list, std::size_t top) {
  std::size_t count = 0;
  std::size_t before = 0;
  for (std::size_t i = 1; i <= top; ++i) {
    if (!levels_.is_here(i)) continue;
    slot_list[count++] = {levels_.slot(i), levels_.width(i), nullptr};
    before += levels_.width(i);
  }
  if (before == count * width) return false;
  at_ = detail::lay_out(slot_list, count, width, at_);
  const detail::Slot* slot = slot_list;
  std::ptrdiff_t shift = 0;  // how far the bytes after the slots so far have moved
  for (std::size_t i = 1; i <= top; ++i) {
    if (levels_.is_here(i)) {
      shift = (slot->to + width) - (slot->at + slot->width);
      levels_.moved(i, slot++->to, width);
    } else if (levels_.kind(i) == Kind::Group) {
      levels_.move_group(i, shift);
    }
  }
  field_start_ += static_cast<std::uint64_t>(std::int64_t{shift});  // all slots of this chunk precede the field
  return true;
}

// Writes a length into its slot, which gets the width of the length first.
HOTPB_INLINE void WriteStream::fill_slot(std::uint8_t* slot, std::size_t width, std::uint64_t length) {
  const std::size_t size = wire::varint_size(length);
  if (size != width) at_ = detail::resize(slot, width, size, at_);
  wire::write_varint_tight(slot, length);
}

// Writes the length of a level that has no slot in this chunk, or one that never moves.
inline void WriteStream::write_length(std::size_t index, std::uint64_t length) {
  switch (levels_.kind(index)) {
    case Kind::Fixed: {
      std::uint8_t four[4];
      detail::encode_length4(four, length);
      std::memcpy(chunk_begin_ + levels_.place(index), four, sizeof four);
      break;
    }
    case Kind::ShortLeft: {
      std::uint8_t bytes[wire::kVarintRoom];
      const std::size_t size = detail::encode_varint(bytes, length);
      // Only hotpb's own buffers widen, and they neither fail nor throw.
      source_->widen(levels_.chunk(index), levels_.place(index), bytes, size);
      base_ += size - 1;
      break;
    }
    case Kind::FixedLeft: {
      std::uint8_t four[4];
      detail::encode_length4(four, length);
      const std::uint64_t chunk = levels_.chunk(index);
      std::uint32_t still_open = 0;
      for (std::size_t i = index - 1; i > 0; --i) {
        still_open += levels_.kind(i) == Kind::FixedLeft && levels_.chunk(i) == chunk;
      }
      if (!ask([&] { return source_->patch(chunk, levels_.place(index), four, still_open); })) lost_ = true;
      break;
    }
    case Kind::Root:
    case Kind::Slot:
    case Kind::Group: break;
  }
}

inline void WriteStream::finish_root() noexcept {
  top_ = failed() ? kFailed : kClosed;
  if (keeps_) return;
  const std::uint64_t id = chunk_id_;
  const std::size_t used = chunk_used();
  const MessageEnd end = message_end();
  base_ += used;
  no_chunk();
  if (source_->user_ == this) source_->user_ = nullptr;
  if (source_->user_ == nullptr) {  // else the source has another stream's message
    if (!ask([&] { return source_->finish(id, used, end); })) lost_ = true;
  }
  if (lost_ && !failed()) lose();
  if (lost_) status_.valid_len = 0;
  lost_ = false;
}

inline MessageEnd WriteStream::message_end() const {
  const bool delimited = (levels_.serial(0) & kOwnerless) != 0;
  const std::uint64_t start = delimited ? delimited_start_ : message_start_;
  if (!failed()) return {Code::Ok, offset() - start, offset() - start};
  return {status_.code, whole_ - start, message_start_ + status_.valid_len - start};
}

HOTPB_COLD inline std::uint64_t WriteStream::whole_slow() const {
  if (failed()) return whole_;
  return is_open() && !is_idle() ? message_start_ : offset();
}

// Removes the bytes from `offset` on, in chunks that are kept.
HOTPB_COLD inline void WriteStream::go_back(std::uint64_t offset) noexcept {
  if (offset < base_) {
    const Chunk chunk = source_->rewind(offset, base_);
    take(chunk.id, chunk.data, chunk.size);
    for (std::size_t i = is_open() ? top_level() : 0; i > 0; --i) {
      levels_.come_back(i, chunk.id, chunk.data, policy_ == LengthPolicy::fixed4);
    }
  }
  at_ = chunk_begin_ + (offset - base_);
  HOTPB_FILL(at_, static_cast<std::size_t>(chunk_end_ - at_));
  update_limit();
}

// Takes everything but serials. Handles of both streams become stale.
HOTPB_COLD inline void WriteStream::take_over(WriteStream& source) noexcept {
  if (source.is_open()) source.is_idle() ? source.finish_root() : source.misuse();
  const bool has_chunk = source.chunk_id_ != kNoChunk;
  chunk_id_ = source.chunk_id_;
  chunk_begin_ = has_chunk ? source.chunk_begin_ : nothing_;
  chunk_end_ = has_chunk ? source.chunk_end_ : nothing_;
  at_ = has_chunk ? source.at_ : nothing_;
  limit_ = has_chunk ? source.limit_ : 0;
  base_ = source.base_;
  top_ = source.top_;
  message_start_ = source.message_start_;
  delimited_start_ = source.delimited_start_;
  whole_ = source.whole_;
  status_ = source.status_;
  policy_ = source.policy_;
  lost_ = source.lost_;
  std::memcpy(confidence_, source.confidence_, sizeof confidence_);
  std::memcpy(opening_, source.opening_, sizeof opening_);
}

// Claims the source for this stream: unless it is shared, it holds one message at a time.
HOTPB_COLD inline bool WriteStream::claim_source() {
  if (source_->is_shared()) return true;
  if (source_->user_ != nullptr && source_->user_ != this) return false;
  source_->user_ = this;
  return true;
}

// `valid` is the offset up to which whole fields were written. All open lengths are patched to end there. An open group
// is removed whole, because there may be no room for its end tag.
HOTPB_COLD inline void WriteStream::fail(Code code, std::uint64_t valid) noexcept {
  status_.code = code;
  const std::size_t depth = is_open() ? top_level() : 0;
  for (std::size_t i = depth; i > 0; --i) {
    if (levels_.kind(i) == Kind::Group && levels_.start(i) < valid) valid = levels_.start(i);
  }
  at_ = valid > base_ ? chunk_begin_ + (valid - base_) : chunk_begin_;
  for (std::size_t i = depth; i > 0; --i) {
    if (levels_.is_here(i)) {
      std::uint8_t* const slot = levels_.slot(i);
      if (slot >= at_) continue;  // it was removed
      const std::uint8_t* const before = at_;
      fill_slot(slot, levels_.width(i), static_cast<std::uint64_t>(at_ - levels_.content(i)));
      valid += static_cast<std::uint64_t>(at_ - before);
    } else if (levels_.kind(i) != Kind::Group) {
      const std::uint64_t before = base_;
      const std::uint64_t start = levels_.start(i);
      write_length(i, valid > start ? valid - start : 0);
      valid += base_ - before;
    }
  }
  status_.valid_len = lost_ ? 0 : valid - message_start_;
  limit_ = 0;
  whole_ = lost_ || (is_open() && !is_idle()) ? message_start_ : offset();
  is_open() ? finish_root() : static_cast<void>(top_ = kFailed);
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_SLOW_H_
