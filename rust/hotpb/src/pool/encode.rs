//! Encoding: the options, the reusable buffer, and the trait that handles and builders share.

use super::{Encoder, Message, Missing, Stack};
use crate::wire::check::{self, Limits};
use crate::wire::{DEPTH_CEILING, MAX_SIZE, MAX_STACK};
use crate::{Code, Error};
use alloc::vec::Vec;

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
    encoder: Encoder,
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
        if self.whole { self.encoder.written() } else { &[] }
    }

    /// Returns the number of bytes that the buffer keeps for the next message.
    pub fn memory(&self) -> usize {
        self.encoder.memory()
    }

    /// Frees all memory.
    pub fn shrink(&mut self) {
        self.encoder.shrink();
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
    fn write(&self, e: &mut Encoder);

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
        let encoder = &mut buffer.encoder;
        let stack = Stack::new(options.stack);
        encoder.start(options.deterministic, stack);
        if !options.allow_partial {
            self.absent(&stack).map_err(|missing| missing.into_error(0))?;
        }
        self.write(encoder);
        if let Err(error) = refuse::<Self::Of>(encoder, options) {
            encoder.start(false, stack);
            return Err(error);
        }
        buffer.whole = true;
        Ok(buffer.encoder.written())
    }

    /// Encodes into a new vector.
    fn encode_to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.append_to(&mut out)?;
        Ok(out)
    }

    /// Encodes into a new vector, with options.
    fn encode_to_vec_with(&self, options: &EncodeOptions) -> Result<Vec<u8>, Error> {
        let mut buffer = EncodeBuffer::new();
        Ok(self.encode_with(&mut buffer, options)?.to_vec())
    }

    /// Appends the encoded message to a vector.
    fn append_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut buffer = EncodeBuffer::new();
        out.extend_from_slice(self.encode_into(&mut buffer)?);
        Ok(())
    }

    /// Appends the length-prefixed message to a stream of messages (DLM-1). `buffer` is scratch memory.
    fn append_delimited(&self, out: &mut Vec<u8>, buffer: &mut EncodeBuffer) -> Result<(), Error> {
        crate::wire::append_delimited(out, self.encode_into(buffer)?);
        Ok(())
    }
}

/// A borrowed value can be encoded, too.
impl<E: Encode + ?Sized> Encode for &E {
    type Of = E::Of;

    fn write(&self, e: &mut Encoder) {
        (**self).write(e);
    }

    fn absent(&self, stack: &Stack) -> Result<(), Missing> {
        (**self).absent(stack)
    }
}

/// Fails if the output must not be returned.
#[inline]
fn refuse<M: Message>(encoder: &Encoder, options: &EncodeOptions) -> Result<(), Error> {
    if encoder.was_too_deep() {
        return Err(Error::new(Code::DepthExceeded, 0));
    }
    let bytes = encoder.written();
    if bytes.len() > MAX_SIZE {
        return Err(Error::new(Code::SizeExceeded, 0));
    }
    if options.strict {
        let limits = Limits { strict: true, depth: DEPTH_CEILING, ..Limits::default() };
        check::check(bytes, M::SCHEMA, &limits)?;
    }
    Ok(())
}
