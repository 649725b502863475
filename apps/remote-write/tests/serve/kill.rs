//! Nothing that was acknowledged is lost, and nothing is there twice, however often the server is killed, and whichever file is damaged
//! between.

use super::common::*;
use super::damage::{damages, in_memory, plant, ready, tree};
use super::library::mutate::Rng;
use super::otlp_messages::{self as otlp, gauge, number};
use prost::Message;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// `REMOTE_WRITE_KILLS=1000` for the long run.
fn kills() -> u64 {
    std::env::var("REMOTE_WRITE_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}

fn request(sender: u64, number: u64, base: i64) -> v1::WriteRequest {
    let label = |name: &str, value: String| v1::Label { name: name.to_owned(), value };
    let series = (0..5).map(|series| v1::TimeSeries {
        labels: vec![
            label("__name__", "counted".to_owned()),
            label("sender", sender.to_string()),
            label("series", series.to_string()),
        ],
        samples: vec![v1::Sample { value: number as f64, timestamp: base + number as i64 }],
        ..Default::default()
    });
    v1::WriteRequest { timeseries: series.collect(), ..Default::default() }
}

/// The same samples in OTLP.
fn otlp_request(sender: u64, count: u64, base: i64) -> Vec<u8> {
    let point = |series: u64| {
        let (sender, series) = (sender.to_string(), series.to_string());
        number(base + count as i64, count as f64, &[("sender", &sender), ("series", &series)])
    };
    otlp::request(&[], vec![gauge("counted", (0..5).map(point).collect())]).encode_to_vec()
}

/// Sends a request, the last sender by OTLP. Returns the status of remote write.
fn send(server: &Server, sender: u64, number: u64, base: i64) -> Result<u16, ureq::Error> {
    if sender < 2 {
        return server.send(V1, &pack(&request(sender, number, base))).map(|heard| heard.status);
    }
    let heard = server.try_send_otlp(&[("Content-Type", V1)], &otlp_request(sender, number, base))?;
    assert!(heard.status != 200 || heard.body.is_empty(), "{heard:?}");
    Ok(if heard.status == 200 { 204 } else { heard.status })
}

#[test]
fn acknowledged_samples_survive_kills_and_are_there_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let base = now() - 3_600_000;
    let (copy, mut rng, mut refused, mut whole) = (in_memory(), Rng::new(kills()), 0, 0);
    let mut next = [0u64; 3];
    for kill in 0..kills() {
        // Rows come into files, and files are merged, all the time.
        let server = Server::start(data, &["--seal-after=60ms", "--segment=64KiB", "--workers=2", "--merge-files=2"]);
        let (stop, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            let senders: Vec<_> = (0..3)
                .map(|sender| {
                    let (server, stop, acknowledged) = (&server, &stop, &acknowledged);
                    let mut number = next[sender as usize];
                    scope.spawn(move || {
                        // A sender repeats a request until it is acknowledged, across restarts.
                        while !stop.load(Ordering::Relaxed) {
                            match send(server, sender, number, base) {
                                Ok(204) => {
                                    number += 1;
                                    acknowledged.fetch_add(1, Ordering::Relaxed);
                                }
                                Ok(status) => assert_eq!(status, 503),
                                Err(_) => break,
                            }
                        }
                        number
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(20 + kill * 37 % 180));
            // On a busy machine that is too short for a request.
            let until = Instant::now() + Duration::from_secs(5);
            while acknowledged.load(Ordering::Relaxed) < kill % 8 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            let id = server_id(&server);
            std::process::Command::new("kill").args(["-9", &id]).status().unwrap();
            for (sender, thread) in senders.into_iter().enumerate() {
                next[sender] = thread.join().unwrap();
            }
            stop.store(true, Ordering::Relaxed);
        });
        server.kill();
        // A copy is damaged; the whole store goes on.
        if kill % 3 == 1 {
            let files = tree(data);
            let last = files.keys().rfind(|name| name.starts_with("log")).unwrap();
            let kinds = ["superblock", "manifest", ".parquet", last.to_str().unwrap(), "log"];
            let kind = kinds[rng.below(kinds.len())];
            let names: Vec<_> = files.keys().filter(|name| name.to_str().unwrap().contains(kind)).collect();
            let Some(&name) = names.get(rng.below(names.len().max(1))) else { continue };
            let all = damages(&files, &[], name);
            let (damage, damaged) = &all[rng.below(all.len())];
            let why = format!("kill {kill}, {} {damage}", name.display());
            plant(copy.path(), damaged);
            match ready(copy.path()) {
                Err(_) => refused += 1,
                Ok(()) => {
                    println!("{why}: started");
                    check(copy.path(), base, &next);
                    whole += 1;
                }
            }
        }
    }
    let server = Server::start(data, &["--seal-after=10ms"]);
    server.wait_sealed();
    assert!(server.stop());
    assert!(next.iter().all(|&n| n > 0), "no request was acknowledged: {next:?}");
    let rows = check(data, base, &next);
    println!(
        "{} requests acknowledged, {rows} rows; {refused} copies refused, {whole} with all rows",
        next.iter().sum::<u64>()
    );
}

/// Checks that the rows of all acknowledged requests are in files, each once. Returns the number of rows.
fn check(data: &Path, base: i64, next: &[u64; 3]) -> usize {
    let mut found: BTreeMap<(String, String, i64), u64> = BTreeMap::new();
    for row in samples(data) {
        assert_eq!(row.value, ((row.time - base) as f64).to_bits());
        *found.entry((row.labels["sender"].clone(), row.labels["series"].clone(), row.time)).or_default() += 1;
    }
    for (sender, &count) in next.iter().enumerate() {
        for series in 0..5 {
            let count_of =
                |number: u64| found.get(&(sender.to_string(), series.to_string(), base + number as i64)).copied();
            for number in 0..count {
                assert_eq!(count_of(number), Some(1), "sender {sender}, series {series}, request {number}");
            }
            // The last request was on its way when the server was killed.
            assert!(matches!(count_of(count), None | Some(1)));
            assert_eq!(count_of(count + 1), None);
        }
    }
    found.len()
}

/// What was acknowledged is there after a start with other limits, too.
#[test]
fn a_start_with_smaller_limits_reads_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    let mut request = one_sample("long", now(), 1.0);
    request.timeseries[0].labels.push(v1::Label { name: "l".into(), value: "x".repeat(100_000) });
    request.timeseries.extend(one_sample("other", now(), 2.0).timeseries);
    assert_eq!(server.send(V1, &pack(&request)).unwrap().status, 204);
    server.kill();
    let limits = ["--max-body=1KiB", "--max-rows=1", "--max-label-names=1", "--memory=64MiB", "--accept-past=0s"];
    let server = Server::start(folder.path(), &[&limits[..], &["--seal-after=1ms"]].concat());
    server.wait_sealed();
    assert_eq!(server.send(V1, &pack(&request)).unwrap().status, 413);
    assert!(server.stop());
    assert_eq!(samples(folder.path()).len(), 2);
}

/// A clock that was a year ahead when the segments were created would keep them for a year, and all later ones with them.
#[test]
fn segments_of_a_clock_that_was_ahead_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--seal-after=1ms", "--segment=1"];
    let server = Server::start(folder.path(), &options);
    for number in 0..9 {
        assert_eq!(server.send(V1, &pack(&request(0, number, now()))).unwrap().status, 204);
    }
    server.wait_sealed();
    assert!(server.stop());
    let segments = || std::fs::read_dir(folder.path().join("log")).unwrap().count();
    assert!(segments() > 3);
    assert!(Server::start(folder.path(), &options).stop());
    let before = segments();
    date_segments(folder.path(), 365 * 86_400_000);
    assert!(Server::start(folder.path(), &options).stop());
    // The last old one stays with the new one: its records were answered when that began.
    assert_eq!((before > 3, segments()), (true, 2));
}

/// The rows of a request are in files, and a crash comes before its sender hears the answer: after the restart, the request
/// gets the answer that it would have had, and its rows stay there once.
#[test]
fn a_request_in_files_is_known_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let time = now() - 60_000;
    let symbols = ["", "__name__", "good", "bad"].map(str::to_owned).to_vec();
    let series = |name, samples| v2::TimeSeries { labels_refs: vec![1, name], samples, ..Default::default() };
    let sample = |timestamp| v2::Sample { value: 1.5, timestamp, ..Default::default() };
    let whole =
        v2::Request { symbols: symbols.clone(), timeseries: vec![series(2, vec![sample(time), sample(time + 1)])] };
    // The second series has a label without a symbol.
    let part =
        v2::Request { symbols, timeseries: vec![series(2, vec![sample(time + 2)]), series(9, vec![sample(time)])] };
    let server = Server::start(data, &["--seal-after=1ms"]);
    let first = [&whole, &part].map(|request| server.send(V2, &pack(request)).unwrap());
    assert_eq!([204, 400], [first[0].status, first[1].status]);
    server.wait_sealed();
    server.kill();
    for _ in 0..2 {
        let server = Server::start(data, &["--seal-after=1ms"]);
        for (request, first) in [&whole, &part].into_iter().zip(&first) {
            let second = server.send(V2, &pack(request)).unwrap();
            assert_eq!((second.status, second.counts), (first.status, first.counts));
        }
        server.wait_sealed();
        server.kill();
    }
    let times: Vec<i64> = samples(data).iter().map(|row| row.time).collect();
    assert_eq!(times, [time, time + 1, time + 2]);
}

fn server_id(server: &Server) -> String {
    server.id().to_string()
}
