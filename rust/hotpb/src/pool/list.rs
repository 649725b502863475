//! Repeated messages: rows of the child's table, adjacent or linked.

use super::{Decoder, Row, Side, Table, Unit};
use core::fmt;

/// The elements of a repeated message field: `count` rows from `first` to `last`. They are adjacent exactly if these
/// numbers agree; otherwise each row refers to the next one.
#[derive(Clone, Copy, Debug, Default)]
pub struct List {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) count: u32,
}

impl List {
    /// No elements.
    pub const EMPTY: List = List { first: 0, last: 0, count: 0 };

    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.count as usize
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    #[inline(always)]
    pub(super) fn contiguous(self) -> bool {
        self.last.wrapping_sub(self.first).wrapping_add(1) == self.count
    }

    /// Adds the rows from `first` up to the end of the table.
    #[inline(always)]
    pub fn extend<R: Row>(
        &mut self,
        d: &mut Decoder<'_>,
        anchor: u32,
        table: &mut Table<R>,
        side: &mut Side,
        first: u32,
    ) -> Option<()> {
        let end = table.len();
        if first >= end {
            return Some(());
        }
        self.append(d, anchor, table, side, first, end - 1)
    }

    /// Adds one row.
    #[inline(always)]
    pub fn push<R: Row>(
        &mut self,
        d: &mut Decoder<'_>,
        anchor: u32,
        table: &mut Table<R>,
        side: &mut Side,
        row: u32,
    ) -> Option<()> {
        self.append(d, anchor, table, side, row, row)
    }

    #[inline(always)]
    fn append<R: Row>(
        &mut self,
        d: &mut Decoder<'_>,
        anchor: u32,
        table: &mut Table<R>,
        side: &mut Side,
        first: u32,
        last: u32,
    ) -> Option<()> {
        if self.count == 0 {
            self.first = first;
        } else if self.last + 1 != first {
            side.link(d, anchor, table, self.last, first)?;
        }
        self.last = last;
        self.count += last - first + 1;
        Some(())
    }
}

impl<R: Row> Table<R> {
    /// Iterates over the rows of a list.
    pub fn list<'t>(&'t self, list: List, side: &'t Side) -> impl Iterator<Item = &'t R> {
        let mut at = list.first;
        (0..list.count).map(move |_| {
            let row = self.get(at);
            at = side.after(at, row.side());
            row
        })
    }
}

/// Implemented by generated code for a handle.
///
/// Only generated code can fill tables: filling them takes a [`Decoder`], and the traits whose methods receive one
/// ([`super::Message`], [`super::VisitWith`]) are `unsafe` to implement. Filled tables are then part of handles,
/// together with the input that was decoded.
///
/// # Safety
/// The type must be `repr(C)` and have these fields: `&'a Self::Tables`, `&'a [u8]`, `&'a Self::Row`.
pub unsafe trait Handle<'a>: Copy + 'a {
    /// The row type.
    #[doc(hidden)]
    type Row: Row<Tables = Self::Tables>;
    /// The tables of its unit.
    #[doc(hidden)]
    type Tables: Unit;
    /// Creates a handle.
    ///
    /// # Safety
    /// The row must be one of these tables, or the empty one, and its strings must have been checked: accessors rely on
    /// that.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn new(tables: &'a Self::Tables, input: &'a [u8], row: &'a Self::Row) -> Self {
        const { assert!(size_of::<Self>() == size_of::<Parts<'a, Self>>()) }
        // SAFETY: both types have the same fields in the same order.
        unsafe { core::mem::transmute_copy(&Parts::<Self> { tables, input, row }) }
    }
    /// Returns the parts of a handle.
    #[doc(hidden)]
    #[inline(always)]
    fn parts(self) -> Parts<'a, Self> {
        const { assert!(size_of::<Self>() == size_of::<Parts<'a, Self>>()) }
        // SAFETY: both types have the same fields in the same order.
        unsafe { core::mem::transmute_copy(&self) }
    }
}

/// The parts of a handle.
#[doc(hidden)]
#[repr(C)]
pub struct Parts<'a, H: Handle<'a>> {
    pub tables: &'a H::Tables,
    pub input: &'a [u8],
    pub row: &'a H::Row,
}

/// For generated code: returns a handle of a row, or of the empty row if there is none.
#[inline(always)]
pub fn handle<'a, H: Handle<'a>>(tables: &'a <H::Row as Row>::Tables, input: &'a [u8], row: u32) -> H {
    // SAFETY: `Table::get` returns a row of these tables, or the empty one.
    unsafe { H::new(tables, input, H::Row::rows(tables).0.get(row)) }
}

/// For generated code: returns a handle of a row, unless its index is 0.
#[inline(always)]
pub fn child<'a, H: Handle<'a>>(tables: &'a H::Tables, input: &'a [u8], row: u32) -> Option<H> {
    if row == 0 { None } else { Some(handle(tables, input, row)) }
}

/// The elements of a repeated message field.
pub struct Rows<'a, H: Handle<'a>> {
    tables: &'a H::Tables,
    input: &'a [u8],
    list: List,
}

impl<'a, H: Handle<'a>> Clone for Rows<'a, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, H: Handle<'a>> Copy for Rows<'a, H> {}

impl<'a, H: Handle<'a>> Rows<'a, H> {
    /// For generated code.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(tables: &'a H::Tables, input: &'a [u8], list: List) -> Self {
        Rows { tables, input, list }
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns one element: immediately if the rows are adjacent, else by walking the list.
    pub fn get(&self, index: usize) -> Option<H> {
        if index >= self.len() {
            return None;
        }
        if self.list.contiguous() {
            return Some(handle(self.tables, self.input, self.list.first + index as u32));
        }
        self.iter().nth(index)
    }

    /// Iterates over all elements in order.
    #[inline(always)]
    pub fn iter(&self) -> RowsIter<'a, H> {
        let table = H::Row::rows(self.tables).0;
        let (slice, linked) = if self.list.contiguous() {
            (table.slice(self.list.first, self.list.count), 0)
        } else {
            (&[][..], self.list.count)
        };
        RowsIter { tables: self.tables, input: self.input, slice: slice.iter(), at: self.list.first, linked }
    }
}

impl<'a, H: Handle<'a>> IntoIterator for Rows<'a, H> {
    type Item = H;
    type IntoIter = RowsIter<'a, H>;
    #[inline(always)]
    fn into_iter(self) -> RowsIter<'a, H> {
        self.iter()
    }
}

impl<'a, H: Handle<'a>> IntoIterator for &Rows<'a, H> {
    type Item = H;
    type IntoIter = RowsIter<'a, H>;
    #[inline(always)]
    fn into_iter(self) -> RowsIter<'a, H> {
        self.iter()
    }
}

/// Iterates over [`Rows`].
pub struct RowsIter<'a, H: Handle<'a>> {
    tables: &'a H::Tables,
    input: &'a [u8],
    slice: core::slice::Iter<'a, H::Row>,
    /// The next row and the number of remaining rows, if rows are linked.
    at: u32,
    linked: u32,
}

impl<'a, H: Handle<'a>> RowsIter<'a, H> {
    /// Out of line and by value: an iterator whose address escapes would live in memory.
    #[inline(never)]
    fn linked_row(tables: &'a H::Tables, at: u32) -> (&'a H::Row, u32) {
        let (table, side) = H::Row::rows(tables);
        let row = table.get(at);
        (row, side.after(at, row.side()))
    }
}

impl<'a, H: Handle<'a>> Iterator for RowsIter<'a, H> {
    type Item = H;

    #[inline(always)]
    fn next(&mut self) -> Option<H> {
        let row = match self.slice.next() {
            Some(row) => row,
            None => {
                self.linked = self.linked.checked_sub(1)?;
                let (row, next) = Self::linked_row(self.tables, self.at);
                self.at = next;
                row
            }
        };
        // SAFETY: the row comes from a slice of the table (`Rows::iter`), or from the table.
        Some(unsafe { H::new(self.tables, self.input, row) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.slice.len() + self.linked as usize;
        (left, Some(left))
    }
}

impl<'a, H: Handle<'a>> ExactSizeIterator for RowsIter<'a, H> {}

impl<'a, H: Handle<'a>> Clone for RowsIter<'a, H> {
    fn clone(&self) -> Self {
        RowsIter { slice: self.slice.clone(), ..*self }
    }
}

impl<'a, H: Handle<'a> + fmt::Debug> fmt::Debug for RowsIter<'a, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, H: Handle<'a> + fmt::Debug> fmt::Debug for Rows<'a, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().fmt(f)
    }
}

impl<'a, H: Handle<'a> + PartialEq> PartialEq for Rows<'a, H> {
    fn eq(&self, rhs: &Self) -> bool {
        self.len() == rhs.len() && self.iter().eq(rhs.iter())
    }
}
