//! The tables that the cold decoder walks over: static in generated code, leaked in tests.

use crate::wire::{FIXED32, FIXED64, LEN, START_GROUP, VARINT};

/// A message type.
#[derive(Debug)]
pub struct MessageSchema {
    /// Full name.
    pub name: &'static str,
    /// Fields by ascending number.
    pub fields: &'static [FieldSchema],
}

/// A field.
#[derive(Debug)]
pub struct FieldSchema {
    /// Number.
    pub number: u32,
    /// Name in the .proto.
    pub name: &'static str,
    /// How its values look on the wire.
    pub kind: Kind,
    /// Whether it is repeated, maps included.
    pub repeated: bool,
    /// Message type of [`Kind::Message`], [`Kind::Group`] and [`Kind::Map`].
    pub message: Option<&'static MessageSchema>,
}

/// How values look on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers, bools, enums.
    Varint,
    /// Four bytes.
    Fixed32,
    /// Eight bytes.
    Fixed64,
    /// A string that is always checked.
    Utf8,
    /// A string that only `strict` checks.
    Text,
    /// Bytes.
    Bytes,
    /// A length-prefixed message.
    Message,
    /// A group or DELIMITED message.
    Group,
    /// A map; the message is its entry.
    Map,
}

impl Kind {
    /// Wire type of one element.
    pub(super) fn wire_type(self) -> u32 {
        match self {
            Kind::Varint => VARINT,
            Kind::Fixed32 => FIXED32,
            Kind::Fixed64 => FIXED64,
            Kind::Group => START_GROUP,
            _ => LEN,
        }
    }
}

impl MessageSchema {
    /// A message type.
    pub const fn new(name: &'static str, fields: &'static [FieldSchema]) -> MessageSchema {
        MessageSchema { name, fields }
    }

    /// The field that a record with this tag belongs to; `None` for unknown fields, among them known numbers
    /// with another wire type (FLD-2).
    pub(super) fn field_for(&self, tag: u32) -> Option<&'static FieldSchema> {
        let at = self.fields.binary_search_by_key(&(tag >> 3), |f| f.number).ok()?;
        let field = &self.fields[at];
        let packed = field.repeated && tag & 7 == LEN;
        if tag & 7 == field.kind.wire_type() || packed && field.kind != Kind::Group { Some(field) } else { None }
    }
}

impl FieldSchema {
    /// A singular field without a message type.
    pub const fn new(number: u32, name: &'static str, kind: Kind) -> FieldSchema {
        FieldSchema { number, name, kind, repeated: false, message: None }
    }

    /// The same field, repeated.
    pub const fn repeated(mut self) -> FieldSchema {
        self.repeated = true;
        self
    }

    /// The same field, with this message type.
    pub const fn of(mut self, message: &'static MessageSchema) -> FieldSchema {
        self.message = Some(message);
        self
    }
}
