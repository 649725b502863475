//! A disk that takes no more bytes, and one that lost some.

use super::common::*;
use super::library::mutate::Rng;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
        let mut request = one_sample(&format!("m{at}"), base + at, 1.0);
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

/// The server says where the damage is and what to do, and that helps: the other rows are there again.
#[test]
fn damage_is_named_and_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let base = now();
    // A segment for each start.
    for at in 0..3 {
        let server = Server::start(data, &["--seal-after=1h"]);
        for n in 0..2 {
            assert_eq!(server.send(V1, &pack(&one_sample(&format!("m{at}"), base + n, 1.0))).unwrap().status, 204);
        }
        assert!(server.stop());
    }
    let mut segments: Vec<_> = fs::read_dir(data.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    let mut bytes = fs::read(&segments[1]).unwrap();
    // In the first record, which is a request, or a mark if that came late.
    bytes[100] ^= 1;
    fs::write(&segments[1], &bytes).unwrap();
    // What no list names is moved once the log is read, and not before.
    let unnamed = data.join("data/samples/1.parquet");
    fs::create_dir_all(unnamed.parent().unwrap()).unwrap();
    fs::write(&unnamed, "a file").unwrap();
    let said = refused(data);
    let name = segments[1].file_name().unwrap().to_str().unwrap();
    let first: u64 = name.trim_end_matches(".log").parse().unwrap();
    for part in [
        &format!("{}: {name}: record {first} at byte 64 is damaged, and was acknowledged", data.join("log").display()),
        &format!("Restore it from a copy; or `remote-write repair --data {}` shows", data.display()),
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(unnamed.exists());
    let (shown, lost) = (repair(data, &[]), format!("lost: what requests {first} to {first} of the log had"));
    assert!(shown.contains(&lost) && shown.contains(&format!("would write log/{name}")), "{shown}");
    assert!(refused(data).contains(name));
    let done = repair(data, &["--yes"]);
    assert!(done.contains(&lost) && done.contains(&format!("wrote log/{name}")), "{done}");
    assert_eq!(fs::read(data.join("aside/repair-1/log").join(name)).unwrap(), bytes);
    assert!(repair(data, &["--yes"]).contains("nothing is to be repaired"));
    let server = Server::start(data, &["--seal-after=1ms"]);
    server.wait_sealed();
    assert!(server.stop());
    assert_eq!(fs::read(data.join("aside/unlisted/samples/1.parquet")).unwrap(), b"a file");
    let found: Vec<String> = samples(data).iter().map(|row| row.labels["__name__"].clone()).collect();
    let others = ["m0", "m0", "m1", "m2", "m2"];
    assert!(found == others || found == [&others[..3], &others[2..]].concat(), "{found:?}");
}

fn repair(data: &Path, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remote-write"));
    let output = command.args(["repair", "--data"]).arg(data).args(options).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Starts a server that must not start, and returns what it says.
fn refused(data: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remote-write"));
    let command = command.args(["serve", "--listen=127.0.0.1:0", "--data"]).arg(data).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut said = String::new();
    for line in BufReader::new(process.stderr.take().unwrap()).lines() {
        said.push_str(&line.unwrap());
        said.push('\n');
        if said.contains("listen") {
            process.kill().unwrap();
            process.wait().unwrap();
            panic!("it started: {said}");
        }
    }
    assert!(!process.wait().unwrap().success(), "{said}");
    said
}

/// Without the newest list, or with a damaged one, the server does not know which files are the store's: it deletes none.
#[test]
fn without_its_list_a_store_keeps_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--seal-after=1ms"]);
    for at in 0..2 {
        assert_eq!(server.send(V1, &pack(&one_sample(&format!("m{at}"), now(), 1.0))).unwrap().status, 204);
        server.wait_sealed();
    }
    assert!(server.stop());
    let rows = samples(data);
    let lists: Vec<_> = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
    let lists: Vec<_> = lists.into_iter().filter(|path| path.to_str().unwrap().contains("/manifest-")).collect();
    let number = |path: &PathBuf| path.to_str().unwrap().rsplit('-').next().unwrap().parse::<u64>().unwrap();
    let newest = lists.iter().max_by_key(|path| number(path)).unwrap();
    let whole: Vec<Vec<u8>> = lists.iter().map(|path| fs::read(path).unwrap()).collect();
    let mut damaged = fs::read(newest).unwrap();
    damaged[3] ^= 1;
    fs::write(newest, damaged).unwrap();
    let said = refused(data);
    assert!(said.contains(&format!("{}: the list of files is damaged. Restore it", newest.display())), "{said}");
    fs::remove_file(newest).unwrap();
    let said = refused(data);
    let part = format!("manifest-{} is missing, the newest list of files: manifest-", number(newest));
    assert!(said.contains(&part) && said.contains("is older. Restore it"), "{said}");
    for path in lists.iter().filter(|path| path.exists()) {
        fs::remove_file(path).unwrap();
    }
    let part =
        format!("{}: manifest-{} is missing, the newest list of files. Restore it", data.display(), number(newest));
    let said = refused(data);
    assert!(said.contains(&part), "{said}");
    let copies = ["superblock-a", "superblock-b"].map(|name| (data.join(name), fs::read(data.join(name)).unwrap()));
    copies.iter().for_each(|(path, _)| fs::remove_file(path).unwrap());
    let said = refused(data);
    let part = format!("{}: {}", data.display(), data.join("log").display());
    assert!(said.contains(&part) && said.contains(".log is here, and no manifest"), "{said}");
    copies.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    for (path, bytes) in lists.iter().zip(whole) {
        fs::write(path, bytes).unwrap();
    }
    assert!(Server::start(data, &[]).stop());
    assert_eq!((rows.len(), samples(data)), (2, rows));
}

#[test]
fn a_new_store_takes_no_folder_with_files_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let foreign = data.join("data/trips/2026.parquet");
    fs::create_dir_all(foreign.parent().unwrap()).unwrap();
    fs::write(&foreign, "of somebody else").unwrap();
    let said = refused(data);
    assert!(said.contains(&format!("{}: {} is here", data.display(), foreign.display())), "{said}");
    assert!(said.contains("choose an empty folder") && foreign.exists(), "{said}");
}

/// Not even when somebody took the file `lock` for a stale one.
#[test]
fn a_store_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    assert!(refused(folder.path()).contains("another process uses this store"));
    fs::remove_file(folder.path().join("lock")).unwrap();
    assert!(refused(folder.path()).contains("another process uses this store"));
    assert!(server.stop());
    assert!(Server::start(folder.path(), &[]).stop());
}
