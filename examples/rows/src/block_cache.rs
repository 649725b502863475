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
    /// In the order in which they were added.
    blocks: Vec<Block>,
    numbers: HashTable<u32>,
    hasher: RandomState,
    /// The number of the block after the one that was found last.
    expected: usize,
}

struct Block {
    start: usize,
    len: u32,
    set: u32,
}

impl Block {
    fn content<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..self.start + self.len as usize]
    }
}

impl BlockCache {
    /// Returns the label set of a block that was seen before.
    ///
    /// A sender writes its series in the same order each time. So it compares the block that came next last time first:
    /// that needs no hash, and the processor has its bytes already, because they follow those of the last block.
    #[inline]
    pub fn get(&mut self, block: &[u8]) -> Option<u32> {
        if let Some(expected) = self.blocks.get(self.expected)
            && expected.content(&self.bytes) == block
        {
            self.expected += 1;
            return Some(expected.set);
        }
        self.find(block)
    }

    fn find(&mut self, block: &[u8]) -> Option<u32> {
        let BlockCache { bytes, blocks, numbers, hasher, expected } = self;
        let number = *numbers.find(hasher.hash_one(block), |&n| blocks[n as usize].content(bytes) == block)?;
        *expected = number as usize + 1;
        Some(blocks[number as usize].set)
    }

    /// Adds a block that the cache does not have. The block must have been checked, because it is not examined again.
    pub fn insert(&mut self, block: &[u8], set: u32) {
        let BlockCache { bytes, blocks, numbers, hasher, expected } = self;
        let number = u32::try_from(blocks.len()).expect("blocks are forgotten long before there are 2^32");
        blocks.push(Block { start: bytes.len(), len: block.len() as u32, set });
        bytes.extend_from_slice(block);
        numbers.insert_unique(hasher.hash_one(block), number, |&n| hasher.hash_one(blocks[n as usize].content(bytes)));
        *expected = blocks.len();
    }

    /// Returns the approximate number of bytes that the cache uses.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.blocks.len() * (size_of::<Block>() + 2 * size_of::<u32>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_in_any_order() {
        let mut cache = BlockCache::default();
        let block = |n: u32| format!("{n:b}").into_bytes();
        for n in 0..100 {
            assert_eq!(cache.get(&block(n)), None);
            cache.insert(&block(n), 1000 + n);
        }
        let orders: [Vec<u32>; 4] = [
            (0..100).collect(),
            (0..100).rev().collect(),
            (0..100).map(|n| n * 37 % 100).collect(),
            // Blocks that begin alike, and one that is not there.
            vec![1, 3, 7, 100, 8, 9, 99, 0, 0],
        ];
        for order in orders {
            for n in order {
                assert_eq!(cache.get(&block(n)), (n < 100).then_some(1000 + n), "{n}");
            }
        }
    }
}
