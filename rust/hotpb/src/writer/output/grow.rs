//! One piece that grows.

use super::sealed::Streams;
use crate::chunk::{LengthPolicy, Patch};
use crate::writer::error::WriteError;
use crate::writer::source::{Left, Piece, Source};
use crate::writer::stream::{Nature, Stream};
use alloc::vec::Vec;

/// A vector, as far as this needs it. Between calls its length is 0, and what is written lies in its spare capacity.
///
/// # Safety
/// [`Growable::spare`] is writable memory of as many bytes, which stays where it is until the next `&mut` call, also
/// when the value is moved.
pub(super) unsafe trait Growable {
    fn spare(&mut self) -> (*mut u8, usize);
    /// Sees to it that after the first `used` bytes there are `more`, and leaves those bytes as they are.
    ///
    /// # Safety
    /// The first `used` bytes of the capacity are written.
    unsafe fn reserve(&mut self, used: usize, more: usize) -> bool;
}

// SAFETY: a vector's memory stays where it is when it is moved.
unsafe impl Growable for Vec<u8> {
    fn spare(&mut self) -> (*mut u8, usize) {
        let spare = self.spare_capacity_mut();
        (spare.as_mut_ptr().cast(), spare.len())
    }

    unsafe fn reserve(&mut self, used: usize, more: usize) -> bool {
        // SAFETY: the caller's promise; the length is 0 again before anybody looks.
        unsafe { self.set_len(used) };
        let done = self.try_reserve(more).is_ok();
        self.clear();
        done
    }
}

/// The only chunk, at the front of what grows.
pub(super) struct Growing<G>(pub(super) G);

/// What a first chunk has, at least.
const FIRST: usize = 256;

// SAFETY: the memory is the vector's own, and not touched but to grow.
unsafe impl<G: Growable> Source for Growing<G> {
    fn next(&mut self, _full: Option<Left>) -> Option<Piece> {
        None
    }
    fn patch(&mut self, _patch: Patch) {}

    fn grow(&mut self, used: usize, more: usize) -> Option<Piece> {
        // SAFETY: the stream has written the first `used` bytes of its piece, which starts where the capacity does.
        let done = unsafe { self.0.reserve(used, more.saturating_add(FIRST)) };
        // Without more room the stream goes on in the old piece, which is not touched, then.
        // SAFETY: spare capacity after the first `used` bytes.
        done.then(|| unsafe { self.piece().spoiled(used) })
    }
}

impl<G: Growable> Growing<G> {
    fn piece(&mut self) -> Piece {
        let (data, size) = self.0.spare();
        if size == 0 { Piece::nowhere() } else { Piece::new(0, data, size) }
    }
}

/// A stream over what grows, with `used` bytes of it written.
///
/// # Safety
/// They are.
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

/// One contiguous piece on the heap that grows: a `Vec<u8>`, in the end.
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
    /// An empty one.
    pub fn new() -> VecBuffer {
        VecBuffer::from(Vec::new())
    }

    /// After what is in the vector already, with a policy for lengths (`Compact` and `Minimal` are the same here).
    pub fn with_policy(mut vec: Vec<u8>, policy: LengthPolicy) -> VecBuffer {
        let used = vec.len();
        vec.clear();
        // SAFETY: these were the vector's elements.
        VecBuffer { stream: unsafe { stream(vec, used, policy) } }
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

    /// What was written, as a vector, if all of it is whole messages.
    pub fn into_vec(self) -> Result<Vec<u8>, WriteError> {
        self.stream.core.whole()?;
        Ok(self.into_partial_vec())
    }

    /// What was written, whole or not, as a vector.
    pub fn into_partial_vec(self) -> Vec<u8> {
        let used = self.stream.core.partial().len();
        let mut vec = self.stream.source.0;
        // SAFETY: the stream has written the first `used` bytes, and more.
        unsafe { vec.set_len(used) };
        vec
    }

    /// The length of the last message, or what went wrong.
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
    /// After what is in the vector already.
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
