//! Elements of packed fields: how each type is encoded, and the guard of a field that is written in place.

use super::source::Source;
use super::stream::Stream;
use crate::wire::{zigzag32, zigzag64};
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// A type of the schema, as the element of a packed field or as a part of a map entry.
pub trait Element: sealed::Sealed {
    /// What it is in Rust.
    type Value: Copy;
    /// Bytes of an element that are always the same number, 0 for a varint.
    #[doc(hidden)]
    const WIDTH: usize;
    /// The varint, or the bytes of fixed width, the first one lowest.
    #[doc(hidden)]
    fn bits(value: Self::Value) -> u64;
    /// The encoding of all of them, where that is their memory.
    #[doc(hidden)]
    fn memory(_values: &[Self::Value]) -> Option<&[u8]> {
        None
    }
}

/// The types of the schema.
pub mod element {
    use super::*;

    macro_rules! element {
        ($($name:ident($type:ty) $width:literal $bits:expr;)*) => {$(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub enum $name {}
            impl sealed::Sealed for $name {}
            impl Element for $name {
                type Value = $type;
                const WIDTH: usize = $width;
                #[inline(always)]
                fn bits(value: $type) -> u64 {
                    let bits: fn($type) -> u64 = $bits;
                    bits(value)
                }
                #[inline]
                fn memory(values: &[$type]) -> Option<&[u8]> {
                    if $width == 0 || cfg!(not(target_endian = "little")) {
                        return None;
                    }
                    // SAFETY: numbers and bool have no padding; the length in bytes is that of the slice.
                    Some(unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) })
                }
            }
        )*};
    }

    element! {
        Int32(i32) 0 |value| value as i64 as u64;
        Int64(i64) 0 |value| value as u64;
        Uint32(u32) 0 |value| value as u64;
        Uint64(u64) 0 |value| value;
        Sint32(i32) 0 |value| zigzag32(value) as u64;
        Sint64(i64) 0 zigzag64;
        Bool(bool) 1 |value| value as u64;
        Fixed32(u32) 4 |value| value as u64;
        Sfixed32(i32) 4 |value| value as u32 as u64;
        Float(f32) 4 |value| value.to_bits() as u64;
        Fixed64(u64) 8 |value| value;
        Sfixed64(i64) 8 |value| value as u64;
        Double(f64) 8 f64::to_bits;
    }

    /// An enum.
    pub struct Enum<E>(PhantomData<E>);
    impl<E> sealed::Sealed for Enum<E> {}
    impl<E: Copy + Into<i32>> Element for Enum<E> {
        type Value = E;
        const WIDTH: usize = 0;
        #[inline(always)]
        fn bits(value: E) -> u64 {
            Int32::bits(value.into())
        }
    }
}

/// A packed field that is being written in place: its length is written when this is dropped.
///
/// ```
/// # fn fill(field: &mut hotpb::writer::Packed<'_, hotpb::writer::element::Sint32>) {
/// field.push(-1).push(2);
/// field.extend(3..10);
/// # }
/// ```
/// Without an element it is an empty record, two bytes that readers pass over.
pub struct Packed<'a, E: Element> {
    stream: &'a mut Stream<dyn Source + 'a>,
    of: PhantomData<E>,
}

impl<'a, E: Element> Packed<'a, E> {
    #[inline(always)]
    pub(super) fn new(stream: &'a mut Stream<dyn Source + 'a>) -> Self {
        Packed { stream, of: PhantomData }
    }

    /// Writes an element.
    #[inline(always)]
    pub fn push(&mut self, value: E::Value) -> &mut Self {
        if !self.stream.core.put_element::<E>(value) {
            self.stream.add_element(E::bits(value), E::WIDTH);
        }
        self
    }
}

impl<E: Element> Extend<E::Value> for Packed<'_, E> {
    #[inline]
    fn extend<I: IntoIterator<Item = E::Value>>(&mut self, values: I) {
        values.into_iter().for_each(|value| {
            self.push(value);
        });
    }
}

impl<E: Element> Drop for Packed<'_, E> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.stream.core.close() {
            self.stream.close_slow();
        }
    }
}
