//! The tables that the cold decoder walks over: statics in generated code, leaked allocations in tests.

use crate::wire::{FIXED32, FIXED64, LEN, START_GROUP, VARINT};

/// A message type.
#[derive(Debug)]
pub struct MessageSchema {
    /// The full name.
    pub name: &'static str,
    /// The fields, in ascending order of numbers.
    pub fields: &'static [FieldSchema],
}

/// A field.
#[derive(Debug)]
pub struct FieldSchema {
    /// The field number.
    pub number: u32,
    /// The name in the `.proto` file.
    pub name: &'static str,
    /// How its values are encoded on the wire.
    pub kind: Kind,
    /// Whether it is repeated, maps included.
    pub repeated: bool,
    /// The message type of [`Kind::Message`], [`Kind::Group`] and [`Kind::Map`].
    pub message: Option<&'static MessageSchema>,
}

/// How values are encoded on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A varint, as are the next seven.
    Int32,
    /// 64 bits with a sign.
    Int64,
    /// 32 bits without a sign.
    Uint32,
    /// 64 bits without a sign.
    Uint64,
    /// 32 bits, zigzag.
    Sint32,
    /// 64 bits, zigzag.
    Sint64,
    /// Zero or one.
    Bool,
    /// The number of an enum's value, open or closed.
    Enum,
    /// Four bytes, as are the next two.
    Fixed32,
    /// With a sign.
    Sfixed32,
    /// A floating-point number.
    Float,
    /// Eight bytes, as are the next two.
    Fixed64,
    /// With a sign.
    Sfixed64,
    /// A floating-point number.
    Double,
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
    /// A map; the message type is its entry.
    Map,
}

impl Kind {
    /// Returns the wire type of one element.
    pub(crate) const fn wire_type(self) -> u32 {
        match self {
            Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => FIXED32,
            Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => FIXED64,
            Kind::Group => START_GROUP,
            Kind::Utf8 | Kind::Text | Kind::Bytes | Kind::Message | Kind::Map => LEN,
            _ => VARINT,
        }
    }
}

impl MessageSchema {
    /// Creates a message type.
    pub const fn new(name: &'static str, fields: &'static [FieldSchema]) -> MessageSchema {
        MessageSchema { name, fields }
    }

    /// Returns the field that a record with this tag belongs to; `None` for unknown fields, which include known numbers
    /// with another wire type (FLD-2).
    pub(crate) fn field_for(&self, tag: u32) -> Option<&'static FieldSchema> {
        let at = self.fields.binary_search_by_key(&(tag >> 3), |f| f.number).ok()?;
        let field = &self.fields[at];
        let packed = field.repeated && tag & 7 == LEN;
        if tag & 7 == field.kind.wire_type() || packed && field.kind != Kind::Group { Some(field) } else { None }
    }
}

impl FieldSchema {
    /// Creates a singular field without a message type.
    pub const fn new(number: u32, name: &'static str, kind: Kind) -> FieldSchema {
        FieldSchema { number, name, kind, repeated: false, message: None }
    }

    /// Returns the same field, repeated.
    pub const fn repeated(mut self) -> FieldSchema {
        self.repeated = true;
        self
    }

    /// Returns the same field, with this message type.
    pub const fn child(mut self, message: &'static MessageSchema) -> FieldSchema {
        self.message = Some(message);
        self
    }
}
