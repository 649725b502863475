//! A server for Prometheus remote write.
pub mod clock;
pub mod log;
pub mod refused;
pub mod store;

#[rustfmt::skip]
#[allow(missing_docs)]
#[path = "generated/hotpb.mod.rs"]
mod generated;
