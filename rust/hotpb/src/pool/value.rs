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
    // Eight counters of one byte each, so a block has at most 255 words.
    let count = |block: &[u8]| -> usize {
        let words = block.chunks_exact(8);
        let rest = words.remainder().iter().filter(|&&byte| byte < 0x80).count();
        let last = |word: &[u8]| !u64::from_le_bytes(word.try_into().unwrap_or([0xff; 8])) >> 7 & 0x0101_0101_0101_0101;
        let counters: u64 = words.map(last).sum();
        counters.to_le_bytes().into_iter().map(usize::from).sum::<usize>() + rest
    };
    bytes.chunks(8 * 255).map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_ends_of_varints_are_counted_in_payloads_of_every_length() {
        let mut byte = 1u32;
        let mut next = |most: u32| {
            byte = byte.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (byte >> 24) as u8 | if byte >> 16 & 0xff < most { 0 } else { 0x80 }
        };
        for n in (0..70).chain([2039, 2040, 2041, 2047, 2048, 4080, 4081, 5000]) {
            for most in [0, 100, 256] {
                let bytes: Vec<u8> = (0..n).map(|_| next(most)).collect();
                assert_eq!(count_varints(&bytes), bytes.iter().filter(|&&byte| byte < 0x80).count(), "{n} {most}");
            }
            assert_eq!(count_varints(&alloc::vec![0x7f; n]), n);
        }
    }
}
