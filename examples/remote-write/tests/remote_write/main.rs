//! The tests of the receiver and of its program, in one binary: what they share is large.

#[path = "../common/mod.rs"]
mod common;

mod program;
mod refused;
mod rows;
