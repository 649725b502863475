//! The part of the runtime that only generated code calls.

pub use super::raw::{Level, Raw};
pub use super::straight::Scan;
pub use super::table::{Field, KeyBits, Kind, Shape, Table};

/// For `Debug` of views.
pub fn debug(raw: &Raw<'_>, table: &Table, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
    core::fmt::Debug::fmt(&crate::text::OfRecords { bytes: raw.bytes, schema: table.schema }, f)
}
