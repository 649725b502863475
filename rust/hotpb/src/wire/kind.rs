//! The types of values, as types: how each is read and written. [`crate::pool::extension`] and [`crate::view`] return
//! values of these types.

use super::{Cursor, FIXED32, FIXED64, LEN, ProtoStr, VARINT, is_utf8};
use super::{append_bytes, append_fixed32, append_fixed64, append_int32, append_int64, append_sint32};
use super::{append_sint64, append_varint, unzigzag32, unzigzag64};
use alloc::vec::Vec;
use core::marker::PhantomData;

/// A value type: scalar, string, bytes or enum.
pub trait Value {
    /// Wire type.
    #[doc(hidden)]
    const WIRE_TYPE: u32;
    /// Whether values can be packed.
    #[doc(hidden)]
    const PACKABLE: bool = Self::WIRE_TYPE != LEN;
    /// Whether the bytes must be UTF-8.
    #[doc(hidden)]
    const CHECKED: bool = false;
    /// Whether it is a string.
    #[doc(hidden)]
    const TEXT: bool = false;
    /// Whether the value is used at all.
    #[doc(hidden)]
    const READ: bool = true;
    /// The Rust type of a value.
    type Output<'a>;
    /// Reads one value whose wire form was already checked.
    #[doc(hidden)]
    fn get<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Output<'a>>;
    /// Reads one value that was checked before: a string is not checked again.
    ///
    /// # Safety
    /// The bytes must be a value of this type that was checked.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn trust<'a>(cursor: &mut Cursor<'a>) -> Option<Self::Output<'a>> {
        Self::get(cursor)
    }
    /// Returns the value of a payload that was checked before; only strings and bytes have payloads.
    ///
    /// # Safety
    /// As for [`Value::trust`].
    #[doc(hidden)]
    unsafe fn from_payload(payload: &[u8]) -> Self::Output<'_> {
        let _ = payload;
        Self::zero()
    }
    /// Returns the value of a number, whose bits these are; only numbers, bools and enums have them.
    #[doc(hidden)]
    fn from_number<'a>(bits: u64) -> Self::Output<'a> {
        let _ = bits;
        Self::zero()
    }
    /// Returns the default of the type: of an enum, its first value.
    #[doc(hidden)]
    fn zero<'a>() -> Self::Output<'a>;
    /// Appends one value, without its tag.
    #[doc(hidden)]
    fn put(out: &mut Vec<u8>, value: Self::Output<'_>);
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident, $output:ty, $wire_type:ident, $value:expr, $put:expr;)*) => {$(
        $(#[$doc])*
        pub struct $name;
        impl Value for $name {
            const WIRE_TYPE: u32 = $wire_type;
            type Output<'a> = $output;
            #[inline]
            fn get<'a>(cursor: &mut Cursor<'a>) -> Option<$output> {
                match $wire_type {
                    FIXED32 => cursor.fixed32().map(|bits| Self::from_number(bits as u64)),
                    FIXED64 => cursor.fixed64().map(Self::from_number),
                    _ => cursor.varint().map(Self::from_number),
                }
            }
            #[inline(always)]
            fn from_number<'a>(bits: u64) -> Self::Output<'a> {
                let value: fn(u64) -> $output = $value;
                value(bits)
            }
            #[inline]
            fn zero<'a>() -> Self::Output<'a> {
                Default::default()
            }
            fn put(out: &mut Vec<u8>, value: Self::Output<'_>) {
                let put: fn(&mut Vec<u8>, Self::Output<'_>) = $put;
                put(out, value);
            }
        }
    )*};
}

values! {
    /// `int32`
    Int32, i32, VARINT, |v| v as i32, append_int32;
    /// `int64`
    Int64, i64, VARINT, |v| v as i64, append_int64;
    /// `uint32`
    Uint32, u32, VARINT, |v| v as u32, |out, v| append_varint(out, v as u64);
    /// `uint64`
    Uint64, u64, VARINT, |v| v, append_varint;
    /// `sint32`
    Sint32, i32, VARINT, |v| unzigzag32(v as u32), append_sint32;
    /// `sint64`
    Sint64, i64, VARINT, unzigzag64, append_sint64;
    /// `bool`
    Bool, bool, VARINT, |v| v != 0, |out, v| append_varint(out, v as u64);
    /// `fixed32`
    Fixed32, u32, FIXED32, |v| v as u32, append_fixed32;
    /// `sfixed32`
    Sfixed32, i32, FIXED32, |v| v as u32 as i32, |out, v| append_fixed32(out, v as u32);
    /// `float`
    Float, f32, FIXED32, |v| f32::from_bits(v as u32), |out, v| append_fixed32(out, v.to_bits());
    /// `fixed64`
    Fixed64, u64, FIXED64, |v| v, append_fixed64;
    /// `sfixed64`
    Sfixed64, i64, FIXED64, |v| v as i64, |out, v| append_fixed64(out, v as u64);
    /// `double`
    Double, f64, FIXED64, f64::from_bits, |out, v| append_fixed64(out, v.to_bits());
}

/// `bytes`
pub struct Bytes;

impl Value for Bytes {
    const WIRE_TYPE: u32 = LEN;
    type Output<'a> = &'a [u8];
    #[inline]
    fn get<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
        cursor.bytes()
    }
    #[inline(always)]
    unsafe fn from_payload(payload: &[u8]) -> &[u8] {
        payload
    }
    fn zero<'a>() -> Self::Output<'a> {
        &[]
    }
    fn put(out: &mut Vec<u8>, value: &[u8]) {
        append_bytes(out, value);
    }
}

/// `string` that the schema leaves unchecked
pub struct Text;

impl Value for Text {
    const WIRE_TYPE: u32 = LEN;
    const TEXT: bool = true;
    type Output<'a> = &'a ProtoStr;
    #[inline]
    fn get<'a>(cursor: &mut Cursor<'a>) -> Option<&'a ProtoStr> {
        cursor.bytes().map(ProtoStr::new)
    }
    #[inline(always)]
    unsafe fn from_payload(payload: &[u8]) -> &ProtoStr {
        ProtoStr::new(payload)
    }
    fn zero<'a>() -> Self::Output<'a> {
        Default::default()
    }
    fn put(out: &mut Vec<u8>, value: &ProtoStr) {
        append_bytes(out, value.as_bytes());
    }
}

/// `string` that is checked
pub struct Utf8;

impl Value for Utf8 {
    const WIRE_TYPE: u32 = LEN;
    const CHECKED: bool = true;
    const TEXT: bool = true;
    type Output<'a> = &'a str;
    #[inline]
    fn get<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
        let bytes = cursor.bytes()?;
        if !is_utf8(bytes) {
            return None;
        }
        // SAFETY: checked on the line above.
        Some(unsafe { core::str::from_utf8_unchecked(bytes) })
    }
    #[inline]
    unsafe fn trust<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
        // SAFETY: the caller promises that these bytes were checked.
        cursor.bytes().map(|bytes| unsafe { core::str::from_utf8_unchecked(bytes) })
    }
    #[inline(always)]
    unsafe fn from_payload(payload: &[u8]) -> &str {
        // SAFETY: the caller promises that these bytes were checked.
        unsafe { core::str::from_utf8_unchecked(payload) }
    }
    fn zero<'a>() -> Self::Output<'a> {
        ""
    }
    fn put(out: &mut Vec<u8>, value: &str) {
        append_bytes(out, value.as_bytes());
    }
}

/// An enum.
pub struct Enum<E>(PhantomData<E>);

impl<E: From<i32> + Into<i32> + Default> Value for Enum<E> {
    const WIRE_TYPE: u32 = VARINT;
    type Output<'a> = E;
    #[inline]
    fn get(cursor: &mut Cursor<'_>) -> Option<E> {
        cursor.varint().map(Self::from_number)
    }
    #[inline]
    fn from_number<'a>(bits: u64) -> Self::Output<'a> {
        E::from(bits as i32)
    }
    fn zero<'a>() -> Self::Output<'a> {
        E::default()
    }
    fn put(out: &mut Vec<u8>, value: E) {
        append_int32(out, value.into());
    }
}
