//! Where strings and bytes are in an input. Rows hold spans, not pointers.

/// Offset and length of bytes in an input of less than 2 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Span {
    off: u32,
    len: u32,
}

impl Span {
    /// The empty span.
    pub const EMPTY: Span = Span { off: 0, len: 0 };

    /// The offset of the length in a span.
    pub(crate) const LEN_AT: usize = core::mem::offset_of!(Span, len);

    /// Creates a span from an offset and a length.
    #[inline(always)]
    pub const fn new(off: u32, len: u32) -> Span {
        Span { off, len }
    }

    /// Returns the offset of the first byte.
    #[inline(always)]
    pub const fn start(self) -> usize {
        self.off as usize
    }

    /// Returns the offset after the last byte.
    #[inline(always)]
    pub const fn end(self) -> usize {
        self.off as usize + self.len as usize
    }

    /// Returns the number of bytes.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Reports whether the span is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the bytes of the span in its input. Panics if `input` is another input that is too short.
    #[inline(always)]
    pub fn bytes(self, input: &[u8]) -> &[u8] {
        &input[self.start()..self.end()]
    }

    /// Returns the span as one word, for slots that hold values of several types.
    #[inline(always)]
    pub const fn to_bits(self) -> u64 {
        self.off as u64 | (self.len as u64) << 32
    }

    /// Converts a word back, as the inverse of [`Span::to_bits`].
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Span {
        Span { off: bits as u32, len: (bits >> 32) as u32 }
    }
}
