//! Conversions from wire values to values of the schema's types.

use crate::wire::{unzigzag32, unzigzag64};

/// `int32` and enums: the low 32 bits.
#[inline(always)]
pub fn int32(v: u64) -> i32 {
    v as i32
}

/// `int64`.
#[inline(always)]
pub fn int64(v: u64) -> i64 {
    v as i64
}

/// `uint32`: the low 32 bits.
#[inline(always)]
pub fn uint32(v: u64) -> u32 {
    v as u32
}

/// `uint64`.
#[inline(always)]
pub fn uint64(v: u64) -> u64 {
    v
}

/// `sint32`: the low 32 bits, then the zigzag.
#[inline(always)]
pub fn sint32(v: u64) -> i32 {
    unzigzag32(v as u32)
}

/// `sint64`.
#[inline(always)]
pub fn sint64(v: u64) -> i64 {
    unzigzag64(v)
}

/// `bool`: whether the whole value is not zero.
#[inline(always)]
pub fn boolean(v: u64) -> bool {
    v != 0
}

/// Counts the varints in a packed payload: each has one byte below 0x80.
#[inline]
pub(crate) fn count_varints(bytes: &[u8]) -> usize {
    bytes.iter().map(|&b| (b < 0x80) as usize).sum()
}
