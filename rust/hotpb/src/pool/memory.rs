//! How much memory a pool keeps, and giving some of it back.

use alloc::vec::Vec;

/// What keeps memory between decodes.
pub trait Memory {
    /// The bytes it keeps.
    fn bytes(&self) -> usize;
    /// Forgets what it holds and keeps `keep / of` of its memory.
    fn shrink(&mut self, keep: usize, of: usize);
}

impl<T> Memory for Vec<T> {
    fn bytes(&self) -> usize {
        self.capacity() * core::mem::size_of::<T>()
    }

    fn shrink(&mut self, keep: usize, of: usize) {
        self.clear();
        // In 128 bits: the product of two sizes.
        self.shrink_to((self.capacity() as u128 * keep as u128 / of.max(1) as u128) as usize);
    }
}
