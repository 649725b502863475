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
use super::text::FromSpan;
use super::{DecodeOptions, Decoder, Message, Pool, ProtoStr, UnknownField, explain};
use crate::wire::check;
use crate::wire::{Cursor, END_GROUP, FIXED32, FIXED64, LEN, MAX_SIZE, Range, START_GROUP, Span, is_utf8};
use crate::{Code, Error};
use core::convert::Infallible;
use core::marker::PhantomData;

/// What the methods of visitors give; `?` makes it from the visitor's own error.
pub type Flow<E> = Result<(), Stop<E>>;

/// Why a visit goes no further: the visitor's own error, or something wrong with the bytes, which is told at the end.
#[derive(Debug)]
pub struct Stop<E>(Option<E>);

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
pub trait VisitWith<'a, V: ?Sized> {
    /// The visitor's own error.
    type Error;
    /// Visits the records in a range.
    #[doc(hidden)]
    fn visit(visitor: &mut V, d: &mut Decoder<'a>, range: Range<'a>) -> Flow<Self::Error>;
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
        let mut d = Decoder::new(input, options.strict, options.depth, 0);
        let range = d.input().range();
        match M::visit(visitor, &mut d, range) {
            Err(Stop(Some(error))) => Err(VisitError::Visitor(error)),
            Ok(()) if !d.malformed => Ok(()),
            _ => Err(VisitError::Decode(explain::<M>(&d, 0, input.len(), options))),
        }
    }
}

/// The records of a message field: all that stand side by side. What the visitor leaves is checked afterwards.
pub struct Records<'a, 'd, M> {
    d: &'d mut Decoder<'a>,
    /// Behind the first tag at first, then behind the record given last.
    cursor: Cursor<'a>,
    tag: u32,
    /// Offset of the first record's tag.
    start: u32,
    place: Place,
    /// The record given last, until it is visited.
    pending: Option<Range<'a>>,
    of: PhantomData<fn() -> M>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Behind the first tag.
    First,
    /// Behind a record of the run.
    Run,
    /// In a map entry, between other records.
    Entry,
    /// All were given.
    End,
}

impl<'a, 'd, M: VisitWith<'a, Ignore, Error = Infallible>> Records<'a, 'd, M> {
    /// The run that starts with a tag, the one in front of the cursor.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(d: &'d mut Decoder<'a>, cursor: Cursor<'a>, start: u32, tag: u32) -> Self {
        Records { d, cursor, tag, start, place: Place::First, pending: None, of: PhantomData }
    }

    /// The values of a map entry.
    #[doc(hidden)]
    pub fn of_entry(d: &'d mut Decoder<'a>, entry: Range<'a>, tag: u32) -> Self {
        let (cursor, start) = (d.open(entry), d.start_of(entry));
        Records { d, cursor, tag, start, place: Place::Entry, pending: None, of: PhantomData }
    }

    /// The next record; `None` behind the last one, and when something is wrong.
    #[inline]
    pub fn next_record(&mut self) -> Option<Record<'a, '_, M>> {
        self.settle();
        if self.d.malformed || !self.find() {
            return None;
        }
        self.pending = payload(&mut self.cursor, self.d, self.tag);
        match self.pending {
            Some(range) => Some(Record { d: self.d, range, pending: &mut self.pending, of: PhantomData }),
            None => {
                self.d.malformed = true;
                None
            }
        }
    }

    /// Visits all records with one visitor.
    #[inline(always)]
    pub fn visit<V: ?Sized>(&mut self, visitor: &mut V) -> Flow<<M as VisitWith<'a, V>>::Error>
    where
        M: VisitWith<'a, V>,
    {
        if self.place == Place::First && self.tag & 7 == LEN {
            return self.visit_run(visitor);
        }
        while let Some(record) = self.next_record() {
            record.visit(visitor)?;
        }
        if self.d.malformed { Err(Stop::malformed()) } else { Ok(()) }
    }

    /// The same for a whole run, with the cursor at hand.
    #[inline(always)]
    fn visit_run<V: ?Sized>(&mut self, visitor: &mut V) -> Flow<<M as VisitWith<'a, V>>::Error>
    where
        M: VisitWith<'a, V>,
    {
        let mut cursor = self.cursor;
        loop {
            let Some(range) = cursor.range() else {
                self.d.malformed = true;
                return Err(Stop::malformed());
            };
            let done = enter::<M, V>(visitor, self.d, range);
            if done.is_err() {
                (self.cursor, self.place, self.pending) = (cursor, Place::Run, Some(range));
                return done;
            }
            if !eat(&mut cursor, self.tag) {
                (self.cursor, self.place) = (cursor, Place::End);
                return Ok(());
            }
        }
    }

    /// All bytes of the records that are still to come, tags included: the key of a cache, say, because what was visited
    /// before need not be visited again. `None` when the bytes are wrong, and in map entries.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        let from = match self.place {
            Place::First => self.start,
            Place::Run => self.d.at(&self.cursor),
            _ => return None,
        };
        let mut cursor = self.cursor;
        if self.place == Place::First {
            cursor.skip(self.tag, self.d.depth())?;
        }
        while eat(&mut cursor, self.tag) {
            cursor.skip(self.tag, self.d.depth())?;
        }
        self.d.input().bytes().get(from as usize..self.d.at(&cursor) as usize)
    }

    /// Passes the records that are still to come without a look inside. Only for bytes ([`Records::bytes`]) that were
    /// visited or checked before: what is wrong in them is not found.
    pub fn pass(&mut self) {
        self.pending = None;
        while !self.d.malformed && self.find() {
            if payload(&mut self.cursor, self.d, self.tag).is_none() {
                self.d.malformed = true;
            }
        }
    }

    /// Checks what is left, and gives the place behind it.
    #[doc(hidden)]
    #[inline(always)]
    pub fn finish<E>(mut self) -> Result<Cursor<'a>, Stop<E>> {
        if self.place != Place::End || self.pending.is_some() {
            self.check_rest();
        }
        if self.d.malformed { Err(Stop::malformed()) } else { Ok(self.cursor) }
    }

    fn check_rest(&mut self) {
        // Where nobody has looked yet, in one go.
        if self.place == Place::First {
            let _ = self.visit(&mut Ignore);
        }
        while self.next_record().is_some() {}
    }

    /// Checks the record given last, unless it was visited.
    #[inline(always)]
    fn settle(&mut self) {
        if let Some(range) = self.pending.take() {
            let _ = enter::<M, Ignore>(&mut Ignore, self.d, range);
        }
    }

    /// Moves behind the next tag of the field.
    #[inline(always)]
    fn find(&mut self) -> bool {
        let found = match self.place {
            Place::First => true,
            Place::Run => eat(&mut self.cursor, self.tag),
            Place::Entry => loop {
                match self.cursor.tag() {
                    Some(tag) if tag == self.tag => break true,
                    // The entry has been walked before.
                    Some(tag) if self.cursor.skip(tag, self.d.depth()).is_some() => {}
                    _ => break false,
                }
            },
            Place::End => false,
        };
        self.place = match self.place {
            _ if !found => Place::End,
            Place::First => Place::Run,
            place => place,
        };
        found
    }
}

/// Moves over a tag when it comes next.
#[inline(always)]
fn eat(cursor: &mut Cursor<'_>, tag: u32) -> bool {
    let mut ahead = *cursor;
    let found = !ahead.at_end() && ahead.tag() == Some(tag);
    if found {
        *cursor = ahead;
    }
    found
}

/// The range of a message's records, behind its tag: the payload, or the inside of a group.
#[inline(always)]
fn payload<'a>(cursor: &mut Cursor<'a>, d: &Decoder<'a>, tag: u32) -> Option<Range<'a>> {
    if tag & 7 == START_GROUP { group(cursor, d, tag) } else { cursor.range() }
}

#[cold]
fn group<'a>(cursor: &mut Cursor<'a>, d: &Decoder<'a>, tag: u32) -> Option<Range<'a>> {
    let start = d.at(cursor);
    let depth = d.depth().checked_sub(1)?;
    loop {
        let end = d.at(cursor);
        let inner = cursor.tag()?;
        if inner & 7 == END_GROUP {
            return if inner >> 3 == tag >> 3 { d.input().part(start as usize, end as usize) } else { None };
        }
        cursor.skip(inner, depth)?;
    }
}

/// Visits a message one level down.
#[inline(always)]
fn enter<'a, M: VisitWith<'a, V>, V: ?Sized>(v: &mut V, d: &mut Decoder<'a>, range: Range<'a>) -> Flow<M::Error> {
    let depth = d.depth();
    let done = match d.enter() {
        Some(()) => M::visit(v, d, range),
        None => Err(Stop::malformed()),
    };
    d.back_to(depth);
    if let Err(Stop(None)) = done {
        // Also where the visitor drops the error.
        d.malformed = true;
    }
    done
}

/// One record of a message field.
pub struct Record<'a, 'r, M> {
    d: &'r mut Decoder<'a>,
    range: Range<'a>,
    pending: &'r mut Option<Range<'a>>,
    of: PhantomData<fn() -> M>,
}

impl<'a, M> Record<'a, '_, M> {
    /// The message's bytes, not yet checked.
    pub fn bytes(&self) -> &'a [u8] {
        self.d.open(self.range).remaining()
    }

    /// Visits the message.
    #[inline(always)]
    pub fn visit<V: ?Sized>(self, visitor: &mut V) -> Flow<M::Error>
    where
        M: VisitWith<'a, V>,
    {
        let done = enter::<M, V>(visitor, self.d, self.range);
        // A record that was not seen whole is checked later, should the visit go on.
        *self.pending = done.is_err().then_some(self.range);
        done
    }

    /// Passes it without a look inside; see [`Records::pass`].
    pub fn pass(self) {
        *self.pending = None;
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
#[inline(never)]
pub fn unknown<'a>(c: &mut Cursor<'a>, d: &Decoder<'a>, start: u32, tag: u32) -> Option<UnknownField<'a>> {
    let head = d.at(c) - start;
    c.skip(tag, d.depth())?;
    let record = d.input().bytes().get(start as usize..d.at(c) as usize)?;
    let value = &record[head as usize..];
    Some(UnknownField { number: tag >> 3, wire_type: tag & 7, record, value, offset: Some(start as usize) })
}

/// A map entry, behind its tag: its range, and the key and the value that came last, a value only when it is no message.
#[doc(hidden)]
#[inline(never)]
#[allow(clippy::type_complexity)]
pub fn entry<'a, K: Value, V: Value>(
    c: &mut Cursor<'a>,
    d: &mut Decoder<'a>,
) -> Option<(Range<'a>, Option<K::Output<'a>>, Option<V::Output<'a>>)> {
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

impl<'a> Decoder<'a> {
    /// A string that is checked.
    #[doc(hidden)]
    #[inline(always)]
    pub fn str(&self, c: &mut Cursor<'a>) -> Option<&'a str> {
        let bytes = c.bytes()?;
        if !is_utf8(bytes) {
            return None;
        }
        // SAFETY: checked on the lines above.
        Some(unsafe { <&str>::from_span(Span::new(0, bytes.len() as u32), bytes) })
    }

    /// A string that only `strict` checks.
    #[doc(hidden)]
    #[inline(always)]
    pub fn proto_str(&self, c: &mut Cursor<'a>) -> Option<&'a ProtoStr> {
        let bytes = c.bytes()?;
        if self.strict() && !is_utf8(bytes) {
            return None;
        }
        Some(ProtoStr::new(bytes))
    }
}
