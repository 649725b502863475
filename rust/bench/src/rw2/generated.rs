//! Generated code, written by `rust/bench/testgen.sh`.
#![allow(dead_code, clippy::all, rustdoc::all)]

pub mod prost {
    include!("generated/prost/io.prometheus.write.v2.rs");
}

#[rustfmt::skip]
pub mod buffa;

#[rustfmt::skip]
#[path = "generated/google/prometheus/write/v2/generated.rs"]
pub mod google;

#[rustfmt::skip]
#[path = "generated/hotpb/hotpb.mod.rs"]
pub mod hotpb;
