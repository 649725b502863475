//! The global allocator, which counts on request: the system's, or mimalloc with the feature `mimalloc`.

#[cfg(not(feature = "mimalloc"))]
use std::alloc::System as Inner;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

#[cfg(feature = "mimalloc")]
use mimalloc::MiMalloc as Inner;

/// The global allocator of the benchmarks. When it does not count, it costs one predictable branch per call.
pub struct Counting;

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

fn record(bytes: usize) {
    if ON.get() {
        CALLS.set(CALLS.get() + 1);
        BYTES.set(BYTES.get() + bytes as u64);
    }
}

// SAFETY: every method passes its arguments to the inner allocator unchanged and returns its result; counting uses
// thread-local cells that need neither lazy initialisation nor a destructor, and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        // SAFETY: the caller's promises are those that `Inner.alloc` requires.
        unsafe { Inner.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        // SAFETY: as above.
        unsafe { Inner.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        record(new_size);
        // SAFETY: as above.
        unsafe { Inner.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { Inner.dealloc(ptr, layout) }
    }
}

/// Returns the result of `f`, and the allocations and allocated bytes of this thread during the call: other threads,
/// such as the one that runs the tests, do not count.
pub fn count<T>(f: impl FnOnce() -> T) -> (T, u64, u64) {
    let (calls, bytes) = (CALLS.get(), BYTES.get());
    ON.set(true);
    let value = f();
    ON.set(false);
    (value, CALLS.get() - calls, BYTES.get() - bytes)
}
