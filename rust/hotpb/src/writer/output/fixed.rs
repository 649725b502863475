//! [`FixedBuffer`]: one piece of the caller's memory.

use super::sealed::Streams;
use crate::chunk::{LengthPolicy, Patch};
use crate::writer::error::WriteError;
use crate::writer::source::{Left, Piece, Source};
use crate::writer::stream::{Nature, Stream};
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// One piece of the caller's memory, which is filled to its last byte. A field that does not fit is the error
/// `BufferExhausted`; the output then ends with the last whole field, and parses.
///
/// ```
/// use hotpb::wkt::TimestampWriter;
/// use hotpb::writer::FixedBuffer;
/// let mut memory = [0; 64];
/// let mut out = FixedBuffer::new(&mut memory);
/// TimestampWriter::new(&mut out).seconds(150);
/// assert_eq!(out.status(), Ok(3));
/// assert_eq!(out.bytes()?, [0x08, 0x96, 0x01]);
/// # Ok::<(), hotpb::Error>(())
/// ```
///
/// The buffer cannot be touched while a message is being written to it.
pub struct FixedBuffer<'m> {
    stream: Stream<Memory<'m>>,
}

struct Memory<'m> {
    data: *mut u8,
    size: usize,
    borrow: PhantomData<&'m mut [u8]>,
}

// SAFETY: the pointer is an exclusive borrow of plain bytes.
unsafe impl Send for Memory<'_> {}
// SAFETY: it is not used through shared references.
unsafe impl Sync for Memory<'_> {}

// SAFETY: the memory is borrowed exclusively for `'m`, which `Memory` cannot outlive; `Memory` does not access it.
unsafe impl Source for Memory<'_> {
    fn next(&mut self, _full: Option<Left>) -> Option<Piece> {
        None
    }
    fn patch(&mut self, _patch: Patch) {}
}

impl<'m> FixedBuffer<'m> {
    /// Creates a buffer that writes into these bytes.
    #[inline]
    pub fn new(memory: &'m mut [u8]) -> FixedBuffer<'m> {
        FixedBuffer::with_policy(memory, LengthPolicy::default())
    }

    /// Creates a buffer with a policy for lengths (with only one chunk, `Compact` and `Minimal` are the same).
    #[inline]
    pub fn with_policy(memory: &'m mut [u8], policy: LengthPolicy) -> FixedBuffer<'m> {
        FixedBuffer::start(memory.as_mut_ptr(), memory.len(), policy)
    }

    /// Creates a buffer over uninitialised memory.
    #[inline]
    pub fn uninit(memory: &'m mut [MaybeUninit<u8>]) -> FixedBuffer<'m> {
        FixedBuffer::start(memory.as_mut_ptr().cast(), memory.len(), LengthPolicy::default())
    }

    #[inline(always)]
    fn start(data: *mut u8, size: usize, policy: LengthPolicy) -> FixedBuffer<'m> {
        let nature = Nature { policy, keeps: true, single: true };
        let mut buffer = FixedBuffer { stream: Stream::new(Memory { data, size, borrow: PhantomData }, nature) };
        buffer.clear();
        buffer
    }

    /// Starts again in the same memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        let Memory { data, size, .. } = self.stream.source;
        // SAFETY: the memory is borrowed exclusively, and no part of it is in use.
        self.stream.core.restart(unsafe { Piece::new(0, data, size).spoiled(0) });
    }

    /// Starts again in other memory.
    #[inline(always)]
    pub fn clear_into(&mut self, memory: &'m mut [u8]) {
        (self.stream.source.data, self.stream.source.size) = (memory.as_mut_ptr(), memory.len());
        self.clear();
    }

    /// Returns everything that was written if all messages are whole, else the error of the last one.
    #[inline]
    pub fn bytes(&self) -> Result<&[u8], WriteError> {
        self.stream.core.whole()
    }

    /// Returns everything that was written, whole or not: of a failed message, the part that parses
    /// ([`WriteError::valid_len`]).
    pub fn partial_bytes(&self) -> &[u8] {
        self.stream.core.partial()
    }

    /// Returns the length of the last message, or its error.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.settled()
    }
}

impl Streams for FixedBuffer<'_> {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        &mut self.stream
    }
}
