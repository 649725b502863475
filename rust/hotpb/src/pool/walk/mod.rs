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

use super::list::{List as Places, Parts};
use super::text::{FromSpan, ProtoStr, Spans};
use super::{Handle, Row, Run, Scalars, Side, UnknownFields};
use crate::wire::Span;
use core::fmt;
use core::marker::PhantomData;
use description::MessageOf;

/// A message of any type: a handle whose type is known at run time.
#[derive(Clone, Copy)]
pub struct AnyMessage<'a> {
    /// A row of this description, in these tables.
    row: *const u8,
    tables: *const u8,
    input: &'a [u8],
    description: &'static Description,
    marker: PhantomData<&'a ()>,
}

impl<'a> AnyMessage<'a> {
    /// Returns the description of the message's type.
    pub fn description(self) -> &'static Description {
        self.description
    }

    /// Returns the value of the field with an index in [`Description::fields`]; `None` if it is absent, or has the
    /// default and implicit presence, or has no elements.
    pub fn get(self, index: usize) -> Option<Value<'a>> {
        let value = self.shown(index)?;
        let implicit = self.description.field(index).1.presence == Presence::Implicit;
        Some(value).filter(|value| !(implicit && value.is_zero()))
    }

    /// Returns what the accessor of a field returns, also if that is its default.
    pub(crate) fn shown(self, index: usize) -> Option<Value<'a>> {
        let (schema, field) = self.description.field(index);
        // SAFETY: row and tables are those of the description, which has the places of their fields (`Row`).
        unsafe {
            match field.presence {
                Presence::Repeated => return self.elements(schema.kind, field),
                Presence::Member(_) => {
                    let bits = self.read::<u64>(field.place);
                    let set = self.read::<u32>(field.shown) == schema.number;
                    return if set { self.value(schema.kind, field, Stored::Bits(bits)) } else { None };
                }
                Presence::Explicit if field.mask != 0 && self.read::<u32>(field.shown) & field.mask == 0 => {
                    return None;
                }
                Presence::Explicit if field.mask == 0 && self.read::<u32>(field.place) == 0 => return None,
                _ => {}
            }
            self.value(schema.kind, field, Stored::Place(field.place))
        }
    }

    /// Returns a field of the row.
    ///
    /// # Safety
    /// The row must have such a field at the offset.
    #[inline]
    unsafe fn read<T: Copy>(self, place: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { *self.row.add(place).cast() }
    }

    /// Returns a single value.
    ///
    /// # Safety
    /// The place must be that of the field.
    unsafe fn value(self, kind: Kind, field: &FieldType, at: Stored) -> Option<Value<'a>> {
        // SAFETY: the caller's promise; the types are those of the rows of such fields. Decoding checked spans as the
        // kind requires.
        unsafe {
            let (four, eight) = match at {
                Stored::Bits(bits) => (bits as u32, bits),
                Stored::Place(_) if kind == Kind::Bool => (0, 0),
                Stored::Place(place) if is_wide(kind) => (0, self.read(place)),
                Stored::Place(place) => (self.read(place), 0),
            };
            let span = || match at {
                Stored::Bits(bits) => Span::from_bits(bits),
                Stored::Place(place) => self.read(place),
            };
            Some(match kind {
                Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::Int32(four as i32),
                Kind::Uint32 | Kind::Fixed32 => Value::Uint32(four),
                Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::Int64(eight as i64),
                Kind::Uint64 | Kind::Fixed64 => Value::Uint64(eight),
                Kind::Float => Value::Float(f32::from_bits(four)),
                Kind::Double => Value::Double(f64::from_bits(eight)),
                Kind::Bool => Value::Bool(match at {
                    Stored::Bits(bits) => bits != 0,
                    Stored::Place(place) => self.read(place),
                }),
                Kind::Enum => match field.values {
                    Of::Enum(values) => Value::Enum(four as i32, values),
                    _ => return None,
                },
                Kind::Utf8 => Value::String(FromSpan::from_span(span(), self.input)),
                Kind::Text => Value::Text(FromSpan::from_span(span(), self.input)),
                Kind::Bytes => Value::Bytes(FromSpan::from_span(span(), self.input)),
                Kind::Message | Kind::Group | Kind::Map => match field.values {
                    Of::Message(message) => Value::Message(self.child(message, field.home, four)),
                    _ => return None,
                },
            })
        }
    }

    /// Returns a message in a row of other tables.
    ///
    /// # Safety
    /// The tables at `home` must be those of the message.
    unsafe fn child(self, message: MessageOf, home: usize, row: u32) -> AnyMessage<'a> {
        // SAFETY: the caller's promise.
        unsafe {
            let tables = self.tables.add(home);
            AnyMessage { row: (message.row)(tables, row), tables, description: (message.description)(), ..self }
        }
    }

    /// Returns the elements of a repeated field; `None` if it has none.
    ///
    /// # Safety
    /// As for [`AnyMessage::value`].
    unsafe fn elements(self, kind: Kind, field: &FieldType) -> Option<Value<'a>> {
        if let Of::Message(message) = field.values {
            // SAFETY: the row has a list there, of a table in the tables at `home`.
            let rows = unsafe {
                RowsOf::new(message, self.tables.add(field.home), self.input, self.read::<Places>(field.place))
            };
            return rows.map(|rows| match kind {
                Kind::Map => Value::Map(MapOf::new(rows)),
                _ => Value::List(List::new(Elements::Messages(rows))),
            });
        }
        // SAFETY: the row has a run there, and the tables have the scalars.
        let (run, scalars) =
            unsafe { (self.read::<Run>(field.place), &*self.tables.add(self.description.scalars).cast::<Scalars>()) };
        if run.is_empty() {
            return None;
        }
        // SAFETY: decoding checked the spans as the kind requires.
        let elements = unsafe {
            match kind {
                Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Elements::Int32s(scalars.i32s.get(run)),
                Kind::Uint32 | Kind::Fixed32 => Elements::Uint32s(scalars.u32s.get(run)),
                Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Elements::Int64s(scalars.i64s.get(run)),
                Kind::Uint64 | Kind::Fixed64 => Elements::Uint64s(scalars.u64s.get(run)),
                Kind::Float => Elements::Floats(scalars.f32s.get(run)),
                Kind::Double => Elements::Doubles(scalars.f64s.get(run)),
                Kind::Bool => Elements::Bools(scalars.bools.get(run)),
                Kind::Enum => match field.values {
                    Of::Enum(values) => Elements::Enums(scalars.i32s.get(run), values),
                    _ => return None,
                },
                Kind::Utf8 => Elements::Strings(Spans::new(scalars.spans.get(run), self.input)),
                Kind::Text => Elements::Texts(Spans::new(scalars.spans.get(run), self.input)),
                Kind::Bytes => Elements::Bytes(Spans::new(scalars.spans.get(run), self.input)),
                Kind::Message | Kind::Group | Kind::Map => return None,
            }
        };
        Some(Value::List(List::new(elements)))
    }

    /// Returns the index of the side entry, as [`super::Row::side`].
    fn link(self) -> u32 {
        // SAFETY: the row has it there.
        unsafe { self.read(self.description.side) }
    }

    /// Returns the links of the unit.
    fn side(self) -> &'a Side {
        // SAFETY: the tables have them there, and live as long as the message.
        unsafe { &*self.tables.add(self.description.links).cast() }
    }

    /// Iterates over the fields that are present, by ascending number, with their values.
    pub fn fields(self) -> impl Iterator<Item = (Field, Value<'a>)> {
        self.description().fields().enumerate().filter_map(move |(i, field)| Some((field, self.get(i)?)))
    }

    /// Returns the fields that the schema does not define, extensions included.
    pub fn unknown_fields(self) -> UnknownFields<'a> {
        UnknownFields::new(self.side(), self.input, self.link())
    }

    /// Returns key and value of a map's entry, which are always present.
    fn entry(self) -> Option<(Value<'a>, Value<'a>)> {
        Some((self.get(0)?, self.get(1)?))
    }
}

impl<'a, H: Handle<'a>> From<H> for AnyMessage<'a> {
    #[inline]
    fn from(handle: H) -> AnyMessage<'a> {
        let Parts { tables, input, row } = handle.parts();
        let (row, tables) = ((&raw const *row).cast(), (&raw const *tables).cast());
        AnyMessage { row, tables, input, description: H::Row::DESCRIPTION, marker: PhantomData }
    }
}

/// For generated code: `Debug` of a handle.
#[doc(hidden)]
#[inline]
pub fn debug<'a>(handle: impl Handle<'a>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    fmt::Debug::fmt(&AnyMessage::from(handle), f)
}

/// For generated code: equality of two handles.
#[doc(hidden)]
#[inline]
pub fn equal<'a, 'b>(a: impl Handle<'a>, b: impl Handle<'b>) -> bool {
    AnyMessage::from(a) == AnyMessage::from(b)
}

/// A value in a row.
#[derive(Clone, Copy)]
enum Stored {
    /// At an offset.
    Place(usize),
    /// As the 64 bits of a oneof.
    Bits(u64),
}

/// Reports whether a row has eight bytes for a value that is not a span.
fn is_wide(kind: Kind) -> bool {
    matches!(kind, Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 | Kind::Uint64 | Kind::Fixed64 | Kind::Double)
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
