//! Whole messages, decoded into reused memory.
//!
//! ```
//! use hotpb::wkt::FieldMaskPool;
//! let mut pool = FieldMaskPool::new(); // keep one per worker
//! for body in [&b"\x0a\x01a"[..], b"\x0a\x01b\x0a\x01c"] {
//!     let mask = pool.decode(body)?; // ends the handle of the decode before; allocates nothing once warm
//!     assert_eq!(mask.paths().len(), body.len() / 3); // strings borrow `body`
//! }
//! # Ok::<(), hotpb::Error>(())
//! ```
//!
//! A [`Pool`] owns flat tables, one per message type that its root can reach, and tables of scalars. Decoding fills
//! them from the start; once they are as large as the messages need, it allocates nothing. A decode returns a handle: a
//! `Copy` value of three references, with plain accessors. Strings and bytes borrow from the input, and the borrow
//! checker ends all handles before the next decode, and before the input changes or ends.
//!
//! ```text
//!   WriteRequestRow        TimeSeriesRow                 LabelRow
//!   timeseries 1..=2  ───▶ 1 labels 1..=2, samples … ──▶ 1 name @5+8  value @15+4     @ = offset + length
//!                          2 labels 3..=3, samples … ─┐  2 name @21+3 value @26+9         in the input
//!                                                     └▶ 3 …
//! ```
//! Row 0 of each table is all zero and represents an absent message. The children of a parent are adjacent if possible;
//! otherwise (recursive types, interleaved fields) rows are linked.

#[doc(hidden)]
pub mod __rt;
#[cfg(feature = "bytes")]
mod buf;
mod build;
mod by_table;
mod decoder;
mod encode;
mod encoder;
pub mod extension;
#[cfg(feature = "tokio-util")]
mod framed;
mod generated;
mod list;
mod map;
mod memory;
mod missing;
mod owned;
#[cfg(any(test, feature = "std"))]
mod pools;
mod records;
mod request;
mod runs;
mod side;
mod straight;
mod stream;
mod table;
mod text;
mod unknown;
mod value;
mod visit;
pub mod walk;

#[doc(hidden)]
pub use build::Merge;
pub use build::{Builder, ProtoString, UnknownSet};
pub use encode::{Encode, EncodeBuffer, EncodeOptions};
#[cfg(feature = "tokio-util")]
pub use framed::{DelimitedCodec, FrameError};
pub use list::{Handle, Rows, RowsIter};
pub use map::{Entry, Map, MapIter};
pub use owned::{Failed, Owned};
#[cfg(any(test, feature = "std"))]
pub use pools::{Pools, PoolsOptions, Recycled};
pub use records::{Record, Records};
pub use stream::DelimitedPool;
pub use text::{Enums, EnumsIter, FromSpan, ProtoStr, Spans, SpansIter};
pub use unknown::{UnknownField, UnknownFields};
pub use visit::{Elements, Flow, Ignore, Stop, Unknown, VisitError, VisitWith};

use decoder::Decoder;
use encoder::Encoder;
use list::{List, handle};
use map::{EntryRow, EntryTable};
use memory::Memory;
use missing::Missing;
use runs::{Run, Scalars};
use side::Side;
use straight::{DecodeRow, ResetRow};
use table::{Row, Table, Unit};

use crate::wire::check::{self, Limits, MessageSchema};
use crate::wire::{MAX_DEPTH, MAX_SIZE, MAX_STACK, Pos, Range, Stack};
use crate::{Code, Error};
use alloc::{boxed::Box, vec::Vec};

/// Options of one decode; the defaults are in `spec/wire.md` §13.
#[derive(Clone, Debug)]
pub struct DecodeOptions {
    /// Checks every string, including those that the schema leaves unchecked.
    pub strict: bool,
    /// The depth to which messages, groups and map entries may nest; at most [`crate::wire::DEPTH_CEILING`].
    pub depth: u32,
    /// Bytes of the thread's stack that nested messages may use. A message that would use more is `DepthExceeded`,
    /// whatever its number of levels (LIM-7). The default, [`MAX_STACK`], suits threads with 2 MiB; for a smaller stack
    /// set half of its size.
    pub stack: usize,
    /// The largest message, in bytes.
    pub size: usize,
    /// The largest number of repeated elements, nested messages, groups and map entries together. With a limit, a pass
    /// over the input precedes the decode, so that nothing is stored of a message that exceeds it.
    pub elements: Option<usize>,
    /// The largest amount of memory that the message may need; by default the larger of 1 MiB and 32 times the input.
    pub memory: Option<usize>,
    /// Accepts messages even if required fields are absent.
    pub allow_partial: bool,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions {
            strict: false,
            depth: MAX_DEPTH,
            stack: MAX_STACK,
            size: MAX_SIZE,
            elements: None,
            memory: None,
            allow_partial: false,
        }
    }
}

impl DecodeOptions {
    fn limits(&self) -> Limits {
        Limits { strict: self.strict, depth: self.depth, size: self.size, elements: self.elements }
    }

    #[inline]
    fn memory_for(&self, input: usize) -> usize {
        self.memory.unwrap_or_else(|| (1 << 20).max(input.saturating_mul(32)))
    }
}

/// Implemented by generated code for a message that can be decoded as a root. Pools and extensions name `Foo<'static>`.
/// The trait is implemented for all lifetimes, because the compiler erases them when it checks that a future is `Send`.
///
/// # Safety
/// The content that `decode` leaves in the tables must be as `handle` expects: offsets lie in the input, strings whose
/// accessors return `&str` are UTF-8 (or the caller asked the decoder to trust them), and rows belong to no other input.
/// `Handle` is the handle of `Row` in `Tables`.
pub unsafe trait Message {
    /// All tables of the generated unit.
    #[doc(hidden)]
    type Tables: Unit;
    /// The handle: `Foo<'a>`.
    type Handle<'a>: Handle<'a> + core::fmt::Debug + PartialEq + Into<walk::AnyMessage<'a>>;
    /// The row of the handle.
    #[doc(hidden)]
    type Row: DecodeRow<Tables = Self::Tables> + ResetRow;
    /// The schema table, for the cold decoder.
    #[doc(hidden)]
    const SCHEMA: &'static MessageSchema;

    /// Clears the tables that this message can reach.
    #[doc(hidden)]
    #[inline]
    fn reset(tables: &mut Self::Tables) {
        Self::Row::reset::<()>(tables);
        let (scalars, links) = tables.shared();
        scalars.clear();
        links.clear();
        Self::clear(tables);
    }
    /// Clears what messages share in the tables of other units.
    #[doc(hidden)]
    #[inline]
    fn clear(_tables: &mut Self::Tables) {}
    /// Adds an empty row and returns its index.
    #[doc(hidden)]
    #[inline]
    fn new_row(tables: &mut Self::Tables, d: &mut Decoder<'_>) -> Option<u32> {
        Self::Row::table(tables).0.push_empty(d, 0)
    }
    /// Decodes a range into a row, merging with its content.
    #[doc(hidden)]
    #[inline]
    fn decode<'a>(tables: &mut Self::Tables, d: &mut Decoder<'a>, range: Range<'a>, row: u32) -> Option<Pos<'a>> {
        Self::Row::decode::<()>(tables, d, range, row, 0)
    }
    /// Makes maps unique, after everything is decoded.
    #[doc(hidden)]
    #[inline]
    fn finish(_tables: &mut Self::Tables, _input: &[u8]) {}
    /// Looks for absent required fields.
    #[doc(hidden)]
    fn missing(_tables: &Self::Tables, _row: u32, _stack: &Stack) -> Result<(), Missing> {
        Ok(())
    }
    /// Returns a handle of a row.
    #[doc(hidden)]
    #[inline]
    fn handle<'a>(tables: &'a Self::Tables, input: &'a [u8], row: u32) -> Self::Handle<'a> {
        #[repr(C)]
        struct Parts<'a, M: Message + ?Sized>(&'a M::Tables, &'a [u8], &'a M::Row);
        const { assert!(size_of::<Self::Handle<'a>>() == size_of::<Parts<'a, Self>>()) }
        // SAFETY: the handle of `Row` in `Tables` has these fields in this order. `Table::get` returns a row of these tables, or the empty one.
        unsafe { core::mem::transmute_copy(&Parts::<'a, Self>(tables, input, Self::Row::rows(tables).0.get(row))) }
    }
}

/// Reusable memory for decoding messages of one type.
///
/// Generated code names it, for example `type WriteRequestPool = Pool<WriteRequest<'static>>`. Keep one per worker.
pub struct Pool<M: Message> {
    /// Boxed, because a unit has many tables and pools are moved around. The first decode allocates it.
    tables: Option<Box<M::Tables>>,
    /// The copy that [`Pool::decode_copy`] makes.
    copy: Vec<u8>,
}

impl<M: Message> Default for Pool<M> {
    fn default() -> Pool<M> {
        Pool::new()
    }
}

impl<M: Message> core::fmt::Debug for Pool<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Pool<{}>", M::SCHEMA.name)
    }
}

impl<M: Message> Pool<M> {
    /// Creates an empty pool; its tables grow with the first messages.
    pub fn new() -> Pool<M> {
        Pool { tables: None, copy: Vec::new() }
    }

    /// Returns the tables of a message that was decoded.
    #[inline(always)]
    fn filled(&self) -> &M::Tables {
        match &self.tables {
            Some(tables) => tables,
            None => unreachable!("a decode begins with them"),
        }
    }

    /// Decodes a message with the default limits.
    pub fn decode<'a>(&'a mut self, input: &'a [u8]) -> Result<M::Handle<'a>, Error> {
        self.decode_with(input, &DecodeOptions::default())
    }

    /// Decodes a message with options.
    pub fn decode_with<'a>(&'a mut self, input: &'a [u8], options: &DecodeOptions) -> Result<M::Handle<'a>, Error> {
        self.decode_parts(input, core::iter::once((0, input.len())), options)
    }

    /// Decodes a message that consists of parts of an input, as split messages and extensions do: the parts merge.
    /// Offsets of errors refer to the input.
    pub fn decode_parts<'a>(
        &'a mut self,
        input: &'a [u8],
        parts: impl Iterator<Item = (usize, usize)>,
        options: &DecodeOptions,
    ) -> Result<M::Handle<'a>, Error> {
        let row = self.fill(input, parts, options, false)?;
        Ok(M::handle(self.filled(), input, row))
    }

    /// Decodes a message whose bytes you need for something else. The pool copies the whole input once, into reused
    /// memory, and strings borrow from that copy (POL-3).
    pub fn decode_copy(&mut self, input: &[u8]) -> Result<M::Handle<'_>, Error> {
        self.decode_copy_with(input, &DecodeOptions::default())
    }

    /// The same with options.
    pub fn decode_copy_with(&mut self, input: &[u8], options: &DecodeOptions) -> Result<M::Handle<'_>, Error> {
        // A message that is too large is rejected before it is copied.
        let small = input.len() <= options.size.min(MAX_SIZE);
        let mut copy = core::mem::take(&mut self.copy);
        copy.clear();
        copy.extend_from_slice(if small { input } else { &[] });
        let source = if small { &copy[..] } else { input };
        let row = self.fill(source, core::iter::once((0, source.len())), options, false);
        self.copy = copy;
        let row = row?;
        Ok(M::handle(self.filled(), &self.copy, row))
    }

    /// Decodes a message without checking that its strings are UTF-8. It checks everything else.
    ///
    /// Use it for bytes that were checked before, or that come from a trusted writer. On the benchmark's remote-write
    /// requests it saves a tenth of the instructions.
    ///
    /// # Safety
    /// Every string field whose accessor returns `&str` must contain valid UTF-8: the accessors return the bytes as
    /// `&str` without another check.
    pub unsafe fn decode_unchecked<'a>(
        &'a mut self,
        input: &'a [u8],
        options: &DecodeOptions,
    ) -> Result<M::Handle<'a>, Error> {
        let row = self.fill(input, core::iter::once((0, input.len())), options, true)?;
        Ok(M::handle(self.filled(), input, row))
    }

    /// Decodes the messages of a delimited stream one after the other.
    pub fn decode_delimited<'p, 'a>(&'p mut self, stream: &'a [u8]) -> DelimitedPool<'p, 'a, M> {
        self.decode_delimited_with(stream, &DecodeOptions::default())
    }

    /// The same with options, which apply to each message.
    pub fn decode_delimited_with<'p, 'a>(
        &'p mut self,
        stream: &'a [u8],
        options: &DecodeOptions,
    ) -> DelimitedPool<'p, 'a, M> {
        DelimitedPool::new(self, stream, options)
    }

    /// Decodes into the tables and returns the row of the root.
    fn fill(
        &mut self,
        input: &[u8],
        parts: impl Iterator<Item = (usize, usize)>,
        options: &DecodeOptions,
        unchecked: bool,
    ) -> Result<u32, Error> {
        if input.len() > options.size.min(MAX_SIZE) {
            return Err(Error::new(Code::SizeExceeded, 0));
        }
        let tables = &mut **self.tables.get_or_insert_default();
        M::reset(tables);
        let mut d = Decoder::new(input, options);
        if unchecked {
            d.trust();
        }
        let row = M::new_row(tables, &mut d).ok_or_else(|| Error::new(Code::CountExceeded, 0))?;
        for (start, end) in parts {
            if options.elements.is_some() {
                check::check_part(input, start, end, M::SCHEMA, &options.limits(), None)?;
            }
            let range = d.input().part(start, end).ok_or_else(|| Error::new(Code::Truncated, start))?;
            if M::decode(tables, &mut d, range, row).is_none() {
                return Err(explain::<M>(&d, start, end, options).unwrap_or_else(|| {
                    // Decoder and walk disagree: a bug in this crate, which tests and fuzzing look for. The input stays
                    // rejected.
                    debug_assert!(false, "{} was refused, but the walk finds no error", M::SCHEMA.name);
                    Error::new(Code::HandleMisuse, start)
                }));
            }
        }
        M::finish(tables, input);
        if !options.allow_partial {
            M::missing(tables, row, &Stack::new(options.stack)).map_err(|m| m.into_error(input.len()))?;
        }
        Ok(row)
    }

    /// Returns the number of bytes that the pool keeps for the next decode.
    pub fn memory(&self) -> usize {
        self.tables.as_ref().map_or(0, |tables| tables.bytes()) + self.copy.bytes()
    }

    /// Frees memory until at most `limit` bytes are kept, each table in proportion. A pool that keeps less does not
    /// change. Call it from time to time, so that the memory of one large message is not kept forever.
    pub fn shrink_to(&mut self, limit: usize) {
        let all = self.memory();
        if all > limit {
            if let Some(tables) = &mut self.tables {
                tables.shrink(limit, all);
            }
            self.copy.shrink(limit, all);
        }
    }

    /// Frees all memory.
    pub fn shrink(&mut self) {
        self.shrink_to(0);
    }
}

/// Finds the error that a decoder has only detected; `None` if there is none.
#[cold]
#[inline(never)]
fn explain<M: Message>(d: &Decoder<'_>, start: usize, end: usize, options: &DecodeOptions) -> Option<Error> {
    let bytes = d.input().bytes();
    check::check_part(bytes, start, end, M::SCHEMA, &options.limits(), d.spent()).err()
}
