//! The memory that a stream writes to, and its source.

use crate::chunk::Patch;

/// A chunk as the stream holds it.
pub struct Piece {
    pub(super) id: u64,
    pub(super) data: *mut u8,
    pub(super) size: usize,
}

impl Piece {
    /// Memory at the very start of the address space is not used: `limit` may be that small if it means "nothing fits".
    #[inline(always)]
    pub(super) fn new(id: u64, data: *mut u8, size: usize) -> Piece {
        if data.addr() < 512 { Piece::nowhere() } else { Piece { id, data, size } }
    }

    /// In test builds, fills the bytes after the first `used` with a pattern. Their previous content must neither
    /// matter nor be written out. (Miri itself detects bytes that were never written.)
    ///
    /// # Safety
    /// All bytes after the first `used` must be writable.
    #[inline(always)]
    pub(super) unsafe fn spoiled(self, used: usize) -> Piece {
        if cfg!(all(debug_assertions, not(miri))) && used < self.size {
            // SAFETY: the caller's promise; the bytes lie within the piece.
            unsafe { self.data.add(used).write_bytes(0xa7, self.size - used) };
        }
        self
    }

    /// Returns a piece without memory.
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

/// The source of pieces: the part in which outputs differ.
///
/// # Safety
/// The memory of a piece must be writable, and accessed only through the pointer of the piece, until the piece is given
/// back (to `next`, `finish` or `grow`), or the output starts again or is dropped. Moving the source must not move the
/// memory.
///
/// `Send`, because a writer borrows its source through `dyn Source`, and must be able to cross an `await`.
pub unsafe trait Source: Send {
    /// See [`crate::chunk::ChunkSource::next`].
    fn next(&mut self, full: Option<Left>) -> Option<Piece>;

    /// See [`crate::chunk::ChunkSource::patch`].
    fn patch(&mut self, patch: Patch);

    /// See [`crate::chunk::ChunkSource::finish`]. Not called for outputs that keep all their chunks.
    fn finish(&mut self, _last: Option<Left>) {}

    /// For outputs that keep all their chunks: replaces the one-byte slot at `offset` by `length`, and moves the bytes
    /// after it. There is room for that.
    fn widen(&mut self, _id: u64, _offset: usize, _length: &[u8]) {}

    /// For outputs in one piece: returns a larger piece that has the first `used` bytes and room for `more` after them.
    fn grow(&mut self, _used: usize, _more: usize) -> Option<Piece> {
        None
    }
}
