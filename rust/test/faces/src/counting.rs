//! An allocator that counts. A test that measures sets it as its global allocator:
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: hotpb_tests::counting::Counting = hotpb_tests::counting::Counting;
//! let (kept, measured) = hotpb_tests::counting::measure(|| vec![0u8; 10]);
//! assert_eq!((measured.calls, measured.left), (1, kept.len() as isize));
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the calls of each thread, and the bytes that it holds at one time.
pub struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let _ = CALLS.try_with(|c| c.set(c.get() + (bytes > 0) as usize));
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call goes to the system's allocator unchanged; counting uses only thread-local numbers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// The effect of a call on this thread's memory.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// The number of allocations.
    pub calls: usize,
    /// The largest number of bytes that it added.
    pub peak: isize,
    /// The number of bytes that remain allocated; below 0 if it freed more.
    pub left: isize,
}

/// Measures a call. Panics if the test has not set [`Counting`] as its allocator.
pub fn measure<T>(call: impl FnOnce() -> T) -> (T, Measured) {
    let before = CALLS.get();
    drop(std::hint::black_box(vec![0u8; 1]));
    assert_ne!(CALLS.get(), before, "nothing is counted");
    let (calls, live) = (CALLS.get(), LIVE.get());
    PEAK.set(live);
    let result = call();
    (result, Measured { calls: CALLS.get() - calls, peak: PEAK.get() - live, left: LIVE.get() - live })
}
