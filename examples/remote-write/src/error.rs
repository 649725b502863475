//! Why a request was refused.

use crate::problem::{Problem, Reason};
use std::fmt;

/// Why a request was refused. Nothing of it is in the tables.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestError {
    /// The bytes are not a request: code, offset and path of the first fault. A string that is not UTF-8 is one.
    Malformed(hotpb::Error),
    /// The first thing that a receiver must not accept.
    Invalid(Box<Problem>),
    /// It would make more rows than a request may.
    TooManyRows {
        /// The limit.
        limit: usize,
    },
    /// To know its series again would take too much memory.
    TooManySeries {
        /// The limit in bytes: twice what may be held between requests.
        limit: usize,
    },
    /// It has fields of 1.0 and of 2.0, and nobody said which it is.
    BothVersions,
}

impl RequestError {
    /// What is invalid, when that is why.
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
                write!(f, "needs more than {limit} bytes to know its series (twice --max-series-bytes)")
            }
            RequestError::BothVersions => {
                f.write_str("has fields of remote write 1.0 and of 2.0; say which it is (--proto v1, --proto v2)")
            }
        }
    }
}

impl std::error::Error for RequestError {}
