//! Extensions. Their records stay among the unknown fields until you ask for an extension; then they are decoded and
//! checked by the rules of an ordinary field of that type (EXT-1). There is no registry.
//!
//! ```text
//! let count = message.extension(&COUNT)?;                  // Option<i32>
//! for n in message.extension(&NUMBERS)? { … }              // repeated
//! if let Some(parts) = message.extension(&DETAILS)? {      // a message, into a pool of the caller's
//!     let details = parts.decode(&mut details_pool)?;
//! }
//! ```

use super::request::{ExtensionRequest, Records};
pub use crate::wire::kind::*;

use super::{DecodeOptions, Message, Pool, UnknownField, UnknownFields};
use crate::wire::{Cursor, END_GROUP, FIXED64, LEN, START_GROUP, VARINT, utf8_error_at};
use crate::{Code, Error};
use core::marker::PhantomData;

/// An extension of messages `M`; `K` determines the result type.
pub struct Extension<M, K> {
    number: u32,
    name: &'static str,
    wire_type: u32,
    message_set: bool,
    packed: bool,
    defined: Option<fn(i32) -> bool>,
    marker: PhantomData<fn(M) -> K>,
}

impl<M, K: Kind> Extension<M, K> {
    /// For generated code.
    #[doc(hidden)]
    pub const fn new(number: u32, name: &'static str) -> Self {
        Extension {
            number,
            name,
            wire_type: K::WIRE_TYPE,
            message_set: false,
            packed: false,
            defined: None,
            marker: PhantomData,
        }
    }

    /// The same for a closed enum, with the test whether it defines a value.
    #[doc(hidden)]
    pub const fn closed(mut self, defined: fn(i32) -> bool) -> Self {
        self.defined = Some(defined);
        self
    }

    /// The same for a DELIMITED message, which is a group.
    #[doc(hidden)]
    pub const fn delimited(mut self) -> Self {
        self.wire_type = START_GROUP;
        self
    }

    /// The same for an item of a message set.
    #[doc(hidden)]
    pub const fn message_set_item(mut self) -> Self {
        self.message_set = true;
        self
    }

    /// The same for repeated scalars that are written packed.
    #[doc(hidden)]
    pub const fn packed(mut self) -> Self {
        self.packed = true;
        self
    }

    pub(super) fn is_packed(&self) -> bool {
        self.packed
    }

    pub(super) fn is_message_set_item(&self) -> bool {
        self.message_set
    }

    pub(super) fn is_delimited(&self) -> bool {
        self.wire_type == START_GROUP
    }

    /// Returns the field number.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Returns the full name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the properties that identify the extension's records, without its types.
    #[doc(hidden)]
    pub const fn request(&self) -> ExtensionRequest {
        ExtensionRequest {
            number: self.number,
            wire_type: self.wire_type,
            packable: K::PACKABLE,
            message_set: self.message_set,
            defined: self.defined,
        }
    }

    /// Reports whether a message has at least one record of the extension. It does not check the record's content.
    pub fn is_in(&self, unknown: UnknownFields<'_>) -> bool {
        let request = self.request();
        unknown.into_iter().any(|field| request.takes(&field))
    }

    /// Decodes and checks the extension's records.
    pub fn read<'a>(&self, unknown: UnknownFields<'a>) -> Result<K::Output<'a>, Error> {
        K::read(Records { request: self.request(), unknown, name: self.name })
    }
}

/// The kind of an extension, and the type that reading it returns.
pub trait Kind {
    /// Wire type of one element.
    #[doc(hidden)]
    const WIRE_TYPE: u32;
    /// Whether the extension is repeated and may be packed.
    #[doc(hidden)]
    const PACKABLE: bool;
    /// The type that reading returns.
    type Output<'a>;
    /// Decodes and checks all records.
    #[doc(hidden)]
    fn read(records: Records<'_>) -> Result<Self::Output<'_>, Error>;
}

/// A singular value: `None` if it is absent. If there are several records, the last one counts.
pub struct Singular<V>(PhantomData<V>);

impl<V: Value> Kind for Singular<V> {
    const WIRE_TYPE: u32 = V::WIRE_TYPE;
    const PACKABLE: bool = false;
    type Output<'a> = Option<V::Output<'a>>;
    fn read(records: Records<'_>) -> Result<Self::Output<'_>, Error> {
        check_values::<V>(&records)?;
        Ok(Values::<V>::new(records).last())
    }
}

/// Repeated values, packed or not.
pub struct Repeated<V>(PhantomData<V>);

impl<V: Value> Kind for Repeated<V> {
    const WIRE_TYPE: u32 = V::WIRE_TYPE;
    const PACKABLE: bool = V::PACKABLE;
    type Output<'a> = Values<'a, V>;
    fn read(records: Records<'_>) -> Result<Self::Output<'_>, Error> {
        check_values::<V>(&records)?;
        Ok(Values::new(records))
    }
}

/// Checks all values before the first one is returned: the decoder has not checked packed elements and UTF-8.
fn check_values<V: Value>(records: &Records<'_>) -> Result<(), Error> {
    for field in records.clone() {
        let at = field.offset.unwrap_or(0) + (field.record.len() - field.value.len());
        let mut cursor = Cursor::new(field.value);
        let Some(payload) = (if field.wire_type == LEN { cursor.bytes() } else { None }) else {
            continue;
        };
        let start = at + field.value.len() - payload.len();
        if V::CHECKED {
            if let Some(bad) = utf8_error_at(payload) {
                return Err(records.fail(Code::InvalidUtf8, start + bad));
            }
        } else if V::WIRE_TYPE != LEN {
            let mut inner = Cursor::new(payload);
            while !inner.at_end() {
                let here = payload.len() - inner.left();
                let good = match V::WIRE_TYPE {
                    VARINT => inner.varint().is_some(),
                    FIXED64 => inner.fixed64().is_some(),
                    _ => inner.fixed32().is_some(),
                };
                if !good {
                    let overflow = V::WIRE_TYPE == VARINT && payload.len() - here >= 10;
                    let code = if overflow { Code::VarintOverflow } else { Code::Truncated };
                    return Err(records.fail(code, start + here));
                }
            }
        }
    }
    Ok(())
}

/// Iterates over the values of an extension.
pub struct Values<'a, V> {
    records: Records<'a>,
    cursor: Cursor<'a>,
    marker: PhantomData<V>,
}

impl<'a, V> Clone for Values<'a, V> {
    fn clone(&self) -> Self {
        Values { records: self.records.clone(), cursor: self.cursor, marker: PhantomData }
    }
}

impl<'a, V: Value> Values<'a, V> {
    fn new(records: Records<'a>) -> Self {
        Values { records, cursor: Cursor::new(&[]), marker: PhantomData }
    }
}

impl<'a, V: Value> Iterator for Values<'a, V> {
    type Item = V::Output<'a>;

    fn next(&mut self) -> Option<V::Output<'a>> {
        loop {
            while self.cursor.at_end() {
                let field = self.records.next()?;
                self.cursor = Cursor::new(field.value);
                if field.wire_type == LEN && V::WIRE_TYPE != LEN {
                    self.cursor = Cursor::new(self.cursor.bytes()?);
                }
            }
            let mut ahead = self.cursor;
            let value = V::get(&mut self.cursor)?;
            // Undefined values of closed enums are unknown fields (ENM-2).
            match self.records.request.defined {
                Some(defined) if !defined(ahead.varint()? as i32) => {}
                _ => return Some(value),
            }
        }
    }
}

/// A message. Several records merge.
pub struct OfMessage<M>(PhantomData<M>);

impl<M: Message> Kind for OfMessage<M> {
    const WIRE_TYPE: u32 = LEN;
    const PACKABLE: bool = false;
    type Output<'a> = Option<Parts<'a, M>>;
    fn read(records: Records<'_>) -> Result<Self::Output<'_>, Error> {
        let there = records.clone().next().is_some();
        Ok(there.then_some(Parts { records, only: None, marker: PhantomData }))
    }
}

/// Repeated messages.
pub struct RepeatedMessage<M>(PhantomData<M>);

impl<M: Message> Kind for RepeatedMessage<M> {
    const WIRE_TYPE: u32 = LEN;
    const PACKABLE: bool = false;
    type Output<'a> = Elements<'a, M>;
    fn read(records: Records<'_>) -> Result<Self::Output<'_>, Error> {
        Ok(Elements { records, marker: PhantomData })
    }
}

/// Iterates over the elements of a repeated message extension.
pub struct Elements<'a, M> {
    records: Records<'a>,
    marker: PhantomData<M>,
}

impl<'a, M: Message> Iterator for Elements<'a, M> {
    type Item = Parts<'a, M>;
    fn next(&mut self) -> Option<Parts<'a, M>> {
        let only = self.records.next()?;
        Some(Parts { records: self.records.clone(), only: Some(only), marker: PhantomData })
    }
}

/// A message of an extension that is not yet decoded: its parts in the input.
pub struct Parts<'a, M> {
    records: Records<'a>,
    only: Option<UnknownField<'a>>,
    marker: PhantomData<M>,
}

impl<'a, M: Message> Parts<'a, M> {
    /// Decodes the message into a pool. Offsets of errors refer to the input of the enclosing message.
    pub fn decode(self, pool: &'a mut Pool<M>) -> Result<M::Handle<'a>, Error> {
        self.decode_with(pool, &DecodeOptions::default())
    }

    /// Decodes the message into a pool, with options.
    pub fn decode_with(self, pool: &'a mut Pool<M>, options: &DecodeOptions) -> Result<M::Handle<'a>, Error> {
        let input = self.records.unknown.input();
        let message_set = self.records.request.message_set;
        let (all, only) = match self.only {
            Some(only) => (None, Some(only)),
            None => (Some(self.records), None),
        };
        let parts = only.into_iter().chain(all.into_iter().flatten());
        pool.decode_parts(input, parts.flat_map(move |field| payloads(field, message_set)), options)
    }
}

/// Returns the parts of the input with a message's content: the payload, the inside of a group, or the `message`
/// records of a message-set item.
fn payloads(field: UnknownField<'_>, message_set: bool) -> impl Iterator<Item = (usize, usize)> + '_ {
    let base = field.offset.unwrap_or(0) + (field.record.len() - field.value.len());
    let group = field.wire_type == START_GROUP;
    let mut cursor = Cursor::new(field.value);
    let mut done = false;
    core::iter::from_fn(move || {
        while !done && !cursor.at_end() {
            let start = base + (field.value.len() - cursor.left());
            if !group {
                done = true;
                let payload = cursor.bytes()?;
                return Some((base + field.value.len() - payload.len(), base + field.value.len()));
            }
            let tag = cursor.tag()?;
            if !message_set {
                // One part, up to the start of the end tag.
                let mut end = start;
                let mut tag = tag;
                while tag & 7 != END_GROUP {
                    cursor.skip(tag, crate::wire::DEPTH_CEILING)?;
                    end = base + (field.value.len() - cursor.left());
                    tag = cursor.tag()?;
                }
                done = true;
                return Some((start, end));
            }
            if tag & 7 == END_GROUP {
                done = true;
            } else if tag == 3 << 3 | LEN {
                let payload = cursor.bytes()?;
                let end = base + (field.value.len() - cursor.left());
                return Some((end - payload.len(), end));
            } else {
                cursor.skip(tag, crate::wire::DEPTH_CEILING)?;
            }
        }
        None
    })
}
