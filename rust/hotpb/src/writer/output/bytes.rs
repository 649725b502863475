//! One piece that is split off and shared: `bytes::BytesMut`.

use super::grow::{Growable, Growing, restart, stream};
use super::sealed::Streams;
use crate::chunk::LengthPolicy;
use crate::writer::error::WriteError;
use crate::writer::source::Source;
use crate::writer::stream::Stream;
use bytes::{Bytes, BytesMut};

// SAFETY: the memory that a `BytesMut` refers to stays where it is when the value is moved.
unsafe impl Growable for BytesMut {
    fn spare(&mut self) -> (*mut u8, usize) {
        let spare = self.spare_capacity_mut();
        (spare.as_mut_ptr().cast(), spare.len())
    }

    unsafe fn reserve(&mut self, used: usize, more: usize) -> bool {
        // SAFETY: the caller's promise; the length is 0 again before anybody looks.
        unsafe { self.set_len(used) };
        BytesMut::reserve(self, more);
        self.clear();
        true
    }
}

/// One contiguous piece that grows, and from which messages are split off without a copy (feature `bytes`).
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
    /// An empty one.
    pub fn new() -> BytesBuffer {
        BytesBuffer::from(BytesMut::new())
    }

    /// After what is there already, with a policy for lengths.
    pub fn with_policy(mut bytes: BytesMut, policy: LengthPolicy) -> BytesBuffer {
        let used = bytes.len();
        bytes.clear();
        // SAFETY: these bytes were there.
        BytesBuffer { stream: unsafe { stream(bytes, used, policy) } }
    }

    /// Takes what was written, and starts again after it. What is not whole messages is not taken; see
    /// [`BytesBuffer::clear`].
    pub fn split(&mut self) -> Result<Bytes, WriteError> {
        self.stream.core.whole()?;
        let bytes = core::mem::take(&mut self.stream.source.0);
        let mut bytes = self.filled(bytes);
        let written = bytes.split().freeze();
        self.stream.source.0 = bytes;
        restart(&mut self.stream);
        Ok(written)
    }

    /// Starts again, in the same memory.
    #[inline]
    pub fn clear(&mut self) {
        restart(&mut self.stream);
    }

    /// What was written, if all of it is whole messages; else what went wrong with the last one.
    #[inline]
    pub fn bytes(&self) -> Result<&[u8], WriteError> {
        self.stream.core.whole()
    }

    /// What was written, whole or not: of a message that has failed as much as parses ([`WriteError::valid_len`]).
    pub fn partial_bytes(&self) -> &[u8] {
        self.stream.core.partial()
    }

    /// What was written, as a `BytesMut`, if all of it is whole messages.
    pub fn into_inner(self) -> Result<BytesMut, WriteError> {
        self.stream.core.whole()?;
        Ok(self.into_partial_inner())
    }

    /// What was written, whole or not, as a `BytesMut`.
    pub fn into_partial_inner(mut self) -> BytesMut {
        let bytes = core::mem::take(&mut self.stream.source.0);
        self.filled(bytes)
    }

    /// The length of the last message, or what went wrong.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.settled()
    }

    fn filled(&self, mut bytes: BytesMut) -> BytesMut {
        // SAFETY: these are the stream's, which has written as much.
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
    /// After what is there already.
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
