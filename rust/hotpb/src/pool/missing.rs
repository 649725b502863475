//! Absent required fields (ERR-5, PTH-6): found depth first, the path built on the way back.

use crate::{Code, Error};
use alloc::format;
use alloc::string::String;

/// The path of an absent required field, from the message that was asked so far.
#[derive(Debug)]
pub struct Missing {
    path: String,
    code: Code,
}

impl Missing {
    /// A field of this message.
    #[cold]
    pub fn field(name: &str) -> Missing {
        Missing { path: name.into(), code: Code::MissingRequired }
    }

    /// A message for which there is no room on the stack.
    #[cold]
    pub fn too_deep() -> Missing {
        Missing { path: String::new(), code: Code::DepthExceeded }
    }

    /// The same, seen from the message whose field `name` holds this one.
    #[cold]
    pub fn inside(self, name: &str) -> Missing {
        let dot = if self.path.is_empty() { "" } else { "." };
        Missing { path: format!("{name}{dot}{}", self.path), ..self }
    }

    /// The same, seen from the message whose repeated field `name` holds this one.
    #[cold]
    pub fn at(self, name: &str, index: usize) -> Missing {
        self.inside(&format!("{name}[{index}]"))
    }

    pub(super) fn into_error(self, len: usize) -> Error {
        Error::new(self.code, len).with_path(&self.path)
    }
}
