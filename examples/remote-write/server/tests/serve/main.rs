//! The server as its senders and its readers see it.

mod bad_input;
mod common;
mod compliance;
mod compliance_cases;
mod fuzz;
mod kill;
#[path = "../../../tests/common/mod.rs"]
mod library;
mod model;
mod protocol;
mod raw;
mod requests;
mod stored;
