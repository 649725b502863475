//! The list of errors, with the same names and numbers in every language (`spec/errors.md`).

use alloc::boxed::Box;
use core::fmt;

/// The kind of an error. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum Code {
    /// The input ended inside a tag, varint, length, payload, packed element, group or stream.
    Truncated = 1,
    /// A varint has more than 10 bytes.
    VarintOverflow = 2,
    /// A field number is 0, or a tag has more than 5 bytes or is 2^32 or above.
    InvalidTag = 3,
    /// A tag has wire type 6 or 7.
    InvalidWireType = 4,
    /// An end tag does not match the innermost open group.
    GroupMismatch = 5,
    /// A checked string is not valid UTF-8.
    InvalidUtf8 = 6,
    /// The message is nested deeper than the depth limit.
    DepthExceeded = 7,
    /// A length or a message exceeds its limit.
    SizeExceeded = 8,
    /// There are more elements, or they need more memory, than the limit allows.
    CountExceeded = 9,
    /// A required field is absent.
    MissingRequired = 10,
    /// The output is full.
    BufferExhausted = 11,
    /// A descriptor or schema cannot be used.
    InvalidSchema = 12,
    /// A value or field has another type than the caller asked for.
    TypeMismatch = 13,
    /// A handle is used when it is not valid.
    HandleMisuse = 14,
}

impl Code {
    /// All codes, in ascending order of numbers.
    pub const ALL: [Code; 14] = [
        Code::Truncated,
        Code::VarintOverflow,
        Code::InvalidTag,
        Code::InvalidWireType,
        Code::GroupMismatch,
        Code::InvalidUtf8,
        Code::DepthExceeded,
        Code::SizeExceeded,
        Code::CountExceeded,
        Code::MissingRequired,
        Code::BufferExhausted,
        Code::InvalidSchema,
        Code::TypeMismatch,
        Code::HandleMisuse,
    ];

    /// Returns the name, as in the list of errors.
    pub fn name(self) -> &'static str {
        match self {
            Code::Truncated => "Truncated",
            Code::VarintOverflow => "VarintOverflow",
            Code::InvalidTag => "InvalidTag",
            Code::InvalidWireType => "InvalidWireType",
            Code::GroupMismatch => "GroupMismatch",
            Code::InvalidUtf8 => "InvalidUtf8",
            Code::DepthExceeded => "DepthExceeded",
            Code::SizeExceeded => "SizeExceeded",
            Code::CountExceeded => "CountExceeded",
            Code::MissingRequired => "MissingRequired",
            Code::BufferExhausted => "BufferExhausted",
            Code::InvalidSchema => "InvalidSchema",
            Code::TypeMismatch => "TypeMismatch",
            Code::HandleMisuse => "HandleMisuse",
        }
    }

    /// Returns the stable number.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// A decode error: the kind, the byte offset in the input, and the path of the field.
///
/// ```
/// use hotpb::{Code, Error};
/// let error = Error::new(Code::Truncated, 12).with_path("timeseries[3].labels[1].name");
/// assert_eq!(
///     error.to_string(),
///     "Truncated at byte 12: timeseries[3].labels[1].name",
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    code: Code,
    offset: u64,
    path: Option<Box<str>>,
}

impl Error {
    /// Creates an error at a byte of the input. It allocates nothing.
    #[cold]
    pub fn new(code: Code, offset: usize) -> Error {
        Error { code, offset: offset as u64, path: None }
    }

    /// Returns the same error with the path of its field.
    #[cold]
    pub fn with_path(mut self, path: &str) -> Error {
        self.path = if path.is_empty() { None } else { Some(path.into()) };
        self
    }

    /// Returns the same error for an input that starts `base` bytes earlier (OFF-9: offsets in a stream).
    #[cold]
    pub fn shifted(mut self, base: usize) -> Error {
        self.offset += base as u64;
        self
    }

    /// Returns the kind of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the byte offset in the input of the call.
    pub fn offset(&self) -> usize {
        self.offset as usize
    }

    /// Returns the path of the field, `""` for the message itself.
    pub fn path(&self) -> &str {
        self.path.as_deref().unwrap_or("")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.code.name(), self.offset)?;
        match self.path() {
            "" => Ok(()),
            path => write!(f, ": {path}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_codes_are_those_of_the_list() {
        for (i, code) in Code::ALL.iter().enumerate() {
            assert_eq!(code.number() as usize, i + 1, "{}", code.name());
        }
    }

    #[test]
    fn an_error_is_small_enough_to_return_in_a_result() {
        assert!(core::mem::size_of::<Error>() <= 32);
    }
}
