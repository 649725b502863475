//! Memory that a stream writes to, and where it comes from.

use crate::chunk::Patch;

/// A chunk as the stream holds it.
pub struct Piece {
    pub(super) id: u64,
    pub(super) data: *mut u8,
    pub(super) size: usize,
}

impl Piece {
    /// Memory at the very start of the address space is not used: `limit` may be that small when it means "nothing fits".
    #[inline(always)]
    pub(super) fn new(id: u64, data: *mut u8, size: usize) -> Piece {
        if data.addr() < 512 { Piece::nowhere() } else { Piece { id, data, size } }
    }

    /// In builds for tests: a pattern after the first `used` bytes. What was there before must not matter, nor come out.
    /// (Miri sees by itself what was never written.)
    ///
    /// # Safety
    /// All bytes after these are writable.
    #[inline(always)]
    pub(super) unsafe fn spoiled(self, used: usize) -> Piece {
        if cfg!(all(debug_assertions, not(miri))) && used < self.size {
            // SAFETY: the caller's promise, and inside of the piece.
            unsafe { self.data.add(used).write_bytes(0xa7, self.size - used) };
        }
        self
    }

    /// No memory.
    pub(super) fn nowhere() -> Piece {
        static NOTHING: [u8; 0] = [];
        Piece { id: 0, data: NOTHING.as_ptr().cast_mut(), size: 0 }
    }
}

/// A chunk that is given back.
pub struct Left {
    pub(super) id: u64,
    pub(super) used: usize,
    pub(super) open_slots: u32,
}

/// Where pieces come from; what outputs differ in.
///
/// # Safety
/// The memory of a piece is writable, and accessed through nothing but the pointer of the piece, until the piece is given
/// back (to `next`, `finish` or `grow`), the output starts again, or is dropped. Moving the source does not move it.
pub unsafe trait Source {
    /// As [`crate::chunk::ChunkSource::next`].
    fn next(&mut self, full: Option<Left>) -> Option<Piece>;

    /// As [`crate::chunk::ChunkSource::patch`].
    fn patch(&mut self, patch: Patch);

    /// As [`crate::chunk::ChunkSource::finish`]. Not called by outputs that keep all their chunks.
    fn finish(&mut self, _last: Option<Left>) {}

    /// Of an output that keeps all its chunks: replaces the one-byte slot at `offset` by `length`, moving what is after
    /// it. There is room for that.
    fn widen(&mut self, _id: u64, _offset: usize, _length: &[u8]) {}

    /// Of an output that is one piece: a larger piece with the first `used` bytes in it, and room for `more` after them.
    fn grow(&mut self, _used: usize, _more: usize) -> Option<Piece> {
        None
    }
}
