//! Writing backwards: first the content of a message, then its length, then its tag. So one pass is enough, and no
//! length is computed in advance.
//!
//! ```text
//!   memory ░░░░░░░░░░░░░░░░░░░░│ tag len payload │ tag value │
//!          free                at ◀── written ──────────────▶ end
//! ```
//! Bytes before `at` are free: short values are stored as whole words, and their excess bytes before the value are
//! overwritten later.
//!
//! An encode into a buffer that is used again leaves the message in one piece there. One into a new vector
//! ([`Encoder::pieces`]) does not: memory that is full stays as it is, and long payloads are not copied yet; in the end
//! all pieces are copied into the vector, which then has the exact size.
//!
//! ```text
//!   pieces   [ 2: written │ 1: a long payload, where its owner has it │ 0: written ]     the last one was written first
//! ```

mod by_tag;

pub(super) use by_tag::Head;

use super::map::sort_few;
use super::{EntryRow, EntryTable, List, Row, Side, Stack, Table};
use crate::wire::{Span, copy_payload, varint_len};
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// The room for the first message.
const FIRST: usize = 256;

/// The first room of a message in pieces, after the one that the caller has lent: more memory costs nothing, because only
/// what is written is copied.
const FIRST_LENT: usize = 4096;

/// The number of pieces that need no memory of their own.
const FEW: usize = 32;

/// A payload of at least this length is a piece of its own; where memory is full, one of a quarter.
const LONG: usize = 512;

/// Memory for encoding, usually used again.
#[derive(Default)]
pub(super) struct Scratch {
    bytes: Vec<MaybeUninit<u8>>,
    /// The start of the written part, which goes up to the end.
    at: usize,
    /// Rows still to be written, of lists and maps that are open.
    rows: Vec<u32>,
}

impl Scratch {
    /// Returns the message that was written last.
    #[inline]
    pub(super) fn written(&self) -> &[u8] {
        let written = self.bytes.get(self.at..).unwrap_or(&[]);
        // SAFETY: an encoder writes the bytes from `at` up to the end (`Encoder::finish`).
        unsafe { initialised(written) }
    }

    /// Discards the message.
    pub(super) fn clear(&mut self) {
        self.at = self.bytes.len();
    }

    /// Returns the number of bytes that the memory has.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.rows.capacity() * size_of::<u32>()
    }
}

/// Memory of the caller for the first pieces. It stands alone: in a struct with a counter it would be cleared with that.
pub(super) type Lent = [MaybeUninit<Piece>; FEW];

/// The same without content.
pub(super) const LENT: Lent = [MaybeUninit::uninit(); FEW];

/// The pieces of a message, the last one first.
pub(super) struct Pieces<'m> {
    lent: &'m mut Lent,
    count: usize,
    rest: Option<Rest>,
}

/// More pieces, and the memory that pieces are in.
#[derive(Default)]
struct Rest {
    more: Vec<Piece>,
    full: Vec<Vec<MaybeUninit<u8>>>,
}

impl<'m> Pieces<'m> {
    #[inline(always)]
    pub(super) fn new(lent: &'m mut Lent) -> Pieces<'m> {
        Pieces { lent, count: 0, rest: None }
    }

    /// Adds a piece before the others.
    fn push(&mut self, piece: Piece) {
        match self.lent.get_mut(self.count) {
            Some(place) => *place = MaybeUninit::new(piece),
            None => self.push_more(piece),
        }
        self.count += 1;
    }

    #[cold]
    #[inline(never)]
    fn push_more(&mut self, piece: Piece) {
        let more = &mut self.rest.get_or_insert_default().more;
        if more.is_empty() {
            more.reserve(4 * FEW);
        }
        more.push(piece);
    }
}

/// Returns bytes that are written.
///
/// # Safety
/// All of them must be.
unsafe fn initialised(bytes: &[MaybeUninit<u8>]) -> &[u8] {
    // SAFETY: the caller's promise; both types have the same layout.
    unsafe { &*(core::ptr::from_ref(bytes) as *const [u8]) }
}

/// Memory without content.
fn room_for(n: usize) -> Vec<MaybeUninit<u8>> {
    let mut room = Vec::with_capacity(n);
    // SAFETY: the elements may be uninitialised.
    unsafe { room.set_len(n) };
    room
}

/// A part of a message in pieces.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    start: *const u8,
    len: usize,
}

/// The state of one encode, which generated encoders pass down. They write the last field first. Payloads live for `'m`.
pub struct Encoder<'m> {
    /// The memory: `at <= end`, `base..base+at` is free, and `base+at..base+end` is written.
    base: *mut u8,
    at: usize,
    end: usize,
    /// The bytes of all pieces, and `end`.
    all: usize,
    /// Has the memory at `base`, unless the caller has lent that.
    scratch: &'m mut Scratch,
    /// Where the pieces are, if the message may be in pieces.
    pieces: Option<&'m mut Pieces<'m>>,
    stack: Stack,
    deterministic: bool,
    /// Whether the stack had no room for a message.
    too_deep: bool,
    payloads: PhantomData<&'m [u8]>,
}

/// The rows of a list that are still to be written.
#[allow(missing_debug_implementations)]
pub struct Rows {
    first: u32,
    left: u32,
    linked: bool,
}

impl<'m> Encoder<'m> {
    /// Starts an encode into one piece. `stack` is the limit for nested messages.
    #[inline]
    pub(super) fn new(scratch: &'m mut Scratch, deterministic: bool, stack: Stack) -> Encoder<'m> {
        scratch.clear();
        scratch.rows.clear();
        if cfg!(debug_assertions) {
            // The previous content must neither matter nor be written out.
            scratch.bytes.fill(MaybeUninit::new(0xa7));
        }
        let (base, room) = (scratch.bytes.as_mut_ptr().cast(), scratch.bytes.len());
        let (too_deep, payloads) = (false, PhantomData);
        Encoder {
            base,
            at: room,
            end: room,
            all: room,
            scratch,
            pieces: None,
            stack,
            deterministic,
            too_deep,
            payloads,
        }
    }

    /// Starts an encode in pieces, the first one in this room. `scratch` and `pieces` must be empty.
    #[inline]
    pub(super) fn in_pieces(
        room: &'m mut [MaybeUninit<u8>],
        pieces: &'m mut Pieces<'m>,
        scratch: &'m mut Scratch,
        deterministic: bool,
        stack: Stack,
    ) -> Encoder<'m> {
        let (base, room) = (room.as_mut_ptr().cast(), room.len());
        let (too_deep, payloads) = (false, PhantomData);
        Encoder {
            base,
            at: room,
            end: room,
            all: room,
            scratch,
            pieces: Some(pieces),
            stack,
            deterministic,
            too_deep,
            payloads,
        }
    }

    /// Ends an encode into one piece.
    #[inline]
    pub(super) fn finish(self) {
        debug_assert!(self.pieces.is_none() && self.scratch.bytes.len() == self.end);
        self.scratch.at = self.at;
    }

    /// Ends an encode in pieces: appends them.
    #[inline(never)]
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        let total = self.mark();
        if out.capacity() == 0 {
            *out = Vec::with_capacity(total);
        } else {
            out.reserve(total);
        }
        let (before, len) = (out.len(), self.end - self.at);
        let to = out.spare_capacity_mut().as_mut_ptr().cast::<u8>();
        // SAFETY: pieces are written memory, of this encoder or of payloads that live for `'m`. All pieces together and
        // what is written at `base` have `total` bytes (`cut`, `refer`), for which there is room.
        unsafe {
            copy_payload(self.base.add(self.at), to, len);
            if len != total {
                self.copy_pieces(to.add(len));
            }
            out.set_len(before + total);
        }
    }

    /// Copies all pieces, in their order.
    ///
    /// # Safety
    /// There must be room for them.
    unsafe fn copy_pieces(&self, mut to: *mut u8) {
        let Some(pieces) = &self.pieces else { return };
        let lent = pieces.lent.get(..pieces.count).unwrap_or(&*pieces.lent);
        // SAFETY: the caller's promise; `push` has written the first `count` pieces.
        unsafe {
            for piece in pieces.rest.iter().flat_map(|rest| rest.more.iter().rev()) {
                copy_payload(piece.start, to, piece.len);
                to = to.add(piece.len);
            }
            for piece in lent.iter().rev() {
                let piece = piece.assume_init();
                copy_payload(piece.start, to, piece.len);
                to = to.add(piece.len);
            }
        }
    }

    /// Reports whether the stack has no room for a message that can contain messages of its own kind. Then the message
    /// is not written, and the encode fails.
    #[inline(always)]
    pub fn is_too_deep(&mut self) -> bool {
        let too_deep = self.stack.is_used_up();
        if too_deep {
            self.too_deep = true;
        }
        too_deep
    }

    /// Reports whether some message was not written.
    pub(super) fn was_too_deep(&self) -> bool {
        self.too_deep
    }

    /// Reports whether maps are written in order of their keys.
    pub fn deterministic(&self) -> bool {
        self.deterministic
    }

    /// Returns the number of written bytes: a message's length is the difference of two results.
    #[inline(always)]
    pub fn mark(&self) -> usize {
        self.all - self.at
    }

    /// Makes what is written since the last piece the next one.
    fn cut(&mut self) {
        if let (Some(pieces), true) = (&mut self.pieces, self.end > self.at) {
            // SAFETY: `at <= end`, both in the memory at `base`.
            let start = unsafe { self.base.add(self.at) };
            pieces.push(Piece { start, len: self.end - self.at });
            self.end = self.at;
        }
    }

    /// Makes room for at least `n` more bytes at the front.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, n: usize) {
        self.cut();
        let own = &mut self.scratch.bytes;
        let (mark, written) = (self.all - self.at, self.end - self.at);
        let first = if self.pieces.is_some() { FIRST_LENT } else { FIRST };
        let mut new = room_for(first.max(2 * own.len()).max(written + n));
        let at = new.len() - written;
        match &mut self.pieces {
            Some(_) if own.is_empty() => *own = new,
            Some(pieces) => pieces.rest.get_or_insert_default().full.push(core::mem::replace(own, new)),
            None => {
                new[at..].copy_from_slice(&own[self.at..]);
                *own = new;
            }
        }
        (self.base, self.at, self.end) = (own.as_mut_ptr().cast(), at, at + written);
        self.all = mark + at;
        assert!(self.at >= n);
    }

    /// Makes sure that `n` bytes are free.
    #[inline(always)]
    fn need(&mut self, n: usize) {
        if self.at < n {
            self.grow(n);
        }
    }

    /// Stores bytes into the free ones, so that they end before `end`.
    ///
    /// # Safety
    /// `N <= end <= at`, where `at` is the number of free bytes.
    #[inline(always)]
    unsafe fn store<const N: usize>(&mut self, end: usize, bytes: [u8; N]) {
        debug_assert!(N <= end && end <= self.at);
        // SAFETY: the caller's promise: the bytes are free ones, which nobody else uses; arrays of bytes need no
        // alignment.
        unsafe { self.base.add(end - N).cast::<[u8; N]>().write(bytes) }
    }

    /// Writes bytes.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.need(N);
        // SAFETY: `N` bytes are free.
        unsafe { self.store(self.at, bytes) };
        self.at -= N;
    }

    /// Writes a tag.
    #[inline(always)]
    pub fn tag<const TAG: u32>(&mut self) {
        if TAG < 0x80 { self.put([TAG as u8]) } else { self.varint::<0>(TAG as u64) }
    }

    /// Writes a varint and the tag before it, if `TAG` is not 0.
    #[inline(always)]
    pub fn varint<const TAG: u32>(&mut self, value: u64) {
        match TAG {
            _ if value >= 0x80 => self.long_varint(TAG, value),
            0 => self.put([value as u8]),
            1..0x80 => self.put([TAG as u8, value as u8]),
            0x80..0x4000 => self.put([TAG as u8 | 0x80, (TAG >> 7) as u8, value as u8]),
            _ => self.long_varint(TAG, value),
        }
    }

    /// Does the same for a value of at least two bytes.
    #[inline(never)]
    fn long_varint(&mut self, tag: u32, value: u64) {
        self.any_varint(value);
        if tag != 0 {
            self.tag_by(tag);
        }
    }

    /// Writes a varint, with one store or two. The bytes before it that a store changes are free.
    #[inline(always)]
    fn any_varint(&mut self, value: u64) {
        self.need(16);
        let at = self.at;
        // SAFETY: 16 bytes are free, and no store ends after them.
        let len = unsafe {
            if value < 1 << 14 {
                let long = (value >= 0x80) as usize;
                let word = if long == 1 {
                    (value as u16 & 0x7f | 0x80) | (value as u16 >> 7) << 8
                } else {
                    (value as u16) << 8
                };
                self.store(at, word.to_le_bytes());
                1 + long
            } else if value >> 28 == 0 {
                let len = varint_len(value);
                let word = spread_short(value as u32) << (32 - 8 * len) | 0x0080_8080;
                self.store(at, word.to_le_bytes());
                len
            } else if value >> 56 == 0 {
                let len = varint_len(value);
                // All bytes but the last are marked.
                let word = spread(value) << (64 - 8 * len) | 0x0080_8080_8080_8080;
                self.store(at, word.to_le_bytes());
                len
            } else {
                let top = (value >> 56) as u8;
                let last = 1 + (top >= 0x80) as usize;
                let word = if last == 2 { u16::from_le_bytes([top, 1]) } else { (top as u16) << 8 };
                self.store(at, word.to_le_bytes());
                self.store(at - last, (spread(value) | 0x8080_8080_8080_8080).to_le_bytes());
                8 + last
            }
        };
        self.at -= len;
    }

    /// Writes a 4-byte value and the tag before it, if `TAG` is not 0.
    #[inline(always)]
    pub fn fixed32<const TAG: u32>(&mut self, value: u32) {
        let [a, b, c, d] = value.to_le_bytes();
        if let 1..0x80 = TAG {
            return self.put([TAG as u8, a, b, c, d]);
        }
        self.put([a, b, c, d]);
        if TAG != 0 {
            self.tag::<TAG>();
        }
    }

    /// Writes an 8-byte value and the tag before it, if `TAG` is not 0.
    #[inline(always)]
    pub fn fixed64<const TAG: u32>(&mut self, value: u64) {
        if let 1..0x80 = TAG {
            let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
            return self.put([TAG as u8, a, b, c, d, e, f, g, h]);
        }
        self.put(value.to_le_bytes());
        if TAG != 0 {
            self.tag::<TAG>();
        }
    }

    /// Writes bytes without a length; usually there are none.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &'m [u8]) {
        if !bytes.is_empty() {
            self.copy(bytes);
        }
    }

    #[inline(never)]
    fn copy(&mut self, bytes: &'m [u8]) {
        let long = if bytes.len() <= self.at { LONG } else { LONG / 4 };
        if bytes.len() >= long && self.pieces.is_some() {
            return self.refer(bytes);
        }
        self.need(bytes.len());
        // SAFETY: as many bytes are free, and nobody else uses them.
        unsafe { copy_payload(bytes.as_ptr(), self.base.add(self.at - bytes.len()), bytes.len()) };
        self.at -= bytes.len();
    }

    /// Makes a payload a piece.
    #[inline(never)]
    fn refer(&mut self, bytes: &'m [u8]) {
        self.cut();
        if let Some(pieces) = &mut self.pieces {
            pieces.push(Piece { start: bytes.as_ptr(), len: bytes.len() });
            self.all += bytes.len();
        }
    }

    /// Writes a string or bytes, their length and their tag.
    #[inline(always)]
    pub fn bytes<const TAG: u32>(&mut self, bytes: &'m [u8]) {
        if TAG < 0x80 && bytes.len() < 0x80 {
            return self.short_bytes(TAG as u8, bytes);
        }
        self.long_bytes(TAG, bytes);
    }

    #[inline(never)]
    fn long_bytes(&mut self, tag: u32, bytes: &'m [u8]) {
        self.raw(bytes);
        self.head_by(tag, bytes.len());
    }

    /// Writes a short string, its length and its tag, and checks for room only once.
    #[inline(never)]
    fn short_bytes(&mut self, tag: u8, bytes: &[u8]) {
        let len = bytes.len();
        self.need(len + 2);
        // SAFETY: so many bytes are free; the slice has exactly `len` of them, and nobody else uses them.
        unsafe {
            let to = self.base.add(self.at - len);
            copy_short(&mut *core::ptr::slice_from_raw_parts_mut(to.cast(), len), bytes);
            self.store(self.at - len, [tag, len as u8]);
        }
        self.at -= len + 2;
    }

    /// Writes the same from an input that was decoded.
    #[inline(always)]
    pub fn span<const TAG: u32>(&mut self, span: Span, input: &'m [u8]) {
        self.stretch(span, input);
        self.head::<TAG>(span.len());
    }

    /// Writes bytes of an input without a length: short ones as two words of 16 bytes, which include bytes before them.
    #[inline(always)]
    fn stretch(&mut self, span: Span, input: &'m [u8]) {
        if span.len() <= 32 && self.at >= 32 {
            if let Some(source) = input.get(..span.end()).and_then(|s| s.last_chunk::<32>()) {
                // SAFETY: 32 bytes are free.
                unsafe { self.store(self.at, *source) };
                self.at -= span.len();
                return;
            }
        }
        self.raw(span.bytes(input));
    }

    /// Writes a message of two strings or bytes with one-byte tags `A` and `B`, its length and its tag. If both are in
    /// the input exactly as they would be written, which is usual, it makes one copy. Otherwise it writes nothing,
    /// which is not an error.
    #[inline(always)]
    pub fn pair<const TAG: u32, const A: u8, const B: u8>(&mut self, a: Span, b: Span, input: &'m [u8]) -> bool {
        let total = a.len() + b.len() + 4;
        if TAG >= 0x80 || total >= 0x80 || a.is_empty() || b.is_empty() || b.start() != a.end() + 2 {
            return false;
        }
        let Some(record) = input.get(..b.end()).and_then(|up_to| up_to.get(up_to.len().wrapping_sub(total)..)) else {
            return false;
        };
        let second = a.len() + 2;
        if record[..2] != [A, a.len() as u8] || record[second..second + 2] != [B, b.len() as u8] {
            return false;
        }
        let source = input.get(..b.end()).and_then(|s| s.last_chunk::<64>());
        match source {
            Some(source) if total <= 64 && self.at >= 64 => {
                // SAFETY: 64 bytes are free.
                unsafe { self.store(self.at, *source) };
                self.at -= total;
            }
            _ => self.raw(record),
        }
        self.put([TAG as u8, total as u8]);
        true
    }

    /// Writes the length of the bytes written since a mark, and a tag before it.
    #[inline(always)]
    pub fn close<const TAG: u32>(&mut self, mark: usize) {
        self.head::<TAG>(self.mark() - mark);
    }

    #[inline(always)]
    fn head<const TAG: u32>(&mut self, len: usize) {
        if TAG < 0x80 && len < 0x80 {
            self.put([TAG as u8, len as u8]);
        } else {
            self.long_head(TAG, len);
        }
    }

    #[inline(never)]
    fn long_head(&mut self, tag: u32, len: usize) {
        if tag < 0x80 && (0x80..0x4000).contains(&len) {
            return self.put([tag as u8, len as u8 | 0x80, (len >> 7) as u8]);
        }
        self.long_varint(tag, len as u64);
    }

    /// Writes the rows of a repeated message, the last one first.
    #[inline(always)]
    pub fn list<R: Row>(
        &mut self,
        table: &'m Table<R>,
        list: List,
        side: &Side,
        mut write: impl FnMut(&mut Encoder<'m>, &'m R),
    ) {
        let mut rows = self.rows_of(table, list, side);
        while let Some(row) = self.previous_row(table, &mut rows) {
            write(self, row);
        }
    }

    /// Starts to write the rows of a list, the last one first.
    #[inline(always)]
    pub fn rows_of<R: Row>(&mut self, table: &'m Table<R>, list: List, side: &Side) -> Rows {
        let linked = !list.is_empty() && !list.contiguous();
        if linked {
            self.gather(table, list, side);
        }
        Rows { first: list.first, left: list.count, linked }
    }

    /// Returns the row before the one that was returned last.
    #[inline(always)]
    pub fn previous_row<R: Row>(&mut self, table: &'m Table<R>, rows: &mut Rows) -> Option<&'m R> {
        rows.left = rows.left.checked_sub(1)?;
        let at = if rows.linked { self.scratch.rows.pop().unwrap_or(0) } else { rows.first + rows.left };
        Some(table.get(at))
    }

    /// Pushes the rows of a list, in their order.
    #[cold]
    #[inline(never)]
    fn gather<R: Row>(&mut self, table: &Table<R>, list: List, side: &Side) {
        let mut at = list.first;
        for _ in 0..list.count {
            self.scratch.rows.push(at);
            at = side.after(at, table.get(at).side());
        }
    }

    /// Writes the entries of a map, the last one first.
    pub fn map<R: EntryRow>(
        &mut self,
        table: &'m EntryTable<R>,
        map: List,
        side: &Side,
        input: &[u8],
        mut write: impl FnMut(&mut Encoder<'m>, &'m R),
    ) {
        let mut entries = self.entries_of(table, map, side, input);
        while let Some(entry) = self.previous_row(&table.rows, &mut entries) {
            write(self, entry);
        }
    }

    /// Starts to write the entries of a map, the last one first: in order of keys if the encode is deterministic, else in
    /// the order of the input.
    pub fn entries_of<R: EntryRow>(&mut self, table: &'m EntryTable<R>, map: List, side: &Side, input: &[u8]) -> Rows {
        if !self.deterministic || map.count < 2 {
            return self.rows_of(&table.rows, map, side);
        }
        let base = self.scratch.rows.len();
        match table.sorted_rows(map, side) {
            Some(sorted) => self.scratch.rows.extend_from_slice(sorted),
            None => {
                self.gather(&table.rows, map, side);
                let rows = &table.rows;
                sort_few(&mut self.scratch.rows[base..], &|a, b| rows.get(a).key(input).cmp(&rows.get(b).key(input)));
            }
        }
        Rows { first: 0, left: map.count, linked: true }
    }

    /// Writes unknown fields unchanged.
    #[inline(always)]
    pub fn unknown(&mut self, side: &'m Side, input: &'m [u8], row_side: u32) {
        if row_side != 0 {
            self.unknown_pieces(side, input, row_side);
        }
    }

    #[cold]
    #[inline(never)]
    fn unknown_pieces(&mut self, side: &'m Side, input: &'m [u8], row_side: u32) {
        // Pieces are linked forwards: make room for all of them first, then write one after the other.
        let all = || side.pieces_of(row_side, input);
        let len: usize = all().map(<[u8]>::len).sum();
        self.need(len);
        self.at -= len;
        let mut to = self.at;
        for piece in all() {
            assert!(to + piece.len() <= self.at + len);
            // SAFETY: checked on the line above: these bytes were free, and nobody else uses them.
            unsafe { copy_payload(piece.as_ptr(), self.base.add(to), piece.len()) };
            to += piece.len();
        }
        assert!(to == self.at + len);
    }
}

/// Spreads the low 56 bits of a value: seven to a byte.
#[inline(always)]
fn spread(value: u64) -> u64 {
    let x = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let x = (x & 0x0000_3fff_0000_3fff) | (x & 0x0fff_c000_0fff_c000) << 2;
    (x & 0x007f_007f_007f_007f) | (x & 0x3f80_3f80_3f80_3f80) << 1
}

/// Does the same with the low 28 bits.
#[inline(always)]
fn spread_short(value: u32) -> u32 {
    let x = (value & 0x3fff) | (value & 0x0fff_c000) << 2;
    (x & 0x007f_007f) | (x & 0x3f80_3f80) << 1
}

/// Copies a few bytes to a slice of the same length: from both ends, which overlap, so that no length needs a loop.
#[inline(always)]
fn copy_short(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [MaybeUninit<u8>], from: &[u8]) {
        let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return };
        if let Some(to) = to.first_chunk_mut() {
            *to = first.map(MaybeUninit::new);
        }
        if let Some(to) = to.last_chunk_mut() {
            *to = last.map(MaybeUninit::new);
        }
    }
    let to = &mut to[..from.len()];
    match from.len() {
        16..=32 => ends::<16>(to, from),
        8..=15 => ends::<8>(to, from),
        4..=7 => ends::<4>(to, from),
        2..=3 => ends::<2>(to, from),
        0..=1 => ends::<1>(to, from),
        _ => to.iter_mut().zip(from).for_each(|(to, from)| *to = MaybeUninit::new(*from)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::append_varint;
    use alloc::vec;

    /// Bytes 0, 1, 2, ….
    pub(super) static INPUT: [u8; 100] = numbers();

    const fn numbers<const N: usize>() -> [u8; N] {
        let (mut all, mut i) = ([0; N], 0);
        while i < N {
            all[i] = (i + i / 256) as u8;
            i += 1;
        }
        all
    }

    /// Returns what is written into so much room, in one piece and in pieces.
    pub(super) fn written(room: usize, write: impl Fn(&mut Encoder<'_>)) -> Vec<u8> {
        let mut whole = Scratch { bytes: room_for(room), ..Scratch::default() };
        let mut e = Encoder::new(&mut whole, false, Stack::default());
        write(&mut e);
        let len = e.mark();
        e.finish();
        let (mut room, mut lent, mut scratch) = (room_for(room), LENT, Scratch::default());
        let mut pieces = Pieces::new(&mut lent);
        let mut e = Encoder::in_pieces(&mut room, &mut pieces, &mut scratch, false, Stack::default());
        write(&mut e);
        assert_eq!((e.mark(), whole.written().len()), (len, len));
        let mut out = Vec::new();
        e.append_to(&mut out);
        assert_eq!((&out[..], out.capacity()), (whole.written(), len));
        out
    }

    #[test]
    fn varints_of_every_length_are_minimal_also_where_the_memory_has_to_grow() {
        let mut all = Vec::new();
        let step = if cfg!(miri) { 5 } else { 1 };
        let values = || {
            let around = |shift: u32| [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1, !(1 << shift)];
            (0..64).flat_map(around).step_by(step)
        };
        for value in values() {
            let mut want = Vec::new();
            append_varint(&mut want, value);
            assert_eq!(written(20, |e| e.varint::<0>(value)), want, "{value:x}");
            let twice = [&[8], &want[..], &want].concat();
            let found = written(13, |e| {
                e.varint::<0>(value);
                e.varint::<8>(value);
            });
            assert_eq!(found, twice, "{value:x}");
            all.splice(0..0, want);
        }
        // Written at once, starting without any memory.
        assert_eq!(written(0, |e| values().for_each(|value| e.varint::<0>(value))), all);
    }

    #[test]
    fn spans_of_every_length_at_every_place_of_the_input_are_copied() {
        // Miri is some thousand times slower, so it tries only a few.
        let step = if cfg!(miri) { 13 } else { 1 };
        for room in [0, 40, 300] {
            for start in (0..60).step_by(step) {
                for len in (0..40).step_by(step) {
                    let mut want = vec![18, len as u8];
                    want.extend(0..len as u8);
                    want.extend([0xe2, 0x12, len as u8]);
                    want.extend(start as u8..(start + len) as u8);
                    let found = written(room, |e| {
                        e.span::<{ 300 << 3 | 2 }>(Span::new(start, len), &INPUT);
                        e.bytes::<18>(&INPUT[..len as usize]);
                    });
                    assert_eq!(found, want, "{room} {start} {len}");
                }
            }
        }
    }

    #[test]
    fn payloads_of_every_length_between_values_and_in_messages_stay_in_their_order() {
        static PAYLOAD: [u8; 6000] = numbers();
        let lengths = [0, 1, 2, 3, 5, 16, 31, 33, 100, 127, 128, 129, 511, 512, 513, 1000, 4096, 6000];
        for room in [0, 1, 100, 1024] {
            let mut seed = 1 + room as u32;
            for round in 0..if cfg!(miri) { 3 } else { 200 } {
                let mut steps = Vec::new();
                for _ in 0..round % 23 {
                    seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                    steps.push((seed >> 16) as usize);
                }
                // Backwards: each step comes before the previous ones, and a message holds all of them.
                let mut want = Vec::new();
                for &step in &steps {
                    let bytes = &PAYLOAD[..lengths[step % lengths.len()]];
                    let mut record = Vec::new();
                    match step / 32 % 4 {
                        0 => append_varint(&mut record, step as u64 * 0x1234_5678),
                        1 => {
                            record.push(10);
                            append_varint(&mut record, bytes.len() as u64);
                            record.extend(bytes);
                        }
                        2 => record.extend(bytes),
                        _ => {
                            record.push(26);
                            append_varint(&mut record, want.len() as u64);
                        }
                    }
                    want.splice(0..0, record);
                }
                let found = written(room, |e| {
                    for &step in &steps {
                        let bytes = &PAYLOAD[..lengths[step % lengths.len()]];
                        match step / 32 % 4 {
                            0 => e.varint::<0>(step as u64 * 0x1234_5678),
                            1 => e.bytes::<10>(bytes),
                            2 => e.raw(bytes),
                            _ => e.close::<26>(0),
                        }
                    }
                });
                assert!(found == want, "{room} {round} {steps:?}");
            }
        }
    }

    #[test]
    fn pieces_are_appended_after_the_content_of_a_vector() {
        let (long, mut room, mut lent, mut scratch) = (vec![7; 2 * LONG], room_for(10), LENT, Scratch::default());
        let mut pieces = Pieces::new(&mut lent);
        let mut e = Encoder::in_pieces(&mut room, &mut pieces, &mut scratch, false, Stack::default());
        e.raw(&long);
        e.varint::<8>(300);
        let mut out = vec![1, 2];
        e.append_to(&mut out);
        assert_eq!(out, [&[1, 2, 8, 0xac, 2], &long[..]].concat());
    }

    #[test]
    fn more_pieces_than_have_a_place_of_their_own_are_joined_in_order() {
        static PAYLOADS: [u8; LONG + 9 * FEW] = numbers();
        let payloads: Vec<&'static [u8]> = (0..9 * FEW).map(|i| &PAYLOADS[i..LONG + i]).collect();
        for count in [FEW / 2, FEW / 2 + 1, FEW, FEW + 1, 9 * FEW] {
            let found = written(3, |e| payloads[..count].iter().for_each(|payload| e.bytes::<10>(payload)));
            let mut want = Vec::new();
            for payload in payloads[..count].iter().rev() {
                want.push(10);
                append_varint(&mut want, payload.len() as u64);
                want.extend_from_slice(payload);
            }
            assert!(found == want, "{count}");
        }
    }
}
