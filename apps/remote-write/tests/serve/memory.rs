//! The memory of the process, while a sender sends ever new series with long labels.

use super::common::*;
use super::model::{request_v1, series};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Returns a number of the process, in bytes, such as `VmRSS`.
fn status(server: &Server, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// What came is in files, and the process is not larger than the option says, but for a quarter.
#[test]
fn one_option_bounds_the_process() {
    sends_long_labels(|_| std::thread::sleep(Duration::from_millis(10)));
}

/// Sends ever new series while small files are merged and `meanwhile` is called again and again, and checks the bound.
pub fn sends_long_labels(meanwhile: impl Fn(&Server) + Sync) {
    const MEMORY: u64 = 192 << 20;
    let folder = tempfile::tempdir().unwrap();
    let options = ["--workers=2", "--memory=192MiB", "--max-body=16MiB", "--seal-after=100ms", "--merge-files=2"];
    let server = Server::start(folder.path(), &options);
    let (done, mut written) = (AtomicBool::new(false), 0);
    let until = Instant::now() + Duration::from_secs(120);
    std::thread::scope(|scope| {
        // Also if this thread fails.
        let _ends = Sets(&done);
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                meanwhile(&server);
            }
        });
        for n in 0..60 {
            let (long, rows) = ("x".repeat(400_000), if n % 3 == 0 { 10 } else { 1 });
            let one_series = |row: u32| series("m", &[("v", &format!("{n}-{row}-{long}"))]).sample(f64::from(n), now());
            let body = snappy(&request_v1(&(0..rows).map(one_series).collect::<Vec<_>>()));
            loop {
                match server.send(V1, &body).unwrap() {
                    heard if heard.status == 204 => break,
                    heard if heard.status == 503 && Instant::now() < until => {
                        std::thread::sleep(Duration::from_millis(200));
                    }
                    heard => panic!("request {n}: {heard:?}"),
                }
            }
            written += rows as usize;
        }
    });
    // The program itself is as large in an unoptimised build with DataFusion.
    let (all, program) = (status(&server, "VmHWM"), status(&server, "RssFile"));
    println!("{} MiB at most, {} of them the program's", all >> 20, program >> 20);
    assert!(all - program < MEMORY / 4 * 5, "{} MiB", all >> 20);
    assert!(server.metric("hotpb_rw_seals_total") > 1.0);
    assert!(server.metric("hotpb_rw_merged_files_total") > 1.0);
    server.kill();
    let server = Server::start(folder.path(), &["--seal-after=1ms"]);
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(samples(folder.path()).len(), written);
}

/// Sets a flag when it is dropped.
struct Sets<'f>(&'f AtomicBool);

impl Drop for Sets<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A sender sends a request again for ever that gets 503.
#[test]
fn a_request_that_never_fits_is_refused_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--workers=1", "--memory=128MiB", "--max-body=16MiB", "--seal-after=1h"];
    let server = Server::start(folder.path(), &options);
    let long = "x".repeat(1_000_000);
    let request = |count: u32| {
        let rows: Vec<_> =
            (0..count).map(|row| series("m", &[("v", &format!("{row}-{long}"))]).sample(1.0, now())).collect();
        snappy(&request_v1(&rows))
    };
    let (large, small) = (request(12), request(3));
    for _ in 0..2 {
        let heard = server.send(V1, &large).unwrap();
        assert_eq!((heard.status, heard.text.trim_end()), (413, "its new series need too much memory"));
    }
    // It leaves nothing, and the next one has room.
    assert_eq!(server.send(V1, &small).unwrap().status, 204);
    assert!(server.metric("hotpb_rw_series_bytes") < 16e6);
    assert!(server.stop());
}
