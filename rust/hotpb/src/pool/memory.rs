//! How much memory a pool keeps, and how it frees some of it.

use alloc::vec::Vec;

/// A value that keeps memory between decodes.
pub trait Memory {
    /// Returns the number of bytes that it keeps.
    fn bytes(&self) -> usize;
    /// Removes the content and keeps `keep / total` of the memory.
    fn shrink(&mut self, keep: usize, total: usize);
}

impl<T> Memory for Vec<T> {
    fn bytes(&self) -> usize {
        self.capacity() * core::mem::size_of::<T>()
    }

    fn shrink(&mut self, keep: usize, total: usize) {
        self.clear();
        // In 128 bits, because it is the product of two sizes.
        self.shrink_to((self.capacity() as u128 * keep as u128 / total.max(1) as u128) as usize);
    }
}
