//! Messages by table: a small entry for each field, and one loop each that decodes, encodes and looks for absent required
//! fields, for all messages that are too wide for code of their own (`spec/plan.md`, PLN-32).
//!
//! ```text
//!   Layout ─▶ entries   tag 08 │ place 12 │ shows in bit 3 of the word at 0   │ Plain   │ Int32
//!                       tag 12 │ place 16 │ shows where its length is not 0   │ Plain   │ Utf8
//!                       tag 1a │ place 24 │ shows where its count is not 0    │ List    │ children[0]
//!             children  what pushes, decodes and encodes rows of another table
//! ```
//! A row and its tables are memory here, which entries say the places in: this is where `unsafe` stands. A [`Layout`] is made
//! by generated code, which promises that its places are those of its row ([`Layout::new`]); all offsets come from
//! `offset_of!`. Accessors, handles and errors do not know how a message was decoded.

mod child;
mod decode;
mod encode;
mod entry;
mod macros;
mod missing;
mod place;

pub use child::{Child, EntryNode, Node};
pub use entry::{Entry, Type};

use self::entry::shows;
use super::{Decoder, Encoder, Missing, Stack};
use crate::wire::check::MessageSchema;
use crate::wire::{Pos, Range};
use core::marker::PhantomData;

/// What the loops know of a message: the places of its row, and what its fields hold.
pub struct Layout<R> {
    fields: Fields,
    of: PhantomData<fn() -> R>,
}

/// A layout, whatever its row.
struct Fields {
    /// One for each field of `schema`, in its order.
    entries: &'static [Entry],
    /// So many of the first entries have the numbers 1, 2, 3, ….
    dense: usize,
    children: &'static [Child],
    /// So many of the first entries have all that are required, and so many all whose messages can have an absent required field.
    required: usize,
    missing: usize,
    /// Which values closed enums define.
    closed: &'static [fn(i32) -> bool],
    /// Fields that are left out, and whose records are dropped.
    dropped: &'static [u32],
    schema: &'static MessageSchema,
    /// What reads the elements of its runs, when it has some.
    elements: Option<decode::Elements>,
    /// A row of the table in these tables.
    row: unsafe fn(*mut u8, u32) -> *mut u8,
    /// Where the row has its `side`.
    side: u16,
    /// Where the tables have their scalars and their side entries.
    scalars: usize,
    links: usize,
    /// Whether the message can hold messages of its own kind.
    recursive: bool,
    /// Whether it is a map's entry: it keeps no unknown fields, and has both fields always (MAP-1, MAP-6).
    entry: bool,
}

impl Fields {
    /// The index of the field that has this tag; packed or not, where it is repeated (PKD-1).
    #[inline(always)]
    fn find(&self, tag: u32) -> Option<usize> {
        let index = (tag >> 3).wrapping_sub(1) as usize;
        let index = if index < self.dense { index } else { self.search(tag >> 3)? };
        self.entries.get(index).filter(|entry| entry.takes(tag)).map(|_| index)
    }

    #[inline(never)]
    fn search(&self, number: u32) -> Option<usize> {
        self.entries.binary_search_by_key(&number, |entry| entry.number()).ok()
    }
}

impl<R: Node> Layout<R> {
    /// The layout of a row, from its entries by ascending number and what those refer to by index. `side` is the place of the
    /// row's `side`; `scalars` and `links` are the places of [`super::Scalars`] and [`super::Side`] in `R::Tables`.
    ///
    /// # Safety
    /// The places are those of the row's fields and of the tables', by `offset_of!`, and the types and shapes those of the
    /// fields: spans for text and bytes, [`super::Run`] for runs, [`super::List`] for lists and maps, `u32` for children,
    /// presence bits and cases, `u64` for the values of oneofs. Presence bits are bits of a word of the row. Each index is one
    /// of the slice it refers to, each [`Child`] is one of `R::Tables`, and a child's row is of the type that the field has.
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
            if entries[i].required {
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
        Layout { fields, of: PhantomData }
    }

    /// Decodes records into a row, on top of what it holds, up to the end or the end tag.
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
    pub fn encode(&'static self, row: &R, tables: &R::Tables, input: &[u8], e: &mut Encoder) {
        // SAFETY: the layout is that of `R` in `R::Tables` (`Layout::new`).
        unsafe { encode::encode(&self.fields, (&raw const *tables).cast(), input, e, (&raw const *row).cast()) }
    }

    /// Finds the first required field that is absent: own fields first, then children, both by ascending number.
    pub fn missing(&'static self, row: &R, tables: &R::Tables, stack: &Stack) -> Result<(), Missing> {
        // SAFETY: the layout is that of `R` in `R::Tables` (`Layout::new`).
        unsafe { missing::missing(&self.fields, (&raw const *tables).cast(), (&raw const *row).cast(), stack) }
    }
}
