//! The status page and its numbers, and lines of the log about refusals.

use super::common::*;
use serde_json::Value;

#[test]
fn the_status_has_rates_refusals_and_top_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h", "--workers=1"]);
    let time = now();
    assert_eq!(server.send(V1, &pack(&one("old", 1, 1.0))).unwrap().status, 400);
    for value in 0..3 {
        assert_eq!(server.send(V1, &pack(&one("often", time + value, 1.0))).unwrap().status, 204);
    }
    assert_eq!(server.send(V1, &pack(&one("", time, 1.0))).unwrap().status, 400);
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
    assert_eq!(server.send(V1, &pack(&one("m", now(), 1.0))).unwrap().status, 204);
    let metrics = server.get("/metrics").text;
    for name in ["request_duration_seconds", "log_sync_seconds", "log_group_records", "seal_seconds", "merge_seconds"] {
        assert!(metrics.contains(&format!("# TYPE hotpb_rw_{name} histogram")), "{name}");
    }
    for name in ["series", "series_bytes", "files", "file_bytes", "replay_seconds", "connections"] {
        assert!(metrics.contains(&format!("# TYPE hotpb_rw_{name} gauge")), "{name}");
    }
}
