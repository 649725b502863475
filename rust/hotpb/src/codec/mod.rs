//! The codec face: decodes into the structs that prost-build generates, and uses their memory again.
//!
//! prost's `clear` and `merge` free every element of a repeated field, every string in it and every nested message, and
//! allocate them again for the next message. A [`Reuse`] decodes into the struct in place: vectors keep their
//! elements, strings and nested messages keep their memory; parts that a message does not need wait in the `Reuse` for
//! the next one. The struct is an ordinary prost struct before and after the call.
//!
//! Generated code names a `Reuse` for each message: `type WriteRequestReuse = Reuse<WriteRequestCodec>`. Keep one for each
//! worker, together with the struct.
//!
//! ```ignore
//! let (mut reuse, mut request) = (WriteRequestReuse::new(), prometheus::WriteRequest::default());
//! for body in bodies {
//!     reuse.decode(&mut request, body)?; // InvalidUtf8 at byte 17: timeseries[3].labels[1].name
//! }
//! ```

#[doc(hidden)]
pub mod __rt;
mod convert;
mod decoder;
mod field;
mod generated;
mod kept;
mod map;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod wrapper;

use crate::wire::check::{self, Limits};
use crate::wire::{Cursor, MAX_DEPTH, MAX_SIZE, MAX_STACK};
use crate::{Code, Error};
use alloc::boxed::Box;
use core::fmt;
use decoder::Decoder;
use kept::Codec;

/// Implemented by generated code, for a message that can be decoded as a root.
pub trait Root: Codec<Self::Spares> {
    /// The spare parts of all messages of the generated unit.
    #[doc(hidden)]
    type Spares: kept::Unit + Default;
    /// The struct that prost-build generates.
    type Struct;
    /// Decodes the records of a range.
    #[doc(hidden)]
    fn root<'a, U>(
        d: &mut Decoder<'a>,
        spares: &mut Self::Spares,
        message: &mut Self::Struct,
        cursor: Cursor<'a>,
        merge: bool,
    ) -> Option<()>;
}

/// Options of one decode; the defaults are in `spec/wire.md` §13.
#[derive(Clone, Debug)]
pub struct DecodeOptions {
    /// The depth to which messages, groups and map entries may nest; at most [`crate::wire::DEPTH_CEILING`].
    pub depth: u32,
    /// Bytes of the thread's stack that nested messages may use. A message that would use more is `DepthExceeded`.
    pub stack: usize,
    /// The largest message, in bytes.
    pub size: usize,
    /// The largest number of repeated elements, nested messages, groups and map entries together. With a limit, a pass
    /// over the input precedes the decode.
    pub elements: Option<usize>,
    /// The largest amount of memory for elements of repeated fields, entries of maps and nested messages, whether it is
    /// new or used again; by default the larger of 1 MiB and 32 times the input. The bytes of strings do not count: there
    /// are never more of them than of the input.
    pub memory: Option<usize>,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions { depth: MAX_DEPTH, stack: MAX_STACK, size: MAX_SIZE, elements: None, memory: None }
    }
}

impl DecodeOptions {
    /// prost's strings are Rust's, so all of them are checked.
    fn limits(&self) -> Limits {
        Limits { strict: true, depth: self.depth, size: self.size, elements: self.elements }
    }

    fn memory_for(&self, input: usize) -> usize {
        self.memory.unwrap_or_else(|| (1 << 20).max(input.saturating_mul(32)))
    }
}

/// The number of spare elements of each type that a [`Reuse`] keeps. Whatever exceeds it is freed.
pub const MOST_SPARES: usize = 1 << 16;

/// Decodes into structs of prost and keeps what one message does not need for the next one. The struct itself stays with
/// you: you pass it to each call.
pub struct Reuse<C: Root> {
    /// Boxed, because a unit has many types.
    spares: Box<C::Spares>,
}

impl<C: Root> Default for Reuse<C> {
    fn default() -> Reuse<C> {
        Reuse::new()
    }
}

impl<C: Root> fmt::Debug for Reuse<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reuse<{}>", C::SCHEMA.name)
    }
}

impl<C: Root> Reuse<C> {
    /// Creates a `Reuse` without spare parts.
    pub fn new() -> Reuse<C> {
        Reuse { spares: Box::default() }
    }

    /// Decodes a message with the default limits, and replaces the content of `message`: the result is that of prost's
    /// `clear` and `merge`. After an error `message` has some valid content, but nothing of its old content (RCL-2);
    /// the next call replaces that, too.
    pub fn decode(&mut self, message: &mut C::Struct, input: &[u8]) -> Result<(), Error> {
        self.decode_with(message, input, &DecodeOptions::default())
    }

    /// Decodes a message with options.
    pub fn decode_with(&mut self, message: &mut C::Struct, input: &[u8], options: &DecodeOptions) -> Result<(), Error> {
        self.read(message, Decoder::new(input, options), false, options)
    }

    /// Decodes a message and merges it into `message`, as prost's `merge` does. After an error `message` has some valid
    /// content.
    pub fn merge(&mut self, message: &mut C::Struct, input: &[u8]) -> Result<(), Error> {
        self.merge_with(message, input, &DecodeOptions::default())
    }

    /// The same with options.
    pub fn merge_with(&mut self, message: &mut C::Struct, input: &[u8], options: &DecodeOptions) -> Result<(), Error> {
        self.read(message, Decoder::new(input, options), true, options)
    }

    /// Decodes like [`Reuse::decode_with`]. Fields of type `Bytes` share `input` instead of copying from it.
    #[cfg(feature = "bytes")]
    pub fn decode_bytes(
        &mut self,
        message: &mut C::Struct,
        input: &bytes::Bytes,
        options: &DecodeOptions,
    ) -> Result<(), Error> {
        self.read(message, Decoder::of_owner(input, options), false, options)
    }

    fn read(
        &mut self,
        message: &mut C::Struct,
        mut d: Decoder<'_>,
        merge: bool,
        options: &DecodeOptions,
    ) -> Result<(), Error> {
        let input = d.input().bytes();
        if input.len() > options.size.min(MAX_SIZE) {
            return Err(Error::new(Code::SizeExceeded, 0));
        }
        if options.elements.is_some() {
            check::check(input, C::SCHEMA, &options.limits())?;
        }
        let cursor = d.input().open(d.input().range());
        match C::root::<()>(&mut d, &mut self.spares, message, cursor, merge) {
            Some(()) => Ok(()),
            None => Err(explain::<C>(&d, options)),
        }
    }

    /// Frees the spare parts. The struct keeps its own memory.
    pub fn clear(&mut self) {
        *self.spares = C::Spares::default();
    }
}

/// Finds the error that the decoder has only detected.
#[cold]
#[inline(never)]
fn explain<C: Root>(d: &Decoder<'_>, options: &DecodeOptions) -> Error {
    let input = d.input().bytes();
    match check::check_part(input, 0, input.len(), C::SCHEMA, &options.limits(), d.spent()) {
        Err(error) => error,
        Ok(()) => {
            // Decoder and walk disagree: a bug in this crate, which tests and fuzzing look for. The input stays rejected.
            debug_assert!(false, "{} was refused, but the walk finds no error", C::SCHEMA.name);
            Error::new(Code::HandleMisuse, 0)
        }
    }
}
