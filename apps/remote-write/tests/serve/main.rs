//! The server as its senders and its readers see it.

mod auth;
mod bad_input;
mod common;
mod compliance;
mod compliance_cases;
#[cfg(feature = "copy")]
mod copy;
mod corrections;
mod damage;
mod disk;
mod export;
mod files;
mod fuzz;
mod http2;
#[cfg(feature = "kafka")]
mod kafka;
mod kill;
#[path = "../../../../examples/rows/tests/common/mod.rs"]
mod library;
mod memory;
mod model;
mod otlp;
mod otlp_answers;
mod otlp_messages;
mod otlp_options;
mod otlp_random;
mod prometheus;
mod protocol;
mod raw;
mod reload;
mod requests;
mod slow;
#[cfg(feature = "sql")]
mod sql;
mod status;
mod stored;
mod tenants;
#[cfg(feature = "tls")]
mod tls;
mod zstd;
