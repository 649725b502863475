//! What generated code calls of the wire layer, and nobody else ([`crate::pool::__rt`]).

pub use super::check::{FieldSchema, Kind, Limits, MessageSchema, check};
pub use super::cursor::{Cursor, Input, Pos, Range};
pub use super::span::Span;
