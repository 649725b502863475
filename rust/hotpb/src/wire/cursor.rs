//! A position in a range of an input. Generated decoders hold it in registers.
//!
//! ```text
//!   input   base ──────────────────────────────────────────────── limit
//!   cursor            (start) ────── p ═══════════ end
//! ```
//! Every method keeps the invariant `base <= p <= end <= limit`, all within one slice that lives for `'a`. A value may
//! be *loaded* up to `limit` (an eight-byte load is cheaper than a loop), but is *used* only up to `end`. A method
//! returns `None` when something is wrong; do not use the cursor after that.

use super::decode_varint;
use super::span::Span;
use super::varint::from_word;
use core::marker::PhantomData;
use core::num::NonZeroUsize;

/// The whole input of a decode.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// Creates an input from bytes.
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes }
    }

    /// Returns its bytes.
    #[inline(always)]
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Returns all of it as a range.
    pub fn range(self) -> Range<'a> {
        let ends = self.bytes.as_ptr_range();
        Range { start: ends.start.addr(), end: ends.end.addr(), input: PhantomData }
    }

    /// Returns the part between two offsets, if they lie in the input.
    pub fn part(self, start: usize, end: usize) -> Option<Range<'a>> {
        self.bytes.get(start..end)?;
        let base = self.bytes.as_ptr().addr();
        Some(Range { start: base + start, end: base + end, input: PhantomData })
    }

    /// Returns the offset of a range of this input.
    #[inline(always)]
    pub fn offset_of(self, range: Range<'a>) -> u32 {
        range.start.wrapping_sub(self.bytes.as_ptr().addr()) as u32
    }

    /// Returns a cursor at the start of a range of this input.
    ///
    /// # Panics
    /// Panics if the range does not belong to this input: the cursor would read outside the input.
    #[inline(always)]
    pub fn open(self, range: Range<'a>) -> Cursor<'a> {
        let ends = self.bytes.as_ptr_range();
        assert!(ends.start.addr() <= range.start && range.end <= ends.end.addr());
        // These pointers derive from this input, whatever the range derives from: loads may go beyond the range's end,
        // up to the input's.
        let (p, end) = (ends.start.with_addr(range.start), ends.start.with_addr(range.end));
        Cursor { p, end, limit: ends.end, input: PhantomData }
    }
}

/// A part of an input, for example one record's payload. Always `start <= end`. It holds addresses, not pointers: to
/// read it, open it in an input ([`Input::open`]), which checks that the range lies there.
#[derive(Clone, Copy)]
pub struct Range<'a> {
    start: usize,
    end: usize,
    input: PhantomData<&'a [u8]>,
}

/// A position in an input: an address, not a pointer.
#[derive(Clone, Copy)]
pub struct Pos<'a> {
    p: NonZeroUsize,
    input: PhantomData<&'a [u8]>,
}

/// See the module documentation.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    p: *const u8,
    end: *const u8,
    limit: *const u8,
    input: PhantomData<&'a [u8]>,
}

// SAFETY: a cursor is a `&'a [u8]` in another form, and only reads.
unsafe impl Send for Cursor<'_> {}
// SAFETY: as above.
unsafe impl Sync for Cursor<'_> {}

impl<'a> Cursor<'a> {
    /// Creates a cursor over a slice that is the whole input.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        let input = Input::new(bytes);
        input.open(input.range())
    }

    /// Reports whether the range ends here.
    #[inline(always)]
    pub fn at_end(&self) -> bool {
        self.p == self.end
    }

    /// Returns the number of bytes up to the end of the range.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.end as usize - self.p as usize
    }

    /// Returns the offset in the input.
    #[inline(always)]
    pub fn offset(&self, input: Input<'a>) -> u32 {
        (self.p as usize).wrapping_sub(input.bytes.as_ptr() as usize) as u32
    }

    /// Returns this position.
    #[inline(always)]
    pub fn pos(&self) -> Pos<'a> {
        // SAFETY: `p` points into (or one past) a slice, so it is not null.
        let p = unsafe { NonZeroUsize::new_unchecked(self.p.addr()) };
        Pos { p, input: PhantomData }
    }

    /// Returns this position, at the end of a message; `None` if an end tag is still awaited.
    #[inline(always)]
    pub fn end(&self, awaited: u32) -> Option<Pos<'a>> {
        if awaited != 0 {
            return None;
        }
        Some(self.pos())
    }

    /// Continues where another cursor of this range stopped.
    #[inline(always)]
    pub fn resume(&mut self, pos: Pos<'a>) -> Option<()> {
        let n = pos.p.get().wrapping_sub(self.p.addr());
        if n > self.left() {
            return None;
        }
        self.advance(n);
        Some(())
    }

    /// Returns the bytes between an earlier position of this cursor and its present one.
    ///
    /// # Panics
    /// Panics if the position or the cursor does not belong to this input.
    #[inline(always)]
    pub fn since(&self, input: Input<'a>, pos: Pos<'a>) -> &'a [u8] {
        let base = input.bytes.as_ptr().addr();
        &input.bytes[pos.p.get().wrapping_sub(base)..self.p.addr().wrapping_sub(base)]
    }

    /// Returns the remaining bytes as a range. At the start of a group, the group's content begins there.
    #[inline(always)]
    pub fn rest(&self) -> Range<'a> {
        Range { start: self.p.addr(), end: self.end.addr(), input: PhantomData }
    }

    #[inline(always)]
    pub(super) fn rest_bytes(&self) -> &'a [u8] {
        // SAFETY: `p <= end`, both in one slice that lives for `'a` (the invariant).
        unsafe { core::slice::from_raw_parts(self.p, self.left()) }
    }

    /// Returns the remaining bytes of the range.
    #[inline(always)]
    pub fn remaining(&self) -> &'a [u8] {
        self.rest_bytes()
    }

    /// Returns the remaining bytes of the range and the bytes that follow it in the input. Those may be loaded, but not
    /// used.
    #[inline(always)]
    pub(crate) fn ahead(&self) -> &'a [u8] {
        // SAFETY: `p <= limit`, both in one slice that lives for `'a` (the invariant).
        unsafe { core::slice::from_raw_parts(self.p, self.limit as usize - self.p as usize) }
    }

    /// Moves on by `n` bytes. The caller has checked that they are left.
    #[inline(always)]
    pub(super) fn advance(&mut self, n: usize) {
        debug_assert!(n <= self.left());
        // SAFETY: every caller has compared `n` with `left()`, so `p + n <= end` (the invariant again).
        self.p = unsafe { self.p.add(n) };
    }

    /// Calls a function that is not inlined with a copy of the cursor. If the address of the cursor itself escaped, it
    /// would live in memory and not in registers, even on paths without the call.
    #[inline(always)]
    pub(crate) fn out_of_line<T>(&mut self, call: impl FnOnce(&mut Self) -> T) -> T {
        let mut copy = *self;
        let result = call(&mut copy);
        self.p = copy.p;
        result
    }

    /// Returns the byte at `p + at`. The caller has checked that it exists.
    #[inline(always)]
    pub(super) fn byte(&self, at: usize) -> u8 {
        debug_assert!(at < self.left());
        // SAFETY: every caller has compared `at` with `left()`, and the bytes up to `end` are readable.
        unsafe { *self.p.add(at) }
    }

    /// Returns the bytes from `p + at` on. The caller has checked that they exist.
    #[inline(always)]
    pub(super) fn load<const N: usize>(&self, at: usize) -> [u8; N] {
        debug_assert!(at + N <= self.left());
        // SAFETY: every caller has compared `at + N` with `left()`; the bytes up to `end` are readable, and an array of
        // bytes needs no alignment.
        unsafe { self.p.add(at).cast::<[u8; N]>().read() }
    }

    /// Reads a varint; 32-bit types use the low bits.
    #[inline(always)]
    pub fn varint(&mut self) -> Option<u64> {
        if self.p < self.end {
            let b = self.byte(0);
            if b < 0x80 {
                self.advance(1);
                return Some(b as u64);
            }
        }
        self.long_varint()
    }

    #[inline]
    fn long_varint(&mut self) -> Option<u64> {
        if self.limit as usize - self.p as usize >= 8 {
            // SAFETY: eight bytes are readable up to `limit`, inside the slice; the read needs no alignment.
            let word = u64::from_le(unsafe { self.p.cast::<u64>().read_unaligned() });
            if let Some((value, len)) = from_word(word).filter(|&(_, len)| len <= self.left()) {
                self.advance(len);
                return Some(value);
            }
        }
        self.out_of_line(Self::rare_varint)
    }

    /// Reads a varint that has nine or ten bytes, is at the end of the input, or is cut off.
    #[inline(never)]
    fn rare_varint(&mut self) -> Option<u64> {
        let (value, len) = decode_varint(self.rest_bytes())?;
        self.advance(len);
        Some(value)
    }

    /// Moves on by `n` bytes, if they are left.
    #[inline(always)]
    pub(crate) fn pass(&mut self, n: usize) -> Option<()> {
        if n > self.left() {
            return None;
        }
        self.advance(n);
        Some(())
    }

    /// Returns a cursor from here up to the position of another one in the same range.
    #[inline(always)]
    pub(crate) fn up_to(&self, later: &Cursor<'a>) -> Cursor<'a> {
        assert!(self.p <= later.p && later.p <= self.end);
        Cursor { end: self.p.with_addr(later.p.addr()), ..*self }
    }

    /// Moves over a varint.
    #[inline(always)]
    pub(crate) fn pass_varint(&mut self) -> Option<()> {
        if self.p < self.end && self.byte(0) < 0x80 {
            self.advance(1);
            return Some(());
        }
        if self.limit as usize - self.p as usize >= 8 {
            // SAFETY: eight bytes are readable up to `limit`, inside the slice; the read needs no alignment.
            let word = u64::from_le(unsafe { self.p.cast::<u64>().read_unaligned() });
            let ends = !word & 0x8080_8080_8080_8080;
            let len = match ends {
                0 => self.very_long_varint()?,
                _ => (ends.trailing_zeros() as usize + 1) / 8,
            };
            return self.pass(len);
        }
        self.out_of_line(|c| {
            let long = c.rest_bytes().iter().take(10).position(|b| *b < 0x80)?;
            c.advance(long + 1);
            Some(())
        })
    }

    /// Returns the length of a varint of which eight bytes do not end it.
    #[inline(always)]
    fn very_long_varint(&self) -> Option<usize> {
        match self.rest_bytes() {
            [_, _, _, _, _, _, _, _, last, ..] if *last < 0x80 => Some(9),
            [_, _, _, _, _, _, _, _, _, last, ..] if *last < 0x80 => Some(10),
            _ => None,
        }
    }

    /// Reads a tag of at most five bytes, below 2^32 and not 0. It does not check the field number and the wire type: a
    /// decoder compares the whole tag, and passes unknown tags to [`Cursor::skip`], which does check them.
    #[inline(always)]
    pub fn tag(&mut self) -> Option<u32> {
        match self.next_tag() {
            0 => None,
            tag => Some(tag),
        }
    }

    /// Reads a tag as [`Cursor::tag`] does, but may return 0, which is the tag of no field and which [`Cursor::skip`]
    /// rejects.
    #[inline(always)]
    pub fn next_tag(&mut self) -> u32 {
        let left = self.left();
        if left >= 1 {
            let b = self.byte(0) as u32;
            if b < 0x80 {
                self.advance(1);
                return b;
            }
            if left >= 2 {
                let c = self.byte(1) as u32;
                if c < 0x80 {
                    self.advance(2);
                    return (b & 0x7f) | c << 7;
                }
            }
        }
        self.out_of_line(|c| c.long_tag().unwrap_or(0))
    }

    #[inline(never)]
    fn long_tag(&mut self) -> Option<u32> {
        let mut tag = 0u32;
        for i in 0..self.left().min(5) {
            let b = self.byte(i);
            if i == 4 && b > 0x0f {
                return None;
            }
            tag |= ((b & 0x7f) as u32) << (7 * i);
            if b < 0x80 {
                self.advance(i + 1);
                return Some(tag);
            }
        }
        None
    }

    /// Moves over `TAG` if it comes next, in its minimal form.
    #[inline(always)]
    pub fn eat<const TAG: u32>(&mut self) -> bool {
        let len = super::varint_len(TAG as u64);
        if self.left() < len {
            return false;
        }
        for i in 0..len {
            let more = if i + 1 < len { 0x80 } else { 0 };
            if self.byte(i) != (TAG >> (7 * i)) as u8 & 0x7f | more {
                return false;
            }
        }
        self.advance(len);
        true
    }

    /// Does the same for a tag that is not known at compile time.
    #[inline(always)]
    pub(crate) fn eat_tag(&mut self, tag: u32) -> bool {
        let mut ahead = *self;
        if ahead.next_tag() != tag || self.left() - ahead.left() != super::varint_len(tag as u64) {
            return false;
        }
        *self = ahead;
        true
    }

    /// Reads a 4-byte value.
    #[inline(always)]
    pub fn fixed32(&mut self) -> Option<u32> {
        let bytes = *self.rest_bytes().first_chunk::<4>()?;
        self.advance(4);
        Some(u32::from_le_bytes(bytes))
    }

    /// Reads an 8-byte value.
    #[inline(always)]
    pub fn fixed64(&mut self) -> Option<u64> {
        let bytes = *self.rest_bytes().first_chunk::<8>()?;
        self.advance(8);
        Some(u64::from_le_bytes(bytes))
    }

    /// Reads a length and checks it against the range.
    #[inline(always)]
    pub fn length(&mut self) -> Option<usize> {
        let len = self.any_length();
        if len > self.left() as u64 { None } else { Some(len as usize) }
    }

    /// Reads a length, usually of one or two bytes, without comparing it with the bytes that are left. A malformed
    /// length becomes a value that is too large, so that one comparison detects both errors.
    #[inline(always)]
    fn any_length(&mut self) -> u64 {
        if self.left() >= 2 {
            let (a, b) = (self.byte(0) as u64, self.byte(1) as u64);
            if a < 0x80 {
                self.advance(1);
                return a;
            }
            if b < 0x80 {
                self.advance(2);
                return a & 0x7f | b << 7;
            }
        }
        self.out_of_line(Self::long_length)
    }

    #[inline(never)]
    fn long_length(&mut self) -> u64 {
        self.varint().unwrap_or(u64::MAX)
    }

    /// Reads a length-delimited payload.
    #[inline(always)]
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.length()?;
        let bytes = self.rest_bytes().get(..len)?;
        self.advance(len);
        Some(bytes)
    }

    /// Reads a length-delimited payload, as offset and length.
    #[inline(always)]
    pub fn span(&mut self, input: Input<'a>) -> Option<Span> {
        let len = self.length()?;
        let span = Span::new(self.offset(input), len as u32);
        self.advance(len);
        Some(span)
    }

    /// Reads a length-delimited payload, as a cursor.
    #[inline(always)]
    pub(crate) fn inner(&mut self) -> Option<Cursor<'a>> {
        let len = self.length()?;
        let start = self.p;
        self.advance(len);
        Some(Cursor { p: start, end: self.p, ..*self })
    }

    /// Reads a length-delimited payload, as a range to open.
    #[inline(always)]
    pub fn range(&mut self) -> Option<Range<'a>> {
        let len = self.length()?;
        let start = self.p.addr();
        self.advance(len);
        Some(Range { start, end: start + len, input: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_does_not_reach_beyond_its_range_though_the_input_goes_on() {
        let bytes = [0xff, 0xff, 0x01, 0, 0, 0, 0, 0, 0, 0];
        let input = Input::new(&bytes);
        for end in 0..3 {
            assert_eq!(input.open(input.part(0, end).unwrap()).varint(), None, "{end}");
        }
        assert_eq!(input.open(input.part(0, 3).unwrap()).varint(), Some(0x7fff));
    }

    #[test]
    fn a_range_is_read_through_the_input_that_it_is_opened_in() {
        let bytes = [0xffu8; 16];
        for (outer, inner) in [(0..16, 2..5), (1..16, 2..5), (2..5, 2..5), (0..5, 4..5), (0..16, 16..16)] {
            // Through the inner slice's pointer, Miri would report an eight-byte load as out of bounds.
            let range = Input::new(&bytes[inner.clone()]).range();
            let input = Input::new(&bytes[outer]);
            let mut cursor = input.open(range);
            assert_eq!((cursor.left(), cursor.varint()), (inner.len(), None));
            // The same holds for a position.
            let pos = Cursor::new(&bytes[inner.clone()]).pos();
            let mut cursor = input.open(input.range());
            assert_eq!(cursor.resume(pos), Some(()));
            assert!(cursor.left() >= inner.len());
            assert_eq!(cursor.varint(), None);
        }
        // A range elsewhere cannot be opened, and a position elsewhere cannot be resumed.
        let elsewhere = [0u8; 48]; // only the middle is used: the array may lie right next to `bytes`
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.resume(Cursor::new(&elsewhere[16..32]).pos()), None);
    }

    #[test]
    #[should_panic]
    fn a_range_of_another_input_is_not_opened() {
        let (bytes, elsewhere) = ([0u8; 16], [0u8; 16]);
        Input::new(&bytes).open(Input::new(&elsewhere).range());
    }

    #[test]
    fn a_tag_of_six_bytes_or_of_more_than_32_bits_is_refused() {
        let read = |bytes: &[u8]| Cursor::new(bytes).tag();
        assert_eq!(read(&[0x88, 0x80, 0x80, 0x80, 0x00]), Some(8));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some(u32::MAX));
        assert_eq!(read(&[0x88, 0x80, 0x80, 0x80, 0x10]), None);
        assert_eq!(read(&[0x88, 0x80, 0x80, 0x80, 0x80, 0x00]), None);
        assert_eq!(read(&[0x88, 0x80]), None);
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn eat_moves_over_the_minimal_form_of_its_tag_only() {
        let mut c = Cursor::new(&[0xfa, 0x3e, 0x08, 0x88, 0x00]);
        assert!(!c.eat::<8>());
        assert!(c.eat::<{ 1007 << 3 | 2 }>());
        assert!(c.eat::<8>());
        assert!(!c.eat::<8>());
        assert_eq!(c.left(), 2);
    }
}
