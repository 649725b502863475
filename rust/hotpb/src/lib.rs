//! Protocol Buffers on hot paths: what hotpb's generated code stands on.
//!
//! - [`wire`]: tags, varints, ranges, UTF-8, skipping, delimited streams, append functions;
//! - [`error`]: one list of errors, each with offset and path;
//! - [`pool`]: whole messages decoded into memory that is used again;
//! - [`writer`]: append-only messages, written at once into [`chunk`]s.
//!
//! No default dependencies; `no_std` with `alloc`. `unsafe` stands only in `wire`, `pool`, `chunk` and `writer`, behind types whose
//! safe methods hold the proof; generated code has none but the one call that hands out checked text.
#![no_std]
#![deny(clippy::undocumented_unsafe_blocks)]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

extern crate alloc;
// Generated code says `::hotpb`, also where it is part of this crate.
extern crate self as hotpb;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod chunk;
pub mod error;
mod field_info;
pub mod pool;
pub mod wire;
#[allow(clippy::double_comparisons)]
pub mod wkt;
pub mod writer;

pub use error::{Code, Error};
pub use field_info::FieldInfo;

/// What generated code needs of the runtime; it refuses to compile against a version it does not know.
pub const RUNTIME_VERSION: u32 = 1;
