//! The time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns milliseconds since the epoch. They never fall while the process runs.
pub fn now_ms() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
    LAST.fetch_max(now, Ordering::Relaxed).max(now)
}
