//! Tenants by header: folders, names, limits.

use super::common::*;
use std::fs;
use std::path::Path;

const HEADER: &str = "--tenant-header=X-Scope-OrgID";

fn send(server: &Server, tenants: &[&str], request: &v1::WriteRequest) -> Heard {
    let mut headers = vec![("Content-Type", V1), ("Content-Encoding", "snappy")];
    headers.extend(tenants.iter().map(|tenant| ("X-Scope-OrgID", *tenant)));
    server.send_as(&headers, &pack(request)).unwrap()
}

fn many(metric: &str, time: i64, series: std::ops::Range<u32>) -> v1::WriteRequest {
    let numbered = |number: u32| v1::TimeSeries {
        labels: vec![
            v1::Label { name: "__name__".into(), value: metric.into() },
            v1::Label { name: "number".into(), value: format!("{number:09}") },
        ],
        samples: vec![v1::Sample { value: 1.0, timestamp: time }],
        ..Default::default()
    };
    v1::WriteRequest { timeseries: series.map(numbered).collect(), ..Default::default() }
}

fn values(data: &Path, tenant: &str) -> Vec<f64> {
    samples_in(data, &format!("tenant={tenant}/samples/")).iter().map(|row| f64::from_bits(row.value)).collect()
}

/// Rows of two tenants are apart, also after a crash, when they come from the log; and the same bytes of two tenants are
/// two requests.
#[test]
fn tenants_have_their_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let time = now();
    let server = Server::start(data, &[HEADER, "--seal-after=1h"]);
    for tenant in ["a", "b'(c)*!"] {
        assert_eq!(send(&server, &[tenant], &one_sample("both", time, 1.0)).status, 204);
    }
    assert_eq!(send(&server, &["a"], &one_sample("own", time, 2.0)).status, 204);
    server.kill();
    let server = Server::start(data, &[HEADER, "--seal-after=1ms"]);
    assert_eq!(send(&server, &["a"], &one_sample("both", time, 1.0)).status, 204);
    assert_eq!(send(&server, &["b'(c)*!"], &one_sample("late", time, 3.0)).status, 204);
    server.wait_sealed();
    let status = server.get("/metrics").text;
    assert!(status.contains("hotpb_rw_tenants 2\n"), "{status}");
    assert!(server.stop());
    assert_eq!(values(data, "a"), [1.0, 2.0]);
    assert_eq!(values(data, "b'(c)*!"), [1.0, 3.0]);
    assert_eq!(samples(data), []);
}

#[test]
fn names_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[HEADER, "--seal-after=1ms"]);
    let request = one_sample("m", now(), 1.0);
    let long = "x".repeat(151);
    for (tenants, part) in [
        (&[][..], "x-scope-orgid: the header is missing"),
        (&["a", "b"], "twice"),
        (&[""], "1 to 150 characters"),
        (&[&long], "1 to 150 characters"),
        (&[".."], "is not . or .."),
        (&["a/b"], "letters, digits"),
        (&["a|b"], "letters, digits"),
    ] {
        let heard = send(&server, tenants, &request);
        assert!(heard.status == 400 && heard.text.contains(part), "{tenants:?}: {heard:?}");
    }
    assert!(server.get("/metrics").text.contains("hotpb_rw_refused_requests_total{kind=\"tenant's name\"} 7"));
    assert_eq!(send(&server, &["a"], &request).status, 204);
}

/// However many tenants there are, the server keeps as many as it may, and those go on.
#[test]
fn too_many_tenants_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[HEADER, "--max-tenants=3", "--seal-after=1h", "--enable-reload"]);
    let time = now();
    // A tenant whose request is bad takes no place.
    for number in 0..20 {
        assert_eq!(send(&server, &[&format!("bad{number}")], &one_sample("", time, 1.0)).status, 400);
    }
    for number in 0..200 {
        let heard = send(&server, &[&format!("t{number}")], &one_sample("m", time, 1.0));
        assert_eq!(heard.status, if number < 3 { 204 } else { 403 }, "{number}: {heard:?}");
    }
    assert_eq!(send(&server, &["t2"], &one_sample("m", time, 2.0)).status, 204);
    let metrics = server.get("/metrics").text;
    assert!(metrics.contains("hotpb_rw_tenants 3\n"), "{metrics}");
    assert!(metrics.contains("hotpb_rw_refused_requests_total{kind=\"too many tenants\"} 197"), "{metrics}");
    // They are known after a restart, too: from the log, and then from the files.
    server.kill();
    for _ in 0..2 {
        let server = Server::start(folder.path(), &[HEADER, "--max-tenants=3", "--seal-after=1ms"]);
        assert_eq!(send(&server, &["t9"], &one_sample("m", time, 1.0)).status, 403);
        assert_eq!(send(&server, &["t1"], &one_sample("n", time, 1.0)).status, 204);
        server.wait_sealed();
        server.kill();
    }
}

#[test]
fn a_tenant_beyond_its_rate_gets_429() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    fs::write(&file, "tenant-rate = 1000\ntenant-burst = 100\n[tenants.slow]\nrate = 10\nburst = 10\n").unwrap();
    let config = format!("--config={}", file.display());
    let server = Server::start(&folder.path().join("data"), &[HEADER, &config, "--seal-after=1h", "--enable-reload"]);
    let time = now();
    let first = many("m", time, 0..600);
    assert_eq!(send(&server, &["slow"], &first).status, 204);
    let heard = send(&server, &["slow"], &one_sample("m", time, 1.0));
    assert_eq!(heard.status, 429);
    let seconds: u32 = heard.retry_after.unwrap().parse().unwrap();
    assert!((50..=60).contains(&seconds), "{seconds}");
    // What is known is answered, and others are not disturbed.
    assert_eq!(send(&server, &["slow"], &first).status, 204);
    assert_eq!(send(&server, &["other"], &one_sample("m", time, 1.0)).status, 204);
    let metrics = server.get("/metrics").text;
    assert!(metrics.contains("hotpb_rw_refused_requests_total{kind=\"tenant's rate\"} 1"), "{metrics}");
    // The limit goes away with the file.
    fs::write(&file, "").unwrap();
    assert_eq!(server.post("/-/reload").text, "changed: tenant-burst, tenant-rate, tenants\n");
    assert_eq!(send(&server, &["slow"], &one_sample("m", time, 1.0)).status, 204);
}

#[test]
fn a_tenant_beyond_its_series_keeps_those_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(
        folder.path(),
        &[HEADER, "--tenant-series=100", "--workers=1", "--seal-after=1h", "--seal-rows=5000"],
    );
    let time = now();
    assert_eq!(send(&server, &["a"], &many("m", time, 0..90)).status, 204);
    let heard = send(&server, &["a"], &many("m", time + 1, 80..120));
    assert_eq!(heard.status, 400);
    assert!(heard.text.starts_with("20 series were refused, the others were written:"), "{}", heard.text);
    assert!(heard.text.contains("the series is new, and there are too many"), "{}", heard.text);
    assert_eq!(send(&server, &["a"], &many("m", time + 2, 0..100)).status, 204);
    assert_eq!(send(&server, &["b"], &many("m", time, 100..200)).status, 204);
    assert!(server.stop());
}
