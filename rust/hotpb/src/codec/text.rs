//! Strings and bytes, read into memory that exists.

use crate::wire::{Cursor, is_utf8};
use alloc::string::String;
use alloc::vec::Vec;

const HIGH: u64 = 0x8080_8080_8080_8080;

/// The least capacity of a string: room for the copy of a short one, which always writes this many bytes.
const LEAST: usize = 16;

/// Reads a length-delimited string and replaces the content of `of`. It checks UTF-8.
#[inline(always)]
pub(super) fn read_text(c: &mut Cursor<'_>, target: &mut String) -> Option<()> {
    let len = c.length()?;
    // SAFETY: each path below leaves the vector as it is, or with bytes that were checked.
    let bytes = unsafe { target.as_mut_vec() };
    let ahead = c.ahead();
    if len <= LEAST {
        if let (Some(word), true) = (ahead.first_chunk::<LEAST>(), bytes.capacity() >= LEAST) {
            // The words may contain bytes after the string. If these are not ASCII, the path below decides.
            let value = u128::from_le_bytes(*word);
            if (value as u64 | (value >> 64) as u64) & HIGH == 0 {
                // SAFETY: the capacity is at least 16 bytes, of which the first `len <= 16` are ASCII.
                unsafe {
                    bytes.as_mut_ptr().cast::<[u8; LEAST]>().write(*word);
                    bytes.set_len(len);
                }
                return c.pass(len);
            }
        }
    } else if len <= 2 * LEAST && bytes.capacity() >= len {
        let text = &ahead[..len];
        if let (Some(first), Some(last)) = (text.first_chunk::<LEAST>(), text.last_chunk::<LEAST>()) {
            let (a, b) = (u128::from_le_bytes(*first), u128::from_le_bytes(*last));
            let or = a | b;
            if (or as u64 | (or >> 64) as u64) & HIGH == 0 {
                // SAFETY: the capacity is at least `len`, and 16 <= len <= 32: both writes end within it, and together
                // cover the first `len` bytes, all ASCII.
                unsafe {
                    let to = bytes.as_mut_ptr();
                    to.cast::<[u8; LEAST]>().write(*first);
                    to.add(len - LEAST).cast::<[u8; LEAST]>().write(*last);
                    bytes.set_len(len);
                }
                return c.pass(len);
            }
        }
    }
    c.out_of_line(|c| long_text(c, len, bytes))
}

#[inline(never)]
fn long_text(c: &mut Cursor<'_>, len: usize, target: &mut Vec<u8>) -> Option<()> {
    let text = c.remaining().get(..len)?;
    if !is_utf8(text) {
        return None;
    }
    replace(target, text);
    c.pass(len)
}

/// Reads length-delimited bytes and replaces the content of `of`.
#[inline(always)]
pub(super) fn read_bytes(c: &mut Cursor<'_>, target: &mut Vec<u8>) -> Option<()> {
    replace(target, c.bytes()?);
    Some(())
}

#[inline(always)]
fn replace(target: &mut Vec<u8>, bytes: &[u8]) {
    target.clear();
    if target.capacity() < bytes.len() {
        target.reserve(bytes.len().max(LEAST));
    } else if target.capacity() < LEAST {
        target.reserve(LEAST);
    }
    target.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::append_bytes;

    /// Reads a string of `len` bytes with `odd` at a place, into a string of any capacity, with bytes after it or none.
    #[test]
    fn a_string_is_replaced_whatever_its_length_its_capacity_and_what_follows() {
        let step = if cfg!(miri) { 7 } else { 1 };
        for len in (0..70).step_by(step) {
            for (capacity, after) in
                [(0, &b""[..]), (7, b"\xff"), (16, b"aaaaaaaaaaaaaaaaaaaa"), (40, b""), (64, &[0xff; 40])]
            {
                for odd in (0..=len).step_by(step) {
                    let mut text: String = (0..len).map(|i| (b'a' + i as u8 % 26) as char).collect();
                    let mut record = Vec::new();
                    append_bytes(&mut record, text.as_bytes());
                    if odd < len {
                        let at = record.len() - len + odd;
                        record[at] = 0xff;
                    }
                    let end = record.len();
                    record.extend_from_slice(after);
                    let input = crate::wire::Input::new(&record);
                    let mut c = input.open(input.part(0, end).unwrap());
                    let mut target = String::with_capacity(capacity);
                    target.push_str(&"é".repeat(capacity / 2));
                    let read = read_text(&mut c, &mut target);
                    assert_eq!(read.is_some(), odd >= len, "{len} {capacity} {odd}");
                    if odd >= len {
                        assert!(target == text && c.at_end());
                    } else {
                        text = "é".repeat(capacity / 2);
                        assert_eq!(target, text, "a refused string changes nothing");
                    }
                }
            }
        }
    }

    #[test]
    fn text_that_is_not_ascii_is_checked_and_copied() {
        for text in ["é", "日本語のテキスト", "aaaaaaaaaaaaaaaaaaaaaaaaaé", "é€😀"] {
            let mut record = Vec::new();
            append_bytes(&mut record, text.as_bytes());
            let mut target = String::from("something else that is longer than 32 bytes");
            assert_eq!(read_text(&mut Cursor::new(&record), &mut target), Some(()));
            assert_eq!(target, text);
            record.pop();
            record[0] -= 1; // cut inside of a character, or one character fewer
            let ok = core::str::from_utf8(&record[1..]).is_ok();
            assert_eq!(read_text(&mut Cursor::new(&record), &mut target).is_some(), ok);
        }
    }
}
