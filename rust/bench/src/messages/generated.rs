//! Generated code, written by `rust/bench/testgen.sh`.
#![allow(dead_code, clippy::all, rustdoc::all)]

pub mod prost {
    include!("generated/prost/hotpb.bench.rs");
}
pub mod prost_descriptor {
    include!("generated/prost_descriptor/google.protobuf.rs");
}

#[rustfmt::skip]
pub mod buffa;

#[rustfmt::skip]
pub mod quick_listing;
#[rustfmt::skip]
pub mod quick_otlp_logs;
#[rustfmt::skip]
pub mod quick_shapes;

#[rustfmt::skip]
#[path = "generated/google/bench/generated.rs"]
pub mod google;

#[rustfmt::skip]
#[path = "generated/hotpb/hotpb.mod.rs"]
pub mod hotpb;
