//! The server as its senders and its readers see it.

mod auth;
mod common;
mod files;
mod http2;
mod kill;
mod protocol;
mod reload;
mod slow;
mod status;
mod tenants;
#[cfg(feature = "tls")]
mod tls;
