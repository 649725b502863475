//! Once an output has grown, writing allocates nothing.

use hotpb::writer::{FixedBuffer, HeapBuffer, IoWriter, Output, StreamPolicy, VecBuffer};
use hotpb_tests::vectors::hotpb::vectors::p3::{AllWriter, ChildWriter};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands everything to the system's allocator unchanged; counting touches a thread-local number only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.with(|calls| calls.set(calls.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn write(output: &mut dyn Output) {
    let mut all = AllWriter::new(output);
    for i in 0..50 {
        all.single_int32(i).single_string("some text").repeated_int32_from(0..i).key_string("key", "value");
        all.single_child(|child: &mut ChildWriter<'_>| {
            child.id(1).child(|child| {
                child.name("x").children(|c| {
                    c.id(2);
                });
            });
        });
        all.open_repeated_child().name_parts(&["a", "b"]).numbers(&[1, 2, 3]);
    }
    all.finish().expect("it fits");
}

fn steady(what: &str, mut round: impl FnMut()) {
    round();
    round();
    let before = CALLS.with(Cell::get);
    assert!(before > 0, "nothing is counted");
    for _ in 0..10 {
        round();
    }
    assert_eq!(CALLS.with(Cell::get) - before, 0, "allocations of {what}");
}

#[test]
fn an_output_that_has_grown_allocates_no_more() {
    drop(vec![1]);
    let mut heap = HeapBuffer::new();
    steady("HeapBuffer", || {
        heap.clear();
        write(&mut heap);
    });
    let mut vec = VecBuffer::new();
    steady("VecBuffer", || {
        vec.clear();
        write(&mut vec);
    });
    let mut memory = vec![0; 1 << 20];
    let mut fixed = FixedBuffer::new(&mut memory);
    steady("FixedBuffer", || {
        fixed.clear();
        write(&mut fixed);
    });
    let mut io = IoWriter::with_chunks(std::io::sink(), 256, StreamPolicy::Compact);
    steady("IoWriter", || write(&mut io));
}

#[test]
fn a_writer_has_no_state_besides_its_borrow() {
    assert_eq!(size_of::<AllWriter<'_>>(), 2 * size_of::<usize>());
}
