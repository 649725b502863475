//! The state that all writers of one message share: the cursor, the open levels, the sticky error.
//!
//! A handle is a mutable borrow of this state, and nothing else. A handle that can be called holds the borrow of the
//! innermost open level, so no handle needs to know its level:
//!
//! ```text
//!   level 2   slot at 17      |08|2a|1a|??|12|03|66|6f|6f|
//!   level 1   slot at  3            ^slot             ^at
//!   level 0   the root
//! ```
//! Room: a one-byte slot may have to grow to four bytes. So three bytes per open one-byte slot are reserved at the end
//! of the chunk, and `SLACK` bytes more for the excess of word-wide stores. A field that does not fit before that goes
//! the slow way (`slow.rs`), which fills the chunk to the last byte.
//!
//! # Invariants
//! 1. `begin <= at <= end`, all in one piece of memory that the source has lent; or all equal, without memory.
//! 2. `at <= limit`, compared as addresses, only if `SLACK` bytes and the reserved ones lie between `limit` and `end`.
//!    If nothing fits, `limit` is 0 plus the amounts that closing levels add to it, which stays below any chunk's address.
//! 3. The bytes from `begin` to `at` are written.
//! 4. `level < PLACES`; `slots[i]` for `0 < i <= level` is null or a one-byte slot before `at` in this chunk;
//!    `slots[0]` is null; `levels[i]` for `0 < i <= level` is written where `slots[i]` is null. All else in the two arrays
//!    is uninitialised: a message that opens few levels does not pay for all.

use super::error::WriteError;
use super::packed::Element;
use super::source::{Piece, Source};
use super::store::{self, SLACK, Tag};
use crate::Code;
use crate::chunk::LengthPolicy;
use crate::wire::{MAX_SIZE, copy_payload};
use core::mem::MaybeUninit;
use core::ptr::null_mut;

/// The largest nested message: the maximum that a four-byte length can represent.
pub const MAX_NESTED_SIZE: u64 = (1 << 28) - 1;
/// The number of levels below a message that readers accept by default.
pub const MAX_WRITER_DEPTH: usize = 100;

/// The idle root of a delimited stream, its message, the levels below, and a packed record in the deepest one.
const PLACES: usize = MAX_WRITER_DEPTH + 3;
pub(super) const SLOT_GROWTH: usize = 3;
/// The part of a large chunk that is used at a time.
const WINDOW: usize = 1 << 27;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// No message is open.
    Closed,
    /// A message of an output that keeps its chunks.
    Kept,
    /// A message of an output whose chunks leave.
    Leaving,
    /// A delimited stream: its messages are on level 1.
    Delimited,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The level is ended by an end tag.
    Group,
    /// The slot is four bytes in this chunk.
    Slot4,
    /// The slot is four bytes in a chunk that has left.
    Slot4Left,
    /// The slot is one byte in an earlier chunk of an output that keeps its chunks.
    Slot1Left,
}

/// A level whose slot is not one byte in this chunk.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// The offset of the content in the stream; for a group, that of its start tag.
    pub(super) start: u64,
    /// The chunk with the slot.
    pub(super) chunk: u64,
    /// The offset of the slot in that chunk.
    pub(super) place: usize,
    pub(super) end_tag: u32,
    pub(super) kind: Kind,
}

/// The properties of an output.
#[derive(Clone, Copy)]
pub(super) struct Nature {
    pub(super) policy: LengthPolicy,
    /// All chunks stay until the output starts again.
    pub(super) keeps: bool,
    /// There is only one chunk, which is filled to the last byte and may be able to grow.
    pub(super) single: bool,
}

/// The slots of the levels, from level 0. The root has a field of its own because it is always written; a partly
/// written array would be moved as a whole.
#[repr(C)]
struct Slots {
    root: *mut u8,
    below: [MaybeUninit<*mut u8>; PLACES - 1],
}

/// The state without the source. Fields are in order of use, those of every setter first; keep this order, because
/// small offsets need shorter instructions.
#[repr(C)]
pub(super) struct Core {
    pub(super) at: *mut u8,
    /// A small field fits if it starts at or below this address.
    pub(super) limit: usize,
    pub(super) level: usize,
    /// A level above this one is opened out of line.
    open_limit: usize,
    pub(super) root: Root,
    pub(super) nature: Nature,
    pub(super) begin: *mut u8,
    pub(super) end: *mut u8,
    /// The offset of `begin` in the stream.
    pub(super) base: u64,
    pub(super) chunk: Option<u64>,
    pub(super) message_start: u64,
    /// The start of the field that was begun last out of line; `field_end` is the end that its size announces.
    pub(super) field_start: u64,
    pub(super) field_end: u64,
    pub(super) error: Option<WriteError>,
    slots: Slots,
    levels: [MaybeUninit<Level>; PLACES],
}

/// A core and its source, which a handle borrows.
#[repr(C)]
pub struct Stream<S: ?Sized> {
    pub(super) core: Core,
    pub(super) source: S,
}

// SAFETY: the pointers are the stream's exclusive access to memory that nobody else accesses (`Source`), so they move
// with the stream as a box would.
unsafe impl<S: Send + ?Sized> Send for Stream<S> {}
// SAFETY: through a shared reference the pointers are only read from.
unsafe impl<S: Sync> Sync for Stream<S> {}
// SAFETY: the same, and all methods of `Source` need a mutable reference.
unsafe impl Sync for Stream<dyn Source + '_> {}

impl<S> Stream<S> {
    /// Inlined, so that the stream is built in its final place, and its uninitialised parts are not copied.
    #[inline(always)]
    pub(super) fn new(source: S, nature: Nature) -> Stream<S> {
        let nowhere = Piece::nowhere().data;
        let core = Core {
            at: nowhere,
            limit: 0,
            level: 0,
            open_limit: if nature.policy == LengthPolicy::Fixed4 { 0 } else { MAX_WRITER_DEPTH },
            root: Root::Closed,
            nature,
            begin: nowhere,
            end: nowhere,
            base: 0,
            chunk: None,
            message_start: 0,
            field_start: 0,
            field_end: 0,
            error: None,
            slots: Slots { root: null_mut(), below: [MaybeUninit::uninit(); PLACES - 1] },
            levels: [MaybeUninit::uninit(); PLACES],
        };
        Stream { core, source }
    }
}

impl Core {
    /// Starts again at the beginning of a piece that the source lends (outputs that keep their chunks).
    #[inline(always)]
    pub(super) fn restart(&mut self, piece: Piece) {
        self.error = None;
        self.root = Root::Closed;
        self.level = 0;
        self.message_start = 0;
        self.base = 0;
        self.chunk = Some(piece.id);
        self.begin = piece.data;
        self.at = piece.data;
        self.end = piece.data.wrapping_add(piece.size);
        // The same value that `update_limit` computes if nothing is open.
        let window = piece.size.min(WINDOW);
        self.limit = if window >= SLACK { piece.data.addr() + window - SLACK } else { 0 };
    }

    /// Starts again before the first piece.
    pub(super) fn restart_empty(&mut self) {
        self.restart(Piece::nowhere());
        self.chunk = None;
    }

    pub(super) fn take(&mut self, piece: Piece) {
        self.chunk = Some(piece.id);
        self.begin = piece.data;
        self.at = piece.data;
        self.end = piece.data.wrapping_add(piece.size);
        self.update_limit();
    }

    pub(super) fn no_chunk(&mut self) {
        self.take(Piece::nowhere());
        self.chunk = None;
    }

    /// Returns the number of written bytes in this chunk.
    #[inline(always)]
    pub(super) fn used(&self) -> usize {
        self.at.addr() - self.begin.addr()
    }

    /// Returns the offset in the stream.
    #[inline(always)]
    pub(super) fn offset(&self) -> u64 {
        self.base + self.used() as u64
    }

    /// Returns the level of the message itself.
    pub(super) fn message_level(&self) -> usize {
        usize::from(self.root == Root::Delimited)
    }

    /// Returns the written bytes of the current chunk.
    pub(super) fn written(&self) -> &[u8] {
        // SAFETY: invariants 1 and 3; the borrow of `self` keeps writers away.
        unsafe { core::slice::from_raw_parts(self.begin, self.used()) }
    }

    /// For a message that is being written: returns its length so far, or its error.
    pub(super) fn status(&self) -> Result<u64, WriteError> {
        match self.error {
            None => Ok(self.offset() - self.message_start),
            Some(error) => Err(error),
        }
    }

    /// For an output without an open message: returns the written bytes if all messages are whole.
    #[inline]
    pub(super) fn whole(&self) -> Result<&[u8], WriteError> {
        if self.root != Root::Closed || self.error.is_some() {
            self.settled()?;
        }
        Ok(self.written())
    }

    /// For an output in one piece: returns the written bytes; of a failed message, the part that parses.
    pub(super) fn partial(&self) -> &[u8] {
        let written = self.written();
        written.get(..usize::try_from(self.good()).unwrap_or(usize::MAX)).unwrap_or(written)
    }

    /// Returns the offset up to which the output parses.
    pub(super) fn good(&self) -> u64 {
        match self.settled() {
            Ok(_) => self.offset(),
            Err(error) => self.message_start + error.valid_len(),
        }
    }

    /// For an output to which no message is being written: reports whatever is still open as forgotten.
    pub(super) fn settled(&self) -> Result<u64, WriteError> {
        let message_level = self.message_level();
        let between = self.root == Root::Closed || self.root == Root::Delimited && self.level < message_level;
        if between || self.error.is_some() {
            return self.status();
        }
        // A one-byte slot is 0, and so is the length that it encodes; a wider slot is still open.
        let valid = match self.slots().get(message_level + 1) {
            None => self.offset(),
            Some(slot) if slot.is_null() => self.message_start,
            Some(_) => self.content_start(message_level + 1).unwrap_or(self.message_start),
        };
        Err(WriteError::new(Code::HandleMisuse, valid - self.message_start))
    }

    // ---- fast paths: they return false, and do nothing, if the field must go the slow way ----

    #[inline(always)]
    pub(super) fn put_varint64<const TAG: u32>(&mut self, value: u64) -> bool {
        let at = self.at;
        if at.addr() > self.limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes are there, which tag and varint, eight bytes at a time, do not exceed
        // (5 + 10, and 5 + 1 in a word of 8).
        unsafe {
            if value < 0x80 {
                store::put8(at, Tag::<TAG>::WORD | value << (8 * Tag::<TAG>::LEN));
                self.at = at.add(Tag::<TAG>::LEN + 1);
            } else {
                store::put_tag::<TAG>(at);
                let at = at.add(Tag::<TAG>::LEN);
                self.at = at.add(store::put_varint_long(at, value));
            }
        }
        true
    }

    #[inline(always)]
    pub(super) fn put_varint32<const TAG: u32>(&mut self, value: u32) -> bool {
        let at = self.at;
        if at.addr() > self.limit {
            return false;
        }
        // SAFETY: as in `put_varint64`; 5 + 8 here.
        unsafe {
            if value < 0x80 {
                store::put8(at, Tag::<TAG>::WORD | (value as u64) << (8 * Tag::<TAG>::LEN));
                self.at = at.add(Tag::<TAG>::LEN + 1);
            } else {
                store::put_tag::<TAG>(at);
                let at = at.add(Tag::<TAG>::LEN);
                self.at = at.add(store::put_varint_word(at, value as u64));
            }
        }
        true
    }

    #[inline(always)]
    pub(super) fn put_fixed32<const TAG: u32>(&mut self, bits: u32) -> bool {
        let at = self.at;
        if at.addr() > self.limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes; a tag of up to 5 as a word of 8, then 4 after the tag.
        unsafe {
            store::put_tag::<TAG>(at);
            store::put4(at.add(Tag::<TAG>::LEN), bits);
            self.at = at.add(Tag::<TAG>::LEN + 4);
        }
        true
    }

    #[inline(always)]
    pub(super) fn put_fixed64<const TAG: u32>(&mut self, bits: u64) -> bool {
        let at = self.at;
        if at.addr() > self.limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes; 5 + 8.
        unsafe {
            store::put_tag::<TAG>(at);
            store::put8(at.add(Tag::<TAG>::LEN), bits);
            self.at = at.add(Tag::<TAG>::LEN + 8);
        }
        true
    }

    /// Writes tag, length and payload; the payload has at most 127 bytes.
    #[inline(always)]
    pub(super) fn put_short_bytes<const TAG: u32>(&mut self, payload: &[u8]) -> bool {
        let at = self.at;
        if payload.len() >= 128 || at.addr() + payload.len() > self.limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes and those of the payload; the header is a word of 8, of which at most 6 are
        // kept. The payload is not in this memory, which nobody else can access (`Source`).
        unsafe {
            store::put8(at, Tag::<TAG>::WORD | (payload.len() as u64) << (8 * Tag::<TAG>::LEN));
            let at = at.add(Tag::<TAG>::LEN + 1);
            store::copy_short(at, payload);
            self.at = at.add(payload.len());
        }
        true
    }

    /// Writes a header and a payload of any size.
    #[inline(always)]
    pub(super) fn put_long_bytes(&mut self, header: &[u8], payload: &[u8]) -> bool {
        let at = self.at;
        if header.len() > SLACK || at.addr() > self.limit || payload.len() > self.limit - at.addr() {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes and those of the payload; neither part is in this memory.
        unsafe {
            at.copy_from_nonoverlapping(header.as_ptr(), header.len());
            let at = at.add(header.len());
            copy_payload(payload.as_ptr(), at, payload.len());
            self.at = at.add(payload.len());
        }
        true
    }

    /// Writes an element of a packed record.
    #[inline(always)]
    pub(super) fn put_element<E: Element>(&mut self, value: E::Value) -> bool {
        let at = self.at;
        if at.addr() > self.limit {
            return false;
        }
        let bits = E::bits(value);
        // SAFETY: invariant 2: SLACK bytes; at most ten are written, and `at` moves by no more than that.
        unsafe {
            if E::WIDTH > 1 {
                store::put8(at, bits);
                self.at = at.add(E::WIDTH);
            } else if bits < 0x80 {
                at.write(bits as u8);
                self.at = at.add(1);
            } else {
                self.at = at.add(store::put_varint_long(at, bits));
            }
        }
        true
    }

    /// Opens a child with a length: writes its tag and a one-byte slot.
    #[inline(always)]
    pub(super) fn open<const TAG: u32>(&mut self) -> bool {
        let at = self.at;
        let level = self.level;
        if at.addr() > self.limit || level >= self.open_limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes; a word of 8 is written, and the slot is one of its zeros. `level` is below
        // `open_limit`, which is at most MAX_WRITER_DEPTH, so the place above it exists.
        unsafe {
            store::put_tag::<TAG>(at);
            let slot = at.add(Tag::<TAG>::LEN);
            self.slots.below.get_unchecked_mut(level).write(slot);
            self.level = level + 1;
            self.at = slot.add(1);
        }
        self.limit -= SLOT_GROWTH;
        true
    }

    /// Ends the innermost level, if its length fits into one byte.
    #[inline(always)]
    pub(super) fn close(&mut self) -> bool {
        debug_assert!(self.level < PLACES);
        // SAFETY: invariant 4: `level` is below PLACES, the number of pointers in `Slots`, and this pointer is written.
        let slot = unsafe { (&raw const self.slots).cast::<*mut u8>().add(self.level).read() };
        let length = self.at.addr().wrapping_sub(slot.addr()).wrapping_sub(1);
        if length >= 128 || slot.is_null() {
            return false;
        }
        // SAFETY: invariant 4: a slot that is not null is a byte of this chunk. Level 0 has a null slot.
        unsafe { slot.write(length as u8) };
        self.level -= 1;
        self.limit += SLOT_GROWTH;
        true
    }

    /// Ends a message, if there is no chunk to hand over.
    #[inline(always)]
    pub(super) fn finish(&mut self) -> bool {
        let done = self.root == Root::Kept && self.level == 0;
        if done {
            self.root = Root::Closed;
        }
        done
    }

    /// Begins a message, if nothing is open and nothing has failed.
    #[inline(always)]
    pub(super) fn begin(&mut self) -> bool {
        if self.root != Root::Closed || self.error.is_some() {
            return false;
        }
        self.begin_message(if self.nature.keeps { Root::Kept } else { Root::Leaving });
        true
    }

    #[inline(always)]
    pub(super) fn begin_message(&mut self, root: Root) {
        self.root = root;
        self.level = 0;
        self.message_start = self.offset();
    }

    // ---- levels ----

    /// Returns the slots of the open levels, from level 0; null for a level without a one-byte slot in this chunk.
    pub(super) fn slots(&self) -> &[*mut u8] {
        // SAFETY: invariant 4: `level` is below PLACES, the number of pointers in `Slots`, and the pointers up to
        // `level` are written.
        unsafe { core::slice::from_raw_parts((&raw const self.slots).cast(), self.level + 1) }
    }

    /// Returns the same slots mutably. Code that sets one to null must also set the level (`set_level`).
    pub(super) fn slots_mut(&mut self) -> &mut [*mut u8] {
        // SAFETY: as in `slots`.
        unsafe { core::slice::from_raw_parts_mut((&raw mut self.slots).cast(), self.level + 1) }
    }

    /// Returns an open level whose slot is null.
    pub(super) fn level(&self, index: usize) -> &Level {
        assert!(index > 0 && self.slots()[index].is_null());
        // SAFETY: invariant 4.
        unsafe { self.levels[index].assume_init_ref() }
    }

    /// Adds a level: with a one-byte slot in this chunk, or as `level`.
    pub(super) fn push_level(&mut self, slot: *mut u8, level: Level) {
        self.slots.below[self.level].write(slot);
        self.levels[self.level + 1].write(level);
        self.level += 1;
    }

    /// Sets an open level that has no one-byte slot in this chunk, or no longer has one.
    pub(super) fn set_level(&mut self, index: usize, level: Level) {
        self.levels[index].write(level);
        self.slots_mut()[index] = null_mut();
    }

    // ---- room ----

    /// Returns the number of bytes reserved for slots that grow.
    pub(super) fn reserved(&self) -> usize {
        self.slots().iter().filter(|slot| !slot.is_null()).count() * SLOT_GROWTH
    }

    /// Returns the number of bytes in this chunk before the reserved ones.
    pub(super) fn room(&self) -> usize {
        (self.end.addr() - self.at.addr()).saturating_sub(self.reserved())
    }

    /// Returns the offset at which the content of a length-prefixed level begins.
    pub(super) fn content_start(&self, index: usize) -> Option<u64> {
        let slot = self.slots()[index];
        if !slot.is_null() {
            return Some(self.base + (slot.addr() + 1 - self.begin.addr()) as u64);
        }
        let level = self.level(index);
        (level.kind != Kind::Group).then_some(level.start)
    }

    pub(super) fn update_limit(&mut self) {
        let left = self.room();
        self.limit = 0;
        if left < SLACK || self.error.is_some() {
            return;
        }
        // Within a window nothing can exceed the size limits; near them all fields go through `begin_field`.
        let mut window = left.min(WINDOW);
        if left >= WINDOW || self.offset() > MAX_NESTED_SIZE / 2 {
            // The outermost level is the largest.
            if let Some(start) = (1..=self.level).find_map(|i| self.content_start(i)) {
                let end = start + MAX_NESTED_SIZE - (SLOT_GROWTH * PLACES) as u64;
                window = window.min(end.saturating_sub(self.offset()) as usize);
            }
            // The whole message has a limit, too; a delimited message is itself such a level.
            if self.root != Root::Delimited {
                let end = self.message_start + (MAX_SIZE - SLOT_GROWTH * PLACES) as u64;
                window = window.min(usize::try_from(end.saturating_sub(self.offset())).unwrap_or(window));
            }
        }
        if window >= SLACK {
            self.limit = self.at.addr() + window - SLACK;
        }
    }
}
