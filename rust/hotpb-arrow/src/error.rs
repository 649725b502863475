//! Errors of schemas, messages and batches.

use std::fmt;

/// Why a table cannot be compiled (`InvalidSchema`), or why a batch cannot be written (`TypeMismatch`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(crate) code: hotpb::Code,
    pub(crate) element: String,
    pub(crate) problem: String,
}

impl Error {
    pub(crate) fn schema(element: impl Into<String>, problem: impl Into<String>) -> Error {
        Error { code: hotpb::Code::InvalidSchema, element: element.into(), problem: problem.into() }
    }

    pub(crate) fn mismatch(element: impl Into<String>, problem: impl Into<String>) -> Error {
        Error { code: hotpb::Code::TypeMismatch, element: element.into(), problem: problem.into() }
    }

    /// Returns the kind of the error.
    pub fn code(&self) -> hotpb::Code {
        self.code
    }

    /// Returns the message, field or column that it is about.
    pub fn element(&self) -> &str {
        &self.element
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element.as_str() {
            "" => write!(f, "{}: {}", self.code.name(), self.problem),
            element => write!(f, "{}: {element}: {}", self.code.name(), self.problem),
        }
    }
}

impl std::error::Error for Error {}

/// Why a message was refused: the error of every reader (`spec/errors.md`), and which message it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    pub(crate) message: u64,
    pub(crate) error: hotpb::Error,
}

impl ReadError {
    /// Returns the index of the message among those that the reader was given, bad ones included.
    pub fn message(&self) -> u64 {
        self.message
    }

    /// Returns the code, the byte offset and the path. In a delimited stream, the offset counts from its start (OFF-9).
    pub fn error(&self) -> &hotpb::Error {
        &self.error
    }

    /// Returns the kind of the error.
    pub fn code(&self) -> hotpb::Code {
        self.error.code()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}: {}", self.message, self.error)
    }
}

impl std::error::Error for ReadError {}
