//! Protocol Buffers on hot paths: the runtime of hotpb's generated code.
//!
//! - [`wire`]: tags, varints, ranges, UTF-8, skipping, delimited streams, append functions;
//! - [`error`]: one list of errors, each with a byte offset and a field path;
//! - [`pool`]: whole messages decoded into reused memory;
//! - [`view`]: messages read where they are, value by value;
//! - [`writer`]: append-only messages, written directly into [`chunk`]s;
//! - [`codec`]: prost's structs, decoded in place;
//! - [`wkt`]: Google's well-known types, ready to use.
//!
//! The [`guide`] has an example for each concept. To generate code for your own messages, use the crate `hotpb-build`
//! in `build.rs` or the protoc plugin `protoc-gen-hotpb-rs`.
//!
//! The crate has no default dependencies, is `no_std` with `alloc`, and needs Rust 1.85 or newer. Features: `std`
//! ([`writer`]'s `IoWriter`, [`pool`]'s `Pools`), `bytes` (`BytesBuffer`, messages that own a `bytes::Bytes`, and decoding
//! from any `Buf`), `tokio-util` (`DelimitedCodec`), `http-body` (`HeapBody`). `unsafe` code is
//! confined to `wire`, `pool`, `view`, `chunk`, `writer` and `codec`, inside types whose safe methods uphold its conditions.
//! Generated code contains none: what it needs is in the macros of this crate. So it also compiles in crates with
//! `#![forbid(unsafe_code)]`.
#![no_std]
#![deny(missing_docs)]

extern crate alloc;
// Generated code refers to `::hotpb`, also where it is part of this crate.
extern crate self as hotpb;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod chunk;
pub mod codec;
pub mod error;
mod field_info;
#[cfg(any(doc, doctest))]
pub mod guide;
#[cfg(all(test, feature = "http-body", feature = "tokio-util"))]
mod hostile;
#[cfg(feature = "serde")]
pub mod json;
pub mod pool;
#[cfg(all(test, not(miri), feature = "descriptor", feature = "std"))]
mod small_stack;
mod text;
pub mod view;
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
/// Generated code carries its version. It does not compile with a runtime whose range excludes that version: generate
/// code that is too old again, or update the runtime if the code is too new. The compile error says which.
pub const MIN_GENERATED: u32 = 12;

/// The newest version of generated code that this runtime works with.
pub const MAX_GENERATED: u32 = 12;

/// Includes the code that `hotpb-build` generated in `build.rs`. Packages become modules in the module that calls this
/// macro.
///
/// `hotpb::include_generated!("name")` includes the code that was compiled with `.unit("name")`.
#[macro_export]
macro_rules! include_generated {
    () => {
        ::core::include!(::core::concat!($crate::__out_dir!(), "/hotpb.mod.rs"));
    };
    ($unit:literal) => {
        ::core::include!(::core::concat!($crate::__out_dir!(), "/", $unit, "/hotpb.mod.rs"));
    };
}

/// The folder of the code that `build.rs` generated.
#[doc(hidden)]
#[macro_export]
macro_rules! __out_dir {
    () => {
        ::core::env!(
            "OUT_DIR",
            "the package has no build.rs: add one that calls hotpb_build::Config::compile, beside Cargo.toml"
        )
    };
}
