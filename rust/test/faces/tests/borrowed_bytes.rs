//! Tests the code that borrows, moves and writes through pointers, in generated code of the nasty schema and of remote
//! write: valid and damaged bytes, handles, builders, visitors, owned messages, writers. It is quick here; Miri
//! (`rust/check-all.sh miri`) runs it to check each access: bounds, aliasing, leaks.

use hotpb::Error;
use hotpb::pool::{
    DecodeOptions, Encode, EncodeBuffer, Flow, Ignore, Message, Owned, Pool, Records, VisitError, VisitWith,
};
use hotpb::writer::HeapBuffer;
use hotpb_tests::mutate::{Rng, mutate, records};
use hotpb_tests::nasty::hotpb::nasty::recursive;
use hotpb_tests::nasty::reencode::{BUILDERS, HANDLES, Reencoder, TABLE};
use hotpb_tests::remote_write_v1::prometheus::*;
use hotpb_tests::writing;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::mem::replace;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// A row of the tables.
type Named = (&'static str, fn() -> Reencoder);

/// Miri is some thousand times slower.
fn rounds(here: usize, miri: usize) -> usize {
    if cfg!(miri) { miri } else { here }
}

#[test]
fn every_way_to_read_a_message_of_the_nasty_schema_agrees_on_any_bytes() {
    let made =
        |table: &[Named], name: &str| table.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no {name}")).1();
    let (mut rng, mut good, mut bad) = (Rng::new(41), 0, 0);
    for (name, make) in TABLE.iter().step_by(rounds(1, 5)) {
        let (mut warm, mut handle) = (make(), made(HANDLES, name));
        let mut builder = made(BUILDERS, name);
        for round in 0..rounds(40, 3) {
            let mut bytes = records(&mut rng, |rng| 1 + rng.below(24));
            if round % 3 == 2 {
                bytes = mutate(&mut rng, &bytes.clone(), &bytes);
            }
            let options = DecodeOptions { strict: rng.below(4) == 0, allow_partial: true, ..DecodeOptions::default() };
            let first = warm(&bytes, &options);
            assert_eq!(make()(&bytes, &options), first, "{name} {bytes:02x?}");
            let encoded = handle(&bytes, &options);
            assert_eq!(builder(&bytes, &options), encoded, "{name} {bytes:02x?}");
            match first {
                Ok(out) => {
                    assert_eq!(warm(&out, &options), Ok(out), "{name} {bytes:02x?}");
                    good += 1;
                }
                Err(error) => {
                    assert!(error.offset() <= bytes.len());
                    bad += 1;
                }
            }
        }
    }
    assert!(good > 0 && bad > 0, "{good} good, {bad} bad");
}

/// Decodes and visits: both must return the same error, or none.
fn visited<M>(bytes: &[u8]) -> bool
where
    M: Message,
    for<'a> M: VisitWith<'a, Ignore, Error = Infallible>,
{
    let options = DecodeOptions { allow_partial: true, ..DecodeOptions::default() };
    let decoded = Pool::<M>::new().decode_with(bytes, &options).map(drop).map_err(VisitError::Decode);
    let visit = Pool::<M>::visit_with(bytes, &options, &mut Ignore);
    assert_eq!(visit, decoded, "{} {bytes:02x?}", M::SCHEMA.name);
    decoded.is_ok()
}

#[test]
fn a_visit_of_recursive_messages_finds_what_a_decode_finds() {
    let (mut rng, mut good, all) = (Rng::new(47), 0, rounds(300, 20));
    for round in 0..all {
        let mut bytes = records(&mut rng, |rng| 1 + rng.below(5));
        if round % 2 == 1 {
            let mut outer = Vec::new();
            hotpb::wire::append_tag(&mut outer, 1 + rng.below(4) as u32, hotpb::wire::LEN);
            hotpb::wire::append_bytes(&mut outer, &bytes);
            bytes = outer;
        }
        good += usize::from(visited::<recursive::List<'static>>(&bytes));
        good += usize::from(visited::<recursive::Ping<'static>>(&bytes));
        good += usize::from(visited::<recursive::Pong<'static>>(&bytes));
        good += usize::from(visited::<recursive::Groups<'static>>(&bytes));
        good += usize::from(visited::<recursive::Hub<'static>>(&bytes));
    }
    assert!(good > all / 2 && good < 5 * all, "{good} of {}", 5 * all);
}

#[test]
fn writers_of_the_nasty_schema_write_what_its_pools_read() {
    use recursive::{ListPool, ListWriter};
    let mut out = HeapBuffer::new();
    for depth in [0, 3, 40] {
        out.clear();
        fn nest(list: &mut ListWriter<'_>, depth: i32) {
            list.value(depth);
            if depth > 0 {
                list.next(|next| nest(next, depth - 1));
            }
        }
        let mut list = ListWriter::new(&mut out);
        nest(&mut list, depth);
        list.finish().unwrap();
        let bytes = out.to_partial_vec();
        let mut pool = ListPool::new();
        let (mut list, mut levels) = (Some(pool.decode(&bytes).unwrap()), 0);
        while let Some(at) = list {
            assert_eq!(at.value(), depth - levels);
            levels += 1;
            list = at.next();
        }
        assert_eq!(levels, depth + 1);
    }
}

/// Returns two series: a label block with a multibyte value, and the same again.
fn request() -> Vec<u8> {
    let series = "\x0a\x06\x0a\x01a\x12\x01b\x0a\x08\x0a\x01c\x12\x03d\u{e9}\x12\x0b\x09\0\0\0\0\0\0\0\0\x10\x05";
    let mut out = Vec::new();
    for _ in 0..2 {
        hotpb::wire::append_tag(&mut out, 1, hotpb::wire::LEN);
        hotpb::wire::append_bytes(&mut out, series.as_bytes());
    }
    out
}

/// Borrows from the bytes, not from the visit.
#[derive(Default)]
struct Names<'a>(Vec<&'a str>);

impl<'a> WriteRequestVisitor<'a> for Names<'a> {
    type Error = String;
    fn timeseries(&mut self, series: &mut Records<'a, '_, TimeSeries<'static>>) -> Flow<String> {
        while let Some(record) = series.next_record() {
            record.visit(self)?;
        }
        Ok(())
    }
}

impl<'a> TimeSeriesVisitor<'a> for Names<'a> {
    type Error = String;
    fn labels(&mut self, labels: &mut Records<'a, '_, Label<'static>>) -> Flow<String> {
        labels.visit(self)
    }
}

impl<'a> LabelVisitor<'a> for Names<'a> {
    type Error = String;
    fn name(&mut self, name: &'a str) -> Flow<String> {
        self.0.push(name);
        if self.0.len() > 1000 { Err("too many".to_string())? } else { Ok(()) }
    }
    fn value(&mut self, value: &'a str) -> Flow<String> {
        self.0.push(value);
        Ok(())
    }
}

/// Reads everything in a request.
fn read(request: WriteRequest<'_>) -> usize {
    let labels =
        |series: TimeSeries<'_>| series.labels().iter().map(|l| l.name().len() + l.value().len()).sum::<usize>();
    request.timeseries().iter().map(|series| labels(series) + series.samples().len()).sum()
}

#[test]
fn a_request_is_read_in_every_way_whole_and_damaged() {
    let good = request();
    let (mut pool, mut copy, mut buffer) = (WriteRequestPool::new(), WriteRequestPool::new(), EncodeBuffer::new());
    let mut refused = 0;
    for at in (0..good.len()).step_by(rounds(1, 6)) {
        for value in [good[at], 0, 0x7f, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let mut names = Names::default();
            let visited = WriteRequestPool::visit(&bytes, &mut names);
            let copied = copy.decode_copy(&bytes).map(read);
            let decoded: Result<usize, Error> = pool.decode(&bytes).map(|request| {
                let encoded = request.encode_into(&mut buffer).expect("nothing is required");
                let reread = WriteRequestPool::new().decode(encoded).map(read);
                assert_eq!(reread, Ok(read(request)));
                read(request)
            });
            assert_eq!(copied, decoded);
            match (visited, &decoded) {
                (Ok(()), Ok(_)) => assert!(names.0.len() <= 20),
                (Err(VisitError::Decode(e)), Err(error)) => {
                    assert_eq!(e, *error);
                    refused += 1;
                }
                (visited, decoded) => panic!("{visited:?} and {decoded:?}"),
            }
        }
        assert!(pool.decode(&good[..at]).is_err() || at == 0 || at == good.len() / 2);
    }
    assert!(refused > 10);
    pool.shrink_to(100);
    assert_eq!(pool.decode(&good).map(read), Ok(14));
    let mut stream = Vec::new();
    for _ in 0..3 {
        pool.decode(&good).unwrap().append_delimited(&mut stream, &mut buffer).unwrap();
    }
    let (mut messages, mut count) = (pool.decode_delimited(&stream), 0);
    while let Some(request) = messages.next_message().unwrap() {
        count += read(request);
    }
    assert_eq!(count, 42);
}

#[test]
fn an_owned_message_crosses_threads_and_awaits_with_its_bytes() {
    let pool = WriteRequestPool::new();
    let owned = pool.decode_owned(request()).unwrap();
    let (pool, bytes) = std::thread::spawn(move || {
        let moved = Box::new(owned);
        assert_eq!(read(moved.get()), 14);
        moved.into_parts()
    })
    .join()
    .unwrap();
    let owned = pool.decode_owned(Arc::<[u8]>::from(bytes)).unwrap();
    let second = owned.bytes().clone();
    let (pool, _) = held_across_an_await(owned);
    assert_eq!(second[..], request());
    let owned = pool.decode_owned(bytes::Bytes::from(request())).unwrap();
    assert_eq!(read(owned.get()), 14);
    let failed = owned.into_parts().0.decode_owned(vec![0x0a, 9].into_boxed_slice()).err().unwrap();
    assert_eq!(failed.pool.decode_owned(request()).map(|owned| read(owned.get())).ok(), Some(14));
}

type Shared = Owned<WriteRequest<'static>, Arc<[u8]>>;

/// A task that keeps the message while it waits, and continues in another thread, as with an executor.
fn held_across_an_await(owned: Shared) -> (WriteRequestPool, Arc<[u8]>) {
    let mut waited = false;
    let mut task = Box::pin(async move {
        let before = read(owned.get());
        poll_fn(|_| if replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        assert_eq!(read(owned.get()), before);
        owned.into_parts()
    });
    assert!(task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    let goes_on = move || match task.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits once"),
    };
    std::thread::spawn(goes_on).join().unwrap()
}

#[test]
fn scripts_of_a_writer_give_their_message_in_all_outputs() {
    let mut rng = Rng::new(43);
    for round in 0..rounds(60, 4) {
        let script: Vec<u8> = (0..rng.below(30 + round)).map(|_| rng.number() as u8).collect();
        writing::scripts(&script, &mut rng);
    }
}
