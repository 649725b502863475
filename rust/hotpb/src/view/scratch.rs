//! Memory for messages that came in several records.

use alloc::vec::Vec;
use core::cell::UnsafeCell;

/// Memory into which a view copies the records of a message that came in several, one after the other: that merges
/// them (VIW-7). Encoders write each message in one record, and then the scratch stays empty and allocates nothing.
///
/// One scratch serves any number of messages. They borrow from it, so it grows until [`Scratch::clear`], which the
/// borrow checker permits when all of these messages are gone. Keep one per worker and use it again.
#[derive(Default)]
pub struct Scratch {
    /// Each chunk has a fixed capacity, so that its bytes never move. No slice of the part that is filled is ever
    /// mutable again.
    chunks: UnsafeCell<Vec<Vec<u8>>>,
}

impl Scratch {
    /// Creates an empty scratch, without allocating.
    pub const fn new() -> Scratch {
        Scratch { chunks: UnsafeCell::new(Vec::new()) }
    }

    /// Forgets all messages and keeps the memory.
    pub fn clear(&mut self) {
        let chunks = self.chunks.get_mut();
        if chunks.len() > 1 {
            // The next messages of this size find room in one chunk.
            let size = chunks.iter().map(Vec::capacity).sum();
            chunks.clear();
            chunks.push(Vec::with_capacity(size));
        }
        chunks.iter_mut().for_each(Vec::clear);
    }

    /// Returns the number of bytes that are allocated.
    pub fn capacity(&self) -> usize {
        // SAFETY: as in `join`.
        unsafe { &*self.chunks.get() }.iter().map(Vec::capacity).sum()
    }

    /// Copies parts, one after the other. The iterators are those of this crate: they never use a scratch.
    pub(super) fn join<'a>(&self, parts: impl Iterator<Item = &'a [u8]> + Clone) -> &[u8] {
        let size = parts.clone().map(<[u8]>::len).sum();
        // SAFETY: a scratch is not `Sync`, and nothing that is called below uses it, so this is the only reference to
        // the list. Slices that were returned before point into the buffers of its chunks, not into the list.
        let chunks = unsafe { &mut *self.chunks.get() };
        if chunks.last().is_none_or(|chunk| chunk.capacity() - chunk.len() < size) {
            chunks.push(Vec::with_capacity(size));
        }
        let Some(chunk) = chunks.last_mut() else { return &[] };
        let start = chunk.len();
        for part in parts {
            // The iterators return the same parts again, so this never allocates; if it did, the slices that were
            // returned before would dangle.
            assert!(chunk.capacity() - chunk.len() >= part.len());
            chunk.extend_from_slice(part);
        }
        // SAFETY: these bytes were initialised above, in one allocation, which lives until `clear` or the end of the
        // scratch, and both need it mutably, or own it. Until then no one writes to them: the chunk is only appended to.
        unsafe { core::slice::from_raw_parts(chunk.as_ptr().add(start), chunk.len() - start) }
    }
}

impl core::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Scratch({} bytes)", self.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_were_joined_stay_where_they_are() {
        let mut scratch = Scratch::new();
        assert_eq!(scratch.capacity(), 0);
        for _ in 0..3 {
            let parts: [&[u8]; 4] = [b"ab", b"", b"c", b"defg"];
            let joined: Vec<&[u8]> = (0..20).map(|n| scratch.join(parts[..n % 5].iter().copied())).collect();
            for (n, bytes) in joined.iter().enumerate() {
                assert_eq!(*bytes, parts[..n % 5].concat());
            }
            scratch.clear();
        }
        let warm = scratch.capacity();
        assert_eq!(scratch.join([&b"1234"[..]].into_iter()), b"1234");
        assert_eq!(scratch.capacity(), warm);
    }
}
