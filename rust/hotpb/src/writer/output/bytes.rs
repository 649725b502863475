//! [`BytesBuffer`]: one piece from which messages are split off and shared, a `bytes::BytesMut`.

use super::grow::{Growable, Growing, restart, stream};
use super::sealed::Streams;
use crate::chunk::LengthPolicy;
use crate::writer::error::WriteError;
use crate::writer::source::Source;
use crate::writer::stream::Stream;
use bytes::{Bytes, BytesMut};

// SAFETY: moving a `BytesMut` does not move the memory that it refers to.
unsafe impl Growable for BytesMut {
    fn spare(&mut self) -> (*mut u8, usize) {
        let spare = self.spare_capacity_mut();
        (spare.as_mut_ptr().cast(), spare.len())
    }

    unsafe fn reserve(&mut self, used: usize, more: usize) -> bool {
        // SAFETY: the caller's promise; the length is 0 again before anyone reads it.
        unsafe { self.set_len(used) };
        BytesMut::reserve(self, more);
        self.clear();
        true
    }
}

/// One contiguous piece that grows. Messages are split off without a copy (feature `bytes`).
///
/// ```
/// use hotpb::wkt::TimestampWriter;
/// use hotpb::writer::BytesBuffer;
/// let mut out = BytesBuffer::new();
/// TimestampWriter::new(&mut out).seconds(150);
/// let first: bytes::Bytes = out.split()?;
/// TimestampWriter::new(&mut out).nanos(1);
/// assert_eq!((&first[..], out.bytes()?), (&[0x08, 0x96, 0x01][..], &[0x10, 1][..]));
/// # Ok::<(), hotpb::Error>(())
/// ```
pub struct BytesBuffer {
    stream: Stream<Growing<BytesMut>>,
}

impl BytesBuffer {
    /// Creates an empty buffer.
    pub fn new() -> BytesBuffer {
        BytesBuffer::from(BytesMut::new())
    }

    /// Creates a buffer that appends to `bytes`, with a policy for lengths.
    pub fn with_policy(mut bytes: BytesMut, policy: LengthPolicy) -> BytesBuffer {
        let used = bytes.len();
        bytes.clear();
        // SAFETY: these bytes were initialised before.
        BytesBuffer { stream: unsafe { stream(bytes, used, policy) } }
    }

    /// Splits off everything that was written, and continues after it. Returns the error, and splits off nothing, if a
    /// message is not whole; see [`BytesBuffer::clear`].
    pub fn split(&mut self) -> Result<Bytes, WriteError> {
        self.stream.core.whole()?;
        let bytes = core::mem::take(&mut self.stream.source.0);
        let mut bytes = self.filled(bytes);
        let written = bytes.split().freeze();
        self.stream.source.0 = bytes;
        restart(&mut self.stream);
        Ok(written)
    }

    /// Starts again in the same memory.
    #[inline]
    pub fn clear(&mut self) {
        restart(&mut self.stream);
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

    /// Returns everything that was written as a `BytesMut`, if all messages are whole.
    pub fn into_inner(self) -> Result<BytesMut, WriteError> {
        self.stream.core.whole()?;
        Ok(self.into_partial_inner())
    }

    /// Returns everything that was written as a `BytesMut`, whole or not.
    pub fn into_partial_inner(mut self) -> BytesMut {
        let bytes = core::mem::take(&mut self.stream.source.0);
        self.filled(bytes)
    }

    /// Returns the length of the last message, or its error.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.settled()
    }

    fn filled(&self, mut bytes: BytesMut) -> BytesMut {
        // SAFETY: this is the stream's memory, and the stream has written that many bytes.
        unsafe { bytes.set_len(self.stream.core.partial().len()) };
        bytes
    }
}

impl Default for BytesBuffer {
    fn default() -> BytesBuffer {
        BytesBuffer::new()
    }
}

impl From<BytesMut> for BytesBuffer {
    /// Creates a buffer that appends to `bytes`.
    fn from(bytes: BytesMut) -> BytesBuffer {
        BytesBuffer::with_policy(bytes, LengthPolicy::default())
    }
}

impl Streams for BytesBuffer {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        &mut self.stream
    }
}
