//! Where a writer's bytes go: chunks of memory that a source lends one after the other (`spec/wire.md`, section 11).
//!
//! ```text
//!   next()   →  |tag|len|........|tag|00 00 00 00|.....|   a chunk comes back with its number of open length slots
//!   next()   →  |.......................................|
//!   patch()  →        the four bytes of a slot of a chunk that came back, and how many are still open in it
//!   finish() →        the message is complete
//! ```
//! A consumer may take a chunk away at once, but must not parse it until its number of open slots is 0.
//!
//! **Promise of the writer.** Every chunk that `next` returned comes back once, through the following `next` or through
//! `finish`. Every open slot is patched before `finish`, even after an error. The writer does not call the source for a
//! field that fits into the current chunk.
//!
//! **Lending.** A chunk is a value that owns its memory ([`ChunkMemory`]: `Vec<u8>`, `Box<[u8]>`, `&mut [u8]`, …). It
//! is moved to the writer and moved back. So a source is safe code, and cannot touch the chunk that the writer is
//! writing.
//!
//! ```
//! use hotpb::chunk::{Chunk, ChunkSource, Full, Patch};
//!
//! /// Keeps every chunk.
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

/// The smallest chunk that a source may return. A smaller chunk goes back unused, and the source counts as exhausted.
pub const MIN_CHUNK: usize = 64;

/// Lends chunks to a writer and receives them back. See the module documentation.
///
/// A source can be sent to another thread, because a message in progress can: a task may hold it across an `await`.
/// Share its state through an `Arc` and a `Mutex`, not an `Rc` and a `RefCell`.
pub trait ChunkSource: Send {
    /// The memory of a chunk, as it is lent and returned.
    type Memory: ChunkMemory + Send;

    /// Returns the next chunk in exchange for the full one (`None` at first). Returns `None` when the source is
    /// exhausted.
    fn next(&mut self, full: Option<Full<Self::Memory>>) -> Option<Chunk<Self::Memory>>;

    /// Receives a length for a slot of a chunk that has come back.
    fn patch(&mut self, patch: Patch);

    /// The message is complete. The last chunk comes back here (`None` when nothing was written).
    fn finish(&mut self, last: Option<Full<Self::Memory>>);
}

/// A chunk to write into. The writer overwrites it from the front; its previous content does not matter.
#[derive(Debug)]
pub struct Chunk<M> {
    /// The id that the source has chosen. The ids of the current chunk and of all chunks with open slots must differ.
    pub id: u64,
    /// The memory of the chunk.
    pub memory: M,
}

/// A chunk that comes back.
#[derive(Debug)]
pub struct Full<M> {
    /// The id that the source has chosen.
    pub id: u64,
    /// The memory of the chunk.
    pub memory: M,
    /// The number of bytes in use, from the front.
    pub used: usize,
    /// The number of lengths in the chunk that are still four zero bytes and will be patched.
    pub open_slots: u32,
}

/// A length that has become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The id of the chunk, which has already come back.
    pub id: u64,
    /// The offset in that chunk.
    pub offset: usize,
    /// The bytes to write there.
    pub bytes: [u8; 4],
    /// The number of slots of that chunk that remain open after this patch.
    pub still_open: u32,
}

/// How buffers that keep all their chunks write the lengths of nested messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthPolicy {
    /// One byte below 128. From 128 on minimal, by moving the content once, while the message is in one chunk; else
    /// four bytes.
    #[default]
    Compact,
    /// Always four bytes (`87 80 80 00` for 7); nothing is ever moved.
    Fixed4,
    /// Always minimal.
    Minimal,
}

/// How outputs whose chunks leave write the lengths of nested messages. There is no `Minimal`: a chunk that has left
/// cannot be changed in length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamPolicy {
    /// One byte below 128. From 128 on minimal, by moving the content once, while the message is in one chunk; else
    /// four bytes.
    #[default]
    Compact,
    /// Always four bytes; nothing is ever moved.
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
/// [`ChunkMemory::parts`] must return the same memory each time, with that many writable and initialised bytes. Moving
/// the value must not move that memory, and nothing but the value (and pointers derived from it) may access it.
pub unsafe trait ChunkMemory {
    /// Returns a pointer to the first byte, and the number of bytes.
    fn parts(&mut self) -> (*mut u8, usize);
}

// SAFETY: moving a vector does not move its elements, and only the vector owns them.
unsafe impl ChunkMemory for Vec<u8> {
    fn parts(&mut self) -> (*mut u8, usize) {
        (self.as_mut_ptr(), self.len())
    }
}

// SAFETY: moving a box does not move what it points to, and only the box owns it.
unsafe impl ChunkMemory for Box<[u8]> {
    fn parts(&mut self) -> (*mut u8, usize) {
        (self.as_mut_ptr(), self.len())
    }
}

// SAFETY: a mutable reference is the only access to the memory it points to.
unsafe impl ChunkMemory for &mut [u8] {
    fn parts(&mut self) -> (*mut u8, usize) {
        (self.as_mut_ptr(), self.len())
    }
}
