//! The compliance cases at the receiver of a real Prometheus. `make check-remote-write` builds one, and runs this test.

use super::common::{V1, V2, now, snappy, v2};
use super::compliance_cases::functions;
use super::model::{Series, counts, request_v1, request_v2, series};
use prost::Message;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What it answers otherwise, and why we do not: a line for each case, or for all cases of a function (`*`).
const DIFFERENCES: &str = include_str!("prometheus_differences.txt");

struct Prometheus {
    process: Child,
    url: String,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Prometheus {
    fn start(folder: &std::path::Path) -> Prometheus {
        let program = std::env::var("PROMETHEUS").expect("PROMETHEUS names the program");
        let config = folder.join("prometheus.yml");
        std::fs::write(&config, "global: {}\n").unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(program)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("tsdb").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--web.enable-remote-write-receiver")
            .arg("--web.remote-write-receiver.accepted-protobuf-messages=prometheus.WriteRequest")
            .arg("--web.remote-write-receiver.accepted-protobuf-messages=io.prometheus.write.v2.Request")
            .arg("--enable-feature=exemplar-storage,metadata-wal-records")
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let prometheus = Prometheus { process, url: format!("http://127.0.0.1:{port}") };
        let until = Instant::now() + Duration::from_secs(60);
        while ureq::get(format!("{}/-/ready", prometheus.url)).call().is_err() {
            assert!(Instant::now() < until, "Prometheus is not ready");
            std::thread::sleep(Duration::from_millis(50));
        }
        prometheus
    }

    /// Sends a request, and returns the status and the counts.
    fn send(&self, content_type: &str, body: &[u8]) -> (u16, Option<[u64; 3]>) {
        let response = ureq::post(format!("{}/api/v1/write", self.url))
            .config()
            .http_status_as_error(false)
            .build()
            .header("Content-Type", content_type)
            .header("Content-Encoding", "snappy")
            .send(body)
            .unwrap();
        let count = |kind: &str| {
            let value = response.headers().get(format!("X-Prometheus-Remote-Write-{kind}-Written"))?;
            value.to_str().ok()?.parse().ok()
        };
        let written =
            count("Samples").map(|samples| [samples, count("Histograms").unwrap(), count("Exemplars").unwrap()]);
        (response.status().as_u16(), written)
    }
}

fn text(status: u16, written: Option<[u64; 3]>) -> String {
    match written {
        Some([samples, histograms, exemplars]) => format!("{status} {samples}/{histograms}/{exemplars}"),
        None => status.to_string(),
    }
}

/// The lines of the list: function, case, version, what Prometheus answers; and why.
fn known() -> BTreeMap<[String; 4], String> {
    let lines = DIFFERENCES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<String> = line.split('|').map(|part| part.trim().to_owned()).collect();
            let [function, case, version, answer, why] = parts.try_into().expect("five columns");
            assert!(!why.is_empty(), "{line}");
            ([function, case, version, answer], why)
        })
        .collect()
}

/// A request, and what this server answers (`requests.rs` and `protocol.rs` test that).
struct Case {
    function: &'static str,
    case: String,
    version: u32,
    content_type: &'static str,
    body: Vec<u8>,
    expected: String,
}

/// The compliance cases.
fn compliance(now: i64) -> Vec<Case> {
    let mut cases = Vec::new();
    for (function, requests) in functions(now) {
        for (case, series) in requests {
            for version in [2, 1] {
                let mut series = series.clone();
                for sent in &mut series {
                    // So that no two requests have the same series.
                    sent.labels.push(("case".to_owned(), format!("{function} {case} {version}.0")));
                    sent.labels.sort();
                }
                let body = if version == 2 { request_v2(&series) } else { request_v1(&series) };
                let bad = series.iter().any(|sent| sent.bad);
                let expected = text(if bad { 400 } else { 204 }, (version == 2).then(|| counts(&series)));
                let content_type = if version == 2 { V2 } else { V1 };
                cases.push(Case { function, case: case.clone(), version, content_type, body, expected });
            }
        }
    }
    cases
}

/// The other rows of the guide's table, in 2.0 unless the name says otherwise.
fn guide(now: i64) -> Vec<Case> {
    let named = |name: &str| series(&format!("guide_{name}"), &[("a", "b")]);
    let histogram =
        v2::Histogram { count: Some(v2::histogram::Count::CountInt(0)), timestamp: now, ..Default::default() };
    let symbol = v2::Request {
        symbols: ["x", "__name__", "guide_symbol"].map(str::to_owned).to_vec(),
        timeseries: vec![v2::TimeSeries {
            labels_refs: vec![1, 2],
            samples: vec![v2::Sample { value: 1.0, timestamp: now, ..Default::default() }],
            ..Default::default()
        }],
    };
    let long = "x".repeat(200);
    let two = |name: &'static str, sent: Series, expected: &str| (name, V2, request_v2(&[sent]), expected.to_owned());
    let blank = "application/x-protobuf; proto=io.prometheus.write.v2.Request";
    let all = [
        ("a blank before proto", blank, request_v2(&[named("blank").sample(1.0, now)]), "204 1/0/0".to_owned()),
        ("the first symbol is not empty", V2, symbol.encode_to_vec(), "400 0/0/0".to_owned()),
        two("samples and histograms", named("both").sample(1.0, now).histogram(histogram), "400 0/0/0"),
        two("a new series", named("again").sample(1.0, now - 2), "204 1/0/0"),
        two("the newest sample again", named("again").sample(1.0, now - 2), "204 1/0/0"),
        two("a newer sample", named("again").sample(2.0, now), "204 1/0/0"),
        two("an older sample again", named("again").sample(1.0, now - 2), "204 1/0/0"),
        two("another value", named("again").sample(3.0, now), "204 1/0/0"),
        two("older than the window", named("old").sample(1.0, now - 40 * 86_400_000), "400 0/0/0"),
        two("newer than the window", named("new").sample(1.0, now + 3_600_000), "400 0/0/0"),
        two(
            "an exemplar without a time",
            named("exemplar").sample(1.0, now).exemplar(&[("a", "b")], 1.0, 0),
            "400 1/0/0",
        ),
        two(
            "long labels of an exemplar",
            named("long").sample(1.0, now).exemplar(&[("a", &long)], 1.0, now),
            "204 1/0/1",
        ),
        ("40 MiB inflated", V2, vec![0; 40 << 20], "413 0/0/0".to_owned()),
        ("40 MiB inflated, 1.0", V1, vec![0; 40 << 20], "413".to_owned()),
    ];
    let case = |(case, content_type, body, expected): (&str, &'static str, Vec<u8>, String)| {
        let version = if content_type == V1 { 1 } else { 2 };
        Case { function: "guide", case: case.to_owned(), version, content_type, body, expected }
    };
    all.into_iter().map(case).collect()
}

#[test]
#[ignore = "needs a Prometheus: make check-remote-write"]
fn its_receiver_differs_as_the_list_says() {
    let folder = tempfile::tempdir().unwrap();
    let prometheus = Prometheus::start(folder.path());
    let (known, mut used, mut unknown) = (known(), BTreeMap::new(), Vec::new());
    let now = now() - 60_000;
    let cases: Vec<Case> = compliance(now).into_iter().chain(guide(now)).collect();
    for Case { function, case, version, content_type, body, expected } in &cases {
        let (status, written) = prometheus.send(content_type, &snappy(body));
        let theirs = text(status, written);
        if *expected == theirs {
            continue;
        }
        let key = |case: &str| [*function, case, &format!("{version}.0"), &theirs].map(str::to_owned);
        match [key(case), key("*")].into_iter().find(|key| known.contains_key(key)) {
            Some(key) => {
                println!("{function} {case} {version}.0: Prometheus {theirs}, here {expected}: {}", known[&key]);
                *used.entry(key).or_insert(0) += 1;
            }
            None => unknown.push(format!("{function} | {case} | {version}.0 | {theirs} | (here {expected})")),
        }
    }
    let differ = used.values().sum::<usize>() + unknown.len();
    println!("{} requests, {differ} answered otherwise by Prometheus", cases.len());
    assert!(unknown.is_empty(), "new differences:\n{}", unknown.join("\n"));
    let gone: Vec<_> = known.keys().filter(|key| !used.contains_key(*key)).collect();
    assert!(gone.is_empty(), "differences that are gone: {gone:?}");
}
