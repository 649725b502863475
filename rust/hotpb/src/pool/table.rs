//! Rows of one message type.

use super::walk::Description;
use super::{Decoder, Memory, Scalars, Side};
use crate::wire::{Cursor, Span};
use alloc::vec::Vec;

/// A row of a table: plain data, all zero if the message is empty (except for map entries and defaults). Generated code
/// has only constants for each message; the methods are compiled where they are used.
///
/// # Safety
/// The offsets must be those of fields with these types, from `offset_of!`, and the description must be that of the row.
pub unsafe trait Row: Copy + Send + Sync + 'static {
    /// The tables of the row's unit.
    type Tables: Unit;
    /// The empty message, in static memory.
    const EMPTY: &'static Self;
    /// The offset of the index of the row's side entry, a `u32`, see [`super::Side`].
    const SIDE: usize;
    /// The offset of the row's `Table<Self>` in the tables.
    const TABLE: usize;
    /// The description of the message.
    const DESCRIPTION: &'static Description;

    /// Returns the index of the row's side entry.
    #[inline(always)]
    fn side(&self) -> u32 {
        // SAFETY: the row has a `u32` there.
        unsafe { *(&raw const *self).cast::<u8>().add(Self::SIDE).cast() }
    }

    /// Sets the index of the side entry.
    #[inline(always)]
    fn set_side(&mut self, side: u32) {
        // SAFETY: the row has a `u32` there.
        unsafe { *(&raw mut *self).cast::<u8>().add(Self::SIDE).cast() = side }
    }

    /// Returns the table of the rows, and the links of the unit.
    #[inline(always)]
    fn table(tables: &mut Self::Tables) -> (&mut Table<Self>, &mut Side) {
        let tables = (&raw mut *tables).cast::<u8>();
        // SAFETY: the tables have these fields there, which do not overlap.
        unsafe { (&mut *tables.add(Self::TABLE).cast(), &mut *tables.add(<Self::Tables as Unit>::LINKS).cast()) }
    }

    /// Returns the same for reading.
    #[inline(always)]
    fn rows(tables: &Self::Tables) -> (&Table<Self>, &Side) {
        let tables = (&raw const *tables).cast::<u8>();
        // SAFETY: the tables have these fields there.
        unsafe { (&*tables.add(Self::TABLE).cast(), &*tables.add(<Self::Tables as Unit>::LINKS).cast()) }
    }
}

/// The tables of a unit.
///
/// # Safety
/// The offsets must be those of fields with these types, from `offset_of!`.
pub unsafe trait Unit: Default + Memory + Send + Sync + 'static {
    /// The offset of the [`Scalars`].
    const SCALARS: usize;
    /// The offset of the [`Side`].
    const LINKS: usize;

    /// Returns what the messages of the unit share.
    #[inline]
    fn shared(&mut self) -> (&mut Scalars, &mut Side) {
        let tables = (&raw mut *self).cast::<u8>();
        // SAFETY: the tables have these fields there, which do not overlap.
        unsafe { (&mut *tables.add(Self::SCALARS).cast(), &mut *tables.add(Self::LINKS).cast()) }
    }
}

/// The rows of one message type; row 0 is empty and represents an absent message. It stays when the table is cleared.
pub struct Table<R> {
    rows: Vec<R>,
    /// The number of rows for which memory is charged, so that they may be added, and row 0: at most the capacity.
    paid: usize,
}

impl<R> Table<R> {
    /// A table without memory.
    pub const EMPTY: Table<R> = Table { rows: Vec::new(), paid: 0 };
}

impl<R: Row> Memory for Table<R> {
    fn bytes(&self) -> usize {
        self.rows.bytes()
    }
    fn shrink(&mut self, keep: usize, total: usize) {
        self.rows.shrink(keep, total);
        self.paid = 0;
    }
}

impl<R: Row> Table<R> {
    /// Removes all rows and keeps their memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        let kept = self.rows.len().min(1);
        // SAFETY: `kept` is at most the length; rows are `Copy`, so nothing is dropped.
        unsafe { self.rows.set_len(kept) };
        self.paid = kept;
    }

    /// Reports whether no row was added since the table was cleared.
    #[inline(always)]
    pub fn is_unused(&self) -> bool {
        self.paid <= 1
    }

    /// Returns the number of rows, including row 0 if it exists.
    #[inline(always)]
    pub fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Reports whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.len() <= 1
    }

    /// Returns the index of the next row to be pushed.
    #[inline(always)]
    pub fn next_index(&self) -> u32 {
        self.len().max(1)
    }

    /// Adds a row and returns its index.
    #[inline(always)]
    pub fn push(&mut self, d: &mut Decoder<'_>, anchor: u32, row: R) -> Option<u32> {
        if self.rows.len() == self.paid {
            self.grow(d, anchor)?;
        }
        let at = self.rows.len();
        debug_assert!(at < self.rows.capacity());
        // SAFETY: `grow` leaves `len < paid <= capacity`, and `push` stops at `paid`; so the slot at `len` is
        // allocated, and it is written before `len` includes it.
        unsafe {
            self.rows.as_mut_ptr().add(at).write(row);
            self.rows.set_len(at + 1);
        }
        Some(at as u32)
    }

    /// Adds a row for each record of a run, as long as the records are pairs ([`Cursor::pair`]). The cursor starts
    /// after the first record's tag. `anchor` becomes that of the last row. `good` reports whether the texts of the
    /// rows from an index on are valid; it also gets the bytes of the whole run, so that one ASCII check covers all
    /// texts, tags and short lengths. Returns true if the cursor is after the tag of a record that is not a pair, and
    /// false if the run has ended.
    #[inline(always)]
    pub fn push_pairs<'a, const TAG: u32, const A: u8, const B: u8>(
        &mut self,
        d: &mut Decoder<'a>,
        c: &mut Cursor<'a>,
        anchor: &mut u32,
        row: impl Fn(Span, Span) -> R,
        good: impl Fn(&Self, u32, &Decoder<'a>, &[u8]) -> bool,
    ) -> Option<bool> {
        let (input, from, first) = (d.input(), c.pos(), self.next_index());
        let begun = if d.shuffled { None } else { c.pair::<A, B>(input) };
        let Some((mut a, mut b)) = begun else {
            let (more, last) = c.out_of_line(|c| self.push_shuffled_pairs::<TAG, A, B>(d, c, *anchor, row, good))?;
            *anchor = last;
            return Some(more);
        };
        let anchor_of = |a: Span, b: Span| (a.start().min(b.start()) - 2) as u32;
        // The number of rows and their memory: as local variables they stay in registers.
        let (mut at, mut rows) = (self.rows.len(), self.rows.as_mut_ptr());
        let more = loop {
            if at == self.paid {
                // SAFETY: the loop has written the rows up to `at`.
                unsafe { self.rows.set_len(at) };
                self.grow(d, anchor_of(a, b))?;
                (at, rows) = (self.rows.len(), self.rows.as_mut_ptr());
            }
            debug_assert!(at < self.rows.capacity());
            // SAFETY: `at < paid <= capacity`: `at` begins as the length, which is at most `paid`, `grow` leaves
            // `len < paid`, and only the next line increases it. `rows` is the memory since it was last allocated.
            unsafe { rows.add(at).write(row(a, b)) };
            at += 1;
            (a, b) = if let Some((a, b)) = c.tagged_pair::<TAG, A, B>(input) {
                (a, b)
            } else if let Some((b, a)) = c.tagged_pair::<TAG, B, A>(input) {
                d.shuffled = true;
                (a, b)
            } else {
                break c.eat::<TAG>();
            };
        };
        // SAFETY: the loop has written the rows up to `at`, which is at most the capacity.
        unsafe { self.rows.set_len(at) };
        *anchor = anchor_of(a, b);
        good(self, first, d, c.since(input, from)).then_some(more)
    }

    /// Does the same for a run in which the two fields have any order, or whose first record is not a pair. Also returns
    /// the new anchor.
    #[inline(never)]
    fn push_shuffled_pairs<'a, const TAG: u32, const A: u8, const B: u8>(
        &mut self,
        d: &mut Decoder<'a>,
        c: &mut Cursor<'a>,
        mut anchor: u32,
        row: impl Fn(Span, Span) -> R,
        good: impl Fn(&Self, u32, &Decoder<'a>, &[u8]) -> bool,
    ) -> Option<(bool, u32)> {
        let (input, from, first) = (d.input(), c.pos(), self.next_index());
        let Some((mut a, mut b, mut shuffled)) = c.shuffled_pair::<0, A, B>(input) else { return Some((true, anchor)) };
        loop {
            anchor = (a.start().min(b.start()) - 2) as u32;
            self.push(d, anchor, row(a, b))?;
            let next = if TAG < 0x80 { c.shuffled_pair::<TAG, A, B>(input) } else { None };
            let Some((next_a, next_b, swapped)) = next else { break };
            (a, b, shuffled) = (next_a, next_b, shuffled | swapped);
        }
        // The next run of this input probably has the same orders.
        d.shuffled = shuffled;
        let more = c.eat::<TAG>();
        good(self, first, d, c.since(input, from)).then_some((more, anchor))
    }

    /// Does the same as [`Table::push_pairs`] for messages of a few scalars: `read` returns the row of a record that has
    /// them in ascending order and nothing else, and `None` for any other record.
    #[inline(always)]
    pub fn push_expected<'a, const TAG: u32>(
        &mut self,
        d: &mut Decoder<'a>,
        c: &mut Cursor<'a>,
        anchor: &mut u32,
        read: impl Fn(&Decoder<'a>, Cursor<'a>) -> Option<R>,
    ) -> Option<bool> {
        loop {
            let mut ahead = *c;
            let Some(record) = ahead.inner() else { return Some(true) };
            let at = d.at(&record);
            let Some(row) = read(d, record) else { return Some(true) };
            *anchor = at;
            self.push(d, at, row)?;
            *c = ahead;
            if !c.eat::<TAG>() {
                return Some(false);
            }
        }
    }

    /// Adds an empty row and returns its index. Large rows are written out of line: otherwise a decoder with many such
    /// children would need room on its stack for each of them.
    #[inline(always)]
    pub fn push_empty(&mut self, d: &mut Decoder<'_>, anchor: u32) -> Option<u32> {
        if core::mem::size_of::<R>() <= 64 { self.push(d, anchor, *R::EMPTY) } else { self.push_large(d, anchor) }
    }

    #[inline(never)]
    fn push_large(&mut self, d: &mut Decoder<'_>, anchor: u32) -> Option<u32> {
        self.push(d, anchor, *R::EMPTY)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, d: &mut Decoder<'_>, anchor: u32) -> Option<()> {
        let first = self.rows.is_empty();
        let size = core::mem::size_of::<R>();
        // A few rows at first, then an eighth more, so that little memory is charged and not used.
        let want = (self.rows.len() / 8).max(512 / size.max(1));
        let granted = d.take(1, want, size, anchor)?;
        self.rows.reserve(granted + first as usize);
        if first {
            self.rows.push(*R::EMPTY);
        }
        self.paid = self.rows.len() + granted;
        Some(())
    }

    /// Removes the last row.
    #[inline]
    pub fn pop(&mut self) {
        self.rows.pop();
    }

    /// Returns a row; the empty one if it does not exist.
    #[inline(always)]
    pub fn get(&self, index: u32) -> &R {
        self.rows.get(index as usize).unwrap_or(R::EMPTY)
    }

    /// Returns a row that was pushed.
    #[inline(always)]
    pub fn at(&mut self, index: u32) -> &mut R {
        &mut self.rows[index as usize]
    }

    /// Returns adjacent rows.
    #[inline(always)]
    pub fn slice(&self, first: u32, count: u32) -> &[R] {
        let first = first as usize;
        self.rows.get(first..first + count as usize).unwrap_or(&[])
    }
}
