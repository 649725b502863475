//! The state of one decode: its input, and the rest of its limits.

use super::{DecodeOptions, ProtoStr, Stack};
use crate::wire::check::Spent;
use crate::wire::{Cursor, DEPTH_CEILING, Input, Range, Span, is_ascii, is_utf8};

/// The state of one decode, which generated decoders pass down.
pub struct Decoder<'a> {
    input: Input<'a>,
    depth: u32,
    strict: bool,
    /// Whether strings are not checked, because the caller has promised that they are UTF-8.
    trusted: bool,
    memory: usize,
    stack: Stack,
    /// The resource that ran out, and the anchor of the record that needed it.
    spent: Option<Spent>,
    /// Bytes of the input that a visit knows to be ASCII.
    pub(super) plain: &'a [u8],
    /// Whether the last run of pairs had some in another order than the schema's.
    pub(super) shuffled: bool,
    /// Whether a visit has found an error in the bytes, whatever its visitor did with the error.
    pub(super) malformed: bool,
}

impl<'a> Decoder<'a> {
    /// Creates the state for one input.
    #[inline]
    pub(crate) fn new(input: &'a [u8], options: &DecodeOptions) -> Decoder<'a> {
        Decoder {
            input: Input::new(input),
            depth: options.depth.min(DEPTH_CEILING),
            strict: options.strict,
            trusted: false,
            memory: options.memory_for(input.len()),
            stack: Stack::new(options.stack),
            spent: None,
            plain: &[],
            shuffled: false,
            malformed: false,
        }
    }

    /// Stops checking strings from now on (see [`super::Pool::decode_unchecked`]).
    pub(super) fn trust(&mut self) {
        (self.strict, self.trusted) = (false, true);
    }

    /// Returns the whole input.
    #[inline(always)]
    pub fn input(&self) -> Input<'a> {
        self.input
    }

    /// Returns a cursor at the start of a range.
    #[inline(always)]
    pub fn open(&self, range: Range<'a>) -> Cursor<'a> {
        self.input.open(range)
    }

    /// Returns the cursor's offset in the input.
    #[inline(always)]
    pub fn at(&self, cursor: &Cursor<'a>) -> u32 {
        cursor.offset(self.input)
    }

    /// Returns the number of levels that may still open.
    #[inline(always)]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Goes down one level. An error ends the decode, so only success needs [`Decoder::leave`].
    #[inline(always)]
    pub fn enter(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        Some(())
    }

    /// Does the same for messages that can contain messages of their own kind. `at` is the anchor of the record, in
    /// case the stack has no room (see [`crate::wire::check::check_part`]).
    #[inline(always)]
    pub fn enter_again(&mut self, at: impl FnOnce(&Self) -> u32) -> Option<()> {
        self.has_room_at(at)?;
        self.enter()
    }

    /// Checks that the stack has room for a message that can contain messages of its own kind.
    #[inline(always)]
    pub fn has_room(&mut self, range: Range<'a>) -> Option<()> {
        self.has_room_at(|d| d.start_of(range))
    }

    #[inline(always)]
    fn has_room_at(&mut self, at: impl FnOnce(&Self) -> u32) -> Option<()> {
        if self.stack.is_used_up() {
            self.spent = Some(Spent::Stack(at(self) as usize));
            return None;
        }
        Some(())
    }

    /// Charges memory for a message outside the tables, as much as for its row in one.
    #[inline(always)]
    pub fn charge<R>(&mut self, range: Range<'a>) -> Option<()> {
        let size = core::mem::size_of::<R>();
        if size > self.memory {
            self.spent = Some(Spent::Memory(self.start_of(range) as usize));
            return None;
        }
        self.memory -= size;
        Some(())
    }

    /// Goes back up one level.
    #[inline(always)]
    pub fn leave(&mut self) {
        self.depth += 1;
    }

    /// Goes back up to `depth`, from whatever level a visit has ended on.
    #[inline(always)]
    pub(super) fn back_to(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// Reports whether strings that the schema leaves unchecked are checked.
    #[inline(always)]
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// Returns the offset of a range in the input.
    #[inline(always)]
    pub fn start_of(&self, range: Range<'a>) -> u32 {
        self.input.offset_of(range)
    }

    /// Reads a string that is checked.
    #[inline(always)]
    pub fn text(&self, cursor: &mut Cursor<'a>) -> Option<Span> {
        let bytes = cursor.bytes()?;
        if !self.trusted && !is_utf8(bytes) {
            return None;
        }
        Some(Span::new(self.at(cursor) - bytes.len() as u32, bytes.len() as u32))
    }

    /// Reports whether the bytes of several strings are valid without checking each: all are ASCII, or trusted.
    #[inline(always)]
    pub fn plain(&self, bytes: &[u8]) -> bool {
        self.trusted || is_ascii(bytes)
    }

    /// Reads a string that is checked only with `strict`.
    #[inline(always)]
    pub fn string(&self, cursor: &mut Cursor<'a>) -> Option<Span> {
        if self.strict { self.text(cursor) } else { cursor.span(self.input) }
    }

    /// Reads a string that is checked.
    #[doc(hidden)]
    #[inline(always)]
    pub fn str(&self, c: &mut Cursor<'a>) -> Option<&'a str> {
        let bytes = c.bytes()?;
        if !self.is_plain(bytes) && !is_utf8(bytes) {
            return None;
        }
        // SAFETY: checked on the lines above; ASCII is UTF-8.
        Some(unsafe { core::str::from_utf8_unchecked(bytes) })
    }

    /// Reads a string that is checked only with `strict`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn proto_str(&self, c: &mut Cursor<'a>) -> Option<&'a ProtoStr> {
        let bytes = c.bytes()?;
        if self.strict() && !self.is_plain(bytes) && !is_utf8(bytes) {
            return None;
        }
        Some(ProtoStr::new(bytes))
    }

    /// Records these bytes of the input, if they are ASCII.
    #[inline(always)]
    pub(super) fn plain_text(&mut self, from: Cursor<'a>, to: Cursor<'a>) {
        let bytes = to.since(self.input(), from.pos());
        self.plain = if is_ascii(bytes) { bytes } else { &[] };
    }

    /// Reports whether a string lies in bytes that are known to be ASCII.
    #[inline(always)]
    fn is_plain(&self, bytes: &[u8]) -> bool {
        // The numbers of bytes before and after the string. Inputs are shorter than 2^31, so the sign bit of both
        // together says whether one is negative.
        let before = (bytes.as_ptr() as isize).wrapping_sub(self.plain.as_ptr() as isize);
        let after = (self.plain.len() as isize).wrapping_sub(before).wrapping_sub(bytes.len() as isize);
        before | after >= 0
    }

    /// Charges memory for `want` elements of `size` bytes, or for as many as are left, but at least `need`; returns
    /// their number. `anchor` identifies the record that needs them (see [`crate::wire::check::check_part`]).
    #[inline]
    pub(crate) fn take(&mut self, need: usize, want: usize, size: usize, anchor: u32) -> Option<usize> {
        let (size, want) = (size.max(1), want.max(need));
        if want.saturating_mul(size) <= self.memory {
            self.memory -= want * size;
            return Some(want);
        }
        self.take_rest(need, size, anchor)
    }

    /// Charges memory for all elements that are left.
    #[cold]
    #[inline(never)]
    fn take_rest(&mut self, need: usize, size: usize, anchor: u32) -> Option<usize> {
        let granted = self.memory / size;
        if granted < need {
            self.spent = Some(Spent::Memory(anchor as usize));
            return None;
        }
        self.memory -= granted * size;
        Some(granted)
    }

    /// Returns the resource that ran out.
    pub(crate) fn spent(&self) -> Option<Spent> {
        self.spent
    }
}
