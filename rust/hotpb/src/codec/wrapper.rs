//! The well-known types for which prost has no struct: `google.protobuf.StringValue` is a `String`, `Empty` is `()`.

use super::decoder::Decoder;
use super::kept::{Codec, Holder, Unit};
use super::value::Value;
use crate::wire::check::MessageSchema;
use crate::wire::kind;
use crate::wire::{Cursor, Pos};
use crate::wkt::google::protobuf as wkt;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// A wrapper of a value of the kind `K`.
pub struct Wrapper<K>(PhantomData<K>);

macro_rules! wrappers {
    ($($kind:ident, $ty:ty, $schema:ident;)*) => {$(
        impl<S: Unit> Codec<S> for Wrapper<kind::$kind> {
            type Of = $ty;
            const RECURSIVE: bool = false;
            const SCHEMA: &'static MessageSchema = &wkt::$schema;
            fn take(spares: &mut S) -> $ty {
                <kind::$kind as Value<S, $ty>>::take(spares)
            }
            fn give(target: $ty, spares: &mut S) {
                <kind::$kind as Value<S, $ty>>::give(target, spares);
            }
            fn read<'a, U>(
                d: &mut Decoder<'a>,
                spares: &mut S,
                target: &mut $ty,
                mut c: Cursor<'a>,
                merge: bool,
                group: u32,
            ) -> Option<Pos<'a>> {
                let mut counts = merge;
                loop {
                    if c.at_end() {
                        if group != 0 {
                            return None;
                        }
                        break;
                    }
                    let tag = c.next_tag();
                    if tag == (8 | <kind::$kind as Value<S, $ty>>::WIRE_TYPE) {
                        <kind::$kind as Value<S, $ty>>::read(d, spares, &mut c, target, false)?;
                        counts = true;
                    } else if group != 0 && tag == group {
                        break;
                    } else {
                        c.skip(tag, d.depth())?;
                    }
                }
                if !counts {
                    <kind::$kind as Value<S, $ty>>::clear(d, spares, target);
                }
                Some(c.pos())
            }
        }
        impl<S: Unit> Holder<S, Wrapper<kind::$kind>> for $ty {
            const HEAP: usize = 0;
            #[inline(always)]
            fn get(&mut self) -> &mut $ty {
                self
            }
            fn take(spares: &mut S) -> $ty {
                <kind::$kind as Value<S, $ty>>::take(spares)
            }
            fn give(self, spares: &mut S) {
                <kind::$kind as Value<S, $ty>>::give(self, spares);
            }
        }
    )*};
}

wrappers! {
    Double, f64, DOUBLE_VALUE_SCHEMA;
    Float, f32, FLOAT_VALUE_SCHEMA;
    Int64, i64, INT64_VALUE_SCHEMA;
    Uint64, u64, U_INT64_VALUE_SCHEMA;
    Int32, i32, INT32_VALUE_SCHEMA;
    Uint32, u32, U_INT32_VALUE_SCHEMA;
    Bool, bool, BOOL_VALUE_SCHEMA;
    Utf8, String, STRING_VALUE_SCHEMA;
    Bytes, Vec<u8>, BYTES_VALUE_SCHEMA;
}

/// `google.protobuf.Empty`.
pub struct Empty;

impl<S> Codec<S> for Empty {
    type Of = ();
    const RECURSIVE: bool = false;
    const SCHEMA: &'static MessageSchema = &wkt::EMPTY_SCHEMA;
    fn take(_: &mut S) {}
    fn give((): (), _: &mut S) {}
    fn read<'a, U>(
        d: &mut Decoder<'a>,
        _: &mut S,
        (): &mut (),
        mut c: Cursor<'a>,
        _: bool,
        group: u32,
    ) -> Option<Pos<'a>> {
        loop {
            if c.at_end() {
                return (group == 0).then(|| c.pos());
            }
            let tag = c.next_tag();
            if group != 0 && tag == group {
                return Some(c.pos());
            }
            c.skip(tag, d.depth())?;
        }
    }
}

impl<S> Holder<S, Empty> for () {
    const HEAP: usize = 0;
    #[inline(always)]
    fn get(&mut self) -> &mut () {
        self
    }
    fn take(_: &mut S) {}
    fn give(self, _: &mut S) {}
}
