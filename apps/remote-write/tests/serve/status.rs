//! The status page and its numbers, and lines of the log about refusals.

use super::common::*;
use super::otlp::JSON;
use serde_json::Value;

#[test]
fn the_status_has_rates_refusals_and_top_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h", "--workers=1"]);
    let time = now();
    assert_eq!(server.send(V1, &pack(&one_sample("old", 1, 1.0))).unwrap().status, 400);
    for value in 0..3 {
        assert_eq!(server.send(V1, &pack(&one_sample("often", time + value, 1.0))).unwrap().status, 204);
    }
    assert_eq!(server.send(V1, &pack(&one_sample("", time, 1.0))).unwrap().status, 400);
    assert_eq!(server.send("text/plain", b"x").unwrap().status, 415);
    let heard = server.get("/api/v1/status");
    let status: Value = serde_json::from_str(&heard.text).unwrap();
    assert_eq!(status["state"], "ready");
    assert_eq!(status["requests"], serde_json::json!({ "204": 3, "400": 2, "415": 1 }));
    assert_eq!(status["rows"], serde_json::json!({ "sample": 3 }));
    assert_eq!(status["refused_requests"], serde_json::json!({ "headers": 1 }));
    assert_eq!(status["memory"]["rows"], 3);
    assert_eq!(
        status["top"]["by_rows_in_memory"][0],
        serde_json::json!({ "tenant": "", "metric": "often", "count": 3 })
    );
    let refused = status["refused_series"].as_object().unwrap();
    assert!(refused.values().all(|count| count.as_u64() > Some(0)) && refused.len() == 2, "{refused:?}");
    let page = server.get("/").text;
    assert!(page.contains("color-scheme") && !page.contains("http://") && !page.contains("https://"));
    let line = server.wait_said("series refused");
    assert!(line.contains("\"unsaid\":0"), "{line}");
    assert!(server.wait_said("request refused").contains("\"reason\":\"headers\""));
}

/// Rows that came after a later one of their series are counted when they go to files. So are bytes, until then.
#[test]
fn rows_out_of_order_and_bytes_in_memory_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let time = now() - 60_000;
    let samples = |name: &str, times: &[i64]| v1::TimeSeries {
        labels: vec![v1::Label { name: "__name__".into(), value: name.into() }],
        samples: times.iter().map(|at| v1::Sample { value: *at as f64, timestamp: time + at }).collect(),
        ..Default::default()
    };
    let histogram = |timestamp| v1::Histogram {
        count: Some(v1::histogram::Count::CountInt(0)),
        zero_count: Some(v1::histogram::ZeroCount::ZeroCountInt(0)),
        timestamp,
        ..Default::default()
    };
    let histograms = |times: &[i64]| v1::TimeSeries {
        histograms: times.iter().map(|at| histogram(time + at)).collect(),
        exemplars: times.iter().map(|at| v1::Exemplar { timestamp: time + at, ..Default::default() }).collect(),
        ..samples("histograms", &[])
    };
    let day = -24 * 3_600_000;
    let requests = [
        (0, vec![samples("a", &[10]), samples("b", &[7, 8, 9])]),
        // An earlier one, and the same time again, with another value.
        (1, vec![samples("a", &[5]), samples("c", &[1])]),
        (1, vec![samples("a", &[5, 20]), samples("b", &[9])]),
        // In one request, and in another hour.
        (3, vec![samples("d", &[3, 1, 2]), samples("a", &[day])]),
        (2, vec![histograms(&[4, 2, 2])]),
    ];
    let rows = 23;
    let seal_rows = format!("--seal-rows={rows}");
    let server = Server::start(folder.path(), &["--seal-after=1h", "--workers=2", &seal_rows]);
    let (mut expected, last) = (0, requests.len() - 1);
    for (at, (out_of_order, timeseries)) in requests.into_iter().enumerate() {
        if at == last {
            assert_eq!(
                (server.metric("hotpb_rw_head_bytes"), server.metric("hotpb_rw_head_rows")),
                (13.0 * 32.0, 13.0)
            );
            assert_eq!(server.metric("hotpb_rw_out_of_order_total"), 0.0);
        }
        let request = v1::WriteRequest { timeseries, ..Default::default() };
        assert_eq!(server.send(V1, &pack(&request)).unwrap().status, 204);
        expected += out_of_order;
    }
    let heard = server
        .send(V1, &pack(&v1::WriteRequest { timeseries: vec![samples("e", &[1, 2, 3, 4])], ..Default::default() }));
    assert_eq!(heard.unwrap().status, 204);
    server.wait_sealed();
    assert_eq!(
        (server.metric("hotpb_rw_out_of_order_total"), server.metric("hotpb_rw_head_bytes")),
        (f64::from(expected), 0.0)
    );
}

/// A thousand refusals are one line of the log, and a counter.
#[test]
fn refusals_do_not_fill_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    for _ in 0..100 {
        assert_eq!(server.send("text/plain", b"x").unwrap().status, 415);
    }
    assert!(server.said("request refused") <= 2);
    assert!(server.get("/metrics").text.contains("hotpb_rw_refused_requests_total{kind=\"headers\"} 100"));
    assert_eq!(server.send(V1, &pack(&one_sample("m", now(), 1.0))).unwrap().status, 204);
    let metrics = server.get("/metrics").text;
    for name in ["request_duration_seconds", "log_sync_seconds", "log_group_records", "seal_seconds", "merge_seconds"] {
        assert!(metrics.contains(&format!("# TYPE hotpb_rw_{name} histogram")), "{name}");
    }
    for name in ["series", "series_bytes", "files", "file_bytes", "replay_seconds", "connections"] {
        assert!(metrics.contains(&format!("# TYPE hotpb_rw_{name} gauge")), "{name}");
    }
}

/// Whatever part of the server refuses a request, it is counted by its reason, and the log has a line.
#[test]
fn every_refused_request_is_counted_and_logged() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--max-body=64KiB", "--max-rows=2", "--tenant-header=X-Scope-OrgID"]);
    let json = [("Content-Type", JSON), ("X-Scope-OrgID", "a")];
    let three = |at: i64| v1::WriteRequest {
        timeseries: (0..3).flat_map(|n| one_sample(&format!("m{n}"), at, 1.0).timeseries).collect(),
        ..Default::default()
    };
    let tenant = |body: &[u8]| {
        server
            .send_as(&[("Content-Type", V1), ("Content-Encoding", "snappy"), ("X-Scope-OrgID", "a")], body)
            .unwrap()
            .status
    };
    for (reason, counted, status) in [
        ("malformed body", 1, tenant(b"x")),
        ("malformed body", 2, tenant(&snappy(b"\x00"))),
        ("malformed body", 3, server.send_otlp(&json, b"[]").status),
        ("length", 1, tenant(&[7; (64 << 10) + 1])),
        ("length", 2, tenant(&snappy(&[0; (64 << 10) + 1]))),
        ("too many rows", 1, tenant(&pack(&three(now())))),
        ("too large", 1, server.send_otlp(&json, format!("[{}]", "0,".repeat(5000)).as_bytes()).status),
    ] {
        assert!([400, 413].contains(&status), "{reason}: {status}");
        let found = server.get("/metrics").text;
        let line = format!("hotpb_rw_refused_requests_total{{kind=\"{reason}\"}} ");
        let count = found.lines().find_map(|found| found.strip_prefix(&line)).and_then(|count| count.parse().ok());
        assert!(count.is_some_and(|count: u64| count >= counted), "{reason} {counted}: {found}");
        server.wait_said(&format!("\"reason\":\"{reason}\""));
    }
    // The line says whose request it was.
    assert!(server.wait_said("\"reason\":\"too many rows\"").contains("\"why\":\"a: "));
    assert!(server.stop());
}

/// A path that is none says which there are.
#[test]
fn an_unknown_path_names_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let heard = server.get("/v1/traces");
    let text = "there is no /v1/traces here: senders use POST /api/v1/write and POST /v1/metrics; ";
    assert!(heard.status == 404 && heard.text.starts_with(text), "{heard:?}");
    let heard = server.post("/api/v1/otlp/v1/metrics");
    assert!(heard.status == 404 && heard.text.contains("POST /v1/metrics"), "{heard:?}");
    let sql = server.get("/api/v1/sql?q=select+1");
    match cfg!(feature = "sql") {
        true => assert_eq!(sql.status, 200, "{sql:?}"),
        false => assert!(sql.status == 404 && sql.text.contains("built with --features sql"), "{sql:?}"),
    }
    assert!(server.get(&format!("/{}", "x".repeat(9000))).text.len() < 1000);
}
