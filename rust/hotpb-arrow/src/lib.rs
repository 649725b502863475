//! Protocol Buffers messages to Arrow record batches, and back.
//!
//! The message type comes from a descriptor set at run time; there is no generated code. A table of tags, compiled once,
//! says in which column each value belongs. The decoder goes through the bytes once and appends each value to its
//! column: no message is built in between, and memory is allocated per batch, not per message. `spec/arrow.md` defines
//! the mapping, `docs/arrow.md` shows how to use it.
#![deny(missing_docs)]

mod backward;
mod check;
mod compile;
mod decode;
mod encode;
mod error;
mod finish;
mod missing;
mod options;
mod reader;
mod select;
mod source;
mod store;
mod stream;
mod table;
mod types;

pub use encode::Messages;
pub use error::{Error, ReadError};
pub use options::{Options, ReadOptions, Unchecked};
pub use reader::Reader;
pub use stream::Delimited;
pub use types::{Table, Types};
