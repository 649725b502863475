//! The writer's slow paths: chunk ends, lengths of more than one byte, forgotten children, errors.

use super::error::WriteError;
use super::source::{Left, Source};
use super::store::{Bytes, length4};
use super::stream::{Core, Kind, Level, MAX_NESTED_SIZE, MAX_WRITER_DEPTH, Root, SLOT_GROWTH, Stream};
use crate::Code;
use crate::chunk::{LengthPolicy, MIN_CHUNK, Patch};
use crate::wire::{MAX_SIZE, copy_payload, varint_len};
use core::ptr::null_mut;

/// Reports whether a panic is in progress. Without `std` there is no way to find out.
#[inline(always)]
pub(super) fn unwinding() -> bool {
    #[cfg(feature = "std")]
    return std::thread::panicking();
    #[cfg(not(feature = "std"))]
    false
}

/// The kind of level that is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opens {
    /// A length-prefixed message.
    Message,
    /// A packed record, which readers do not count as a level.
    Packed,
    /// A group, with this end tag.
    Group(u32),
}

impl Stream<dyn Source + '_> {
    // ---- messages ----

    #[cold]
    #[inline(never)]
    pub(super) fn begin_slow(&mut self) {
        if self.core.error.is_some() {
            return;
        }
        if self.core.root == Root::Delimited && self.core.level == 0 {
            self.finish_root();
        }
        if !self.core.begin() {
            self.misuse(0);
        }
    }

    #[inline(never)]
    pub(super) fn begin_delimited(&mut self) {
        if self.core.error.is_some() {
            return;
        }
        if self.core.root == Root::Closed {
            self.core.begin_message(Root::Delimited);
        } else if self.core.root != Root::Delimited || self.core.level != 0 {
            return self.misuse(self.core.message_level());
        }
        self.core.message_start = self.core.offset();
        self.open_slow(0, Opens::Message);
    }

    /// Ends a message.
    #[inline(never)]
    pub(super) fn finish_slow(&mut self) {
        if let Some(error) = self.core.error {
            // Still open after an error means that the source has panicked. Whatever is open ends now.
            if self.core.root != Root::Closed {
                self.fail(error.code(), self.core.message_start + error.valid_len());
            }
            return;
        }
        let message_level = self.core.message_level();
        if self.core.root == Root::Closed || self.core.level != message_level {
            return self.misuse(message_level);
        }
        match self.core.root {
            Root::Delimited => self.close_top(),
            _ => self.finish_root(),
        }
        self.core.update_limit();
    }

    /// Hands over the last chunk of delimited messages.
    pub(super) fn flush(&mut self) {
        if self.core.root == Root::Delimited && self.core.level == 0 {
            self.finish_root();
        }
    }

    /// Called when the output is dropped or starts again: hands over whatever is open.
    pub(super) fn end(&mut self) {
        self.flush();
        if self.core.root == Root::Closed {
            return;
        }
        match self.core.error {
            Some(error) => self.fail(error.code(), self.core.message_start + error.valid_len()),
            None => self.misuse(self.core.message_level()),
        }
    }

    fn finish_root(&mut self) {
        let core = &mut self.core;
        (core.root, core.level) = (Root::Closed, 0);
        if core.nature.keeps {
            return;
        }
        let last = core.chunk.map(|id| Left { id, used: core.used(), open_slots: 0 });
        core.base += core.used() as u64;
        core.no_chunk();
        self.ask(self.core.message_start, |source| source.finish(last));
    }

    /// Calls the source, which is the caller's code if chunks leave. If it panics, the message has failed, and its
    /// bytes before `valid` are valid. The message also fails if a panic is already in progress: then the caller's code
    /// is not called, because a second panic would abort.
    fn ask<T: Default>(&mut self, valid: u64, call: impl FnOnce(&mut (dyn Source + '_)) -> T) -> T {
        let poison = WriteError::new(Code::HandleMisuse, valid - self.core.message_start);
        let before = self.core.error.replace(poison);
        if self.must_wait() {
            return T::default();
        }
        let result = call(&mut self.source);
        self.core.error = before;
        result
    }

    /// Reports whether a panic is in progress and the source is the caller's code, which must not be called now.
    fn must_wait(&self) -> bool {
        !self.core.nature.keeps && unwinding()
    }

    /// Called when a panic drops the message: the message does not count as whole, whatever was written.
    #[cold]
    #[inline(never)]
    pub(super) fn cut_off(&mut self) {
        if self.core.error.is_none() && self.core.root != Root::Closed {
            self.misuse(self.core.message_level());
        }
    }

    // ---- levels ----

    /// Opens a level, or fails; after a failure closing it does nothing. Tag 0 means no tag (a delimited message).
    #[inline(never)]
    pub(super) fn open_slow(&mut self, tag: u32, opens: Opens) {
        if self.core.error.is_some() || !self.may_open(opens) {
            return;
        }
        let tag = if tag == 0 { Bytes::<5>::new() } else { Bytes::new().varint(tag as u64) };
        let width = match (opens, self.core.nature.policy) {
            (Opens::Group(_), _) => 0,
            (_, LengthPolicy::Fixed4) => 4,
            _ => 1,
        };
        if !self.begin_field(tag.as_slice().len() as u64 + width) || !self.append(tag.as_slice()) {
            return;
        }
        // A slot lies in one chunk, in which it may have to grow.
        if width != 0 && !self.core.nature.single && self.core.room() < 4 && !self.advance() {
            return;
        }
        let core = &mut self.core;
        let mut slot = null_mut();
        let mut level = Level { start: core.field_start, chunk: 0, place: core.used(), end_tag: 0, kind: Kind::Slot4 };
        match opens {
            Opens::Group(end_tag) => (level.end_tag, level.kind) = (end_tag, Kind::Group),
            _ if width == 1 => slot = core.at,
            _ => {
                level.chunk = core.chunk.unwrap_or_default();
                level.start = core.offset() + 4;
            }
        }
        core.push_level(slot, level);
        // SAFETY: `begin_field` and `advance` have ensured that `width` bytes are there.
        unsafe {
            core.at.write_bytes(0, width as usize);
            core.at = core.at.add(width as usize);
        }
        core.update_limit();
    }

    /// Reports whether readers accept one more level; fails otherwise. A packed record is not a level to them, and has
    /// one extra place above the deepest level. A second record above that place means that others were forgotten.
    pub(super) fn may_open(&mut self, opens: Opens) -> bool {
        let deepest = self.core.message_level() + MAX_WRITER_DEPTH;
        if self.core.level < deepest + usize::from(opens == Opens::Packed) {
            return true;
        }
        match opens {
            Opens::Packed => self.misuse(self.core.message_level()),
            _ => self.fail(Code::DepthExceeded, self.core.offset()),
        }
        false
    }

    #[inline(never)]
    pub(super) fn close_slow(&mut self) {
        if self.core.error.is_some() || self.must_wait() {
            return;
        }
        let level = self.core.level;
        if level <= self.core.message_level() {
            return self.misuse(self.core.message_level());
        }
        let in_chunk = !self.core.slots()[level].is_null();
        self.close_top();
        if in_chunk {
            self.core.limit += SLOT_GROWTH;
        } else {
            self.core.update_limit();
        }
    }

    fn close_top(&mut self) {
        let index = self.core.level;
        if !self.core.slots()[index].is_null() {
            if self.core.write_near_length(index).is_none() {
                return self.misuse(index - 1);
            }
            self.core.level = index - 1;
            return;
        }
        let level = *self.core.level(index);
        if level.kind == Kind::Group {
            let tag = Bytes::<5>::new().varint(level.end_tag as u64);
            if self.begin_field(tag.as_slice().len() as u64) && self.append(tag.as_slice()) {
                self.core.level = index - 1;
            }
            return;
        }
        self.core.level = index - 1;
        self.write_far_length(level, self.core.offset() - level.start);
    }

    /// Writes the length of a level whose slot is wider than a byte or in another chunk. The level is already closed:
    /// should the source panic, it must not be closed a second time.
    fn write_far_length(&mut self, level: Level, length: u64) {
        let core = &mut self.core;
        match level.kind {
            Kind::Group => {}
            Kind::Slot4 => {
                // SAFETY: the four bytes of the slot lie in this chunk, before `at`; no slice refers to them.
                unsafe { core.begin.add(level.place).copy_from_nonoverlapping(length4(length).as_ptr(), 4) };
            }
            Kind::Slot1Left => {
                let bytes = Bytes::<10>::new().varint(length);
                // This output is one of the library's own, which do not panic.
                self.source.widen(level.chunk, level.place, bytes.as_slice());
                core.base += bytes.as_slice().len() as u64 - 1;
            }
            Kind::Slot4Left => {
                let still_open = (1..=core.level).filter(|&i| core.slots()[i].is_null()).map(|i| core.level(i));
                let still_open = still_open.filter(|l| l.kind == Kind::Slot4Left && l.chunk == level.chunk).count();
                let patch = Patch {
                    id: level.chunk,
                    offset: level.place,
                    bytes: length4(length),
                    still_open: still_open as u32,
                };
                self.ask(self.core.message_start, |source| source.patch(patch));
            }
        }
    }

    // ---- bytes ----

    /// Writes a field, given as all its bytes.
    #[inline(never)]
    pub(super) fn field(&mut self, parts: &[&[u8]]) {
        let size = parts.iter().fold(0u64, |size, part| size.saturating_add(part.len() as u64));
        if self.core.error.is_some() || !self.begin_field(size) {
            return;
        }
        for part in parts {
            if !self.append(part) {
                return;
            }
        }
        self.core.update_limit();
    }

    /// Writes tag and length of a field; [`Stream::append`] then writes its payload of `size` bytes.
    #[inline(never)]
    pub(super) fn begin_bytes(&mut self, tag: u32, size: u64) -> bool {
        if self.core.error.is_some() {
            return false;
        }
        let header = Bytes::<16>::new().varint(tag as u64).varint(size);
        self.begin_field(size.saturating_add(header.as_slice().len() as u64)) && self.append(header.as_slice())
    }

    /// Checks that a field of `size` bytes does not make any level too large, and that a single chunk has room for it.
    /// Records where the field starts, so that an unfinished field can be removed.
    pub(super) fn begin_field(&mut self, size: u64) -> bool {
        let core = &mut self.core;
        core.field_start = core.offset();
        core.field_end = core.field_start.saturating_add(size);
        // The growth of the level at hand, including the growth of the lengths inside it.
        let mut growth = size;
        let mut good = size <= MAX_SIZE as u64;
        for index in (1..=core.level).rev() {
            let Some(start) = core.content_start(index) else { continue };
            let length = growth.saturating_add(core.field_start - start);
            good &= length <= MAX_NESTED_SIZE;
            let here = !core.slots()[index].is_null();
            growth += match here {
                true if core.nature.single => varint_len(length) as u64 - 1,
                false if core.level(index).kind != Kind::Slot1Left => 0,
                _ => SLOT_GROWTH as u64,
            };
        }
        if core.root != Root::Delimited {
            good &= growth.saturating_add(core.field_start - core.message_start) <= MAX_SIZE as u64;
        }
        if !good {
            self.fail(Code::SizeExceeded, self.core.field_start);
            return false;
        }
        if self.core.nature.single && growth > self.core.left() as u64 && !self.grow(growth as usize) {
            self.fail(Code::BufferExhausted, self.core.field_start);
            return false;
        }
        true
    }

    /// Appends bytes of the field that was begun, at most as many as announced: there is room for these. The caller
    /// must update the limit after the last of them.
    pub(super) fn append(&mut self, mut bytes: &[u8]) -> bool {
        if bytes.len() as u64 > self.core.field_end.saturating_sub(self.core.offset()) {
            self.fail(Code::HandleMisuse, self.core.field_start);
            return false;
        }
        while !bytes.is_empty() {
            let core = &mut self.core;
            let room = if core.nature.single { core.left() } else { core.room() };
            let (now, later) = bytes.split_at(bytes.len().min(room));
            // SAFETY: there is room between `at` and `end`; the bytes are not in this chunk, which nobody else can
            // access.
            unsafe {
                copy_payload(now.as_ptr(), core.at, now.len());
                core.at = core.at.add(now.len());
            }
            bytes = later;
            if !bytes.is_empty() && !self.advance() {
                return false;
            }
        }
        true
    }

    /// Makes room for `more` bytes in the only chunk.
    #[cold]
    fn grow(&mut self, more: usize) -> bool {
        let core = &mut self.core;
        let Some(piece) = self.source.grow(core.used(), more) else { return false };
        let begin = core.begin.addr();
        let moved = |place: *mut u8| piece.data.wrapping_add(place.addr() - begin);
        let at = moved(core.at);
        for slot in core.slots_mut().iter_mut().filter(|slot| !slot.is_null()) {
            *slot = moved(*slot);
        }
        core.take(piece);
        core.at = at;
        core.update_limit();
        core.left() >= more
    }

    /// Hands over the current chunk and takes the next one. If there is none, the message fails without the field that
    /// was begun, and the function returns false.
    #[cold]
    #[inline(never)]
    fn advance(&mut self) -> bool {
        if self.core.nature.single {
            self.fail(Code::BufferExhausted, self.core.field_start);
            return false;
        }
        let open_slots = self.core.widen_slots();
        let core = &mut self.core;
        let full = core.chunk.map(|id| Left { id, used: core.used(), open_slots });
        core.base += core.used() as u64;
        core.no_chunk(); // this chunk is gone, whatever `next` returns
        let good = core.field_start;
        match self.ask(good, |source| source.next(full)) {
            Some(piece) if piece.size >= MIN_CHUNK => {
                self.core.take(piece);
                return true;
            }
            Some(mut piece) => {
                piece.size = 0; // it goes back unused
                self.core.take(piece);
            }
            None => {}
        }
        self.fail(Code::BufferExhausted, self.core.field_start);
        false
    }

    // ---- errors ----

    /// Handles a level above `message_level` that was not ended, or the end of a level that is not open. The content of
    /// such a level is omitted.
    #[cold]
    fn misuse(&mut self, message_level: usize) {
        let forgotten = message_level + 1;
        let start = if forgotten <= self.core.level { self.core.content_start(forgotten) } else { None };
        self.fail(Code::HandleMisuse, start.unwrap_or(self.core.offset()));
    }

    /// Fails the message. `valid` is the offset up to which whole fields were written. All open lengths are patched to
    /// end there. An open group is removed as a whole, because there may be no room for its end tag. During a panic,
    /// where the source would have to be called, the error is only recorded: the message stays open until the output is
    /// used again.
    #[cold]
    pub(super) fn fail(&mut self, code: Code, valid: u64) {
        if self.must_wait() {
            let start = self.core.message_start;
            self.core.error.get_or_insert(WriteError::new(code, valid.saturating_sub(start)));
            self.core.limit = 0;
            return;
        }
        let core = &mut self.core;
        let is_group = |core: &Core, i: usize| core.slots()[i].is_null() && core.level(i).kind == Kind::Group;
        let groups = (1..=core.level).filter(|&i| is_group(core, i)).map(|i| core.level(i).start);
        let mut valid = groups.fold(valid, u64::min);
        core.at = core.begin.wrapping_add(valid.saturating_sub(core.base) as usize);
        for index in (1..=core.level).rev() {
            let slot = self.core.slots()[index];
            if slot.is_null() {
                let (base, level) = (self.core.base, *self.core.level(index));
                self.core.level = index - 1;
                self.write_far_length(level, valid.saturating_sub(level.start));
                valid += self.core.base - base;
            } else if slot.addr() < self.core.at.addr() {
                match self.core.write_near_length(index) {
                    Some(more) => valid += more,
                    None => valid = self.core.empty(index),
                }
                self.core.level = index - 1;
            }
        }
        self.core.error = Some(WriteError::new(code, valid - self.core.message_start));
        self.core.limit = 0;
        if self.core.root != Root::Closed {
            self.finish_root();
        }
    }
}

impl Core {
    /// Returns the number of bytes that are left in this chunk.
    pub(super) fn left(&self) -> usize {
        self.end.addr() - self.at.addr()
    }

    /// Writes the length of a level whose slot is one byte in this chunk; returns the number of bytes by which the
    /// content moved. Returns `None`, and does nothing, if there is no room for that.
    fn write_near_length(&mut self, index: usize) -> Option<u64> {
        let slot = self.slots()[index];
        let length = self.at.addr() - slot.addr() - 1;
        let bytes = Bytes::<10>::new().varint(length as u64);
        let more = bytes.as_slice().len() - 1;
        // The three bytes reserved for this slot, or the bytes that `begin_field` counted, should be there. That
        // arithmetic is done elsewhere, so it is checked here.
        if more > self.left() {
            return None;
        }
        // SAFETY: slot and content lie before `at` (invariant 4), and `more` bytes follow `at`, as checked above.
        unsafe {
            let content = slot.add(1);
            content.copy_to(content.add(more), length);
            slot.copy_from_nonoverlapping(bytes.as_slice().as_ptr(), more + 1);
            self.at = self.at.add(more);
        }
        Some(more as u64)
    }

    /// Removes the content of a level whose slot is one byte in this chunk; returns the offset at which the level then
    /// ends.
    fn empty(&mut self, index: usize) -> u64 {
        let slot = self.slots()[index];
        // SAFETY: the slot lies before `at` (invariant 4).
        unsafe {
            slot.write(0);
            self.at = slot.add(1);
        }
        self.offset()
    }

    /// Widens one-byte slots to four bytes before their chunk leaves, the innermost first:
    ///
    /// ```text
    ///   |t|?|aaaa|t|?|bbbb|      →      |t|0000|aaaa|t|0000|bbbb|
    /// ```
    /// With `Minimal` they stay, because they can grow later. Returns the number of open slots in the chunk.
    fn widen_slots(&mut self) -> u32 {
        let widens = self.nature.policy != LengthPolicy::Minimal;
        let mut shift = if widens { self.reserved() } else { 0 };
        let mut content_end = self.at;
        let mut open_slots = 0;
        // SAFETY: three bytes for each slot are reserved at the end of the chunk.
        self.at = unsafe { self.at.add(shift) };
        // All open slots of this chunk are before the field that was begun.
        self.field_start += shift as u64;
        self.field_end += shift as u64;
        for index in (1..=self.level).rev() {
            let mut slot = self.slots()[index];
            if slot.is_null() {
                let mut level = *self.level(index);
                match level.kind {
                    Kind::Slot4 => level.kind = Kind::Slot4Left,
                    Kind::Group => level.start += shift as u64, // moved by the slots around it
                    _ => {}
                }
                open_slots += u32::from(level.kind == Kind::Slot4Left && Some(level.chunk) == self.chunk);
                self.set_level(index, level);
                continue;
            }
            if widens {
                // SAFETY: the content of this slot, up to the next inner one, moves by the growth of all slots up to
                // and including this one, which is `shift`. The bytes after it have already moved.
                unsafe {
                    let content = slot.add(1);
                    content.copy_to(content.add(shift), content_end.addr() - content.addr());
                    content_end = slot;
                    shift -= SLOT_GROWTH;
                    slot = slot.add(shift);
                    slot.write_bytes(0, 4);
                }
                open_slots += 1;
            }
            let place = slot.addr() - self.begin.addr();
            let (width, kind) = if widens { (4, Kind::Slot4Left) } else { (1, Kind::Slot1Left) };
            let start = self.base + (place + width) as u64;
            self.set_level(index, Level { start, chunk: self.chunk.unwrap_or_default(), place, end_tag: 0, kind });
        }
        open_slots
    }
}
