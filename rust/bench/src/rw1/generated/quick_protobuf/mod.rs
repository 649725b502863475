// Automatically generated mod.rs
pub mod prometheus;
