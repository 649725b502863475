//! The memory of columns: plain vectors that grow while messages are read, and become Arrow buffers without a copy.
//!
//! A store is only as long as the last row that has a value in it. Rows without a value cost nothing: the next value, or
//! the end of the batch, fills the gap with defaults. So a store says by its length whether the current row has a value,
//! and to drop the rows of a bad message is to cut the stores.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Bits, one per row. Bits after the last one that was set are 0 and not stored.
#[derive(Clone, Default)]
pub(crate) struct Bits(Vec<u8>);

impl Bits {
    #[inline(always)]
    pub fn set(&mut self, row: usize) {
        let at = row >> 3;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (row & 7);
    }

    #[inline(always)]
    pub fn put(&mut self, row: usize, value: bool) {
        let at = row >> 3;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = self.0[at] & !(1 << (row & 7)) | (value as u8) << (row & 7);
    }

    pub fn get(&self, row: usize) -> bool {
        self.0.get(row >> 3).is_some_and(|byte| byte >> (row & 7) & 1 != 0)
    }

    /// Clears all bits from this row on.
    pub fn cut(&mut self, rows: usize) {
        self.0.truncate(rows.div_ceil(8));
        if !rows.is_multiple_of(8) && self.0.len() == rows.div_ceil(8) {
            self.0[rows / 8] &= (1 << (rows % 8)) - 1;
        }
    }

    /// Returns the bytes of this many rows, and starts again.
    pub fn take(&mut self, rows: usize) -> Vec<u8> {
        self.0.resize(rows.div_ceil(8), 0);
        let next = Vec::with_capacity(self.0.len());
        std::mem::replace(&mut self.0, next)
    }
}

/// Values of a fixed width.
#[derive(Clone, Default)]
pub(crate) struct Fixed<T> {
    pub values: Vec<T>,
    /// The rows that have a value, if rows without one are null.
    pub valid: Option<Bits>,
    /// The value of rows without one.
    pub pad: T,
}

impl<T: Copy> Fixed<T> {
    pub fn new(pad: T, nullable: bool) -> Fixed<T> {
        Fixed { values: Vec::new(), valid: nullable.then(Bits::default), pad }
    }

    /// Sets the value of the current row, or of a row after it.
    #[inline(always)]
    pub fn set(&mut self, row: usize, value: T) {
        let len = self.values.len();
        if row == len {
            self.values.push(value);
        } else if row < len {
            self.values[row] = value;
        } else {
            self.values.resize(row, self.pad);
            self.values.push(value);
        }
        if let Some(valid) = &mut self.valid {
            valid.set(row);
        }
    }

    pub fn cut(&mut self, rows: usize) {
        self.values.truncate(rows);
        if let Some(valid) = &mut self.valid {
            valid.cut(rows);
        }
    }

    pub fn take(&mut self, rows: usize) -> (Vec<T>, Option<Vec<u8>>) {
        self.values.resize(rows, self.pad);
        let next = Vec::with_capacity(rows);
        (std::mem::replace(&mut self.values, next), self.valid.as_mut().map(|valid| valid.take(rows)))
    }
}

/// Bools, a bit each.
#[derive(Clone, Default)]
pub(crate) struct Bools {
    pub values: Bits,
    pub len: usize,
    pub valid: Option<Bits>,
}

impl Bools {
    #[inline(always)]
    pub fn set(&mut self, row: usize, value: bool) {
        self.values.put(row, value);
        self.len = self.len.max(row + 1);
        if let Some(valid) = &mut self.valid {
            valid.set(row);
        }
    }

    pub fn cut(&mut self, rows: usize) {
        self.len = self.len.min(rows);
        self.values.cut(rows);
        if let Some(valid) = &mut self.valid {
            valid.cut(rows);
        }
    }

    pub fn take(&mut self, rows: usize) -> (Vec<u8>, Option<Vec<u8>>) {
        self.len = 0;
        (self.values.take(rows), self.valid.as_mut().map(|valid| valid.take(rows)))
    }
}

/// Strings and bytes: one buffer, and where each value ends.
#[derive(Clone)]
pub(crate) struct Blobs {
    /// 0, then the end of each value.
    pub ends: Vec<i32>,
    pub bytes: Vec<u8>,
    pub valid: Option<Bits>,
}

impl Blobs {
    pub fn new(nullable: bool) -> Blobs {
        Blobs { ends: vec![0], bytes: Vec::new(), valid: nullable.then(Bits::default) }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub fn get(&self, row: usize) -> &[u8] {
        match self.ends.get(row..row + 2) {
            Some(&[start, end]) => &self.bytes[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Sets the value of the current row, or of a row after it. Returns `None` when offsets of 32 bits are too small.
    #[inline(always)]
    pub fn set(&mut self, row: usize, value: &[u8]) -> Option<()> {
        let len = self.len();
        if row != len {
            self.make_room(row, len);
        }
        self.bytes.extend_from_slice(value);
        self.end(row)
    }

    /// Appends to the value of the current row: the rest of a message that came in several records.
    pub fn append(&mut self, row: usize, value: &[u8]) -> Option<()> {
        let len = self.len();
        if row < len {
            self.ends.truncate(row + 1);
        } else {
            self.make_room(row, len);
        }
        self.bytes.extend_from_slice(value);
        self.end(row)
    }

    #[inline(always)]
    fn end(&mut self, row: usize) -> Option<()> {
        if self.bytes.len() > i32::MAX as usize {
            return None;
        }
        self.ends.push(self.bytes.len() as i32);
        if let Some(valid) = &mut self.valid {
            valid.set(row);
        }
        Some(())
    }

    /// Drops the present value of the row, or fills the rows before it.
    fn make_room(&mut self, row: usize, len: usize) {
        if row < len {
            self.ends.truncate(row + 1);
            self.bytes.truncate(self.ends[row] as usize);
        } else {
            self.ends.resize(row + 1, self.bytes.len() as i32);
        }
    }

    pub fn cut(&mut self, rows: usize) {
        if rows < self.len() {
            self.ends.truncate(rows + 1);
            self.bytes.truncate(self.ends[rows] as usize);
        }
        if let Some(valid) = &mut self.valid {
            valid.cut(rows);
        }
    }

    pub fn take(&mut self, rows: usize) -> (Vec<i32>, Vec<u8>, Option<Vec<u8>>) {
        self.ends.resize(rows + 1, self.bytes.len() as i32);
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        let bytes = Vec::with_capacity(self.bytes.len());
        (
            std::mem::replace(&mut self.ends, ends),
            std::mem::replace(&mut self.bytes, bytes),
            self.valid.as_mut().map(|valid| valid.take(rows)),
        )
    }
}

/// The lists of a repeated field or map: where the elements of each row start.
#[derive(Clone, Default)]
pub(crate) struct Lists {
    pub starts: Vec<i32>,
    /// The number of elements, if they are messages; else their store knows it.
    pub rows: usize,
}

impl Lists {
    /// Begins the list of a row before its first element, which has this index.
    #[inline(always)]
    pub fn open(&mut self, row: usize, element: usize) {
        if self.starts.len() <= row {
            self.starts.resize(row + 1, element as i32);
        }
    }

    /// Returns the elements of the current row or of one before it.
    pub fn range(&self, row: usize, elements: usize) -> std::ops::Range<usize> {
        match self.starts.get(row) {
            Some(&start) => start as usize..self.starts.get(row + 1).map_or(elements, |&end| end as usize),
            None => elements..elements,
        }
    }

    pub fn take(&mut self, rows: usize, elements: usize) -> Vec<i32> {
        self.starts.resize(rows + 1, elements as i32);
        self.rows = 0;
        let next = Vec::with_capacity(rows + 1);
        std::mem::replace(&mut self.starts, next)
    }
}

/// Timestamps and durations in the column's unit, with the parts of the current row: a message may come in several
/// records.
#[derive(Clone, Default)]
pub(crate) struct Times {
    pub fixed: Fixed<u64>,
    pub seconds: i64,
    pub nanos: i32,
}

/// The values of a dictionary, in order of their first use.
#[derive(Clone)]
pub(crate) struct Dictionary {
    pub values: Blobs,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The number of values before the current message.
    pub mark: usize,
    /// The values that are always there.
    first: Vec<Vec<u8>>,
}

impl Dictionary {
    pub fn new(first: Vec<Vec<u8>>) -> Dictionary {
        let mut dictionary = Dictionary {
            values: Blobs::new(false),
            table: HashTable::new(),
            hasher: Default::default(),
            mark: 0,
            first,
        };
        dictionary.begin();
        dictionary
    }

    fn begin(&mut self) {
        self.table.clear();
        for value in std::mem::take(&mut self.first) {
            self.insert(&value);
            self.first.push(value);
        }
        self.mark = self.values.len();
    }

    /// Returns the key of a value.
    #[inline]
    pub fn key(&mut self, value: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(value);
        match self.table.find(hash, |&key| self.values.get(key as usize) == value) {
            Some(&key) => Some(key),
            None => self.insert(value),
        }
    }

    fn insert(&mut self, value: &[u8]) -> Option<u32> {
        let key = self.values.len();
        self.values.set(key, value)?;
        let (values, hasher) = (&self.values, &self.hasher);
        let hash = |key: &u32| hasher.hash_one(values.get(*key as usize));
        self.table.insert_unique(hash(&(key as u32)), key as u32, hash);
        Some(key as u32)
    }

    /// Drops the values that the current message brought.
    pub fn roll_back(&mut self) {
        if self.mark < self.values.len() {
            let mark = self.mark;
            self.table.retain(|&mut key| (key as usize) < mark);
            self.values.cut(mark);
        }
    }

    pub fn take(&mut self) -> (Vec<i32>, Vec<u8>) {
        let len = self.values.len();
        let (ends, bytes, _) = self.values.take(len);
        self.begin();
        (ends, bytes)
    }
}

/// The memory of all columns of a table.
#[derive(Clone, Default)]
pub(crate) struct Stores {
    pub w4: Vec<Fixed<u32>>,
    pub w8: Vec<Fixed<u64>>,
    pub bools: Vec<Bools>,
    pub blobs: Vec<Blobs>,
    pub times: Vec<Times>,
    pub lists: Vec<Lists>,
    /// The rows in which a message is present.
    pub present: Vec<Bits>,
    pub dictionaries: Vec<Dictionary>,
    /// The row in which a oneof was last set, and the member.
    pub oneofs: Vec<(usize, u32)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_bits_are_zero_when_they_are_filled_again() {
        let mut bits = Bits::default();
        (0..20).for_each(|row| bits.set(row));
        bits.cut(11);
        assert_eq!((0..20).filter(|&row| bits.get(row)).count(), 11);
        bits.cut(16);
        bits.cut(8);
        bits.set(17);
        assert_eq!(bits.take(18), [0xff, 0, 2]);
        assert_eq!(bits.take(3), [0]);
    }

    #[test]
    fn rows_without_a_value_are_filled_and_the_last_value_of_a_row_wins() {
        let mut fixed = Fixed::new(7u32, true);
        fixed.set(2, 1);
        fixed.set(2, 5);
        assert_eq!(fixed.take(4), (vec![7, 7, 5, 7], Some(vec![4])));
        let mut blobs = Blobs::new(true);
        blobs.set(1, b"long");
        blobs.set(1, b"ab");
        blobs.append(1, b"c");
        blobs.append(3, b"d");
        blobs.cut(3);
        assert_eq!(blobs.take(4), (vec![0, 0, 3, 3, 3], b"abc".to_vec(), Some(vec![2])));
    }

    #[test]
    fn a_dictionary_forgets_the_values_of_a_bad_message() {
        let mut dictionary = Dictionary::new(vec![b"".to_vec()]);
        assert_eq!(dictionary.key(b"a"), Some(1));
        dictionary.mark = dictionary.values.len();
        assert_eq!((dictionary.key(b"b"), dictionary.key(b"a")), (Some(2), Some(1)));
        dictionary.roll_back();
        assert_eq!((dictionary.key(b"c"), dictionary.key(b"b")), (Some(2), Some(3)));
        assert_eq!(dictionary.take().1, b"acb");
        assert_eq!((dictionary.key(b""), dictionary.key(b"c")), (Some(0), Some(1)));
    }
}
