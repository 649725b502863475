//! Generates hotpb's Rust faces: descriptors → [`plan`] → emit, one emitter per face.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod plan;
