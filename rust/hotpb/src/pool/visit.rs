//! Visiting: a message goes directly from its bytes into your own columns, rows or structs, without tables.
//!
//! Each message `Foo` has a trait `FooVisitor` with one method per field. The methods are called for each record in
//! order (POL-15): nothing is merged, and your method decides what a second value means. Bytes that no method reads are
//! checked, too, so the errors are those of a decode.

use super::extension::Value;
use super::{DecodeOptions, Decoder, Message, Pool, UnknownField, explain};
use crate::wire::check;
use crate::wire::{Cursor, FIXED32, FIXED64, LEN, MAX_SIZE, Range, is_utf8};
use crate::{Code, Error};
use core::marker::PhantomData;

/// The result of a visitor's method; `?` converts the visitor's own error to it.
pub type Flow<E> = Result<(), Stop<E>>;

/// Why a visit stops: the visitor's own error, or an error in the bytes, which the end of the visit reports. If a
/// visitor stops a visit of valid bytes with an error of the second kind, saved from another visit, that visit returns
/// `HandleMisuse` at offset 0.
#[derive(Debug)]
pub struct Stop<E>(pub(super) Option<E>);

impl<E> Stop<E> {
    /// The stop for an error in the bytes.
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
    /// The bytes are invalid; a decode reports the same error.
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

/// Implemented by generated code for a message: visitors `V` can visit it.
///
/// # Safety
/// The implementation must use the decoder only to visit, not to fill tables: see [`super::Handle`].
pub unsafe trait VisitWith<'a, V: ?Sized> {
    /// The visitor's own error.
    type Error;
    /// Whether the message contains only text and small numbers. Then a run of such messages is probably all ASCII,
    /// including tags and lengths, and one check of the whole run replaces one for each string.
    #[doc(hidden)]
    const FLAT: bool = false;
    /// Whether the message can contain messages of its own kind, directly or indirectly.
    #[doc(hidden)]
    const RECURSIVE: bool = true;
    /// The tags of the fields, if the message consists of two checked strings with tags of one byte.
    #[doc(hidden)]
    const PAIR: Option<[u8; 2]> = None;
    /// Visits a message of that form that has both strings.
    #[doc(hidden)]
    #[inline(always)]
    fn visit_pair(_: &mut V, _: &'a str, _: &'a str) -> Flow<Self::Error> {
        Ok(())
    }
    /// Visits the records of one message, all that the cursor covers.
    #[doc(hidden)]
    fn visit(visitor: &mut V, d: &mut Decoder<'a>, records: Cursor<'a>) -> Flow<Self::Error>;
}

/// A visitor of all messages that ignores every field: the bytes are only checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

/// A field that the schema does not define.
#[derive(Clone, Copy, Debug)]
pub enum Unknown<'a> {
    /// An unchanged record.
    Record(UnknownField<'a>),
    /// An undefined value of a closed enum (ENM-2).
    EnumValue {
        /// The number of the field.
        number: u32,
        /// The value.
        value: i32,
    },
}

impl<M: Message> Pool<M> {
    /// Visits a message with the default limits. It needs no pool.
    ///
    /// It makes the same checks as a decode, with the same errors, except for two that concern stored messages:
    /// required fields (several parts may have them together) and memory. The visitor may have seen a part of the
    /// message before an error is found.
    pub fn visit<'a, V: ?Sized>(input: &'a [u8], visitor: &mut V) -> Result<(), VisitError<M::Error>>
    where
        M: VisitWith<'a, V>,
    {
        Self::visit_with(input, &DecodeOptions::default(), visitor)
    }

    /// The same with options; `memory` and `allow_partial` have no effect.
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
                // The walk found no error, so only the visitor claims that there is one, perhaps with an error that it
                // saved from other bytes: that is misuse.
                Err(VisitError::Decode(error.unwrap_or_else(|| Error::new(Code::HandleMisuse, 0))))
            }
        }
    }
}

/// The elements of one record of a repeated scalar field: those of a packed record, or a single one.
pub struct Elements<'a, V> {
    cursor: Cursor<'a>,
    defined: Option<fn(i32) -> bool>,
    marker: PhantomData<fn() -> V>,
}

impl<V> Clone for Elements<'_, V> {
    fn clone(&self) -> Self {
        Elements { cursor: self.cursor, defined: self.defined, marker: PhantomData }
    }
}

impl<'a, V: Value> Elements<'a, V> {
    /// Reads the single element at the cursor.
    #[doc(hidden)]
    #[inline]
    pub fn single(c: &mut Cursor<'a>, d: &Decoder<'a>) -> Option<Self> {
        let from = c.pos();
        V::get(c)?;
        Some(Elements { cursor: Cursor::new(c.since(d.input(), from)), defined: None, marker: PhantomData })
    }

    /// Reads the elements of the packed record at the cursor, and checks all of them.
    #[doc(hidden)]
    #[inline]
    pub fn packed(c: &mut Cursor<'a>) -> Option<Self> {
        let bytes = c.bytes()?;
        let good = match V::WIRE_TYPE {
            FIXED32 => bytes.len() % 4 == 0,
            FIXED64 => bytes.len() % 8 == 0,
            _ => are_varints(bytes),
        };
        good.then(|| Elements { cursor: Cursor::new(bytes), defined: None, marker: PhantomData })
    }

    /// Keeps only the elements that a closed enum defines.
    #[doc(hidden)]
    pub fn defined_by(mut self, defined: fn(i32) -> bool) -> Self {
        self.defined = Some(defined);
        self
    }

    /// Returns the bytes of the elements.
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

/// Reports whether the bytes are varints, the last one complete, and none longer than ten bytes.
fn are_varints(bytes: &[u8]) -> bool {
    let (mut len, mut good) = (0u32, true);
    for &b in bytes {
        len = if b < 0x80 { 0 } else { len + 1 };
        good &= len < 10;
    }
    good && len == 0
}

/// Converts the result of a read: `None` means an error in the bytes.
#[doc(hidden)]
#[inline(always)]
pub fn need<T, E>(read: Option<T>) -> Result<T, Stop<E>> {
    read.ok_or(Stop(None))
}

/// Skips a record that belongs to no field, and returns it.
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

/// A map entry, after its tag: its range, and the last key and value; the value only if it is not a message.
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

/// The type of the value if it is a message.
#[doc(hidden)]
pub struct NoValue;

impl Value for NoValue {
    const WIRE_TYPE: u32 = LEN;
    const READ: bool = false;
    type Output<'a> = ();
    fn get<'a>(_: &mut Cursor<'a>) -> Option<()> {
        None
    }
    fn zero<'a>() -> Self::Output<'a> {}
    fn put(_: &mut alloc::vec::Vec<u8>, _: ()) {}
}
