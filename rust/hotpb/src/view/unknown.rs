//! Unknown fields: records that the schema does not define, with those of extensions, and undefined values of closed
//! enums, in their order.

use super::extension::ExtensionId;
use super::map::is_entry;
use super::message::item_of;
use super::raw::Raw;
use super::table::{Field, Kind, Table};
use crate::wire::{Cursor, DEPTH_CEILING, LEN, append_int32, append_varint};
use alloc::vec::Vec;

/// One unknown field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// The field number.
    pub number: u32,
    /// The wire type.
    pub wire_type: u32,
    /// The content.
    pub content: Unknown<'a>,
}

/// The content of an unknown field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown<'a> {
    /// A record, unchanged, with its tag.
    Record(&'a [u8]),
    /// An undefined value of a closed enum, which may share its record with other values.
    EnumValue(i32),
}

impl UnknownField<'_> {
    /// Appends the record: unchanged, or as one varint record for a value of a closed enum (ENM-2).
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match self.content {
            Unknown::Record(record) => out.extend_from_slice(record),
            Unknown::EnumValue(value) => {
                append_varint(out, (self.number as u64) << 3);
                append_int32(out, value);
            }
        }
    }
}

/// Iterates over the unknown fields of a message.
#[derive(Clone)]
pub struct UnknownFields<'a> {
    /// The records after the current one, known ones among them.
    rest: Cursor<'a>,
    table: &'static Table,
    excluded: &'a [ExtensionId],
    /// The rest of the current record, if it has values of a closed enum.
    values: Cursor<'a>,
    field: Option<&'static Field>,
}

impl<'a> UnknownFields<'a> {
    pub(super) fn new(raw: &Raw<'a>, table: &'static Table) -> Self {
        let rest = Cursor::new(raw.unknown());
        UnknownFields { rest, table, excluded: &[], values: Cursor::new(&[]), field: None }
    }

    /// Leaves out the records of extensions, which are otherwise among the unknown fields.
    pub fn without<'b>(self, extensions: &'b [ExtensionId]) -> UnknownFields<'b>
    where
        'a: 'b,
    {
        UnknownFields { excluded: extensions, ..self }
    }

    /// Reports whether a record of an extension is among them.
    pub(super) fn has(mut self, id: ExtensionId) -> bool {
        while let Some(tag) = self.rest.tag() {
            let value = self.rest;
            if self.rest.skip(tag, DEPTH_CEILING).is_none() {
                break;
            }
            if id.takes(tag, value.up_to(&self.rest).remaining()).is_some() {
                return true;
            }
        }
        false
    }

    /// Returns the field, or the extension that is left out, to which a record belongs.
    fn field(&self, tag: u32, value: &[u8]) -> Option<&'static Field> {
        if let Ok(at) = self.table.fields.binary_search_by_key(&(tag >> 3), Field::number) {
            return Some(&self.table.fields[at]).filter(|field| field.takes(tag));
        }
        self.excluded.iter().find_map(|id| id.takes(tag, value))
    }
}

impl<'a> Iterator for UnknownFields<'a> {
    type Item = UnknownField<'a>;

    fn next(&mut self) -> Option<UnknownField<'a>> {
        loop {
            while let Some(field) = self.field.filter(|_| !self.values.at_end()) {
                let value = self.values.varint()?;
                if !field.defines(value) {
                    let content = Unknown::EnumValue(value as i32);
                    return Some(UnknownField { number: field.number(), wire_type: 0, content });
                }
            }
            if self.rest.at_end() {
                return None;
            }
            let start = self.rest.remaining();
            // The scan has checked the records.
            let tag = self.rest.tag()?;
            let value = self.rest;
            self.rest.skip(tag, DEPTH_CEILING)?;
            let record = &start[..start.len() - self.rest.left()];
            let mut value = value.up_to(&self.rest);
            let is_unknown = match self.field(tag, value.remaining()) {
                None => !self.table.dropped.contains(&(tag >> 3)),
                Some(field) if field.kind == Kind::Closed => {
                    self.values = if tag & 7 == LEN { value.inner()? } else { value };
                    self.field = Some(field);
                    false
                }
                Some(field) if field.kind == Kind::Map => !is_entry(field, value.bytes()?),
                Some(_) => false,
            };
            if is_unknown {
                let content = Unknown::Record(record);
                return Some(UnknownField { number: tag >> 3, wire_type: tag & 7, content });
            }
        }
    }
}

impl ExtensionId {
    /// Returns the extension's field if a record belongs to it.
    fn takes(&self, tag: u32, value: &[u8]) -> Option<&'static Field> {
        let field = self.field()?;
        let item = self.is_item() && item_of(tag, value) == Some(self.number());
        (item || tag >> 3 == self.number() && field.takes(tag)).then_some(field)
    }
}
