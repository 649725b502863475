//! Maps: iteration in the order of the input (MAP-8), look-up and collection with the last entry of each key (MAP-10).

use super::message::Records;
use super::raw::{Raw, Rules};
use super::table::{Field, Kind, Table};
use super::{Message, View};
use crate::wire::kind::{
    Bool, Fixed32, Fixed64, Int32, Int64, Sfixed32, Sfixed64, Sint32, Sint64, Text, Uint32, Uint64,
};
use crate::wire::kind::{Utf8, Value};
use crate::wire::{Cursor, DEPTH_CEILING, LEN, ProtoStr};
use alloc::vec::Vec;
use core::marker::PhantomData;

/// The type of a map's keys.
pub trait MapKey: Value {
    /// The type by which entries are found.
    type Query: ?Sized + Ord;
    /// Returns a key as a query.
    #[doc(hidden)]
    fn query<'k>(key: &'k Self::Output<'_>) -> &'k Self::Query;
}

macro_rules! keys {
    ($($kind:ident $ty:ty;)*) => {$(
        impl MapKey for $kind {
            type Query = $ty;
            #[inline]
            fn query<'k>(key: &'k Self::Output<'_>) -> &'k $ty {
                key
            }
        }
    )*};
}

keys! {
    Int32 i32; Int64 i64; Uint32 u32; Uint64 u64; Sint32 i32; Sint64 i64; Bool bool;
    Fixed32 u32; Fixed64 u64; Sfixed32 i32; Sfixed64 i64; Utf8 str; Text ProtoStr;
}

/// The type of a map's values.
pub trait MapValue {
    /// The type that reading returns.
    type Output<'a>;
    /// Reads the value of an entry.
    ///
    /// # Safety
    /// The scan has checked the entry, and its values have this type.
    #[doc(hidden)]
    unsafe fn read<'a>(entry: &Entry<'a>, rules: Rules) -> Self::Output<'a>;
}

impl<V: Value> MapValue for V {
    type Output<'a> = <V as Value>::Output<'a>;
    #[inline]
    unsafe fn read<'a>(entry: &Entry<'a>, _: Rules) -> <V as Value>::Output<'a> {
        // SAFETY: as the caller promises.
        unsafe { part::<V>(entry.value) }
    }
}

/// The type of message values.
pub struct OfMessage<W>(PhantomData<W>);

impl<W: View> MapValue for OfMessage<W> {
    type Output<'a> = Message<'a, W>;
    unsafe fn read<'a>(entry: &Entry<'a>, rules: Rules) -> Message<'a, W> {
        match entry.value {
            Some(_) => Message::of_records(Records::new(entry.bytes, 2 << 3 | LEN), rules.below()),
            None => Message::empty(rules.below()),
        }
    }
}

/// Where the parts of an entry are: the bytes from the last key and the last value on, each after its tag.
#[doc(hidden)]
pub struct Entry<'a> {
    bytes: &'a [u8],
    key: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
}

impl<'a> Entry<'a> {
    /// Finds the parts of an entry that was checked.
    #[inline]
    fn find(bytes: &'a [u8], key_tag: u32, value_tag: u32) -> Entry<'a> {
        let mut entry = Entry { bytes, key: None, value: None };
        let mut c = Cursor::new(bytes);
        while let Some(tag) = c.tag() {
            let at = c.remaining();
            if c.skip(tag, DEPTH_CEILING).is_none() {
                break;
            }
            if tag == key_tag {
                entry.key = Some(at);
            } else if tag == value_tag {
                entry.value = Some(at);
            }
        }
        entry
    }
}

/// Reads a part of an entry; an absent one is the default of its type (MAP-1).
///
/// # Safety
/// The scan has checked the part, and it has this type.
#[inline]
unsafe fn part<V: Value>(bytes: Option<&[u8]>) -> V::Output<'_> {
    // SAFETY: as the caller promises.
    bytes.and_then(|bytes| unsafe { V::trust(&mut Cursor::new(bytes)) }).unwrap_or_else(V::zero)
}

/// The entries of a map field. It is itself the iterator over them, in the order of the input, and returns entries that
/// a later one with their key replaces, too.
pub struct Map<'a, K, V> {
    records: Records<'a>,
    entry: &'static Table,
    closed: Option<fn(i32) -> bool>,
    rules: Rules,
    left: u32,
    marker: PhantomData<(K, V)>,
}

impl<K, V> Clone for Map<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Map<'_, K, V> {}

impl<'a, K: MapKey, V: MapValue> Map<'a, K, V> {
    pub(super) fn new(raw: &Raw<'a>, field: &'static Field, [first, end, count]: [u32; 3]) -> Self {
        let Some(entry) = field.child else { unreachable!("a map has the table of its entries") };
        Map {
            records: Records::new(&raw.bytes[first as usize..end as usize], field.tag),
            entry,
            closed: entry.fields[1].closed,
            rules: raw.rules.below(),
            left: count,
            marker: PhantomData,
        }
    }

    /// Returns the number of entries, replaced ones included.
    #[inline]
    pub fn len(&self) -> usize {
        self.left as usize
    }

    /// Reports whether there are no entries.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Iterates over the entries: this is a copy.
    #[inline]
    pub fn iter(&self) -> Map<'a, K, V> {
        *self
    }

    /// Returns the value of the last entry with a key. It walks over all entries.
    pub fn get(&self, key: &K::Query) -> Option<V::Output<'a>> {
        let mut found = None;
        let mut ahead = *self;
        while let Some(entry) = ahead.next_entry() {
            // SAFETY: as in `next`.
            if K::query(&unsafe { part::<K>(entry.key) }) == key {
                found = Some(entry);
            }
        }
        // SAFETY: as in `next`.
        found.map(|entry| unsafe { V::read(&entry, self.rules) })
    }

    /// Reports whether there is an entry with a key.
    pub fn contains_key(&self, key: &K::Query) -> bool {
        self.get(key).is_some()
    }

    /// Returns the last entry of each key, in order of keys.
    pub fn collect_by_key(&self) -> Vec<(<K as Value>::Output<'a>, V::Output<'a>)> {
        let mut entries: Vec<_> = self.iter().collect();
        entries.reverse();
        // The sort is stable, so the last entry of each key is the first one now.
        entries.sort_by(|a, b| K::query(&a.0).cmp(K::query(&b.0)));
        entries.dedup_by(|later, first| K::query(&later.0) == K::query(&first.0));
        entries
    }

    /// Returns the next entry that is none of the unknown fields.
    #[inline]
    fn next_entry(&mut self) -> Option<Entry<'a>> {
        self.left = self.left.checked_sub(1)?;
        let [key, value] = self.entry.fields else { return None };
        loop {
            let entry = Entry::find(self.records.next()?, key.tag, value.tag);
            match (self.closed, entry.value) {
                (Some(defined), Some(value)) if !defines(defined, value) => {}
                _ => return Some(entry),
            }
        }
    }
}

/// Reports whether a closed enum defines the value that begins here.
pub(super) fn defines(defined: fn(i32) -> bool, value: &[u8]) -> bool {
    Cursor::new(value).varint().is_some_and(|value| defined(value as i32))
}

/// Reports whether an entry of a map field is one, or an unknown field (ENM-3).
pub(super) fn is_entry(field: &Field, bytes: &[u8]) -> bool {
    match field.child.map(|entry| entry.fields) {
        Some([key, value]) if value.kind == Kind::Closed => {
            let defined = value.closed.unwrap_or(|_| true);
            Entry::find(bytes, key.tag, value.tag).value.is_none_or(|number| defines(defined, number))
        }
        _ => true,
    }
}

impl<'a, K: MapKey, V: MapValue> Iterator for Map<'a, K, V> {
    type Item = (<K as Value>::Output<'a>, V::Output<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.next_entry()?;
        // SAFETY: the scan has checked all entries, and only `Level::map`, whose caller promises that `K` and `V` are
        // the types of the map, creates this iterator.
        Some(unsafe { (part::<K>(entry.key), V::read(&entry, self.rules)) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl<K: MapKey, V: MapValue> ExactSizeIterator for Map<'_, K, V> {}

/// A key in a form that is equal for equal keys.
type Key<'a> = (u64, &'a [u8]);

fn key_of<'a>(field: &Field, bytes: Option<&'a [u8]>) -> Key<'a> {
    let Some(bytes) = bytes else { return (0, &[]) };
    let mut c = Cursor::new(bytes);
    let number = match field.kind {
        Kind::Fixed32 => c.fixed32().map(u64::from),
        Kind::Fixed64 => c.fixed64(),
        Kind::Varint | Kind::Closed => c.varint(),
        _ => return (0, c.bytes().unwrap_or(&[])),
    };
    (field.key.normalize(number.unwrap_or(0)), &[])
}

/// Returns the entries of a map that count, in the order of the input: the last one of each key (ERR-11).
pub(super) fn surviving<'a>(records: &'a [u8], field: &Field) -> Vec<&'a [u8]> {
    let Some([key, value]) = field.child.map(|entry| entry.fields) else { return Vec::new() };
    let entries = Records::new(records, field.tag).filter(|bytes| is_entry(field, bytes));
    let mut all: Vec<(Key<'a>, usize, &'a [u8])> = entries
        .enumerate()
        .map(|(place, bytes)| (key_of(key, Entry::find(bytes, key.tag, value.tag).key), place, bytes))
        .collect();
    // The last entry of a key comes first.
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    all.dedup_by(|earlier, last| earlier.0 == last.0);
    all.sort_by_key(|(_, place, _)| *place);
    all.into_iter().map(|(_, _, bytes)| bytes).collect()
}
