//! The log: every accepted request as it came, on the disk before its sender gets an answer.
//!
//! A [`Log`] takes entries from any thread, and numbers them in sequence. One thread, the committer, writes
//! all that wait with one write and one `fdatasync`, and then runs their callbacks. [`recover`] reads the log back;
//! a [`Tail`] reads it while it is written.
//!
//! The log keeps bodies, not rows: a replay decodes them again, which is cheap, and so the format on disk depends on no
//! layout in memory. [`format`] documents the bytes.

mod committer;
pub mod disk;
pub mod format;
mod queue;
mod recover;
pub mod repair;
#[cfg(test)]
mod sim;
mod tail;
#[cfg(test)]
mod tests;

pub(crate) use committer::random;
pub use committer::{Durability, Log, LogOptions, LogStats};
pub use format::{Encoding, Entry, Kind, Record};
pub use queue::{Failed, Permit, Position};
pub use recover::{Damage, RecoverError, Recovered, Rows, Segment, recover};
pub use tail::Tail;
