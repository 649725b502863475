//! Key and value of a map entry.

use super::store::Bytes;
use crate::wire::{FIXED32, FIXED64, LEN, VARINT, tag};

/// Field 1 or 2 of an entry: tag and value, or tag, length and payload.
pub struct Part<'p> {
    header: Bytes<16>,
    payload: &'p [u8],
}

impl<'p> Part<'p> {
    /// A varint.
    #[inline]
    pub fn varint(number: u32, value: u64) -> Part<'p> {
        Part { header: Bytes::new().varint(tag(number, VARINT) as u64).varint(value), payload: &[] }
    }

    /// Four bytes.
    #[inline]
    pub fn fixed32(number: u32, bits: u32) -> Part<'p> {
        Part { header: Bytes::new().varint(tag(number, FIXED32) as u64).fixed(&bits.to_le_bytes()), payload: &[] }
    }

    /// Eight bytes.
    #[inline]
    pub fn fixed64(number: u32, bits: u64) -> Part<'p> {
        Part { header: Bytes::new().varint(tag(number, FIXED64) as u64).fixed(&bits.to_le_bytes()), payload: &[] }
    }

    /// A string, bytes, or an encoded message.
    #[inline]
    pub fn bytes(number: u32, payload: &'p [u8]) -> Part<'p> {
        Part { header: Bytes::new().varint(tag(number, LEN) as u64).varint(payload.len() as u64), payload }
    }

    pub(super) fn header(&self) -> &[u8] {
        self.header.as_slice()
    }

    pub(super) fn payload(&self) -> &[u8] {
        self.payload
    }
}
