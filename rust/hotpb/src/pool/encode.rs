//! Encoding: the options, the buffer that is used again, and what handles and builders have in common.

use super::{Encoder, Message, Missing, Stack};
use crate::wire::check::{self, Limits};
use crate::wire::{DEPTH_CEILING, MAX_SIZE, MAX_STACK};
use crate::{Code, Error};
use alloc::vec::Vec;

/// Options of one encode.
#[derive(Clone, Debug)]
pub struct EncodeOptions {
    /// Writes maps by key (OUT-5), so that equal messages give equal bytes. Builders always do.
    pub deterministic: bool,
    /// Writes messages whose required fields are not all there.
    pub allow_partial: bool,
    /// Refuses strings that are not UTF-8, also where the schema leaves them unchecked: what a strict decode would refuse.
    pub strict: bool,
    /// Bytes of the thread's stack that messages in messages may use, as in [`super::DecodeOptions::stack`].
    pub stack: usize,
}

impl Default for EncodeOptions {
    fn default() -> EncodeOptions {
        EncodeOptions { deterministic: false, allow_partial: false, strict: false, stack: MAX_STACK }
    }
}

/// Memory that messages are encoded into, again and again. Once it is as large as the messages need, encoding
/// allocates nothing.
#[derive(Default)]
pub struct EncodeBuffer {
    encoder: Encoder,
    /// Whether the last encode has ended well: not while it runs, nor after it has panicked.
    whole: bool,
}

impl EncodeBuffer {
    /// An empty buffer.
    pub fn new() -> EncodeBuffer {
        EncodeBuffer::default()
    }

    /// The message that was encoded last; nothing after an error.
    pub fn bytes(&self) -> &[u8] {
        if self.whole { self.encoder.written() } else { &[] }
    }

    /// Gives all memory back.
    pub fn shrink(&mut self) {
        self.encoder.shrink();
    }
}

impl core::fmt::Debug for EncodeBuffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "EncodeBuffer({} bytes)", self.bytes().len())
    }
}

/// What can be encoded: handles of decoded messages, and builders.
///
/// Fields come by ascending number, with minimal tags, varints and lengths, packed where the schema says so, unknown
/// fields last (OUT-1 to OUT-8). A message is written from its end to its start in one pass.
///
/// Errors: `MissingRequired` with the path of the field (its offset is 0: there are no bytes yet); with
/// [`EncodeOptions::strict`] `InvalidUtf8` with path and the offset in what would have been written; `SizeExceeded`
/// above 2 GiB; `DepthExceeded` when messages nest deeper than there is room for on the stack
/// ([`EncodeOptions::stack`]). Strings that reading always checks are checked when they are made: their type is `str` (OUT-9).
pub trait Encode {
    /// The message.
    type Of: Message;

    /// Writes the message, its last field first. For generated code.
    #[doc(hidden)]
    fn write(&self, e: &mut Encoder);

    /// Looks for absent required fields. For generated code.
    #[doc(hidden)]
    fn absent(&self, _stack: &Stack) -> Result<(), Missing> {
        Ok(())
    }

    /// Encodes into a buffer that is used again, and gives the bytes.
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

    /// Encodes into a vector of its own.
    fn encode_to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        self.append_to(&mut out)?;
        Ok(out)
    }

    /// Appends to a vector.
    fn append_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut buffer = EncodeBuffer::new();
        out.extend_from_slice(self.encode_into(&mut buffer)?);
        Ok(())
    }

    /// Appends to a stream of messages, after the length (DLM-1). `buffer` is used on the way.
    fn append_delimited(&self, out: &mut Vec<u8>, buffer: &mut EncodeBuffer) -> Result<(), Error> {
        crate::wire::append_delimited(out, self.encode_into(buffer)?);
        Ok(())
    }
}

/// What must not leave.
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
