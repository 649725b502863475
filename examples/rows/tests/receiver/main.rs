//! The tests of the receiver and of its program, in one binary, because they share much code.

#[path = "../common/mod.rs"]
mod common;

mod histograms;
mod program;
mod refused;
mod rows;
