//! An output that has grown allocates nothing more for writing.

use hotpb::writer::{BytesBuffer, FixedBuffer, HeapBuffer, IoWriter, Output, StreamPolicy, VecBuffer};
use hotpb_tests::counting::measure;
use hotpb_tests::vectors::hotpb::vectors::p3::{AllWriter, ChildWriter};

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

fn steady(subject: &str, mut round: impl FnMut()) {
    round();
    round();
    let ((), measured) = measure(|| (0..10).for_each(|_| round()));
    assert_eq!(measured.calls, 0, "allocations of {subject}");
}

#[test]
fn an_output_that_has_grown_allocates_no_more() {
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
    let mut bytes = BytesBuffer::new();
    steady("BytesBuffer", || {
        bytes.clear();
        write(&mut bytes);
    });
    let mut io = IoWriter::with_chunks(std::io::sink(), 256, StreamPolicy::Compact);
    steady("IoWriter", || write(&mut io));
}

#[test]
fn a_writer_has_no_state_besides_its_borrow() {
    assert_eq!(size_of::<AllWriter<'_>>(), 2 * size_of::<usize>());
}
