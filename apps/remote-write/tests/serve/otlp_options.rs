//! Options of the mapping of OTLP, read back from the files.

use super::common::*;
use super::otlp::{exemplar, export, latency, lines, stored};
use super::otlp_messages::*;
use std::collections::BTreeSet;

#[test]
fn options_choose_names_scope_and_delta() {
    let base = now() - 60_000;
    let delta = |data_points| Data::Sum(Sum { data_points, temporality: 1, is_monotonic: true });
    let scope = Scope { name: "lib".into(), version: "1.2".into(), attributes: texts(&[("x.y", "z")]) };
    let point = || vec![number(base, 1.0, &[("http.method", "GET")])];
    let histogram = ExponentialPoint { time: nanos(base), count: 1, zero_count: 1, ..ExponentialPoint::default() };
    let exponential = Data::Exponential(Exponential { data_points: vec![histogram], temporality: 1 });
    let mut sent = request(&[], vec![metric("io.read", "By", delta(point())), metric("e", "", exponential)]);
    sent.resource_metrics[0].scope_metrics[0].scope = Some(scope);
    sent.resource_metrics[0].scope_metrics[0].schema_url = "http://s".into();
    let keep = "--otlp-delta=keep";
    for (options, expected) in [
        (vec![keep], "io_read_bytes_total{http_method=GET}"),
        (vec![keep, "--otlp-names=UnderscoreEscapingWithoutSuffixes"], "io_read{http_method=GET}"),
        (vec![keep, "--otlp-names=NoUTF8EscapingWithSuffixes"], "io.read_bytes_total{http.method=GET}"),
        (vec![keep, "--otlp-names=NoTranslation"], "io.read{http.method=GET}"),
        (
            vec![keep, "--otlp-scope"],
            "io_read_bytes_total{http_method=GET,otel_scope_name=lib,otel_scope_schema_url=http://s,otel_scope_version=1.2,otel_scope_x_y=z}",
        ),
    ] {
        let [samples, histograms, _] = stored(&options, std::slice::from_ref(&sent), base);
        assert_eq!(samples, [format!("{expected} 1 @0")]);
        // The hint says that the histogram is not cumulative.
        assert!(histograms[0].contains(" hint 3 @0"), "{histograms:?}");
    }
}

/// Prometheus' own receiver leaves out a scope without a name, and of two attributes of one name it takes the last. A scope
/// without a version takes a point's label of that name away.
#[test]
fn scopes_become_labels_as_in_prometheus() {
    let base = now() - 60_000;
    let scoped = |scope| {
        let mut sent = request(&[], vec![gauge("m", vec![number(base, 1.0, &[("otel_scope_version", "mine")])])]);
        sent.resource_metrics[0].scope_metrics[0].scope = Some(scope);
        sent.resource_metrics[0].scope_metrics[0].schema_url = "http://s".into();
        sent
    };
    let attributes =
        [("_x", "1"), ("...", "2"), ("a.b", "3"), ("a_b", "4"), ("a b", ""), ("name", "5"), ("c.d", "6"), ("c_d", "7")];
    let named = Scope { name: "lib".into(), version: "".into(), attributes: texts(&attributes) };
    let unnamed = Scope { name: "".into(), ..named.clone() };
    let [samples, ..] = stored(&["--otlp-scope"], &[scoped(named), scoped(unnamed)], base);
    assert_eq!(
        samples,
        [
            "m{otel_scope____=2,otel_scope__x=1,otel_scope_c_d=7,otel_scope_name=lib,otel_scope_schema_url=http://s} 1 @0",
            "m{otel_scope_version=mine} 1 @0",
        ]
    );
}

#[test]
fn attributes_of_the_resource_are_promoted() {
    let base = now() - 60_000;
    let resource = [
        ("service.name", "api"),
        ("service.instance.id", "i-1"),
        ("host.name", "h1"),
        ("zone", "z1"),
        ("k8s.pod", "first"),
        ("k8s_pod", "last"),
        ("job", "other"),
        ("le", "7"),
        ("__name__", "no"),
        ("empty", ""),
    ];
    // The labels of a point win, but for one without a value; job and instance are the service's.
    let point = number(base, 1.0, &[("zone", "mine"), ("host_name", "")]);
    let bare = HistogramPoint { time: nanos(base), count: 3, ..HistogramPoint::default() };
    let sent = [request(&resource, vec![gauge("m", vec![point]), latency(bare)])];
    let info = "target_info{host_name=h1,instance=i-1,job=api,k8s_pod=first;last,le=7,zone=z1} 1 @0";
    let all = ["host_name=h1", "k8s_pod=last", "le=7", "service_instance_id=i-1", "service_name=api", "zone=z1"];
    let except = "--otlp-promote-except=host.name,le,k8s.pod,k8s_pod,service.name,service.instance.id";
    for (options, promoted) in [
        (&[][..], &[][..]),
        (&["--otlp-promote=host.name, zone,none", "--otlp-promote=empty,job,__name__"], &["host_name=h1", "zone=z1"]),
        // It is the name of the attribute, not that of the label.
        (&["--otlp-promote=k8s.pod"], &["k8s_pod=first"]),
        (&["--otlp-promote-all"], &all),
        (&["--otlp-promote-all", except], &["zone=z1"]),
    ] {
        let [samples, ..] = stored(options, &sent, base);
        let labels = |without: &str, own: &[&'static str]| {
            let promoted = promoted.iter().copied().filter(|label| !label.starts_with(without));
            let all: BTreeSet<&str> =
                ["instance=i-1", "job=api"].into_iter().chain(promoted).chain(own.to_vec()).collect();
            all.into_iter().collect::<Vec<_>>().join(",")
        };
        let expected = [
            format!("latency_seconds_bucket{{{}}} 3 @0", labels("le=", &["le=+Inf"])),
            format!("latency_seconds_count{{{}}} 3 @0", labels("none", &[])),
            format!("m{{{}}} 1 @0", labels("zone=", &["zone=mine"])),
            info.to_owned(),
        ];
        assert_eq!(samples, expected, "{options:?}");
    }
    let [samples, ..] = stored(&["--otlp-keep-identifying"], &sent, base);
    let kept = info.replace("zone=z1", "service_instance_id=i-1,service_name=api,zone=z1");
    assert_eq!(samples[3], kept);
    // Names as they come: no two become the same.
    let [samples, ..] = stored(&["--otlp-promote-all", "--otlp-names=NoTranslation"], &sent, base);
    assert!(samples.iter().any(|line| line.contains(",k8s.pod=first,k8s_pod=last,")), "{samples:?}");
}

/// An attribute that cannot be a label costs no point, and the sender hears of it.
#[test]
fn an_attribute_without_a_name_is_not_promoted() {
    let folder = tempfile::tempdir().unwrap();
    let base = now() - 60_000;
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--otlp-promote-all"]);
    let sent = request(&[("...", "x"), ("zone", "z")], vec![gauge("m", vec![number(base, 1.0, &[])])]);
    let expected = "no label: resource_metrics[0].resource has an attribute without letters and digits";
    assert_eq!(export(&server, &sent), (0, expected.to_owned()));
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(lines(folder.path(), "samples", base), ["m{zone=z} 1 @0"]);
}

#[test]
fn histograms_become_native_ones_with_custom_buckets() {
    let base = now() - 60_000;
    let point = |name: &str, bucket_counts: &[u64], explicit_bounds: &[f64]| HistogramPoint {
        start: nanos(base - 5),
        time: nanos(base),
        count: bucket_counts.iter().sum(),
        sum: Some(4.25),
        bucket_counts: bucket_counts.to_vec(),
        explicit_bounds: explicit_bounds.to_vec(),
        attributes: texts(&[("n", name), ("le", "mine")]),
        ..HistogramPoint::default()
    };
    let traced = HistogramPoint {
        exemplars: vec![exemplar(9.0, base + 2, &[]), exemplar(0.5, base + 1, &[])],
        ..point("usual", &[0, 0, 4, 0, 7], &[-1.0, 0.5, 1.0, 2.5])
    };
    let ended = HistogramPoint { flags: 1, ..point("ended", &[1, 2], &[1.0]) };
    let bare = HistogramPoint { sum: None, count: 3, ..point("bare", &[], &[]) };
    let points = [
        traced,
        point("gap", &[4, 0, 0, 0, 1], &[1.0, 2.0, 3.0, 4.0]),
        point("infinite", &[1, 2, 0], &[1.0, f64::INFINITY]),
        point("empty", &[0, 0], &[1.0]),
        ended,
        bare,
    ];
    let [samples, histograms, exemplars] =
        stored(&["--otlp-histograms=custom"], &[request(&[], points.map(latency).into())], base);
    assert_eq!(samples.len(), 0);
    assert_eq!(
        histograms,
        [
            "latency_seconds{le=mine,n=bare} schema -53 count 3 sum 0 zero 0 0e0 hint 0 positive 0 1 3 @0 since -5",
            "latency_seconds{le=mine,n=empty} schema -53 count 0 sum 4.25 zero 0 0e0 hint 0 bounds 1 @0 since -5",
            "latency_seconds{le=mine,n=ended} schema -53 count 0 sum stale zero 0 0e0 hint 0 bounds 1 @0 since -5",
            "latency_seconds{le=mine,n=gap} schema -53 count 5 sum 4.25 zero 0 0e0 hint 0 positive 0,3 1,1 4,1 bounds 1,2,3,4 @0 since -5",
            "latency_seconds{le=mine,n=infinite} schema -53 count 3 sum 4.25 zero 0 0e0 hint 0 positive 0 2 1,2 bounds 1 @0 since -5",
            "latency_seconds{le=mine,n=usual} schema -53 count 11 sum 4.25 zero 0 0e0 hint 0 positive 2 3 4,0,7 bounds -1,0.5,1,2.5 @0 since -5",
        ]
    );
    let starts: Vec<&str> = exemplars.iter().map(|line| line.split_once(" # ").unwrap().0).collect();
    assert_eq!(starts, ["latency_seconds{le=mine,n=usual} 0.5", "latency_seconds{le=mine,n=usual} 9"]);
    // A delta has the hint that says that it is not cumulative; exponential histograms are as they were.
    let delta = Histogram { data_points: vec![point("d", &[1, 2], &[1.0])], temporality: 1 };
    let sent = request(&[], vec![metric("d", "", Data::Histogram(delta))]);
    let [_, histograms, _] = stored(&["--otlp-histograms=custom", "--otlp-delta=keep"], &[sent], base);
    assert!(histograms[0].contains(" hint 3 positive 0 2 1,2 bounds 1 "), "{histograms:?}");
}

/// An explicit bound of +Inf is the bucket that every histogram has.
#[test]
fn an_explicit_bound_of_infinity_is_the_last_bucket() {
    let base = now() - 60_000;
    let point = HistogramPoint {
        time: nanos(base),
        count: 3,
        bucket_counts: vec![1, 2, 0],
        explicit_bounds: vec![0.5, f64::INFINITY],
        exemplars: vec![exemplar(7.0, base, &[])],
        ..HistogramPoint::default()
    };
    let [samples, _, exemplars] = stored(&[], &[request(&[], vec![latency(point)])], base);
    assert_eq!(
        samples,
        ["latency_seconds_bucket{le=+Inf} 3 @0", "latency_seconds_bucket{le=0.5} 1 @0", "latency_seconds_count{} 3 @0"]
    );
    assert!(exemplars[0].starts_with("latency_seconds_bucket{le=+Inf} 7 "), "{exemplars:?}");
}

#[test]
fn histograms_that_have_no_custom_buckets_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let base = now() - 60_000;
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--otlp-histograms=custom"]);
    let histogram = |count: u64, bucket_counts: &[u64], explicit_bounds: &[f64]| {
        latency(HistogramPoint {
            time: nanos(base),
            count,
            sum: Some(1.0),
            bucket_counts: bucket_counts.to_vec(),
            explicit_bounds: explicit_bounds.to_vec(),
            ..HistogramPoint::default()
        })
    };
    let cases = [
        (histogram(1, &[1], &[1.0]), "the buckets do not match the bounds: "),
        (histogram(3, &[1, 1, 1], &[2.0, 1.0]), "the bounds do not ascend: "),
        (histogram(3, &[1, 1, 1], &[f64::NAN, 1.0]), "the bounds do not ascend: "),
        (histogram(3, &[u64::MAX, 4], &[1.0]), "a bucket has too large a count or index: "),
        (histogram(3, &[1, 1], &[1.0]), "a histogram's buckets do not add up to its count: "),
    ];
    for (at, (metric, reason)) in cases.into_iter().enumerate() {
        let (refused, text) = export(&server, &request(&[], vec![metric]));
        let all: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(refused, 1);
        let place = format!("{reason}resource_metrics[0].scope_metrics[0].metrics[0].histogram.data_points[0]");
        assert!(all[1].starts_with(&place), "{at}: {text}");
    }
    assert!(server.stop());
}

/// What was acknowledged keeps the options of its time, also attributes that are not promoted any more.
#[test]
fn the_log_keeps_the_options_of_each_request() {
    let folder = tempfile::tempdir().unwrap();
    let base = now() - 60_000;
    let point = HistogramPoint {
        time: nanos(base),
        count: 3,
        bucket_counts: vec![1, 2],
        explicit_bounds: vec![0.5],
        ..HistogramPoint::default()
    };
    let sent = |n: &str| {
        let resource = [("service.name", "api"), ("host.name", "h"), ("zone", n)];
        request(&resource, vec![latency(point.clone()), gauge("", vec![number(base, 1.0, &[])])])
    };
    let start = |options: &[&str]| Server::start(folder.path(), &[&["--workers=1"], options].concat());
    let promoting =
        ["--otlp-promote=host.name,zone", "--otlp-histograms=custom", "--otlp-keep-identifying", "--seal-after=1h"];
    let server = start(&promoting);
    assert_eq!(export(&server, &sent("a")).0, 1);
    server.kill();
    let server = start(&["--otlp-promote-all", "--otlp-promote-except=zone", "--seal-after=1h"]);
    assert_eq!(export(&server, &sent("a")).0, 1);
    assert_eq!(export(&server, &sent("b")).0, 1);
    server.kill();
    let server = start(&["--seal-after=1ms"]);
    assert_eq!(export(&server, &sent("b")).0, 1);
    server.wait_sealed();
    assert_eq!(server.metric("hotpb_rw_retries_answered_total"), 1.0);
    assert!(server.stop());
    let found = ["samples", "histograms"].map(|kind| lines(folder.path(), kind, base));
    assert_eq!(
        found.concat(),
        [
            "latency_seconds_bucket{host_name=h,job=api,le=+Inf,service_name=api} 3 @0",
            "latency_seconds_bucket{host_name=h,job=api,le=0.5,service_name=api} 1 @0",
            "latency_seconds_count{host_name=h,job=api,service_name=api} 3 @0",
            "target_info{host_name=h,job=api,service_name=api,zone=a} 1 @0",
            "target_info{host_name=h,job=api,zone=b} 1 @0",
            "latency_seconds{host_name=h,job=api,zone=a} schema -53 count 3 sum 0 zero 0 0e0 hint 0 positive 0 2 1,2 bounds 0.5 @0",
        ]
    );
}

/// Attributes of a resource with very many points: the work is bounded, not the number of points times that of attributes.
#[test]
fn many_promoted_attributes_cost_bounded_work() {
    let folder = tempfile::tempdir().unwrap();
    let base = now() - 60_000;
    let server = Server::start(folder.path(), &["--workers=1", "--otlp-promote-all", "--max-rows=20000"]);
    let attributes: Vec<(String, String)> = (0..50_000).map(|n| (format!("l{n}"), "x".to_owned())).collect();
    let attributes: Vec<(&str, &str)> = attributes.iter().map(|(name, value)| (&**name, &**value)).collect();
    let points = (0..20_000).map(|n| number(base + n, 1.0, &[])).collect();
    let body = prost::Message::encode_to_vec(&request(&attributes, vec![gauge("m", points)]));
    let began = std::time::Instant::now();
    let heard = server.send_otlp(&[("Content-Type", super::otlp::PROTOBUF)], &body);
    assert_eq!(heard.status, 413, "{heard:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(server.stop());
}
