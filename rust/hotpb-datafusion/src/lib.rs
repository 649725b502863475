//! Files of Protocol Buffers messages as tables of DataFusion.
//!
//! A [`ProtoFormat`] describes a file: the message type, from a descriptor set at run time, and how messages follow
//! each other. A [`ProtoTable`] is the files themselves; DataFusion queries it by SQL or data frames. Only the columns
//! that a query needs are decoded. `spec/arrow.md` defines the rows, `docs/sql.md` shows the program `protosql`.
//!
//! ```no_run
//! use datafusion::prelude::SessionContext;
//! use hotpb_arrow::Types;
//! use hotpb_datafusion::{ProtoFormat, register_protobuf};
//!
//! # async fn query() -> Result<(), Box<dyn std::error::Error>> {
//! let types = Types::read(&std::fs::read("schema.fds")?)?; // protoc --include_imports --descriptor_set_out=schema.fds …
//! let ctx = SessionContext::new();
//! register_protobuf(&ctx, "orders", "orders/*.pb.gz", ProtoFormat::new(types, "shop.Order"))?;
//! ctx.sql("select customer, sum(total) from orders where total > 100 group by customer").await?.show().await?;
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod catalog;
mod error;
mod exec;
mod files;
mod filter;
mod format;
mod scan;
mod table;

pub use catalog::{ProtoFiles, with_files};
pub use error::FileError;
pub use exec::{ProtoExec, Skipped, skipped};
pub use files::Compression;
pub use format::{Framing, ProtoFormat};
pub use table::{ProtoTable, register_protobuf};

/// The code of the documentation.
#[cfg(doctest)]
#[allow(rustdoc::invalid_codeblock_attributes)] // `file=`, `run` and `output` are for tests/document.rs
#[doc = include_str!("../../../docs/sql.md")]
struct Document;
