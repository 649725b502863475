//! Descriptions of messages and enums: static tables, which generated code fills.

use super::Kind;
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
}

/// A part of a field's description: what its number and its kind do not say.
#[doc(hidden)]
pub struct FieldType {
    /// Whether absent and default differ.
    pub presence: Presence,
    /// The type of messages and enums.
    pub of: Of,
}

/// The type of a field's messages or enum values.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Of {
    /// Neither of them.
    Nothing,
    /// A message, or the entry of a map. Descriptions can form circles, therefore a function.
    Message(fn() -> &'static Description),
    /// An enum.
    Enum(&'static EnumDescription),
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
    /// For generated code.
    #[doc(hidden)]
    pub const fn new(
        schema: &'static MessageSchema,
        types: &'static [FieldType],
        json: &'static [(u32, &'static str)],
    ) -> Description {
        Description { schema, types, json }
    }

    /// Returns the full name.
    pub fn name(&self) -> &'static str {
        self.schema.name
    }

    /// Iterates over the fields, by ascending number.
    pub fn fields(&'static self) -> impl ExactSizeIterator<Item = Field> + Clone {
        (0..self.types.len()).map(move |index| Field { of: self, index })
    }

    pub(super) fn presence(&self, index: usize) -> Presence {
        self.types[index].presence
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
    of: &'static Description,
    index: usize,
}

impl Field {
    fn schema(self) -> &'static FieldSchema {
        &self.of.schema.fields[self.index]
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
        match self.of.json.iter().find(|(of, _)| *of == number) {
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
        self.of.presence(self.index)
    }

    /// Returns the type of its messages; for a map, of its entries, whose fields are key and value.
    pub fn message(self) -> Option<&'static Description> {
        match self.of.types[self.index].of {
            Of::Message(of) => Some(of()),
            _ => None,
        }
    }

    /// Returns the type of its enum values.
    pub fn enum_type(self) -> Option<&'static EnumDescription> {
        match self.of.types[self.index].of {
            Of::Enum(of) => Some(of),
            _ => None,
        }
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.of.name(), self.name())
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
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }
}

/// Describes an enum.
#[derive(Debug, PartialEq, Eq)]
pub struct EnumDescription {
    name: &'static str,
    values: &'static [(i32, &'static str)],
}

impl EnumDescription {
    /// For generated code.
    #[doc(hidden)]
    pub const fn new(name: &'static str, values: &'static [(i32, &'static str)]) -> EnumDescription {
        EnumDescription { name, values }
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
    pub fn name_of(&self, number: i32) -> Option<&'static str> {
        self.values.iter().find(|(of, _)| *of == number).map(|(_, name)| *name)
    }

    /// Returns the number of a name.
    pub fn number_of(&self, name: &str) -> Option<i32> {
        self.values.iter().find(|(_, of)| *of == name).map(|(number, _)| *number)
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
