//! The series cache: label blocks as they stood on the wire, and the label set that each was found to be.
//!
//! Senders repeat the labels of a series byte for byte in every request. A block that was parsed and found good once is
//! known by its bytes from then on: one hash and one comparison in place of parsing, checking UTF-8 and interning.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Label sets by the bytes of their block. Holds 1.0 blocks only: those of 2.0 are references into one request's symbols.
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
    /// The label set of a block that was seen before.
    #[inline]
    pub fn get(&self, block: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(block);
        self.entries.find(hash, |e| e.block(&self.bytes) == block).map(|e| e.set)
    }

    /// Remembers a block that is not there yet. It must have been checked: it will not be looked into again.
    pub fn insert(&mut self, block: &[u8], set: u32) {
        let entry = Entry { start: self.bytes.len(), len: block.len() as u32, set };
        self.bytes.extend_from_slice(block);
        let BlockCache { bytes, entries, hasher } = self;
        entries.insert_unique(hasher.hash_one(block), entry, |e| hasher.hash_one(e.block(bytes)));
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.entries.len() * 2 * size_of::<Entry>()
    }
}
