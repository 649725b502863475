//! Maps: entries are listed like a repeated field, and made unique once the whole message is decoded.

use super::{Decoder, Handle, List, Memory, Row, Rows, RowsIter, Side, Table, Unit, handle};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::mem::offset_of;

/// Up to this many entries, pairs are compared and look-ups walk the entries; a larger map gets an index of sorted
/// rows.
const SMALL: usize = 16;

/// The row of a map entry.
///
/// # Safety
/// The row's table must be the field `rows` of an [`EntryTable`].
pub unsafe trait EntryRow: Row {
    /// The key, for comparisons.
    type Key<'i>: MapKey;
    /// Returns the key; for a string, its bytes.
    fn key<'i>(&self, input: &'i [u8]) -> Self::Key<'i>;

    /// Returns the entries, and the links of their unit.
    #[inline(always)]
    fn entries(tables: &mut Self::Tables) -> (&mut EntryTable<Self>, &mut Side) {
        let tables = (&raw mut *tables).cast::<u8>();
        let at = Self::TABLE - offset_of!(EntryTable<Self>, rows);
        // SAFETY: the tables have these fields there, which do not overlap.
        unsafe { (&mut *tables.add(at).cast(), &mut *tables.add(<Self::Tables as Unit>::LINKS).cast()) }
    }

    /// Returns the same for reading.
    #[inline(always)]
    fn entries_of(tables: &Self::Tables) -> (&EntryTable<Self>, &Side) {
        let tables = (&raw const *tables).cast::<u8>();
        let at = Self::TABLE - offset_of!(EntryTable<Self>, rows);
        // SAFETY: the tables have these fields there.
        unsafe { (&*tables.add(at).cast(), &*tables.add(<Self::Tables as Unit>::LINKS).cast()) }
    }
}

/// A map key: numbers are ordered by value, false before true, strings by their bytes.
pub trait MapKey: Copy + Ord {
    /// Whether prefixes distinguish all keys.
    const WHOLE: bool;
    /// Returns a number that is ordered as the keys are, as far as it distinguishes them.
    fn prefix(self) -> u64;
}

impl MapKey for &[u8] {
    const WHOLE: bool = false;
    #[inline]
    fn prefix(self) -> u64 {
        let mut first = [0; 8];
        match self.first_chunk() {
            Some(bytes) => first = *bytes,
            None => first[..self.len()].copy_from_slice(self),
        }
        u64::from_be_bytes(first)
    }
}

impl MapKey for bool {
    const WHOLE: bool = true;
    #[inline]
    fn prefix(self) -> u64 {
        self as u64
    }
}

/// Numbers; the smallest value of a signed type becomes 0.
macro_rules! number_keys {
    ($($number:ty as $unsigned:ty),*) => {$(
        impl MapKey for $number {
            const WHOLE: bool = true;
            #[inline]
            fn prefix(self) -> u64 {
                (self as $unsigned).wrapping_sub(<$number>::MIN as $unsigned) as u64
            }
        }
    )*};
}

number_keys!(u32 as u32, i32 as u32, u64 as u64, i64 as u64);

/// A prefix, and the position of the entry in its map: one number, which two instructions compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u128);

impl Place {
    #[inline]
    fn new(prefix: u64, position: u32) -> Place {
        Place((prefix as u128) << 32 | position as u128)
    }

    #[inline]
    fn prefix(self) -> u64 {
        (self.0 >> 32) as u64
    }

    #[inline]
    fn position(self) -> u32 {
        self.0 as u32
    }
}

/// The entries of one map field, in all messages that have it.
pub struct EntryTable<R> {
    /// The entries, in the order of the input.
    pub rows: Table<R>,
    /// For maps with more than one entry. On its own, because a unit has a table for each of its maps, and
    /// most messages use few of them (POL-70).
    work: Option<Box<Work<R>>>,
}

/// The memory for making maps unique, and the result.
struct Work<R> {
    /// The rows of the parents whose map has more than one entry.
    parents: Vec<u32>,
    /// The rows of each large map, ordered by key. The side entry of the map's first row has the position.
    sorted: Vec<u32>,
    /// For the map at hand: its rows in the order of the input, its order by key, and scratch memory for duplicates.
    scratch: Vec<u32>,
    order: Vec<Place>,
    places: Vec<u32>,
    moved: Vec<R>,
}

impl<R> EntryTable<R> {
    /// A table without memory.
    pub const EMPTY: EntryTable<R> = EntryTable { rows: Table::EMPTY, work: None };
}

impl<R> Work<R> {
    #[cold]
    fn new() -> Box<Work<R>> {
        Box::new(Work {
            parents: Vec::new(),
            sorted: Vec::new(),
            scratch: Vec::new(),
            order: Vec::new(),
            places: Vec::new(),
            moved: Vec::new(),
        })
    }
}

impl<R: EntryRow> Work<R> {
    fn all(&mut self) -> [&mut dyn Memory; 6] {
        let Work { parents, sorted, scratch, order, places, moved } = self;
        [parents, sorted, scratch, order, places, moved]
    }
}

impl<R: EntryRow> Memory for Work<R> {
    fn bytes(&self) -> usize {
        let Work { parents, sorted, scratch, order, places, moved } = self;
        let all: [&dyn Memory; 6] = [parents, sorted, scratch, order, places, moved];
        size_of::<Self>() + all.iter().map(|m| m.bytes()).sum::<usize>()
    }
    fn shrink(&mut self, keep: usize, total: usize) {
        self.all().into_iter().for_each(|m| m.shrink(keep, total));
    }
}

impl<R: EntryRow> Memory for EntryTable<R> {
    fn bytes(&self) -> usize {
        self.rows.bytes() + self.work.as_ref().map_or(0, |work| work.bytes())
    }
    fn shrink(&mut self, keep: usize, total: usize) {
        self.rows.shrink(keep, total);
        let Some(work) = &mut self.work else { return };
        // The box itself cannot become smaller: its vectors keep what remains of its share.
        let all = work.bytes();
        let share = (all as u128 * keep as u128 / total.max(1) as u128) as usize;
        match share.checked_sub(size_of::<Work<R>>()) {
            Some(left) => work.shrink(left, all - size_of::<Work<R>>()),
            None => self.work = None,
        }
    }
}

impl<R: EntryRow> EntryTable<R> {
    /// Removes all entries and keeps their memory.
    #[inline]
    pub fn clear(&mut self) {
        self.rows.clear();
        if let Some(work) = &mut self.work {
            work.parents.clear();
            work.sorted.clear();
        }
    }

    /// Reports whether nothing has been pushed since the table was cleared.
    #[inline(always)]
    pub fn is_unused(&self) -> bool {
        self.rows.is_unused()
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
            // For `finish`.
            match &mut self.work {
                Some(work) if !work.parents.is_empty() => work.parents.push(parent),
                _ => self.push_first(side, parent),
            }
        }
        Some(())
    }

    #[cold]
    #[inline(never)]
    fn push_first(&mut self, side: &mut Side, parent: u32) {
        side.maps += 1;
        self.work.get_or_insert_with(Work::new).parents.push(parent);
    }

    /// Makes all maps unique (MAP-5): of entries with the same key the last one stays, in its place. Reports whether no
    /// other table waits for that. Inline, because a unit may have hundreds of maps that are not in use.
    #[inline(always)]
    pub fn finish<P: Row>(
        &mut self,
        parents: &mut Table<P>,
        side: &mut Side,
        input: &[u8],
        list: impl Fn(&mut P) -> &mut List,
    ) -> bool {
        match &mut self.work {
            Some(work) if !work.parents.is_empty() => work.unify_all(&mut self.rows, parents, side, input, list),
            _ => false,
        }
    }

    /// Returns the rows of a large map, ordered by key.
    pub(super) fn sorted_rows(&self, list: List, side: &Side) -> Option<&[u32]> {
        if list.len() <= SMALL {
            return None;
        }
        let from = side.entry(self.rows.get(list.first).side()).first.checked_sub(1)? as usize;
        self.work.as_ref()?.sorted.get(from..from + list.len())
    }
}

impl<R: EntryRow> Work<R> {
    fn unify_all<P: Row>(
        &mut self,
        rows: &mut Table<R>,
        parents: &mut Table<P>,
        side: &mut Side,
        input: &[u8],
        list: impl Fn(&mut P) -> &mut List,
    ) -> bool {
        for i in 0..self.parents.len() {
            let parent = self.parents[i];
            self.unify(rows, list(parents.at(parent)), side, input);
        }
        side.maps -= 1;
        side.maps == 0
    }

    #[inline(never)]
    fn unify(&mut self, rows: &mut Table<R>, list: &mut List, side: &mut Side, input: &[u8]) {
        // The rows of this map in the order of the input.
        self.scratch.clear();
        if list.contiguous() {
            self.scratch.extend(list.first..=list.last);
        } else {
            let mut at = list.first;
            for _ in 0..list.count {
                self.scratch.push(at);
                at = side.after(at, rows.get(at).side());
            }
        }
        let from = self.sorted.len();
        if self.scratch.len() <= SMALL {
            // Usually all stay.
            if self.repeated(rows, input) {
                self.stay_small(rows, input);
                self.move_up(rows, list, from);
                self.sorted.truncate(from);
            }
            return;
        }
        self.stay_by_key(rows, input);
        if self.sorted.len() - from < self.scratch.len() {
            self.move_up(rows, list, from);
        }
        for position in &mut self.sorted[from..] {
            *position = self.scratch[*position as usize];
        }
        let first = rows.at(list.first);
        let mut entry = first.side();
        side.entry_after(&mut entry).first = from as u32 + 1;
        first.set_side(entry);
    }

    fn key<'i>(&self, rows: &Table<R>, position: u32, input: &'i [u8]) -> R::Key<'i> {
        rows.get(self.scratch[position as usize]).key(input)
    }

    /// Reports whether two entries of a small map have the same key.
    fn repeated(&self, rows: &Table<R>, input: &[u8]) -> bool {
        let mut prefixes = [0; SMALL];
        let n = self.scratch.len() as u32;
        (0..n).any(|i| {
            let prefix = self.key(rows, i, input).prefix();
            let same =
                |j: &u32| prefixes[*j as usize] == prefix && self.key(rows, *j, input) == self.key(rows, i, input);
            let found = (0..i).any(|j| same(&j));
            prefixes[i as usize] = prefix;
            found
        })
    }

    /// Adds to `sorted` the positions of the entries of a small map that stay, in ascending order.
    fn stay_small(&mut self, rows: &Table<R>, input: &[u8]) {
        let n = self.scratch.len() as u32;
        for i in 0..n {
            let key = self.key(rows, i, input);
            if !(i + 1..n).any(|later| self.key(rows, later, input) == key) {
                self.sorted.push(i);
            }
        }
    }

    /// Adds to `sorted` the positions of the entries of a large map that stay, in order of their keys.
    fn stay_by_key(&mut self, rows: &Table<R>, input: &[u8]) {
        // Sorts numbers, each a prefix and a position; compares keys only if prefixes do not distinguish them.
        let mut order = core::mem::take(&mut self.order);
        order.clear();
        let places = (0..).zip(&self.scratch);
        order.extend(places.map(|(i, &row)| Place::new(rows.get(row).key(input).prefix(), i)));
        sort(&mut order);
        if !R::Key::WHOLE {
            sort_ties(&mut order, &|a, b| self.key(rows, a, input).cmp(&self.key(rows, b, input)));
        }
        for (i, place) in order.iter().enumerate() {
            // Whether a later entry has the same key.
            let shadowed = order.get(i + 1).is_some_and(|next| {
                next.prefix() == place.prefix()
                    && (R::Key::WHOLE
                        || self.key(rows, next.position(), input) == self.key(rows, place.position(), input))
            });
            if !shadowed {
                self.sorted.push(place.position());
            }
        }
        self.order = order;
    }

    /// Moves the entries that stay (`sorted` after `from`) to the first places of their map, in the order of the input.
    #[cold]
    fn move_up(&mut self, rows: &mut Table<R>, list: &mut List, from: usize) {
        let places = &mut self.places;
        places.clear();
        // In ascending order; those of a small map already are.
        self.order.clear();
        self.order.extend(self.sorted[from..].iter().map(|&position| Place::new(0, position)));
        sort(&mut self.order);
        places.extend(self.order.iter().map(|place| place.position()));
        // The j-th entry that stays moves to the j-th place; links belong to places, not to entries.
        self.moved.clear();
        self.moved.extend(places.iter().map(|&i| *rows.get(self.scratch[i as usize])));
        for (j, row) in self.moved.iter().enumerate() {
            let place = rows.at(self.scratch[j]);
            let side = place.side();
            *place = *row;
            place.set_side(side);
        }
        for position in &mut self.sorted[from..] {
            *position = places.partition_point(|&o| o < *position) as u32;
        }
        list.count = places.len() as u32;
        list.last = self.scratch[places.len() - 1];
    }
}

// Sorting takes kilobytes of code. It does not depend on types of rows here, so that it is compiled once, not for each
// map of a schema.

#[inline(never)]
fn sort(order: &mut [Place]) {
    order.sort_unstable();
}

/// Sorts entries with equal prefixes by key, and those with equal keys by position.
#[inline(never)]
fn sort_ties(order: &mut [Place], compare: &dyn Fn(u32, u32) -> Ordering) {
    for same in order.chunk_by_mut(|a, b| a.prefix() == b.prefix()).filter(|same| same.len() > 1) {
        same.sort_unstable_by(|a, b| {
            let (a, b) = (a.position(), b.position());
            compare(a, b).then(a.cmp(&b))
        });
    }
}

/// Sorts the rows of a small map.
#[inline(never)]
pub(super) fn sort_few(rows: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    for end in 1..rows.len() {
        let at = rows[..end].partition_point(|&row| compare(row, rows[end]).is_le());
        rows[at..=end].rotate_right(1);
    }
}

/// Implemented by generated code for the handle of a map entry.
pub trait Entry<'a>: Handle<'a> {
    /// The type of a look-up key.
    type Query: Ord + ?Sized + 'a;
    /// The type of a key that iteration returns.
    type Key;
    /// The type of a value.
    type Value;
    /// Returns the key, for comparisons.
    #[doc(hidden)]
    fn query(&self) -> &'a Self::Query;
    /// Returns the key.
    #[doc(hidden)]
    fn key(&self) -> Self::Key;
    /// Returns the value.
    #[doc(hidden)]
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
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(tables: &'a E::Tables, input: &'a [u8], list: List) -> Self {
        Map { tables, input, list }
    }

    /// Returns the number of entries.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Reports whether there are no entries.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &E::Query) -> Option<E::Value> {
        let (table, side) = E::Row::entries_of(self.tables);
        if let Some(sorted) = table.sorted_rows(self.list, side) {
            let entry = |row: u32| handle::<E>(self.tables, self.input, row);
            let at = sorted.binary_search_by(|&row| entry(row).query().cmp(key)).ok()?;
            return Some(entry(sorted[at]).value());
        }
        self.entries().iter().find(|e| e.query() == key).map(|e| e.value())
    }

    /// Reports whether the map has a key.
    pub fn contains_key(&self, key: &E::Query) -> bool {
        self.get(key).is_some()
    }

    /// Iterates over keys and values, in the order of the input.
    #[inline(always)]
    pub fn iter(&self) -> MapIter<'a, E> {
        MapIter { rows: self.entries().iter() }
    }

    /// Iterates over the entries.
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

impl<'a, E: Entry<'a>> Clone for MapIter<'a, E> {
    fn clone(&self) -> Self {
        MapIter { rows: self.rows.clone() }
    }
}

impl<'a, E: Entry<'a>> fmt::Debug for MapIter<'a, E>
where
    E::Key: fmt::Debug,
    E::Value: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

impl<'a, E: Entry<'a>> fmt::Debug for Map<'a, E>
where
    E::Row: EntryRow,
    E::Key: fmt::Debug,
    E::Value: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().fmt(f)
    }
}

/// Maps are equal as sets of entries, whatever their order.
impl<'a, E: Entry<'a>> PartialEq for Map<'a, E>
where
    E::Row: EntryRow,
    E::Value: PartialEq,
{
    fn eq(&self, rhs: &Self) -> bool {
        self.len() == rhs.len() && self.entries().iter().all(|e| rhs.get(e.query()) == Some(e.value()))
    }
}
