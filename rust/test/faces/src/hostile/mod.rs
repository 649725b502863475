//! Hostile callers: safe code that lies, panics and forgets, wherever the runtime calls it or hands something out.
//! There must be no access out of bounds (Miri and canaries check that), no panic except the caller's own, and no
//! damaged message that counts as valid.

pub mod callers;
pub mod outputs;
pub mod play;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The payload of a hostile panic: all other panics are the runtime's.
struct Ours;

/// Panics as hostile code does, without output on stderr.
pub fn panic_here() -> ! {
    resume_unwind(Box::new(Ours))
}

/// Runs code that may panic as hostile code does; returns `None` if it did. Any other panic continues.
pub fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Ours>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Reports whether the bytes are whole records.
pub fn parses(bytes: &[u8]) -> bool {
    hotpb::pool::UnknownSet::<()>::default().push_records(bytes).is_ok()
}
