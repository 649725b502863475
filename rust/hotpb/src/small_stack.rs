//! A thread of 1 MiB has room for messages of the default depth, whichever way they are read, written or shown (RCL-9).

use crate::pool::{DecodeOptions, Encode as _, EncodeBuffer, EncodeOptions, Ignore};
use crate::view::View as _;
use crate::wire::{self, LEN, MAX_DEPTH};
use crate::wkt::{DescriptorProtoPool, DescriptorProtoView, ValuePool};
use crate::{Code, view};
use alloc::format;
use alloc::vec::Vec;
use std::thread;

const SMALL: usize = 1 << 20;

/// Returns nested messages, through the fields with these numbers in turn.
fn nested(path: &[u32], levels: u32) -> Vec<u8> {
    (0..levels as usize).rev().fold(Vec::new(), |bytes, level| {
        let mut outer = Vec::new();
        wire::append_tag(&mut outer, path[level % path.len()], LEN);
        wire::append_bytes(&mut outer, &bytes);
        outer
    })
}

fn on_a_small_thread<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(SMALL).spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic")
    })
}

#[test]
fn a_thread_of_one_mebibyte_reads_writes_and_shows_the_deepest_messages() {
    let options = DecodeOptions { stack: SMALL / 2, ..DecodeOptions::default() };
    let (deepest, values) = (nested(&[3], MAX_DEPTH), nested(&[6, 1], MAX_DEPTH));
    let mut pool = DescriptorProtoPool::new();
    let message = on_a_small_thread(|| pool.decode_with(&deepest, &options)).expect("there is room");
    let mut buffer = EncodeBuffer::new();
    let encode = EncodeOptions { stack: SMALL / 2, ..EncodeOptions::default() };
    on_a_small_thread(|| assert!(message.encode_with(&mut buffer, &encode) == Ok(&deepest[..])));
    on_a_small_thread(|| DescriptorProtoPool::visit_with(&deepest, &options, &mut Ignore)).expect("there is room");
    on_a_small_thread(|| assert!(format!("{message:?}").len() > MAX_DEPTH as usize));
    on_a_small_thread(|| assert!(message == message));
    #[cfg(feature = "serde")]
    on_a_small_thread(|| assert!(serde_json::to_string(&message).unwrap().len() > MAX_DEPTH as usize));
    let mut value = ValuePool::new();
    on_a_small_thread(|| value.decode_with(&values, &options).map(|value| format!("{value:?}")))
        .expect("there is room");
    // One level more is an error, which the walk that explains it finds on the same stack.
    let deeper = nested(&[3], MAX_DEPTH + 1);
    let error = on_a_small_thread(|| DescriptorProtoPool::new().decode_with(&deeper, &options).map(drop)).unwrap_err();
    assert_eq!((error.code(), error.path().split('.').count()), (Code::DepthExceeded, MAX_DEPTH as usize + 1));
    // Where the stack would not suffice, the message is refused.
    let narrow = DecodeOptions { stack: 16 << 10, ..options };
    let error = on_a_small_thread(|| DescriptorProtoPool::new().decode_with(&deepest, &narrow).map(drop)).unwrap_err();
    assert_eq!(error.code(), Code::DepthExceeded);
    on_a_small_thread(|| {
        let view = DescriptorProtoView::decode_with(&deepest, &view::DecodeOptions::default()).unwrap();
        view.validate().unwrap();
        view.check_initialized().unwrap();
        assert!(format!("{view:?}").len() > MAX_DEPTH as usize);
    });
}
