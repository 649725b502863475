//! The wire layer: bytes, without a schema.
//!
//! Fast paths only *detect* that something is wrong and return `None`. `check` then walks the input again, over a small
//! schema table, and finds exactly what is wrong and where (`spec/errors.md`, ERR-1).

#[doc(hidden)]
pub mod __rt;
mod append;
pub(crate) mod check;
mod copy;
mod cursor;
mod delimited;
pub mod kind;
mod pair;
mod reader;
mod skip;
mod span;
mod stack;
mod text;
mod utf8;
mod varint;

pub use append::*;
pub(crate) use copy::copy_payload;
pub(crate) use cursor::{Cursor, Input, Pos, Range};
pub use delimited::{Delimited, DelimitedReader, append_delimited};
pub use reader::Reader;
pub(crate) use span::Span;
pub use stack::Stack;
pub use text::ProtoStr;
pub use utf8::{is_ascii, is_utf8, utf8_error_at};
pub use varint::{decode_varint, unzigzag32, unzigzag64, varint_len, zigzag32, zigzag64};
pub(crate) use varint::{each_varint, varint_at};

/// Wire type of varints.
pub const VARINT: u32 = 0;
/// Wire type of 8-byte values.
pub const FIXED64: u32 = 1;
/// Wire type of length-delimited values.
pub const LEN: u32 = 2;
/// Wire type of the start of a group.
pub const START_GROUP: u32 = 3;
/// Wire type of the end of a group.
pub const END_GROUP: u32 = 4;
/// Wire type of 4-byte values.
pub const FIXED32: u32 = 5;

/// The largest size of a message, and the largest length (LIM-2).
pub const MAX_SIZE: usize = i32::MAX as usize;
/// The default depth limit (LIM-1).
pub const MAX_DEPTH: u32 = 100;
/// The highest depth limit; higher values are reduced to it (LIM-6).
pub const DEPTH_CEILING: u32 = 1000;
/// The bytes of the thread's stack that one call uses for nested messages by default (LIM-7): half of the default stack
/// size of threads and main programs.
pub const MAX_STACK: usize = if cfg!(windows) { 1 << 19 } else { 1 << 20 };

/// Returns the tag for a field number and a wire type.
pub const fn tag(number: u32, wire_type: u32) -> u32 {
    (number << 3) | wire_type
}
