//! The protocol: what a request must say, and how the server answers.

mod headers;
mod serve;

pub use headers::{Refusal, classify};
pub use serve::{Shared, router, serve};
