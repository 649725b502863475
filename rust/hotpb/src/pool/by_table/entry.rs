//! [`Entry`]: the description of one field in a table, in 16 bytes.

use crate::pool::encoder::Head;
use crate::pool::{List, Run};
use crate::wire::{FIXED32, FIXED64, LEN, Span, VARINT};
use core::mem::offset_of;

/// Types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Type {
    // Varints whose low 32 bits are stored, in this order: see `Type::stores_32`.
    Int32,
    Enum,
    Uint32,
    // Varints of 64 bits.
    Int64,
    Uint64,
    Bool,
    Sint32,
    Sint64,
    /// An enum that has only the values it defines.
    Closed,
    /// A string that is always checked.
    Utf8,
    /// A string that is checked only with `strict`.
    Text,
    Bytes,
    Fixed32,
    Sfixed32,
    Float,
    Fixed64,
    Sfixed64,
    Double,
    Message,
}

impl Type {
    /// Returns the wire type of one value; for messages the tag has it.
    const fn wire_type(self) -> u32 {
        match self {
            Type::Utf8 | Type::Text | Type::Bytes | Type::Message => LEN,
            Type::Fixed32 | Type::Sfixed32 | Type::Float => FIXED32,
            Type::Fixed64 | Type::Sfixed64 | Type::Double => FIXED64,
            _ => VARINT,
        }
    }

    /// Returns the size of a value in a row; for spans, the length determines presence.
    pub(super) const fn width(self) -> Width {
        match self {
            Type::Bool => Width::One,
            Type::Utf8 | Type::Text | Type::Bytes => Width::Span,
            Type::Int64 | Type::Uint64 | Type::Sint64 | Type::Fixed64 | Type::Sfixed64 | Type::Double => Width::Eight,
            _ => Width::Four,
        }
    }
}

/// The size of a value in a row.
pub(super) enum Width {
    One,
    Four,
    Eight,
    Span,
}

/// The form in which a row stores a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Shape {
    /// A value.
    Plain,
    /// A [`Run`], one record for each element.
    Run,
    /// A [`Run`], packed.
    Packed,
    /// The index of a row.
    Child,
    /// A [`List`] of rows.
    List,
    /// A [`List`] of entries.
    Map,
    /// A value in a oneof's 64 bits.
    Member,
    /// The index of a row in a oneof's 64 bits.
    ChildMember,
}

/// The form in which a row stores the presence of a field: a bit number below 32, or one of these.
pub(super) mod shows {
    /// Present if four bytes are not 0; the next two constants: one byte, eight bytes.
    pub const FOUR: u8 = 32;
    pub const ONE: u8 = 33;
    pub const EIGHT: u8 = 34;
    /// Always present.
    pub const ALWAYS: u8 = 35;
    /// Present if a word equals the field's number.
    pub const CASE: u8 = 36;
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The number and the wire type with which it is written.
    pub(super) tag: u32,
    /// The offset of the value in the row.
    pub(super) place: u16,
    /// The offset of the field's presence in the row, and its form.
    pub(super) shown_at: u16,
    pub(super) shown_by: u8,
    pub(super) shape: Shape,
    pub(super) ty: Type,
    /// Whether the field is required ([`REQUIRED`]), and the number of fields up to this one that are values with
    /// adjacent bits of one word, see [`adjacent`].
    traits: u8,
    /// The index of the field's child or closed enum.
    pub(super) refers_to: u16,
    /// The bytes of the tag, if it has at most two.
    pub(super) head: Head,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// The bit of [`Entry::traits`] for required fields; the other bits are a number of at most 32.
const REQUIRED: u8 = 0x80;

/// Completes the entries of a message: counts for each one how many of those up to it are values whose presence bits are
/// adjacent in one word. The encoder finds the present ones among them without a test for each.
pub const fn adjacent<const N: usize>(mut entries: [Entry; N]) -> [Entry; N] {
    let mut i = 0;
    while i < N {
        let entry = entries[i];
        if matches!(entry.shape, Shape::Plain) && entry.shown_by < shows::FOUR {
            let mut before = 0;
            if i > 0 && entry.shown_by > 0 {
                let last = entries[i - 1];
                if last.shown_at == entry.shown_at && last.shown_by + 1 == entry.shown_by {
                    before = last.adjacent();
                }
            }
            entries[i].traits += before + 1;
        }
        i += 1;
    }
    entries
}

/// Offsets have 16 bits; the generator writes straight code for larger rows.
const fn small(place: usize) -> u16 {
    assert!(place <= u16::MAX as usize);
    place as u16
}

impl Entry {
    const fn new(tag: u32, shape: Shape, ty: Type, place: usize, (shown_at, shown_by): (usize, u8)) -> Entry {
        let (place, shown_at) = (small(place), small(shown_at));
        let head = Head::new(tag);
        Entry { tag, place, shown_at, shown_by, shape, ty, traits: 0, refers_to: 0, head }
    }

    /// A value that is present if it is not zero.
    pub const fn plain(tag: u32, ty: Type, place: usize) -> Entry {
        let shown = match ty.width() {
            Width::One => (place, shows::ONE),
            Width::Four => (place, shows::FOUR),
            Width::Eight => (place, shows::EIGHT),
            Width::Span => (place + Span::LEN_AT, shows::FOUR),
        };
        Entry::new(tag, Shape::Plain, ty, place, shown)
    }

    /// The elements of a repeated field.
    pub const fn run(tag: u32, ty: Type, place: usize) -> Entry {
        let shape = if tag & 7 == ty.wire_type() { Shape::Run } else { Shape::Packed };
        Entry::new(tag, shape, ty, place, (place + offset_of!(Run, len), shows::FOUR))
    }

    /// A message; `child` is the index of its [`super::Child`].
    pub const fn child(tag: u32, place: usize, child: u16) -> Entry {
        Entry::new(tag, Shape::Child, Type::Message, place, (place, shows::FOUR)).refers_to(child)
    }

    /// A list of messages.
    pub const fn list(tag: u32, place: usize, child: u16) -> Entry {
        let shown = (place + offset_of!(List, count), shows::FOUR);
        Entry::new(tag, Shape::List, Type::Message, place, shown).refers_to(child)
    }

    /// The entries of a map.
    pub const fn map(tag: u32, place: usize, child: u16) -> Entry {
        let shown = (place + offset_of!(List, count), shows::FOUR);
        Entry::new(tag, Shape::Map, Type::Message, place, shown).refers_to(child)
    }

    /// A value in a oneof whose case is at another place.
    pub const fn member(tag: u32, ty: Type, place: usize, case: usize) -> Entry {
        Entry::new(tag, Shape::Member, ty, place, (case, shows::CASE))
    }

    /// A message in a oneof.
    pub const fn child_member(tag: u32, place: usize, case: usize, child: u16) -> Entry {
        Entry::new(tag, Shape::ChildMember, Type::Message, place, (case, shows::CASE)).refers_to(child)
    }

    /// The same field, present if bit `bit` is set in the words that begin at `words`.
    pub const fn bit(mut self, words: usize, bit: usize) -> Entry {
        self.shown_at = small(words + bit / 32 * 4);
        self.shown_by = (bit % 32) as u8;
        self
    }

    /// The same field, always present.
    pub const fn always(mut self) -> Entry {
        self.shown_by = shows::ALWAYS;
        self
    }

    /// The same field, required.
    pub const fn required(mut self) -> Entry {
        self.traits |= REQUIRED;
        self
    }

    /// The same field, of the closed enum with this index.
    pub const fn closed(self, index: u16) -> Entry {
        self.refers_to(index)
    }

    const fn refers_to(mut self, index: u16) -> Entry {
        self.refers_to = index;
        self
    }

    /// Reports whether the field contains messages, and so has the index of a child.
    pub(super) const fn has_child(&self) -> bool {
        matches!(self.shape, Shape::Child | Shape::List | Shape::Map | Shape::ChildMember)
    }

    /// Reports whether the field is required.
    pub(super) const fn is_required(&self) -> bool {
        self.traits & REQUIRED != 0
    }

    /// Returns the number of values with adjacent bits up to this one; 0 if it has no bit.
    #[inline(always)]
    pub(super) const fn adjacent(&self) -> u8 {
        self.traits & !REQUIRED
    }

    /// Reports whether a row stores the field as a run.
    pub(super) const fn is_run(&self) -> bool {
        matches!(self.shape, Shape::Run | Shape::Packed)
    }

    /// Returns the field number.
    #[inline(always)]
    pub(super) const fn number(&self) -> u32 {
        self.tag >> 3
    }

    /// Reports whether a record with this tag, which has the field's number, belongs to the field: repeated numbers may
    /// be packed or not.
    #[inline(always)]
    pub(super) const fn takes(&self, tag: u32) -> bool {
        if self.tag == tag {
            return true;
        }
        match self.shape {
            Shape::Run => tag == self.number() << 3 | LEN && self.ty.wire_type() != LEN,
            Shape::Packed => tag == self.number() << 3 | self.ty.wire_type(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_values_end_where_another_word_or_another_shape_begins() {
        let value = |bit| Entry::plain(8, Type::Int32, 0).bit(8, bit);
        let entries = adjacent([
            value(29),
            value(30).required(),
            value(31),
            value(32),
            value(33),
            Entry::child(18, 0, 0),
            value(34),
            value(36),
            Entry::plain(8, Type::Int32, 0),
            Entry::run(8, Type::Int32, 0),
            value(37),
        ]);
        assert_eq!(entries.map(|entry| entry.adjacent()), [1, 2, 3, 1, 2, 0, 1, 1, 0, 0, 1]);
        assert_eq!(entries.map(|entry| entry.is_required()).iter().filter(|required| **required).count(), 1);
        assert!(entries[1].is_required());

        let word: [Entry; 40] = core::array::from_fn(value);
        let counts = adjacent(word).map(|entry| entry.adjacent());
        assert_eq!(counts, core::array::from_fn(|i| (i % 32 + 1) as u8));
    }
}
