//! Absent required fields (ERR-5, PTH-6): found depth first, the path built on the way back.

use crate::{Code, Error};
use alloc::format;
use alloc::string::String;

/// The path of an absent required field, relative to the message that was examined so far.
#[derive(Debug)]
pub struct Missing {
    path: String,
    code: Code,
}

impl Missing {
    /// Creates the path of a field of this message.
    #[cold]
    pub fn field(name: &str) -> Missing {
        Missing { path: name.into(), code: Code::MissingRequired }
    }

    /// Creates the path of a message for which the stack has no room.
    #[cold]
    pub fn too_deep() -> Missing {
        Missing { path: String::new(), code: Code::DepthExceeded }
    }

    /// Returns the same, relative to the message whose field `name` contains this one.
    #[cold]
    pub fn inside(self, name: &str) -> Missing {
        let dot = if self.path.is_empty() { "" } else { "." };
        Missing { path: format!("{name}{dot}{}", self.path), ..self }
    }

    /// Returns the same, relative to the message whose repeated field `name` contains this one.
    #[cold]
    pub fn at(self, name: &str, index: usize) -> Missing {
        self.inside(&format!("{name}[{index}]"))
    }

    pub(super) fn into_error(self, len: usize) -> Error {
        Error::new(self.code, len).with_path(&self.path)
    }
}
