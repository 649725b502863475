//! Overwriting a value in place, by one whose encoding has the same length, so that no byte has to move.
//!
//! ```text
//!   before   08 2a  15 00 00 80 3f  1a 03 61 62 63      int_val 42, ratio 1.0, str_val "abc"
//!   after    08 2b  15 00 00 00 3f  1a 03 78 79 7a      43, 0.5, "xyz": tags, lengths and offsets do not change
//! ```

use super::raw::Raw;
use super::table::{Field, Kind};
use crate::wire::kind::Value;
use crate::wire::{Cursor, LEN, is_utf8};
use alloc::vec::Vec;
use core::marker::PhantomData;

/// Where a value of a message is. It borrows nothing, so that its bytes can be changed: [`Place::write`] needs them
/// mutably, and the borrow checker ends all views of them before.
pub struct Place<V> {
    /// The address of the value; for strings and bytes, of the payload. Only compared, never dereferenced.
    address: usize,
    /// The length of the value; `None` if there is no value.
    len: Option<usize>,
    check: bool,
    closed: Option<fn(i32) -> bool>,
    marker: PhantomData<V>,
}

impl<V> Clone for Place<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Place<V> {}

impl<V: Value> Place<V> {
    /// Wraps the place in the slot of a singular field.
    pub(super) fn new(raw: &Raw<'_>, field: &Field, words: Option<[u32; 2]>) -> Place<V> {
        let [start, len] = words.unwrap_or_default();
        let (start, end) = (start as usize, start as usize + len as usize);
        let value = match start {
            0 => None,
            _ if V::WIRE_TYPE == LEN => raw.bytes.get(start..end),
            _ => raw.bytes.get(start..).and_then(value_of::<V>),
        };
        Place::of_value(raw, field, value)
    }

    /// Wraps the place of an element, which begins here.
    pub(super) fn element(raw: &Raw<'_>, field: &Field, from: Option<&[u8]>) -> Place<V> {
        Place::of_value(raw, field, from.and_then(value_of::<V>))
    }

    fn of_value(raw: &Raw<'_>, field: &Field, value: Option<&[u8]>) -> Place<V> {
        Place {
            address: value.map_or(0, |value| value.as_ptr().addr()),
            len: value.map(<[u8]>::len),
            check: field.kind == Kind::Utf8 || field.kind == Kind::Text && raw.rules.strict,
            closed: field.closed,
            marker: PhantomData,
        }
    }

    /// Reports whether there is a value to overwrite: the field is present, or has an element with the index.
    pub fn is_present(&self) -> bool {
        self.len.is_some()
    }

    /// Overwrites the value in `buffer`, the memory that the view has read, or a part of it. It changes nothing and
    /// returns false if there is no value, if the new one has another length on the wire, if the field does not accept
    /// it (an undefined value of a closed enum, text that must be UTF-8), or if the value is not in `buffer`. A message
    /// that was merged ([`super::Message::is_split`]) is not in it.
    #[must_use = "false: nothing was changed"]
    pub fn write(&self, buffer: &mut [u8], value: V::Output<'_>) -> bool {
        let Some(len) = self.len else { return false };
        let mut encoded = Vec::new();
        V::put(&mut encoded, value);
        let mut c = Cursor::new(&encoded);
        let new = if V::WIRE_TYPE == LEN { c.bytes().unwrap_or(&[]) } else { c.remaining() };
        if new.len() != len || self.check && !is_utf8(new) {
            return false;
        }
        if let Some(defined) = self.closed {
            if !c.varint().is_some_and(|value| defined(value as i32)) {
                return false;
            }
        }
        let start = self.address.wrapping_sub(buffer.as_ptr().addr());
        let Some(place) = start.checked_add(len).and_then(|end| buffer.get_mut(start..end)) else { return false };
        // The memory may hold something else by now: only a value of this length is replaced.
        if V::WIRE_TYPE != LEN && value_of::<V>(place).is_none_or(|old| old.len() != len) {
            return false;
        }
        place.copy_from_slice(new);
        true
    }
}

/// Returns the bytes of the value that begins here; of strings and bytes, the payload.
fn value_of<V: Value>(from: &[u8]) -> Option<&[u8]> {
    let mut c = Cursor::new(from);
    match V::WIRE_TYPE {
        LEN => return c.bytes(),
        crate::wire::VARINT => c.pass_varint()?,
        crate::wire::FIXED32 => drop(c.fixed32()?),
        _ => drop(c.fixed64()?),
    }
    from.get(..from.len() - c.left())
}
