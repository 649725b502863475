//! Hostile callers of holders of a whole message: stocks of pools, frames, bodies, buffers in pieces, and places that are
//! overwritten. Miri runs these tests, too. The writer's and the pool's own are in `rust/test/faces`, the codec's in
//! `codec/tests.rs`.

use crate::Code;
use crate::pool::__rt::Encoder as Into;
use crate::pool::{DecodeOptions, DelimitedCodec, Encode, EncodeOptions, FrameError, Pool, Pools, PoolsOptions};
use crate::view::View as _;
use crate::wkt::{FieldMask, FieldMaskPool, FieldMaskView, FieldMaskWriter, ListValueWriter, TimestampView};
use crate::writer::{HeapBody, HeapBuffer};
use alloc::vec;
use alloc::vec::Vec;
use bytes::{Buf, Bytes, BytesMut};
use core::cell::Cell;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use http_body::Body;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use tokio_util::codec::{Decoder as _, Encoder as _};

type Mask = FieldMask<'static>;

const MESSAGE: &[u8] = b"\x0a\x05hello\x0a\x03you";

/// The payload of a panic of these tests: all others are the crate's.
struct Ours;

fn panic_here() -> ! {
    resume_unwind(alloc::boxed::Box::new(Ours))
}

/// Returns `None` if the code panicked as these tests do.
fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Ours>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Miri reports every leak, also one on purpose.
fn forget<T>(value: T) {
    if cfg!(miri) { drop(value) } else { core::mem::forget(value) }
}

/// RCL-4.
#[test]
fn a_stock_of_pools_keeps_to_its_limits_whatever_comes_back() {
    let pools = Pools::<Mask>::with_options(PoolsOptions { idle: 3, memory: 1 << 20 });
    // Messages that are never dropped, and pools that another stock, or none, has created.
    forget(pools.decode(MESSAGE.to_vec()).unwrap());
    forget(pools.take());
    assert_eq!((pools.idle(), pools.memory()), (0, 0));
    for _ in 0..5 {
        pools.put(Pool::new());
        pools.put(core::mem::take(&mut FieldMaskPool::new()));
    }
    assert_eq!(pools.idle(), 3);
    // The stock is gone before its messages are.
    let orphan = Pools::<Mask>::new().decode(MESSAGE.to_vec()).unwrap();
    assert!(orphan.get().paths().iter().eq(["hello", "you"]));
    assert_eq!(orphan.into_bytes(), MESSAGE);
    // A panic while messages are held returns their pools.
    pools.shrink();
    assert!(
        caught(|| {
            let _held = [pools.decode(MESSAGE.to_vec()).unwrap(), pools.decode(Vec::new()).unwrap()];
            panic_here()
        })
        .is_none()
    );
    assert_eq!(pools.idle(), 2);
    assert!(pools.decode(MESSAGE.to_vec()).unwrap().get().paths().iter().eq(["hello", "you"]));
    // Limits at both ends.
    for (idle, memory, kept) in [(0, usize::MAX, 0), (usize::MAX, 0, 0), (usize::MAX, usize::MAX, 4)] {
        let pools = Pools::<Mask>::with_options(PoolsOptions { idle, memory });
        for _ in 0..4 {
            let mut used = FieldMaskPool::new();
            used.decode(MESSAGE).unwrap();
            pools.put(used);
        }
        assert_eq!(pools.idle(), kept, "{idle} {memory}");
        pools.shrink();
        assert_eq!((pools.idle(), pools.memory()), (0, 0));
    }
}

/// RCL-4: thread-local values are dropped at a thread's end, in any order.
#[test]
fn a_message_in_a_thread_local_value_returns_its_pool_at_the_threads_end() {
    std::thread_local! {
        static KEPT: Cell<Option<crate::pool::Recycled<Mask, Vec<u8>>>> = const { Cell::new(None) };
    }
    let pools = Pools::<Mask>::new();
    let shared = pools.clone();
    std::thread::spawn(move || KEPT.set(Some(shared.decode(MESSAGE.to_vec()).unwrap()))).join().unwrap();
    assert_eq!(pools.idle(), 1);
}

/// A `Buf` that says one thing and does another.
struct Liar<'a> {
    lengths: Vec<usize>,
    chunks: Vec<&'a [u8]>,
    reads: Cell<usize>,
    calls: Cell<usize>,
    panics_at: usize,
}

impl<'a> Liar<'a> {
    fn new(lengths: &[usize], chunks: &[&'a [u8]], panics_at: usize) -> Liar<'a> {
        Liar { lengths: lengths.into(), chunks: chunks.into(), reads: Cell::new(0), calls: Cell::new(0), panics_at }
    }
    fn tick(&self) {
        if self.calls.replace(self.calls.get() + 1) == self.panics_at {
            panic_here();
        }
    }
}

impl Buf for Liar<'_> {
    fn remaining(&self) -> usize {
        self.tick();
        let reads = self.reads.replace(self.reads.get() + 1);
        self.lengths[reads.min(self.lengths.len() - 1)]
    }
    fn chunk(&self) -> &[u8] {
        self.tick();
        // Another piece at each call.
        self.chunks[self.calls.get() % self.chunks.len()]
    }
    fn advance(&mut self, _: usize) {
        self.tick();
    }
}

/// RCL-5.
#[test]
fn a_buf_that_lies_or_panics_is_an_error_or_a_message_and_the_pool_is_as_good_as_new() {
    let mut pool = FieldMaskPool::new();
    let pieces: [&[&[u8]]; 6] = [
        &[MESSAGE],
        &[b""],
        &[&MESSAGE[..3], MESSAGE],
        &[MESSAGE, b"\x0a"],
        &[b"\x0a\x01a", b"", b"\x0a\xff\xff\xff\xff\x07"],
        &[&MESSAGE[..1], &MESSAGE[1..2], b"\x0a\x05"],
    ];
    for lengths in [&[12][..], &[0, 12], &[12, 0], &[3, usize::MAX], &[usize::MAX], &[13, 1], &[40]] {
        for chunks in pieces {
            for panics_at in (0..8).step_by(if cfg!(miri) { 3 } else { 1 }).chain([usize::MAX]) {
                let mut liar = Liar::new(lengths, chunks, panics_at);
                let done =
                    caught(|| pool.decode_buf(&mut liar).map(|mask| mask.paths().iter().map(str::len).sum::<usize>()));
                assert!(done.is_some() || panics_at < usize::MAX);
                if let Some(Ok(len)) = done {
                    // No byte counts beyond those that it promised.
                    assert!(len <= lengths[0], "{lengths:?} {chunks:?}");
                }
                let mut good = MESSAGE[..4].chain(&MESSAGE[4..]);
                assert!(pool.decode_buf(&mut good).unwrap().paths().iter().eq(["hello", "you"]));
            }
        }
    }
}

/// A message that panics when a part of it is written.
struct Half;

impl Encode for Half {
    type Of = Mask;
    fn write<'m>(&'m self, e: &mut Into<'m>) {
        e.raw(b"\x0a\x01a");
        panic_here()
    }
}

fn code<T>(done: Result<T, FrameError>) -> Option<(Code, usize)> {
    match done.err()? {
        FrameError::Message(error) => Some((error.code(), error.offset())),
        FrameError::Io(error) => panic!("{error}"),
    }
}

/// RCL-6.
#[test]
fn frames_are_whole_or_absent_though_a_message_panics_or_is_refused() {
    let strict = EncodeOptions { strict: true, ..EncodeOptions::default() };
    let mut codec = DelimitedCodec::<Mask>::with_options(Pools::new(), DecodeOptions::default(), strict);
    let mut refused = crate::wkt::FieldMaskBuilder::default();
    refused.unknown_fields.push_checked(&[0x0a, 0xff]);
    let mut out = BytesMut::new();
    codec.encode(Bytes::from_static(MESSAGE), &mut out).unwrap();
    let before = out.clone();
    for _ in 0..2 {
        assert!(caught(|| codec.encode(Half, &mut out).is_ok()).is_none());
        assert_eq!(out, before);
        assert!(codec.encode(&refused, &mut out).is_err());
        assert_eq!(out, before);
    }
    codec.encode(Bytes::new(), &mut out).unwrap();
    assert_eq!(out.len(), before.len() + 1);
    assert!(codec.decode(&mut out).unwrap().unwrap().get().paths().iter().eq(["hello", "you"]));
    assert_eq!(codec.decode(&mut out).unwrap().unwrap().get().paths().len(), 0);
    assert!(codec.decode_eof(&mut out).unwrap().is_none());
}

/// RCL-6: offsets count the bytes that were decoded.
#[test]
fn a_program_may_change_the_buffer_between_frames() {
    let mut codec = DelimitedCodec::<Mask>::new();
    let mut buffer = BytesMut::from(&b"\x0c\x0a"[..]);
    assert!(codec.decode(&mut buffer).unwrap().is_none());
    // Another beginning, another memory, nothing.
    for damaged in [&b"\x03\x0a\x01a"[..], b"\x00", b"", b"\xff", b"\x02\x0a\x00\x02"] {
        buffer = BytesMut::from(damaged);
        while codec.decode(&mut buffer).unwrap().is_some() {}
    }
    // Three messages of 4, 1 and 3 bytes are done.
    buffer = BytesMut::from(&[0xff; 11][..]);
    assert_eq!(code(codec.decode(&mut buffer)), Some((Code::VarintOverflow, 8)));
    // An error of the stream stays, whatever comes.
    buffer = BytesMut::from(&b"\x00"[..]);
    assert_eq!(code(codec.decode(&mut buffer)), Some((Code::VarintOverflow, 8)));
    assert_eq!(code(codec.decode_eof(&mut BytesMut::new())), Some((Code::VarintOverflow, 8)));
    let mut copy = codec.clone();
    assert!(copy.decode(&mut buffer).unwrap().is_some(), "a copy is for another stream");
}

/// RCL-7.
#[test]
fn a_body_is_whole_though_its_writer_was_forgotten_or_panicked() {
    let forgotten: [fn(&mut HeapBuffer); 3] = [
        |out| core::mem::forget(FieldMaskWriter::new(out)),
        |out| {
            let mut list = ListValueWriter::new(out);
            core::mem::forget(list.open_values());
        },
        |out| {
            let mut list = ListValueWriter::new(out);
            let mut value = list.open_values();
            core::mem::forget(value.open_list_value());
            drop(value);
            core::mem::forget(list);
        },
    ];
    for (i, write) in forgotten.into_iter().enumerate() {
        let mut out = HeapBuffer::new();
        FieldMaskWriter::new(&mut out).paths("a");
        write(&mut out);
        assert_eq!(HeapBody::new(out).unwrap_err().code(), Code::HandleMisuse, "{i}");
    }
    let mut out = HeapBuffer::new();
    assert!(
        caught(|| {
            let mut mask = FieldMaskWriter::new(&mut out);
            mask.paths("a");
            panic_here()
        })
        .is_none()
    );
    // Whether the panic counts or not: no half message becomes a body.
    if let Ok(body) = HeapBody::new(out) {
        assert_eq!(body.into_chunks().flatten().collect::<Vec<u8>>(), b"\x0a\x01a");
    }
    // A body that is polled too often, or in part.
    let mut out = HeapBuffer::new();
    FieldMaskWriter::new(&mut out).paths("a");
    let mut body = HeapBody::new(out).unwrap();
    let copy = body.clone();
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(Pin::new(&mut body).poll_frame(&mut context), Poll::Ready(Some(Ok(_)))));
    for _ in 0..3 {
        assert!(matches!(Pin::new(&mut body).poll_frame(&mut context), Poll::Ready(None)));
        assert_eq!((body.is_end_stream(), body.size_hint().exact()), (true, Some(0)));
    }
    assert_eq!(body.into_chunks().count(), 0);
    assert_eq!(copy.into_chunks().flatten().collect::<Vec<u8>>(), b"\x0a\x01a");
}

/// RCL-8.
#[test]
fn a_place_writes_only_where_a_value_of_that_length_is_in_the_memory_that_it_is_given() {
    let mut bytes = b"\x08\x96\x01\x10\x05\x08\x97\x01".to_vec();
    let seconds = TimestampView::decode(&bytes).unwrap().overwrite_seconds();
    let nanos = TimestampView::decode(&bytes).unwrap().overwrite_nanos();
    let mask = MESSAGE.to_vec();
    let path = FieldMaskView::decode(&mask).unwrap().overwrite_paths(1);
    // Every part of the memory: the value is in it, or nothing happens.
    for start in (0..=bytes.len()).step_by(if cfg!(miri) { 3 } else { 1 }) {
        for end in start..=bytes.len() {
            let before = bytes.clone();
            let done = seconds.write(&mut bytes[start..end], 300);
            assert_eq!(done, start <= 6 && end == 8, "{start} {end}");
            if done {
                assert_eq!(bytes, b"\x08\x96\x01\x10\x05\x08\xac\x02");
                assert!(seconds.write(&mut bytes, 151));
            }
            assert_eq!(bytes, before);
        }
    }
    // Places of other memory, also of another type's; the values that are there by now have other lengths, or none.
    let mut copy = mask.clone();
    assert!(!path.write(&mut bytes, "you") && !seconds.write(&mut copy, 300) && !path.write(&mut [], "abc"));
    assert_eq!((&bytes[..], &copy[..]), (&b"\x08\x96\x01\x10\x05\x08\x97\x01"[..], MESSAGE));
    for fill in [0, 0x7f, 0x80, 0xff] {
        bytes.fill(fill);
        let before = bytes.clone();
        assert!(!seconds.write(&mut bytes, 300) && bytes == before, "{fill}");
        assert_eq!(nanos.write(&mut bytes, 9), fill < 0x80);
        assert_eq!(bytes.iter().filter(|&&byte| byte != fill).count(), (fill < 0x80) as usize);
    }
    // Memory that has moved on: shorter, freed and allocated again.
    bytes.truncate(7);
    bytes.fill(0);
    assert!(!seconds.write(&mut bytes, 300));
    drop(bytes);
    let mut buffer = vec![0u8; 8];
    let _ = seconds.write(&mut buffer, 300);
    assert_eq!(buffer, [0; 8]);
}
