//! The wire layer: bytes in, bytes out, no schema.
//!
//! Fast paths only *detect* that something is wrong and return `None`; what exactly, and where, is found by
//! `check`, which walks the input again over a small schema table (`spec/errors.md`, ERR-1).

#[doc(hidden)]
pub mod __rt;
mod append;
pub(crate) mod check;
mod cursor;
mod delimited;
mod reader;
mod skip;
mod span;
mod utf8;
mod varint;

pub use append::*;
pub(crate) use cursor::{Cursor, Input, Pos, Range};
pub use delimited::{Delimited, DelimitedReader, append_delimited};
pub use reader::Reader;
pub(crate) use span::Span;
pub use utf8::{is_ascii, is_utf8, utf8_error_at};
pub(crate) use varint::each_varint;
pub use varint::{decode_varint, unzigzag32, unzigzag64, varint_len, zigzag32, zigzag64};

/// Wire type of varints.
pub const VARINT: u32 = 0;
/// Wire type of 8-byte values.
pub const FIXED64: u32 = 1;
/// Wire type of length-delimited values.
pub const LEN: u32 = 2;
/// Wire type of a group's start.
pub const START_GROUP: u32 = 3;
/// Wire type of a group's end.
pub const END_GROUP: u32 = 4;
/// Wire type of 4-byte values.
pub const FIXED32: u32 = 5;

/// The largest message, and the largest length (LIM-2).
pub const MAX_SIZE: usize = i32::MAX as usize;
/// The default depth limit (LIM-1).
pub const MAX_DEPTH: u32 = 100;
/// What a depth limit is cut to (LIM-6).
pub const DEPTH_CEILING: u32 = 1000;
/// Bytes of the thread's stack that one call uses for messages in messages, unless it is asked for more or less (LIM-7): half
/// of what threads and main programs have by default.
pub const MAX_STACK: usize = if cfg!(windows) { 1 << 19 } else { 1 << 20 };

/// A tag from field number and wire type.
pub const fn tag(number: u32, wire_type: u32) -> u32 {
    (number << 3) | wire_type
}
