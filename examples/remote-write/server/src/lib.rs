//! A server for Prometheus remote write.
pub mod clock;
pub mod log;
