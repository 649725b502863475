//! The part of the runtime that only generated code calls.

pub use super::raw::{Level, Raw};
pub use super::straight::Scan;
pub use super::table::{Field, KeyBits, Kind, Shape, Table};
