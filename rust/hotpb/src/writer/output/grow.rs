//! [`VecBuffer`]: one piece that grows.

use super::sealed::Streams;
use crate::chunk::{LengthPolicy, Patch};
use crate::writer::error::WriteError;
use crate::writer::source::{Left, Piece, Source};
use crate::writer::stream::{Nature, Stream};
use alloc::vec::Vec;

/// The operations of a vector that [`Growing`] needs. Between calls its length is 0, and the written bytes are in its
/// spare capacity.
///
/// # Safety
/// [`Growable::spare`] must be writable memory of that many bytes, which stays where it is until the next `&mut` call,
/// even when the value is moved.
pub(super) unsafe trait Growable: Send {
    fn spare(&mut self) -> (*mut u8, usize);
    /// Makes room for `more` bytes after the first `used` bytes, which it preserves.
    ///
    /// # Safety
    /// The first `used` bytes of the capacity must be initialised.
    unsafe fn reserve(&mut self, used: usize, more: usize) -> bool;
}

// SAFETY: moving a vector does not move its memory.
unsafe impl Growable for Vec<u8> {
    fn spare(&mut self) -> (*mut u8, usize) {
        let spare = self.spare_capacity_mut();
        (spare.as_mut_ptr().cast(), spare.len())
    }

    unsafe fn reserve(&mut self, used: usize, more: usize) -> bool {
        // SAFETY: the caller's promise; the length is 0 again before anyone reads it.
        unsafe { self.set_len(used) };
        let done = self.try_reserve(more).is_ok();
        self.clear();
        done
    }
}

/// The only chunk, at the front of a value that grows.
pub(super) struct Growing<G>(pub(super) G);

/// The smallest size of a first chunk.
const FIRST: usize = 256;

// SAFETY: the memory is the vector's own, and is accessed here only to grow.
unsafe impl<G: Growable> Source for Growing<G> {
    fn next(&mut self, _full: Option<Left>) -> Option<Piece> {
        None
    }
    fn patch(&mut self, _patch: Patch) {}

    fn grow(&mut self, used: usize, more: usize) -> Option<Piece> {
        // SAFETY: the stream has written the first `used` bytes of its piece, which starts where the capacity does.
        let done = unsafe { self.0.reserve(used, more.saturating_add(FIRST)) };
        // If there is no more room, the stream continues in the old piece, which `reserve` has not touched.
        // SAFETY: this is the spare capacity after the first `used` bytes.
        done.then(|| unsafe { self.piece().spoiled(used) })
    }
}

impl<G: Growable> Growing<G> {
    fn piece(&mut self) -> Piece {
        let (data, size) = self.0.spare();
        if size == 0 { Piece::nowhere() } else { Piece::new(0, data, size) }
    }
}

/// Creates a stream over a growing value, of which the first `used` bytes are written.
///
/// # Safety
/// Those bytes must be initialised.
pub(super) unsafe fn stream<G: Growable>(growable: G, used: usize, policy: LengthPolicy) -> Stream<Growing<G>> {
    let mut stream = Stream::new(Growing(growable), Nature { policy, keeps: true, single: true });
    restart(&mut stream);
    let core = &mut stream.core;
    core.at = core.begin.wrapping_add(used);
    core.message_start = core.offset();
    core.update_limit();
    stream
}

#[inline(always)]
pub(super) fn restart<G: Growable>(stream: &mut Stream<Growing<G>>) {
    let piece = stream.source.piece();
    stream.core.restart(piece);
}

/// One contiguous piece on the heap that grows; you get it as a `Vec<u8>` at the end.
///
/// ```
/// use hotpb::wkt::TimestampWriter;
/// use hotpb::writer::VecBuffer;
/// let mut out = VecBuffer::new();
/// TimestampWriter::new(&mut out).seconds(150);
/// assert_eq!(out.status(), Ok(3));
/// assert_eq!(out.bytes()?, [0x08, 0x96, 0x01]);
/// let vec: Vec<u8> = out.into_vec()?;
/// assert_eq!(vec.len(), 3);
/// # Ok::<(), hotpb::Error>(())
/// ```
pub struct VecBuffer {
    stream: Stream<Growing<Vec<u8>>>,
}

impl VecBuffer {
    /// Creates an empty buffer.
    pub fn new() -> VecBuffer {
        VecBuffer::from(Vec::new())
    }

    /// Creates a buffer that appends to `vec`, with a policy for lengths (`Compact` and `Minimal` are the same here).
    pub fn with_policy(mut vec: Vec<u8>, policy: LengthPolicy) -> VecBuffer {
        let used = vec.len();
        vec.clear();
        // SAFETY: these were the vector's elements.
        VecBuffer { stream: unsafe { stream(vec, used, policy) } }
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

    /// Returns everything that was written as a vector, if all messages are whole.
    pub fn into_vec(self) -> Result<Vec<u8>, WriteError> {
        self.stream.core.whole()?;
        Ok(self.into_partial_vec())
    }

    /// Returns everything that was written as a vector, whole or not.
    pub fn into_partial_vec(self) -> Vec<u8> {
        let used = self.stream.core.partial().len();
        let mut vec = self.stream.source.0;
        // SAFETY: the stream has written at least the first `used` bytes.
        unsafe { vec.set_len(used) };
        vec
    }

    /// Returns the length of the last message, or its error.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.settled()
    }
}

impl Default for VecBuffer {
    fn default() -> VecBuffer {
        VecBuffer::new()
    }
}

impl From<Vec<u8>> for VecBuffer {
    /// Creates a buffer that appends to `vec`.
    fn from(vec: Vec<u8>) -> VecBuffer {
        VecBuffer::with_policy(vec, LengthPolicy::default())
    }
}

impl Streams for VecBuffer {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        &mut self.stream
    }
}
