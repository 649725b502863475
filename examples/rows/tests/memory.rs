//! The memory of a receiver: known series cost no allocation, and the memory for known series is bounded.

mod common;

#[path = "../../../rust/bench/src/allocations.rs"]
#[allow(unexpected_cfgs, unsafe_code)]
mod allocations;

use common::capture;
use common::stock::v1;
use prost::Message;
use rows::{Options, Proto, Receiver, RequestError, Version};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// One test, because allocations are counted for the whole process.
#[test]
fn memory() {
    a_known_request_allocates_nothing();
    what_is_known_of_series_is_bounded();
    a_hostile_body_costs_bounded_memory();
}

fn a_known_request_allocates_nothing() {
    let bodies = [capture(1), capture(2)];
    let mut receiver = Receiver::default();
    for _ in 0..2 {
        for body in &bodies {
            receiver.request(body, Proto::Auto).unwrap();
        }
        receiver.clear_rows();
    }
    for body in &bodies {
        let (report, calls, _) = allocations::count(|| receiver.request(body, Proto::Auto));
        let report = report.unwrap();
        assert_eq!((calls, report.known), (0, report.series), "{}", report.version);
        receiver.clear_rows();
    }
}

fn what_is_known_of_series_is_bounded() {
    let mut receiver = Receiver::new(Options { max_series_bytes: 1 << 20, ..Options::default() });
    let (mut most, mut forgotten, mut before) = (0, 0, 0);
    for n in 0..400 {
        let series = |i: u32| v1::TimeSeries {
            labels: vec![
                v1::Label { name: "__name__".into(), value: format!("metric_{}", i % 7) },
                v1::Label { name: "pod".into(), value: format!("never-seen-before-{n}-{i}") },
            ],
            samples: vec![v1::Sample::default()],
            ..Default::default()
        };
        let request = v1::WriteRequest { timeseries: (0..100).map(series).collect(), ..Default::default() };
        assert_eq!(receiver.request(&request.encode_to_vec(), Proto::Auto).unwrap().samples, 100);
        let bytes = receiver.store().series_bytes();
        most = most.max(bytes);
        forgotten += usize::from(bytes < before);
        before = bytes;
        if receiver.is_full() {
            receiver.clear_rows();
            assert_eq!(receiver.store().label_sets().len(), 0);
        }
    }
    assert!(most < 1 << 21 && forgotten > 3, "{most} bytes, forgotten {forgotten} times");
}

/// Bodies of a megabyte that consist of the smallest records: the memory that a receiver uses for them depends on its
/// limits.
fn a_hostile_body_costs_bounded_memory() {
    let up = b"\x0a\x0e\x0a\x08__name__\x12\x02up";
    let series = |tag: u8, parts: &[&[u8]]| {
        let inside = parts.concat();
        let mut body = vec![tag];
        hotpb::wire::append_varint(&mut body, inside.len() as u64);
        body.extend(inside);
        body
    };
    let many = |record: &[u8]| record.repeat((1 << 20) / record.len());
    let metrics: Vec<u8> = (0..40_000)
        .flat_map(|n| {
            let name = format!("m{n:06}");
            series(0x0a, &[&series(0x0a, &[b"\x0a\x08__name__\x12\x07", name.as_bytes()])])
        })
        .collect();
    let symbols = [b"\x22\x00\x22\x08__name__\x22\x02up".to_vec(), many(b"\x22\x00")].concat();
    let options = Options { max_rows: 10_000, max_series_bytes: 1 << 20, ..Options::default() };
    let rows = RequestError::TooManyRows { limit: 10_000 };
    for (what, version, body, error) in [
        ("samples", Version::V1, series(0x0a, &[up, &many(b"\x12\x00")]), Some(rows.clone())),
        ("labels", Version::V1, series(0x0a, &[up, &many(b"\x0a\x00")]), None),
        ("exemplars", Version::V1, series(0x0a, &[up, &many(b"\x1a\x00")]), Some(rows.clone())),
        ("exemplar labels", Version::V1, series(0x0a, &[up, &series(0x1a, &[&many(b"\x0a\x00")])]), Some(rows.clone())),
        ("histograms", Version::V1, series(0x0a, &[up, &many(b"\x22\x00")]), Some(rows.clone())),
        ("spans", Version::V1, series(0x0a, &[up, &series(0x22, &[&many(b"\x42\x00")])]), Some(rows.clone())),
        (
            "deltas",
            Version::V1,
            series(0x0a, &[up, &series(0x22, &[&series(0x4a, &[&many(b"\x02")])])]),
            Some(rows.clone()),
        ),
        ("metrics", Version::V1, metrics, Some(RequestError::TooManySeries { limit: 2 << 20 })),
        ("symbols", Version::V2, symbols, Some(rows.clone())),
        ("references", Version::V2, series(0x2a, &[&series(0x0a, &[&many(b"\x00")])]), None),
    ] {
        for skip_bad in [false, true] {
            let mut receiver = Receiver::new(Options { skip_bad, ..options.clone() });
            let (done, _, bytes) = allocations::count(|| receiver.request(&body, Proto::Is(version)));
            match &error {
                Some(error) => assert_eq!(done.as_ref().err(), Some(error), "{what}"),
                None => assert_eq!(done.is_ok(), skip_bad, "{what}: {done:?}"),
            }
            // Counts all allocations, including memory that growing lists have freed.
            assert!(bytes < 10 << 20, "{what}: {bytes} bytes");
        }
    }
}
