//! The label sets that were seen: a row of a table names its own by one number.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// A label: numbers of the dictionary.
pub type Pair = (u32, u32);

/// Distinct label sets, sorted by name, `__name__` among them, and the table of each.
#[derive(Default)]
pub struct LabelSets {
    pairs: Vec<Pair>,
    /// Where each set ends in `pairs`.
    ends: Vec<usize>,
    tables: Vec<u32>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl LabelSets {
    /// The number of a set that was seen before.
    pub fn find(&self, set: &[Pair]) -> Option<u32> {
        self.numbers.find(hash(&self.hasher, set), |&n| self.get(n) == set).copied()
    }

    /// Adds a set that was not seen before, and gives its number.
    pub fn insert(&mut self, set: &[Pair], table: u32) -> u32 {
        let number = u32::try_from(self.ends.len()).expect("label sets are forgotten long before there are 2^32");
        self.pairs.extend_from_slice(set);
        self.ends.push(self.pairs.len());
        self.tables.push(table);
        let LabelSets { pairs, ends, numbers, hasher, .. } = self;
        numbers.insert_unique(hash(hasher, set), number, |&n| hash(hasher, set_at(pairs, ends, n)));
        number
    }

    /// The labels of a set.
    #[inline]
    pub fn get(&self, number: u32) -> &[Pair] {
        set_at(&self.pairs, &self.ends, number)
    }

    /// The table that rows of a set go to.
    #[inline]
    pub fn table(&self, number: u32) -> u32 {
        self.tables[number as usize]
    }

    /// How many sets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// About how many bytes they take, with what finds them.
    pub fn bytes(&self) -> usize {
        self.pairs.len() * size_of::<Pair>() + self.ends.len() * 24
    }

    /// Whether none was seen.
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
