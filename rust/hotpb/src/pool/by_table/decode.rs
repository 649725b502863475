//! Decoding by table.

use super::super::{Decoder, List, Run, Scalars, Side, value};
use super::child::Held;
use super::entry::{Entry, Shape, Type};
use super::place::RowMut;
use super::{Fields, shows};
use crate::wire::{Cursor, FIXED32, LEN, Pos, Range, Span, VARINT};

/// Decodes records into a row, merging with its content, up to the end or the end tag. It tries the entry after the
/// last one first. It reads plain values itself and all others out of line, so that the loop stays small.
///
/// # Safety
/// `tables` must point to the tables of this layout, which nobody else uses.
#[inline(never)]
pub(super) unsafe fn decode<'a>(
    fields: &'static Fields,
    tables: *mut u8,
    d: &mut Decoder<'a>,
    range: Range<'a>,
    row: u32,
    end_tag: u32,
) -> Option<Pos<'a>> {
    let entries = fields.entries;
    let mut c = d.open(range);
    // SAFETY: the caller's promise; the pointer is valid until a row is pushed, which `nested` does.
    let mut at = RowMut(unsafe { (fields.row)(tables, row) });
    let mut next = 0;
    while !c.at_end() {
        let before = c;
        let tag = c.next_tag();
        let entry = match entries.get(next) {
            Some(entry) if entry.tag == tag => entry,
            _ => match fields.find(next, tag) {
                Some(index) => {
                    next = index;
                    &entries[index]
                }
                None => {
                    if tag == end_tag && tag != 0 {
                        return Some(c.pos());
                    }
                    let start = d.at(&before);
                    // SAFETY: the caller's promise; the row is the current one.
                    c = c.out_of_line(|c| unsafe { unknown(fields, tables, d, *c, at, start, tag) })?;
                    continue;
                }
            },
        };
        next += 1;
        if entry.shape != Shape::Plain {
            let start = d.at(&before);
            // SAFETY: the caller's promise; the row is the current one.
            c = unsafe { rare(fields, tables, d, c, entry, (row, at), (start, tag)) }?;
            // SAFETY: the caller's promise; rows may have moved.
            at = RowMut(unsafe { (fields.row)(tables, row) });
            continue;
        }
        let (place, ty) = (entry.place, entry.ty);
        // The tag of a plain field is that of its entry, so its wire type matches the entry's type.
        if tag & 7 == LEN {
            let span = if ty == Type::Utf8 {
                d.text(&mut c)?
            } else if ty == Type::Text {
                d.string(&mut c)?
            } else {
                c.span(d.input())?
            };
            // SAFETY: the row has a span there (`Layout::new`).
            unsafe { at.set::<Span>(place, span) };
        } else if tag & 7 == VARINT {
            let v = c.varint()?;
            // SAFETY: the row has a value of the type's width there (`Layout::new`); a `bool` is 0 or 1.
            unsafe {
                if ty <= Type::Uint32 {
                    at.set(place, v as u32);
                } else if ty <= Type::Uint64 {
                    at.set(place, v);
                } else if ty == Type::Bool {
                    at.set(place, (v != 0) as u8);
                } else if ty == Type::Sint32 {
                    at.set(place, value::sint32(v));
                } else if ty == Type::Sint64 {
                    at.set(place, value::sint64(v));
                } else if fields.closed[entry.refers_to as usize](v as i32) {
                    at.set(place, v as i32);
                } else {
                    keep_enum(fields, tables, d, d.at(&c), at, entry, v as i32)?;
                    continue;
                }
            }
        } else if tag & 7 == FIXED32 {
            let v = c.fixed32()?;
            // SAFETY: the row has four bytes there (`Layout::new`).
            unsafe { at.set(place, v) };
        } else {
            let v = c.fixed64()?;
            // SAFETY: the row has eight bytes there (`Layout::new`).
            unsafe { at.set(place, v) };
        }
        if entry.shown_by < shows::FOUR {
            // SAFETY: the row has a word of presence bits there (`Layout::new`).
            unsafe {
                let word: u32 = at.get(entry.shown_at);
                at.set(entry.shown_at, word | 1 << entry.shown_by);
            }
        }
    }
    if end_tag != 0 {
        return None;
    }
    Some(c.pos())
}

/// Calls a function with the row's `side` and the tables' links.
///
/// # Safety
/// As for [`decode`]; the row must be one of these tables.
#[inline(always)]
unsafe fn with_side(
    fields: &Fields,
    tables: *mut u8,
    at: RowMut,
    work: impl FnOnce(&mut Side, &mut u32) -> Option<()>,
) -> Option<()> {
    // SAFETY: the caller's promise; the places are the layout's. Rows and links do not overlap.
    unsafe {
        let links = &mut *tables.add(fields.links).cast::<Side>();
        let mut side: u32 = at.get(fields.side);
        work(links, &mut side)?;
        at.set(fields.side, side);
    }
    Some(())
}

/// Handles a record that belongs to no field: keeps it, unless this is a map's entry or the field is left out.
///
/// # Safety
/// As for [`with_side`].
#[cold]
#[inline(never)]
unsafe fn unknown<'a>(
    fields: &Fields,
    tables: *mut u8,
    d: &mut Decoder<'a>,
    mut c: Cursor<'a>,
    at: RowMut,
    start: u32,
    tag: u32,
) -> Option<Cursor<'a>> {
    c.skip(tag, d.depth())?;
    if !fields.entry && !fields.dropped.contains(&(tag >> 3)) {
        let end = d.at(&c);
        // SAFETY: the caller's promise.
        unsafe { with_side(fields, tables, at, |links, side| links.keep(d, start + 1, side, start, end))? };
    }
    Some(c)
}

/// Keeps an undefined value of a closed enum as an unknown field (ENM-2).
///
/// # Safety
/// As for [`with_side`].
#[cold]
#[inline(never)]
unsafe fn keep_enum(
    fields: &Fields,
    tables: *mut u8,
    d: &mut Decoder<'_>,
    anchor: u32,
    at: RowMut,
    entry: &Entry,
    v: i32,
) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe { with_side(fields, tables, at, |links, side| links.keep_enum(d, anchor, side, entry.number(), v)) }
}

/// Reads a record of a field that is not a plain value.
///
/// # Safety
/// As for [`decode`]; `at` must be the row.
#[inline(never)]
unsafe fn rare<'a>(
    fields: &'static Fields,
    tables: *mut u8,
    d: &mut Decoder<'a>,
    mut c: Cursor<'a>,
    entry: &'static Entry,
    (row, at): (u32, RowMut),
    (start, tag): (u32, u32),
) -> Option<Cursor<'a>> {
    let place = entry.place;
    let list = match entry.shape {
        // SAFETY: the caller's promise; the row has a run there (`Layout::new`).
        Shape::Run | Shape::Packed => return unsafe { fields.elements?(fields, tables, d, c, entry, at, tag) },
        Shape::Plain | Shape::Member => {
            let (v, anchor) = (bits(d, &mut c, entry.ty)?, d.at(&c));
            // SAFETY: a oneof has 64 bits and a case there (`Layout::new`).
            unsafe {
                if entry.ty == Type::Closed && !fields.closed[entry.refers_to as usize](v as i32) {
                    keep_enum(fields, tables, d, anchor, at, entry, v as i32)?;
                } else {
                    at.set(entry.shown_at, entry.number());
                    at.set(place, v);
                }
            }
            return Some(c);
        }
        // SAFETY: the row has the index of a row there (`Layout::new`).
        Shape::Child => List { first: unsafe { at.get(place) }, ..List::EMPTY },
        // SAFETY: a oneof has 64 bits and a case there (`Layout::new`).
        Shape::ChildMember => unsafe {
            let set = at.get::<u32>(entry.shown_at) == entry.number();
            List { first: if set { at.get::<u64>(place) as u32 } else { 0 }, ..List::EMPTY }
        },
        // SAFETY: the row has a list there (`Layout::new`).
        Shape::List | Shape::Map => unsafe { at.get(place) },
    };
    let child = &fields.children[entry.refers_to as usize];
    let mut held = Held { tag, parent: row, list, unknown: None };
    // SAFETY: the parent's tables have those of the child at its home (`Layout::new`).
    c = unsafe { (child.read)(tables.add(child.home), d, c, &mut held) }?;
    // SAFETY: the caller's promise; rows may have moved. The types are those of the reads above.
    unsafe {
        let at = RowMut((fields.row)(tables, row));
        match entry.shape {
            Shape::Child => at.set(place, held.list.first),
            Shape::ChildMember => {
                at.set(entry.shown_at, entry.number());
                at.set(place, held.list.first as u64);
            }
            _ => at.set(place, held.list),
        }
        if let Some(anchor) = held.unknown {
            let end = d.at(&c);
            with_side(fields, tables, at, |links, side| links.keep(d, anchor, side, start, end))?;
        }
    }
    Some(c)
}

/// Reads a value as the 64 bits that a oneof stores.
fn bits<'a>(d: &Decoder<'a>, c: &mut Cursor<'a>, ty: Type) -> Option<u64> {
    Some(match ty {
        Type::Int32 | Type::Enum | Type::Uint32 | Type::Closed => c.varint()? as u32 as u64,
        Type::Int64 | Type::Uint64 => c.varint()?,
        Type::Bool => (c.varint()? != 0) as u64,
        Type::Sint32 => value::sint32(c.varint()?) as u32 as u64,
        Type::Sint64 => value::sint64(c.varint()?) as u64,
        Type::Utf8 => d.text(c)?.to_bits(),
        Type::Text => d.string(c)?.to_bits(),
        Type::Bytes | Type::Message => c.span(d.input())?.to_bits(),
        Type::Fixed32 | Type::Sfixed32 | Type::Float => c.fixed32()? as u64,
        Type::Fixed64 | Type::Sfixed64 | Type::Double => c.fixed64()?,
    })
}

/// The function [`elements`], for layouts with repeated scalar fields.
pub(super) type Elements =
    for<'a> unsafe fn(&Fields, *mut u8, &mut Decoder<'a>, Cursor<'a>, &Entry, RowMut, u32) -> Option<Cursor<'a>>;

/// Reads elements of a repeated field: a packed record, or all unpacked records that follow. This is the largest
/// function of the decoder. Its parameter has no meaning: it makes the function generic, so that a crate with such a
/// layout compiles it, and not this one.
///
/// # Safety
/// As for [`decode`]; `at` must be the row, and the entry that of a run.
pub(super) unsafe fn elements<'a, const ANY: bool>(
    fields: &Fields,
    tables: *mut u8,
    d: &mut Decoder<'a>,
    mut c: Cursor<'a>,
    entry: &Entry,
    at: RowMut,
    tag: u32,
) -> Option<Cursor<'a>> {
    // SAFETY: the places are the layout's; nobody else uses the tables.
    let scalars = unsafe { &mut *tables.add(fields.scalars).cast::<Scalars>() };
    // SAFETY: the row has a run there (`Layout::new`).
    let mut run: Run = unsafe { at.get(entry.place) };
    let packed = tag & 7 == LEN;
    /// `convert` turns a varint into an element.
    macro_rules! varints {
        ($runs:ident, $convert:ident) => {
            if packed {
                let range = c.range()?;
                scalars.$runs.packed_varint(d, &mut run, range, value::$convert)?;
            } else {
                loop {
                    let v = value::$convert(c.varint()?);
                    scalars.$runs.push(d, d.at(&c), &mut run, v)?;
                    if !c.eat_tag(tag) {
                        break;
                    }
                }
            }
        };
    }
    macro_rules! fixed {
        ($runs:ident, $ty:ident, $one:expr) => {
            if packed {
                let range = c.range()?;
                scalars.$runs.packed_fixed(d, &mut run, range, $ty::from_le_bytes)?;
            } else {
                loop {
                    let v = $one;
                    scalars.$runs.push(d, d.at(&c), &mut run, v)?;
                    if !c.eat_tag(tag) {
                        break;
                    }
                }
            }
        };
    }
    macro_rules! spans {
        ($one:expr) => {
            loop {
                let v: Span = $one;
                scalars.spans.push(d, v.start() as u32, &mut run, v)?;
                if !c.eat_tag(tag) {
                    break;
                }
            }
        };
    }
    match entry.ty {
        Type::Int32 | Type::Enum => varints!(i32s, int32),
        Type::Uint32 => varints!(u32s, uint32),
        Type::Int64 => varints!(i64s, int64),
        Type::Uint64 => varints!(u64s, uint64),
        Type::Bool => varints!(bools, boolean),
        Type::Sint32 => varints!(i32s, sint32),
        Type::Sint64 => varints!(i64s, sint64),
        Type::Fixed32 => fixed!(u32s, u32, c.fixed32()?),
        Type::Sfixed32 => fixed!(i32s, i32, c.fixed32()? as i32),
        Type::Float => fixed!(f32s, f32, f32::from_bits(c.fixed32()?)),
        Type::Fixed64 => fixed!(u64s, u64, c.fixed64()?),
        Type::Sfixed64 => fixed!(i64s, i64, c.fixed64()? as i64),
        Type::Double => fixed!(f64s, f64, f64::from_bits(c.fixed64()?)),
        Type::Utf8 => spans!(d.text(&mut c)?),
        Type::Text => spans!(d.string(&mut c)?),
        Type::Bytes | Type::Message => spans!(c.span(d.input())?),
        Type::Closed => {
            let mut inner = if packed { d.open(c.range()?) } else { c };
            let anchor = d.at(&inner);
            while !packed || !inner.at_end() {
                let v = value::int32(inner.varint()?);
                let anchor = if packed { anchor } else { d.at(&inner) };
                if fields.closed[entry.refers_to as usize](v) {
                    scalars.i32s.push(d, anchor, &mut run, v)?;
                } else {
                    // SAFETY: the caller's promise; scalars do not overlap links and rows.
                    unsafe { keep_enum(fields, tables, d, anchor, at, entry, v)? };
                }
                if !packed {
                    c = inner;
                    if !inner.eat_tag(tag) {
                        break;
                    }
                }
            }
        }
    }
    // SAFETY: as above.
    unsafe { at.set(entry.place, run) };
    Some(c)
}
