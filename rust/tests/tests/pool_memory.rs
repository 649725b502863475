//! Memory: nothing is allocated once a pool is warm, and the worst inputs stop within the budget.

use hotpb::Code;
use hotpb::pool::DecodeOptions;
use hotpb_tests::remote_write_v1::prometheus::WriteRequestPool;
use hotpb_tests::vectors::hotpb::vectors::p3::AllPool;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the calls of this thread, and the bytes that are out at one time.
struct Counting;

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

// SAFETY: every call goes to the system's allocator as it came; counting touches thread-local numbers only.
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

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of a call, and the most bytes it added.
fn measure<T>(call: impl FnOnce() -> T) -> (T, usize, isize) {
    let (calls, live) = (CALLS.get(), LIVE.get());
    PEAK.set(live);
    let result = call();
    (result, CALLS.get() - calls, PEAK.get() - live)
}

fn write_request(series: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for s in 0..series {
        hotpb::wire::append_tag(&mut out, 1, 2);
        let body = hotpb::wire::append_len_delimited(&mut out, |out| -> Result<(), ()> {
            for (name, value) in [("__name__", "up"), ("instance", "host"), ("città", &"x".repeat(s % 200))] {
                hotpb::wire::append_tag(out, 1, 2);
                hotpb::wire::append_len_delimited(out, |out| -> Result<(), ()> {
                    hotpb::wire::append_tag(out, 1, 2);
                    hotpb::wire::append_bytes(out, name.as_bytes());
                    hotpb::wire::append_tag(out, 2, 2);
                    hotpb::wire::append_bytes(out, value.as_bytes());
                    Ok(())
                })?;
            }
            Ok(())
        });
        body.unwrap();
    }
    out
}

#[test]
fn a_warm_pool_allocates_nothing() {
    let (large, small) = (write_request(500), write_request(20));
    let mut pool = WriteRequestPool::new();
    assert_eq!(pool.decode(&large).unwrap().timeseries().len(), 500);
    for input in [&large, &small, &large] {
        let (labels, calls, _) = measure(|| {
            let request = pool.decode(input).unwrap();
            request
                .timeseries()
                .iter()
                .map(|t| t.labels().iter().map(|l| l.value().len()).sum::<usize>())
                .sum::<usize>()
        });
        assert!(labels > 0);
        assert_eq!(calls, 0);
    }
}

#[test]
fn a_warm_pool_allocates_nothing_for_maps_with_duplicates_unknown_fields_and_long_lists() {
    // map<string, …> 7xx, repeated 3xx and unknown fields of the vector message, each entry twice.
    let mut input = Vec::new();
    for round in 0..2u8 {
        for key in 0..40u8 {
            for number in [701u32, 714, 719] {
                hotpb::wire::append_tag(&mut input, number, 2);
                hotpb::wire::append_bytes(&mut input, &[0x0a, 2, b'k', b'0' + key]);
            }
            hotpb::wire::append_tag(&mut input, 301, 0);
            hotpb::wire::append_varint(&mut input, (key * (round + 1)) as u64);
            hotpb::wire::append_tag(&mut input, 90_000, 0);
            hotpb::wire::append_varint(&mut input, 7);
        }
    }
    let mut pool = AllPool::new();
    pool.decode(&input).unwrap();
    let (unknown, calls, _) = measure(|| pool.decode(&input).unwrap().unknown_fields().count());
    assert_eq!(calls, 0);
    assert!(unknown >= 80);
}

/// The same record again and again.
fn records(number: u32, body: &[u8], count: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..count {
        hotpb::wire::append_tag(&mut out, number, 2);
        hotpb::wire::append_bytes(&mut out, body);
    }
    out
}

#[test]
fn empty_children_of_the_widest_message_stop_within_the_budget() {
    // Elements of a repeated field, and values of map entries that all have the empty key.
    for (number, body) in [(319, &b""[..]), (719, &b"\x12\0"[..])] {
        let input = records(number, body, 400_000);
        let each = input.len() / 400_000;
        let budget = 32 * input.len() as isize;
        let mut pool = AllPool::new();
        let (error, _, peak) = measure(|| pool.decode(&input).map(|_| ()).unwrap_err());
        assert_eq!(error.code(), Code::CountExceeded, "{error}");
        assert!(error.offset() > 0, "{error}");
        assert!(error.path().contains(&format!("[{}]", error.offset() / each)), "{error}");
        // Vectors double: at most twice what was used, and the old half while it is copied.
        assert!(peak < 3 * budget, "{peak} bytes for a budget of {budget}");
        let (again, calls, _) = measure(|| pool.decode(&input).map(|_| ()).unwrap_err());
        assert_eq!(again, error, "the limit counts what a message needs, not what was allocated before");
        assert!(calls < 60, "only the path of the error is made: {calls}");
    }
}

#[test]
fn a_small_message_may_use_a_mebibyte_whatever_its_size() {
    let mut pool = AllPool::new();
    assert!(pool.decode(&records(319, b"", 100)).is_ok());
    let tight = DecodeOptions { memory: Some(10_000), ..DecodeOptions::default() };
    assert_eq!(pool.decode_with(&records(319, b"", 100), &tight).map(|_| ()).unwrap_err().code(), Code::CountExceeded);
}

#[test]
fn repeated_fields_that_take_turns_cost_memory_in_proportion() {
    // One element of each of two fields in turn: every run has to move again and again.
    let mut input = Vec::new();
    for i in 0..100_000u64 {
        for number in [301, 302] {
            hotpb::wire::append_tag(&mut input, number, 0);
            hotpb::wire::append_varint(&mut input, i & 127);
        }
    }
    let mut pool = AllPool::new();
    let (numbers, _, peak) = measure(|| pool.decode(&input).map(|m| m.unknown_fields().count()).unwrap());
    assert_eq!(numbers, 0);
    assert!(peak < 32 * input.len() as isize, "{peak}");
}

#[test]
fn a_hundred_levels_of_the_widest_message_fit_a_small_stack_without_optimisation() {
    let mut input = Vec::new();
    for _ in 0..100 {
        let mut outer = Vec::new();
        hotpb::wire::append_tag(&mut outer, 19, 2);
        hotpb::wire::append_bytes(&mut outer, &input);
        input = outer;
    }
    let visited = input.clone();
    // A thread of the standard library has 2 MiB; half of it must do.
    let decode = move || {
        let mut pool = AllPool::new();
        let mut level = pool.decode(&input).unwrap().single_all();
        let mut levels = 0;
        while let Some(all) = level {
            levels += 1;
            level = all.single_all();
        }
        levels
    };
    let levels = std::thread::Builder::new().stack_size(1 << 20).spawn(decode).unwrap().join().unwrap();
    assert_eq!(levels, 100);
    let visit = move || AllPool::visit(&visited, &mut hotpb::pool::Ignore).is_ok();
    assert!(std::thread::Builder::new().stack_size(1 << 20).spawn(visit).unwrap().join().unwrap());
}
