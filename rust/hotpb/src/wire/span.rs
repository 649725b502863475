//! Where strings and bytes stand in an input: what rows hold of them.

/// Offset and length of bytes in an input of less than 2 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Span {
    off: u32,
    len: u32,
}

impl Span {
    /// No bytes.
    pub const EMPTY: Span = Span { off: 0, len: 0 };

    /// Where it has its length.
    pub(crate) const LEN_AT: usize = core::mem::offset_of!(Span, len);

    /// Offset and length.
    #[inline(always)]
    pub const fn new(off: u32, len: u32) -> Span {
        Span { off, len }
    }

    /// The first byte's offset.
    #[inline(always)]
    pub const fn start(self) -> usize {
        self.off as usize
    }

    /// The offset after the last byte.
    #[inline(always)]
    pub const fn end(self) -> usize {
        self.off as usize + self.len as usize
    }

    /// The number of bytes.
    #[inline(always)]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether it is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The bytes in their input. Panics when it is not their input and too short.
    #[inline(always)]
    pub fn bytes(self, input: &[u8]) -> &[u8] {
        &input[self.start()..self.end()]
    }

    /// As one word, for slots that hold values of several types.
    #[inline(always)]
    pub const fn to_bits(self) -> u64 {
        self.off as u64 | (self.len as u64) << 32
    }

    /// Undoes [`Span::to_bits`].
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Span {
        Span { off: bits as u32, len: (bits >> 32) as u32 }
    }
}
