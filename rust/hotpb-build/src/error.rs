//! Why a build script stops.

use std::fmt;

/// What is wrong, and how to mend it, in words; `Debug` is the same text, because that is what cargo shows of a
/// build script that returns an error.
pub struct Error {
    message: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error { message: message.into() }
    }

    /// What went wrong with a file.
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

/// For a `main` that returns `std::io::Result`.
impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        std::io::Error::other(error)
    }
}
