//! UTF-8 validation, ASCII first: most text is ASCII, and a few ORs recognise whole blocks of it.

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Reports whether all bytes are below 0x80. It is fast for short strings, too: from 4 to 31 bytes there is no loop.
#[inline(always)]
pub fn is_ascii(bytes: &[u8]) -> bool {
    let n = bytes.len();
    if n >= 32 {
        return is_ascii_long(bytes);
    }
    if let (Some(a), Some(b)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let mut or = u64::from_le_bytes(*a) | u64::from_le_bytes(*b);
        if n > 16 {
            // The two middle words overlap the outer ones; together the four cover up to 32 bytes.
            let c: [u8; 8] = bytes[8..16].try_into().unwrap_or([0x80; 8]);
            let d: [u8; 8] = bytes[n - 16..n - 8].try_into().unwrap_or([0x80; 8]);
            or |= u64::from_le_bytes(c) | u64::from_le_bytes(d);
        }
        return or & HIGH == 0;
    }
    if let (Some(a), Some(b)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return (u32::from_le_bytes(*a) | u32::from_le_bytes(*b)) & HIGH as u32 == 0;
    }
    bytes.iter().fold(0, |or, b| or | b) < 0x80
}

/// Checks blocks of 32 bytes, which compilers turn into vector ORs; the last block overlaps the one before it.
#[inline]
fn is_ascii_long(bytes: &[u8]) -> bool {
    let words = |b: &[u8; 32]| {
        let word = |at: usize| u64::from_le_bytes(b[at..at + 8].try_into().unwrap_or([0x80; 8]));
        [word(0), word(8), word(16), word(24)]
    };
    let mut or = words(bytes.last_chunk::<32>().unwrap_or(&[0x80; 32]));
    let mut rest = bytes;
    while let Some((head, tail)) = rest.split_first_chunk::<32>() {
        for (or, word) in or.iter_mut().zip(words(head)) {
            *or |= word;
        }
        rest = tail;
    }
    (or[0] | or[1] | or[2] | or[3]) & HIGH == 0
}

/// Reports whether the bytes are well-formed UTF-8 (U+0000 is allowed; surrogates and over-long forms are not).
#[inline(always)]
pub fn is_utf8(bytes: &[u8]) -> bool {
    is_ascii(bytes) || validate(bytes)
}

#[inline(never)]
fn validate(bytes: &[u8]) -> bool {
    core::str::from_utf8(bytes).is_ok()
}

/// Returns the offset of the first ill-formed sequence (OFF-6).
#[cold]
pub fn utf8_error_at(bytes: &[u8]) -> Option<usize> {
    core::str::from_utf8(bytes).err().map(|e| e.valid_up_to())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn one_high_byte_anywhere_in_any_length_is_not_ascii() {
        // Miri is some thousand times slower, so it tries only a few lengths.
        for len in (0..200).step_by(if cfg!(miri) { 23 } else { 1 }) {
            let mut bytes = vec![b'a'; len];
            assert!(is_ascii(&bytes), "{len}");
            for at in (0..len).step_by(if cfg!(miri) { 5 } else { 1 }) {
                bytes[at] = 0x80;
                assert!(!is_ascii(&bytes), "{at} of {len}");
                bytes[at] = b'a';
            }
        }
    }

    #[test]
    fn what_core_calls_utf8_is_utf8_in_every_place_of_a_string() {
        let good: [&[u8]; 5] = [b"\0", "é".as_bytes(), "€".as_bytes(), "\u{10ffff}".as_bytes(), b"\xed\x9f\xbf"];
        let bad: [&[u8]; 7] =
            [b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xff", b"\xf0\x80\x80\x80"];
        let step = if cfg!(miri) { 9 } else { 1 };
        for before in (0..40).step_by(step) {
            for after in (0..40).step_by(step) {
                for (set, want) in [(&good[..], true), (&bad[..], false)] {
                    for middle in set {
                        let mut bytes = vec![b'x'; before];
                        bytes.extend_from_slice(middle);
                        bytes.extend(vec![b'y'; after]);
                        assert_eq!(is_utf8(&bytes), want, "{middle:x?}");
                        assert_eq!(utf8_error_at(&bytes), if want { None } else { Some(before) });
                    }
                }
            }
        }
    }
}
