//! Prometheus' functions, by queries over files and memory.

use super::super::common::*;
use super::super::model::{Series, series};
use super::super::otlp::export;
use super::super::otlp_messages::*;
use super::{ask, row, rows, send};
use remote_write_server::store::gather::STALE;
use serde_json::json;

/// Samples every 15 s in a file and in memory. The results are worked out by hand: see `src/sql/promql.rs`.
#[test]
fn rate_equals_prometheus() {
    let folder = tempfile::tempdir().unwrap();
    let begin = (now() / 60_000 - 10) * 60_000;
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    let stale = f64::from_bits(STALE);
    let counter = |job: &str, values: &[(i64, f64)]| {
        values.iter().fold(series("c", &[("job", job)]), |series, &(s, value)| series.sample(value, begin + s * 1000))
    };
    let all = |part: fn(&(i64, f64)) -> bool| -> Vec<Series> {
        [
            // The sample at the begin of the window is outside, that at the end is inside.
            counter(
                "bounds",
                &[(0, 70.0), (15, 100.0), (30, 110.0), (45, 120.0), (60, 130.0), (75, 999.0)]
                    .into_iter()
                    .filter(part)
                    .collect::<Vec<_>>(),
            ),
            counter(
                "reset",
                &[(5, 100.0), (20, 110.0), (35, 4.0), (50, 14.0)].into_iter().filter(part).collect::<Vec<_>>(),
            ),
            counter(
                "stale",
                &[(5, 100.0), (20, 110.0), (35, 120.0), (50, f64::from_bits(STALE))]
                    .into_iter()
                    .filter(part)
                    .collect::<Vec<_>>(),
            ),
            counter(
                "young",
                &[(5, 2.0), (20, 12.0), (35, 22.0), (50, 32.0)].into_iter().filter(part).collect::<Vec<_>>(),
            ),
            counter("single", &[(5, 2.0), (65, 3.0)].into_iter().filter(part).collect::<Vec<_>>()),
        ]
        .into_iter()
        .filter(|series| !series.samples.is_empty())
        .collect()
    };
    assert!(stale.is_nan());
    send(&server, &all(|&(s, _)| s < 30));
    server.kill();
    let server = Server::start(folder.path(), &["--seal-after=1ms"]);
    server.wait_sealed();
    assert!(server.stop());
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    send(&server, &all(|&(s, _)| s >= 30));
    let (from, to) = (format!("to_timestamp_millis({begin})"), format!("to_timestamp_millis({})", begin + 60_000));
    let found = rows(
        &server,
        &format!(
            "select job, rate(__time__, __value__, {from}, {to}) as r, increase(__time__, __value__, {from}, {to}) as i, \
         delta(__time__, __value__, {from}, {to}) as d, irate(__time__, __value__, {from}, {to}) as ir \
         from c group by job order by job"
        ),
    );
    let expected: [(&str, [f64; 4]); 5] = [
        // 30 in 45 s, and the 15 s to the begin are closer than 16.5 s: 40.
        ("bounds", [40.0 / 60.0, 40.0, 40.0, 10.0 / 15.0]),
        ("reset", [32.0 / 60.0, 32.0, -86.0 / 45.0 * 60.0, 10.0 / 15.0]),
        ("single", [f64::NAN; 4]),
        // 20 in 30 s; 25 s to the end are too far, so 7.5 s are added there.
        ("stale", [20.0 * 42.5 / 30.0 / 60.0, 20.0 * 42.5 / 30.0, 20.0 * 42.5 / 30.0, 10.0 / 15.0]),
        ("young", [30.0 * 58.0 / 45.0 / 60.0, 30.0 * 58.0 / 45.0, 40.0, 10.0 / 15.0]),
    ];
    assert_eq!(found.len(), expected.len());
    for (row, (job, values)) in found.iter().zip(expected) {
        assert_eq!(row["job"], job);
        for (name, expected) in ["r", "i", "d", "ir"].into_iter().zip(values) {
            match row.get(name) {
                // A window with fewer than two samples has no value.
                None => assert!(expected.is_nan(), "{row}"),
                Some(value) => assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{row} {name} {expected}"),
            }
        }
    }
    // Windows of a minute, as groups.
    let windows = rows(
        &server,
        "select date_bin('1 minute', __time__ - interval '1 millisecond') as w, count(*) as n, \
        increase(__time__, __value__, date_bin('1 minute', __time__ - interval '1 millisecond'), \
        date_bin('1 minute', __time__ - interval '1 millisecond') + interval '1 minute') as i \
        from c where job = 'bounds' group by w order by w",
    );
    assert_eq!(windows.len(), 3, "{windows:?}");
    assert!((windows[1]["i"].as_f64().unwrap() - 40.0).abs() < 1e-9, "{windows:?}");
    for (query, part) in [
        (format!("select rate(__time__, __value__, {from}, {to}) from c"), "two samples at one time"),
        (format!("select rate(__time__, __value__, {to}, {from}) from c group by job"), "ends before it begins"),
        (
            format!("select rate(__time__, __value__, {from}, __time__ + interval '1 s') from c group by job"),
            "different windows",
        ),
        (format!("select rate(__time__, __value__, null, {to}) from c group by job"), "is null"),
    ] {
        let heard = ask(&server, &query);
        assert!(heard.status == 400 && heard.text.contains(part), "{query}: {heard:?}");
    }
    assert!(server.stop());
}

#[test]
fn quantiles_equal_prometheus() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    let time = now();
    let bucket = |job: &str, le: &str, value| series("b", &[("job", job), ("le", le)]).sample(value, time);
    let native = |count, sum| v2::Histogram {
        schema: 0,
        sum,
        count: Some(v2::histogram::Count::CountInt(count)),
        zero_threshold: 0.5,
        zero_count: Some(v2::histogram::ZeroCount::ZeroCountInt(2)),
        positive_spans: vec![v2::BucketSpan { offset: 1, length: 2 }],
        positive_deltas: vec![4, 0],
        timestamp: time,
        ..Default::default()
    };
    send(
        &server,
        &[
            bucket("x", "1", 4.0),
            bucket("x", "2", 8.0),
            bucket("x", "+Inf", 10.0),
            bucket("x", "no number", 99.0),
            bucket("y", "1", 1.0),
            series("h", &[("job", "x")]).histogram(native(10, 20.0)),
        ],
    );
    let check = |server: &Server| {
        let found =
            rows(server, "select job, histogram_quantile(0.5, le, __value__) as q from b group by job order by job");
        // Without a last bucket the quantile is NaN, which is null in JSON.
        assert_eq!(found, [json!({ "job": "x", "q": 1.25 }), json!({ "job": "y", "q": null })]);
        let found = row(
            server,
            "select job, native_histogram_quantile(0.5, __histogram__) as q, __sum__ as s, \
            __histogram__['positive_counts'] as c from histograms.h",
        );
        assert_eq!((&found["job"], &found["s"], &found["c"]), (&json!("x"), &json!(20.0), &json!([4.0, 4.0])));
        assert!((found["q"].as_f64().unwrap() - 0.75f64.exp2()).abs() < 1e-12, "{found}");
    };
    check(&server);
    server.kill();
    let server = Server::start(folder.path(), &["--seal-after=1ms"]);
    server.wait_sealed();
    check(&server);
    let heard = ask(&server, "select histogram_quantile(__value__, le, __value__) from b");
    assert!(heard.status == 400 && heard.text.contains("several quantiles"), "{heard:?}");
    assert!(server.stop());
}

/// A histogram of OTLP with custom buckets: between its bounds the quantile is interpolated, as in a classic one.
#[test]
fn quantiles_of_custom_buckets_from_otlp() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h", "--otlp-histograms=custom", "--otlp-promote=zone"]);
    let point = HistogramPoint {
        time: nanos(now()),
        count: 10,
        sum: Some(20.0),
        bucket_counts: vec![0, 4, 6],
        explicit_bounds: vec![1.0, 2.0],
        ..HistogramPoint::default()
    };
    let data = Data::Histogram(Histogram { data_points: vec![point], temporality: 2 });
    let sent = request(&[("zone", "z")], vec![metric("h", "s", data)]);
    assert_eq!(export(&server, &sent), (0, String::new()));
    let check = |server: &Server| {
        let quantiles =
            "native_histogram_quantile(0.2, __histogram__) as a, native_histogram_quantile(0.9, __histogram__) as b";
        let found = row(server, &format!("select zone, {quantiles}, __custom_values__ as c from histograms.h_seconds"));
        // Above the last bound, the quantile is that bound.
        assert_eq!(found, json!({ "zone": "z", "a": 1.5, "b": 2.0, "c": [1.0, 2.0] }));
    };
    check(&server);
    server.kill();
    let server = Server::start(folder.path(), &["--seal-after=1ms"]);
    server.wait_sealed();
    check(&server);
    assert!(server.stop());
}
