//! Messages by table: a small entry for each field, and one loop each that decodes, encodes and looks for absent
//! required fields. They serve all messages that are too wide for straight code (`spec/plan.md`, PLN-32).
//!
//! ```text
//!   Layout ─▶ entries   tag 08 │ place 12 │ shows in bit 3 of the word at 0   │ Plain   │ Int32
//!                       tag 12 │ place 16 │ shows where its length is not 0   │ Plain   │ Utf8
//!                       tag 1a │ place 24 │ shows where its count is not 0    │ List    │ children[0]
//!             children  what pushes, decodes and encodes rows of another table
//! ```
//! Here a row and its tables are plain memory, and entries have the offsets of fields; this is why the code is
//! `unsafe`. Generated code constructs each [`Layout`] and promises that its offsets are those of its row
//! ([`Layout::new`]); all of them come from `offset_of!`. Accessors, handles and errors do not depend on how a message
//! was decoded.

mod child;
mod decode;
mod encode;
mod entry;
mod macros;
mod missing;
mod place;

pub use child::{Child, EntryNode, Node};
pub use entry::{Entry, Type, adjacent};

use self::entry::shows;
use super::{Decoder, Encoder, Missing, Stack};
use crate::wire::check::MessageSchema;
use crate::wire::{Pos, Range};
use core::marker::PhantomData;

/// Describes a message to the loops: the offsets in its row, and the types of its fields.
pub struct Layout<R> {
    fields: Fields,
    marker: PhantomData<fn() -> R>,
}

/// A layout without the type of its row.
struct Fields {
    /// One entry for each field of `schema`, in the same order.
    entries: &'static [Entry],
    /// The number of leading entries that have the field numbers 1, 2, 3, ….
    dense: usize,
    children: &'static [Child],
    /// `required` leading entries include all required fields; `missing` leading entries include all fields whose
    /// messages can lack a required field.
    required: usize,
    missing: usize,
    /// Tests that report which values the closed enums define.
    closed: &'static [fn(i32) -> bool],
    /// Fields that are left out, and whose records are discarded.
    dropped: &'static [u32],
    schema: &'static MessageSchema,
    /// The function that reads the elements of runs, if the row has any.
    elements: Option<decode::Elements>,
    /// Returns a row of the table in these tables.
    row: unsafe fn(*mut u8, u32) -> *mut u8,
    /// The offset of the row's `side`.
    side: u16,
    /// The offsets of the scalars and the side entries in the tables.
    scalars: usize,
    links: usize,
    /// Whether the message can contain messages of its own kind.
    recursive: bool,
    /// Whether it is a map's entry: it keeps no unknown fields, and both fields are always present (MAP-1, MAP-6).
    entry: bool,
}

impl Fields {
    /// Returns the index of the field with this tag, packed or not if it is repeated (PKD-1). Fields are usually in
    /// ascending order, so it is probably one of those from `next` on.
    #[inline(always)]
    fn find(&self, next: usize, tag: u32) -> Option<usize> {
        let index = (tag >> 3).wrapping_sub(1) as usize;
        let index = if index < self.dense { index } else { self.search(next, tag)? };
        self.entries.get(index).filter(|entry| entry.takes(tag)).map(|_| index)
    }

    #[inline(never)]
    fn search(&self, next: usize, tag: u32) -> Option<usize> {
        let near = self.entries.get(next..).unwrap_or(&[]).iter().take(8).position(|entry| entry.tag == tag);
        let binary = || self.entries.binary_search_by_key(&(tag >> 3), |entry| entry.number()).ok();
        near.map(|step| next + step).or_else(binary)
    }
}

impl<R: Node> Layout<R> {
    /// Creates the layout of a row, from its entries in ascending order of numbers, and the items to which they refer
    /// by index. `side` is the offset of the row's `side`; `scalars` and `links` are the offsets of [`super::Scalars`]
    /// and [`super::Side`] in `R::Tables`.
    ///
    /// # Safety
    /// The offsets must be those of the row's and the tables' fields, from `offset_of!`, and the types and shapes those
    /// of the fields: spans for text and bytes, [`super::Run`] for runs, [`super::List`] for lists and maps, `u32` for
    /// children, presence bits and cases, `u64` for the values of oneofs. Presence bits must be bits of a word of the
    /// row. Each index must be valid in the slice it refers to, each [`Child`] must be one of `R::Tables`, and a
    /// child's row must have the type of the field.
    #[allow(clippy::too_many_arguments)]
    pub const unsafe fn new(
        schema: &'static MessageSchema,
        entries: &'static [Entry],
        children: &'static [Child],
        closed: &'static [fn(i32) -> bool],
        dropped: &'static [u32],
        side: usize,
        scalars: usize,
        links: usize,
    ) -> Layout<R> {
        let mut dense = 0;
        while dense < entries.len() && entries[dense].number() as usize == dense + 1 {
            dense += 1;
        }
        let (mut elements, mut required, mut missing, mut i) = (None, 0, 0, 0);
        while i < entries.len() {
            if entries[i].is_run() {
                elements = Some(decode::elements::<true> as decode::Elements);
            }
            if entries[i].is_required() {
                required = i + 1;
            }
            if entries[i].has_child() && children[entries[i].refers_to as usize].absent.is_some() {
                missing = i + 1;
            }
            i += 1;
        }
        assert!(side <= u16::MAX as usize && entries.len() == schema.fields.len());
        let fields = Fields {
            entries,
            dense,
            children,
            required,
            missing,
            closed,
            dropped,
            schema,
            elements,
            row: child::row_of::<R>,
            side: side as u16,
            scalars,
            links,
            recursive: R::RECURSIVE,
            entry: R::ENTRY,
        };
        Layout { fields, marker: PhantomData }
    }

    /// Decodes records into a row, merging with its content, up to the end or the end tag.
    pub fn decode<'a>(
        &'static self,
        tables: &mut R::Tables,
        d: &mut Decoder<'a>,
        range: Range<'a>,
        row: u32,
        end_tag: u32,
    ) -> Option<Pos<'a>> {
        // SAFETY: the layout is that of `R` in `R::Tables` (`Layout::new`).
        unsafe { decode::decode(&self.fields, (&raw mut *tables).cast(), d, range, row, end_tag) }
    }

    /// Writes a row, the last field first.
    pub fn encode<'m>(&'static self, row: &'m R, tables: &'m R::Tables, input: &'m [u8], e: &mut Encoder<'m>) {
        // SAFETY: the layout is that of `R` in `R::Tables` (`Layout::new`).
        unsafe { encode::encode(&self.fields, (&raw const *tables).cast(), input, e, (&raw const *row).cast()) }
    }

    /// Finds the first required field that is absent: fields of the message first, then its children, both in ascending
    /// order of numbers.
    pub fn missing(&'static self, row: &R, tables: &R::Tables, stack: &Stack) -> Result<(), Missing> {
        // SAFETY: the layout is that of `R` in `R::Tables` (`Layout::new`).
        unsafe { missing::missing(&self.fields, (&raw const *tables).cast(), (&raw const *row).cast(), stack) }
    }
}
