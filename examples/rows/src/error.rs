//! Why a request was rejected.

use crate::detect::Version;
use crate::problem::{Problem, Reason};
use std::fmt;

/// Why a request was rejected. The tables contain nothing of it.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestError {
    /// The bytes are not a valid request: code, offset and path of the first fault, which may be a string that is not
    /// UTF-8.
    Malformed(hotpb::Error),
    /// The first value that a receiver must not accept.
    Invalid(Box<Problem>),
    /// It would create more rows than a request may.
    TooManyRows {
        /// The limit.
        limit: usize,
    },
    /// Recognising its series again would take too much memory.
    TooManySeries {
        /// The limit in bytes: twice the limit between requests.
        limit: usize,
    },
    /// It has fields of both 1.0 and 2.0, and the version is not specified.
    BothVersions,
    /// It has fields of the other version, and none of the version that it was to be read as.
    OtherVersion {
        /// The version that the caller stated.
        version: Version,
    },
}

impl RequestError {
    /// Returns the reason, if a series or metadata entry is invalid.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            RequestError::Invalid(problem) => Some(problem.reason),
            _ => None,
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Malformed(error) => write!(f, "malformed: {error}"),
            RequestError::Invalid(problem) => problem.fmt(f),
            RequestError::TooManyRows { limit } => write!(f, "more than {limit} rows in one request (--max-rows)"),
            RequestError::TooManySeries { limit } => {
                write!(f, "needs more than {limit} bytes to store its series (twice --max-series-bytes)")
            }
            RequestError::OtherVersion { version } => {
                write!(f, "the body has fields of remote write {} and none of {version}", version.alternative())
            }
            RequestError::BothVersions => {
                f.write_str("has fields of both remote write 1.0 and 2.0; choose one with --proto v1 or --proto v2")
            }
        }
    }
}

impl std::error::Error for RequestError {}
