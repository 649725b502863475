//! [`WriteError`]: why a message failed.

use crate::{Code, Error};
use core::fmt;

/// Why a message is not whole, and how many of its bytes are valid.
///
/// - `BufferExhausted`: the output is full.
/// - `SizeExceeded`: a nested message exceeds 2^28 − 1 bytes, or a message exceeds 2^31 − 1.
/// - `DepthExceeded`: the message has more than 100 levels.
/// - `HandleMisuse`: a message or child was forgotten ([`core::mem::forget`], or a panic in a closure) or dropped by a
///   panic, a value changed between two calls, or a source of chunks panicked.
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

    /// Returns the kind of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the number of bytes, from the start of the message, that were written and that parse.
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
    /// The offset is that of the first byte that is not valid.
    fn from(error: WriteError) -> Error {
        Error::new(error.code, error.valid_len as usize)
    }
}
