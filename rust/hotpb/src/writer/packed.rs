//! Elements of packed fields: how each type is encoded, and the guard for writing a field in place.

use super::source::Source;
use super::stream::Stream;
use crate::wire::{zigzag32, zigzag64};
use core::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// A schema type, as the element of a packed field or as the key or value of a map entry.
pub trait Element: sealed::Sealed {
    /// The corresponding Rust type.
    type Value: Copy;
    /// The fixed number of bytes of an element; 0 for a varint.
    #[doc(hidden)]
    const WIDTH: usize;
    /// Returns the varint, or the bytes of fixed width, the first byte lowest.
    #[doc(hidden)]
    fn bits(value: Self::Value) -> u64;
    /// Returns the encoding of all values, if it is the same as their memory.
    #[doc(hidden)]
    fn memory(_values: &[Self::Value]) -> Option<&[u8]> {
        None
    }
}

/// The schema types.
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
                    // SAFETY: numbers and bools have no padding; the length in bytes is that of the slice.
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

/// A packed field that is being written in place. Dropping it writes its length.
///
/// ```
/// # fn fill(field: &mut hotpb::writer::Packed<'_, hotpb::writer::element::Sint32>) {
/// field.push(-1).push(2);
/// field.extend(3..10);
/// # }
/// ```
/// Without elements it is an empty record of two bytes or more, which readers skip.
pub struct Packed<'a, E: Element> {
    stream: &'a mut Stream<dyn Source + 'a>,
    marker: PhantomData<E>,
}

impl<'a, E: Element> Packed<'a, E> {
    #[inline(always)]
    pub(super) fn new(stream: &'a mut Stream<dyn Source + 'a>) -> Self {
        Packed { stream, marker: PhantomData }
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
