//! Unknown fields: unchanged records, in their order.

use super::Side;
use crate::text::Text;
use crate::wire::{Cursor, DEPTH_CEILING};
use core::fmt;

/// Iterates over the unknown fields of a message, record by record.
#[derive(Clone)]
pub struct UnknownFields<'a> {
    side: &'a Side,
    input: &'a [u8],
    piece: u32,
    rest: &'a [u8],
    /// The offset of `rest` in the input; `None` for records that the decoder created.
    at: Option<usize>,
}

/// One unknown record: its tag and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// The field number.
    pub number: u32,
    /// The wire type.
    pub wire_type: u32,
    /// All bytes of the record, including the tag.
    pub record: &'a [u8],
    /// The bytes after the tag: the value, with its length, or including the end tag.
    pub value: &'a [u8],
    /// The offset of the record in the input; `None` for an undefined enum value from a packed record.
    pub offset: Option<usize>,
}

impl<'a> UnknownFields<'a> {
    /// For generated code.
    #[doc(hidden)]
    #[inline]
    pub fn new(side: &'a Side, input: &'a [u8], row_side: u32) -> Self {
        UnknownFields { side, input, piece: side.entry(row_side).first, rest: &[], at: None }
    }

    /// Wraps consecutive records.
    pub(super) fn of_records(records: &'a [u8]) -> Self {
        static NONE: Side = Side::EMPTY;
        UnknownFields { side: &NONE, input: records, piece: 0, rest: records, at: Some(0) }
    }

    /// Returns the input that contains the records.
    pub(super) fn input(&self) -> &'a [u8] {
        self.input
    }
}

impl<'a> Iterator for UnknownFields<'a> {
    type Item = UnknownField<'a>;

    fn next(&mut self) -> Option<UnknownField<'a>> {
        if self.rest.is_empty() {
            if self.piece == 0 {
                return None;
            }
            let piece = self.side.piece(self.piece);
            let source = if piece.made { self.side.made() } else { self.input };
            self.rest = source.get(piece.start as usize..(piece.start + piece.len) as usize)?;
            self.at = if piece.made { None } else { Some(piece.start as usize) };
            self.piece = piece.next;
        }
        // The records were checked when they were kept, so neither tag nor skip can fail.
        let mut cursor = Cursor::new(self.rest);
        let tag = cursor.tag()?;
        let head = self.rest.len() - cursor.left();
        cursor.skip(tag, DEPTH_CEILING)?;
        let (record, rest) = self.rest.split_at(self.rest.len() - cursor.left());
        let field =
            UnknownField { number: tag >> 3, wire_type: tag & 7, record, value: &record[head..], offset: self.at };
        self.rest = rest;
        self.at = self.at.map(|at| at + record.len());
        Some(field)
    }
}

/// As `protoc --decode_raw` shows records.
impl fmt::Debug for UnknownFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::new(f);
        self.clone().try_for_each(|field| text.unknown(field.record))
    }
}

/// Equal if the records have the same bytes, in the same order.
impl PartialEq for UnknownFields<'_> {
    fn eq(&self, rhs: &Self) -> bool {
        self.clone().map(|field| field.record).eq(rhs.clone().map(|field| field.record))
    }
}

impl Eq for UnknownFields<'_> {}
