//! Generated code of the rivals, written by `rust/bench/testgen.sh`.
#![allow(dead_code, clippy::all, rustdoc::all)]

pub mod prost {
    include!("generated/prost/prometheus.rs");
}

#[rustfmt::skip]
pub mod buffa;
#[rustfmt::skip]
pub mod quick_protobuf;

#[rustfmt::skip]
#[path = "generated/google/prometheus/generated.rs"]
pub mod google;

#[rustfmt::skip]
#[path = "generated/hotpb/hotpb.mod.rs"]
pub mod hotpb;

#[rustfmt::skip]
#[path = "generated/codec/hotpb.mod.rs"]
pub mod codec;

#[rustfmt::skip]
pub mod rust_protobuf;
