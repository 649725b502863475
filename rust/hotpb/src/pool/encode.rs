//! Encoding: the options, the reusable buffer, and the trait that handles and builders share.

use super::encoder::{LENT, Pieces, Scratch};
use super::{Encoder, Message, Missing, Stack};
use crate::wire::check::{self, Limits};
use crate::wire::{DEPTH_CEILING, MAX_SIZE, MAX_STACK};
use crate::{Code, Error};
use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// The bytes of the stack into which a message is written that goes to a vector.
const ROOM: usize = 2048;

/// Options of one encode.
#[derive(Clone, Debug)]
pub struct EncodeOptions {
    /// Writes maps in order of their keys (OUT-5), so that equal messages have equal bytes. Builders always do.
    pub deterministic: bool,
    /// Encodes messages even if required fields are absent.
    pub allow_partial: bool,
    /// Rejects strings that are not UTF-8, even where the schema leaves them unchecked, as a strict decode would.
    pub strict: bool,
    /// Bytes of the thread's stack that nested messages may use, as in [`super::DecodeOptions::stack`].
    pub stack: usize,
}

impl Default for EncodeOptions {
    fn default() -> EncodeOptions {
        EncodeOptions { deterministic: false, allow_partial: false, strict: false, stack: MAX_STACK }
    }
}

/// Reusable memory for encoding. Once it is as large as the messages need, encoding allocates nothing.
#[derive(Default)]
pub struct EncodeBuffer {
    scratch: Scratch,
    /// Whether the last encode succeeded; false while it runs, and after it has panicked.
    whole: bool,
}

impl EncodeBuffer {
    /// Creates an empty buffer.
    pub fn new() -> EncodeBuffer {
        EncodeBuffer::default()
    }

    /// Returns the message that was encoded last; nothing after an error.
    pub fn bytes(&self) -> &[u8] {
        if self.whole { self.scratch.written() } else { &[] }
    }

    /// Returns the number of bytes that the buffer keeps for the next message.
    pub fn memory(&self) -> usize {
        self.scratch.memory()
    }

    /// Frees all memory.
    pub fn shrink(&mut self) {
        *self = EncodeBuffer::default();
    }
}

impl core::fmt::Debug for EncodeBuffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "EncodeBuffer({} bytes)", self.bytes().len())
    }
}

/// A value that can be encoded: a handle of a decoded message, or a builder.
///
/// Fields are in ascending order of numbers, with minimal tags, varints and lengths, packed if the schema says so;
/// unknown fields are last (OUT-1 to OUT-8). A message is written from its end to its start in one pass.
///
/// # Errors
/// - `MissingRequired`, with the path of the field; its offset is 0, because there are no bytes yet.
/// - `InvalidUtf8`, only with [`EncodeOptions::strict`], with path, and the offset in the bytes that would have been
///   written.
/// - `SizeExceeded` for more than 2 GiB.
/// - `DepthExceeded` if messages nest deeper than the stack allows ([`EncodeOptions::stack`]).
///
/// Strings that readers always check have the type `str`, so they are valid when they are set (OUT-9).
pub trait Encode {
    /// The message type.
    type Of: Message;

    /// Writes the message, its last field first. For generated code.
    #[doc(hidden)]
    fn write<'m>(&'m self, e: &mut Encoder<'m>);

    /// Looks for absent required fields. For generated code.
    #[doc(hidden)]
    fn absent(&self, _stack: &Stack) -> Result<(), Missing> {
        Ok(())
    }

    /// Encodes into a reusable buffer, and returns the bytes.
    fn encode_into<'b>(&self, buffer: &'b mut EncodeBuffer) -> Result<&'b [u8], Error> {
        self.encode_with(buffer, &EncodeOptions::default())
    }

    /// Encodes with options.
    fn encode_with<'b>(&self, buffer: &'b mut EncodeBuffer, options: &EncodeOptions) -> Result<&'b [u8], Error> {
        buffer.whole = false;
        let stack = Stack::new(options.stack);
        if !options.allow_partial {
            self.absent(&stack).map_err(|missing| missing.into_error(0))?;
        }
        let mut encoder = Encoder::new(&mut buffer.scratch, options.deterministic, stack);
        self.write(&mut encoder);
        let refused = refuse(&encoder);
        encoder.finish();
        let checked = refused.and_then(|()| check_strict::<Self::Of>(buffer.scratch.written(), options));
        if let Err(error) = checked {
            buffer.scratch.clear();
            return Err(error);
        }
        buffer.whole = true;
        Ok(buffer.scratch.written())
    }

    /// Encodes into a new vector.
    fn encode_to_vec(&self) -> Result<Vec<u8>, Error> {
        self.encode_to_vec_with(&EncodeOptions::default())
    }

    /// Encodes into a new vector, with options.
    fn encode_to_vec_with(&self, options: &EncodeOptions) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        append(self, &mut out, options)?;
        Ok(out)
    }

    /// Appends the encoded message to a vector.
    fn append_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        append(self, out, &EncodeOptions::default())
    }

    /// Appends the length-prefixed message to a stream of messages (DLM-1). `buffer` is scratch memory.
    fn append_delimited(&self, out: &mut Vec<u8>, buffer: &mut EncodeBuffer) -> Result<(), Error> {
        crate::wire::append_delimited(out, self.encode_into(buffer)?);
        Ok(())
    }
}

/// Appends an encoded message: it is written in pieces, so that long payloads are copied once.
fn append<E: Encode + ?Sized>(message: &E, out: &mut Vec<u8>, options: &EncodeOptions) -> Result<(), Error> {
    let stack = Stack::new(options.stack);
    if !options.allow_partial {
        message.absent(&stack).map_err(|missing| missing.into_error(0))?;
    }
    let (mut room, mut lent, mut scratch) = ([MaybeUninit::uninit(); ROOM], LENT, Scratch::default());
    let mut pieces = Pieces::new(&mut lent);
    let mut encoder = Encoder::in_pieces(&mut room, &mut pieces, &mut scratch, options.deterministic, stack);
    message.write(&mut encoder);
    refuse(&encoder)?;
    let before = out.len();
    encoder.append_to(out);
    if options.strict {
        check_strict::<E::Of>(&out[before..], options).inspect_err(|_| out.truncate(before))?;
    }
    Ok(())
}

/// A borrowed value can be encoded, too.
impl<E: Encode + ?Sized> Encode for &E {
    type Of = E::Of;

    fn write<'m>(&'m self, e: &mut Encoder<'m>) {
        (**self).write(e);
    }

    fn absent(&self, stack: &Stack) -> Result<(), Missing> {
        (**self).absent(stack)
    }
}

/// Fails if the output must not be returned.
#[inline]
fn refuse(encoder: &Encoder<'_>) -> Result<(), Error> {
    if encoder.was_too_deep() {
        return Err(Error::new(Code::DepthExceeded, 0));
    }
    if encoder.mark() > MAX_SIZE {
        return Err(Error::new(Code::SizeExceeded, 0));
    }
    Ok(())
}

/// Checks strings that the schema leaves unchecked.
#[inline]
fn check_strict<M: Message>(bytes: &[u8], options: &EncodeOptions) -> Result<(), Error> {
    if options.strict {
        let limits = Limits { strict: true, depth: DEPTH_CEILING, ..Limits::default() };
        check::check(bytes, M::SCHEMA, &limits)?;
    }
    Ok(())
}
