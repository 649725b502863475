//! The compliance cases at the receiver of a real Prometheus. `make check-remote-write` builds one, and runs this test.

use super::common::{V1, V2, now, snappy};
use super::compliance_cases::functions;
use super::model::{counts, request_v1, request_v2};
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
    fn send(&self, version: u32, body: &[u8]) -> (u16, Option<[u64; 3]>) {
        let response = ureq::post(format!("{}/api/v1/write", self.url))
            .config()
            .http_status_as_error(false)
            .build()
            .header("Content-Type", if version == 2 { V2 } else { V1 })
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

#[test]
#[ignore = "needs a Prometheus: make check-remote-write"]
fn its_receiver_differs_as_the_list_says() {
    let folder = tempfile::tempdir().unwrap();
    let prometheus = Prometheus::start(folder.path());
    let (known, mut used, mut unknown) = (known(), BTreeMap::new(), Vec::new());
    let mut cases = 0;
    for (function, requests) in functions(now() - 60_000) {
        for (case, series) in requests {
            for version in [2, 1] {
                let mut series = series.clone();
                for one in &mut series {
                    // So that no two requests have the same series.
                    one.labels.push(("case".to_owned(), format!("{function} {case} {version}.0")));
                    one.labels.sort();
                }
                let body = if version == 2 { request_v2(&series) } else { request_v1(&series) };
                let (status, written) = prometheus.send(version, &snappy(&body));
                let bad = series.iter().any(|one| one.bad);
                // Without the counts of 1.0, which has none.
                let ours = text(if bad { 400 } else { 204 }, (version == 2).then(|| counts(&series)));
                let theirs = text(status, written);
                cases += 1;
                if ours == theirs {
                    continue;
                }
                let key = |case: &str| [function, case, &format!("{version}.0"), &theirs].map(str::to_owned);
                match [key(&case), key("*")].into_iter().find(|key| known.contains_key(key)) {
                    Some(key) => {
                        println!("{function} {case} {version}.0: Prometheus {theirs}, here {ours}: {}", known[&key]);
                        *used.entry(key).or_insert(0) += 1;
                    }
                    None => unknown.push(format!("{function} | {case} | {version}.0 | {theirs} | (here {ours})")),
                }
            }
        }
    }
    println!(
        "{cases} requests, {} answered otherwise by Prometheus",
        used.values().sum::<u32>() + unknown.len() as u32
    );
    assert!(unknown.is_empty(), "new differences:\n{}", unknown.join("\n"));
    let gone: Vec<_> = known.keys().filter(|key| !used.contains_key(*key)).collect();
    assert!(gone.is_empty(), "differences that are gone: {gone:?}");
}
