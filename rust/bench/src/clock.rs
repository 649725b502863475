//! The processor time of this process, which other processes do not affect.

use std::time::Duration;

/// Returns the processor time used so far.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a local timespec, which is the only memory that the call writes to.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "this system has no clock of processor time");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
