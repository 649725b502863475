//! What a message came to.

use crate::{Code, Error};
use core::fmt;

/// Why a message is not whole, and how much of it is good.
///
/// `BufferExhausted`: the output has no more room. `SizeExceeded`: a nested message above 2^28 − 1 bytes, or a message above
/// 2^31 − 1. `DepthExceeded`: more than 100 levels. `HandleMisuse`: a message or a child was forgotten
/// ([`core::mem::forget`], or a panic in a closure) or dropped by a panic, a value changed between two calls, or a source of chunks panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteError {
    code: Code,
    valid_len: u64,
}

impl WriteError {
    #[cold]
    pub(super) fn new(code: Code, valid_len: u64) -> WriteError {
        WriteError { code, valid_len }
    }

    /// What is wrong.
    pub fn code(&self) -> Code {
        self.code
    }

    /// As many bytes from the start of the message were written and parse.
    pub fn valid_len(&self) -> u64 {
        self.valid_len
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.code.name(), self.valid_len)
    }
}

impl core::error::Error for WriteError {}

impl From<WriteError> for Error {
    /// The offset is that of the first byte that is not good.
    fn from(error: WriteError) -> Error {
        Error::new(error.code, error.valid_len as usize)
    }
}
