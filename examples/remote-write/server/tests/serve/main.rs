//! The server as its senders and its readers see it.

mod common;
mod compliance;
mod kill;
mod protocol;
