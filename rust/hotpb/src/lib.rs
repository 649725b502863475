//! Protocol Buffers on hot paths: what hotpb's generated code stands on.
//!
//! - [`wire`]: tags, varints, ranges, UTF-8, skipping, delimited streams, append functions;
//! - [`error`]: one list of errors, each with offset and path;
//! - [`pool`]: whole messages decoded into memory that is used again.
//!
//! No dependencies; `no_std` with `alloc`. `unsafe` stands only in `wire` and `pool`, behind types whose
//! safe methods hold the proof; generated code has none but the one call that hands out checked text.
#![no_std]
#![deny(clippy::undocumented_unsafe_blocks)]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

extern crate alloc;
// Generated code says `::hotpb`, also where it is part of this crate.
extern crate self as hotpb;
#[cfg(test)]
extern crate std;

pub mod error;
pub mod pool;
pub mod wire;
#[allow(clippy::double_comparisons)]
pub mod wkt;

pub use error::{Code, Error};

/// What generated code needs of the runtime; it refuses to compile against a version it does not know.
pub const RUNTIME_VERSION: u32 = 1;
