//! Descriptions of messages and enums: static tables, which generated code fills.

use super::Kind;
use crate::pool::{Handle, Row, table::Unit};
use crate::wire::check::{FieldSchema, MessageSchema};
use core::fmt::{self, Display, Formatter, Write};

/// Implemented by generated code for handles, of any lifetime.
pub trait Described {
    /// The description of the message.
    const DESCRIPTION: &'static Description;
}

/// Describes a message type.
pub struct Description {
    schema: &'static MessageSchema,
    types: &'static [FieldType],
    json: &'static [(u32, &'static str)],
    /// The offset of the side entry's index in the row, and those of the scalars and the links in the tables.
    pub(super) side: usize,
    pub(super) scalars: usize,
    pub(super) links: usize,
}

/// A part of a field's description: what its number and its kind do not say, and its place in the row.
#[doc(hidden)]
pub struct FieldType {
    /// Whether absent and default differ.
    pub(super) presence: Presence,
    /// The type of messages and enums.
    pub(super) values: Of,
    /// The offset of the value.
    pub(super) place: usize,
    /// The offset of the presence: of the word with a bit, or of a oneof's case.
    pub(super) shown: usize,
    /// The bit, if the field has one.
    pub(super) mask: u32,
    /// The offset of the tables of its messages in those of the message.
    pub(super) home: usize,
}

/// The type of a field's messages or enum values.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Of {
    /// Neither of them.
    Nothing,
    /// A message, or the entry of a map.
    Message(MessageOf),
    /// An enum.
    Enum(&'static EnumDescription),
}

/// A type of messages. Descriptions can form circles, therefore functions.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MessageOf {
    pub(super) description: fn() -> &'static Description,
    /// Returns a row of the table in these tables.
    pub(super) row: unsafe fn(*const u8, u32) -> *const u8,
}

fn description_of<R: Row>() -> &'static Description {
    R::DESCRIPTION
}

/// # Safety
/// The pointer must point to `R::Tables`, which nobody changes while the row is used.
unsafe fn row_of<R: Row>(tables: *const u8, row: u32) -> *const u8 {
    // SAFETY: the caller's promise.
    let tables = unsafe { &*tables.cast::<R::Tables>() };
    (&raw const *R::rows(tables).0.get(row)).cast()
}

impl Of {
    /// For generated code: a message.
    pub const fn message<'a, H: Handle<'a>>() -> Of {
        Of::Message(MessageOf::new::<H::Row>())
    }
}

impl MessageOf {
    pub(super) const fn new<R: Row>() -> MessageOf {
        MessageOf { description: description_of::<R>, row: row_of::<R> }
    }
}

/// For generated code: fields by their presence, with the offset of the value, its type, and the offset of the tables of
/// its messages.
impl FieldType {
    const fn new(presence: Presence, place: usize, values: Of, home: usize) -> FieldType {
        FieldType { presence, values, place, shown: 0, mask: 0, home }
    }

    /// A value that is present if it is not zero.
    pub const fn implicit(place: usize, values: Of, home: usize) -> FieldType {
        FieldType::new(Presence::Implicit, place, values, home)
    }

    /// The same value, present if a bit is set in one of the words at an offset.
    pub const fn bit(mut self, words: usize, word: usize, mask: u32) -> FieldType {
        (self.presence, self.shown, self.mask) = (Presence::Explicit, words + 4 * word, mask);
        self
    }

    /// A message.
    pub const fn child(place: usize, values: Of, home: usize) -> FieldType {
        FieldType::new(Presence::Explicit, place, values, home)
    }

    /// Elements, or a map.
    pub const fn repeated(place: usize, values: Of, home: usize) -> FieldType {
        FieldType::new(Presence::Repeated, place, values, home)
    }

    /// A key or a value of a map's entry.
    pub const fn always(place: usize, values: Of, home: usize) -> FieldType {
        FieldType::new(Presence::Always, place, values, home)
    }

    /// A member of a oneof, which [`FieldType::in_oneof`] completes.
    pub const fn member(place: usize, values: Of, home: usize) -> FieldType {
        FieldType::new(Presence::Member(""), place, values, home)
    }

    /// The same member, of the oneof with this name, whose case is at an offset.
    pub const fn in_oneof(mut self, oneof: &'static str, case: usize) -> FieldType {
        (self.presence, self.shown) = (Presence::Member(oneof), case);
        self
    }
}

/// Whether absent and default differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// They do not.
    Implicit,
    /// They do.
    Explicit,
    /// They do, and the field is a member of the oneof whose name follows the underscore.
    Member(&'static str),
    /// The field is repeated, or a map.
    Repeated,
    /// The key or the value of a map's entry, which is always present.
    Always,
}

impl Description {
    /// For generated code: the description of a row.
    #[doc(hidden)]
    pub const fn new<R: Row>(
        schema: &'static MessageSchema,
        types: &'static [FieldType],
        json: &'static [(u32, &'static str)],
    ) -> Description {
        let (scalars, links) = (<R::Tables as Unit>::SCALARS, <R::Tables as Unit>::LINKS);
        Description { schema, types, json, side: R::SIDE, scalars, links }
    }

    /// Returns the full name.
    pub fn name(&self) -> &'static str {
        self.schema.name
    }

    /// Iterates over the fields, by ascending number.
    pub fn fields(&'static self) -> impl ExactSizeIterator<Item = Field> + Clone {
        (0..self.types.len()).map(move |index| Field { message: self, index })
    }

    pub(super) fn field(&self, index: usize) -> (&'static FieldSchema, &'static FieldType) {
        (&self.schema.fields[index], &self.types[index])
    }
}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Describes a field of a message type.
#[derive(Clone, Copy)]
pub struct Field {
    message: &'static Description,
    index: usize,
}

impl Field {
    fn schema(self) -> &'static FieldSchema {
        &self.message.schema.fields[self.index]
    }

    /// Returns the index in [`Description::fields`].
    pub fn index(self) -> usize {
        self.index
    }

    /// Returns the number.
    pub fn number(self) -> u32 {
        self.schema().number
    }

    /// Returns the name in the schema.
    pub fn name(self) -> &'static str {
        self.schema().name
    }

    /// Returns the name in JSON.
    pub fn json_name(self) -> JsonName {
        let number = self.number();
        match self.message.json.iter().find(|(field, _)| *field == number) {
            Some(&(_, name)) => JsonName { name, follows: false },
            None => JsonName { name: self.name(), follows: true },
        }
    }

    /// Returns the type of the field, or of its elements.
    pub fn kind(self) -> Kind {
        self.schema().kind
    }

    /// Returns the presence.
    pub fn presence(self) -> Presence {
        self.message.types[self.index].presence
    }

    /// Returns the type of its messages; for a map, of its entries, whose fields are key and value.
    pub fn message(self) -> Option<&'static Description> {
        match self.message.types[self.index].values {
            Of::Message(message) => Some((message.description)()),
            _ => None,
        }
    }

    /// Returns the type of its enum values.
    pub fn enum_type(self) -> Option<&'static EnumDescription> {
        match self.message.types[self.index].values {
            Of::Enum(values) => Some(values),
            _ => None,
        }
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.message.name(), self.name())
    }
}

/// The name of a field in JSON, which `Display` writes.
#[derive(Clone, Copy, Debug)]
pub struct JsonName {
    name: &'static str,
    /// Whether it follows from the name in the schema: without underscores, and the next letter in upper case.
    follows: bool,
}

impl JsonName {
    fn chars(self) -> impl Iterator<Item = char> {
        let mut upper = false;
        self.name.chars().filter_map(move |c| {
            if self.follows && c == '_' {
                upper = true;
                return None;
            }
            Some(if core::mem::take(&mut upper) { c.to_ascii_uppercase() } else { c })
        })
    }
}

impl Display for JsonName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|c| f.write_char(c))
    }
}

impl PartialEq<str> for JsonName {
    fn eq(&self, rhs: &str) -> bool {
        self.chars().eq(rhs.chars())
    }
}

/// Describes an enum.
#[derive(Debug, PartialEq, Eq)]
pub struct EnumDescription {
    name: &'static str,
    values: &'static [(i32, &'static str)],
    /// The number of values at the start that are 0, 1, 2, ….
    dense: usize,
}

impl EnumDescription {
    /// For generated code.
    #[doc(hidden)]
    pub const fn new(name: &'static str, values: &'static [(i32, &'static str)]) -> EnumDescription {
        let mut dense = 0;
        while dense < values.len() && values[dense].0 == dense as i32 {
            dense += 1;
        }
        EnumDescription { name, values, dense }
    }

    /// Returns the full name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns numbers and names of the values, in the order of the schema, aliases included.
    pub fn values(&self) -> &'static [(i32, &'static str)] {
        self.values
    }

    /// Returns the first name of a number.
    pub const fn name_of(&self, number: i32) -> Option<&'static str> {
        if number >= 0 && (number as usize) < self.dense {
            return Some(self.values[number as usize].1);
        }
        let mut i = self.dense;
        while i < self.values.len() {
            if self.values[i].0 == number {
                return Some(self.values[i].1);
            }
            i += 1;
        }
        None
    }

    /// Returns the number of a name.
    pub fn number_of(&self, name: &str) -> Option<i32> {
        self.values.iter().find(|(_, text)| *text == name).map(|(number, _)| *number)
    }
}

/// Implemented by generated code for enums.
pub trait EnumType: From<i32> + Into<i32> + Copy {
    /// The description of the enum.
    const DESCRIPTION: &'static EnumDescription;
}

/// For generated code: the type of an accessor's result.
#[doc(hidden)]
pub trait TypeOf {
    /// Enums have a description, other values nothing.
    const OF: Of = Of::Nothing;
}

impl TypeOf for i32 {}
impl TypeOf for i64 {}
impl TypeOf for u32 {}
impl TypeOf for u64 {}
impl TypeOf for f32 {}
impl TypeOf for f64 {}
impl TypeOf for bool {}
impl TypeOf for &str {}
impl TypeOf for &super::ProtoStr {}
impl TypeOf for &[u8] {}
