//! Visiting: a message goes straight from its bytes into the caller's own columns, rows or structs; no tables.
//!
//! For each message `Foo` there is a trait `FooVisitor` with one method per field. Its methods are called for the
//! records as they come (POL-15): nothing is merged, the caller decides what a second value means. What a method does not
//! look at is checked all the same, so the errors are those of a decode.
//!
//! ```
//! use hotpb::pool::{Flow, Pool, Records, VisitError};
//! use hotpb::wkt::google::protobuf::{FieldMaskPool, FieldMaskVisitor, Value, ListValuePool, ListValueVisitor, ValueVisitor};
//!
//! /// Adds the numbers of a list, also of the lists in it, and ends at a text.
//! struct Sum(f64);
//! impl<'a> ListValueVisitor<'a> for Sum {
//!     type Error = String;
//!     fn values(&mut self, values: &mut Records<'a, '_, Value<'static>>) -> Flow<String> {
//!         values.visit(self)
//!     }
//! }
//! impl<'a> ValueVisitor<'a> for Sum {
//!     type Error = String;
//!     fn number_value(&mut self, value: f64) -> Flow<String> {
//!         self.0 += value;
//!         Ok(())
//!     }
//!     fn string_value(&mut self, value: &'a str) -> Flow<String> {
//!         Err(format!("{value} is no number"))?
//!     }
//! }
//!
//! let one_and_two = [0x0a, 9, 0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x0a, 9, 0x11, 0, 0, 0, 0, 0, 0, 0, 0x40];
//! let mut sum = Sum(0.0);
//! ListValuePool::visit(&one_and_two, &mut sum).unwrap();
//! assert_eq!(sum.0, 3.0);
//! let text = [0x0a, 3, 0x1a, 1, b'x'];
//! assert!(matches!(ListValuePool::visit(&text, &mut sum), Err(VisitError::Visitor(e)) if e == "x is no number"));
//! ```

use super::extension::Value;
use super::{DecodeOptions, Decoder, Message, Pool, UnknownField, explain};
use crate::wire::check;
use crate::wire::{Cursor, FIXED32, FIXED64, LEN, MAX_SIZE, Range, is_utf8};
use crate::{Code, Error};
use core::marker::PhantomData;

/// What the methods of visitors give; `?` makes it from the visitor's own error.
pub type Flow<E> = Result<(), Stop<E>>;

/// Why a visit goes no further: the visitor's own error, or something wrong with the bytes, which is told at the end.
/// A visitor that stops a visit of good bytes with an error of the second kind, kept from another visit, makes that
/// visit `HandleMisuse` at offset 0.
#[derive(Debug)]
pub struct Stop<E>(pub(super) Option<E>);

impl<E> Stop<E> {
    /// Something is wrong with the bytes.
    #[doc(hidden)]
    #[cold]
    pub fn malformed() -> Stop<E> {
        Stop(None)
    }
}

impl<E> From<E> for Stop<E> {
    fn from(error: E) -> Stop<E> {
        Stop(Some(error))
    }
}

/// Why a visit ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitError<E> {
    /// The bytes are wrong, as a decode would say.
    Decode(Error),
    /// The visitor's own error.
    Visitor(E),
}

impl<E: core::fmt::Display> core::fmt::Display for VisitError<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            VisitError::Decode(error) => error.fmt(f),
            VisitError::Visitor(error) => error.fmt(f),
        }
    }
}

impl<E: core::fmt::Debug + core::fmt::Display> core::error::Error for VisitError<E> {}

/// What generated code says about a message: visitors `V` can visit it.
///
/// # Safety
/// The decoder is used to visit with, not to fill tables: see [`super::Handle`].
pub unsafe trait VisitWith<'a, V: ?Sized> {
    /// The visitor's own error.
    type Error;
    /// Whether the message is nothing but text and small numbers: then a run of such messages is likely to be ASCII,
    /// tags, lengths and all, and one look at the whole run saves one at each string.
    #[doc(hidden)]
    const FLAT: bool = false;
    /// Whether the message can hold messages of its own kind, at whatever distance.
    #[doc(hidden)]
    const RECURSIVE: bool = true;
    /// Visits the records of one message, all that the cursor has.
    #[doc(hidden)]
    fn visit(visitor: &mut V, d: &mut Decoder<'a>, records: Cursor<'a>) -> Flow<Self::Error>;
}

/// A visitor of all messages that looks at nothing: what it visits is only checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

/// A field that the schema does not know.
#[derive(Clone, Copy, Debug)]
pub enum Unknown<'a> {
    /// A record as it came.
    Record(UnknownField<'a>),
    /// An undefined value of a closed enum (ENM-2).
    EnumValue {
        /// The number of the enum's field.
        number: u32,
        /// The value.
        value: i32,
    },
}

impl<M: Message> Pool<M> {
    /// Visits a message with the default limits. No pool is needed.
    ///
    /// All is checked that a decode checks, with the same errors, but for two that are about what is stored: required
    /// fields (parts of a message may have them together) and memory. The visitor may have seen a part of
    /// the message when an error is found.
    pub fn visit<'a, V: ?Sized>(input: &'a [u8], visitor: &mut V) -> Result<(), VisitError<M::Error>>
    where
        M: VisitWith<'a, V>,
    {
        Self::visit_with(input, &DecodeOptions::default(), visitor)
    }

    /// The same, with options; `memory` and `allow_partial` do not matter.
    pub fn visit_with<'a, V: ?Sized>(
        input: &'a [u8],
        options: &DecodeOptions,
        visitor: &mut V,
    ) -> Result<(), VisitError<M::Error>>
    where
        M: VisitWith<'a, V>,
    {
        if input.len() > options.size.min(MAX_SIZE) {
            return Err(VisitError::Decode(Error::new(Code::SizeExceeded, 0)));
        }
        if options.elements.is_some() {
            check::check(input, M::SCHEMA, &options.limits()).map_err(VisitError::Decode)?;
        }
        let mut d = Decoder::new(input, options);
        let records = d.open(d.input().range());
        match M::visit(visitor, &mut d, records) {
            Err(Stop(Some(error))) => Err(VisitError::Visitor(error)),
            Ok(()) if !d.malformed => Ok(()),
            _ => {
                let error = explain::<M>(&d, 0, input.len(), options);
                // That the bytes are wrong can be a visitor's word only, about these bytes or, in an error that it has kept,
                // about others: that is misuse.
                Err(VisitError::Decode(error.unwrap_or_else(|| Error::new(Code::HandleMisuse, 0))))
            }
        }
    }
}

/// The elements of one record of a repeated scalar field: those of a packed record, or a single one.
pub struct Elements<'a, V> {
    cursor: Cursor<'a>,
    defined: Option<fn(i32) -> bool>,
    of: PhantomData<fn() -> V>,
}

impl<V> Clone for Elements<'_, V> {
    fn clone(&self) -> Self {
        Elements { cursor: self.cursor, defined: self.defined, of: PhantomData }
    }
}

impl<'a, V: Value> Elements<'a, V> {
    /// The element that stands here.
    #[doc(hidden)]
    #[inline]
    pub fn one(c: &mut Cursor<'a>, d: &Decoder<'a>) -> Option<Self> {
        let from = c.pos();
        V::get(c)?;
        Some(Elements { cursor: Cursor::new(c.since(d.input(), from)), defined: None, of: PhantomData })
    }

    /// The elements of the packed record that stands here, all of which are good.
    #[doc(hidden)]
    #[inline]
    pub fn packed(c: &mut Cursor<'a>) -> Option<Self> {
        let bytes = c.bytes()?;
        let good = match V::WIRE_TYPE {
            FIXED32 => bytes.len() % 4 == 0,
            FIXED64 => bytes.len() % 8 == 0,
            _ => are_varints(bytes),
        };
        good.then(|| Elements { cursor: Cursor::new(bytes), defined: None, of: PhantomData })
    }

    /// Only those that a closed enum defines.
    #[doc(hidden)]
    pub fn defined_by(mut self, defined: fn(i32) -> bool) -> Self {
        self.defined = Some(defined);
        self
    }

    /// The bytes they stand in.
    pub fn bytes(&self) -> &'a [u8] {
        self.cursor.remaining()
    }
}

impl<'a, V: Value> Iterator for Elements<'a, V> {
    type Item = V::Output<'a>;
    #[inline]
    fn next(&mut self) -> Option<V::Output<'a>> {
        while !self.cursor.at_end() {
            let mut ahead = self.cursor;
            let value = V::get(&mut self.cursor)?;
            match self.defined {
                Some(defined) if !defined(ahead.varint()? as i32) => {}
                _ => return Some(value),
            }
        }
        None
    }
}

/// Whether bytes are varints, the last one whole, none longer than ten bytes.
fn are_varints(bytes: &[u8]) -> bool {
    let (mut len, mut good) = (0u32, true);
    for &b in bytes {
        len = if b < 0x80 { 0 } else { len + 1 };
        good &= len < 10;
    }
    good && len == 0
}

/// What reading gives, or that something is wrong.
#[doc(hidden)]
#[inline(always)]
pub fn need<T, E>(read: Option<T>) -> Result<T, Stop<E>> {
    read.ok_or(Stop(None))
}

/// Skips a record that is none of the fields, and gives it.
#[doc(hidden)]
#[inline(always)]
pub fn unknown<'a>(c: &mut Cursor<'a>, d: &Decoder<'a>, start: u32, tag: u32) -> Option<UnknownField<'a>> {
    c.out_of_line(|c| unknown_record(c, d, start, tag))
}

#[inline(never)]
fn unknown_record<'a>(c: &mut Cursor<'a>, d: &Decoder<'a>, start: u32, tag: u32) -> Option<UnknownField<'a>> {
    let head = d.at(c) - start;
    c.skip(tag, d.depth())?;
    let record = d.input().bytes().get(start as usize..d.at(c) as usize)?;
    let value = &record[head as usize..];
    Some(UnknownField { number: tag >> 3, wire_type: tag & 7, record, value, offset: Some(start as usize) })
}

/// A map entry, after its tag: its range, and the key and the value that came last, a value only when it is no message.
#[doc(hidden)]
#[inline(always)]
pub fn entry<'a, K: Value, V: Value>(c: &mut Cursor<'a>, d: &mut Decoder<'a>) -> Option<EntryParts<'a, K, V>> {
    c.out_of_line(|c| entry_parts::<K, V>(c, d))
}

type EntryParts<'a, K, V> = (Range<'a>, Option<<K as Value>::Output<'a>>, Option<<V as Value>::Output<'a>>);

#[inline(never)]
fn entry_parts<'a, K: Value, V: Value>(c: &mut Cursor<'a>, d: &mut Decoder<'a>) -> Option<EntryParts<'a, K, V>> {
    let range = c.range()?;
    d.enter()?;
    let (mut inner, mut key, mut value) = (d.open(range), None, None);
    while !inner.at_end() {
        let tag = inner.tag()?;
        if tag == 1 << 3 | K::WIRE_TYPE {
            key = Some(read::<K>(&mut inner, d)?);
        } else if tag == 2 << 3 | V::WIRE_TYPE && V::READ {
            value = Some(read::<V>(&mut inner, d)?);
        } else {
            inner.skip(tag, d.depth())?;
        }
    }
    d.leave();
    Some((range, key, value))
}

fn read<'a, V: Value>(c: &mut Cursor<'a>, d: &Decoder<'a>) -> Option<V::Output<'a>> {
    if V::TEXT && d.strict() {
        let mut ahead = *c;
        if !is_utf8(ahead.bytes()?) {
            return None;
        }
    }
    V::get(c)
}

/// In place of a map value that is a message.
#[doc(hidden)]
pub struct NoValue;

impl Value for NoValue {
    const WIRE_TYPE: u32 = LEN;
    const READ: bool = false;
    type Output<'a> = ();
    fn get<'a>(_: &mut Cursor<'a>) -> Option<()> {
        None
    }
    fn put(_: &mut alloc::vec::Vec<u8>, _: ()) {}
}
