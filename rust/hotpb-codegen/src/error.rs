//! The generator's errors, which say how to fix the cause.

use std::fmt;

/// Why nothing was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// `InvalidSchema`: a descriptor cannot be used.
    Schema(Box<SchemaError>),
    /// An option cannot be applied.
    Option(OptionError),
    /// An emitter wrote invalid Rust, which is a bug in this generator.
    Emitter(String),
}

/// `InvalidSchema`, with the place of the error and a fix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaError {
    /// The `.proto` file; `""` if the input is too broken to name one.
    pub file: String,
    /// The line in the file, counted from 1, if there is source info.
    pub line: Option<u32>,
    /// The full name of the message, field, enum or extension; `""` if there is none.
    pub element: String,
    /// The problem.
    pub problem: String,
    /// How to fix it.
    pub fix: String,
}

/// An option that is unknown, malformed or not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError {
    /// The name of the option.
    pub option: String,
    /// Its value.
    pub value: String,
    /// The problem of the value, and the values that are allowed.
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
