//! Encoding by table. Like all encoding it runs backwards, from the last field.

use super::super::{Encoder, List, Run, Scalars, Side};
use super::entry::{Entry, Shape, Type, Width};
use super::place::RowRef;
use super::{Fields, shows};
use crate::wire::{Span, zigzag32, zigzag64};

/// Writes a row.
///
/// # Safety
/// `tables` must point to the tables of this layout and `row` to one of its rows, and nobody may change them.
#[inline(never)]
pub(super) unsafe fn encode<'m>(
    fields: &'static Fields,
    tables: *const u8,
    input: &'m [u8],
    e: &mut Encoder<'m>,
    row: *const u8,
) {
    if fields.recursive && e.is_too_deep() {
        return;
    }
    let row = RowRef(row);
    if !fields.entry {
        // SAFETY: the places are the layout's.
        unsafe { e.unknown(&*tables.add(fields.links).cast::<Side>(), input, row.get(fields.side)) };
    }
    let mut left = fields.entries.len();
    while let Some(last) = left.checked_sub(1).and_then(|last| fields.entries.get(last)) {
        // The presence of the fields up to `last`: its own is the highest bit.
        let (present, count) = match last.adjacent() {
            // SAFETY: the row has the field that the entry describes (`Layout::new`); the same holds below.
            0 => (unsafe { is_there(last, row) } as u32, 1),
            // SAFETY: see above; the row has a word of presence bits there.
            count => (unsafe { row.get::<u32>(last.shown_at) } >> (last.shown_by + 1 - count), count as usize),
        };
        let mut present = present << (32 - count);
        left -= count;
        while present != 0 {
            let highest = 31 - present.leading_zeros();
            present ^= 1 << highest;
            let Some(entry) = fields.entries.get(left + (highest as usize + count - 32)) else { break };
            if entry.shape == Shape::Plain {
                // SAFETY: see above.
                unsafe { plain(e, entry, row, input) };
            } else {
                // SAFETY: the caller's promise.
                unsafe { rare(fields, tables, input, e, entry, row) };
            }
        }
    }
}

/// Writes a field that is a plain value.
///
/// # Safety
/// The row must have the field that the entry describes.
#[inline(always)]
unsafe fn plain<'m>(e: &mut Encoder<'m>, entry: &Entry, row: RowRef, input: &'m [u8]) {
    let (tag, head, place) = (entry.tag, entry.head, entry.place);
    // SAFETY: the caller's promise.
    unsafe {
        let value = match entry.ty {
            Type::Utf8 | Type::Text | Type::Bytes => return e.span_by(tag, head, row.get::<Span>(place), input),
            Type::Int32 | Type::Enum | Type::Closed => row.get::<i32>(place) as i64 as u64,
            Type::Uint32 => row.get::<u32>(place) as u64,
            Type::Int64 | Type::Uint64 => row.get::<u64>(place),
            Type::Bool => return e.byte_by(tag, head, row.get::<u8>(place)),
            Type::Sint32 => zigzag32(row.get::<i32>(place)) as u64,
            Type::Sint64 => zigzag64(row.get::<i64>(place)),
            Type::Fixed32 | Type::Sfixed32 | Type::Float => return e.fixed32_by(tag, head, row.get::<u32>(place)),
            Type::Fixed64 | Type::Sfixed64 | Type::Double => return e.fixed64_by(tag, head, row.get::<u64>(place)),
            Type::Message => return,
        };
        e.varint_by(tag, head, value);
    }
}

/// Reports whether a row has a field.
///
/// # Safety
/// The entry must be one of the row's.
#[inline(always)]
pub(super) unsafe fn is_there(entry: &Entry, row: RowRef) -> bool {
    let at = entry.shown_at;
    // SAFETY: the row has the presence of the field there (`Layout::new`).
    unsafe {
        let shown_by = entry.shown_by;
        if shown_by <= shows::FOUR {
            // Tests a bit of a word, or any of its bits, which is coded as bit 32: no branch.
            let word = row.get::<u32>(at);
            return (word as u64 | ((word != 0) as u64) << shows::FOUR) >> shown_by & 1 != 0;
        }
        match shown_by {
            shows::EIGHT => row.get::<u64>(at) != 0,
            shows::ONE => row.get::<u8>(at) != 0,
            shows::CASE => row.get::<u32>(at) == entry.number(),
            _ => true,
        }
    }
}

/// Writes a value without its tag, from the bits of a oneof; for 32-bit types it ignores the other bits.
#[inline]
fn value(e: &mut Encoder<'_>, ty: Type, bits: u64) {
    match ty {
        Type::Int32 | Type::Enum | Type::Closed => e.varint::<0>(bits as i32 as i64 as u64),
        Type::Uint32 => e.varint::<0>(bits as u32 as u64),
        Type::Int64 | Type::Uint64 => e.varint::<0>(bits),
        Type::Bool => e.varint::<0>((bits != 0) as u64),
        Type::Sint32 => e.varint::<0>(zigzag32(bits as i32) as u64),
        Type::Sint64 => e.varint::<0>(zigzag64(bits as i64)),
        Type::Fixed32 | Type::Sfixed32 | Type::Float => e.fixed32::<0>(bits as u32),
        Type::Fixed64 | Type::Sfixed64 | Type::Double => e.fixed64::<0>(bits),
        // These have a length, and are written as spans or messages.
        Type::Utf8 | Type::Text | Type::Bytes | Type::Message => {}
    }
}

/// Writes a field that is not a plain value.
///
/// # Safety
/// As for [`encode`].
#[inline(never)]
unsafe fn rare<'m>(
    fields: &'static Fields,
    tables: *const u8,
    input: &'m [u8],
    e: &mut Encoder<'m>,
    entry: &'static Entry,
    row: RowRef,
) {
    // SAFETY: the row has the field that the entry describes (`Layout::new`).
    unsafe {
        if let Shape::Run | Shape::Packed = entry.shape {
            let scalars = &*tables.add(fields.scalars).cast::<Scalars>();
            return elements(scalars, input, e, entry, row.get(entry.place));
        }
        if let Shape::Plain | Shape::Member = entry.shape {
            let bits = row.get::<u64>(entry.place);
            if let Width::Span = entry.ty.width() {
                return e.span_by(entry.tag, entry.head, Span::from_bits(bits), input);
            }
            value(e, entry.ty, bits);
            return e.tag_by(entry.tag);
        }
        let child = &fields.children[entry.refers_to as usize];
        (child.write)(tables.add(child.home), input, e, entry.tag, held(entry, row));
    }
}

/// Returns the list of a field with messages; for a single message, `first` is its row.
///
/// # Safety
/// The entry must be one of the row's, with a child.
pub(super) unsafe fn held(entry: &Entry, row: RowRef) -> List {
    // SAFETY: the row has the field that the entry describes (`Layout::new`).
    unsafe {
        match entry.shape {
            Shape::Child => List { first: row.get(entry.place), ..List::EMPTY },
            Shape::ChildMember => List { first: row.get::<u64>(entry.place) as u32, ..List::EMPTY },
            _ => row.get(entry.place),
        }
    }
}

/// Writes the elements of a repeated field, the last one first.
fn elements<'m>(scalars: &Scalars, input: &'m [u8], e: &mut Encoder<'m>, entry: &Entry, run: Run) {
    let (packed, end) = (entry.shape == Shape::Packed, e.mark());
    macro_rules! elements {
        ($runs:ident, $bits:expr) => {
            for &v in scalars.$runs.get(run).iter().rev() {
                value(e, entry.ty, $bits(v));
                if !packed {
                    e.tag_by(entry.tag);
                }
            }
        };
    }
    match entry.ty {
        Type::Int32 | Type::Enum | Type::Closed | Type::Sint32 | Type::Sfixed32 => elements!(i32s, |v| v as u64),
        Type::Uint32 | Type::Fixed32 => elements!(u32s, |v| v as u64),
        Type::Int64 | Type::Sint64 | Type::Sfixed64 => elements!(i64s, |v| v as u64),
        Type::Uint64 | Type::Fixed64 => elements!(u64s, |v| v),
        Type::Bool => elements!(bools, |v| v as u64),
        Type::Float => elements!(f32s, |v: f32| v.to_bits() as u64),
        Type::Double => elements!(f64s, f64::to_bits),
        Type::Utf8 | Type::Text | Type::Bytes | Type::Message => {
            for &v in scalars.spans.get(run).iter().rev() {
                e.span_by(entry.tag, entry.head, v, input);
            }
        }
    }
    if packed {
        e.close_by(entry.tag, end);
    }
}
