//! Fields: what a field of prost's struct is, and how its records fill it.
//!
//! A decoder calls [`Field::begin`] for each field, [`Field::read`] for each record, and [`Field::end`]. In between, a
//! vector may still have old elements after its new ones, and an `Option` its old value. The states of the fields, which
//! are local variables of the decoder, say so; `end` moves what is left to the spare parts.

use super::decoder::Decoder;
use super::map::Entries;
use super::value::{Number, Value};
use crate::wire::Cursor;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// A field whose type in the struct is `T`.
pub trait Field<S, T> {
    /// The state while a message is read.
    type State: Copy;
    /// Begins a message; with `merge`, the old content counts.
    fn begin(d: &mut Decoder<'_>, spares: &mut S, target: &mut T, merge: bool) -> Self::State;
    /// Reads a record after its tag, `TAG`.
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut T,
        state: &mut Self::State,
    ) -> Option<()>;
    /// Ends the message.
    fn end(d: &mut Decoder<'_>, spares: &mut S, target: &mut T, state: Self::State);
}

/// A number, string or bytes that is always there: with implicit presence, or required.
pub struct Plain<V>(PhantomData<V>);

impl<S, T, V: Value<S, T>> Field<S, T> for Plain<V> {
    type State = ();
    #[inline(always)]
    fn begin(d: &mut Decoder<'_>, spares: &mut S, target: &mut T, merge: bool) {
        if !merge {
            V::clear(d, spares, target);
        }
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut T,
        (): &mut (),
    ) -> Option<()> {
        V::read(d, spares, c, target, false)
    }
    #[inline(always)]
    fn end(_: &mut Decoder<'_>, _: &mut S, _: &mut T, (): ()) {}
}

/// A message that is always there: a required one. The state says whether its content counts.
pub struct Required<V>(PhantomData<V>);

impl<S, T, V: Value<S, T>> Field<S, T> for Required<V> {
    type State = bool;
    #[inline(always)]
    fn begin(_: &mut Decoder<'_>, _: &mut S, _: &mut T, merge: bool) -> bool {
        merge
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut T,
        counts: &mut bool,
    ) -> Option<()> {
        V::read(d, spares, c, target, *counts)?;
        *counts = true;
        Some(())
    }
    #[inline(always)]
    fn end(d: &mut Decoder<'_>, spares: &mut S, target: &mut T, counts: bool) {
        if !counts {
            V::clear(d, spares, target);
        }
    }
}

/// An `Option`.
pub struct Maybe<V>(PhantomData<V>);

impl<S, T, V: Value<S, T>> Field<S, Option<T>> for Maybe<V> {
    type State = bool;
    #[inline(always)]
    fn begin(_: &mut Decoder<'_>, _: &mut S, _: &mut Option<T>, merge: bool) -> bool {
        merge
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut Option<T>,
        counts: &mut bool,
    ) -> Option<()> {
        match target {
            Some(value) => V::read(d, spares, c, value, *counts)?,
            None => {
                let value = target.insert(V::take(spares));
                // Its old content does not count, unless all of it is replaced.
                *counts = false;
                V::read(d, spares, c, value, false)?
            }
        }
        *counts = true;
        Some(())
    }
    #[inline(always)]
    fn end(_: &mut Decoder<'_>, spares: &mut S, target: &mut Option<T>, counts: bool) {
        if !counts && target.is_some() {
            keep::<S, T, V>(spares, target);
        }
    }
}

/// Moves the value of an absent field to the spare parts.
#[inline(never)]
fn keep<S, T, V: Value<S, T>>(spares: &mut S, target: &mut Option<T>) {
    if let Some(value) = target.take() {
        V::give(value, spares);
    }
}

/// A `Vec` of strings, bytes or messages. The state is the number of its new elements.
pub struct List<V>(PhantomData<V>);

impl<S, T, V: Value<S, T>> Field<S, Vec<T>> for List<V> {
    type State = usize;
    #[inline(always)]
    fn begin(_: &mut Decoder<'_>, _: &mut S, target: &mut Vec<T>, merge: bool) -> usize {
        if merge { target.len() } else { 0 }
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut Vec<T>,
        len: &mut usize,
    ) -> Option<()> {
        loop {
            if *len >= target.len() {
                target.push(V::take(spares));
            }
            V::read_element(d, spares, c, target.get_mut(*len)?)?;
            *len += 1;
            if TAG == 0 || !c.eat::<TAG>() {
                return Some(());
            }
        }
    }
    #[inline(always)]
    fn end(_: &mut Decoder<'_>, spares: &mut S, target: &mut Vec<T>, len: usize) {
        if target.len() > len {
            keep_rest::<S, T, V>(spares, target, len);
        }
    }
}

/// Moves the elements from `len` on to the spare parts, the last one first: the next list that grows takes them in their
/// order.
#[inline(never)]
fn keep_rest<S, T, V: Value<S, T>>(spares: &mut S, target: &mut Vec<T>, len: usize) {
    while target.len() > len {
        let Some(value) = target.pop() else { return };
        V::give(value, spares);
    }
}

/// A `Vec` of numbers.
pub struct Numbers<K>(PhantomData<K>);

impl<S, K: Number> Field<S, Vec<K::Of>> for Numbers<K> {
    type State = ();
    #[inline(always)]
    fn begin(_: &mut Decoder<'_>, _: &mut S, target: &mut Vec<K::Of>, merge: bool) {
        if !merge {
            target.clear();
        }
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        _: &mut S,
        c: &mut Cursor<'a>,
        target: &mut Vec<K::Of>,
        (): &mut (),
    ) -> Option<()> {
        loop {
            let value = K::get(c)?;
            d.charge(size_of::<K::Of>(), c)?;
            target.push(value);
            if TAG == 0 || !c.eat::<TAG>() {
                return Some(());
            }
        }
    }
    #[inline(always)]
    fn end(_: &mut Decoder<'_>, _: &mut S, _: &mut Vec<K::Of>, (): ()) {}
}

/// The other form of a field of numbers: packed.
pub trait Packed<T> {
    /// Reads a packed record after its tag.
    fn packed<'a>(d: &mut Decoder<'a>, c: &mut Cursor<'a>, target: &mut T) -> Option<()>;
}

impl<K: Number> Packed<Vec<K::Of>> for Numbers<K> {
    #[inline(always)]
    fn packed<'a>(d: &mut Decoder<'a>, c: &mut Cursor<'a>, target: &mut Vec<K::Of>) -> Option<()> {
        c.out_of_line(|c| packed::<K>(d, c, target))
    }
}

#[inline(never)]
fn packed<'a, K: Number>(d: &mut Decoder<'a>, c: &mut Cursor<'a>, target: &mut Vec<K::Of>) -> Option<()> {
    let mut values = c.inner()?;
    let bytes = values.remaining();
    let count = match K::WIDTH {
        // Each varint has one byte below 0x80, its last.
        0 => bytes.iter().filter(|&&b| b < 0x80).count(),
        width if bytes.len() % width == 0 => bytes.len() / width,
        _ => return None,
    };
    d.charge(count.saturating_mul(size_of::<K::Of>()), &values)?;
    target.reserve(count);
    while !values.at_end() {
        target.push(K::get(&mut values)?);
    }
    Some(())
}

/// A map, from keys of the kind `K` to values of the kind `V`.
pub struct Map<K, V>(PhantomData<(K, V)>);

impl<S, K, V, M> Field<S, M> for Map<K, V>
where
    M: Entries,
    K: Value<S, M::Key>,
    V: Value<S, M::Value>,
{
    type State = ();
    #[inline(always)]
    fn begin(_: &mut Decoder<'_>, spares: &mut S, target: &mut M, merge: bool) {
        if !merge && !target.is_empty() {
            super::map::keep_all::<S, K, V, M>(spares, target);
        }
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut M,
        (): &mut (),
    ) -> Option<()> {
        c.out_of_line(|c| super::map::read_entry::<S, K, V, M>(d, spares, c, target))
    }
    #[inline(always)]
    fn end(_: &mut Decoder<'_>, _: &mut S, _: &mut M, (): ()) {}
}

/// A field or a member of a oneof of a message with many of them: one function reads all of the same type.
pub struct Far<F>(PhantomData<F>);

impl<S, T, F: Field<S, T>> Field<S, T> for Far<F> {
    type State = F::State;
    #[inline(always)]
    fn begin(d: &mut Decoder<'_>, spares: &mut S, target: &mut T, merge: bool) -> F::State {
        F::begin(d, spares, target, merge)
    }
    #[inline(always)]
    fn read<'a, const TAG: u32>(
        d: &mut Decoder<'a>,
        spares: &mut S,
        c: &mut Cursor<'a>,
        target: &mut T,
        state: &mut F::State,
    ) -> Option<()> {
        let mut copy = *state;
        let read = c.out_of_line(|c| read_far::<S, T, F>(d, spares, c, target, &mut copy));
        *state = copy;
        read
    }
    #[inline(always)]
    fn end(d: &mut Decoder<'_>, spares: &mut S, target: &mut T, state: F::State) {
        F::end(d, spares, target, state);
    }
}

/// No field has the tag 0: each call reads one record.
#[inline(never)]
fn read_far<'a, S, T, F: Field<S, T>>(
    d: &mut Decoder<'a>,
    spares: &mut S,
    c: &mut Cursor<'a>,
    target: &mut T,
    state: &mut F::State,
) -> Option<()> {
    F::read::<0>(d, spares, c, target, state)
}

impl<S, T, V: Value<S, T>> Value<S, T> for Far<V> {
    const WIRE_TYPE: u32 = V::WIRE_TYPE;
    #[inline(never)]
    fn take(spares: &mut S) -> T {
        V::take(spares)
    }
    #[inline(never)]
    fn give(target: T, spares: &mut S) {
        V::give(target, spares);
    }
    fn clear(d: &mut Decoder<'_>, spares: &mut S, target: &mut T) {
        V::clear(d, spares, target);
    }
    #[inline(never)]
    fn read<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut T, merge: bool) -> Option<()> {
        V::read(d, spares, c, target, merge)
    }
}

impl<T, F: Packed<T>> Packed<T> for Far<F> {
    #[inline(always)]
    fn packed<'a>(d: &mut Decoder<'a>, c: &mut Cursor<'a>, target: &mut T) -> Option<()> {
        F::packed(d, c, target)
    }
}

/// A default that the schema specifies, for a required field.
pub trait Reset<D> {
    /// Sets the field to it.
    fn reset(&mut self, default: D);
}

macro_rules! reset_numbers {
    ($($ty:ty)*) => {$(
        impl Reset<$ty> for $ty {
            #[inline(always)]
            fn reset(&mut self, default: $ty) {
                *self = default;
            }
        }
    )*};
}

reset_numbers! { i32 i64 u32 u64 f32 f64 bool }

impl Reset<&str> for String {
    fn reset(&mut self, default: &str) {
        self.clear();
        self.push_str(default);
    }
}

impl Reset<&'static [u8]> for Vec<u8> {
    fn reset(&mut self, default: &'static [u8]) {
        self.clear();
        self.extend_from_slice(default);
    }
}

#[cfg(feature = "bytes")]
impl Reset<&'static [u8]> for bytes::Bytes {
    fn reset(&mut self, default: &'static [u8]) {
        *self = bytes::Bytes::from_static(default);
    }
}
