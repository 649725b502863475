//! How the writer puts bytes into a chunk: word-wide stores, whose excess bytes the next store overwrites.

use crate::wire::varint_len;

/// Large enough for a field's header (a tag of up to 5 bytes and a varint of up to 10) and for any store below.
pub(super) const SLACK: usize = 16;

/// Returns the bytes of a tag, the first byte lowest.
const fn tag_word(tag: u32) -> u64 {
    let (mut bytes, mut tag, mut shift) = (0, tag as u64, 0);
    while tag >= 0x80 {
        bytes |= (tag & 0x7f | 0x80) << shift;
        tag >>= 7;
        shift += 8;
    }
    bytes | tag << shift
}

/// The properties of a tag that are known at compile time.
pub(super) struct Tag<const TAG: u32>;

impl<const TAG: u32> Tag<TAG> {
    pub(super) const LEN: usize = varint_len(TAG as u64);
    pub(super) const WORD: u64 = tag_word(TAG);
}

/// Stores a value, least significant byte first.
///
/// # Safety
/// Eight bytes from `at` must be writable.
#[inline(always)]
pub(super) unsafe fn put8(at: *mut u8, value: u64) {
    // SAFETY: the caller's promise; the store needs no alignment.
    unsafe { at.cast::<u64>().write_unaligned(value.to_le()) }
}

/// # Safety
/// Four bytes from `at` must be writable.
#[inline(always)]
pub(super) unsafe fn put4(at: *mut u8, value: u32) {
    // SAFETY: the caller's promise; the store needs no alignment.
    unsafe { at.cast::<u32>().write_unaligned(value.to_le()) }
}

/// Stores a tag and at least one zero after it.
///
/// # Safety
/// Eight bytes from `at` must be writable.
#[inline(always)]
pub(super) unsafe fn put_tag<const TAG: u32>(at: *mut u8) {
    // SAFETY: four or eight bytes, which the caller promises.
    unsafe {
        if Tag::<TAG>::LEN < 4 {
            put4(at, Tag::<TAG>::WORD as u32);
        } else {
            put8(at, Tag::<TAG>::WORD);
        }
    }
}

/// Spreads the low 56 bits, seven to a byte.
#[inline(always)]
fn spread(value: u64) -> u64 {
    // low + (high << n) is value + high * (2^n - 1): one mask for both halves.
    let value = (value & 0x0fff_ffff) | ((value >> 28) & 0x0fff_ffff) << 32;
    let value = value + (value & 0x0fff_c000_0fff_c000) * 3;
    value + (value & 0x3f80_3f80_3f80_3f80)
}

/// Shifted right, it leaves one continuation bit for each byte of a varint before the last one.
const MARKS: u64 = 0x0080_8080_8080_8080;

/// Stores a varint of two to eight bytes, `2^7 <= value < 2^56`; returns its length.
///
/// ```text
///   spread   00 .. 00 02 2c    highest bit is 9, in byte 1: !9 & 56 = 48 leaves one mark
///   marked   00 .. 00 02 ac
/// ```
/// # Safety
/// Eight bytes from `at` must be writable.
#[inline(always)]
pub(super) unsafe fn put_varint_word(at: *mut u8, value: u64) -> usize {
    let groups = spread(value);
    let highest = 63 - (groups | 1).leading_zeros();
    // SAFETY: the caller's promise.
    unsafe { put8(at, groups | MARKS >> (!highest & 56)) };
    (highest >> 3) as usize + 1
}

/// Stores a varint of two to ten bytes; returns its length. No branch depends on the length.
///
/// # Safety
/// Ten bytes from `at` must be writable.
#[inline(always)]
pub(super) unsafe fn put_varint_long(at: *mut u8, value: u64) -> usize {
    let len = varint_len(value);
    let high = value >> 56; // for the ninth and tenth byte
    let marks = if len < 9 { MARKS >> ((64 - 8 * len) & 63) } else { 0x8080_8080_8080_8080 };
    // SAFETY: the caller's promise.
    unsafe {
        put8(at, spread(value) | marks);
        // Bit 63 becomes the tenth byte and the ninth one's continuation bit.
        at.add(8).cast::<u16>().write_unaligned(((high + ((high & 0x80) << 1)) as u16).to_le());
    }
    len
}

/// Copies up to 127 bytes with overlapping words; reads and writes nothing else.
///
/// ```text
///   23 bytes:  |--------16--------|
///                     |--------16--------|
/// ```
/// # Safety
/// `from.len()` bytes from `to` must be writable, and must not overlap `from`.
#[inline(always)]
pub(super) unsafe fn copy_short(to: *mut u8, from: &[u8]) {
    let (len, from) = (from.len(), from.as_ptr());
    // SAFETY: every access lies inside the first `len` bytes of `from` and `to`: offsets are 0, half, or `len` less
    // the width of the access, in branches where `len` is at least that width; the loop stays 16 below `len`.
    unsafe {
        let copy16 = |offset: usize| {
            let low = from.add(offset).cast::<u64>().read_unaligned();
            let high = from.add(offset + 8).cast::<u64>().read_unaligned();
            to.add(offset).cast::<u64>().write_unaligned(low);
            to.add(offset + 8).cast::<u64>().write_unaligned(high);
        };
        if len >= 16 {
            let mut offset = 16;
            while offset + 16 < len {
                copy16(offset);
                offset += 16;
            }
            copy16(0);
            copy16(len - 16);
        } else if len >= 8 {
            let first = from.cast::<u64>().read_unaligned();
            let last = from.add(len - 8).cast::<u64>().read_unaligned();
            to.cast::<u64>().write_unaligned(first);
            to.add(len - 8).cast::<u64>().write_unaligned(last);
        } else if len >= 4 {
            let first = from.cast::<u32>().read_unaligned();
            let last = from.add(len - 4).cast::<u32>().read_unaligned();
            to.cast::<u32>().write_unaligned(first);
            to.add(len - 4).cast::<u32>().write_unaligned(last);
        } else if len > 0 {
            let (first, middle, last) = (*from, *from.add(len >> 1), *from.add(len - 1));
            *to = first;
            *to.add(len >> 1) = middle;
            *to.add(len - 1) = last;
        }
    }
}

/// A few bytes that are assembled before they are appended: tags, varints, fixed-width values.
#[derive(Clone, Copy)]
pub(super) struct Bytes<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl Bytes<10> {
    /// Creates a varint if `width` is 0, else the `width` lowest bytes of `bits`.
    pub(super) fn element(bits: u64, width: usize) -> Self {
        if width == 0 { Bytes::new().varint(bits) } else { Bytes::new().fixed(&bits.to_le_bytes()[..width]) }
    }
}

impl<const N: usize> Bytes<N> {
    pub(super) fn new() -> Bytes<N> {
        Bytes { bytes: [0; N], len: 0 }
    }

    pub(super) fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self = self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8)
    }

    pub(super) fn fixed(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes {
            self = self.byte(byte);
        }
        self
    }

    fn byte(mut self, byte: u8) -> Self {
        self.bytes[self.len] = byte;
        self.len += 1;
        self
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// Returns the four bytes of a padded length: 7 is `87 80 80 00`.
pub(super) fn length4(length: u64) -> [u8; 4] {
    let seven = |shift: u32| (length >> shift) as u8 & 0x7f;
    [seven(0) | 0x80, seven(7) | 0x80, seven(14) | 0x80, seven(21)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn interesting() -> impl Iterator<Item = u64> {
        (0..64).flat_map(|shift| {
            let power = 1u64 << shift;
            [power - 1, power, power + 1, !power, power.wrapping_mul(0x9e37_79b9_7f4a_7c15), u64::MAX >> shift]
        })
    }

    #[test]
    fn varints_are_those_of_the_plain_loop() {
        for value in interesting() {
            let expected = Bytes::<10>::new().varint(value);
            let mut out = [0xaa; 16];
            if value >= 0x80 {
                // SAFETY: sixteen bytes are there.
                let len = unsafe { put_varint_long(out.as_mut_ptr(), value) };
                assert_eq!(&out[..len], expected.as_slice(), "{value:x}");
            }
            if (0x80..1 << 56).contains(&value) {
                // SAFETY: sixteen bytes are there.
                let len = unsafe { put_varint_word(out.as_mut_ptr(), value) };
                assert_eq!(&out[..len], expected.as_slice(), "{value:x}");
            }
        }
    }

    #[test]
    fn short_copies_touch_nothing_else() {
        for len in 0..128 {
            let from: Vec<u8> = (0..len).map(|i| i as u8 ^ 0x5a).collect();
            let mut to = alloc::vec![0xee; len + 2];
            // SAFETY: `len` bytes and one more are there after the first.
            unsafe { copy_short(to.as_mut_ptr().add(1), &from) };
            assert_eq!((to[0], &to[1..=len], to[len + 1]), (0xee, &from[..], 0xee));
        }
    }

    #[test]
    fn a_padded_length_is_four_bytes() {
        assert_eq!(length4(7), [0x87, 0x80, 0x80, 0]);
        assert_eq!(length4((1 << 28) - 1), [0xff, 0xff, 0xff, 0x7f]);
    }

    #[test]
    fn tags_are_words() {
        assert_eq!((Tag::<0x1a>::LEN, Tag::<0x1a>::WORD), (1, 0x1a));
        assert_eq!((Tag::<{ u32::MAX }>::LEN, Tag::<{ u32::MAX }>::WORD), (5, 0x0f_ffff_ffff));
    }
}
