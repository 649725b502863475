//! The part of the writer that only generated writers call ([`crate::pool::__rt`]).

pub use super::entry::Part;
pub use super::message::MessageWriter;
