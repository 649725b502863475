//! [`Part`]: the key or the value of a map entry.

use super::packed::Element;
use super::store::Bytes;
use crate::wire::{FIXED32, FIXED64, LEN, VARINT, tag};

/// Field 1 or 2 of an entry: tag and value, or tag, length and payload.
pub struct Part<'p> {
    header: Bytes<16>,
    payload: &'p [u8],
}

impl<'p> Part<'p> {
    /// Creates a part from a scalar.
    #[inline]
    pub fn scalar<E: Element>(number: u32, value: E::Value) -> Part<'p> {
        let bits = E::bits(value);
        let (wire_type, width) = match E::WIDTH {
            8 => (FIXED64, 8),
            4 => (FIXED32, 4),
            _ => (VARINT, 0),
        };
        let header = Bytes::new().varint(tag(number, wire_type) as u64);
        let header = if width == 0 { header.varint(bits) } else { header.fixed(&bits.to_le_bytes()[..width]) };
        Part { header, payload: &[] }
    }

    /// Creates a part from a string, bytes, or an encoded message.
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
