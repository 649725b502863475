//! The allocator, counting while asked to: the system's, or with the feature `mimalloc` that one.

#[cfg(not(feature = "mimalloc"))]
use std::alloc::System as Inner;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

#[cfg(feature = "mimalloc")]
use mimalloc::MiMalloc as Inner;

/// The global allocator of the benchmarks. Not counting, it costs one predictable branch a call.
pub struct Counting;

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: usize) {
    if ON.get() {
        CALLS.set(CALLS.get() + 1);
        BYTES.set(BYTES.get() + bytes as u64);
    }
}

// SAFETY: every method hands its arguments to the inner allocator unchanged and returns what it returns; counting touches
// cells of the thread that need neither a first use nor a destructor, and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are those `Inner.alloc` asks for.
        unsafe { Inner.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { Inner.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size);
        // SAFETY: as above.
        unsafe { Inner.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { Inner.dealloc(ptr, layout) }
    }
}

/// Allocations and allocated bytes of one call of `f`, by this thread only: what the thread that runs the tests allocates while it
/// waits is not of `f`.
pub fn of<T>(f: impl FnOnce() -> T) -> (T, u64, u64) {
    let (calls, bytes) = (CALLS.get(), BYTES.get());
    ON.set(true);
    let value = f();
    ON.set(false);
    (value, CALLS.get() - calls, BYTES.get() - bytes)
}
