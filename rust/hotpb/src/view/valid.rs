//! Checks whether a whole message is well-formed, with all messages in it. The answer is only yes or no; the cold
//! decoder finds the error.

use super::scan::count_varints;
use super::table::{Field, Kind, Table};
use crate::wire::{Cursor, END_GROUP, LEN, MAX_DEPTH, START_GROUP, is_utf8};

/// The most levels that [`is_valid`] goes down: each is a call.
pub(super) const MOST_LEVELS: u32 = MAX_DEPTH;

/// Reports whether a message is well-formed; false if it nests deeper than [`MOST_LEVELS`].
pub(super) fn is_valid(table: &Table, bytes: &[u8], levels: u32, strict: bool) -> bool {
    let mut c = Cursor::new(bytes);
    message(table, &mut c, 0, levels.min(MOST_LEVELS), strict).is_some()
}

/// Checks the records up to the end of the range, or up to the end tag of `group` if that is not 0.
fn message(table: &Table, c: &mut Cursor<'_>, group: u32, levels: u32, strict: bool) -> Option<()> {
    let fields = table.fields;
    let mut next = 0;
    while !c.at_end() {
        let tag = c.next_tag();
        let field = match fields.get(next) {
            Some(field) if field.tag == tag => field,
            _ => {
                next += 1;
                match fields.get(next) {
                    Some(field) if field.tag == tag => field,
                    _ => {
                        if tag & 7 == END_GROUP && group != 0 {
                            return (tag >> 3 == group).then_some(());
                        }
                        match table.find(tag) {
                            Some(at) => {
                                next = at;
                                &fields[at]
                            }
                            None => {
                                next = next.wrapping_sub(1);
                                c.skip(tag, levels)?;
                                continue;
                            }
                        }
                    }
                }
            }
        };
        match tag & 7 {
            LEN => {
                let payload = c.inner()?;
                match field.kind {
                    Kind::Message | Kind::Map => {
                        let (mut inner, levels) = (payload, levels.checked_sub(1)?);
                        let child = field.child?;
                        if child.pair(inner.remaining(), strict).is_none() {
                            message(child, &mut inner, 0, levels, strict)?;
                        }
                    }
                    Kind::Utf8 if !is_utf8(payload.remaining()) => return None,
                    Kind::Text if strict && !is_utf8(payload.remaining()) => return None,
                    Kind::Utf8 | Kind::Text | Kind::Bytes => {}
                    _ => packed(field, payload.remaining())?,
                }
            }
            START_GROUP => message(field.child?, c, field.number(), levels.checked_sub(1)?, strict)?,
            _ => match field.kind {
                Kind::Fixed32 => drop(c.fixed32()?),
                Kind::Fixed64 => drop(c.fixed64()?),
                _ => c.pass_varint()?,
            },
        }
    }
    (group == 0).then_some(())
}

#[inline(never)]
fn packed(field: &Field, payload: &[u8]) -> Option<()> {
    match field.kind {
        Kind::Fixed32 => payload.len() % 4 == 0,
        Kind::Fixed64 => payload.len() % 8 == 0,
        _ => count_varints(payload).is_some(),
    }
    .then_some(())
}
