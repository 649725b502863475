//! Scans one level of a message: checks it, and notes where its fields are (VIW-1, VIW-27).

use super::raw::{Raw, SPLIT};
use super::table::{Field, Kind, Shape, Table};
use crate::wire::{Cursor, Input, LEN, is_utf8};

/// Fills the slots, which are all zero. Returns `None` if a record is bad.
#[inline(never)]
pub(super) fn scan(table: &Table, raw: &mut Raw<'_>, slots: &mut [u32]) -> Option<()> {
    if pair(table, raw, slots) {
        return Some(());
    }
    let input = Input::new(raw.bytes);
    let mut c = Cursor::new(raw.bytes);
    let fields = table.fields;
    // The field that is expected.
    let mut next = 0;
    while !c.at_end() {
        let start = c.offset(input);
        let tag = c.next_tag();
        let field = match fields.get(next) {
            Some(field) if field.tag == tag => field,
            _ => {
                // After a repeated field the next one may come.
                next += 1;
                match fields.get(next) {
                    Some(field) if field.tag == tag => field,
                    _ => match table.find(tag) {
                        Some(at) => {
                            next = at;
                            &fields[at]
                        }
                        None => {
                            next = next.wrapping_sub(1);
                            c.out_of_line(|c| unknown(table, raw, c, input, start, tag))?;
                            continue;
                        }
                    },
                }
            }
        };
        next = if field.shape == Shape::Repeated { next } else { next + 1 };
        if field.shape != Shape::Single {
            if field.kind == Kind::Message && field.shape == Shape::Repeated {
                messages(slots, field.slot as usize, &mut c, input, start, tag)?;
            } else {
                c.out_of_line(|c| rare(field, raw, slots, c, input, start, tag))?;
            }
            continue;
        }
        let slot = field.slot as usize;
        match field.kind {
            Kind::Varint => {
                slots[slot] = c.offset(input);
                c.pass_varint()?;
            }
            Kind::Fixed32 => {
                slots[slot] = c.offset(input);
                c.pass(4)?;
            }
            Kind::Fixed64 => {
                slots[slot] = c.offset(input);
                c.pass(8)?;
            }
            Kind::Utf8 | Kind::Text | Kind::Bytes => {
                payload(slots, slot, is_checked(field.kind, raw), &mut c, input)?;
            }
            Kind::Message => {
                c.bytes()?;
                add_message(slots.get_mut(slot..slot + 2)?, start, c.offset(input));
            }
            _ => c.out_of_line(|c| rare(field, raw, slots, c, input, start, tag))?,
        }
    }
    Some(())
}

/// Fills in the slots of a message of two strings in its usual form.
#[inline(always)]
pub(super) fn pair(table: &Table, raw: &Raw<'_>, slots: &mut [u32]) -> bool {
    let (Some((first, second)), Some(words)) = (table.pair(raw.bytes, raw.rules.strict), slots.get_mut(..4)) else {
        return false;
    };
    // The slots are those of two strings, in their order.
    words.copy_from_slice(&[2, first.len() as u32, first.len() as u32 + 4, second.len() as u32]);
    true
}

/// Scans a record of a field that is not of the frequent ones.
#[inline(never)]
pub(super) fn rare<'a>(
    field: &Field,
    raw: &mut Raw<'_>,
    slots: &mut [u32],
    c: &mut Cursor<'a>,
    input: Input<'a>,
    start: u32,
    tag: u32,
) -> Option<()> {
    match field.shape {
        Shape::Repeated => return repeated(field, raw, slots, c, input, start, tag),
        Shape::Member => return member(field, raw, slots, c, input, start),
        Shape::Single => {}
    }
    let slot = field.slot as usize;
    match field.kind {
        Kind::Group => {
            c.group(field.number(), raw.rules.levels())?;
            add_message(slots.get_mut(slot..slot + 2)?, start, c.offset(input));
        }
        Kind::Closed => {
            let at = c.offset(input);
            if field.defines(c.varint()?) {
                slots[slot] = at;
            } else {
                raw.keep(start, c.offset(input));
            }
        }
        _ => return None, // the caller scans these itself
    }
    Some(())
}

/// Scans a singular string or bytes field.
#[inline(always)]
pub(super) fn payload<'a>(
    slots: &mut [u32],
    slot: usize,
    checked: bool,
    c: &mut Cursor<'a>,
    input: Input<'a>,
) -> Option<()> {
    let payload = c.bytes()?;
    if checked && !is_utf8(payload) {
        return None;
    }
    let words = slots.get_mut(slot..slot + 2)?;
    words[0] = c.offset(input) - payload.len() as u32;
    words[1] = payload.len() as u32;
    Some(())
}

/// Scans a record of a repeated message, and all those that follow directly.
#[inline(always)]
pub(super) fn messages<'a>(
    slots: &mut [u32],
    slot: usize,
    c: &mut Cursor<'a>,
    input: Input<'a>,
    start: u32,
    tag: u32,
) -> Option<()> {
    let run = slots.get_mut(slot..slot + 4)?;
    let (mut count, mut last) = (run[2], start);
    if count == 0 {
        run[0] = start;
    }
    loop {
        c.bytes()?;
        count += 1;
        if tag >= 0x80 || c.remaining().first() != Some(&(tag as u8)) {
            break;
        }
        last = c.offset(input);
        c.pass(1)?;
    }
    run[1] = c.offset(input);
    run[2] = count;
    run[3] = last;
    Some(())
}

#[inline(always)]
pub(super) fn is_checked(kind: Kind, raw: &Raw<'_>) -> bool {
    kind == Kind::Utf8 || kind == Kind::Text && raw.rules.strict
}

/// Adds a record of a repeated field.
#[inline(always)]
fn add(slots: &mut [u32], field: &Field, start: u32, end: u32, elements: u32) {
    let slot = field.slot as usize;
    let run = &mut slots[slot..slot + 3];
    if run[2] == 0 {
        run[0] = start;
    }
    run[1] = end;
    run[2] += elements;
}

/// Adds an element of a repeated message field.
#[inline(always)]
fn add_element(slots: &mut [u32], field: &Field, start: u32, end: u32) -> Option<()> {
    let slot = field.slot as usize;
    let run = slots.get_mut(slot..slot + 4)?;
    if run[2] == 0 {
        run[0] = start;
    }
    run[1] = end;
    run[2] += 1;
    run[3] = start;
    Some(())
}

/// Adds a record of a singular message.
#[inline(always)]
pub(super) fn add_message(words: &mut [u32], start: u32, end: u32) {
    words[0] = if words[1] == 0 { start } else { words[0] | SPLIT };
    words[1] = end;
}

/// Skips a record that is none of the fields (UNK-1), or that of a field left out (FCE-18).
#[cold]
#[inline(never)]
pub(super) fn unknown<'a>(
    table: &Table,
    raw: &mut Raw<'_>,
    c: &mut Cursor<'a>,
    input: Input<'a>,
    start: u32,
    tag: u32,
) -> Option<()> {
    c.skip(tag, raw.rules.levels())?;
    if !table.dropped.contains(&(tag >> 3)) {
        raw.keep(start, c.offset(input));
    }
    Some(())
}

/// Scans a record of a repeated field that is no message.
#[inline(never)]
fn repeated<'a>(
    field: &Field,
    raw: &mut Raw<'_>,
    slots: &mut [u32],
    c: &mut Cursor<'a>,
    input: Input<'a>,
    start: u32,
    tag: u32,
) -> Option<()> {
    let elements = match field.kind {
        Kind::Utf8 | Kind::Text | Kind::Bytes => {
            let payload = c.bytes()?;
            if is_checked(field.kind, raw) && !is_utf8(payload) {
                return None;
            }
            1
        }
        Kind::Message | Kind::Group => {
            match field.kind {
                Kind::Message => drop(c.bytes()?),
                _ => drop(c.group(field.number(), raw.rules.levels())?),
            }
            return add_element(slots, field, start, c.offset(input));
        }
        Kind::Map => match entry(field, raw, c.bytes()?)? {
            true => 1,
            false => {
                raw.keep(start, c.offset(input));
                0
            }
        },
        _ if tag & 7 == LEN => {
            let payload = c.bytes()?;
            let count = match field.kind {
                Kind::Varint => count_varints(payload)?,
                Kind::Closed => {
                    let (mut known, mut others) = (0, false);
                    let mut values = Cursor::new(payload);
                    while !values.at_end() {
                        match field.defines(values.varint()?) {
                            true => known += 1,
                            false => others = true,
                        }
                    }
                    if others {
                        raw.keep(start, c.offset(input));
                    }
                    known
                }
                kind => {
                    let width = if kind == Kind::Fixed32 { 4 } else { 8 };
                    if payload.len() % width != 0 {
                        return None;
                    }
                    payload.len() / width
                }
            };
            count as u32
        }
        Kind::Varint => {
            c.pass_varint()?;
            1
        }
        Kind::Closed => match field.defines(c.varint()?) {
            true => 1,
            false => {
                raw.keep(start, c.offset(input));
                0
            }
        },
        Kind::Fixed32 => c.fixed32().map(|_| 1)?,
        Kind::Fixed64 => c.fixed64().map(|_| 1)?,
    };
    if elements != 0 {
        add(slots, field, start, c.offset(input), elements);
    }
    Some(())
}

/// Counts the varints of a packed payload; `None` if one is bad.
pub(super) fn count_varints(payload: &[u8]) -> Option<usize> {
    // Each varint has one byte below 0x80, the last byte of the payload included, and at most nine before it.
    if payload.last().is_some_and(|last| *last >= 0x80) {
        return None;
    }
    let mut count = 0;
    let mut words = payload.chunks_exact(8);
    // The number of bytes above 0x7f directly before the word.
    let mut long = 0;
    for word in &mut words {
        let word: [u8; 8] = word.try_into().ok()?;
        let ends = !u64::from_le_bytes(word) & 0x8080_8080_8080_8080;
        if ends == 0 {
            long += 8;
            if long > 9 {
                return None;
            }
            continue;
        }
        // Within one word no varint has more than eight bytes.
        if long + (ends.trailing_zeros() / 8) > 9 {
            return None;
        }
        count += ends.count_ones() as usize;
        long = ends.leading_zeros() / 8;
    }
    for b in words.remainder() {
        if *b < 0x80 {
            count += 1;
            long = 0;
        } else {
            long += 1;
            if long > 9 {
                return None;
            }
        }
    }
    Some(count)
}

/// Scans a record of a member of a oneof, which clears the member before it (FLD-6).
#[inline(never)]
fn member<'a>(
    field: &Field,
    raw: &mut Raw<'_>,
    slots: &mut [u32],
    c: &mut Cursor<'a>,
    input: Input<'a>,
    start: u32,
) -> Option<()> {
    let slot = field.slot as usize;
    let words = slots.get_mut(slot..slot + 3)?;
    let at = c.offset(input);
    let (a, b) = match field.kind {
        Kind::Utf8 | Kind::Text | Kind::Bytes => {
            let payload = c.bytes()?;
            if is_checked(field.kind, raw) && !is_utf8(payload) {
                return None;
            }
            (c.offset(input) - payload.len() as u32, payload.len() as u32)
        }
        Kind::Message | Kind::Group => {
            match field.kind {
                Kind::Message => drop(c.bytes()?),
                _ => drop(c.group(field.number(), raw.rules.levels())?),
            }
            // Records of the same member directly before this one merge with it (FLD-15).
            let mut message = if words[0] == field.number() { [words[1], words[2]] } else { [0, 0] };
            add_message(&mut message, start, c.offset(input));
            (message[0], message[1])
        }
        Kind::Closed => {
            if !field.defines(c.varint()?) {
                raw.keep(start, c.offset(input));
                return Some(()); // the oneof stays as it is (ENM-4)
            }
            (at, 0)
        }
        Kind::Varint => {
            c.pass_varint()?;
            (at, 0)
        }
        Kind::Fixed32 => {
            c.fixed32()?;
            (at, 0)
        }
        Kind::Fixed64 => {
            c.fixed64()?;
            (at, 0)
        }
        Kind::Map => return None, // maps are repeated
    };
    words.copy_from_slice(&[field.number(), a, b]);
    Some(())
}

/// Checks the entry of a map. Reports whether it is one: with an undefined value of a closed enum it is an unknown
/// field (ENM-3).
fn entry(field: &Field, raw: &Raw<'_>, bytes: &[u8]) -> Option<bool> {
    // The entry is a level of its own.
    let levels = raw.rules.levels().checked_sub(1)?;
    let [key, value] = field.child?.fields else { return None };
    let mut known = true;
    let mut c = Cursor::new(bytes);
    while !c.at_end() {
        let tag = c.tag()?;
        let part = match () {
            () if tag == key.tag => key,
            () if tag == value.tag => value,
            () => {
                c.skip(tag, levels)?;
                continue;
            }
        };
        match part.kind {
            Kind::Varint => c.pass_varint()?,
            Kind::Closed => known = part.defines(c.varint()?),
            Kind::Fixed32 => drop(c.fixed32()?),
            Kind::Fixed64 => drop(c.fixed64()?),
            kind => {
                let payload = c.bytes()?;
                if is_checked(kind, raw) && !is_utf8(payload) {
                    return None;
                }
            }
        }
    }
    Some(known)
}
