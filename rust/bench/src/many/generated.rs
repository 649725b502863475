//! Generated code, written by `rust/bench/testgen.sh`.
#![allow(dead_code, clippy::all, rustdoc::all)]

pub mod prost {
    include!("generated/prost/hotpb.bench.many.rs");
}

#[rustfmt::skip]
#[path = "generated/buffa/mod.rs"]
mod buffa_all;
pub use buffa_all::hotpb::bench::many as buffa;

#[rustfmt::skip]
#[path = "generated/hotpb/hotpb.mod.rs"]
mod hotpb_all;
pub use hotpb_all::hotpb::bench::many as hot;

#[rustfmt::skip]
#[path = "generated/straight/hotpb.mod.rs"]
mod straight_all;
pub use straight_all::hotpb::bench::many as straight;

include!("generated/each.rs");
