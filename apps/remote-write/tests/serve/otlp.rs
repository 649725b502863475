//! OTLP as Prometheus' series: each rule of the mapping, read back from the files.

use super::common::*;
use super::otlp_messages::*;
use super::stored::{self, Row, read};
use prost::Message;
use std::io::Write;

pub const PROTOBUF: &str = "application/x-protobuf";
pub const JSON: &str = "application/json";
const HOUR: i64 = 3_600_000;

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Sends a request in protobuf, and returns how many points were refused, and why.
pub fn export(server: &Server, request: &Request) -> (i64, String) {
    let heard = server.send_otlp(&[("Content-Type", PROTOBUF)], &request.encode_to_vec());
    assert_eq!((heard.status, heard.content_type.as_str()), (200, PROTOBUF), "{heard:?}");
    let response = Response::decode(&*heard.body).unwrap();
    response.partial_success.map_or((0, String::new()), |part| (part.rejected_data_points, part.error_message))
}

/// Returns the rows of a kind as short lines: `name{labels} value @time`, with times from `base` on.
pub fn lines(data: &std::path::Path, kind: &str, base: i64) -> Vec<String> {
    let mut lines: Vec<String> = read(data, kind).iter().map(|row| line(row, base)).collect();
    lines.sort();
    lines
}

fn float(bits: &str) -> String {
    let value = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
    if value.to_bits() == 0x7ff0_0000_0000_0002 { "stale".to_owned() } else { value.to_string() }
}

fn floats(list: &str) -> String {
    list.split(' ').filter(|bits| !bits.is_empty()).map(float).collect::<Vec<_>>().join(",")
}

fn line(row: &Row, base: i64) -> String {
    let labels = row.iter().filter(|(name, _)| !name.starts_with("__") || *name == "__two");
    let labels: Vec<String> = labels.map(|(name, value)| format!("{name}={value}")).collect();
    let mut line = format!("{}{{{}}}", row["__name__"], labels.join(","));
    let time = |name: &str| row.get(name).map(|time| time.parse::<i64>().unwrap() - base);
    if let Some(value) = row.get("__value__") {
        line += &format!(" {}", float(value));
    }
    if let Some(schema) = row.get("__schema__") {
        line += &format!(
            " schema {schema} count {} sum {} zero {} {:e} hint {}",
            row["__count__"],
            float(&row["__sum__"]),
            row["__zero_count__"],
            f64::from_bits(u64::from_str_radix(&row["__zero_threshold__"], 16).unwrap()),
            row["__reset_hint__"],
        );
        for side in ["negative", "positive"] {
            let list = |part: &str| row.get(&format!("__{side}_{part}__")).cloned().unwrap_or_default();
            let counts = floats(&list("counts"));
            if !counts.is_empty() {
                line += &format!(
                    " {side} {} {} {counts}",
                    list("offsets").replace(' ', ","),
                    list("lengths").replace(' ', ",")
                );
            }
        }
        let bounds = row.get("__custom_values__").map(|list| floats(list)).unwrap_or_default();
        if !bounds.is_empty() {
            line += &format!(" bounds {bounds}");
        }
    }
    if let Some(own) = row.get("__exemplar__") {
        line += &format!(" # {own}");
    }
    line += &format!(" @{}", time("__time__").unwrap());
    if let Some(start) = time("__start__") {
        line += &format!(" since {start}");
    }
    line
}

/// Sends metrics of one resource to a server with these options, and returns the lines of the files.
pub fn stored(options: &[&str], requests: &[Request], base: i64) -> [Vec<String>; 3] {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[&["--seal-after=10ms", "--workers=1"], options].concat());
    for request in requests {
        assert_eq!(export(&server, request), (0, String::new()));
    }
    server.wait_sealed();
    assert!(server.stop());
    ["samples", "histograms", "exemplars"].map(|kind| lines(folder.path(), kind, base))
}

#[test]
fn numbers_become_samples() {
    let base = now() - 60_000;
    let started = Number { start: nanos(base - HOUR), ..number(base, 7.5, &[("http.method", "GET")]) };
    let integer = Number { value: Some(NumberValue::Int(-3)), ..number(base, 0.0, &[]) };
    let ended = Number { flags: 1, value: None, ..number(base + 1, 0.0, &[]) };
    let sum = |data_points, is_monotonic| Data::Sum(Sum { data_points, temporality: 2, is_monotonic });
    let metrics = vec![
        counter("http.requests", vec![started.clone()]),
        metric("queue.size", "By", sum(vec![started.clone()], false)),
        metric("temperature", "Cel", Data::Gauge(Gauge { data_points: vec![started, integer, ended] })),
        metric("used", "1", Data::Gauge(Gauge { data_points: vec![number(base, 0.5, &[])] })),
    ];
    let [samples, histograms, exemplars] = stored(&[], &[request(&[], metrics)], base);
    assert_eq!(
        samples,
        [
            "http_requests_total{http_method=GET} 7.5 @0 since -3600000",
            "queue_size_bytes{http_method=GET} 7.5 @0 since -3600000",
            "temperature_celsius{http_method=GET} 7.5 @0",
            "temperature_celsius{} -3 @0",
            "temperature_celsius{} stale @1",
            "used_ratio{} 0.5 @0",
        ]
    );
    assert_eq!((histograms.len(), exemplars.len()), (0, 0));
}

pub fn latency(point: HistogramPoint) -> Metric {
    metric("latency", "s", Data::Histogram(Histogram { data_points: vec![point], temporality: 2 }))
}

pub fn exemplar(value: f64, time: i64, attributes: &[(&str, &str)]) -> Exemplar {
    Exemplar {
        time: nanos(time),
        value: Some(ExemplarValue::Double(value)),
        trace_id: vec![0xab; 16],
        span_id: vec![1; 8],
        attributes: texts(attributes),
    }
}

#[test]
fn histograms_become_cumulative_series() {
    let base = now() - 60_000;
    let point = HistogramPoint {
        start: nanos(base - 1),
        time: nanos(base),
        count: 10,
        sum: Some(4.25),
        bucket_counts: vec![1, 2, 0, 7],
        explicit_bounds: vec![0.005, 1.0, 2_500_000.0],
        attributes: texts(&[("le", "mine")]),
        exemplars: vec![
            exemplar(1.0, base, &[]),
            exemplar(9e9, base + 1, &[("user.id", "7")]),
            exemplar(0.001, base + 2, &[("long", &"x".repeat(200))]),
            Exemplar {
                value: Some(ExemplarValue::Int(2)),
                trace_id: vec![],
                span_id: vec![0; 8],
                ..exemplar(0.0, base, &[])
            },
            Exemplar { value: None, ..exemplar(0.0, base, &[]) },
        ],
        flags: 0,
    };
    let bare = HistogramPoint {
        time: nanos(base),
        count: 3,
        attributes: texts(&[("bare", "1")]),
        ..HistogramPoint::default()
    };
    let ended = HistogramPoint { flags: 1, time: nanos(base + 9), sum: Some(0.0), ..HistogramPoint::default() };
    let metrics = vec![latency(point), latency(bare), latency(ended)];
    let [samples, _, exemplars] = stored(&[], &[request(&[], metrics)], base);
    assert_eq!(
        samples,
        [
            "latency_seconds_bucket{bare=1,le=+Inf} 3 @0",
            "latency_seconds_bucket{le=+Inf} 10 @0 since -1",
            "latency_seconds_bucket{le=+Inf} stale @9",
            "latency_seconds_bucket{le=0.005} 1 @0 since -1",
            "latency_seconds_bucket{le=1} 3 @0 since -1",
            "latency_seconds_bucket{le=2500000} 3 @0 since -1",
            "latency_seconds_count{bare=1} 3 @0",
            "latency_seconds_count{le=mine} 10 @0 since -1",
            "latency_seconds_count{} stale @9",
            "latency_seconds_sum{le=mine} 4.25 @0 since -1",
            "latency_seconds_sum{} stale @9",
        ]
    );
    let ids = [("trace_id", "abababababababababababababababab"), ("span_id", "0101010101010101")];
    let own = |more: &[(&'static str, &'static str)]| stored::map(ids.into_iter().chain(more.iter().copied()));
    let expected = [
        format!("latency_seconds_bucket{{le=+Inf}} 9000000000 # {} @1", own(&[("user_id", "7")])),
        format!("latency_seconds_bucket{{le=0.005}} 0.001 # {} @2", own(&[])),
        format!("latency_seconds_bucket{{le=1}} 1 # {} @0", own(&[])),
        "latency_seconds_bucket{le=2500000} 2 #  @0".to_owned(),
    ];
    assert_eq!(exemplars, expected);
}

#[test]
fn exponential_histograms_become_native_ones() {
    let base = now() - 60_000;
    let exponential = |name: &str, point: ExponentialPoint| {
        let point = ExponentialPoint { time: nanos(base), ..point };
        metric(name, "", Data::Exponential(Exponential { data_points: vec![point], temporality: 2 }))
    };
    let buckets = |offset, counts: &[u64]| Some(Buckets { offset, bucket_counts: counts.to_vec() });
    let two_sided = ExponentialPoint {
        start: nanos(base - 5),
        count: 13,
        sum: Some(-2.5),
        scale: 3,
        zero_count: 2,
        positive: buckets(-2, &[1, 0, 0, 3, 0, 0, 0, 4]),
        negative: buckets(5, &[2, 1]),
        zero_threshold: 0.25,
        exemplars: vec![exemplar(1.5, base, &[])],
        ..ExponentialPoint::default()
    };
    let fine =
        ExponentialPoint { scale: 10, count: 21, positive: buckets(-3, &[1, 2, 3, 4, 5, 6]), ..Default::default() };
    let ended = ExponentialPoint { flags: 1, count: 8, zero_count: 8, scale: 1, ..ExponentialPoint::default() };
    let metrics = vec![exponential("both", two_sided), exponential("fine", fine), exponential("ended", ended)];
    let [_, histograms, exemplars] = stored(&[], &[request(&[], metrics)], base);
    assert_eq!(
        histograms,
        [
            "both{} schema 3 count 13 sum -2.5 zero 2 2.5e-1 hint 0 negative 6 2 2,1 positive -1,3 4,1 1,0,0,3,4 @0 since -5",
            "ended{} schema 1 count 0 sum stale zero 0 1e-128 hint 0 @0",
            "fine{} schema 8 count 21 sum 0 zero 0 1e-128 hint 0 positive 0 2 6,15 @0",
        ]
    );
    assert_eq!(exemplars.len(), 1);
    assert!(exemplars[0].starts_with("both{} 1.5 # "), "{exemplars:?}");
}

#[test]
fn summaries_become_quantiles() {
    let base = now() - 60_000;
    let quantile = |quantile, value| Quantile { quantile, value };
    let point = SummaryPoint {
        time: nanos(base),
        start: nanos(base - 9),
        count: 4,
        sum: 10.0,
        quantiles: vec![quantile(0.0, 1.0), quantile(0.99, 3.5), quantile(1.0, 4.0)],
        attributes: texts(&[("a", "b")]),
        flags: 0,
    };
    let data = Data::Summary(Summary { data_points: vec![point] });
    let [samples, ..] = stored(&[], &[request(&[], vec![metric("wait.time", "ms", data)])], base);
    assert_eq!(
        samples,
        [
            "wait_time_milliseconds_count{a=b} 4 @0 since -9",
            "wait_time_milliseconds_sum{a=b} 10 @0 since -9",
            "wait_time_milliseconds{a=b,quantile=0.99} 3.5 @0 since -9",
            "wait_time_milliseconds{a=b,quantile=0} 1 @0 since -9",
            "wait_time_milliseconds{a=b,quantile=1} 4 @0 since -9",
        ]
    );
}

#[test]
fn attributes_become_labels() {
    let base = now() - 60_000;
    let list = Any::List(List {
        values: [Any::Int(-1), Any::Text("a\"b\n".into()), Any::Double(0.5)]
            .map(|value| AnyValue { value: Some(value) })
            .into(),
    });
    let map = Any::Map(Map { values: vec![any("k", list.clone()), KeyValue { key: "none".into(), value: None }] });
    let values = [
        any("bool", Any::Bool(true)),
        any("int", Any::Int(-42)),
        any("double", Any::Double(1e21)),
        any("bytes", Any::Bytes(vec![0xff, 0])),
        any("list", list),
        any("map", map),
        text("empty", ""),
        KeyValue { key: "absent".into(), value: None },
        // These two have the same name, and are joined by the order of their keys.
        text("a_b", "second"),
        text("a.b", "first"),
        text("__name__", "no"),
        text("job", "mine"),
        text("größe", "ä"),
        text("_x", "1"),
        text("9", "2"),
    ];
    let point = Number { attributes: values.to_vec(), ..number(base, 1.0, &[]) };
    let resource = [("service.name", "api"), ("service.namespace", "shop"), ("service.instance.id", "i-1")];
    let [samples, ..] = stored(&[], &[request(&resource, vec![gauge("m", vec![point])])], base);
    let list = r#"[-1,"a\"b\n",0.5]"#;
    let labels = [
        "a_b=first;second",
        "bool=true",
        "bytes=/wA=",
        "double=1e+21",
        "gr__e=ä",
        "instance=i-1",
        "int=-42",
        "job=shop/api",
        "key_9=2",
        "key_x=1",
        &format!("list={list}"),
        &format!(r#"map={{"k":{list},"none":null}}"#),
    ];
    // No target_info: the resource has no other attribute.
    assert_eq!(samples, [format!("m{{{}}} 1 @0", labels.join(","))]);
}

#[test]
fn resources_become_target_info() {
    let base = now() - HOUR;
    let named = [("service.name", "api"), ("host.name", "h1"), ("empty", "")];
    let unnamed = [("host.name", "h1")];
    // Six minutes apart: two and a half minutes, five, and the last.
    let points = || vec![number(base, 1.0, &[]), number(base + 360_000, 2.0, &[])];
    let requests =
        [request(&named, vec![gauge("m", points())]), request(&unnamed, vec![gauge("n", vec![points().remove(0)])])];
    let [samples, ..] = stored(&[], &requests, base);
    assert_eq!(
        samples,
        [
            "m{job=api} 1 @0",
            "m{job=api} 2 @360000",
            "n{} 1 @0",
            "target_info{host_name=h1,job=api} 1 @0",
            "target_info{host_name=h1,job=api} 1 @150000",
            "target_info{host_name=h1,job=api} 1 @300000",
            "target_info{host_name=h1,job=api} 1 @360000",
        ]
    );
}

#[test]
fn types_units_and_descriptions_become_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let base = now() - 60_000;
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--otlp-delta=keep"]);
    let described = |metric: Metric| Metric { description: format!("About {}", metric.name), ..metric };
    let point = || vec![number(base, 1.0, &[])];
    let delta = Data::Sum(Sum { data_points: point(), temporality: 1, is_monotonic: true });
    let bare = HistogramPoint { time: nanos(base), ..HistogramPoint::default() };
    let metrics = vec![
        described(counter("c", point())),
        described(metric("g", "By/s", Data::Gauge(Gauge { data_points: point() }))),
        described(metric("d", "", delta)),
        described(latency(bare)),
        described(metric(
            "s",
            "",
            Data::Summary(Summary { data_points: vec![SummaryPoint { time: nanos(base), ..Default::default() }] }),
        )),
    ];
    assert_eq!(export(&server, &request(&[("service.name", "a"), ("x", "y")], metrics)), (0, String::new()));
    server.wait_sealed();
    assert!(server.stop());
    let found: Vec<[String; 4]> = read(folder.path(), "metadata")
        .iter()
        .map(|row| ["__name__", "type", "unit", "help"].map(|column| row.get(column).cloned().unwrap_or_default()))
        .collect();
    let row = |row: [&str; 4]| row.map(str::to_owned);
    let mut expected = [
        row(["c_total", "counter", "", "About c"]),
        row(["g_bytes_per_second", "gauge", "bytes_per_second", "About g"]),
        row(["d_total", "unknown", "", "About d"]),
        row(["latency_seconds", "histogram", "seconds", "About latency"]),
        row(["s", "summary", "", "About s"]),
        row(["target_info", "gauge", "", "Target metadata"]),
    ];
    let mut found = found;
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

/// The same request in JSON leads to the same rows.
#[test]
fn json_and_gzip_lead_to_the_same_rows() {
    let base = now() - 60_000;
    let text = format!(
        r#"{{
        "resourceMetrics": [{{
            "resource": {{ "attributes": [{{ "key": "service.name", "value": {{ "stringValue": "api" }} }},
                {{ "key": "n", "value": {{ "intValue": "-7" }} }}, {{ "key": "blob", "value": {{ "bytesValue": "/wA=" }} }}] }},
            "scopeMetrics": [{{ "scope": {{ "name": "lib" }}, "futureField": [1, {{ "x": null }}], "metrics": [
                {{ "name": "c", "unit": "1", "sum": {{ "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [
                    {{ "timeUnixNano": "{t}", "asInt": "9007199254740993", "exemplars": [
                        {{ "timeUnixNano": {t}, "asDouble": 0.1, "traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "eee19b7ec3c1b174" }}] }},
                    {{ "timeUnixNano": {t}, "asDouble": 5e-324, "attributes": [{{ "key": "k", "value": {{ "boolValue": false }} }}] }}] }} }},
                {{ "name": "h", "histogram": {{ "aggregationTemporality": "AGGREGATION_TEMPORALITY_CUMULATIVE", "dataPoints": [
                    {{ "timeUnixNano": "{t}", "count": "3", "sum": "Infinity", "bucketCounts": ["1", 2], "explicitBounds": [0.3] }}] }} }}
            ] }}]
        }}]
    }}"#,
        t = nanos(base)
    );
    let point = Number { value: Some(NumberValue::Int(9_007_199_254_740_993)), ..number(base, 0.0, &[]) };
    let trace = (0..16).map(|at| u8::from_str_radix(&"5B8EFFF798038103D269B633813FC60C"[2 * at..][..2], 16).unwrap());
    let span = vec![0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74];
    let traced = Exemplar { trace_id: trace.collect(), span_id: span, ..exemplar(0.1, base, &[]) };
    let points = vec![
        Number { exemplars: vec![traced], ..point },
        Number { attributes: vec![any("k", Any::Bool(false))], ..number(base, 5e-324, &[]) },
    ];
    let sum = Data::Sum(Sum { data_points: points, temporality: 2, is_monotonic: true });
    let histogram = HistogramPoint {
        time: nanos(base),
        count: 3,
        sum: Some(f64::INFINITY),
        bucket_counts: vec![1, 2],
        explicit_bounds: vec![0.3],
        ..HistogramPoint::default()
    };
    let histogram = Data::Histogram(Histogram { data_points: vec![histogram], temporality: 2 });
    let mut request = request(&[("service.name", "api")], vec![metric("c", "1", sum), metric("h", "", histogram)]);
    let attributes = &mut request.resource_metrics[0].resource.as_mut().unwrap().attributes;
    attributes.extend([any("n", Any::Int(-7)), any("blob", Any::Bytes(vec![0xff, 0]))]);
    let expected = stored(&[], &[request.clone()], base);
    assert_eq!(expected.each_ref().map(Vec::len), [7, 0, 1]);
    assert!(expected[2][0].contains("5b8efff798038103d269b633813fc60c"), "{}", expected[2][0]);

    let json = [("Content-Type", "application/json; charset=utf-8")];
    let zipped = [("Content-Type", JSON), ("Content-Encoding", "gzip")];
    let zipped_protobuf = [("Content-Type", PROTOBUF), ("Content-Encoding", "gzip")];
    // Two members after one another are one stream.
    let bytes = request.encode_to_vec();
    let two = [gzip(&bytes[..20]), gzip(&bytes[20..])].concat();
    for (headers, body) in [
        (&json[..], text.as_bytes().to_vec()),
        (&zipped, gzip(text.as_bytes())),
        (&zipped_protobuf, gzip(&bytes)),
        (&zipped_protobuf, two),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), &["--seal-after=10ms", "--workers=1"]);
        let heard = server.send_otlp(headers, &body);
        let (kind, empty) = if headers[0].1 == PROTOBUF { (PROTOBUF, &b""[..]) } else { (JSON, &b"{}"[..]) };
        assert_eq!((heard.status, heard.content_type.as_str()), (200, kind), "{heard:?}");
        assert_eq!(heard.body, empty);
        server.wait_sealed();
        assert!(server.stop());
        let found = ["samples", "histograms", "exemplars"].map(|kind| lines(folder.path(), kind, base));
        assert_eq!(found, expected, "{headers:?}");
    }
}
