//! Elements of packed fields: how each type becomes a varint, and which are their own encoding.

use crate::wire::{zigzag32, zigzag64};

mod sealed {
    pub trait Sealed {}
}

/// Values whose encoding is their memory, on machines that store the least significant byte first.
pub trait Plain: Copy + sealed::Sealed {
    /// The memory of a slice of them.
    fn bytes(values: &[Self]) -> &[u8];
    /// The encoding of one.
    fn le_bytes(self, take: impl FnOnce(&[u8]) -> bool) -> bool;
}

macro_rules! plain {
    ($($type:ty => $bits:expr),*) => {$(
        impl sealed::Sealed for $type {}
        impl Plain for $type {
            #[inline]
            fn bytes(values: &[Self]) -> &[u8] {
                // SAFETY: numbers and bool have no padding and no uninitialised bytes; the length is that of the slice.
                unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
            }
            #[inline]
            fn le_bytes(self, take: impl FnOnce(&[u8]) -> bool) -> bool {
                let bits: fn($type) -> _ = $bits;
                take(&bits(self))
            }
        }
    )*};
}

plain!(
    bool => |value| [value as u8],
    u32 => |value| value.to_le_bytes(),
    i32 => |value| value.to_le_bytes(),
    f32 => |value| value.to_le_bytes(),
    u64 => |value| value.to_le_bytes(),
    i64 => |value| value.to_le_bytes(),
    f64 => |value| value.to_le_bytes()
);

/// Values as varints.
pub mod bits {
    use super::*;

    /// `uint64`.
    #[inline(always)]
    pub fn uint64(value: u64) -> u64 {
        value
    }
    /// `uint32`.
    #[inline(always)]
    pub fn uint32(value: u32) -> u64 {
        value as u64
    }
    /// `int64`.
    #[inline(always)]
    pub fn int64(value: i64) -> u64 {
        value as u64
    }
    /// `int32`: negative ones are sign-extended.
    #[inline(always)]
    pub fn int32(value: i32) -> u64 {
        value as i64 as u64
    }
    /// `sint32`.
    #[inline(always)]
    pub fn sint32(value: i32) -> u64 {
        zigzag32(value) as u64
    }
    /// `sint64`.
    #[inline(always)]
    pub fn sint64(value: i64) -> u64 {
        zigzag64(value)
    }
    /// `bool`.
    #[inline(always)]
    pub fn bool(value: bool) -> u64 {
        value as u64
    }
    /// Enums.
    #[inline(always)]
    pub fn of_enum<E: Into<i32>>(value: E) -> u64 {
        int32(value.into())
    }
}
