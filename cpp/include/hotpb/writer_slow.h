// The writer's slow paths: chunk ends, lengths of more than one byte, children that their parent ends, errors.
// Part of writer_stream.h.
#ifndef HOTPB_WRITER_SLOW_H_
#define HOTPB_WRITER_SLOW_H_

#include "hotpb/writer_stream.h"

namespace hotpb {

HOTPB_COLD inline bool WriteStream::make_way() {
  if (failed()) return false;
  if (!is_idle()) {
    misuse();
    return false;
  }
  finish_root();
  return true;
}

HOTPB_NOINLINE inline std::uint64_t WriteStream::open_delimited() {
  if (failed()) return kNoSerial;
  if (!is_open()) {
    begin_message(kOwnerless);
  } else if (!is_idle()) {
    misuse();
    return kNoSerial;
  }
  message_start_ = offset();
  return open_slow(top_, 0, 0, 0);
}

HOTPB_COLD inline bool WriteStream::settle(std::uint64_t serial) {
  if (failed()) return false;
  if (!is_live(serial) || is_waiting(serial)) {
    misuse();
    return false;
  }
  close_down_to(level_of(serial));
  return !failed();
}

HOTPB_COLD inline bool WriteStream::settle_for_child(std::uint64_t serial) {
  if (!settle(serial)) return false;
  const bool delimited = (levels_[0].serial & kOwnerless) != 0;
  if (level_of(serial) < kMaxWriterDepth + (delimited ? 1 : 0)) return true;
  fail(Code::DepthExceeded, offset());
  return false;
}

HOTPB_NOINLINE inline std::uint64_t WriteStream::open_slow(std::uint64_t serial, std::uint32_t tag,
                                                           std::uint32_t end_tag, std::uint64_t ownerless) {
  if (!settle_for_child(serial)) return kNoSerial;
  const std::size_t index = level_of(serial) + 1;
  std::uint8_t bytes[wire::kTagRoom];
  const std::size_t tag_bytes = tag != 0 ? writer_internal::encode_varint(bytes, tag) : 0;  // 0: a delimited stream
  const std::size_t width = end_tag != 0 ? 0 : policy_ == LengthPolicy::fixed4 ? 4 : 1;
  if (!begin_field(tag_bytes + width) || !append(bytes, tag_bytes)) return kNoSerial;
  // A slot lies in one chunk, and may have to grow there.
  if (width != 0 && !last_ && room() < 4 && !advance()) return kNoSerial;

  Level& level = levels_[index];
  level.serial = new_serial(index) | ownerless;
  level.slot = nullptr;
  level.start = field_start_;
  level.end_tag = end_tag;
  level.kind = Kind::Group;
  if (width == 1) {
    level.slot = at_;
    *at_++ = 0;
  } else if (width == 4) {
    level.kind = Kind::Slot4;
    level.chunk = chunk_id_;
    level.place = chunk_used();
    std::memset(at_, 0, 4);
    at_ += 4;
    level.start = offset();
  }
  top_ = level.serial;
  update_limit();
  return level.serial;
}

HOTPB_NOINLINE inline void WriteStream::destroy_slow(std::uint64_t serial) {
  if (top_ == serial && levels_[level_of(serial)].slot != nullptr) {  // longer than 127 bytes, nothing else
    close_top();
    limit_ += kSlotGrowth;
    return;
  }
  // Finished, moved from, or ended by its parent: all of that is in order.
  if (failed() || !is_live(serial)) return;
  const std::size_t index = level_of(serial);
  if (is_waiting(serial)) return misuse();
  bool orphans = false;
  for (std::size_t i = level_of(top_); i > index; --i) orphans = orphans || (levels_[i].serial & kOwnerless) == 0;
  if (orphans) return misuse();
  close_down_to(index);
  if (failed()) return;
  if (index == 0) return finish_root();
  close_top();
  update_limit();
}

HOTPB_NOINLINE inline WriteStatus WriteStream::finish(std::uint64_t serial) {
  if (!settle(serial)) return status_;
  if (level_of(serial) != 0) {
    close_top();
    update_limit();
    return status();
  }
  const WriteStatus result = status();
  finish_root();
  return result;
}

HOTPB_NOINLINE inline void WriteStream::field(std::uint64_t serial, const std::uint8_t* bytes, std::size_t size) {
  if (!settle(serial) || !begin_field(size) || !append(bytes, size)) return;
  update_limit();
}

// The parts of one field behind one another.
HOTPB_NOINLINE inline void WriteStream::field(std::uint64_t serial, const Bytes* parts, std::size_t count) {
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

inline bool WriteStream::begin_field(std::uint64_t size) {
  field_start_ = offset();
  if (size > kMaxMessageSize) {
    fail(Code::SizeExceeded, field_start_);
    return false;
  }
  std::uint64_t growth = size;  // of the level looked at, the growth of lengths inside it included
  for (std::size_t i = level_of(top_); i > 0; --i) {
    const Level& level = levels_[i];
    if (level.slot == nullptr && level.kind == Kind::Group) continue;
    const std::uint64_t length = growth + (level.slot != nullptr ? static_cast<std::uint64_t>(at_ - level.slot - 1)
                                                                 : offset() - level.start);
    if (length > kMaxNestedSize) {
      fail(Code::SizeExceeded, field_start_);
      return false;
    }
    if (level.slot != nullptr) growth += last_ ? wire::varint_size(length) - 1 : kSlotGrowth;
    if (level.slot == nullptr && level.kind == Kind::Slot1Left) growth += kSlotGrowth;
  }
  if (last_ && growth > static_cast<std::uint64_t>(chunk_end_ - at_)) {
    fail(Code::BufferExhausted, field_start_);
    return false;
  }
  return true;
}

inline bool WriteStream::append(const std::uint8_t* bytes, std::size_t size) {
  while (size > 0) {
    const std::size_t left = last_ ? static_cast<std::size_t>(chunk_end_ - at_) : room();
    const std::size_t part = size < left ? size : left;
    if (part > 0) std::memcpy(at_, bytes, part);
    at_ += part;
    bytes += part;
    size -= part;
    if (size > 0 && !advance()) return false;
  }
  return true;
}

// Gives the current chunk away and takes the next one. False, and failed, when there is none: the field that was begun
// is taken back.
HOTPB_COLD inline bool WriteStream::advance() {
  if (last_) {
    fail(Code::BufferExhausted, field_start_);
    return false;
  }
  // One-byte slots grow to four bytes, the innermost first:
  //   |t|?|aaaa|t|?|bbbb|      ->      |t|0000|aaaa|t|0000|bbbb|
  const bool widens = policy_ != LengthPolicy::minimal;
  std::size_t shift = 0;
  for (std::size_t i = level_of(top_); i > 0; --i) shift += widens && levels_[i].slot != nullptr ? kSlotGrowth : 0;
  std::uint8_t* content_end = at_;
  at_ += shift;
  field_start_ += shift;  // all open slots of this chunk are in front of the field that was begun
  std::uint32_t open_slots = 0;
  for (std::size_t i = level_of(top_); i > 0; --i) {
    Level& level = levels_[i];
    if (level.slot == nullptr) {
      if (level.kind == Kind::Slot4) level.kind = Kind::Slot4Left;
      if (level.kind == Kind::Group) level.start += shift;  // moved by the slots around it
      open_slots += level.kind == Kind::Slot4Left && level.chunk == chunk_id_;
      continue;
    }
    std::uint8_t* slot = level.slot;
    if (widens) {
      std::memmove(slot + 1 + shift, slot + 1, static_cast<std::size_t>(content_end - (slot + 1)));
      content_end = slot;
      shift -= kSlotGrowth;
      slot += shift;
      std::memset(slot, 0, 4);
      ++open_slots;
    }
    level.kind = widens ? Kind::Slot4Left : Kind::Slot1Left;
    level.chunk = chunk_id_;
    level.place = static_cast<std::size_t>(slot - chunk_begin_);
    level.start = base_ + level.place + (widens ? 4 : 1);
    level.slot = nullptr;
  }
  const std::uint64_t full = chunk_id_;
  if (full == kNoChunk && !claim_source()) {
    fail(Code::HandleMisuse, field_start_);
    return false;
  }
  const std::size_t used = chunk_used();
  base_ += used;
  no_chunk();  // whatever next() gives, this one is gone
  const Chunk next = source_->next(full, used, open_slots);
  if (next.data == nullptr || next.size < kMinChunkSize) {
    if (next.data != nullptr) take(next.id, next.data, 0);  // it goes back unused
    fail(Code::BufferExhausted, field_start_);
    return false;
  }
  take(next.id, next.data, next.size);
  return true;
}

inline void WriteStream::close_down_to(std::size_t level) {
  if (level_of(top_) == level) return;
  while (!failed() && level_of(top_) > level) close_top();
  if (!failed()) update_limit();
}

inline void WriteStream::close_top() {
  const std::size_t index = level_of(top_);
  Level& level = levels_[index];
  if (level.slot != nullptr) {
    write_length(level, index, static_cast<std::uint64_t>(at_ - level.slot - 1));
  } else if (level.kind == Kind::Group) {
    std::uint8_t bytes[wire::kTagRoom];
    const std::size_t size = writer_internal::encode_varint(bytes, level.end_tag);
    if (!begin_field(size) || !append(bytes, size)) return;
  } else {
    write_length(level, index, offset() - level.start);
  }
  top_ = levels_[index - 1].serial;
}

inline void WriteStream::write_length(Level& level, std::size_t index, std::uint64_t length) {
  if (level.slot != nullptr) {
    if (length < 128) {
      *level.slot = static_cast<std::uint8_t>(length);
      return;
    }
    const std::size_t more = wire::varint_size(length) - 1;
    std::memmove(level.slot + 1 + more, level.slot + 1, static_cast<std::size_t>(length));
    writer_internal::encode_varint(level.slot, length);
    at_ += more;
    return;
  }
  std::uint8_t bytes[wire::kVarintRoom];
  std::uint8_t four[4];
  writer_internal::encode_length4(four, length);
  switch (level.kind) {
    case Kind::Slot4:
      std::memcpy(chunk_begin_ + level.place, four, sizeof four);
      break;
    case Kind::Slot1Left: {
      const std::size_t size = writer_internal::encode_varint(bytes, length);
      source_->widen(level.chunk, level.place, bytes, size);
      base_ += size - 1;
      break;
    }
    case Kind::Slot4Left: {
      std::uint32_t still_open = 0;
      for (std::size_t i = index - 1; i > 0; --i) {
        const Level& outer = levels_[i];
        still_open += outer.slot == nullptr && outer.kind == Kind::Slot4Left && outer.chunk == level.chunk;
      }
      source_->patch(level.chunk, level.place, four, still_open);
      break;
    }
    case Kind::Root:
    case Kind::Group: break;
  }
}

inline void WriteStream::finish_root() {
  top_ = kClosed;
  if (keeps_) return;
  const std::uint64_t id = chunk_id_;
  const std::size_t used = chunk_used();
  base_ += used;
  no_chunk();
  if (source_->user_ == this) source_->user_ = nullptr;
  if (source_->user_ == nullptr) source_->finish(id, used);  // not into another stream's message
}

// One message at a time in a source, unless it is shared.
HOTPB_COLD inline bool WriteStream::claim_source() {
  if (source_->is_shared()) return true;
  if (source_->user_ != nullptr && source_->user_ != this) return false;
  source_->user_ = this;
  return true;
}

// `valid` is the offset up to which whole fields were written. All open lengths are patched to end there; an open group
// cannot be ended where there may be no room, so that it is cut off whole.
HOTPB_COLD inline void WriteStream::fail(Code code, std::uint64_t valid) {
  status_.code = code;
  const std::size_t depth = is_open() ? level_of(top_) : 0;
  for (std::size_t i = depth; i > 0; --i) {
    const Level& level = levels_[i];
    if (level.slot == nullptr && level.kind == Kind::Group && level.start < valid) valid = level.start;
  }
  at_ = valid > base_ ? chunk_begin_ + (valid - base_) : chunk_begin_;
  for (std::size_t i = depth; i > 0; --i) {
    Level& level = levels_[i];
    if (level.slot != nullptr) {
      if (level.slot >= at_) continue;  // taken back
      const std::uint8_t* const before = at_;
      write_length(level, i, static_cast<std::uint64_t>(at_ - level.slot - 1));
      valid += static_cast<std::uint64_t>(at_ - before);
    } else if (level.kind != Kind::Group) {
      const std::uint64_t before = base_;
      write_length(level, i, valid > level.start ? valid - level.start : 0);
      valid += base_ - before;
    }
  }
  status_.valid_len = valid - message_start_;
  const bool was_open = is_open();
  limit_ = 0;
  if (was_open) finish_root();
}

}  // namespace hotpb

#endif  // HOTPB_WRITER_SLOW_H_
