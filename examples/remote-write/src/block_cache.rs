//! The series cache: label blocks as they were on the wire, with the label set of each.
//!
//! Senders repeat the labels of a series byte for byte in every request. The cache identifies a block that was parsed
//! and found valid once by its bytes: one hash and one comparison replace parsing, checking UTF-8 and interning.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Label sets by the bytes of their blocks. It holds only 1.0 blocks: those of 2.0 are references to one request's
/// symbols.
#[derive(Default)]
pub struct BlockCache {
    bytes: Vec<u8>,
    entries: HashTable<Entry>,
    hasher: RandomState,
}

struct Entry {
    start: usize,
    len: u32,
    set: u32,
}

impl Entry {
    fn block<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..self.start + self.len as usize]
    }
}

impl BlockCache {
    /// Returns the label set of a block that was seen before.
    #[inline]
    pub fn get(&self, block: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(block);
        self.entries.find(hash, |e| e.block(&self.bytes) == block).map(|e| e.set)
    }

    /// Adds a block that the cache does not have. The block must have been checked, because it is not examined again.
    pub fn insert(&mut self, block: &[u8], set: u32) {
        let entry = Entry { start: self.bytes.len(), len: block.len() as u32, set };
        self.bytes.extend_from_slice(block);
        let BlockCache { bytes, entries, hasher } = self;
        entries.insert_unique(hasher.hash_one(block), entry, |e| hasher.hash_one(e.block(bytes)));
    }

    /// Returns the approximate number of bytes that the cache uses.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.entries.len() * 2 * size_of::<Entry>()
    }
}
