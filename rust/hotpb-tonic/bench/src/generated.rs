//! Code that `build.rs` generates.
#![allow(dead_code, clippy::all, rustdoc::all)]

pub mod hot {
    hotpb::include_generated!();
}

pub mod stock {
    include!(concat!(env!("OUT_DIR"), "/prometheus.rs"));
}
