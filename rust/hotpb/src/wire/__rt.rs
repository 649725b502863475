//! The part of the wire layer that only generated code calls ([`crate::pool::__rt`]).

pub use super::check::{FieldSchema, Kind, Limits, MessageSchema, Spent, check, check_part};
pub use super::cursor::{Cursor, Input, Pos, Range};
pub use super::span::Span;
