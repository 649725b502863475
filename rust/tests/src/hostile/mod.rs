//! Hostile callers: safe code that lies, panics and forgets, wherever the runtime calls it or hands something out. What must
//! hold: no access out of bounds (Miri and canaries look), no panic but the caller's own, and no message that is taken for
//! good though it is not.

pub mod callers;
pub mod outputs;
pub mod play;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What hostile code panics with: all other panics are the runtime's.
struct Ours;

/// Panics as hostile code does, without a word on stderr.
pub fn panic_here() -> ! {
    resume_unwind(Box::new(Ours))
}

/// Runs code that may panic as hostile code does; `None` when it did. A panic of anyone else goes on.
pub fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Ours>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Whether bytes are whole records.
pub fn parses(bytes: &[u8]) -> bool {
    hotpb::pool::UnknownSet::<()>::default().push_records(bytes).is_ok()
}
