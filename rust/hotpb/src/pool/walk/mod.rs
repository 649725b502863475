//! Generic code over messages: every field of any message, with its description and its value.
//!
//! `Debug`, equality and JSON are written once, over [`AnyMessage`], and so can your own code be:
//!
//! ```
//! use hotpb::pool::walk::{AnyMessage, Value};
//!
//! /// Adds up the lengths of all strings of a message.
//! fn text(message: AnyMessage<'_>) -> usize {
//!     message.fields().map(|(_, value)| of(value)).sum()
//! }
//! fn of(value: Value<'_>) -> usize {
//!     match value {
//!         Value::String(s) => s.len(),
//!         Value::Message(child) => text(child),
//!         Value::List(all) => all.iter().map(of).sum(),
//!         Value::Map(map) => map.iter().map(|(key, value)| of(key) + of(value)).sum(),
//!         _ => 0,
//!     }
//! }
//! let mut pool = hotpb::wkt::FieldMaskPool::new();
//! let mask = pool.decode(b"\x0a\x01a\x0a\x02bc")?;
//! assert_eq!(text(mask.into()), 3);
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! A program that does not use this does not contain it: the descriptions and the code that reads rows by index are
//! linked only where a message becomes an [`AnyMessage`].

mod description;
mod list;
mod same;
mod text;

pub use crate::wire::check::Kind;
pub use description::{Described, Description, EnumDescription, EnumType, Field, JsonName, Presence};
pub use list::{List, ListIter, MapIter, MapOf};

#[doc(hidden)]
pub use description::{FieldType, Of, TypeOf};
pub(crate) use list::{Elements, RowsOf};

use super::text::{Enums, ProtoStr, Spans};
use super::{Entry, EntryRow, Handle, Map, Rows, UnknownFields};
use core::any::Any;

/// A message of any type: a handle whose type is known at run time.
#[derive(Clone, Copy)]
pub struct AnyMessage<'a> {
    row: &'a dyn WalkRow,
    tables: &'a dyn Any,
    input: &'a [u8],
}

impl<'a> AnyMessage<'a> {
    /// Returns the description of the message's type.
    pub fn description(self) -> &'static Description {
        self.row.description()
    }

    /// Returns the value of the field with an index in [`Description::fields`]; `None` if it is absent, or has the
    /// default and implicit presence, or has no elements.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        // SAFETY: the row, the tables and the input are those of a handle.
        let value = unsafe { self.row.field(self.tables, self.input, index) }?;
        let implicit = self.row.description().presence(index) == Presence::Implicit;
        Some(value).filter(|value| !(implicit && value.is_zero()))
    }

    /// Returns what the accessor of a field returns, also if that is its default.
    #[cfg(feature = "serde")]
    pub(crate) fn shown(self, index: usize) -> Option<Value<'a>> {
        // SAFETY: as in `get`.
        unsafe { self.row.field(self.tables, self.input, index) }
    }

    /// Iterates over the fields that are present, by ascending number, with their values.
    pub fn fields(self) -> impl Iterator<Item = (Field, Value<'a>)> {
        self.description().fields().enumerate().filter_map(move |(i, field)| Some((field, self.get(i)?)))
    }

    /// Returns the fields that the schema does not define, extensions included.
    pub fn unknown_fields(self) -> UnknownFields<'a> {
        // SAFETY: as in `get`.
        unsafe { self.row.unknown(self.tables, self.input) }
    }

    /// Returns key and value of a map's entry, which are always present.
    fn entry(self) -> Option<(Value<'a>, Value<'a>)> {
        Some((self.get(0)?, self.get(1)?))
    }
}

impl<'a, H: Handle<'a>> From<H> for AnyMessage<'a> {
    #[inline]
    fn from(handle: H) -> AnyMessage<'a> {
        let (tables, input, row) = handle.parts();
        AnyMessage { row, tables, input }
    }
}

impl<'a, H: Handle<'a>> Walked<'a> for H {
    #[inline]
    fn walked(self) -> Option<Value<'a>> {
        Some(Value::Message(self.into()))
    }
}

/// The value of a field.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `int32`, `sint32`, `sfixed32`.
    Int32(i32),
    /// `int64`, `sint64`, `sfixed64`.
    Int64(i64),
    /// `uint32`, `fixed32`.
    Uint32(u32),
    /// `uint64`, `fixed64`.
    Uint64(u64),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
    /// `bool`.
    Bool(bool),
    /// A string that is checked.
    String(&'a str),
    /// A string that the schema leaves unchecked.
    Text(&'a ProtoStr),
    /// `bytes`.
    Bytes(&'a [u8]),
    /// The number of an enum's value, and the enum.
    Enum(i32, &'static EnumDescription),
    /// A message.
    Message(AnyMessage<'a>),
    /// The elements of a repeated field.
    List(List<'a>),
    /// The entries of a map.
    Map(MapOf<'a>),
}

impl Value<'_> {
    /// Reports whether a field with implicit presence counts as absent: all bits are zero (FLD-9).
    fn is_zero(&self) -> bool {
        match *self {
            Value::Int32(v) | Value::Enum(v, _) => v == 0,
            Value::Int64(v) => v == 0,
            Value::Uint32(v) => v == 0,
            Value::Uint64(v) => v == 0,
            Value::Float(v) => v.to_bits() == 0,
            Value::Double(v) => v.to_bits() == 0,
            Value::Bool(v) => !v,
            Value::String(v) => v.is_empty(),
            Value::Text(v) => v.is_empty(),
            Value::Bytes(v) => v.is_empty(),
            Value::Message(_) | Value::List(_) | Value::Map(_) => false,
        }
    }
}

/// Implemented by generated code for a row: it reads fields by index. Safe code cannot call it, because it has no row.
#[doc(hidden)]
pub trait WalkRow: Send + Sync {
    /// Returns the description of the message.
    fn description(&self) -> &'static Description;
    /// Returns the index of the side entry, as [`super::Row::side`].
    fn link(&self) -> u32;
    /// Returns the value of a field, as [`Walked::walked`].
    ///
    /// # Safety
    /// Row, tables and input are those of one handle.
    unsafe fn field<'a>(&'a self, tables: &'a dyn Any, input: &'a [u8], index: usize) -> Option<Value<'a>>;
    /// Returns the unknown fields.
    ///
    /// # Safety
    /// The same.
    unsafe fn unknown<'a>(&'a self, tables: &'a dyn Any, input: &'a [u8]) -> UnknownFields<'a>;
}

/// For generated code: the handle of a row.
///
/// # Safety
/// Row, tables and input are those of one handle.
#[doc(hidden)]
#[inline]
pub unsafe fn handle_of<'a, H: Handle<'a>>(row: &'a H::Row, tables: &'a dyn Any, input: &'a [u8]) -> Option<H> {
    // SAFETY: the caller promises that they are those of a handle.
    Some(unsafe { H::new(tables.downcast_ref()?, input, row) })
}

/// For generated code: the unknown fields of a row.
#[doc(hidden)]
#[inline]
pub fn unknown_of<'a, H: Handle<'a>>(row: &'a H::Row, tables: &'a dyn Any, input: &'a [u8]) -> UnknownFields<'a> {
    use super::Row as _;
    match tables.downcast_ref() {
        Some(tables) => UnknownFields::new(H::side(tables), input, row.side()),
        None => UnknownFields::of_records(&[]),
    }
}

/// What accessors return: the value, or `None` for an absent message and for no elements.
#[doc(hidden)]
pub trait Walked<'a> {
    /// Converts it.
    fn walked(self) -> Option<Value<'a>>;
}

macro_rules! walked {
    ($($ty:ty, $value:ident => $shown:expr;)*) => {$(
        impl<'a> Walked<'a> for $ty {
            #[inline]
            fn walked(self) -> Option<Value<'a>> {
                let $value = self;
                Some($shown)
            }
        }
    )*};
}

walked! {
    i32, v => Value::Int32(v);
    i64, v => Value::Int64(v);
    u32, v => Value::Uint32(v);
    u64, v => Value::Uint64(v);
    f32, v => Value::Float(v);
    f64, v => Value::Double(v);
    bool, v => Value::Bool(v);
    &'a str, v => Value::String(v);
    &'a ProtoStr, v => Value::Text(v);
    &'a [u8], v => Value::Bytes(v);
}

macro_rules! walked_lists {
    ($($ty:ty, $elements:ident;)*) => {$(
        impl<'a> Walked<'a> for $ty {
            #[inline]
            fn walked(self) -> Option<Value<'a>> {
                (!self.is_empty()).then_some(Value::List(List::new(Elements::$elements(self))))
            }
        }
    )*};
}

walked_lists! {
    &'a [i32], Int32s;
    &'a [i64], Int64s;
    &'a [u32], Uint32s;
    &'a [u64], Uint64s;
    &'a [f32], Floats;
    &'a [f64], Doubles;
    &'a [bool], Bools;
    Spans<'a, &'a str>, Strings;
    Spans<'a, &'a ProtoStr>, Texts;
    Spans<'a, &'a [u8]>, Bytes;
}

impl<'a, E: EnumType> Walked<'a> for Enums<'a, E> {
    #[inline]
    fn walked(self) -> Option<Value<'a>> {
        (!self.is_empty()).then_some(Value::List(List::new(Elements::Enums(self.numbers(), E::DESCRIPTION))))
    }
}

impl<'a, H: Handle<'a>> Walked<'a> for Rows<'a, H> {
    #[inline]
    fn walked(self) -> Option<Value<'a>> {
        (!self.is_empty()).then(|| Value::List(List::new(Elements::Messages(RowsOf::new(self)))))
    }
}

impl<'a, E: Entry<'a>> Walked<'a> for Map<'a, E>
where
    E::Row: EntryRow,
{
    #[inline]
    fn walked(self) -> Option<Value<'a>> {
        (!self.is_empty()).then(|| Value::Map(MapOf::new(RowsOf::new(self.entries()))))
    }
}

impl<'a, T: Walked<'a>> Walked<'a> for Option<T> {
    #[inline]
    fn walked(self) -> Option<Value<'a>> {
        self?.walked()
    }
}
