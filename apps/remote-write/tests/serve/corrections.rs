//! A correction that is withdrawn looks like a request that comes again. The last value stays all the same.

use super::common::*;
use super::model::{request_v2, series};
use remote_write_server::store::manifest::Manifest;
use std::path::Path;
use std::time::Duration;

const HOUR: i64 = 3_600_000;

/// What happens between two requests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pause {
    None,
    Sealed,
    Restart,
    SealedAndRestart,
}

const PAUSES: [Pause; 4] = [Pause::None, Pause::Sealed, Pause::Restart, Pause::SealedAndRestart];

fn server(data: &Path, pause: Pause) -> Server {
    let seal =
        if matches!(pause, Pause::Sealed | Pause::SealedAndRestart) { "--seal-after=1ms" } else { "--seal-after=1h" };
    Server::start(data, &[seal, "--merge-files=1000", "--workers=2"])
}

/// Sends requests of remote write, and returns the files' rows of the end and how many requests were taken for ones that came
/// again.
fn rows_after(bodies: &[&[u8]], content_type: &str, pause: Pause) -> (Vec<Row>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let (mut repeated, mut running) = (0, server(data, pause));
    let retries = |server: &Server| server.metric("hotpb_rw_retries_answered_total") as u64;
    for body in bodies {
        let heard = running.send(content_type, body).unwrap();
        assert_eq!(heard.status, 204, "{heard:?}");
        if matches!(pause, Pause::Sealed | Pause::SealedAndRestart) {
            running.wait_sealed();
        }
        if matches!(pause, Pause::Restart | Pause::SealedAndRestart) {
            repeated += retries(&running);
            running.kill();
            running = server(data, pause);
        }
    }
    repeated += retries(&running);
    running.kill();
    // All in one file: of each series and time, one row.
    let last = Server::start(data, &["--seal-after=1ms", "--merge-files=1"]);
    last.wait_sealed();
    for _ in 0..500 {
        if Manifest::read(data).unwrap().unwrap().files.len() <= 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(last.stop());
    let mut rows = samples(data);
    rows.extend(batches(data, "histograms").iter().flat_map(|batch| rows_of(batch, "__sum__")));
    (rows, repeated)
}

fn values(rows: &[Row]) -> Vec<f64> {
    rows.iter().map(|row| f64::from_bits(row.value)).collect()
}

#[test]
fn the_last_value_stays_when_a_correction_is_withdrawn() {
    let time = now() / HOUR * HOUR;
    let request = |value: f64| snappy(&request_v2(&[series("m", &[("a", "b")]).sample(value, time)]));
    let (a, b, c) = (request(1.0), request(2.0), request(3.0));
    for pause in PAUSES {
        for (bodies, expected, retries) in [
            (vec![&a, &b, &a], 1.0, 0),
            (vec![&a, &a, &b, &b], 2.0, 2),
            (vec![&a, &b, &a, &b, &a, &a], 1.0, 1),
            (vec![&a, &b, &c, &b, &a, &c, &c], 3.0, 1),
        ] {
            let bodies: Vec<&[u8]> = bodies.into_iter().map(Vec::as_slice).collect();
            let (rows, repeated) = rows_after(&bodies, V2, pause);
            assert_eq!((values(&rows), repeated), (vec![expected], retries), "{} requests, {pause:?}", bodies.len());
        }
    }
}

#[test]
fn other_rows_of_the_series_are_no_correction() {
    let time = now() / HOUR * HOUR;
    let sent = |value: f64, at: i64, name: &str| series("m", &[("a", name)]).sample(value, time + at);
    let a = snappy(&request_v2(&[sent(1.0, 0, "x"), sent(1.0, 0, "y")]));
    let others = [
        // A later time, another series, the same value, and a stale marker.
        snappy(&request_v2(&[sent(2.0, 1, "x")])),
        snappy(&request_v2(&[sent(2.0, 0, "z")])),
        snappy(&request_v2(&[sent(1.0, 0, "x"), sent(4.0, 2, "x")])),
        snappy(&request_v2(&[sent(f64::from_bits(0x7ff0_0000_0000_0002), 0, "y")])),
    ];
    for pause in [Pause::None, Pause::Sealed] {
        let bodies: Vec<&[u8]> = std::iter::once(&a).chain(&others).chain([&a]).map(Vec::as_slice).collect();
        let (rows, repeated) = rows_after(&bodies, V2, pause);
        assert_eq!((values(&rows), repeated), (vec![1.0, 2.0, 4.0, 1.0, 2.0], 1), "{pause:?}: {rows:?}");
    }
    // One of many rows is enough.
    let b = snappy(&request_v2(&[sent(5.0, 0, "y")]));
    for pause in [Pause::None, Pause::Sealed] {
        let (rows, repeated) = rows_after(&[&a, &b, &a], V2, pause);
        assert_eq!((values(&rows), repeated), (vec![1.0, 1.0], 0), "{pause:?}");
    }
}

#[test]
fn histograms_and_requests_of_1_0_can_be_withdrawn() {
    let time = now() / HOUR * HOUR;
    let histogram = |sum: f64| {
        let histogram = v2::Histogram {
            count: Some(v2::histogram::Count::CountInt(0)),
            zero_count: Some(v2::histogram::ZeroCount::ZeroCountInt(0)),
            sum,
            timestamp: time,
            ..Default::default()
        };
        snappy(&request_v2(&[series("h", &[("a", "b")]).histogram(histogram)]))
    };
    let sample = |value: f64| pack(&one_sample("m", time, value));
    for (of, content_type) in [(&histogram as &dyn Fn(f64) -> Vec<u8>, V2), (&sample, V1)] {
        for pause in [Pause::None, Pause::Sealed] {
            let (rows, repeated) = rows_after(&[&of(1.0), &of(1.0), &of(2.0), &of(1.0)], content_type, pause);
            assert_eq!((values(&rows), repeated), (vec![1.0], 1), "{content_type} {pause:?}");
        }
    }
}
