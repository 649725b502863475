//! The table of the protocol, row by row: a request, its answer in each version, and what is in the files then.

use super::common::*;
use super::model::{Expected, Series, labels, request_v1, request_v2, series};
use super::raw::{exchange, head};
use super::stored::{bits, read};

fn start(options: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[&["--workers=1"], options].concat());
    (folder, server)
}

/// Sends a request in both versions; returns both answers.
fn send_v1_and_v2(server: &Server, all: &[Series]) -> [Heard; 2] {
    let first = server.send(V1, &snappy(&request_v1(all))).unwrap();
    let second = server.send(V2, &snappy(&request_v2(all))).unwrap();
    assert_eq!(first.counts, None, "1.0 never gets counts");
    assert!(second.counts.is_some(), "2.0 always gets counts");
    [first, second]
}

#[test]
fn methods_paths_and_headers_pick_the_answer() {
    let (folder, server) = start(&["--seal-after=10ms"]);
    let body = snappy(&request_v2(&[series("m", &[]).sample(1.0, now())]));
    let length = format!("Content-Length: {}", body.len());
    let send = |method: &str, path: &str, headers: &[&str]| {
        let headers = [&["Connection: close", &length], headers].concat();
        exchange(&server, &[head(method, path, &headers), body.clone()].concat())
    };
    let two = "Content-Type: application/x-protobuf;proto=io.prometheus.write.v2.Request";
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        for path in ["/api/v1/write", "/api/v1/push"] {
            let heard = send(method, path, &[two]);
            assert_eq!(heard.statuses, [405], "{method} {path}");
            assert!(heard.text.to_lowercase().contains("\r\nallow: post\r\n"), "{}", heard.text);
        }
    }
    assert_eq!(send("POST", "/api/v1/other", &[two]).statuses, [404]);
    for (headers, status) in [
        // Neither the version's header nor a user agent is asked for.
        (&[two][..], 204),
        (&[two, "Content-Encoding: snappy"], 204),
        (&[two, "Content-Encoding: SNAPPY", "X-Prometheus-Remote-Write-Version: 9.9.9"], 204),
        (&["content-type: Application/X-Protobuf ; Proto=\"io.prometheus.write.v2.Request\""], 204),
        (&[two, "Content-Encoding: gzip"], 415),
        (&[two, "Content-Encoding: br"], 415),
        (&[two, "Content-Encoding: identity"], 415),
        (&["Content-Type: application/json"], 415),
        (&["Content-Type: application/x-protobuf;proto=io.prometheus.write.v3.Request"], 415),
    ] {
        for path in ["/api/v1/write", "/api/v1/push"] {
            let heard = send("POST", path, headers);
            assert_eq!(heard.statuses, [status], "{headers:?} {}", heard.text);
            let counts = heard.text.to_lowercase().contains("x-prometheus-remote-write-samples-written: 1\r\n");
            assert_eq!(counts, status == 204, "{}", heard.text);
        }
    }
    // Without a type, the body is 1.0's.
    let body = snappy(&request_v1(&[series("n", &[]).sample(2.0, now())]));
    let length = format!("Content-Length: {}", body.len());
    let heard = exchange(&server, &[head("POST", "/api/v1/write", &["Connection: close", &length]), body].concat());
    assert_eq!(heard.statuses, [204]);
    assert!(!heard.text.to_lowercase().contains("-written"), "{}", heard.text);
    server.wait_sealed();
    assert!(server.stop());
    // The requests of 2.0 are one request that came again.
    let found: Vec<String> = read(folder.path(), "samples").iter().map(|row| row["__name__"].clone()).collect();
    assert_eq!(found, ["m", "n"]);
}

#[test]
fn bodies_that_are_no_requests_are_refused() {
    let (folder, server) = start(&["--max-body=64KiB"]);
    let long = snappy(&vec![0; (64 << 10) + 1]);
    for (name, body, status, text) in [
        ("no bytes", vec![], 400, "snappy block"),
        (
            "framed snappy",
            b"\xff\x06\x00\x00sNaPpY\x01".to_vec(),
            400,
            "framed format; remote write asks for the block",
        ),
        ("too long", vec![7; (64 << 10) + 1], 413, "longer than 65536 bytes"),
        ("too long inflated", long, 413, "longer than 65536 bytes"),
        ("4 GiB declared", b"\xff\xff\xff\xff\x0f\x00".to_vec(), 413, "longer than 65536 bytes"),
        ("a length that is none", vec![0xff; 9], 400, "snappy block"),
        ("cut", snappy(b"\x2a\x05\x08\x01"), 400, "malformed: Truncated at byte"),
        ("a group that ends", snappy(b"\x2c"), 400, "malformed: "),
        ("field 0", snappy(b"\x00\x00"), 400, "malformed: InvalidTag at byte 0"),
    ] {
        for content_type in [V1, V2] {
            let heard = server.send(content_type, &body).unwrap();
            let counts = (content_type == V2).then_some([0; 3]);
            // 1.0 has no field 5: its bytes are an unknown field there, which is checked all the same.
            assert_eq!((heard.status, heard.counts), (status, counts), "{name}: {}", heard.text);
            assert!(heard.text.contains(text), "{name}: {}", heard.text);
        }
    }
    // A block of no bytes is a request for nothing.
    for (content_type, counts) in [(V1, None), (V2, Some([0; 3]))] {
        let heard = server.send(content_type, &snappy(b"")).unwrap();
        assert_eq!((heard.status, heard.counts, heard.text.as_str()), (204, counts, ""));
    }
    assert!(server.stop());
    assert!(read(folder.path(), "samples").is_empty());
}

#[test]
fn bad_series_are_refused_and_the_others_written() {
    let (folder, server) = start(&["--seal-after=10ms"]);
    let time = now();
    let good = |name: &str| series(name, &[("a", "1")]).sample(1.0, time);
    let nameless =
        |pairs: &[(&str, &str)]| Series { labels: labels(pairs), ..Series::default() }.sample(2.0, time).bad();
    let mut expected = Expected::default();
    for (at, (bad, text)) in [
        (nameless(&[("a", "b")]), "the metric's name is missing"),
        (nameless(&[("__name__", "")]), "the metric's name is missing"),
        (nameless(&[("__name__", "bad"), ("", "x")]), "a label has no name"),
        (nameless(&[("__name__", "bad"), ("a", "1"), ("a", "2")]), "a label is repeated"),
        (good("old").sample(1.0, time - 32 * 86_400_000).bad(), "a timestamp is too old or in the future"),
        (good("ahead").sample(1.0, time + 11 * 60_000).bad(), "a timestamp is too old or in the future"),
        (good("exemplar").exemplar(&[], 1.0, time + 11 * 60_000).bad(), "a timestamp is too old or in the future"),
    ]
    .into_iter()
    .enumerate()
    {
        let all = [good(&format!("before{at}")), bad, good(&format!("after{at}"))];
        let [first, second] = send_v1_and_v2(&server, &all);
        assert_eq!((first.status, second.status, second.counts), (400, 400, Some([2, 0, 0])), "{text}");
        for heard in [first, second] {
            assert!(heard.text.starts_with("1 series were refused, the others were written:\n  "), "{}", heard.text);
            assert!(heard.text.contains(&format!("{text} at byte ")), "{text}: {}", heard.text);
            assert!(heard.text.contains("timeseries[1]"), "{text}: {}", heard.text);
        }
        expected.add(&all, true);
    }
    // Times inside of the window, in any order; labels in any order, and one without a value, which is absent.
    let mut all = vec![good("edge").sample(2.0, time - 30 * 86_400_000).sample(3.0, time + 9 * 60_000)];
    all.push(Series { labels: labels(&[("b", "2"), ("e", ""), ("__name__", "sorted"), ("a", "1")]), ..good("") });
    let [first, second] = send_v1_and_v2(&server, &all);
    assert_eq!(
        (first.status, second.status, second.counts),
        (204, 204, Some([4, 0, 0])),
        "{}{}",
        first.text,
        second.text
    );
    expected.add(&all, true);
    // Ten faults are named, and the others counted.
    let many: Vec<Series> = (0..14).map(|n| nameless(&[("a", &n.to_string())])).collect();
    for heard in send_v1_and_v2(&server, &many) {
        assert!(heard.text.starts_with("14 series were refused"), "{}", heard.text);
        assert!(heard.text.contains("timeseries[9]") && !heard.text.contains("timeseries[10]"), "{}", heard.text);
        assert!(heard.text.ends_with("and 4 more\n"), "{}", heard.text);
    }
    server.wait_sealed();
    let metrics = server.get("/metrics").text;
    assert!(metrics.contains("hotpb_rw_refused_series_total{kind=\"the metric's name is missing\"} 32"), "{metrics}");
    assert!(server.stop());
    // Both versions wrote the same rows, some of them in files of their own.
    let mut found = read(folder.path(), "samples");
    found.dedup();
    let rows = expected.rows.get_mut("samples").unwrap();
    rows.sort();
    assert_eq!(&found, rows);
}

/// References that are wrong, kinds that may not be together, and series without rows.
#[test]
fn rules_of_2_0_alone() {
    let (folder, server) = start(&["--seal-after=10ms"]);
    let time = now();
    let symbols = ["", "__name__", "m", "trace_id", "x"].map(str::to_owned).to_vec();
    let sample = v2::Sample { value: 1.0, timestamp: time, start_timestamp: 0 };
    let with_refs = |labels_refs: &[u32]| v2::TimeSeries {
        labels_refs: labels_refs.to_vec(),
        samples: vec![sample],
        ..Default::default()
    };
    let good = || with_refs(&[1, 2]);
    let exemplar =
        |labels_refs: &[u32], timestamp| v2::Exemplar { labels_refs: labels_refs.to_vec(), value: 0.5, timestamp };
    let exemplars = |exemplars| v2::TimeSeries { exemplars, ..good() };
    let metadata = |help_ref, unit_ref| v2::TimeSeries {
        metadata: Some(v2::Metadata { r#type: 1, help_ref, unit_ref }),
        ..good()
    };
    let mixed = v2::TimeSeries { histograms: vec![v2::Histogram { timestamp: time, ..Default::default() }], ..good() };
    for (series, counts, text) in [
        (with_refs(&[1, 9]), [1, 0, 0], "a reference points beyond the symbols at byte "),
        (with_refs(&[1, u32::MAX]), [1, 0, 0], ".labels_refs[1]: 4294967295, of 5 symbols"),
        (with_refs(&[1, 2, 3]), [1, 0, 0], "the number of label references is odd at byte "),
        (with_refs(&[]), [1, 0, 0], "the metric's name is missing at byte "),
        (exemplars(vec![exemplar(&[3], time)]), [1, 0, 0], "timeseries[1].exemplars[0].labels_refs: 1"),
        (exemplars(vec![exemplar(&[3, 5], time)]), [1, 0, 0], "timeseries[1].exemplars[0].labels_refs[1]: 5, of 5"),
        (metadata(5, 0), [1, 0, 0], "timeseries[1].metadata.help_ref: 5, of 5 symbols"),
        (metadata(0, 5), [1, 0, 0], "timeseries[1].metadata.unit_ref: 5, of 5 symbols"),
        (mixed, [1, 0, 0], "the series has both samples and histograms at byte "),
        // The exemplar alone is refused.
        (
            exemplars(vec![exemplar(&[3, 4], 0), exemplar(&[3, 4], time)]),
            [2, 0, 1],
            "1 exemplars were refused, the others were written:\n  an exemplar has no timestamp at byte ",
        ),
    ] {
        let request = v2::Request { symbols: symbols.clone(), timeseries: vec![good(), series] };
        let heard = server.send(V2, &pack(&request)).unwrap();
        assert_eq!((heard.status, heard.counts), (400, Some(counts)), "{text}: {}", heard.text);
        assert!(heard.text.contains(text), "{text}: {}", heard.text);
    }
    // Without rows, or with an exemplar alone, which Prometheus sends.
    let bare = v2::TimeSeries { labels_refs: vec![1, 2], ..Default::default() };
    let alone = v2::TimeSeries { exemplars: vec![exemplar(&[3, 4], time + 1)], ..bare.clone() };
    for (series, counts) in [(bare, [0, 0, 0]), (alone, [0, 0, 1])] {
        let request = v2::Request { symbols: symbols.clone(), timeseries: vec![series] };
        let heard = server.send(V2, &pack(&request)).unwrap();
        assert_eq!((heard.status, heard.counts), (204, Some(counts)), "{}", heard.text);
    }
    // No reference means what it says if the first symbol is not empty.
    let request = v2::Request { symbols: symbols[1..].to_vec(), timeseries: vec![good()] };
    let heard = server.send(V2, &pack(&request)).unwrap();
    assert_eq!((heard.status, heard.counts), (400, Some([0; 3])));
    assert!(heard.text.contains("the first symbol is not the empty string at byte 2: symbols[0]"), "{}", heard.text);
    server.wait_sealed();
    assert!(server.stop());
    let found = read(folder.path(), "samples");
    assert!(!found.is_empty() && found.iter().all(|row| row.len() == 3 && row["__value__"] == bits(1.0)), "{found:?}");
    let times: Vec<String> = read(folder.path(), "exemplars").iter().map(|row| row["__time__"].clone()).collect();
    assert_eq!(times, [time.to_string(), (time + 1).to_string()]);
}

/// Of rows with one series and time, the last one stays, but a stale marker never replaces a number.
#[test]
fn duplicates_are_counted_and_kept_once() {
    let (folder, server) = start(&["--seal-after=5s"]);
    let time = now();
    let stale = super::compliance_cases::STALE;
    let histogram = |sum: f64| v2::Histogram { sum, timestamp: time, ..Default::default() };
    let mut expected = Expected::default();
    for (at, values) in
        [&[1.0, 1.0][..], &[1.0, 2.0], &[3.0, stale], &[stale, 4.0], &[f64::NAN, f64::NAN], &[stale, stale]]
            .into_iter()
            .enumerate()
    {
        let keep = if at == 2 { values[0] } else { values[1] };
        for &value in values {
            // Another label, so that no request is one that comes again.
            let distinct = series("other", &[("n", &format!("{at} {:x} {}", value.to_bits(), now()))]);
            std::thread::sleep(std::time::Duration::from_millis(2));
            let all = [
                series("sample", &[("at", &at.to_string())]).sample(value, time),
                series("histogram", &[("at", &at.to_string())]).histogram(histogram(value)),
                distinct.sample(0.0, time),
            ];
            let heard = server.send(V2, &snappy(&request_v2(&all))).unwrap();
            assert_eq!((heard.status, heard.counts), (204, Some([2, 1, 0])));
        }
        expected.add(&[series("sample", &[("at", &at.to_string())]).sample(keep, time)], true);
        expected.add(&[series("histogram", &[("at", &at.to_string())]).histogram(histogram(keep))], true);
    }
    server.wait_sealed();
    let counted = ["same", "conflicting"].map(|kind| format!("hotpb_rw_duplicates_total{{kind=\"{kind}\"}} 6"));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    loop {
        let metrics = server.get("/metrics").text;
        if counted.iter().all(|line| metrics.lines().any(|found| found == line)) {
            break;
        }
        assert!(std::time::Instant::now() < until, "{metrics}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(server.stop());
    let mut samples = read(folder.path(), "samples");
    samples.retain(|row| row["__name__"] == "sample");
    expected.rows.values_mut().for_each(|rows| rows.sort());
    assert_eq!(samples, expected.rows["samples"]);
    assert_eq!(read(folder.path(), "histograms"), expected.rows["histograms"]);
}

/// A histogram finer than schema 8 is stored at 8; one that breaks a rule is refused. Each rule has its test in the library.
#[test]
fn histograms_are_checked_and_reduced() {
    use v2::histogram::Count;
    let (folder, server) = start(&["--seal-after=10ms"]);
    let time = now();
    let fine = v2::Histogram {
        count: Some(Count::CountInt(6)),
        sum: 1.0,
        schema: 9,
        positive_spans: vec![v2::BucketSpan { offset: 0, length: 2 }, v2::BucketSpan { offset: 1, length: 1 }],
        positive_deltas: vec![1, 1, 1],
        timestamp: time,
        ..Default::default()
    };
    let reduced =
        v2::Histogram { schema: 8, positive_spans: vec![v2::BucketSpan { offset: 0, length: 3 }], ..fine.clone() };
    for bad in [
        v2::Histogram { count: Some(Count::CountInt(5)), ..fine.clone() },
        v2::Histogram { schema: 53, ..fine.clone() },
        v2::Histogram { positive_deltas: vec![1, -2, 1], ..fine.clone() },
    ] {
        let [first, second] = send_v1_and_v2(&server, &[series("h", &[]).histogram(bad).bad()]);
        assert_eq!((first.status, second.status, second.counts), (400, 400, Some([0; 3])));
        assert!(first.text.contains(": timeseries[0].histograms[0]: "), "{}", first.text);
    }
    let [one, two] = send_v1_and_v2(&server, &[series("h", &[]).histogram(fine)]);
    assert_eq!((one.status, two.status, two.counts), (204, 204, Some([0, 1, 0])));
    server.wait_sealed();
    assert!(server.stop());
    let mut expected = Expected::default();
    expected.add(&[series("h", &[]).histogram(reduced)], true);
    let mut found = read(folder.path(), "histograms");
    found.dedup();
    assert_eq!(found, expected.rows["histograms"]);
}
