//! The known label sets: a row of a table refers to its own by one number.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// A label, as two numbers of the dictionary.
pub type Pair = (u32, u32);

/// Distinct label sets, sorted by name and including `__name__`, and the table of each.
#[derive(Default)]
pub struct LabelSets {
    pairs: Vec<Pair>,
    /// Where each set ends in `pairs`.
    ends: Vec<usize>,
    tables: Vec<u32>,
    numbers: HashTable<u32>,
    hasher: RandomState,
    /// The number of the set after the one that was found or added last.
    expected: u32,
}

impl LabelSets {
    /// Returns the number of a set that was seen before. Senders write their series in the same order each time, so it
    /// compares the set that came next last time first, which needs no hash.
    #[inline]
    pub(crate) fn find_next(&mut self, set: &[Pair]) -> Option<u32> {
        let expected = self.expected;
        let found =
            if (expected as usize) < self.ends.len() && self.get(expected) == set { expected } else { self.find(set)? };
        self.expected = found + 1;
        Some(found)
    }

    /// Returns the number of a set that was seen before.
    pub fn find(&self, set: &[Pair]) -> Option<u32> {
        self.numbers.find(hash(&self.hasher, set), |&n| self.get(n) == set).copied()
    }

    /// Adds a new set and returns its number.
    pub fn insert(&mut self, set: &[Pair], table: u32) -> u32 {
        let number = u32::try_from(self.ends.len()).expect("label sets are forgotten long before there are 2^32");
        self.pairs.extend_from_slice(set);
        self.ends.push(self.pairs.len());
        self.tables.push(table);
        self.expected = number + 1;
        let LabelSets { pairs, ends, numbers, hasher, .. } = self;
        numbers.insert_unique(hash(hasher, set), number, |&n| hash(hasher, set_at(pairs, ends, n)));
        number
    }

    /// Returns the labels of a set.
    #[inline]
    pub fn get(&self, number: u32) -> &[Pair] {
        set_at(&self.pairs, &self.ends, number)
    }

    /// Returns the table for the rows of a set.
    #[inline]
    pub fn table(&self, number: u32) -> u32 {
        self.tables[number as usize]
    }

    /// Returns the number of sets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the approximate number of bytes that the sets and their index use.
    pub fn bytes(&self) -> usize {
        self.pairs.len() * size_of::<Pair>() + self.ends.len() * 24
    }

    /// Reports whether there are no sets.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn hash(hasher: &RandomState, set: &[Pair]) -> u64 {
    let mut state = hasher.build_hasher();
    for &(name, value) in set {
        state.write_u64(u64::from(name) << 32 | u64::from(value));
    }
    state.finish()
}

#[inline]
fn set_at<'a>(pairs: &'a [Pair], ends: &[usize], number: u32) -> &'a [Pair] {
    let n = number as usize;
    let start = if n == 0 { 0 } else { ends[n - 1] };
    &pairs[start..ends[n]]
}
