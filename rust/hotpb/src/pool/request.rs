//! Which unknown records belong to an extension.

use super::{UnknownField, UnknownFields};
use crate::wire::{Cursor, END_GROUP, LEN, START_GROUP, VARINT, append_int32, append_varint};
use crate::{Code, Error};
use alloc::format;
use alloc::vec::Vec;

/// Identifies the records that belong to an extension.
#[derive(Clone, Copy)]
pub struct ExtensionRequest {
    pub(super) number: u32,
    pub(super) wire_type: u32,
    pub(super) packable: bool,
    pub(super) message_set: bool,
    pub(super) defined: Option<fn(i32) -> bool>,
}

impl ExtensionRequest {
    pub(super) fn takes(&self, field: &UnknownField<'_>) -> bool {
        if self.message_set && item_type(field) == Some(self.number) {
            return true;
        }
        // Writers that do not know message sets write a plain record (the conformance suite tests this).
        field.number == self.number
            && (field.wire_type == self.wire_type || self.packable && field.wire_type == LEN)
            && field.offset.is_some()
    }
}

/// Appends the unknown fields that belong to none of the extensions in `requests`: other records unchanged, and undefined
/// values of closed enums one by one (ENM-2).
pub fn append_rest(out: &mut Vec<u8>, unknown: UnknownFields<'_>, requests: &[ExtensionRequest]) {
    for field in unknown {
        match requests.iter().find(|a| a.takes(&field)) {
            None => out.extend_from_slice(field.record),
            Some(ExtensionRequest { defined: Some(defined), .. }) => {
                for v in varints(&field).filter(|&v| !defined(v as i32)) {
                    append_varint(out, (field.number as u64) << 3);
                    append_int32(out, v as i32);
                }
            }
            Some(_) => {}
        }
    }
}

/// Returns the values of a record of varints, packed or not, which was checked before.
pub(super) fn varints<'a>(field: &UnknownField<'a>) -> impl Iterator<Item = u64> + 'a {
    let mut cursor = Cursor::new(field.value);
    if field.wire_type == LEN {
        cursor = Cursor::new(cursor.bytes().unwrap_or(&[]));
    }
    core::iter::from_fn(move || if cursor.at_end() { None } else { cursor.varint() })
}

/// Returns the type of a message-set item; `None` for any record that is not a complete item (SET-4).
fn item_type(field: &UnknownField<'_>) -> Option<u32> {
    if field.number != 1 || field.wire_type != START_GROUP {
        return None;
    }
    let (mut type_id, mut has_message) = (None, false);
    let mut cursor = Cursor::new(field.value);
    loop {
        let tag = cursor.tag()?;
        if tag & 7 == END_GROUP {
            return type_id.filter(|_| has_message);
        }
        if tag == 2 << 3 | VARINT {
            type_id = Some(cursor.varint()? as u32);
        } else {
            has_message |= tag == 3 << 3 | LEN;
            cursor.skip(tag, crate::wire::DEPTH_CEILING)?;
        }
    }
}

/// The records of one extension in one message.
#[derive(Clone)]
pub struct Records<'a> {
    pub(super) request: ExtensionRequest,
    pub(super) unknown: UnknownFields<'a>,
    pub(super) name: &'static str,
}

impl<'a> Records<'a> {
    pub(super) fn fail(&self, code: Code, at: usize) -> Error {
        Error::new(code, at).with_path(&format!("[{}]", self.name))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = UnknownField<'a>;
    fn next(&mut self) -> Option<UnknownField<'a>> {
        self.unknown.by_ref().find(|field| self.request.takes(field))
    }
}
