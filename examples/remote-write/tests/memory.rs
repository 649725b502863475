//! What a receiver keeps: nothing is allocated for what it knows, and what it knows is bounded.

mod common;

#[path = "../../../rust/bench/src/allocations.rs"]
#[allow(unexpected_cfgs, unsafe_code)]
mod allocations;

use common::capture;
use common::stock::v1;
use prost::Message;
use remote_write::{Options, Proto, Receiver};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// One test: allocations are counted for the whole process.
#[test]
fn memory() {
    a_known_request_allocates_nothing();
    what_is_known_of_series_is_bounded();
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
        let (report, calls, _) = allocations::of(|| receiver.request(body, Proto::Auto));
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
