//! The server as its senders and its readers see it.

mod common;
mod kill;
mod protocol;
