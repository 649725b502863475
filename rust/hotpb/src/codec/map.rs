//! Maps: the types that prost has for them, and how an entry is read.

use super::decoder::Decoder;
use super::value::Value;
use crate::wire::Cursor;
use alloc::collections::BTreeMap;

/// A map of prost: a `HashMap` (feature `std`) or a `BTreeMap`.
pub trait Entries {
    /// The type of keys.
    type Key;
    /// The type of values.
    type Value;
    /// Reports whether there are no entries.
    fn is_empty(&self) -> bool;
    /// Removes all entries.
    fn drain(&mut self, each: impl FnMut(Self::Key, Self::Value));
    /// Adds an entry, and returns the value that it replaces.
    fn add(&mut self, key: Self::Key, value: Self::Value) -> Option<Self::Value>;
}

impl<K: Ord, V> Entries for BTreeMap<K, V> {
    type Key = K;
    type Value = V;
    #[inline]
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
    fn drain(&mut self, mut each: impl FnMut(K, V)) {
        // Its nodes are freed: a BTreeMap has no way to keep them.
        while let Some((key, value)) = self.pop_last() {
            each(key, value);
        }
    }
    #[inline]
    fn add(&mut self, key: K, value: V) -> Option<V> {
        self.insert(key, value)
    }
}

#[cfg(feature = "std")]
impl<K: Eq + core::hash::Hash, V, H: core::hash::BuildHasher> Entries for std::collections::HashMap<K, V, H> {
    type Key = K;
    type Value = V;
    #[inline]
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
    fn drain(&mut self, mut each: impl FnMut(K, V)) {
        self.drain().for_each(|(key, value)| each(key, value));
    }
    #[inline]
    fn add(&mut self, key: K, value: V) -> Option<V> {
        self.insert(key, value)
    }
}

/// Moves all keys and values to the spare parts.
#[inline(never)]
pub(super) fn keep_all<S, K, V, M>(spares: &mut S, target: &mut M)
where
    M: Entries,
    K: Value<S, M::Key>,
    V: Value<S, M::Value>,
{
    target.drain(|key, value| {
        K::give(key, spares);
        V::give(value, spares);
    });
}

/// Reads an entry after the tag of the map. Its key has the number 1, its value the number 2; the last one of each counts,
/// and pieces of a message merge (MAP-1).
#[inline(never)]
pub(super) fn read_entry<'a, S, K, V, M>(
    d: &mut Decoder<'a>,
    spares: &mut S,
    c: &mut Cursor<'a>,
    target: &mut M,
) -> Option<()>
where
    M: Entries,
    K: Value<S, M::Key>,
    V: Value<S, M::Value>,
{
    let mut entry = c.inner()?;
    d.enter::<false>(&entry)?;
    d.charge(size_of::<M::Key>() + size_of::<M::Value>(), &entry)?;
    let (mut key, mut value) = (K::take(spares), V::take(spares));
    let (mut has_key, mut has_value) = (false, false);
    while !entry.at_end() {
        let tag = entry.next_tag();
        if tag == (8 | K::WIRE_TYPE) {
            K::read(d, spares, &mut entry, &mut key, false)?;
            has_key = true;
        } else if tag == (16 | V::WIRE_TYPE) {
            V::read(d, spares, &mut entry, &mut value, has_value)?;
            has_value = true;
        } else {
            entry.skip(tag, d.depth())?;
        }
    }
    if !has_key {
        K::clear(d, spares, &mut key);
    }
    if !has_value {
        V::clear(d, spares, &mut value);
    }
    if let Some(old) = target.add(key, value) {
        V::give(old, spares);
    }
    d.leave();
    Some(())
}
