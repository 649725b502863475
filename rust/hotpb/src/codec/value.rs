//! Values: how each kind is read into the type that prost has for it.

use super::decoder::Decoder;
use super::kept::{Codec, Holder, Unit};
use super::text::{read_bytes, read_text};
use crate::wire::kind;
use crate::wire::{self, Cursor};
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// A kind of value, and the type `T` of prost for it.
pub trait Value<S, T> {
    /// The wire type, of a number unpacked.
    const WIRE_TYPE: u32;
    /// Takes a spare value, or creates one. It may have old content.
    fn take(spares: &mut S) -> T;
    /// Keeps a value.
    fn give(target: T, spares: &mut S);
    /// Sets the value to the default.
    fn clear(d: &mut Decoder<'_>, spares: &mut S, target: &mut T);
    /// Reads a value after its tag. Unless `merge`, it replaces the old content; only messages merge.
    fn read<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut T, merge: bool) -> Option<()>;
    /// Charges `bytes` of memory for an element that comes next, and reads it.
    #[inline(always)]
    fn read_element<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut T) -> Option<()> {
        let mut at = *c;
        at.length()?;
        d.charge(size_of::<T>(), &at)?;
        Self::read(d, spares, c, target, false)
    }
}

/// A kind of number.
pub trait Number {
    /// The Rust type.
    type Of: Copy + Default;
    /// Whether a value has this many bytes, or 0 for varints.
    const WIDTH: usize;
    /// Reads a value.
    fn get(c: &mut Cursor<'_>) -> Option<Self::Of>;
}

/// An enum: prost has its number, and the first one of the enum where an entry of a map has no value.
pub struct Enum<const FIRST: i32>;

macro_rules! numbers {
    ($($kind:path, $ty:ty, $width:literal, $wire:ident;)*) => {$(
        impl Number for $kind {
            type Of = $ty;
            const WIDTH: usize = $width;
            #[inline(always)]
            fn get(c: &mut Cursor<'_>) -> Option<$ty> {
                <kind::$wire as kind::Value>::get(c)
            }
        }
        impl<S> Value<S, $ty> for $kind {
            const WIRE_TYPE: u32 = match $width {
                0 => wire::VARINT,
                4 => wire::FIXED32,
                _ => wire::FIXED64,
            };
            #[inline(always)]
            fn take(_: &mut S) -> $ty {
                Default::default()
            }
            #[inline(always)]
            fn give(_: $ty, _: &mut S) {}
            #[inline(always)]
            fn clear(_: &mut Decoder<'_>, _: &mut S, target: &mut $ty) {
                *target = Default::default();
            }
            #[inline(always)]
            fn read<'a>(_: &mut Decoder<'a>, _: &mut S, c: &mut Cursor<'a>, target: &mut $ty, _: bool) -> Option<()> {
                *target = <$kind as Number>::get(c)?;
                Some(())
            }
        }
    )*};
}

numbers! {
    kind::Int32, i32, 0, Int32;
    kind::Int64, i64, 0, Int64;
    kind::Uint32, u32, 0, Uint32;
    kind::Uint64, u64, 0, Uint64;
    kind::Sint32, i32, 0, Sint32;
    kind::Sint64, i64, 0, Sint64;
    kind::Bool, bool, 0, Bool;
    kind::Fixed32, u32, 4, Fixed32;
    kind::Sfixed32, i32, 4, Sfixed32;
    kind::Float, f32, 4, Float;
    kind::Fixed64, u64, 8, Fixed64;
    kind::Sfixed64, i64, 8, Sfixed64;
    kind::Double, f64, 8, Double;
}

impl<const FIRST: i32> Number for Enum<FIRST> {
    type Of = i32;
    const WIDTH: usize = 0;
    #[inline(always)]
    fn get(c: &mut Cursor<'_>) -> Option<i32> {
        <kind::Int32 as kind::Value>::get(c)
    }
}

impl<S, const FIRST: i32> Value<S, i32> for Enum<FIRST> {
    const WIRE_TYPE: u32 = wire::VARINT;
    #[inline(always)]
    fn take(_: &mut S) -> i32 {
        FIRST
    }
    #[inline(always)]
    fn give(_: i32, _: &mut S) {}
    #[inline(always)]
    fn clear(_: &mut Decoder<'_>, _: &mut S, target: &mut i32) {
        *target = FIRST;
    }
    #[inline(always)]
    fn read<'a>(_: &mut Decoder<'a>, _: &mut S, c: &mut Cursor<'a>, target: &mut i32, _: bool) -> Option<()> {
        *target = <Self as Number>::get(c)?;
        Some(())
    }
}

impl<S: Unit> Value<S, String> for kind::Utf8 {
    const WIRE_TYPE: u32 = wire::LEN;
    #[inline(always)]
    fn take(spares: &mut S) -> String {
        spares.texts().take()
    }
    #[inline(always)]
    fn give(target: String, spares: &mut S) {
        spares.texts().give(target);
    }
    #[inline(always)]
    fn clear(_: &mut Decoder<'_>, _: &mut S, target: &mut String) {
        target.clear();
    }
    #[inline(always)]
    fn read<'a>(_: &mut Decoder<'a>, _: &mut S, c: &mut Cursor<'a>, target: &mut String, _: bool) -> Option<()> {
        read_text(c, target)
    }
}

impl<S: Unit> Value<S, Vec<u8>> for kind::Bytes {
    const WIRE_TYPE: u32 = wire::LEN;
    #[inline(always)]
    fn take(spares: &mut S) -> Vec<u8> {
        spares.blobs().take()
    }
    #[inline(always)]
    fn give(target: Vec<u8>, spares: &mut S) {
        spares.blobs().give(target);
    }
    #[inline(always)]
    fn clear(_: &mut Decoder<'_>, _: &mut S, target: &mut Vec<u8>) {
        target.clear();
    }
    #[inline(always)]
    fn read<'a>(_: &mut Decoder<'a>, _: &mut S, c: &mut Cursor<'a>, target: &mut Vec<u8>, _: bool) -> Option<()> {
        read_bytes(c, target)
    }
}

#[cfg(feature = "bytes")]
impl<S: Unit> Value<S, bytes::Bytes> for kind::Bytes {
    const WIRE_TYPE: u32 = wire::LEN;
    #[inline(always)]
    fn take(_: &mut S) -> bytes::Bytes {
        bytes::Bytes::new()
    }
    #[inline(always)]
    fn give(_: bytes::Bytes, _: &mut S) {}
    #[inline(always)]
    fn clear(_: &mut Decoder<'_>, _: &mut S, target: &mut bytes::Bytes) {
        *target = bytes::Bytes::new();
    }
    #[inline(always)]
    fn read<'a>(d: &mut Decoder<'a>, _: &mut S, c: &mut Cursor<'a>, target: &mut bytes::Bytes, _: bool) -> Option<()> {
        *target = d.shared(c.bytes()?);
        Some(())
    }
}

/// A message after its length.
pub struct Message<C>(PhantomData<C>);

impl<S, C: Codec<S>, P: Holder<S, C>> Value<S, P> for Message<C> {
    const WIRE_TYPE: u32 = wire::LEN;
    #[inline(always)]
    fn take(spares: &mut S) -> P {
        P::take(spares)
    }
    #[inline(always)]
    fn give(target: P, spares: &mut S) {
        target.give(spares);
    }
    #[inline(always)]
    fn clear(d: &mut Decoder<'_>, spares: &mut S, target: &mut P) {
        clear::<S, C>(d, spares, target.get());
    }
    #[inline(always)]
    fn read<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut P, merge: bool) -> Option<()> {
        let payload = c.inner()?;
        d.enter_for::<S, C>(&payload)?;
        if P::HEAP > 0 && !merge {
            d.charge(P::HEAP, &payload)?;
        }
        C::read::<()>(d, spares, target.get(), payload, merge, 0)?;
        d.leave();
        Some(())
    }
    #[inline(always)]
    fn read_element<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut P) -> Option<()> {
        let payload = c.inner()?;
        d.enter_for::<S, C>(&payload)?;
        d.charge(size_of::<P>() + P::HEAP, &payload)?;
        C::read::<()>(d, spares, target.get(), payload, false, 0)?;
        d.leave();
        Some(())
    }
}

/// A group, which ends with the tag `END`.
pub struct Group<C, const END: u32>(PhantomData<C>);

impl<S, C: Codec<S>, P: Holder<S, C>, const END: u32> Value<S, P> for Group<C, END> {
    const WIRE_TYPE: u32 = wire::START_GROUP;
    #[inline(always)]
    fn take(spares: &mut S) -> P {
        P::take(spares)
    }
    #[inline(always)]
    fn give(target: P, spares: &mut S) {
        target.give(spares);
    }
    #[inline(always)]
    fn clear(d: &mut Decoder<'_>, spares: &mut S, target: &mut P) {
        clear::<S, C>(d, spares, target.get());
    }
    #[inline(always)]
    fn read<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut P, merge: bool) -> Option<()> {
        d.enter_for::<S, C>(c)?;
        if P::HEAP > 0 && !merge {
            d.charge(P::HEAP, c)?;
        }
        let end = C::read::<()>(d, spares, target.get(), *c, merge, END)?;
        d.leave();
        c.resume(end)
    }
    #[inline(always)]
    fn read_element<'a>(d: &mut Decoder<'a>, spares: &mut S, c: &mut Cursor<'a>, target: &mut P) -> Option<()> {
        d.enter_for::<S, C>(c)?;
        d.charge(size_of::<P>() + P::HEAP, c)?;
        let end = C::read::<()>(d, spares, target.get(), *c, false, END)?;
        d.leave();
        c.resume(end)
    }
}

impl<'a> Decoder<'a> {
    #[inline(always)]
    fn enter_for<S, C: Codec<S>>(&mut self, payload: &Cursor<'a>) -> Option<()> {
        if C::RECURSIVE { self.enter::<true>(payload) } else { self.enter::<false>(payload) }
    }
}

/// Decodes the empty message.
fn clear<S, C: Codec<S>>(d: &mut Decoder<'_>, spares: &mut S, target: &mut C::Of) {
    let read = C::read::<()>(d, spares, target, Cursor::new(&[]), false, 0);
    debug_assert!(read.is_some(), "the empty message is well-formed");
}
