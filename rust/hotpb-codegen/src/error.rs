//! What the generator refuses, said so that the user can mend it.

use std::fmt;

/// Why nothing was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// `InvalidSchema`: a descriptor that cannot be used.
    Schema(Box<SchemaError>),
    /// An option that cannot be followed.
    Option(OptionError),
    /// An emitter wrote what is not Rust: a fault of this generator.
    Emitter(String),
}

/// `InvalidSchema`, with its place and how to mend it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaError {
    /// The `.proto` file, `""` when the input is too broken to name one.
    pub file: String,
    /// Line in the file, counted from 1, when source info is there.
    pub line: Option<u32>,
    /// Full name of the message, field, enum or extension, or `""`.
    pub element: String,
    /// What is wrong.
    pub problem: String,
    /// How to mend it.
    pub fix: String,
}

/// An option that is unknown, malformed or not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// Its name.
    pub option: String,
    /// The value it was given.
    pub value: String,
    /// What is wrong with it, and what is allowed.
    pub problem: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InvalidSchema: ")?;
        if !self.file.is_empty() {
            write!(f, "{}", self.file)?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            write!(f, ": ")?;
        }
        if !self.element.is_empty() {
            write!(f, "{}: ", self.element)?;
        }
        write!(f, "{}; {}", self.problem, self.fix)
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option {}={}: {}", self.option, self.value, self.problem)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Schema(e) => e.fmt(f),
            Error::Option(e) => e.fmt(f),
            Error::Emitter(e) => write!(f, "the generator wrote invalid Rust, please report it: {e}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<SchemaError> for Error {
    fn from(e: SchemaError) -> Error {
        Error::Schema(Box::new(e))
    }
}

impl From<OptionError> for Error {
    fn from(e: OptionError) -> Error {
        Error::Option(e)
    }
}
