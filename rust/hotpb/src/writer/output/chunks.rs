//! [`ChunkWriter`]: writing into the chunks of your own source.

use super::sealed::Streams;
use crate::chunk::{ChunkMemory, ChunkSource, Full, Patch, StreamPolicy};
use crate::writer::error::WriteError;
use crate::writer::source::{Left, Piece, Source};
use crate::writer::stream::{Nature, Stream};
use core::mem::{ManuallyDrop, MaybeUninit};

/// Writes messages into the chunks of a [`ChunkSource`]; each chunk leaves when it is full.
///
/// Write one message after the other, or several delimited ones, which share chunks until [`ChunkWriter::flush`].
///
/// ```
/// use hotpb::chunk::{Chunk, ChunkSource, Full, Patch};
/// use hotpb::wkt::TimestampWriter;
/// use hotpb::writer::ChunkWriter;
///
/// /// A ring of two slots in the caller's memory.
/// struct Ring<'m> {
///     free: Vec<&'m mut [u8]>,
///     full: Vec<(usize, &'m mut [u8])>,
/// }
///
/// impl<'m> ChunkSource for Ring<'m> {
///     type Memory = &'m mut [u8];
///     fn next(&mut self, full: Option<Full<&'m mut [u8]>>) -> Option<Chunk<&'m mut [u8]>> {
///         self.full.extend(full.map(|full| (full.used, full.memory)));
///         self.free.pop().map(|memory| Chunk { id: self.free.len() as u64, memory })
///     }
///     fn patch(&mut self, _: Patch) {}
///     fn finish(&mut self, last: Option<Full<&'m mut [u8]>>) {
///         self.full.extend(last.map(|last| (last.used, last.memory)));
///     }
/// }
///
/// let (mut a, mut b) = ([0; 64], [0; 64]);
/// let mut out = ChunkWriter::new(Ring { free: vec![&mut a, &mut b], full: Vec::new() });
/// TimestampWriter::new(&mut out).seconds(150);
/// assert_eq!(out.status(), Ok(3));
/// let ring = out.into_inner();
/// assert_eq!(ring.full[0].1[..ring.full[0].0], [0x08, 0x96, 0x01]);
/// # Ok::<(), hotpb::Error>(())
/// ```
pub struct ChunkWriter<S: ChunkSource> {
    stream: Stream<Lender<S>>,
}

/// Holds the chunk that the writer has pointers into.
struct Lender<S: ChunkSource> {
    source: S,
    /// `MaybeUninit`: moving this value must not assert access to the memory that the writer has pointers to.
    memory: MaybeUninit<S::Memory>,
    lent: bool,
}

impl<S: ChunkSource> Lender<S> {
    fn give_back(&mut self, left: Option<Left>) -> Option<Full<S::Memory>> {
        if !core::mem::take(&mut self.lent) {
            return None;
        }
        // SAFETY: the memory was lent, so it is initialised; from now on `lent` records that it is not.
        let memory = unsafe { self.memory.assume_init_read() };
        left.map(|Left { id, used, open_slots }| Full { id, memory, used, open_slots })
    }
}

// SAFETY: the memory belongs to a value that is kept here while it is lent. `ChunkMemory` guarantees that only that
// value owns the memory and that it does not move.
unsafe impl<S: ChunkSource> Source for Lender<S> {
    fn next(&mut self, full: Option<Left>) -> Option<Piece> {
        let full = self.give_back(full);
        let chunk = self.source.next(full)?;
        let (data, size) = self.memory.write(chunk.memory).parts();
        self.lent = true;
        // SAFETY: `ChunkMemory` guarantees that these bytes are writable.
        Some(unsafe { Piece::new(chunk.id, data, size).spoiled(0) })
    }

    fn patch(&mut self, patch: Patch) {
        self.source.patch(patch);
    }

    fn finish(&mut self, last: Option<Left>) {
        let last = self.give_back(last);
        self.source.finish(last);
    }
}

impl<S: ChunkSource> Drop for Lender<S> {
    fn drop(&mut self) {
        if self.lent {
            // SAFETY: the memory was lent, so it is initialised.
            unsafe { self.memory.assume_init_drop() };
        }
    }
}

impl<S: ChunkSource> ChunkWriter<S> {
    /// Creates a writer over a source.
    pub fn new(source: S) -> ChunkWriter<S> {
        ChunkWriter::with_policy(source, StreamPolicy::default())
    }

    /// Creates a writer over a source, with a policy for lengths.
    pub fn with_policy(source: S, policy: StreamPolicy) -> ChunkWriter<S> {
        let lender = Lender { source, memory: MaybeUninit::uninit(), lent: false };
        let nature = Nature { policy: policy.into(), keeps: false, single: false };
        ChunkWriter { stream: Stream::new(lender, nature) }
    }

    /// Returns the source.
    pub fn source(&self) -> &S {
        &self.stream.source.source
    }

    /// Returns the source, without the bytes that the writer still holds.
    pub fn source_mut(&mut self) -> &mut S {
        &mut self.stream.source.source
    }

    /// Hands over the last chunk of delimited messages.
    pub fn flush(&mut self) {
        self.stream().flush();
    }

    /// Hands over the last chunk and returns the source.
    pub fn into_inner(mut self) -> S {
        self.stream().end();
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used again; only its `source` and `memory` need dropping.
        unsafe {
            if this.stream.source.lent {
                this.stream.source.memory.assume_init_drop();
            }
            core::ptr::read(&this.stream.source.source)
        }
    }

    /// Returns the length of the last message, or its error.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.settled()
    }

    /// Clears the error. The source keeps the chunks that it has already received.
    pub fn reset(&mut self) {
        self.stream().end();
        self.stream.core.error = None;
        self.stream.core.update_limit();
    }
}

impl<S: ChunkSource> Drop for ChunkWriter<S> {
    fn drop(&mut self) {
        self.stream().end();
    }
}

impl<S: ChunkSource> Streams for ChunkWriter<S> {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        &mut self.stream
    }
}
