//! Bytes in JSON (JSN-5).

use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes, shown in base64 with padding.
pub(super) struct Base64<'a>(pub(super) &'a [u8]);

impl Display for Base64<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for three in self.0.chunks(3) {
            let bits = three.iter().fold(0, |bits, &b| bits << 8 | b as usize) << (8 * (3 - three.len()));
            for place in 0..4 {
                let digit = ALPHABET[bits >> (18 - 6 * place) & 63] as char;
                f.write_char(if place <= three.len() { digit } else { '=' })?;
            }
        }
        Ok(())
    }
}

/// Reads base64 in either alphabet, with or without padding.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text).as_bytes();
    if digits.len() != text.len() && text.len() % 4 != 0 || digits.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for four in digits.chunks(4) {
        let mut bits = 0;
        for &digit in four {
            bits = bits << 6 | value(digit)?;
        }
        bits <<= 6 * (4 - four.len());
        out.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    Some(out)
}

fn value(digit: u8) -> Option<u32> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    } as u32)
}
