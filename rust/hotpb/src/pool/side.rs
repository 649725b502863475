//! Data that few rows need, kept outside the rows: links between siblings, and unknown fields.

use super::{Decoder, Memory, Row, Table};
use crate::wire::append_varint;
use alloc::vec::Vec;

/// The side entry of one row. Entry 0 means "none".
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    /// The next sibling; 0 if it is simply the next row.
    pub(crate) next: u32,
    /// The first and the last piece of the unknown fields; 0 if there are none. (A map entry keeps none; there `first`
    /// is the position of the map's index, see [`super::EntryTable`].)
    pub(crate) first: u32,
    last: u32,
}

/// A piece of unknown fields: one record, or several adjacent ones. Piece 0 means "none".
#[derive(Clone, Copy, Default)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) len: u32,
    pub(crate) next: u32,
    /// Whether it is in [`Side::bytes`] instead of the input.
    pub(crate) made: bool,
}

/// The links and unknown fields of all rows of a generated unit.
#[derive(Default)]
pub struct Side {
    entries: Vec<Entry>,
    pieces: Vec<Piece>,
    /// Records that the decoder created: undefined values of closed enums (ENM-2).
    made: Vec<u8>,
    /// The number of tables of map entries that have a map with more than one entry, so that a decode without any need
    /// not look at the maps of its unit.
    pub(super) maps: u32,
}

impl Memory for Side {
    fn bytes(&self) -> usize {
        self.entries.bytes() + self.pieces.bytes() + self.made.bytes()
    }
    fn shrink(&mut self, keep: usize, total: usize) {
        self.clear();
        self.entries.shrink(keep, total);
        self.pieces.shrink(keep, total);
        self.made.shrink(keep, total);
    }
}

impl Side {
    /// Nothing.
    pub(super) const EMPTY: Side = Side { entries: Vec::new(), pieces: Vec::new(), made: Vec::new(), maps: 0 };

    /// Removes everything and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.entries.clear();
        self.pieces.clear();
        self.made.clear();
        self.maps = 0;
    }

    /// Returns the number of tables of map entries that wait for their `finish`.
    #[inline(always)]
    pub fn maps(&self) -> u32 {
        self.maps
    }

    #[inline(always)]
    pub(crate) fn entry(&self, side: u32) -> Entry {
        self.entries.get(side as usize).copied().unwrap_or_default()
    }

    pub(crate) fn piece(&self, at: u32) -> Piece {
        self.pieces.get(at as usize).copied().unwrap_or_default()
    }

    pub(crate) fn made(&self) -> &[u8] {
        &self.made
    }

    /// Iterates over the unknown fields of a row, piece by piece.
    pub(crate) fn pieces_of<'a>(&'a self, row_side: u32, input: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let mut at = self.entry(row_side).first;
        core::iter::from_fn(move || {
            if at == 0 {
                return None;
            }
            let piece = self.piece(at);
            at = piece.next;
            let source = if piece.made { &self.made } else { input };
            source.get(piece.start as usize..(piece.start + piece.len) as usize)
        })
    }

    /// Returns the entry of a row's `side`, which it creates if there is none.
    pub(crate) fn entry_of(&mut self, d: &mut Decoder<'_>, anchor: u32, side: &mut u32) -> Option<&mut Entry> {
        if *side == 0 {
            d.take(1, 1, core::mem::size_of::<Entry>(), anchor)?;
            if self.entries.is_empty() {
                self.entries.push(Entry::default());
            }
            *side = self.entries.len() as u32;
            self.entries.push(Entry::default());
        }
        self.entries.get_mut(*side as usize)
    }

    /// Does the same as [`Side::entry_of`], after decoding, when the rows have already paid for the entries.
    pub(crate) fn entry_after(&mut self, side: &mut u32) -> &mut Entry {
        if *side == 0 {
            if self.entries.is_empty() {
                self.entries.push(Entry::default());
            }
            *side = self.entries.len() as u32;
            self.entries.push(Entry::default());
        }
        &mut self.entries[*side as usize]
    }

    /// Links a row to its next sibling, which is not the next row.
    #[cold]
    pub(crate) fn link<R: Row>(
        &mut self,
        d: &mut Decoder<'_>,
        anchor: u32,
        table: &mut Table<R>,
        row: u32,
        next: u32,
    ) -> Option<()> {
        let row = table.at(row);
        let mut side = row.side();
        self.entry_of(d, anchor, &mut side)?.next = next;
        row.set_side(side);
        Some(())
    }

    /// Returns the row after this one in its list.
    #[inline(always)]
    pub(crate) fn after(&self, row: u32, side: u32) -> u32 {
        match self.entry(side).next {
            0 => row + 1,
            next => next,
        }
    }

    /// Keeps a record of the input as an unknown field (UNK-1).
    #[cold]
    #[inline(never)]
    pub fn keep(&mut self, d: &mut Decoder<'_>, anchor: u32, side: &mut u32, start: u32, end: u32) -> Option<()> {
        self.add(d, anchor, side, Piece { start, len: end - start, next: 0, made: false })
    }

    /// Keeps an undefined value of a closed enum: one varint record under the field's number (ENM-2).
    #[cold]
    #[inline(never)]
    pub fn keep_enum(
        &mut self,
        d: &mut Decoder<'_>,
        anchor: u32,
        side: &mut u32,
        number: u32,
        value: i32,
    ) -> Option<()> {
        let start = self.made.len();
        // A tag and a value have at most five and ten bytes.
        d.take(15, 15, 1, anchor)?;
        append_varint(&mut self.made, (number as u64) << 3);
        append_varint(&mut self.made, value as i64 as u64);
        let len = (self.made.len() - start) as u32;
        self.add(d, anchor, side, Piece { start: start as u32, len, next: 0, made: true })
    }

    fn add(&mut self, d: &mut Decoder<'_>, anchor: u32, side: &mut u32, piece: Piece) -> Option<()> {
        let entry = *self.entry_of(d, anchor, side)?;
        if entry.last != 0 {
            let last = &mut self.pieces[entry.last as usize];
            if last.made == piece.made && last.start + last.len == piece.start {
                last.len += piece.len;
                return Some(());
            }
        }
        d.take(1, 1, core::mem::size_of::<Piece>(), anchor)?;
        if self.pieces.is_empty() {
            self.pieces.push(Piece::default());
        }
        let at = self.pieces.len() as u32;
        self.pieces.push(piece);
        let entry = &mut self.entries[*side as usize];
        if entry.last == 0 {
            entry.first = at;
        } else {
            self.pieces[entry.last as usize].next = at;
        }
        entry.last = at;
        Some(())
    }
}
