//! Errors of files.

use crate::format::Framing;
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use hotpb_arrow::ReadError;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why a file could not be read: an error of the file, or of a message in it (ARW-66).
///
/// A query returns it within a `DataFusionError`; [`FileError::find`] finds it there.
#[derive(Debug)]
pub struct FileError {
    file: PathBuf,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Io(io::Error),
    /// A message of a delimited file.
    Message(ReadError),
    /// The message that the file is.
    Whole(ReadError),
    Arrow(ArrowError),
}

impl FileError {
    pub(crate) fn io(file: &Path, error: io::Error) -> FileError {
        FileError { file: file.to_path_buf(), cause: Cause::Io(error) }
    }

    pub(crate) fn message(file: &Path, framing: Framing, error: ReadError) -> FileError {
        let cause = match framing {
            Framing::Delimited => Cause::Message(error),
            Framing::Whole => Cause::Whole(error),
        };
        FileError { file: file.to_path_buf(), cause }
    }

    /// Reads the error of a delimited stream.
    pub(crate) fn arrow(file: &Path, error: ArrowError) -> FileError {
        let cause = match error {
            ArrowError::IoError(_, error) => Cause::Io(error),
            ArrowError::ExternalError(error) => match error.downcast::<ReadError>() {
                Ok(error) => Cause::Message(*error),
                Err(error) => Cause::Arrow(ArrowError::ExternalError(error)),
            },
            error => Cause::Arrow(error),
        };
        FileError { file: file.to_path_buf(), cause }
    }

    /// Returns the error of a file within the error of a query, if that is its cause.
    pub fn find(error: &DataFusionError) -> Option<&FileError> {
        let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref::<FileError>() {
                return Some(found);
            }
            next = match error.downcast_ref::<DataFusionError>() {
                Some(DataFusionError::External(inner)) => Some(inner.as_ref()),
                Some(DataFusionError::Shared(inner)) => Some(inner.as_ref()),
                _ => error.source(),
            };
        }
        None
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns the error of the message, with code, byte and path, unless it is an error of the file.
    pub fn error(&self) -> Option<&hotpb::Error> {
        match &self.cause {
            Cause::Message(error) | Cause::Whole(error) => Some(error.error()),
            _ => None,
        }
    }

    /// Returns the index of the message in a delimited file.
    pub fn message_index(&self) -> Option<u64> {
        match &self.cause {
            Cause::Message(error) => Some(error.message()),
            _ => None,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        match &self.cause {
            Cause::Io(error) => error.fmt(f),
            Cause::Message(error) => error.fmt(f),
            Cause::Whole(error) => error.error().fmt(f),
            Cause::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::Io(error) => Some(error),
            Cause::Message(error) | Cause::Whole(error) => Some(error),
            Cause::Arrow(error) => Some(error),
        }
    }
}

impl From<FileError> for DataFusionError {
    fn from(error: FileError) -> DataFusionError {
        DataFusionError::External(Box::new(error))
    }
}
