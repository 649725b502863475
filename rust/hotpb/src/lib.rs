//! Protocol Buffers on hot paths: what hotpb's generated code stands on.
//!
//! - [`wire`]: tags, varints, ranges, UTF-8, skipping, delimited streams, append functions;
//! - [`error`]: one list of errors, each with offset and path;
//! - [`pool`]: whole messages decoded into memory that is used again;
//! - [`writer`]: append-only messages, written at once into [`chunk`]s;
//! - [`wkt`]: Google's well-known types, ready to use.
//!
//! The [`guide`] has an example for each concept. Code for your own messages comes from the crate `hotpb-build` in
//! `build.rs`, or from protoc's plugin `protoc-gen-hotpb-rs`.
//!
//! No default dependencies; `no_std` with `alloc`; Rust 1.85 or newer. Features: `std` ([`writer`]'s `IoWriter`), `bytes`
//! (`BytesBuffer`, and messages that own a `bytes::Bytes`). `unsafe` stands only in `wire`, `pool`, `chunk` and `writer`, behind types whose
//! safe methods hold the proof; generated code has none but what hands out
//! checked text and what says where rows have their fields.
#![no_std]
#![deny(missing_docs)]

extern crate alloc;
// Generated code says `::hotpb`, also where it is part of this crate.
extern crate self as hotpb;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod chunk;
pub mod error;
mod field_info;
#[cfg(any(doc, doctest))]
pub mod guide;
pub mod pool;
pub mod wire;
#[allow(clippy::double_comparisons)]
pub mod wkt;
pub mod writer;

pub use error::{Code, Error};
pub use field_info::FieldInfo;

/// The version of this crate, as in `"0.1.0"`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The oldest version of generated code that this runtime works with.
///
/// Generated code carries its version and compiles with no runtime whose range leaves it out: too old, it has to be
/// generated again; too new, the runtime has to be updated. The error says which.
pub const MIN_GENERATED: u32 = 8;

/// The newest version of generated code that this runtime works with.
pub const MAX_GENERATED: u32 = 8;

/// Includes what `hotpb-build` generated in `build.rs`; packages become modules where this stands.
///
/// `hotpb::include_generated!("name")` is for what was compiled with `.unit("name")`.
#[macro_export]
macro_rules! include_generated {
    () => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/hotpb.mod.rs"));
    };
    ($unit:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $unit, "/hotpb.mod.rs"));
    };
}
