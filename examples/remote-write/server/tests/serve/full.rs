//! A disk that takes no more bytes.

use super::common::*;
use super::library::mutate::Rng;
use std::process::Command;

/// The system refuses to write after 256 KiB of a file: the server says where, ends, and loses nothing that it acknowledged.
#[test]
fn a_full_disk_ends_the_server_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut limited = Command::new("sh");
    // A block has 512 bytes; without the trap, the signal would end the process.
    limited.args(["-c", "trap '' XFSZ; ulimit -f 512; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_remote-write")]);
    let server = Server::start_by(limited, data, &["--seal-after=1h", "--workers=1"]);
    let base = now();
    let mut written = Vec::new();
    let last = (0..100).find_map(|at| {
        let mut request = one(&format!("m{at}"), base + at, 1.0);
        // Snappy cannot make it short.
        let mut rng = Rng::new(at as u64);
        let noise = (0..20_000).map(|_| char::from(b'!' + rng.below(90) as u8)).collect();
        request.timeseries[0].labels.push(v1::Label { name: "pad".into(), value: noise });
        match server.send(V1, &pack(&request)) {
            Ok(heard) if heard.status == 204 => {
                written.push(base + at);
                None
            }
            other => Some(other),
        }
    });
    let heard = last.unwrap().unwrap();
    assert!(heard.status == 503 && heard.text.contains("the log does not take entries: File too large"), "{heard:?}");
    let line = server.wait_said("the log failed; stopping");
    assert!(line.contains("/log: the log does not take entries: File too large"), "{line}");
    assert!(!server.wait());
    // With room again.
    let server = Server::start(data, &["--seal-after=1ms"]);
    server.wait_sealed();
    assert!(server.stop());
    let times: Vec<i64> = samples(data).iter().map(|row| row.time).collect();
    assert!(written.len() > 5 && written.iter().all(|time| times.contains(time)), "{written:?} {times:?}");
}
