//! Messages in a message, before they are opened.

use super::raw::{Raw, Rules, SPLIT};
use super::table::Field;
use super::{Scratch, View};
use crate::Error;
use crate::wire::{Cursor, DEPTH_CEILING, LEN, START_GROUP, VARINT};
use alloc::vec::Vec;
use core::marker::PhantomData;

/// The records of one length-delimited or group field, all with one tag, in bytes that were scanned.
#[derive(Clone, Copy)]
pub(super) struct Records<'a> {
    rest: &'a [u8],
    tag: u32,
}

impl<'a> Records<'a> {
    #[inline(always)]
    pub(super) fn new(records: &'a [u8], tag: u32) -> Records<'a> {
        Records { rest: records, tag }
    }

    /// Skips all but the last bytes.
    fn keep_last(&mut self, len: usize) {
        self.rest = &self.rest[self.rest.len().saturating_sub(len)..];
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = &'a [u8];

    /// Returns the next payload, or content of a group.
    #[inline(always)]
    fn next(&mut self) -> Option<&'a [u8]> {
        // The next record follows at once, with a tag of one byte and a length of one or two.
        if let [tag, len, tail @ ..] = self.rest {
            if *tag < 0x80 && *tag as u32 == self.tag && self.tag & 7 == LEN {
                if *len < 0x80 {
                    if let Some((payload, rest)) = tail.split_at_checked(*len as usize) {
                        self.rest = rest;
                        return Some(payload);
                    }
                } else if let [high, tail @ ..] = tail {
                    if *high < 0x80 {
                        let len = (*len & 0x7f) as usize | (*high as usize) << 7;
                        if let Some((payload, rest)) = tail.split_at_checked(len) {
                            self.rest = rest;
                            return Some(payload);
                        }
                    }
                }
            }
        }
        let (payload, rest) = next_record(self.rest, self.tag);
        self.rest = rest;
        payload
    }
}

/// Finds the next record with this tag; returns its payload and the bytes after it.
#[inline(never)]
fn next_record(bytes: &[u8], tag: u32) -> (Option<&[u8]>, &[u8]) {
    let mut c = Cursor::new(bytes);
    let payload = find(&mut c, tag);
    (payload, if payload.is_some() { c.remaining() } else { &[] })
}

/// Moves to the next record with this tag, and reads it.
fn find<'a>(c: &mut Cursor<'a>, tag: u32) -> Option<&'a [u8]> {
    loop {
        match c.tag()? {
            got if got != tag => c.skip(got, DEPTH_CEILING)?,
            _ if tag & 7 == LEN => return c.bytes(),
            _ => return c.group(tag >> 3, DEPTH_CEILING),
        }
    }
}

/// The tags of a message set (`message_set_wire_format`), a sequence of items: `0b 10 type_id 1a length message 0c`.
const ITEM: u32 = 1 << 3 | START_GROUP;
const ITEM_TYPE: u32 = 2 << 3 | VARINT;
const ITEM_MESSAGE: u32 = 3 << 3 | LEN;

/// Returns the type of an item: the last `type_id`, if it also has a `message` (SET-10, SET-4).
pub(super) fn item_type(item: &[u8]) -> Option<u32> {
    let (mut number, mut has_message) = (None, false);
    let mut c = Cursor::new(item);
    while !c.at_end() {
        let tag = c.tag()?;
        if tag == ITEM_TYPE {
            number = Some(c.varint()? as u32);
            continue;
        }
        has_message |= tag == ITEM_MESSAGE;
        c.skip(tag, DEPTH_CEILING)?;
    }
    number.filter(|_| has_message)
}

/// Returns the item of a record whose bytes follow its tag, if it is one.
pub(super) fn item_of(tag: u32, value: &[u8]) -> Option<u32> {
    let content = if tag == ITEM { Cursor::new(value).group(1, DEPTH_CEILING) } else { None };
    item_type(content?)
}

/// The `message` records of the items of one number in a message set, and that number's own records (SET-6).
#[derive(Clone, Copy)]
pub(super) struct Items<'a> {
    rest: &'a [u8],
    number: u32,
    /// The rest of the current item.
    inner: Records<'a>,
}

impl<'a> Items<'a> {
    pub(super) fn new(set: &'a [u8], number: u32) -> Items<'a> {
        Items { rest: set, number, inner: Records::new(&[], ITEM_MESSAGE) }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(message) = self.inner.next() {
                return Some(message);
            }
            let mut c = Cursor::new(self.rest);
            let tag = c.tag()?;
            let mut field = None;
            if tag == ITEM {
                let item = c.group(1, DEPTH_CEILING)?;
                if item_type(item) == Some(self.number) {
                    self.inner = Records::new(item, ITEM_MESSAGE);
                }
            } else if tag & 7 == LEN && tag >> 3 == self.number {
                field = Some(c.bytes()?);
            } else {
                c.skip(tag, DEPTH_CEILING)?;
            }
            self.rest = c.remaining();
            if field.is_some() {
                return field;
            }
        }
    }
}

/// A message in a repeated field, not yet opened.
pub struct Element<'a, V> {
    raw: Raw<'a>,
    marker: PhantomData<V>,
}

impl<V> Clone for Element<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Element<'_, V> {}

impl<'a, V: View> Element<'a, V> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], rules: Rules) -> Self {
        Element { raw: Raw::new(bytes, rules), marker: PhantomData }
    }

    /// Opens the message: scans and checks its level.
    #[inline(always)]
    pub fn open(self) -> Result<V::At<'a>, Error> {
        V::scan(self.raw)
    }

    /// Returns the bytes of the message.
    #[inline]
    pub fn as_bytes(self) -> &'a [u8] {
        self.raw.bytes
    }
}

/// Where the records of a message are.
#[derive(Clone, Copy)]
enum Form<'a> {
    One(&'a [u8]),
    Several(Records<'a>),
    Items(Items<'a>),
}

/// A message in a singular field, not yet opened. It may have come in several records, which opening merges.
pub struct Message<'a, V> {
    form: Form<'a>,
    rules: Rules,
    marker: PhantomData<V>,
}

impl<V> Clone for Message<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Message<'_, V> {}

impl<'a, V: View> Message<'a, V> {
    /// Wraps the message in the slot of a field of this message; the field must be present.
    #[inline]
    pub(super) fn in_slot(raw: &Raw<'a>, field: &Field, [first, end]: [u32; 2]) -> Self {
        let mut records = Records::new(&raw.bytes[(first & !SPLIT) as usize..end as usize], field.element_tag());
        let form = match first & SPLIT {
            0 => Form::One(records.next().unwrap_or(&[])),
            _ => Form::Several(records),
        };
        Message { form, rules: raw.rules.below(), marker: PhantomData }
    }

    /// Wraps one record, or several.
    pub(super) fn of_records(records: Records<'a>, rules: Rules) -> Self {
        Message { form: Form::Several(records), rules, marker: PhantomData }
    }

    /// Wraps a message that has no record.
    pub(super) fn empty(rules: Rules) -> Self {
        Message { form: Form::One(&[]), rules: rules.of_absent(), marker: PhantomData }
    }

    /// Wraps the items of a message set.
    pub(super) fn of_items(items: Items<'a>, rules: Rules) -> Self {
        Message { form: Form::Items(items), rules, marker: PhantomData }
    }

    /// Opens the message: scans and checks its level. If it came in several records, they are merged in `scratch`, and
    /// each must be well-formed by itself. Else `scratch` is not used.
    #[inline]
    pub fn open<'s>(self, scratch: &'s Scratch) -> Result<V::At<'s>, Error>
    where
        'a: 's,
    {
        match self.form {
            Form::One(bytes) => V::scan(Raw::new(bytes, self.rules)),
            Form::Several(records) => merge::<V>(records, self.rules, scratch),
            Form::Items(items) => merge::<V>(items, self.rules, scratch),
        }
    }

    /// Reports whether the message came in several records.
    pub fn is_split(self) -> bool {
        match self.form {
            Form::One(_) => false,
            Form::Several(records) => records.count() > 1,
            Form::Items(items) => items.count() > 1,
        }
    }

    /// Appends the bytes of the message; those of several records one after the other.
    pub fn append_to(self, out: &mut Vec<u8>) {
        match self.form {
            Form::One(bytes) => out.extend_from_slice(bytes),
            Form::Several(records) => records.for_each(|part| out.extend_from_slice(part)),
            Form::Items(items) => items.for_each(|part| out.extend_from_slice(part)),
        }
    }
}

#[cold]
#[inline(never)]
fn merge<'a: 's, 's, V: View>(
    parts: impl Iterator<Item = &'a [u8]> + Clone,
    rules: Rules,
    scratch: &'s Scratch,
) -> Result<V::At<'s>, Error> {
    let mut clone = parts.clone();
    let (Some(first), second) = (clone.next(), clone.next()) else { return V::scan(Raw::new(&[], rules)) };
    if second.is_none() {
        return V::scan(Raw::new(first, rules));
    }
    let mut before = 0;
    for part in parts.clone() {
        // Offsets count in the merged message, indices of paths in the record (PTH-2).
        V::scan(Raw::new(part, rules)).map_err(|error| error.shifted(before))?;
        before += part.len();
    }
    V::scan(Raw::new(scratch.join(parts), rules))
}

/// The elements of a repeated message field, in order.
pub struct Messages<'a, V> {
    records: Records<'a>,
    rules: Rules,
    left: u32,
    /// The length of the records from the last element on.
    last: u32,
    marker: PhantomData<V>,
}

impl<V> Clone for Messages<'_, V> {
    fn clone(&self) -> Self {
        Messages { marker: PhantomData, ..*self }
    }
}

impl<'a, V: View> Messages<'a, V> {
    #[inline]
    pub(super) fn new(raw: &Raw<'a>, field: &Field, [first, end, count, last]: [u32; 4]) -> Self {
        Messages {
            records: Records::new(&raw.bytes[first as usize..end as usize], field.element_tag()),
            rules: raw.rules.below(),
            left: count,
            last: end - last,
            marker: PhantomData,
        }
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.left as usize
    }

    /// Reports whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Returns the element with an index. It walks over those before it, except to the last element: to read all
    /// elements, iterate.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Element<'a, V>> {
        self.clone().nth(index)
    }

    /// Iterates over all elements in order. (The value is itself an iterator; this is a copy of it.)
    #[inline]
    pub fn iter(&self) -> Messages<'a, V> {
        self.clone()
    }
}

impl<'a, V: View> Iterator for Messages<'a, V> {
    type Item = Element<'a, V>;

    #[inline(always)]
    fn next(&mut self) -> Option<Element<'a, V>> {
        self.left = self.left.checked_sub(1)?;
        Some(Element::new(self.records.next()?, self.rules))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Element<'a, V>> {
        if n >= self.left as usize {
            self.left = 0;
            return None;
        }
        if n + 1 == self.left as usize {
            self.records.keep_last(self.last as usize);
            self.left = 1;
            return self.next();
        }
        (0..n).try_for_each(|_| self.next().map(drop))?;
        self.next()
    }

    fn last(mut self) -> Option<Element<'a, V>> {
        self.nth((self.left as usize).checked_sub(1)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl<V: View> ExactSizeIterator for Messages<'_, V> {}
