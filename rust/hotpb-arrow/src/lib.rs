//! Protocol Buffers messages to Arrow record batches, and back.
//!
//! The message type comes from a descriptor set at run time; there is no generated code. A table of tags, compiled once,
//! says in which column each value belongs. The decoder goes through the bytes once and appends each value to its
//! column: no message is built in between, and memory is allocated per batch, not per message. `spec/arrow.md` defines
//! the mapping, `docs/arrow.md` shows how to use it.
//!
//! ```
//! use arrow_array::cast::AsArray;
//! use arrow_array::types::Int64Type;
//! use hotpb_arrow::{Options, ReadOptions, Types};
//!
//! # let set = include_bytes!("../../../vectors/plans/remote_write_v1.fds");
//! let types = Types::read(set)?; // a descriptor set
//! let table = types.table("prometheus.Sample", &Options::new())?;
//! let mut reader = table.reader(ReadOptions::new());
//! reader.push(&[0x10, 7])?; // timestamp: 7
//! reader.push(&[])?;
//! let batch = reader.finish().unwrap();
//! assert_eq!(batch.column_by_name("timestamp").unwrap().as_primitive::<Int64Type>().values(), &[7, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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

/// The code of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/arrow.md")]
struct Document;
