//! The description of a message, as data: what its fields are, and where their slots are.

use crate::wire::check::MessageSchema;
use crate::wire::{FIXED32, FIXED64, LEN, START_GROUP, VARINT, is_ascii, is_utf8};

/// A message.
pub struct Table {
    /// For errors and names. Its fields are those of `fields`, in the same order.
    pub(super) schema: &'static MessageSchema,
    /// In ascending order of numbers.
    pub(super) fields: &'static [Field],
    /// The numbers of fields whose records are discarded.
    pub(super) dropped: &'static [u32],
    /// The number of words in the slots.
    pub(super) words: usize,
    /// Whether a required field can be absent in the message, or in a message in it.
    pub(super) needs: bool,
    /// Whether it is the entry of a map.
    pub(super) is_entry: bool,
    /// The tags, if the message has exactly two fields, both strings or bytes with tags of one byte; else 0. Labels and
    /// attributes are such messages.
    pub(super) pair: [u8; 2],
}

/// Returns the tags of a message of two strings or bytes.
const fn pair_of(fields: &[Field]) -> [u8; 2] {
    match fields {
        [a, b] if a.is_text() && b.is_text() => [a.tag as u8, b.tag as u8],
        _ => [0; 2],
    }
}

/// A field.
pub struct Field {
    /// The tag as the schema requires it: for a packed field, that of the packed record.
    pub(super) tag: u32,
    /// The first word of its slot.
    pub(super) slot: u16,
    pub(super) kind: Kind,
    pub(super) shape: Shape,
    /// Whether it is required.
    pub(super) required: bool,
    /// Which bits count, if it is the key of a map.
    pub(super) key: KeyBits,
    /// The test whether a closed enum, or that of a map's values, defines a number.
    pub(super) closed: Option<fn(i32) -> bool>,
    /// The message, or the entry of the map.
    pub(super) child: Option<&'static Table>,
}

/// The wire form of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers, bools, open enums.
    Varint,
    /// Four bytes.
    Fixed32,
    /// Eight bytes.
    Fixed64,
    /// A string that is always checked.
    Utf8,
    /// A string that is checked only with `strict`.
    Text,
    /// Bytes.
    Bytes,
    /// A length-prefixed message.
    Message,
    /// A group or DELIMITED message.
    Group,
    /// A closed enum.
    Closed,
    /// A map.
    Map,
}

/// Which bits of a varint key count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBits {
    /// All of them.
    Wide,
    /// The low 32.
    Narrow,
    /// Whether one is set.
    Bool,
}

impl KeyBits {
    pub(super) fn normalize(self, value: u64) -> u64 {
        match self {
            KeyBits::Wide => value,
            KeyBits::Narrow => value as u32 as u64,
            KeyBits::Bool => (value != 0) as u64,
        }
    }
}

/// How many values a field has, and where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value, in a slot of its own.
    Single,
    /// A member of a oneof, whose slot the members share.
    Member,
    /// Any number of values.
    Repeated,
}

impl Kind {
    /// Returns the wire type of one element.
    #[inline(always)]
    pub(super) const fn wire_type(self) -> u32 {
        match self {
            Kind::Varint | Kind::Closed => VARINT,
            Kind::Fixed32 => FIXED32,
            Kind::Fixed64 => FIXED64,
            Kind::Group => START_GROUP,
            _ => LEN,
        }
    }
}

impl Field {
    /// For generated code.
    pub const fn new(tag: u32, slot: u16, kind: Kind, shape: Shape) -> Field {
        Field { tag, slot, kind, shape, required: false, key: KeyBits::Wide, closed: None, child: None }
    }

    /// Returns the same field, required.
    pub const fn required(mut self) -> Field {
        self.required = true;
        self
    }

    /// Returns the same field, as the key of a map.
    pub const fn key(mut self, key: KeyBits) -> Field {
        self.key = key;
        self
    }

    /// Returns the same field, with the values of a closed enum.
    pub const fn closed(mut self, defined: fn(i32) -> bool) -> Field {
        self.closed = Some(defined);
        self
    }

    /// Returns the same field, with this message.
    pub const fn child(mut self, child: &'static Table) -> Field {
        self.child = Some(child);
        self
    }

    /// Reports whether it is a singular message: the second word of its slot is never 0.
    #[inline(always)]
    pub(super) const fn is_message(&self) -> bool {
        matches!(self.kind, Kind::Message | Kind::Group)
    }

    /// Reports whether it is a singular string or bytes field with a tag of one byte.
    const fn is_text(&self) -> bool {
        let is_payload = matches!(self.kind, Kind::Utf8 | Kind::Text | Kind::Bytes);
        is_payload && matches!(self.shape, Shape::Single) && self.tag < 0x80
    }

    /// Reports whether a payload is as the field requires.
    #[inline(always)]
    pub(super) fn accepts(&self, payload: &[u8], strict: bool) -> bool {
        let checked = matches!(self.kind, Kind::Utf8) || matches!(self.kind, Kind::Text) && strict;
        !checked || is_utf8(payload)
    }

    #[inline(always)]
    pub(super) const fn is_member(&self) -> bool {
        matches!(self.shape, Shape::Member)
    }

    #[inline(always)]
    pub(super) const fn number(&self) -> u32 {
        self.tag >> 3
    }

    /// Returns the tag of one element.
    #[inline(always)]
    pub(super) const fn element_tag(&self) -> u32 {
        self.tag & !7 | self.kind.wire_type()
    }

    /// Reports whether a record with this tag, which has the field's number, belongs to the field.
    #[inline(always)]
    pub(super) fn takes(&self, tag: u32) -> bool {
        let packed = self.shape as u8 == Shape::Repeated as u8 && tag & 7 == LEN && self.kind != Kind::Group;
        tag & 7 == self.kind.wire_type() || packed
    }

    /// Reports whether an enum defines a value of this field; true for fields of other types.
    #[inline(always)]
    pub(super) fn defines(&self, value: u64) -> bool {
        self.closed.is_none_or(|defined| defined(value as i32))
    }
}

impl Table {
    /// For generated code.
    pub const fn new(
        schema: &'static MessageSchema,
        fields: &'static [Field],
        dropped: &'static [u32],
        words: usize,
        needs: bool,
    ) -> Table {
        Table { schema, fields, dropped, words, needs, is_entry: false, pair: pair_of(fields) }
    }

    /// Returns the same table, as that of a map's entry.
    pub const fn entry(mut self) -> Table {
        self.is_entry = true;
        self
    }

    /// Reads the usual form of a message of two strings or bytes: both fields, in order, with lengths below 128. Returns
    /// `None` for every other form, also for a bad one.
    #[inline(always)]
    pub(super) fn pair<'a>(&self, bytes: &'a [u8], strict: bool) -> Option<(&'a [u8], &'a [u8])> {
        let [tag, len, rest @ ..] = bytes else { return None };
        if *tag != self.pair[0] || *len >= 0x80 || self.pair[0] == 0 {
            return None;
        }
        let (first, rest) = rest.split_at_checked(*len as usize)?;
        let [tag, len, second @ ..] = rest else { return None };
        if *tag != self.pair[1] || *len >= 0x80 || second.len() != *len as usize {
            return None;
        }
        // Tags and lengths are below 0x80: one check covers both strings.
        let [a, b] = self.fields else { return None };
        let good = is_ascii(bytes) || a.accepts(first, strict) && b.accepts(second, strict);
        good.then_some((first, second))
    }

    /// Reports whether the message has a usual form as [`Table::pair`] reads it.
    #[inline(always)]
    pub(super) fn has_pair(&self) -> bool {
        self.pair[0] != 0
    }

    /// Checks the strings of consecutive records of that form, as [`Cursor::pass_pairs`] returns them.
    ///
    /// [`Cursor::pass_pairs`]: crate::wire::Cursor::pass_pairs
    #[inline(never)]
    pub(super) fn accepts_pairs(&self, mut records: &[u8], strict: bool) -> Option<()> {
        while let [len, rest @ ..] = records {
            let (record, rest) = rest.split_at_checked(*len as usize)?;
            self.pair(record, strict)?;
            records = rest.get(1..).unwrap_or(&[]); // after the next record's tag
        }
        Some(())
    }

    /// Returns the index of the field that a record with this tag belongs to.
    #[inline]
    pub(super) fn find(&self, tag: u32) -> Option<usize> {
        let number = tag >> 3;
        // Numbers from 1 without gaps are the rule.
        let direct = (number as usize).wrapping_sub(1);
        let at = match self.fields.get(direct) {
            Some(field) if field.number() == number => direct,
            _ => self.fields.binary_search_by_key(&number, Field::number).ok()?,
        };
        self.fields[at].takes(tag).then_some(at)
    }
}
