//! Tables as text, CSV or lines of JSON. [`rows`] defines the cells of each kind of row; a [`Sheet`] writes them.

mod csv;
mod folder;
mod json;
mod rows;
mod text;

pub use csv::Csv;
pub use folder::{Folder, Format, file_name};
pub use json::JsonLines;
pub use rows::{Kind, row_count, write_rows};
pub use text::{print_tables, thousands};

use crate::rows::Span;
use std::io;

/// The value of a cell.
#[derive(Clone, Copy, Debug)]
pub enum Value<'v> {
    /// Nothing: an empty cell, no key in JSON.
    None,
    /// A string of the request.
    Text(&'v str),
    /// A whole number.
    Int(i64),
    /// A whole number that is not negative.
    Uint(u64),
    /// A number. A number that JSON cannot represent is a string there: NaN, +Inf, -Inf, and StaleNaN for a stale
    /// marker.
    Float(f64),
    /// Whole numbers; a list is JSON in every format.
    Ints(&'v [i64]),
    /// Numbers.
    Floats(&'v [f64]),
    /// Runs of buckets, each `[offset, length]`.
    Spans(&'v [Span]),
    /// Names and values, as a JSON object.
    Pairs(&'v [(&'v str, &'v str)]),
}

/// An output for rows, cell by cell. All rows of a sheet have the same cells.
pub trait Sheet {
    /// Writes a cell.
    fn cell(&mut self, name: &str, value: Value<'_>);
    /// Writes a row's labels: one cell for each label column of the table, `None` if the row has no such label; and the
    /// labels that have no column, if the table has such labels.
    fn labels<'l>(
        &mut self,
        columns: &mut dyn Iterator<Item = (&'l str, Option<&'l str>)>,
        others: Option<&[(&'l str, &'l str)]>,
    );
    /// Completes the row.
    fn end_row(&mut self) -> io::Result<()>;
}

/// The NaN that marks a series as stale.
const STALE: u64 = 0x7ff0_0000_0000_0002;

/// Writes a number in the shortest form that reads back the same. All NaNs except the stale marker are written alike.
pub fn write_float(out: &mut Vec<u8>, value: f64) {
    use std::io::Write;
    let word = match value {
        _ if value.to_bits() == STALE => "StaleNaN",
        _ if value.is_nan() => "NaN",
        f64::INFINITY => "+Inf",
        f64::NEG_INFINITY => "-Inf",
        _ => {
            write!(out, "{value:?}").expect("memory takes it");
            return;
        }
    };
    out.extend_from_slice(word.as_bytes());
}
