//! Maps: entries listed like a repeated field, made unique once the whole message is decoded.

use super::{Decoder, Handle, List, Memory, Row, Rows, RowsIter, Side, Table};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Up to this many entries, pairs are compared and look-ups walk; above, an index of sorted rows is made.
const SMALL: usize = 16;

/// The row of a map entry.
pub trait EntryRow: Row {
    /// Orders by key: numbers by value, false before true, strings by their bytes.
    fn cmp_key(&self, other: &Self, input: &[u8]) -> Ordering;
}

/// The entries of one map field, of all messages that have it.
pub struct EntryTable<R> {
    /// The entries, in the order of the input.
    pub rows: Table<R>,
    /// Rows of the parents whose map has more than one entry.
    parents: Vec<u32>,
    /// Of each large map: its rows, ordered by key. The side entry of the map's first row says where.
    sorted: Vec<u32>,
    scratch: Vec<u32>,
    places: Vec<u32>,
    moved: Vec<R>,
}

impl<R> Default for EntryTable<R> {
    fn default() -> EntryTable<R> {
        EntryTable {
            rows: Table::default(),
            parents: Vec::new(),
            sorted: Vec::new(),
            scratch: Vec::new(),
            places: Vec::new(),
            moved: Vec::new(),
        }
    }
}

impl<R: EntryRow> Memory for EntryTable<R> {
    fn bytes(&self) -> usize {
        let indexes = [&self.parents, &self.sorted, &self.scratch, &self.places];
        self.rows.bytes() + indexes.iter().map(|v| v.bytes()).sum::<usize>() + self.moved.bytes()
    }
    fn shrink(&mut self, keep: usize, of: usize) {
        self.clear();
        self.rows.shrink(keep, of);
        for index in [&mut self.parents, &mut self.sorted, &mut self.scratch, &mut self.places] {
            index.shrink(keep, of);
        }
        self.moved.shrink(keep, of);
    }
}

impl<R: EntryRow> EntryTable<R> {
    /// Forgets all entries, keeps their memory.
    #[inline]
    pub fn clear(&mut self) {
        self.rows.clear();
        self.parents.clear();
        self.sorted.clear();
    }

    /// Adds an entry to the map of a parent.
    #[inline]
    pub fn add(
        &mut self,
        d: &mut Decoder<'_>,
        anchor: u32,
        list: &mut List,
        side: &mut Side,
        parent: u32,
        entry: u32,
    ) -> Option<()> {
        list.push(d, anchor, &mut self.rows, side, entry)?;
        if list.count == 2 {
            self.parents.push(parent);
        }
        Some(())
    }

    /// Makes all maps unique (MAP-5): of entries with one key the last one stays, in its place.
    #[inline]
    pub fn finish<P: Row>(
        &mut self,
        parents: &mut Table<P>,
        side: &mut Side,
        input: &[u8],
        list: impl Fn(&mut P) -> &mut List,
    ) {
        for i in 0..self.parents.len() {
            let parent = self.parents[i];
            self.unify(list(parents.at(parent)), side, input);
        }
    }

    fn unify(&mut self, list: &mut List, side: &mut Side, input: &[u8]) {
        // The rows of this map in the order of the input.
        let rows = &mut self.rows;
        self.scratch.clear();
        let mut at = list.first;
        for _ in 0..list.count {
            self.scratch.push(at);
            at = side.after(at, rows.get(at).side());
        }
        let by_key = |rows: &Table<R>, a: u32, b: u32| rows.get(a).cmp_key(rows.get(b), input);
        let n = self.scratch.len();
        let large = n > SMALL;
        let from = self.sorted.len();
        // Positions of the entries that stay, ascending: at first by key, for large maps.
        if large {
            self.sorted.extend(0..n as u32);
            let scratch = &self.scratch;
            let order = &mut self.sorted[from..];
            order.sort_unstable_by(|&a, &b| by_key(rows, scratch[a as usize], scratch[b as usize]).then(a.cmp(&b)));
            let mut kept = 0;
            for i in 0..n {
                let shadowed = order.get(i + 1).is_some_and(|&next| {
                    by_key(rows, scratch[order[i] as usize], scratch[next as usize]) == Ordering::Equal
                });
                if !shadowed {
                    order[kept] = order[i];
                    kept += 1;
                }
            }
            self.sorted.truncate(from + kept);
        } else {
            for i in 0..n {
                let key = self.scratch[i];
                if !self.scratch[i + 1..].iter().any(|&later| by_key(rows, key, later) == Ordering::Equal) {
                    self.sorted.push(i as u32);
                }
            }
        }
        let kept = self.sorted.len() - from;
        if kept < n {
            let order = &mut self.places;
            order.clear();
            order.extend_from_slice(&self.sorted[from..]);
            order.sort_unstable();
            // The j-th entry that stays takes the j-th place; links belong to places, not to entries.
            self.moved.clear();
            self.moved.extend(order.iter().map(|&i| *rows.get(self.scratch[i as usize])));
            for (j, row) in self.moved.iter().enumerate() {
                let place = rows.at(self.scratch[j]);
                let side = place.side();
                *place = *row;
                place.set_side(side);
            }
            for position in &mut self.sorted[from..] {
                *position = order.partition_point(|&o| o < *position) as u32;
            }
            list.count = kept as u32;
            list.last = self.scratch[kept - 1];
        }
        if large {
            for position in &mut self.sorted[from..] {
                *position = self.scratch[*position as usize];
            }
            let first = rows.at(list.first);
            let mut entry = first.side();
            side.entry_after(&mut entry).first = from as u32 + 1;
            first.set_side(entry);
        } else {
            self.sorted.truncate(from);
        }
    }

    /// The rows of a large map, ordered by key.
    pub(super) fn sorted_rows(&self, list: List, side: &Side) -> Option<&[u32]> {
        if list.len() <= SMALL {
            return None;
        }
        let from = side.entry(self.rows.get(list.first).side()).first.checked_sub(1)? as usize;
        self.sorted.get(from..from + list.len())
    }
}

/// What generated code says about the handle of a map entry.
pub trait Entry<'a>: Handle<'a> {
    /// What a look-up is made with.
    type Query: Ord + ?Sized + 'a;
    /// What iteration gives as key.
    type Key;
    /// The value.
    type Value;
    /// The table of its rows.
    fn entries(tables: &'a Self::Tables) -> &'a EntryTable<Self::Row>;
    /// The key, to compare with.
    fn query(&self) -> &'a Self::Query;
    /// The key.
    fn key(&self) -> Self::Key;
    /// The value.
    fn value(&self) -> Self::Value;
}

/// A map field: unique entries in the order of the input.
pub struct Map<'a, E: Entry<'a>> {
    tables: &'a E::Tables,
    input: &'a [u8],
    list: List,
}

impl<'a, E: Entry<'a>> Clone for Map<'a, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, E: Entry<'a>> Copy for Map<'a, E> {}

impl<'a, E: Entry<'a>> Map<'a, E>
where
    E::Row: EntryRow,
{
    /// For generated code.
    #[inline(always)]
    pub fn new(tables: &'a E::Tables, input: &'a [u8], list: List) -> Self {
        Map { tables, input, list }
    }

    /// The number of entries.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &E::Query) -> Option<E::Value> {
        let table = E::entries(self.tables);
        if let Some(sorted) = table.sorted_rows(self.list, E::side(self.tables)) {
            let entry = |row: u32| E::new(self.tables, self.input, table.rows.get(row));
            let at = sorted.binary_search_by(|&row| entry(row).query().cmp(key)).ok()?;
            return Some(entry(sorted[at]).value());
        }
        self.entries().iter().find(|e| e.query() == key).map(|e| e.value())
    }

    /// Whether a key is there.
    pub fn contains_key(&self, key: &E::Query) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values, in the order of the input.
    #[inline(always)]
    pub fn iter(&self) -> MapIter<'a, E> {
        MapIter { rows: self.entries().iter() }
    }

    /// The entries.
    #[inline(always)]
    pub fn entries(&self) -> Rows<'a, E> {
        Rows::new(self.tables, self.input, self.list)
    }
}

impl<'a, E: Entry<'a>> IntoIterator for Map<'a, E>
where
    E::Row: EntryRow,
{
    type Item = (E::Key, E::Value);
    type IntoIter = MapIter<'a, E>;
    #[inline(always)]
    fn into_iter(self) -> MapIter<'a, E> {
        self.iter()
    }
}

/// Iterates over a [`Map`].
pub struct MapIter<'a, E: Entry<'a>> {
    rows: RowsIter<'a, E>,
}

impl<'a, E: Entry<'a>> Iterator for MapIter<'a, E> {
    type Item = (E::Key, E::Value);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next().map(|e| (e.key(), e.value()))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl<'a, E: Entry<'a>> ExactSizeIterator for MapIter<'a, E> {}
