//! What generated writers call, and nobody else ([`crate::pool::__rt`]).

pub use super::entry::Part;
pub use super::message::MessageWriter;
