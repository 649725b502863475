//! A map from the bytes of a series' labels to the known series, optimised for keys that come in the same order again
//! and again: they are stored one after the other, and the table of hashes is small.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::columns::Series;

/// The position of a key in `bytes`, and its value.
struct Entry {
    start: u32,
    end: u32,
    series: Series,
}

/// See the module's documentation.
#[derive(Default)]
pub struct Known<S> {
    hasher: S,
    /// Indexes of `entries`.
    table: HashTable<u32>,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// The entry after the last one that was found or added.
    next: u32,
}

impl<S: BuildHasher> Known<S> {
    fn key(&self, at: u32) -> &[u8] {
        let entry = &self.entries[at as usize];
        &self.bytes[entry.start as usize..entry.end as usize]
    }

    pub fn get(&mut self, key: &[u8]) -> Option<Series> {
        let found = match self.entries.get(self.next as usize) {
            Some(entry) if &self.bytes[entry.start as usize..entry.end as usize] == key => self.next,
            _ => *self.table.find(self.hasher.hash_one(key), |&at| self.key(at) == key)?,
        };
        self.next = found + 1;
        Some(self.entries[found as usize].series)
    }

    /// Begins a request: the first key is expected first.
    pub fn restart(&mut self) {
        self.next = 0;
    }

    /// Adds a key that the map does not have.
    pub fn insert(&mut self, key: &[u8], series: Series) {
        let (at, start) = (self.entries.len() as u32, self.bytes.len() as u32);
        self.bytes.extend_from_slice(key);
        self.entries.push(Entry { start, end: self.bytes.len() as u32, series });
        self.next = at + 1;
        let Known { hasher, table, entries, bytes, .. } = self;
        let hash = |at: &u32| {
            let entry = &entries[*at as usize];
            hasher.hash_one(&bytes[entry.start as usize..entry.end as usize])
        };
        table.insert_unique(hasher.hash_one(key), at, hash);
    }
}
