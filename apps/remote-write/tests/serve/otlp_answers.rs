//! What senders of OTLP hear: refusals in the form of the request, limits, retries, and answers after a crash.

use super::common::*;
use super::otlp::{JSON, PROTOBUF, export, gzip, lines};
use super::otlp_messages::*;
use super::raw::{answers, connect, head, peak_memory};
use prost::Message;
use remote_write_server::log::format::{
    Entry, HEADER, Kind, SegmentHeader, decode_header, decode_payload, encode_record, record_len,
};
use remote_write_server::otlp::MAPPING;
use std::io::Write;
use std::path::Path;

fn samples_of(data: &Path, base: i64) -> Vec<String> {
    lines(data, "samples", base)
}

fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    hotpb::wire::append_tag(&mut out, number, hotpb::wire::LEN);
    hotpb::wire::append_bytes(&mut out, bytes);
    out
}

/// A message inside of others: the first number is that of the outermost field.
fn nested(path: &[u32], inner: &[u8]) -> Vec<u8> {
    path.iter().rev().fold(inner.to_vec(), |bytes, &number| field(number, &bytes))
}

/// Some points that must be refused, and one good one.
fn mixed(base: i64) -> (Request, Vec<&'static str>) {
    let exponential = |point: ExponentialPoint| {
        let point = ExponentialPoint { time: nanos(base), ..point };
        metric("e", "", Data::Exponential(Exponential { data_points: vec![point], temporality: 2 }))
    };
    let sum = |temporality| {
        let data_points = vec![number(base, 1.0, &[]), number(base, 2.0, &[("a", "b")])];
        metric("s", "", Data::Sum(Sum { data_points, temporality, is_monotonic: true }))
    };
    let histogram = |bucket_counts: &[u64], explicit_bounds: &[f64]| {
        let point = HistogramPoint {
            time: nanos(base),
            bucket_counts: bucket_counts.to_vec(),
            explicit_bounds: explicit_bounds.to_vec(),
            ..HistogramPoint::default()
        };
        metric("h", "", Data::Histogram(Histogram { data_points: vec![point], temporality: 2 }))
    };
    let buckets = |bucket_counts: &[u64]| Some(Buckets { offset: 0, bucket_counts: bucket_counts.to_vec() });
    let unnamed = Number { attributes: texts(&[("...", "x")]), ..number(base, 1.0, &[]) };
    let metrics = vec![
        sum(1),
        sum(0),
        gauge("m", vec![number(base, 7.0, &[]), Number { value: None, ..number(base, 0.0, &[]) }, unnamed]),
        gauge("", vec![number(base, 1.0, &[])]),
        histogram(&[1, 2], &[]),
        histogram(&[1, 2, 3], &[2.0, 2.0]),
        exponential(ExponentialPoint { scale: -5, ..Default::default() }),
        exponential(ExponentialPoint { count: 1, positive: buckets(&[u64::MAX]), ..Default::default() }),
        exponential(ExponentialPoint { count: 5, positive: buckets(&[4]), ..Default::default() }),
        gauge("old", vec![number(base - 40 * 86_400_000, 1.0, &[])]),
        Metric { name: "no data".into(), ..Metric::default() },
    ];
    let expected = vec![
        "the metric has delta temporality: resource_metrics[0].scope_metrics[0].metrics[0].sum",
        "the metric has no temporality: resource_metrics[0].scope_metrics[0].metrics[1].sum",
        "the point has no value: resource_metrics[0].scope_metrics[0].metrics[2].gauge.data_points[1]",
        "an attribute has a name without letters and digits: resource_metrics[0].scope_metrics[0].metrics[2].gauge.data_points[2]",
        "the metric has no name that Prometheus could have: resource_metrics[0].scope_metrics[0].metrics[3].gauge",
        "the buckets do not match the bounds: resource_metrics[0].scope_metrics[0].metrics[4].histogram.data_points[0]",
        "the bounds do not ascend: resource_metrics[0].scope_metrics[0].metrics[5].histogram.data_points[0]",
        "the scale is below -4: resource_metrics[0].scope_metrics[0].metrics[6].exponential_histogram.data_points[0]",
        "a bucket has too large a count or index: resource_metrics[0].scope_metrics[0].metrics[7].exponential_histogram.data_points[0]",
        "a histogram's buckets do not add up to its count: resource_metrics[0].scope_metrics[0].metrics[8].exponential_histogram.data_points[0]: buckets and zero count have 4 observations, 5 expected",
    ];
    (request(&[], metrics), expected)
}

#[test]
fn refused_points_are_named_and_the_others_written() {
    let folder = tempfile::tempdir().unwrap();
    let base = now() - 60_000;
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--workers=1"]);
    let (request, expected) = mixed(base);
    let (refused, text) = export(&server, &request);
    let all: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!((refused, all[0]), (13, "13 data points were refused, the others were written"));
    // The first ten are named; the old one is the eleventh.
    assert_eq!(all[1..], expected);
    let old = request_of_old(base);
    let (refused, text) = export(&server, &old);
    assert_eq!(refused, 1);
    assert!(text.contains("a timestamp is too old or in the future: resource_metrics[0]"), "{text}");
    // All were refused: a request that nothing is left of is no success in JSON either.
    let json = format!(
        r#"{{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"d","sum":{{"dataPoints":[{{"timeUnixNano":{}}}]}}}}]}}]}}]}}"#,
        nanos(base)
    );
    let heard = server.send_otlp(&[("Content-Type", JSON)], json.as_bytes());
    let body: serde_json::Value = serde_json::from_slice(&heard.body).unwrap();
    assert_eq!((heard.status, &body["partialSuccess"]["rejectedDataPoints"]), (200, &"1".into()), "{body}");
    server.wait_sealed();
    let metrics = server.get("/metrics").text;
    for line in [
        "hotpb_rw_refused_series_total{kind=\"the metric has delta temporality\"} 2",
        "hotpb_rw_requests_total{proto=\"otlp\",code=\"200\"} 2",
        "hotpb_rw_requests_total{proto=\"otlp json\",code=\"200\"} 1",
        "hotpb_rw_written_rows_total{kind=\"sample\"} 1",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert!(server.stop());
    assert_eq!(samples_of(folder.path(), base), ["m{} 7 @0"]);
}

fn request_of_old(base: i64) -> Request {
    request(&[], vec![gauge("old", vec![number(base - 40 * 86_400_000, 1.0, &[])])])
}

/// Checks a refusal in the form of the request.
fn check_refusal(heard: &Otlp, status: u16, content_type: &str, text: &str, name: &str) {
    assert_eq!((heard.status, heard.content_type.as_str()), (status, content_type), "{name}: {heard:?}");
    let (code, message) = match content_type {
        PROTOBUF => {
            let status = Status::decode(&*heard.body).unwrap();
            (status.code, status.message)
        }
        _ => {
            let body: serde_json::Value = serde_json::from_slice(&heard.body).unwrap();
            (body["code"].as_i64().unwrap() as i32, body["message"].as_str().unwrap().to_owned())
        }
    };
    let expected = match status {
        400 | 405 | 415 => 3,
        401 => 16,
        413 | 429 => 8,
        _ => 14,
    };
    assert_eq!(code, expected, "{name}");
    assert!(message.contains(text), "{name}: {message}");
    assert!(message.len() < 8 << 10, "{name}: a message of {} bytes", message.len());
}

#[test]
fn bodies_that_are_no_requests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--workers=1", "--max-body=1MiB"]);
    let base = now();
    let good =
        request(&[("service.name", "a")], vec![gauge("m", vec![number(base, 1.0, &[("k", "v")])])]).encode_to_vec();
    // An attribute of a point, and what is in it.
    let attribute = |value: &[u8]| nested(&[1, 2, 2, 5, 1, 7], value);
    let deep = (0..120).fold(vec![], |inner, _| field(5, &field(1, &inner)));
    let deep_json = format!(r#"{{"resourceMetrics":{}"#, "[".repeat(5000));
    let long = [&good[..], &vec![0; 2 << 20]].concat();
    let zipped = gzip(&good);
    for (content_type, encoding, name, body, status, text) in [
        (PROTOBUF, "", "cut", good[..good.len() - 3].to_vec(), 400, "Truncated at byte"),
        (PROTOBUF, "", "a wrong length", [&good[..], b"\x0a\x7f\x00"].concat(), 400, "Truncated at byte"),
        (PROTOBUF, "", "a tag of 0", vec![0], 400, "InvalidTag at byte 0"),
        (PROTOBUF, "", "a group that does not end", vec![0x0b], 400, "at byte"),
        (PROTOBUF, "", "a key that is not UTF-8", attribute(&field(1, b"\xff")), 400, "attributes[0].key"),
        (PROTOBUF, "", "a value that is not UTF-8", attribute(&nested(&[2, 1], b"\xc0\x80")), 400, "InvalidUtf8 at byte"),
        (PROTOBUF, "", "a deep value", attribute(&field(2, &deep)), 400, "DepthExceeded"),
        (PROTOBUF, "gzip", "no gzip", good.clone(), 400, "no gzip, or a damaged one"),
        (PROTOBUF, "gzip", "half of gzip", zipped[..zipped.len() / 2].to_vec(), 400, "no gzip, or a damaged one"),
        (PROTOBUF, "gzip", "something after gzip", [&zipped[..], b"x"].concat(), 400, "no gzip, or a damaged one"),
        (PROTOBUF, "gzip", "a wrong checksum", [&zipped[..zipped.len() - 8], &[0; 8]].concat(), 400, "no gzip, or a damaged one"),
        (PROTOBUF, "", "too long", long.clone(), 413, "longer than 1048576 bytes"),
        (PROTOBUF, "gzip", "a bomb", gzip(&vec![0; 8 << 20]), 413, "longer than 1048576 bytes"),
        (JSON, "gzip", "a bomb", gzip(&vec![b' '; 8 << 20]), 413, "longer than 1048576 bytes"),
        (PROTOBUF, "snappy", "another compression", good.clone(), 415, "OTLP has gzip"),
        (JSON, "zstd", "another compression", b"{}".to_vec(), 415, "OTLP has gzip"),
        ("text/plain", "", "another type", good.clone(), 415, "OTLP has the types"),
        (JSON, "", "no text", b"".to_vec(), 400, "EOF"),
        (JSON, "", "no object", b"[]".to_vec(), 400, "found an array"),
        (JSON, "", "two objects", b"{} {}".to_vec(), 400, "trailing"),
        (JSON, "", "another type of value", br#"{"resourceMetrics":[{"scopeMetrics":7}]}"#.to_vec(), 400, "resourceMetrics"),
        (JSON, "", "half", br#"{"resourceMetrics":["#.to_vec(), 400, "EOF"),
        (JSON, "", "deep", deep_json.into_bytes(), 400, "recursion limit"),
        (JSON, "", "not UTF-8", b"{\"\xff\":1}".to_vec(), 400, "invalid"),
        (JSON, "", "an id that is no text", br#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"dataPoints":[{"exemplars":[{"traceId":5}]}]}}]}]}]}"#.to_vec(), 400, "traceId"),
        (JSON, "", "protobuf", good.clone(), 400, "expected value"),
        (PROTOBUF, "", "JSON", b"{\"resourceMetrics\":[]}".to_vec(), 400, "Truncated at byte 3"),
    ] {
        let heard = server.send_otlp(&[("Content-Type", content_type), ("Content-Encoding", encoding)], &body);
        // Whoever sends something else understands JSON at best.
        let form = if content_type == PROTOBUF { PROTOBUF } else { JSON };
        check_refusal(&heard, status, form, text, &format!("{content_type} {encoding} {name}"));
    }
    // Another method, and no type.
    let raw = super::raw::exchange(&server, &head("GET", "/v1/metrics", &["Connection: close"]));
    assert_eq!(raw.statuses, [405]);
    assert!(raw.text.to_lowercase().contains("allow: post") && raw.text.contains(r#""code":3"#), "{}", raw.text);
    // Empty requests are fine.
    for (content_type, body, answer) in
        [(PROTOBUF, &b""[..], &b""[..]), (JSON, b"{}", b"{}"), (JSON, b" {\"x\":1}", b"{}")]
    {
        let heard = server.send_otlp(&[("Content-Type", content_type)], body);
        assert_eq!((heard.status, &heard.body[..]), (200, answer), "{content_type}");
    }
    // The server is as it was.
    assert_eq!(server.send_otlp(&[("Content-Type", PROTOBUF)], &good).status, 200);
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(samples_of(folder.path(), base), ["m{job=a,k=v} 1 @0"]);
}

#[test]
fn floods_cost_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--workers=1",
        "--seal-after=10ms",
        "--max-body=4MiB",
        "--max-rows=50000",
        "--max-label-names=64",
        "--memory=64MiB",
    ];
    let server = Server::start(folder.path(), &options);
    let base = now();
    assert_eq!(export(&server, &request(&[], vec![gauge("m", vec![number(base, 1.0, &[])])])), (0, String::new()));
    let before = peak_memory(&server);
    let count = 1_000_000;
    let attributes: Vec<(String, String)> = (0..100_000).map(|n| (format!("l{n:06}"), "x".to_owned())).collect();
    let attributes: Vec<(&str, &str)> = attributes.iter().map(|(name, value)| (&**name, &**value)).collect();
    let wide = |attributes: &[(&str, &str)]| HistogramPoint {
        time: nanos(base),
        bucket_counts: vec![1; 100_001],
        explicit_bounds: (0..100_000).map(f64::from).collect(),
        attributes: texts(attributes),
        ..HistogramPoint::default()
    };
    let histogram = |point| {
        request(&[], vec![metric("h", "", Data::Histogram(Histogram { data_points: vec![point], temporality: 2 }))])
    };
    // Each resource has two points, 300 samples of target_info apart.
    let distant = |n: usize| {
        let points = vec![number(base - 86_400_000, 1.0, &[]), number(base, 1.0, &[])];
        request(&[("service.name", &n.to_string()), ("a", "b")], vec![gauge("m", points)]).resource_metrics.remove(0)
    };
    let distant = Request { resource_metrics: (0..2000).map(distant).collect() };
    let dense = ExponentialPoint {
        time: nanos(base),
        positive: Some(Buckets { offset: -2_000_000_000, bucket_counts: vec![0; 4_000_000] }),
        ..ExponentialPoint::default()
    };
    let dense = metric("e", "", Data::Exponential(Exponential { data_points: vec![dense], temporality: 2 }));
    let json = |inner: &str| format!(r#"{{"resourceMetrics":[{inner}]}}"#).into_bytes();
    let requests = [
        (PROTOBUF, "resources", field(1, b"").repeat(count), 200, ""),
        (PROTOBUF, "points", nested(&[1, 2, 2, 5], &field(1, b"").repeat(count)), 413, "the request is too large"),
        (
            PROTOBUF,
            "values",
            nested(&[1, 2, 2, 5, 1, 7, 2, 5], &field(1, b"").repeat(count)),
            200,
            "1 data points were refused",
        ),
        (PROTOBUF, "buckets", histogram(wide(&[])).encode_to_vec(), 413, "more than 50000 rows in one request"),
        (
            PROTOBUF,
            "buckets with labels",
            histogram(wide(&attributes)).encode_to_vec(),
            413,
            "more than 50000 rows in one request",
        ),
        (PROTOBUF, "target_info", distant.encode_to_vec(), 413, "more than 50000 rows in one request"),
        (JSON, "numbers", json(&"0,".repeat(count)), 413, "values in one request"),
        (JSON, "objects", json(&"{},".repeat(count)), 413, "values in one request"),
        (JSON, "names", json(&format!("{{{}}}", r#""":0,"#.repeat(700_000))), 413, "values in one request"),
        (PROTOBUF, "no bucket in many", request(&[], vec![dense]).encode_to_vec(), 200, ""),
    ];
    for round in 0..2 {
        for (content_type, name, body, status, text) in &requests {
            let headers = [("Content-Type", *content_type), ("Content-Encoding", "gzip")];
            let heard = server.send_otlp(&headers, &gzip(body));
            let said = String::from_utf8_lossy(&heard.body);
            assert_eq!(heard.status, *status, "{name}, round {round}: {said}");
            assert!(said.contains(text), "{name}, round {round}: {said}");
            assert!(said.len() < 8 << 10, "{name}: an answer of {} bytes", said.len());
        }
    }
    let grown = peak_memory(&server) - before;
    assert!(grown < 192 << 20, "{} MiB more", grown >> 20);
    assert_eq!(export(&server, &request(&[], vec![gauge("n", vec![number(base, 1.0, &[])])])), (0, String::new()));
    assert!(server.stop());
}

#[test]
fn credentials_tenants_and_slow_senders() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "first-token-0123456789\n").unwrap();
    let bearer = format!("--bearer-file={}", tokens.display());
    let options = [
        &bearer,
        "--tenant-header=X-Scope-OrgID",
        "--tenant-rate=1",
        "--tenant-burst=1",
        "--seal-after=1ms",
        "--body-timeout=300ms",
        "--open-status",
    ];
    let data = folder.path().join("data");
    let server = Server::start(&data, &options);
    let base = now();
    let body = request(&[], vec![gauge("m", vec![number(base, 1.0, &[]), number(base + 1, 2.0, &[])])]).encode_to_vec();
    let token = ("Authorization", "Bearer first-token-0123456789");
    let tenant = ("X-Scope-OrgID", "a");
    let heard = server.send_otlp(&[("Content-Type", PROTOBUF), tenant], &body);
    check_refusal(&heard, 401, PROTOBUF, "this server asks for credentials", "no token");
    let heard = server.send_otlp(&[("Content-Type", JSON), token], b"{}");
    check_refusal(&heard, 400, JSON, "the header is missing", "no tenant");
    assert_eq!(server.send_otlp(&[("Content-Type", PROTOBUF), token, tenant], &body).status, 200);
    let heard = server.send_otlp(&[("Content-Type", JSON), token, tenant], b"{\"a\":1}");
    check_refusal(&heard, 429, JSON, "the tenant may send 1 rows a second", "too fast");
    assert!(heard.retry_after.is_some());
    // A body that does not come: senders try again after 503, and not after 408.
    let mut stream = connect(&server);
    let headers = [
        "Content-Type: application/json",
        "Authorization: Bearer first-token-0123456789",
        "X-Scope-OrgID: b",
        "Content-Length: 10",
        "Connection: close",
    ];
    stream.write_all(&head("POST", "/v1/metrics", &headers)).unwrap();
    let raw = answers(&mut stream);
    assert_eq!(raw.statuses, [503]);
    assert!(raw.text.contains(r#"{"code":14,"message":"the body did not come in time"}"#), "{}", raw.text);
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(samples_in(&data, "tenant=a/samples/").len(), 2);
}

/// A request that comes again gets the same answer and is not written again: at once, after a crash, when its rows come
/// from the log, and when they are in files. Other options change nothing of what is in the log.
#[test]
fn retries_and_replays_lead_to_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let base = now() - 60_000;
    let (mut sent, _) = mixed(base);
    let delta =
        Data::Sum(Sum { data_points: vec![number(base, 9.0, &[("x.y", "z")])], temporality: 1, is_monotonic: true });
    // A histogram: some of its series would be others by other options.
    let histogram = HistogramPoint {
        time: nanos(base),
        count: 3,
        bucket_counts: vec![1, 2],
        explicit_bounds: vec![0.5],
        ..Default::default()
    };
    let histogram = Data::Histogram(Histogram { data_points: vec![histogram], temporality: 2 });
    sent.resource_metrics[0].scope_metrics[0]
        .metrics
        .extend([metric("kept.io", "By", delta), metric("h.s", "s", histogram)]);
    sent.resource_metrics[0].resource = Some(Resource { attributes: texts(&[("service.name", "a"), ("b", "c")]) });
    let json = format!(
        r#"{{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"in.json","unit":"s","gauge":{{"dataPoints":[{{"timeUnixNano":{}}},{{"timeUnixNano":"{}","asInt":5}}]}}}}]}}]}}]}}"#,
        nanos(base),
        nanos(base + 5)
    );
    let send = |server: &Server| {
        let zipped = gzip(json.as_bytes());
        let headers = [("Content-Type", JSON), ("Content-Encoding", "gzip")];
        let heard = server.send_otlp(&headers, &zipped);
        assert_eq!(heard.status, 200);
        let body: serde_json::Value = serde_json::from_slice(&heard.body).unwrap();
        (export(server, &sent).0, body["partialSuccess"]["rejectedDataPoints"].as_str().map(str::to_owned))
    };
    let first_options = ["--seal-after=1h", "--otlp-delta=keep", "--workers=2"];
    let server = Server::start(data, &first_options);
    let first = send(&server);
    assert_eq!(first, (11, Some("1".to_owned())));
    assert_eq!(send(&server), first);
    server.kill();
    // From the log.
    let others = ["--otlp-names=NoTranslation", "--accept-past=1000d", "--otlp-scope", "--workers=3", "--max-rows=1"];
    let server = Server::start(data, &[&others[..], &["--seal-after=1h"]].concat());
    assert_eq!(send(&server), first);
    server.kill();
    // From files.
    let server = Server::start(data, &[&others[..], &["--seal-after=1ms"]].concat());
    server.wait_sealed();
    assert_eq!(send(&server), first);
    server.kill();
    let server = Server::start(data, &[&others[..], &["--seal-after=1ms"]].concat());
    assert_eq!(send(&server), first);
    server.wait_sealed();
    assert!(server.get("/metrics").text.contains("hotpb_rw_retries_answered_total 2\n"));
    assert!(server.stop());
    let mut expected = vec![
        "h_s_seconds_bucket{job=a,le=+Inf} 3 @0",
        "h_s_seconds_bucket{job=a,le=0.5} 1 @0",
        "h_s_seconds_count{job=a} 3 @0",
        "in_json_seconds{} 5 @5",
        "kept_io_bytes_total{job=a,x_y=z} 9 @0",
        "m{job=a} 7 @0",
        "s_total{a=b,job=a} 2 @0",
        "s_total{job=a} 1 @0",
    ];
    let found = samples_of(data, base);
    let (info, found): (Vec<String>, Vec<String>) = found.into_iter().partition(|line| line.starts_with("target_info"));
    expected.sort_unstable();
    assert_eq!(found, expected);
    // The old point is too old for a sample of target_info, too, and half a day before the others is the limit.
    assert_eq!(info.len(), 301);
}

/// Changes the version of the mapping in each record of a log, as another program would have written it. Version 1 had no
/// options in the notes.
fn with_mapping(log: &Path, version: u8) {
    for entry in std::fs::read_dir(log).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let header = |at: usize| bytes[at..at + HEADER].try_into().unwrap();
        let salt = SegmentHeader::decode(&header(0)).unwrap().salt;
        let (mut at, mut out) = (HEADER, bytes[..HEADER].to_vec());
        while at < bytes.len() {
            let found = decode_header(&header(at)).unwrap();
            let payload = &bytes[at + HEADER..at + HEADER + found.len as usize];
            let record = decode_payload(&found, &header(at), payload, salt).unwrap();
            let is_otlp = matches!(found.kind, Kind::Otlp | Kind::OtlpJson);
            let entry = Entry {
                kind: found.kind,
                encoding: found.encoding,
                batch: found.batch,
                received_ms: found.received_ms,
                inflated_len: found.inflated_len,
                options: if is_otlp { found.options & 15 | version << 4 } else { found.options },
                tenant: record.tenant.into(),
                notes: match is_otlp && version == 1 {
                    true => record.notes[1 + usize::from(record.notes[0])..].to_vec(),
                    false => record.notes.to_vec(),
                },
                body: bytes::Bytes::copy_from_slice(record.body),
            };
            encode_record(&entry, found.sequence, found.durable, salt, &mut out);
            at += record_len(found.len as usize);
        }
        std::fs::write(&path, out).unwrap();
    }
}

/// Positions of refused series mean nothing to another version of the mapping: no server starts with rows in the log that it
/// would map otherwise, and none writes a request again that is in files.
#[test]
fn another_version_of_the_mapping_loses_nothing_and_writes_nothing_twice() {
    for version in [1, MAPPING + 1] {
        check_version(version);
    }
}

fn check_version(version: u8) {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path(), folder.path().join("log"));
    let base = now() - 60_000;
    let (sent, _) = mixed(base);
    let server = Server::start(data, &["--seal-after=1h"]);
    let first = export(&server, &sent).0;
    assert!(first > 0);
    server.kill();
    let own: Vec<_> = std::fs::read_dir(&log).unwrap().map(|entry| entry.unwrap().path()).collect();
    let own: Vec<_> = own.into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect();
    with_mapping(&log, version);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_remote-write"))
        .args(["serve", "--listen=127.0.0.1:0", "--data"])
        .arg(data)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let expected = format!("version {version} of the mapping of OTLP, and this program has version {MAPPING}");
    assert!(!output.status.success() && said.contains(&expected), "{said}");
    // The program that wrote it gets the rows into files.
    for (bytes, path) in own {
        std::fs::write(path, bytes).unwrap();
    }
    let server = Server::start(data, &["--seal-after=1ms"]);
    server.wait_sealed();
    assert_eq!(export(&server, &sent).0, first);
    server.kill();
    let rows = samples(data);
    with_mapping(&log, version);
    let server = Server::start(data, &["--seal-after=1ms"]);
    let (rejected, text) = export(&server, &sent);
    assert!(rejected > 0 && text.contains("series were refused when this request first came"), "{rejected} {text}");
    server.wait_sealed();
    assert_eq!(server.metric("hotpb_rw_retries_answered_total"), 1.0);
    assert!(server.stop());
    assert_eq!((rows.is_empty(), samples(data)), (false, rows));
}
