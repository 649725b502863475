//! The state behind all writers of one message: the cursor, the open levels, the sticky error.
//!
//! A handle is a mutable borrow of this, and nothing else. Whoever can be called holds the borrow of the innermost
//! open level, so no handle needs to know its level:
//!
//! ```text
//!   level 2   slot at 17      |08|2a|1a|??|12|03|66|6f|6f|
//!   level 1   slot at  3            ^slot             ^at
//!   level 0   the root
//! ```
//! Room: a one-byte slot may have to grow to four bytes, so that three bytes per open one-byte slot are kept back at
//! the end of the chunk, and `SLACK` bytes more for stores that overhang. What does not fit in front of that
//! goes the slow way (`slow.rs`), which fills the chunk to the last byte.
//!
//! # Invariants
//! 1. `begin <= at <= end`, all in one piece of memory that the source has lent, or equal and nowhere.
//! 2. `at <= limit` as addresses only if `SLACK` bytes and those kept back lie between `limit` and `end`. Where nothing
//!    fits, `limit` is 0, or as much more as closing levels add to it, which is below any chunk's address.
//! 3. The bytes from `begin` to `at` are written.
//! 4. `level < PLACES`; `slots[i]` for `0 < i <= level` is null or a one-byte slot in front of `at` in this chunk;
//!    `slots[0]` is null; `levels[i]` for `0 < i <= level` is written where `slots[i]` is null. Nothing else of the two is:
//!    a message that opens few levels does not pay for all.

use super::error::WriteError;
use super::packed::Element;
use super::source::Piece;
use super::store::{self, SLACK, Tag};
use crate::Code;
use crate::chunk::LengthPolicy;
use crate::wire::MAX_SIZE;
use core::mem::MaybeUninit;
use core::ptr::null_mut;

/// The largest nested message: what four bytes of length can say.
pub const MAX_NESTED_SIZE: u64 = (1 << 28) - 1;
/// Levels below a message: what readers accept by default.
pub const MAX_WRITER_DEPTH: usize = 100;

/// The idle root of a delimited stream, its message, the levels below, and a packed record in the last one.
const PLACES: usize = MAX_WRITER_DEPTH + 3;
pub(super) const SLOT_GROWTH: usize = 3;
/// Of a large chunk as much at a time.
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
    /// Ended by an end tag.
    Group,
    /// Four bytes in this chunk.
    Slot4,
    /// Four bytes in a chunk that has left.
    Slot4Left,
    /// One byte in a chunk before this one, of an output that keeps its chunks.
    Slot1Left,
}

/// What is known of a level whose slot is not one byte in this chunk.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// Offset of the content in the stream; of a group: of its start tag.
    pub(super) start: u64,
    /// The chunk with the slot.
    pub(super) chunk: u64,
    /// Where in that chunk.
    pub(super) place: usize,
    pub(super) end_tag: u32,
    pub(super) kind: Kind,
}

/// What an output is.
#[derive(Clone, Copy)]
pub(super) struct Nature {
    pub(super) policy: LengthPolicy,
    /// All chunks stay until the output starts again.
    pub(super) keeps: bool,
    /// There is one chunk only, so that it is filled to the last byte; it may be able to grow.
    pub(super) single: bool,
}

/// The slots of the levels, from level 0. (A field for the one that is always written: an array of which a part is written
/// would be moved whole.)
#[repr(C)]
struct Slots {
    root: *mut u8,
    below: [MaybeUninit<*mut u8>; PLACES - 1],
}

/// The state without the source. The order is that of use, what a setter touches first, and stays: near offsets make
/// short instructions.
#[repr(C)]
pub(super) struct Core {
    pub(super) at: *mut u8,
    /// A small field that starts at this address or before fits.
    pub(super) limit: usize,
    pub(super) level: usize,
    /// A level above this one is opened out of line.
    open_limit: usize,
    pub(super) root: Root,
    pub(super) nature: Nature,
    pub(super) begin: *mut u8,
    pub(super) end: *mut u8,
    /// Offset of `begin` in the stream.
    pub(super) base: u64,
    pub(super) chunk: Option<u64>,
    pub(super) message_start: u64,
    /// Of the field that was begun last out of line; where it ends, as its size says.
    pub(super) field_start: u64,
    pub(super) field_end: u64,
    pub(super) error: Option<WriteError>,
    slots: Slots,
    levels: [MaybeUninit<Level>; PLACES],
}

/// A core and its source: what a handle borrows.
#[repr(C)]
pub struct Stream<S: ?Sized> {
    pub(super) core: Core,
    pub(super) source: S,
}

// SAFETY: the pointers are the stream's only access to memory that nobody else accesses (`Source`): they move
// with it like a box would.
unsafe impl<S: Send> Send for Stream<S> {}
// SAFETY: through a shared reference the pointers are only read from.
unsafe impl<S: Sync> Sync for Stream<S> {}

impl<S> Stream<S> {
    /// Inline, so that it is made where it stays: what is not written yet is not moved either.
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
        // As `update_limit` would find it where nothing is open.
        let window = piece.size.min(WINDOW);
        self.limit = if window >= SLACK { piece.data.addr() + window - SLACK } else { 0 };
    }

    /// The same, before the first piece.
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

    /// Written bytes of this chunk.
    #[inline(always)]
    pub(super) fn used(&self) -> usize {
        self.at.addr() - self.begin.addr()
    }

    /// Offset in the stream.
    #[inline(always)]
    pub(super) fn offset(&self) -> u64 {
        self.base + self.used() as u64
    }

    /// The level of the message itself.
    pub(super) fn message_level(&self) -> usize {
        usize::from(self.root == Root::Delimited)
    }

    /// The written bytes of the current chunk.
    pub(super) fn written(&self) -> &[u8] {
        // SAFETY: invariants 1 and 3; the borrow of `self` keeps writers away.
        unsafe { core::slice::from_raw_parts(self.begin, self.used()) }
    }

    /// Of a message that is being written: its length so far.
    pub(super) fn status(&self) -> Result<u64, WriteError> {
        match self.error {
            None => Ok(self.offset() - self.message_start),
            Some(error) => Err(error),
        }
    }

    /// What was written, of an output to which no message is being written, if all of its messages are whole.
    #[inline]
    pub(super) fn whole(&self) -> Result<&[u8], WriteError> {
        if self.root != Root::Closed || self.error.is_some() {
            self.settled()?;
        }
        Ok(self.written())
    }

    /// What was written, of an output in one piece: of a message that has failed as much as parses.
    pub(super) fn partial(&self) -> &[u8] {
        let written = self.written();
        written.get(..usize::try_from(self.good()).unwrap_or(usize::MAX)).unwrap_or(written)
    }

    /// The offset of the end of what parses.
    pub(super) fn good(&self) -> u64 {
        match self.settled() {
            Ok(_) => self.offset(),
            Err(error) => self.message_start + error.valid_len(),
        }
    }

    /// Of an output, to which no message is being written: what is open was forgotten.
    pub(super) fn settled(&self) -> Result<u64, WriteError> {
        let message_level = self.message_level();
        let between = self.root == Root::Closed || self.root == Root::Delimited && self.level < message_level;
        if between || self.error.is_some() {
            return self.status();
        }
        // A slot of one byte is 0, and so is its length; a wider one stands open.
        let valid = match self.slots().get(message_level + 1) {
            None => self.offset(),
            Some(slot) if slot.is_null() => self.message_start,
            Some(_) => self.content_start(message_level + 1).unwrap_or(self.message_start),
        };
        Err(WriteError::new(Code::HandleMisuse, valid - self.message_start))
    }

    // ---- the fast paths: false, and nothing done, when it has to go the slow way ----

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

    /// Tag, length and payload; up to 127 bytes.
    #[inline(always)]
    pub(super) fn put_short_bytes<const TAG: u32>(&mut self, payload: &[u8]) -> bool {
        let at = self.at;
        if payload.len() >= 128 || at.addr() + payload.len() > self.limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes and those of the payload; the header is a word of 8, of which at most
        // 6 stay. The payload is not in this memory: nobody else can access that (`Source`).
        unsafe {
            store::put8(at, Tag::<TAG>::WORD | (payload.len() as u64) << (8 * Tag::<TAG>::LEN));
            let at = at.add(Tag::<TAG>::LEN + 1);
            store::copy_short(at, payload);
            self.at = at.add(payload.len());
        }
        true
    }

    /// Bytes of any number: a header and what belongs to it.
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
            at.copy_from_nonoverlapping(payload.as_ptr(), payload.len());
            self.at = at.add(payload.len());
        }
        true
    }

    /// An element of a packed record.
    #[inline(always)]
    pub(super) fn put_element<E: Element>(&mut self, value: E::Value) -> bool {
        let at = self.at;
        if at.addr() > self.limit {
            return false;
        }
        let bits = E::bits(value);
        // SAFETY: invariant 2: SLACK bytes; ten at most are written, and `at` moves by no more than that.
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

    /// A child with a length: its tag and a slot of one byte.
    #[inline(always)]
    pub(super) fn open<const TAG: u32>(&mut self) -> bool {
        let at = self.at;
        let level = self.level;
        if at.addr() > self.limit || level >= self.open_limit {
            return false;
        }
        // SAFETY: invariant 2: SLACK bytes, a word of 8 is written, the slot being a zero of it. `level` is below
        // `open_limit`, which is MAX_WRITER_DEPTH at most, so that the place above it exists.
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

    /// Ends the innermost level, when its length is one byte.
    #[inline(always)]
    pub(super) fn close(&mut self) -> bool {
        debug_assert!(self.level < PLACES);
        // SAFETY: invariant 4: `level` is below PLACES, which is how many pointers `Slots` consists of, and this one is
        // written.
        let slot = unsafe { (&raw const self.slots).cast::<*mut u8>().add(self.level).read() };
        let length = self.at.addr().wrapping_sub(slot.addr()).wrapping_sub(1);
        if length >= 128 || slot.is_null() {
            return false;
        }
        // SAFETY: invariant 4: a slot that is not null is a byte of this chunk. It is not that of level 0, which is null.
        unsafe { slot.write(length as u8) };
        self.level -= 1;
        self.limit += SLOT_GROWTH;
        true
    }

    /// Ends a message, when there is nothing to hand over.
    #[inline(always)]
    pub(super) fn finish(&mut self) -> bool {
        let done = self.root == Root::Kept && self.level == 0;
        if done {
            self.root = Root::Closed;
        }
        done
    }

    /// Begins a message, when nothing is open and nothing has gone wrong.
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

    /// The slots of the open levels, from that of level 0; null where there is none of one byte in this chunk.
    pub(super) fn slots(&self) -> &[*mut u8] {
        // SAFETY: invariant 4: `level` is below PLACES, which is how many pointers `Slots` consists of, and those up to
        // `level` are written.
        unsafe { core::slice::from_raw_parts((&raw const self.slots).cast(), self.level + 1) }
    }

    /// The same, to be changed. Who makes one null sets the level (`set_level`).
    pub(super) fn slots_mut(&mut self) -> &mut [*mut u8] {
        // SAFETY: as in `slots`.
        unsafe { core::slice::from_raw_parts_mut((&raw mut self.slots).cast(), self.level + 1) }
    }

    /// An open level whose slot is null.
    pub(super) fn level(&self, index: usize) -> &Level {
        assert!(index > 0 && self.slots()[index].is_null());
        // SAFETY: invariant 4.
        unsafe { self.levels[index].assume_init_ref() }
    }

    /// One level more, which has a slot of one byte here, or is this one.
    pub(super) fn push_level(&mut self, slot: *mut u8, level: Level) {
        self.slots.below[self.level].write(slot);
        self.levels[self.level + 1].write(level);
        self.level += 1;
    }

    /// An open level that has no slot of one byte in this chunk (any more).
    pub(super) fn set_level(&mut self, index: usize, level: Level) {
        self.levels[index].write(level);
        self.slots_mut()[index] = null_mut();
    }

    // ---- room ----

    /// What is kept back for slots that grow.
    pub(super) fn reserved(&self) -> usize {
        self.slots().iter().filter(|slot| !slot.is_null()).count() * SLOT_GROWTH
    }

    /// In this chunk, in front of what is kept back.
    pub(super) fn room(&self) -> usize {
        (self.end.addr() - self.at.addr()).saturating_sub(self.reserved())
    }

    /// The offset at which the content of a level with a length begins.
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
        // Inside a window nothing can get too large; near the size limits all goes through `begin_field`.
        let mut window = left.min(WINDOW);
        let far = MAX_NESTED_SIZE / 2;
        if left >= WINDOW || self.base > far || self.used() as u64 > far {
            // The outermost one is the largest.
            if let Some(start) = (1..=self.level).find_map(|i| self.content_start(i)) {
                let end = start + MAX_NESTED_SIZE - (SLOT_GROWTH * PLACES) as u64;
                window = window.min(end.saturating_sub(self.offset()) as usize);
            }
            // And all of the message, a delimited one being such a level itself.
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
