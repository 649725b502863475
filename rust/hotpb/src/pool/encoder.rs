//! Writing backwards: first the content of a message, then its length, then its tag. So one pass is enough, and no
//! length is computed in advance.
//!
//! ```text
//!   bytes  ░░░░░░░░░░░░░░░░░░░░│ tag len payload │ tag value │
//!          free                at ◀── written ──────────────▶ end of the buffer
//! ```
//! Bytes before `at` are free: short values are stored as whole words, and their excess bytes before the value are
//! overwritten later.

mod by_tag;

pub(super) use by_tag::Head;

use super::map::sort_few;
use super::{EntryRow, EntryTable, List, Row, Side, Stack, Table};
use crate::wire::{Span, varint_len};
use alloc::vec;
use alloc::vec::Vec;

/// The room for the first message.
const FIRST: usize = 256;

/// The state of one encode, which generated encoders pass down. They write the last field first.
#[derive(Default)]
pub struct Encoder {
    /// All bytes are initialised; the written ones are at the end.
    bytes: Vec<u8>,
    /// The start of the written part; at most the length.
    at: usize,
    /// Rows still to be written, of lists and maps that are open.
    rows: Vec<u32>,
    deterministic: bool,
    stack: Stack,
    /// Whether the stack had no room for a message.
    too_deep: bool,
}

impl Encoder {
    /// Discards the output and keeps the memory. `stack` is the limit for nested messages.
    pub(super) fn start(&mut self, deterministic: bool, stack: Stack) {
        if cfg!(debug_assertions) {
            // The previous content must neither matter nor be written out.
            self.bytes.fill(0xa7);
        }
        self.at = self.bytes.len();
        self.rows.clear();
        self.deterministic = deterministic;
        (self.stack, self.too_deep) = (stack, false);
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

    /// Returns the written bytes.
    #[inline]
    pub(super) fn written(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// Returns the number of bytes that the memory has.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.rows.capacity() * size_of::<u32>()
    }

    /// Frees the memory.
    pub(super) fn shrink(&mut self) {
        *self = Encoder::default();
    }

    /// Reports whether maps are written in order of their keys.
    pub fn deterministic(&self) -> bool {
        self.deterministic
    }

    /// Returns the number of written bytes: a message's length is the difference of two results.
    #[inline(always)]
    pub fn mark(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Makes room for at least `n` more bytes at the front.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, n: usize) {
        let written = self.bytes.len() - self.at;
        let mut larger = vec![0; (2 * self.bytes.len()).max(written + n).max(FIRST)];
        let at = larger.len() - written;
        larger[at..].copy_from_slice(&self.bytes[self.at..]);
        (self.bytes, self.at) = (larger, at);
    }

    /// Returns the `N` bytes before the written part, if there is room for them.
    #[inline(always)]
    fn front<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        self.bytes.get_mut(..self.at)?.last_chunk_mut()
    }

    /// Writes bytes.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        if self.at < N {
            self.grow(N);
        }
        if let Some(front) = self.front() {
            *front = bytes;
            self.at -= N;
        }
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

    /// Does the same, usually with one store.
    #[inline(never)]
    fn long_varint(&mut self, tag: u32, value: u64) {
        if tag < 0x80 {
            let before = (tag != 0) as usize;
            if value >> 49 == 0 {
                let (word, len) = varint_word(value);
                return self.put_word(word << (8 * before) | tag as u64, len + before);
            }
            let (word, len) = wide_varint_word(value);
            return self.put_wide(word << (8 * before) | tag as u128, len + before);
        }
        self.any_varint(value);
        if tag != 0 {
            self.any_varint(tag as u64);
        }
    }

    fn any_varint(&mut self, value: u64) {
        if value >> 56 == 0 {
            let (word, len) = varint_word(value);
            return self.put_word(word, len);
        }
        let (word, len) = wide_varint_word(value);
        self.put_wide(word, len);
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

    /// Writes the lowest `len` bytes of a word; `len` is not 0.
    #[inline(always)]
    fn put_word(&mut self, word: u64, len: usize) {
        // Shifted to the end of the word, so that it ends before `at`.
        let word = (word << (64 - 8 * len)).to_le_bytes();
        match self.front() {
            Some(front) => *front = word,
            None => self.put_in_more(word),
        }
        self.at -= len;
    }

    /// Does the same for twice as many bytes.
    #[inline(always)]
    fn put_wide(&mut self, word: u128, len: usize) {
        let word = (word << (128 - 8 * len)).to_le_bytes();
        match self.front() {
            Some(front) => *front = word,
            None => self.put_in_more(word),
        }
        self.at -= len;
    }

    /// Stores a word for which there was no room.
    #[cold]
    #[inline(never)]
    fn put_in_more<const N: usize>(&mut self, word: [u8; N]) {
        self.grow(N);
        if let Some(front) = self.front() {
            *front = word;
        }
    }

    /// Writes bytes without a length; usually there are none.
    #[inline(always)]
    pub fn raw(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.copy(bytes);
        }
    }

    #[inline(never)]
    fn copy(&mut self, bytes: &[u8]) {
        let n = bytes.len();
        if self.at < n {
            self.grow(n);
        }
        let start = self.at - n;
        self.bytes[start..self.at].copy_from_slice(bytes);
        self.at = start;
    }

    /// Writes a string or bytes, their length and their tag.
    #[inline(always)]
    pub fn bytes<const TAG: u32>(&mut self, bytes: &[u8]) {
        if TAG < 0x80 && bytes.len() < 0x80 {
            return self.short_bytes(TAG as u8, bytes);
        }
        self.raw(bytes);
        self.head::<TAG>(bytes.len());
    }

    /// Writes a short string, its length and its tag, and checks for room only once.
    #[inline(never)]
    fn short_bytes(&mut self, tag: u8, bytes: &[u8]) {
        let total = bytes.len() + 2;
        if self.at < total {
            return self.short_bytes_in_more(tag, bytes);
        }
        let start = self.at - total;
        if let Some([to_tag, to_len, to @ ..]) = self.bytes.get_mut(start..self.at) {
            (*to_tag, *to_len) = (tag, bytes.len() as u8);
            self.at = start;
            copy_short(to, bytes);
        }
    }

    /// Writes a short string for which there was no room.
    #[cold]
    #[inline(never)]
    fn short_bytes_in_more(&mut self, tag: u8, bytes: &[u8]) {
        self.grow(bytes.len() + 2);
        self.short_bytes(tag, bytes);
    }

    /// Writes the same from an input that was decoded.
    #[inline(always)]
    pub fn span<const TAG: u32>(&mut self, span: Span, input: &[u8]) {
        self.stretch(span, input);
        self.head::<TAG>(span.len());
    }

    /// Writes bytes of an input without a length: short ones as two words of 16 bytes, which include bytes before them.
    #[inline(always)]
    fn stretch(&mut self, span: Span, input: &[u8]) {
        if span.len() <= 32 {
            let source = input.get(..span.end()).and_then(|s| s.last_chunk::<32>());
            if let (Some(source), Some(front)) = (source, self.front::<32>()) {
                *front = *source;
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
    pub fn pair<const TAG: u32, const A: u8, const B: u8>(&mut self, a: Span, b: Span, input: &[u8]) -> bool {
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
        match (source, self.front::<64>()) {
            (Some(source), Some(front)) if total <= 64 => {
                *front = *source;
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
        self.varint::<0>(len as u64);
        self.varint::<0>(tag as u64);
    }

    /// Writes the rows of a repeated message, the last one first.
    #[inline(always)]
    pub fn list<R: Row>(&mut self, table: &Table<R>, list: List, side: &Side, mut write: impl FnMut(&mut Encoder, &R)) {
        if list.is_empty() {
            return;
        }
        let linked = !list.contiguous();
        if linked {
            self.gather(table, list, side);
        }
        for i in (0..list.count).rev() {
            let at = if linked { self.rows.pop().unwrap_or(0) } else { list.first + i };
            write(self, table.get(at));
        }
    }

    /// Pushes the rows of a list, in their order.
    #[cold]
    #[inline(never)]
    fn gather<R: Row>(&mut self, table: &Table<R>, list: List, side: &Side) {
        let mut at = list.first;
        for _ in 0..list.count {
            self.rows.push(at);
            at = side.after(at, table.get(at).side());
        }
    }

    /// Writes the entries of a map, the last one first: in order of keys if the encode is deterministic, else in the
    /// order of the input.
    pub fn map<R: EntryRow>(
        &mut self,
        table: &EntryTable<R>,
        map: List,
        side: &Side,
        input: &[u8],
        mut write: impl FnMut(&mut Encoder, &R),
    ) {
        if !self.deterministic || map.count < 2 {
            return self.list(&table.rows, map, side, write);
        }
        let base = self.rows.len();
        match table.sorted_rows(map, side) {
            Some(sorted) => self.rows.extend_from_slice(sorted),
            None => {
                self.gather(&table.rows, map, side);
                let rows = &table.rows;
                sort_few(&mut self.rows[base..], &|a, b| rows.get(a).key(input).cmp(&rows.get(b).key(input)));
            }
        }
        for _ in 0..map.count {
            let at = self.rows.pop().unwrap_or(0);
            write(self, table.rows.get(at));
        }
    }

    /// Writes unknown fields unchanged.
    #[inline(always)]
    pub fn unknown(&mut self, side: &Side, input: &[u8], row_side: u32) {
        if row_side != 0 {
            self.pieces(side, input, row_side);
        }
    }

    #[cold]
    #[inline(never)]
    fn pieces(&mut self, side: &Side, input: &[u8], row_side: u32) {
        // Pieces are linked forwards: make room for all of them first, then write one after the other.
        let all = || side.pieces_of(row_side, input);
        let len: usize = all().map(<[u8]>::len).sum();
        if self.at < len {
            self.grow(len);
        }
        self.at -= len;
        let mut to = self.at;
        for piece in all() {
            self.bytes[to..to + piece.len()].copy_from_slice(piece);
            to += piece.len();
        }
    }
}

/// Returns a varint of at most eight bytes as a word, starting at its low end, and its length.
#[inline(always)]
fn varint_word(value: u64) -> (u64, usize) {
    let len = varint_len(value);
    // All bytes but the last are marked.
    let more = 0x8080_8080_8080_8080u64 & ((1u64 << (8 * (len - 1))) - 1);
    (spread(value) | more, len)
}

/// Does the same for a varint of eight to ten bytes.
#[inline(always)]
fn wide_varint_word(value: u64) -> (u128, usize) {
    let (ninth, tenth) = ((value >> 56 != 0) as u64, value >> 63);
    let low = spread(value) | 0x0080_8080_8080_8080 | ninth << 63;
    let high = value >> 56 & 0x7f | tenth << 7 | tenth << 8;
    ((high as u128) << 64 | low as u128, (8 + ninth + tenth) as usize)
}

/// Spreads the low 56 bits of a value: seven to a byte.
#[inline(always)]
fn spread(value: u64) -> u64 {
    let x = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let x = (x & 0x0000_3fff_0000_3fff) | (x & 0x0fff_c000_0fff_c000) << 2;
    (x & 0x007f_007f_007f_007f) | (x & 0x3f80_3f80_3f80_3f80) << 1
}

/// Does the same for a varint of at most four bytes.
#[inline(always)]
fn short_varint_word(value: u32) -> (u64, usize) {
    let len = varint_len(value as u64);
    let mut x = (value & 0x3fff) | (value & 0x0fff_c000) << 2;
    x = (x & 0x007f_007f) | (x & 0x3f80_3f80) << 1;
    let more = 0x0080_8080 & ((1u32 << (8 * (len - 1))) - 1);
    ((x | more) as u64, len)
}

/// Copies a few bytes to a slice of the same length: from both ends, which overlap, so that no length needs a loop.
#[inline(always)]
fn copy_short(to: &mut [u8], from: &[u8]) {
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) {
        let (Some(&first), Some(&last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return };
        if let Some(to) = to.first_chunk_mut() {
            *to = first;
        }
        if let Some(to) = to.last_chunk_mut() {
            *to = last;
        }
    }
    let to = &mut to[..from.len()];
    match from.len() {
        16..=32 => ends::<16>(to, from),
        8..=15 => ends::<8>(to, from),
        4..=7 => ends::<4>(to, from),
        2..=3 => ends::<2>(to, from),
        0..=1 => ends::<1>(to, from),
        _ => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::append_varint;

    #[test]
    fn varints_of_every_length_are_minimal_also_where_the_buffer_has_to_grow() {
        let mut e = Encoder::default();
        let mut all = Vec::new();
        let step = if cfg!(miri) { 5 } else { 1 };
        let values = || {
            let around = |shift: u32| [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1, !(1 << shift)];
            (0..64).flat_map(around).step_by(step)
        };
        for value in values() {
            let mut want = Vec::new();
            append_varint(&mut want, value);
            e.start(false, Stack::default());
            e.varint::<0>(value);
            assert_eq!(e.written(), want, "{value:x}");
            e.varint::<8>(value);
            assert_eq!((e.written()[0], &e.written()[1..=want.len()]), (8, &want[..]), "{value:x}");
            all.splice(0..0, want);
        }
        // Written at once, starting without any memory.
        let mut e = Encoder::default();
        e.start(false, Stack::default());
        values().for_each(|value| e.varint::<0>(value));
        assert_eq!(e.written(), all);
        assert_eq!(e.mark(), all.len());
    }

    #[test]
    fn spans_of_every_length_at_every_place_of_the_input_are_copied() {
        let input: Vec<u8> = (0..100).collect();
        // Miri is some thousand times slower, so it tries only a few.
        let step = if cfg!(miri) { 13 } else { 1 };
        for room in [0, 40, 300] {
            for start in (0..60).step_by(step) {
                for len in (0..40).step_by(step) {
                    let mut e = Encoder { bytes: vec![0; room], ..Encoder::default() };
                    e.start(false, Stack::default());
                    e.span::<{ 300 << 3 | 2 }>(Span::new(start, len), &input);
                    e.bytes::<18>(&input[..len as usize]);
                    let mut want = vec![18, len as u8];
                    want.extend(0..len as u8);
                    want.extend([0xe2, 0x12, len as u8]);
                    want.extend(start as u8..(start + len) as u8);
                    assert_eq!(e.written(), want, "{room} {start} {len}");
                }
            }
        }
    }
}
