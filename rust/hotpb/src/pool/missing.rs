//! Absent required fields (ERR-5, PTH-6): found depth first, the path built on the way back.

use crate::{Code, Error};
use alloc::format;
use alloc::string::String;

/// The path of an absent required field, from the message that was asked so far.
#[derive(Debug)]
pub struct Missing {
    path: String,
}

impl Missing {
    /// A field of this message.
    #[cold]
    pub fn field(name: &str) -> Missing {
        Missing { path: name.into() }
    }

    /// The same, seen from the message whose field `name` holds this one.
    #[cold]
    pub fn inside(self, name: &str) -> Missing {
        Missing { path: format!("{name}.{}", self.path) }
    }

    /// The same, seen from the message whose repeated field `name` holds this one.
    #[cold]
    pub fn at(self, name: &str, index: usize) -> Missing {
        Missing { path: format!("{name}[{index}].{}", self.path) }
    }

    pub(super) fn into_error(self, len: usize) -> Error {
        Error::new(Code::MissingRequired, len).with_path(&self.path)
    }
}
