//! Varints: a test for one byte, then a masked 8-byte load without a loop.

/// Decodes a varint and returns its value and length in bytes. Returns `None` if the slice ends before the varint does,
/// or if the varint has more than ten bytes. Over-long forms are accepted; excess bits of a tenth byte are discarded.
#[inline]
pub fn decode_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    match bytes.first() {
        Some(&b) if b < 0x80 => Some((b as u64, 1)),
        _ => decode_long(bytes),
    }
}

#[inline]
fn decode_long(bytes: &[u8]) -> Option<(u64, usize)> {
    if let Some(word) = bytes.first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        if let Some(found) = from_word(word) {
            return Some(found);
        }
        // All eight bytes have a continuation bit: at most two more follow.
        let low = gather(word);
        let ninth = *bytes.get(8)?;
        if ninth < 0x80 {
            return Some((low | (ninth as u64) << 56, 9));
        }
        let tenth = *bytes.get(9)?;
        let value = low | ((ninth & 0x7f) as u64) << 56 | (tenth as u64) << 63;
        return if tenth < 0x80 { Some((value, 10)) } else { None };
    }
    by_bytes(bytes)
}

/// Returns value and length of a varint that ends within these eight bytes.
#[inline(always)]
pub(crate) fn from_word(word: u64) -> Option<(u64, usize)> {
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    // Keeps all bits below the end byte's top bit, which is zero.
    let keep = ends ^ (ends - 1);
    Some((gather(word & keep), (ends.trailing_zeros() as usize + 1) / 8))
}

/// Brings the low seven bits of each byte together.
#[inline(always)]
fn gather(word: u64) -> u64 {
    let x = word & 0x7f7f_7f7f_7f7f_7f7f;
    // Each odd byte moves down by one bit: subtracting half of it does that.
    let x = x - ((x & 0x7f00_7f00_7f00_7f00) >> 1);
    let x = (x & 0x0000_3fff_0000_3fff) | ((x & 0x3fff_0000_3fff_0000) >> 2);
    (x & 0xffff_ffff) | (x >> 32) << 28
}

/// Handles the end of an input, where fewer than eight bytes are left.
#[cold]
fn by_bytes(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, &b) in bytes.iter().take(10).enumerate() {
        value |= ((b & 0x7f) as u64) << (7 * i);
        if b < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// Passes each varint that starts in the first `len` bytes, from `at` on, to `put`. Stops at a malformed varint, or
/// when `put` returns `None`. Returns where it stopped: `len` if all varints are whole, more than `len` if the last one
/// is cut off. Loads may reach beyond `len`.
#[inline(always)]
pub(crate) fn each_varint(bytes: &[u8], mut at: usize, len: usize, mut put: impl FnMut(u64) -> Option<()>) -> usize {
    while let Some((value, long)) = varint_at(bytes, at, len) {
        if put(value).is_none() {
            break;
        }
        at += long;
    }
    at
}

/// Returns the varint that starts at `at`, if that is one of the first `len` bytes, and its length. Loads may reach
/// beyond `len`; a varint that is cut off there may be `None`, or have a length beyond it. The code branches on short
/// lengths because processors predict them: a computed length would delay the next value.
#[inline(always)]
pub(crate) fn varint_at(bytes: &[u8], at: usize, len: usize) -> Option<(u64, usize)> {
    if at >= len {
        return None;
    }
    let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) else {
        return decode_varint(&bytes[at..len]);
    };
    let word = u64::from_le_bytes(*word);
    if word & 0x80 == 0 {
        Some((word & 0x7f, 1))
    } else if word & 0x8000 == 0 {
        Some((word & 0x7f | (word & 0x7f00) >> 1, 2))
    } else if word & 0x80_0000 == 0 {
        Some((word & 0x7f | (word & 0x7f00) >> 1 | (word & 0x7f_0000) >> 2, 3))
    } else {
        from_word(word).or_else(|| decode_long(&bytes[at..]))
    }
}

/// Returns the number of bytes of the minimal encoding.
#[inline]
pub const fn varint_len(value: u64) -> usize {
    (((63 - (value | 1).leading_zeros()) * 9 + 73) / 64) as usize
}

/// Maps `0, -1, 1, -2 …` to `0, 1, 2, 3 …`.
#[inline]
pub const fn zigzag32(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Maps `0, -1, 1, -2 …` to `0, 1, 2, 3 …`.
#[inline]
pub const fn zigzag64(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Returns the inverse of [`zigzag32`].
#[inline]
pub const fn unzigzag32(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Returns the inverse of [`zigzag64`].
#[inline]
pub const fn unzigzag64(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn encode(mut value: u64, pad_to: usize) -> Vec<u8> {
        let mut out = Vec::new();
        while value >= 0x80 || out.len() + 1 < pad_to {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
        out
    }

    fn interesting() -> impl Iterator<Item = u64> {
        (0..64).flat_map(|shift| {
            let power = 1u64 << shift;
            [power - 1, power, power + 1, !power, power.wrapping_mul(0x9e37_79b9_7f4a_7c15)]
        })
    }

    #[test]
    fn every_length_of_every_magnitude_is_read_with_and_without_bytes_behind_it() {
        for value in interesting() {
            for pad in 1..=10 {
                let mut bytes = encode(value, pad);
                let len = bytes.len();
                assert_eq!(decode_varint(&bytes), Some((value, len)), "{value:x} {pad}");
                bytes.extend([0xff; 12]);
                assert_eq!(decode_varint(&bytes), Some((value, len)), "{value:x} {pad} with bytes after it");
            }
        }
    }

    #[test]
    fn a_varint_cut_anywhere_is_not_read() {
        for value in interesting() {
            let bytes = encode(value, 1);
            for cut in 0..bytes.len() {
                assert_eq!(decode_varint(&bytes[..cut]), None);
            }
        }
    }

    #[test]
    fn excess_bits_of_a_tenth_byte_are_dropped() {
        let bytes = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f];
        assert_eq!(decode_varint(&bytes), Some((1 << 63, 10)));
    }

    #[test]
    fn an_eleventh_byte_is_not_read() {
        for len in [11, 12, 20] {
            let mut bytes = [0x80u8; 20];
            bytes[len - 1] = 0;
            assert_eq!(decode_varint(&bytes[..len]), None);
        }
    }

    #[test]
    fn varint_len_is_the_length_of_the_minimal_form() {
        for value in interesting() {
            assert_eq!(varint_len(value), encode(value, 1).len(), "{value:x}");
        }
    }

    #[test]
    fn zigzag_is_undone() {
        for value in interesting() {
            assert_eq!(unzigzag64(zigzag64(value as i64)), value as i64);
            assert_eq!(unzigzag32(zigzag32(value as i32)), value as i32);
        }
        assert_eq!([zigzag32(0), zigzag32(-1), zigzag32(1), zigzag32(i32::MIN)], [0, 1, 2, u32::MAX]);
    }
}
