//! Where a writer's bytes go: chunks of memory that a source hands out one after the other (`spec/wire.md`, section 11).
//!
//! ```text
//!   next()   →  |tag|len|........|tag|00 00 00 00|.....|   a chunk comes back with its number of open length slots
//!   next()   →  |.......................................|
//!   patch()  →        the four bytes of a slot of a chunk that came back, and how many are still open in it
//!   finish() →        the message is complete
//! ```
//! A consumer may take a chunk away at once, but parses it only when its number of open slots is 0.
//!
//! **Promise of the writer.** Every chunk that `next` gave comes back once, through the following `next` or through
//! `finish`; every open slot is patched before `finish`, after errors too. The source is never called for a field
//! that fits into the current chunk.
//!
//! **Lending.** A chunk is a value that owns its memory ([`ChunkMemory`]: `Vec<u8>`, `Box<[u8]>`, `&mut [u8]`, …); it is moved
//! to the writer and moved back. So a source is safe code, and cannot touch what the writer is writing.
//!
//! ```
//! use hotpb::chunk::{Chunk, ChunkSource, Full, Patch};
//!
//! /// Keeps what it gets.
//! #[derive(Default)]
//! struct Keep(Vec<Full<Vec<u8>>>);
//!
//! impl ChunkSource for Keep {
//!     type Memory = Vec<u8>;
//!     fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
//!         self.0.extend(full);
//!         Some(Chunk { id: self.0.len() as u64, memory: vec![0; 64] })
//!     }
//!     fn patch(&mut self, patch: Patch) {
//!         let chunk = &mut self.0[patch.id as usize];
//!         chunk.memory[patch.offset..patch.offset + 4].copy_from_slice(&patch.bytes);
//!         chunk.open_slots = patch.still_open;
//!     }
//!     fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
//!         self.0.extend(last);
//!     }
//! }
//! # let _ = Keep::default();
//! ```

#[cfg(feature = "std")]
mod io;

#[cfg(feature = "std")]
pub use io::IoSource;

use alloc::boxed::Box;
use alloc::vec::Vec;

/// What a source gives at least; a smaller chunk goes back unused and counts as exhausted.
pub const MIN_CHUNK: usize = 64;

/// Gives chunks and gets them back. See the module's text.
pub trait ChunkSource {
    /// What the memory of a chunk is lent and returned as.
    type Memory: ChunkMemory;

    /// The next chunk, in exchange for the one that is full (none at first). `None`: exhausted.
    fn next(&mut self, full: Option<Full<Self::Memory>>) -> Option<Chunk<Self::Memory>>;

    /// A length of a chunk that has come back is known now.
    fn patch(&mut self, patch: Patch);

    /// The message is complete; the last chunk comes back with it (none when nothing was written).
    fn finish(&mut self, last: Option<Full<Self::Memory>>);
}

/// Memory to write into. All of it is overwritten from the front; it may hold anything.
#[derive(Debug)]
pub struct Chunk<M> {
    /// The source's own name for it. The ids of the current chunk and of those with open slots differ.
    pub id: u64,
    /// Its memory.
    pub memory: M,
}

/// A chunk that comes back.
#[derive(Debug)]
pub struct Full<M> {
    /// As the source named it.
    pub id: u64,
    /// Its memory.
    pub memory: M,
    /// As many bytes of it count, from the front.
    pub used: usize,
    /// As many lengths in it are four zero bytes until they are patched.
    pub open_slots: u32,
}

/// A length that is known now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Of a chunk that has come back.
    pub id: u64,
    /// Where in the chunk.
    pub offset: usize,
    /// What to write there.
    pub bytes: [u8; 4],
    /// How many slots of that chunk are still open then.
    pub still_open: u32,
}

/// How the lengths of nested messages are written, by buffers that keep all their chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthPolicy {
    /// One byte below 128; minimal, by one move, while the message is still in one chunk; else four bytes.
    #[default]
    Compact,
    /// Always four bytes (`87 80 80 00` for 7), never a move.
    Fixed4,
    /// Always minimal.
    Minimal,
}

/// The same for outputs whose chunks leave: what has left cannot be moved, so that `Minimal` is not among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamPolicy {
    /// One byte below 128; minimal, by one move, while the message is still in one chunk; else four bytes.
    #[default]
    Compact,
    /// Always four bytes, never a move.
    Fixed4,
}

impl From<StreamPolicy> for LengthPolicy {
    fn from(policy: StreamPolicy) -> LengthPolicy {
        match policy {
            StreamPolicy::Compact => LengthPolicy::Compact,
            StreamPolicy::Fixed4 => LengthPolicy::Fixed4,
        }
    }
}

/// Owned or exclusively borrowed bytes.
///
/// # Safety
/// [`ChunkMemory::parts`] gives the same memory each time, of as many writable and initialised bytes; moving the value
/// does not move that memory, and nothing but the value (and what is made from it) gives access to it.
pub unsafe trait ChunkMemory {
    /// The first byte and the number of bytes.
    fn parts(&mut self) -> (*mut u8, usize);
}

// SAFETY: a vector's elements stay where they are when it is moved, and are its own.
unsafe impl ChunkMemory for Vec<u8> {
    fn parts(&mut self) -> (*mut u8, usize) {
        (self.as_mut_ptr(), self.len())
    }
}

// SAFETY: what a box points to stays where it is when the box is moved, and is its own.
unsafe impl ChunkMemory for Box<[u8]> {
    fn parts(&mut self) -> (*mut u8, usize) {
        (self.as_mut_ptr(), self.len())
    }
}

// SAFETY: a mutable reference is the only access to what it points to.
unsafe impl ChunkMemory for &mut [u8] {
    fn parts(&mut self) -> (*mut u8, usize) {
        (self.as_mut_ptr(), self.len())
    }
}
