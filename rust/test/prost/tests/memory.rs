//! The allocations of a decode, the memory that it keeps and may need (COD-74, COD-77, COD-78, COD-79).

use hotpb::Code;
use hotpb::codec::DecodeOptions;
use hotpb_prost_tests::counting::{Counting, measure};
use hotpb_prost_tests::{others, plain};
use others::pb::prometheus::{Label, Sample, TimeSeries, WriteRequest};
use plain::pb::hotpb::vectors::p3::{self, all::Kind};
use prost::Message;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A request of `series` series; their labels and samples differ in number and length.
fn request(series: usize, shift: usize) -> Vec<u8> {
    let label = |i: usize| Label { name: format!("name_{i}"), value: "v".repeat((i * 7 + shift) % 40) };
    let timeseries = (0..series).map(|i| TimeSeries {
        labels: (0..(i + shift) % 9).map(label).collect(),
        samples: (0..(i + 2 * shift) % 3).map(|i| Sample { value: 0.5, timestamp: i as i64 }).collect(),
        ..TimeSeries::default()
    });
    WriteRequest { timeseries: timeseries.collect(), ..WriteRequest::default() }.encode_to_vec()
}

#[test]
fn a_warm_struct_allocates_nothing_though_messages_differ_in_shape() {
    let bodies: Vec<_> = [(40, 0), (3, 1), (0, 2), (25, 5), (40, 7), (1, 3)].map(|(n, shift)| request(n, shift)).into();
    let mut reuse = others::prometheus::WriteRequestReuse::new();
    let mut message = WriteRequest::default();
    let mut round = || {
        for body in &bodies {
            reuse.decode(&mut message, body).unwrap();
        }
    };
    // Each place of each list, and each string, reaches the size that its longest value needs.
    (0..200).for_each(|_| round());
    let ((), measured) = measure(round);
    assert_eq!((measured.calls, measured.left), (0, 0), "{measured:?}");
    for body in &bodies {
        reuse.decode(&mut message, body).unwrap();
        assert_eq!(message, WriteRequest::decode(&body[..]).unwrap());
    }
}

#[test]
fn options_oneofs_boxes_and_hash_maps_keep_their_memory_too() {
    let text = |s: &str| s.to_string();
    let child = p3::Child { name: text("a name that is long"), ..Default::default() };
    let first = p3::All {
        optional_string: Some(text("something that is there")),
        kind: Some(Kind::OneofString(text("text in a oneof"))),
        single_all: Some(Box::new(p3::All { single_string: text("deeper"), ..Default::default() })),
        single_child: Some(child.clone()),
        key_string: [(text("a key that is long"), text("its value, longer")), (text("b"), text("c"))].into(),
        value_child: [(1, child.clone()), (2, child.clone())].into(),
        repeated_string: vec![text("one"), text("two, which is longer"), text("three")],
        repeated_bytes: vec![vec![1; 50], vec![2; 5]],
        packed_sint64: vec![-1, 300, 7],
        ..Default::default()
    };
    let second = p3::All { kind: Some(Kind::OneofChild(child)), ..Default::default() };
    let bodies = [first.encode_to_vec(), second.encode_to_vec(), Vec::new()];
    let mut reuse = plain::hotpb::vectors::p3::AllReuse::new();
    let mut message = p3::All::default();
    let mut round = || {
        for body in &bodies {
            reuse.decode(&mut message, body).unwrap();
        }
    };
    (0..20).for_each(|_| round());
    let ((), measured) = measure(round);
    assert_eq!((measured.calls, measured.left), (0, 0), "{measured:?}");
    for (body, want) in bodies.iter().zip([first, second, p3::All::default()]) {
        reuse.decode(&mut message, body).unwrap();
        assert_eq!(message, want);
    }
}

#[test]
fn bytes_share_the_input_if_it_has_an_owner() {
    use others::pb::hotpb::bench::{LogRecord, LogsRequest, ResourceLogs, ScopeLogs};
    let record = LogRecord { trace_id: vec![7; 16].into(), ..Default::default() };
    let scope = ScopeLogs { log_records: vec![record], ..Default::default() };
    let logs = ResourceLogs { scope_logs: vec![scope], ..Default::default() };
    let want = LogsRequest { resource_logs: vec![logs] };
    let body = bytes::Bytes::from(want.encode_to_vec());
    let (mut reuse, mut message) = (others::hotpb::bench::LogsRequestReuse::new(), LogsRequest::default());
    reuse.decode_bytes(&mut message, &body, &DecodeOptions::default()).unwrap();
    assert_eq!(message, want);
    let id = &message.resource_logs[0].scope_logs[0].log_records[0].trace_id;
    assert!(body.as_ptr_range().contains(&id.as_ptr()), "the bytes are those of the input");
    reuse.decode(&mut message, &body).unwrap();
    let id = &message.resource_logs[0].scope_logs[0].log_records[0].trace_id;
    assert!(!body.as_ptr_range().contains(&id.as_ptr()) && id[..] == [7; 16], "the bytes are a copy");
}

#[test]
fn memory_and_elements_are_limited() {
    // Half a million empty series, in a megabyte.
    let body = [0x0a, 0].repeat(500_000);
    let (mut reuse, mut message) = (others::prometheus::WriteRequestReuse::new(), WriteRequest::default());
    let (error, measured) = measure(|| reuse.decode(&mut message, &body).unwrap_err());
    assert_eq!(error.code(), Code::CountExceeded);
    assert!(error.path().starts_with("timeseries["), "{error}");
    assert!(measured.peak < 3 * 32 * body.len() as isize, "{measured:?}");
    let options = DecodeOptions { memory: Some(usize::MAX), ..DecodeOptions::default() };
    reuse.decode_with(&mut message, &body, &options).unwrap();
    assert_eq!(message.timeseries.len(), 500_000);
    // The next message does not need them. Some are kept, the others are freed.
    reuse.decode(&mut message, &[]).unwrap();
    assert_eq!(message, WriteRequest::default());
    let options = DecodeOptions { elements: Some(3), ..DecodeOptions::default() };
    assert_eq!(reuse.decode_with(&mut message, &body[..6], &options), Ok(()));
    let error = reuse.decode_with(&mut message, &body[..8], &options).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::CountExceeded, "timeseries[3]"));
    let options = DecodeOptions { size: 7, ..DecodeOptions::default() };
    assert_eq!(reuse.decode_with(&mut message, &body[..8], &options).unwrap_err().code(), Code::SizeExceeded);
}
