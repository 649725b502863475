//! Peers and programs that lie to the codec: bodies in any pieces, frames that are not what they say, messages that are
//! kept, forgotten, or dropped late, and a program that panics while it writes (RCL-13 … RCL-15).

use bytes::{BufMut as _, Bytes};
use hotpb::pool::{DecodeOptions, Encode as _, Pools, PoolsOptions};
use hotpb::wkt::{Struct, StructBuilder};
use hotpb_tonic::{HotCodec, Incoming, Outgoing, Settings};
use hotpb_tonic_loopback::proto::loopback::v1::{LabelBuilder, Sample, SampleBuilder, SampleWriter};
use http_body::{Body, Frame};
use std::collections::VecDeque;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio_stream::StreamExt as _;
use tonic::codec::{BufferSettings, Codec as _, CompressionEncoding, EncodeBody, Streaming};
use tonic::{Code, Status};

type Samples = HotCodec<for<'a> fn(&'a ()) -> Sample<'a>, for<'a> fn(&'a ()) -> Sample<'a>>;
type Received = Incoming![Sample];

/// A body that comes in these pieces, and is not ready before each of them.
struct Pieces {
    left: VecDeque<Result<Bytes, Status>>,
    ready: bool,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let body = self.get_mut();
        body.ready = !body.ready;
        if !body.ready {
            return Poll::Ready(body.left.pop_front().map(|piece| piece.map(Frame::data)));
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

fn pieces<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Pieces {
    Pieces { left: pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect(), ready: false }
}

/// Returns a frame: a flag, a length, which may be a lie, and content.
fn frame(flag: u8, length: usize, content: &[u8]) -> Vec<u8> {
    let mut frame = vec![flag];
    frame.put_u32(length as u32);
    frame.extend_from_slice(content);
    frame
}

fn frames(messages: &[Vec<u8>]) -> Vec<u8> {
    messages.iter().flat_map(|message| frame(0, message.len(), message)).collect()
}

fn stream(codec: &mut Samples, body: Pieces, encoding: Option<CompressionEncoding>) -> Streaming<Received> {
    Streaming::new_request(codec.decoder(), body, encoding, None)
}

/// Reads to the end, or to an error; returns the bytes of the messages before it, and the error.
async fn read(mut stream: Streaming<Received>) -> (Vec<Vec<u8>>, Option<Status>) {
    let mut messages = Vec::new();
    loop {
        match stream.message().await {
            Ok(Some(message)) => {
                assert!(message.get().encode_to_vec().is_ok());
                messages.push(message.bytes().to_vec());
            }
            Ok(None) => return (messages, None),
            Err(status) => return (messages, Some(status)),
        }
    }
}

fn sample(labels: usize) -> SampleBuilder {
    let label = |n| LabelBuilder { name: format!("label_{n}"), value: "v".repeat(n), ..Default::default() };
    SampleBuilder { labels: (0..labels).map(label).collect(), timestamp_ms: 7, ..Default::default() }
}

fn encoded(labels: usize) -> Vec<u8> {
    sample(labels).encode_to_vec().unwrap()
}

/// RCL-13.
#[tokio::test]
async fn a_body_may_come_in_any_pieces() {
    let messages = [encoded(2), Vec::new(), encoded(3), encoded(0)];
    let whole = frames(&messages);
    let mut codec = Samples::default();
    for cut in 0..=whole.len() {
        let (a, b) = whole.split_at(cut);
        let (have, error) = read(stream(&mut codec, pieces([a, &[], b]), None)).await;
        assert!(have == messages && error.is_none(), "cut at {cut}: {error:?}");
        // A body that ends, or fails, at that byte has the messages before it, and one error unless a message ends there.
        let ends: Vec<usize> = (0..=messages.len()).map(|n| frames(&messages[..n]).len()).collect();
        let before = ends.iter().filter(|&&end| end <= cut).count() - 1;
        let (have, error) = read(stream(&mut codec, pieces([a]), None)).await;
        // tonic does not notice that a frame with content lacks all of it.
        let unnoticed = cut >= 5 && ends.contains(&(cut - 5)) && !ends.contains(&cut);
        assert_eq!((have.len(), error.is_none()), (before, ends.contains(&cut) || unnoticed), "ends at {cut}");
        let mut broken = pieces([a]);
        broken.left.push_back(Err(Status::data_loss("the wire is cut")));
        let (have, error) = read(stream(&mut codec, broken, None)).await;
        assert_eq!((have.len(), error.unwrap().code()), (before, Code::DataLoss), "fails at {cut}");
    }
    let (have, error) = read(stream(&mut codec, pieces(whole.chunks(1)), None)).await;
    assert!(have == messages && error.is_none());
}

/// RCL-13.
#[tokio::test]
async fn a_frame_that_lies_is_one_status() {
    let good = encoded(2);
    let first = frame(0, good.len(), &good);
    let lies = [
        (frame(0, good.len() - 1, &good), Code::Internal),
        (frame(0, good.len() + 1, &good), Code::Internal),
        (frame(0, 1 << 20, b"little"), Code::Internal),
        (frame(0, u32::MAX as usize, b""), Code::OutOfRange),
        (frame(1, good.len(), &good), Code::Internal),
        (frame(2, good.len(), &good), Code::Internal),
        (frame(0xff, 0, b""), Code::Internal),
        (frame(0, 5, b"\x0a\x03\x0a\x01\xff"), Code::Internal),
        (frame(0, 1, b"\x0c"), Code::Internal),
        (vec![0, 0, 0], Code::Internal),
    ];
    let mut codec = Samples::default();
    for (lie, code) in lies {
        let (have, error) = read(stream(&mut codec, pieces([&first[..], &lie]), None)).await;
        assert_eq!((have.len(), error.as_ref().map(Status::code)), (1, Some(code)), "{lie:?}: {error:?}");
    }
    // A program that asks again after an error: what follows is no message.
    let refused = frame(0, 5, b"\x0a\x03\x0a\x01\xff");
    let mut stream = self::stream(&mut codec, pieces([&refused[..], &first, &first]), None);
    assert!(stream.message().await.is_err());
    for _ in 0..100 {
        assert!(!matches!(stream.message().await, Ok(Some(_))));
    }
    // A bomb: little that becomes much. The result is limited before it reaches the decoder.
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let label = [0x0a, 0];
    (0..1 << 10).for_each(|_| zip.write_all(&label.repeat(32 << 10)).unwrap());
    let bomb = zip.finish().unwrap();
    assert!(bomb.len() < 1 << 20);
    let body = pieces([&frame(1, bomb.len(), &bomb)[..]]);
    let (have, error) = read(self::stream(&mut codec, body, Some(CompressionEncoding::Gzip))).await;
    assert_eq!((have.len(), error.unwrap().code()), (0, Code::ResourceExhausted));
    let body = pieces([&frame(1, good.len(), &good)[..]]);
    let (have, error) = read(self::stream(&mut codec, body, Some(CompressionEncoding::Gzip))).await;
    assert_eq!((have.len(), error.unwrap().code()), (0, Code::Internal), "bytes that are not gzip");
}

/// RCL-13: a status is short, whatever the message is, because it travels as a header.
#[tokio::test]
async fn the_status_of_a_bad_message_is_short() {
    let mut codec = HotCodec::<for<'a> fn(&'a ()) -> Struct<'a>, for<'a> fn(&'a ()) -> Struct<'a>>::default();
    let nested = |inner: &[u8], key: &str| {
        let entry = [&[0x0a][..], &delimited(key.as_bytes()), &[0x12], &delimited(inner)].concat();
        let fields = [&[0x0a][..], &delimited(&entry)].concat();
        [&[0x2a][..], &delimited(&fields)].concat()
    };
    let long = "k".repeat(100_000);
    let deep = (0..30).fold(b"\x1a\x01\xff".to_vec(), |inner, _| nested(&inner, &"\u{1f980}\n\0".repeat(100)));
    for message in [nested(b"\x1a\x01\xff", &long), deep] {
        // The fields of a Struct: without the value around it.
        let body = hotpb::wire::Reader::new(&message[1..]).bytes().unwrap();
        let body = pieces([&frame(0, body.len(), body)[..]]);
        let mut stream = Streaming::new_request(codec.decoder(), body, None, None);
        let status = stream.message().await.unwrap_err();
        assert!(status.message().starts_with("InvalidUtf8 at byte"), "{}", status.message());
        assert!(status.message().len() < 4096, "{} bytes: {:.300}", status.message().len(), status.message());
        // It goes through HTTP's headers.
        let mut headers = tonic::metadata::MetadataMap::new().into_headers();
        status.add_header(&mut headers).unwrap();
    }
}

fn delimited(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    hotpb::wire::append_delimited(&mut out, bytes);
    out
}

/// RCL-14.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_are_kept_forgotten_or_dropped_late_cost_no_more_than_they_hold() {
    let pools = Pools::with_options(PoolsOptions { idle: 4, ..PoolsOptions::default() });
    let mut codec = Samples::new(pools.clone(), Settings::default());
    let bytes = frames(&(0..64).map(|n| encoded(n % 8)).collect::<Vec<_>>());
    let mut messages = stream(&mut codec, pieces(bytes.chunks(100)), None);
    let mut kept = Vec::new();
    while let Some(message) = messages.message().await.unwrap() {
        if kept.len() % 16 == 15 {
            std::mem::forget(message); // its pool is lost, and nothing else
            kept.push(None);
        } else {
            kept.push(Some(message));
        }
    }
    assert_eq!((kept.len(), pools.idle()), (64, 0));
    for (n, message) in kept.iter().enumerate() {
        assert!(message.as_ref().is_none_or(|message| message.get().labels().len() == n % 8));
    }
    // The stream and the codec are gone before the messages are; other threads drop those.
    drop((messages, codec));
    let (left, right) = kept.split_at_mut(32);
    let (left, right) =
        (left.iter_mut().map(Option::take).collect::<Vec<_>>(), right.iter_mut().map(Option::take).collect::<Vec<_>>());
    let tasks = [tokio::spawn(async move { drop(left) }), tokio::spawn(async move { drop(right) })];
    for task in tasks {
        task.await.unwrap();
    }
    assert!((1..=4).contains(&pools.idle()), "{} pools", pools.idle());
}

/// RCL-14.
#[tokio::test]
async fn limits_and_settings_at_their_ends() {
    let message = encoded(3);
    let pools = || Pools::with_options(PoolsOptions { idle: 0, memory: 0 });
    for (decoding, code) in [
        (DecodeOptions { size: 0, ..Default::default() }, "SizeExceeded"),
        (DecodeOptions { depth: 0, ..Default::default() }, "DepthExceeded"),
        (DecodeOptions { elements: Some(0), ..Default::default() }, "CountExceeded"),
    ] {
        let mut codec = Samples::new(pools(), Settings { decoding, ..Default::default() });
        let (have, error) = read(stream(&mut codec, pieces([&frames(std::slice::from_ref(&message))[..]]), None)).await;
        assert_eq!(have.len(), 0);
        assert!(error.as_ref().unwrap().message().starts_with(code), "{error:?}");
    }
    for (size, threshold) in [(0, 0), (1, usize::MAX), (0, 1)] {
        let settings = Settings { buffers: BufferSettings::new(size, threshold), ..Default::default() };
        let mut codec = Samples::new(pools(), settings);
        let source = tokio_stream::iter((0..5).map(|n| Ok(Outgoing::encode(&sample(n)).unwrap())));
        let mut body = Box::pin(EncodeBody::new_client(codec.encoder(), source, None, None));
        let mut sent = VecDeque::new();
        while let Some(piece) = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
            sent.push_back(Ok(piece.unwrap().into_data().unwrap()));
        }
        let (have, error) = read(stream(&mut codec, Pieces { left: sent, ready: false }, None)).await;
        assert!(error.is_none() && have == (0..5).map(encoded).collect::<Vec<_>>(), "{size} {threshold} {error:?}");
    }
}

/// RCL-15.
#[tokio::test]
async fn a_program_that_panics_or_writes_within_a_write_harms_no_other_message() {
    let wanted = encoded(4);
    let reencode = || Outgoing::<for<'a> fn(&'a ()) -> Sample<'a>>::encode(&sample(4)).unwrap().to_bytes();
    for round in 0..20 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            <Outgoing![Sample]>::write(|out| {
                let mut message = SampleWriter::new(out);
                message.timestamp_ms(round);
                std::panic::resume_unwind(Box::new("ours"));
            })
        }));
        assert!(panicked.is_err());
        // Half a message, a handle that is forgotten: no message.
        let status =
            <Outgoing![Sample]>::write(|out| std::mem::forget(SampleWriter::new(out).open_labels())).unwrap_err();
        assert_eq!(status.code(), Code::Internal);
        // A message within the writing of another one.
        let mut inner = None;
        let outer = <Outgoing![Sample]>::write(|out| {
            let mut message = SampleWriter::new(out);
            message.value(1.0);
            inner = Some(<Outgoing![Sample]>::write(|out| _ = SampleWriter::new(out).timestamp_ms(9)).unwrap());
            message.timestamp_ms(round);
        })
        .unwrap();
        let inner = inner.unwrap().decode().unwrap();
        assert_eq!(inner.get().timestamp_ms(), 9);
        let outer = outer.decode().unwrap();
        assert_eq!((outer.get().value(), outer.get().timestamp_ms()), (1.0, round));
        assert_eq!(reencode()[..], wanted);
    }
    // Two messages, or none, in a closure that should write one: their bytes follow each other, as protobuf merges them.
    let outgoing = <Outgoing![Sample]>::write(|out| {
        SampleWriter::new(out).value(1.0);
        SampleWriter::new(out).timestamp_ms(2);
    });
    let outgoing = outgoing.unwrap().decode().unwrap();
    assert_eq!((outgoing.get().value(), outgoing.get().timestamp_ms()), (1.0, 2));
    // Bytes that are no message are sent as they are; the receiver refuses them.
    let lie: Outgoing![Sample] = Outgoing::from_bytes(&b"\x0a\xff"[..]);
    assert_eq!(lie.decode().unwrap_err().code(), hotpb::Code::Truncated);
    // A stream that fails in the middle: the messages before it are whole.
    let mut codec = Samples::default();
    let source = tokio_stream::iter([Ok(Outgoing::encode(&sample(1)).unwrap()), Err(Status::aborted("enough"))]);
    let mut body = Box::pin(EncodeBody::new_client(codec.encoder(), source, None, None));
    let first = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await.unwrap().unwrap();
    assert_eq!(first.into_data().unwrap()[..], frames(&[encoded(1)])[..]);
    let status = std::future::poll_fn(|cx| body.as_mut().poll_frame(cx)).await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::Aborted);
}

/// RCL-15.
#[tokio::test]
async fn a_body_that_panics_harms_no_pool() {
    struct Panics;
    impl Body for Panics {
        type Data = Bytes;
        type Error = Status;
        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            std::panic::resume_unwind(Box::new("ours"))
        }
    }
    let pools = Pools::<Sample<'static>>::new();
    let mut codec = Samples::new(pools.clone(), Settings::default());
    let mut bad: Streaming<Received> = Streaming::new_request(codec.decoder(), Panics, None, None);
    assert!(tokio::spawn(async move { bad.next().await.is_some() }).await.unwrap_err().is_panic());
    let (have, error) = read(stream(&mut codec, pieces([&frames(&[encoded(2)])[..]]), None)).await;
    assert!(have == [encoded(2)] && error.is_none());
    // A builder that nests deeper than any receiver accepts.
    let deep = (0..200).fold(StructBuilder::default(), |inner, _| {
        let value = hotpb::wkt::ValueBuilder {
            kind: Some(hotpb::wkt::value::KindBuilder::StructValue(Box::new(inner))),
            ..Default::default()
        };
        StructBuilder { fields: [("k".into(), value)].into_iter().collect(), ..Default::default() }
    });
    let sent = <Outgoing![Struct]>::encode(&deep).unwrap();
    assert_eq!(sent.decode().unwrap_err().code(), hotpb::Code::DepthExceeded);
}
