//! The error that stops a build script.

use std::fmt;

/// A problem and its fix. `Debug` prints the same text, because cargo prints that of a build script's error.
pub struct Error {
    message: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { message: message.into() }
    }

    /// Creates the error of an operation on a file.
    pub(crate) fn of_file(file: &std::path::Path, error: &std::io::Error) -> Error {
        Error::new(format!("{}: {error}", file.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<hotpb_codegen::Error> for Error {
    fn from(error: hotpb_codegen::Error) -> Error {
        Error::new(error.to_string())
    }
}

/// For a build script whose `main` returns `std::io::Result`.
impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        std::io::Error::other(error)
    }
}
