//! Writing: minimal tags, varints and lengths (OUT-1, OUT-2), appended to a vector.

use super::varint::{zigzag32, zigzag64};
use alloc::vec::Vec;

/// Appends a varint.
#[inline]
pub fn append_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a tag.
#[inline]
pub fn append_tag(out: &mut Vec<u8>, number: u32, wire_type: u32) {
    append_varint(out, super::tag(number, wire_type) as u64);
}

/// Appends an `int32` or enum value: ten bytes when negative.
#[inline]
pub fn append_int32(out: &mut Vec<u8>, value: i32) {
    append_varint(out, value as i64 as u64);
}

/// Appends an `int64` value.
#[inline]
pub fn append_int64(out: &mut Vec<u8>, value: i64) {
    append_varint(out, value as u64);
}

/// Appends an `sint32` value.
#[inline]
pub fn append_sint32(out: &mut Vec<u8>, value: i32) {
    append_varint(out, zigzag32(value) as u64);
}

/// Appends an `sint64` value.
#[inline]
pub fn append_sint64(out: &mut Vec<u8>, value: i64) {
    append_varint(out, zigzag64(value));
}

/// Appends a 4-byte value.
#[inline]
pub fn append_fixed32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends an 8-byte value.
#[inline]
pub fn append_fixed64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends length-prefixed bytes.
#[inline]
pub fn append_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    append_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Appends the bytes that `body` appends, after their length in minimal form. The bytes move by the width of the
/// length.
pub fn append_len_delimited<E>(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
    let start = out.len();
    body(out)?;
    let mut len = Vec::with_capacity(10);
    append_varint(&mut len, (out.len() - start) as u64);
    out.splice(start..start, len);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{decode_varint, varint_len};

    #[test]
    fn what_is_appended_is_minimal_and_read_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1] {
                let mut out = Vec::new();
                append_varint(&mut out, value);
                assert_eq!(out.len(), varint_len(value));
                assert_eq!(decode_varint(&out), Some((value, out.len())));
            }
        }
    }

    #[test]
    fn negative_int32_takes_ten_bytes() {
        let mut out = Vec::new();
        append_int32(&mut out, -1);
        assert_eq!(out, [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }

    #[test]
    fn a_body_above_127_bytes_gets_a_two_byte_length() {
        let mut out = Vec::new();
        let done: Result<(), ()> = append_len_delimited(&mut out, |out| {
            out.extend([7; 200]);
            Ok(())
        });
        assert_eq!((done, out.len(), &out[..3]), (Ok(()), 202, &[0xc8, 1, 7][..]));
    }
}
