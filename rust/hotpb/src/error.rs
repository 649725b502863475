//! One list of errors, the same names and numbers in every language (`spec/errors.md`).

use alloc::boxed::Box;
use core::fmt;

/// What is wrong. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum Code {
    /// The input ended inside a tag, varint, length, payload, packed element, group or stream.
    Truncated = 1,
    /// A varint of more than 10 bytes.
    VarintOverflow = 2,
    /// Field number 0; a tag of more than 5 bytes or of 2^32 and above.
    InvalidTag = 3,
    /// Wire type 6 or 7.
    InvalidWireType = 4,
    /// An end tag that does not match the innermost open group.
    GroupMismatch = 5,
    /// A checked string is not UTF-8.
    InvalidUtf8 = 6,
    /// Deeper than the depth limit.
    DepthExceeded = 7,
    /// A length or a message above its limit.
    SizeExceeded = 8,
    /// More elements or more memory than the limit.
    CountExceeded = 9,
    /// A required field is absent.
    MissingRequired = 10,
    /// The output has no more room.
    BufferExhausted = 11,
    /// A descriptor or schema that cannot be used.
    InvalidSchema = 12,
    /// A value or field of another type than the one asked for.
    TypeMismatch = 13,
    /// A handle used out of turn.
    HandleMisuse = 14,
}

impl Code {
    /// All codes by ascending number.
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

    /// The name in the list of errors.
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

    /// The stable number.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// What went wrong, where in the input, and in which field.
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
    /// An error at a byte of the input. Allocates nothing.
    #[cold]
    pub fn new(code: Code, offset: usize) -> Error {
        Error { code, offset: offset as u64, path: None }
    }

    /// The same error, with the path of its field.
    #[cold]
    pub fn with_path(mut self, path: &str) -> Error {
        self.path = if path.is_empty() { None } else { Some(path.into()) };
        self
    }

    /// The same error for an input that starts `base` bytes earlier (OFF-9: offsets in a stream).
    #[cold]
    pub fn shifted(mut self, base: usize) -> Error {
        self.offset += base as u64;
        self
    }

    /// What is wrong.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The byte of the input that was handed in.
    pub fn offset(&self) -> usize {
        self.offset as usize
    }

    /// The field, `""` when it is the message that was asked for.
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
