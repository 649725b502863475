//! The checksum of all fields of a message. Generated code implements [`Fields`] for each message type of each library.

use std::borrow::Cow;
use std::ops::Deref;

/// The sum over the fields of a message. No field has the name of the method: a handle of the pool has a method for each.
pub trait Fields {
    fn peers_checksum(&self) -> u64;
}

impl<T: Fields> Fields for &T {
    #[inline]
    fn peers_checksum(&self) -> u64 {
        (**self).peers_checksum()
    }
}

impl<T: Fields> Fields for Box<T> {
    #[inline]
    fn peers_checksum(&self) -> u64 {
        (**self).peers_checksum()
    }
}

/// The value of a field that is no message.
pub trait Word {
    fn word(&self) -> u64;
}

macro_rules! words {
    ($($ty:ty: $value:ident => $word:expr;)*) => {
        $(impl Word for $ty {
            #[inline]
            fn word(&self) -> u64 {
                let $value = self;
                $word
            }
        })*
    };
}

words! {
    i32: v => i64::from(*v) as u64;
    i64: v => *v as u64;
    u32: v => u64::from(*v);
    u64: v => *v;
    bool: v => u64::from(*v);
    f32: v => u64::from(v.to_bits());
    f64: v => v.to_bits();
    [u8]: v => match v {
        [] => 0,
        [first, .., last] => v.len() as u64 + 256 * u64::from(*first) + 65536 * u64::from(*last),
        [only] => 1 + (256 + 65536) * u64::from(*only),
    };
    Vec<u8>: v => v[..].word();
    str: v => v.as_bytes().word();
    String: v => v.as_bytes().word();
    google_protobuf::ProtoStr: v => v.as_bytes().word();
    hotpb::wire::ProtoStr: v => v.as_bytes().word();
    hotpb::pool::ProtoString: v => v.deref().as_bytes().word();
}

impl<T: Word + ?Sized> Word for &T {
    #[inline]
    fn word(&self) -> u64 {
        (**self).word()
    }
}

impl<T: Word + ToOwned + ?Sized> Word for Cow<'_, T> {
    #[inline]
    fn word(&self) -> u64 {
        (**self).word()
    }
}

impl<E: buffa::Enumeration> Word for buffa::EnumValue<E> {
    #[inline]
    fn word(&self) -> u64 {
        self.to_i32().word()
    }
}

/// All values of a repeated field.
#[inline]
pub fn words<T: Word>(values: impl IntoIterator<Item = T>) -> u64 {
    values.into_iter().fold(0, |sum: u64, value| sum.wrapping_add(value.word()))
}

/// A message that is there.
#[inline]
pub fn child(message: &impl Fields) -> u64 {
    message.peers_checksum().wrapping_add(1)
}

/// All messages of a repeated field.
#[inline]
pub fn children<T: Fields>(messages: impl IntoIterator<Item = T>) -> u64 {
    messages.into_iter().fold(0, |sum: u64, message| sum.wrapping_add(child(&message)))
}

/// An entry of a map, as any library hands it out.
pub trait Entry {
    type Key;
    type Value;
    fn parts(&self) -> (&Self::Key, &Self::Value);
}

impl<K, V> Entry for (K, V) {
    type Key = K;
    type Value = V;
    #[inline]
    fn parts(&self) -> (&K, &V) {
        (&self.0, &self.1)
    }
}

impl<K, V> Entry for &(K, V) {
    type Key = K;
    type Value = V;
    #[inline]
    fn parts(&self) -> (&K, &V) {
        (&self.0, &self.1)
    }
}

#[inline]
fn sum_of_entries<E: Entry>(map: impl IntoIterator<Item = E>, value: impl Fn(&E::Value) -> u64) -> u64
where
    E::Key: Word,
{
    map.into_iter().fold(0, |sum: u64, entry| {
        let (key, element) = entry.parts();
        sum.wrapping_add(1).wrapping_add(key.word().wrapping_mul(3)).wrapping_add(value(element).wrapping_mul(5))
    })
}

/// The entries of a map.
#[inline]
pub fn entries<E: Entry>(map: impl IntoIterator<Item = E>) -> u64
where
    E::Key: Word,
    E::Value: Word,
{
    sum_of_entries(map, Word::word)
}

/// The entries of a map with messages.
#[inline]
pub fn entries_of_messages<E: Entry>(map: impl IntoIterator<Item = E>) -> u64
where
    E::Key: Word,
    E::Value: Fields,
{
    sum_of_entries(map, |message| child(message))
}
