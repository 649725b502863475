//! Checks whether a whole message is well-formed, with all messages in it. The answer is only yes or no; the cold
//! decoder finds the error.

use super::scan::count_varints;
use super::table::{Field, Kind, Table};
use crate::wire::{Cursor, END_GROUP, LEN, MAX_DEPTH, START_GROUP, is_ascii};

/// The most levels that [`is_valid`] goes down: each is a call.
pub(super) const MOST_LEVELS: u32 = MAX_DEPTH;

/// Reports whether a message is well-formed; false if it nests deeper than [`MOST_LEVELS`].
pub(super) fn is_valid(table: &Table, bytes: &[u8], levels: u32, strict: bool) -> bool {
    message(table, Cursor::new(bytes), 0, levels.min(MOST_LEVELS), strict).is_some()
}

/// Checks the records up to the end of the range, or up to the end tag of `group` if that is not 0.
fn message<'a>(table: &Table, at: Cursor<'a>, group: u32, levels: u32, strict: bool) -> Option<Cursor<'a>> {
    let mut c = at;
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
                            return (tag >> 3 == group).then_some(c);
                        }
                        match table.find(tag) {
                            Some(at) => {
                                next = at;
                                &fields[at]
                            }
                            None => {
                                next = next.wrapping_sub(1);
                                c.out_of_line(|c| c.skip(tag, levels))?;
                                continue;
                            }
                        }
                    }
                }
            }
        };
        match tag & 7 {
            LEN => match field.kind {
                Kind::Message | Kind::Map => {
                    let (child, levels) = (field.child?, levels.checked_sub(1)?);
                    if tag >= 0x80 {
                        message(child, c.inner()?, 0, levels, strict)?;
                        continue;
                    }
                    // All consecutive records at once.
                    loop {
                        let pairs = if child.has_pair() { c.pass_pairs(tag as u8, child.pair) } else { &[] };
                        match pairs {
                            [] => drop(message(child, c.inner()?, 0, levels, strict)?),
                            // Tags and lengths are below 0x80: one check covers all strings.
                            _ if is_ascii(pairs) => {}
                            _ => child.accepts_pairs(pairs, strict)?,
                        }
                        if c.remaining().first() != Some(&(tag as u8)) {
                            break;
                        }
                        c.pass(1)?;
                    }
                }
                Kind::Utf8 | Kind::Text | Kind::Bytes => {
                    if !field.accepts(c.bytes()?, strict) {
                        return None;
                    }
                }
                _ => packed(field, c.bytes()?)?,
            },
            START_GROUP => c = message(field.child?, c, field.number(), levels.checked_sub(1)?, strict)?,
            _ => match field.kind {
                Kind::Fixed32 => c.pass(4)?,
                Kind::Fixed64 => c.pass(8)?,
                _ => c.pass_varint()?,
            },
        }
    }
    (group == 0).then_some(c)
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
