//! A server for Prometheus remote write.
pub mod answer;
pub mod auth;
#[cfg(feature = "rival-prost")]
mod by_prost;
pub mod clock;
pub mod config;
#[cfg(feature = "copy")]
pub mod copy;
pub mod export;
pub mod http;
pub mod ingest;
#[cfg(feature = "kafka")]
pub mod kafka;
pub mod live;
pub mod log;
pub mod metrics;
pub mod notes;
pub mod options;
pub mod otlp;
pub mod refused;
pub mod repair;
pub mod retries;
pub mod server;
pub mod shares;
#[cfg(feature = "sql")]
pub mod sql;
pub mod store;
pub mod superblock;
pub mod tenants;
pub mod threads;
pub mod throttle;
pub mod values;

#[rustfmt::skip]
#[allow(missing_docs)]
#[path = "generated/hotpb.mod.rs"]
mod generated;
