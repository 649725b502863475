//! A store of which a file is missing, cut, changed, replaced or swapped: either all rows that were acknowledged can be read, or
//! the server is not ready, says which file it is, and every byte is still there.

use super::common::*;
use super::export::export;
use super::library::mutate::Rng;
use remote_write_server::config::Config;
use remote_write_server::live::Live;
use remote_write_server::options::Repair;
use remote_write_server::repair;
use remote_write_server::server;
use remote_write_server::store::manifest::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// `REMOTE_WRITE_DAMAGES=200` for the long run: the bits that are flipped in each file.
fn flips() -> usize {
    std::env::var("REMOTE_WRITE_DAMAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

/// The files of a folder, by their paths in it. A lock says nothing.
pub type Tree = BTreeMap<PathBuf, Vec<u8>>;

pub fn tree(folder: &Path) -> Tree {
    let (mut found, mut folders) = (Tree::new(), vec![folder.to_owned()]);
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_owned();
            match path.is_dir() {
                true => folders.push(path),
                false if name == Path::new("lock") => (),
                false => _ = found.insert(name, fs::read(path).unwrap()),
            }
        }
    }
    found
}

/// Writes a folder again.
pub fn plant(folder: &Path, files: &Tree) {
    _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("log")).unwrap();
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Tenant, metric and time of a row.
type Acked = BTreeSet<(String, String, i64)>;

/// A store of a server that was killed, earlier states of it, and the rows that it acknowledged.
struct Store {
    now: Tree,
    before: Vec<Tree>,
    acked: Acked,
}

const TENANTS: &str = "--tenant-header=X-Tenant";

impl Store {
    fn make(data: &Path) -> Store {
        let (mut acked, mut before) = (Acked::new(), Vec::new());
        let base = now() / 3_600_000 * 3_600_000;
        let mut time = base;
        let mut send = |server: &Server, tenant: &str, with_bad: bool| {
            time += 1;
            let mut request = one_sample("m", time, 1.0);
            let label = |name: &str, value: &str| v1::Label { name: name.into(), value: value.into() };
            request.timeseries[0].labels.push(label("pad", &format!("{time}").repeat(20)));
            if with_bad {
                request
                    .timeseries
                    .push(v1::TimeSeries { labels: vec![label("", "x")], ..request.timeseries[0].clone() });
            }
            request.metadata.push(v1::MetricMetadata { metric_family_name: "m".into(), ..Default::default() });
            let headers = [("Content-Encoding", "snappy"), ("Content-Type", V1), ("X-Tenant", tenant)];
            let heard = server.send_as(&headers, &pack(&request)).unwrap();
            assert_eq!(heard.status, if with_bad { 400 } else { 204 }, "{heard:?}");
            acked.insert((tenant.to_owned(), "m".to_owned(), time));
        };
        // Some rows are in files, and some in the log.
        for round in 0..3 {
            let server = Server::start(data, &["--seal-after=1ms", "--merge-files=100", TENANTS]);
            for tenant in ["a", "b"] {
                send(&server, tenant, round == 1);
                server.wait_sealed();
            }
            server.kill();
        }
        let server = Server::start(data, &["--seal-after=1h", "--merge-files=100", "--segment=900", TENANTS]);
        for round in 0..9 {
            send(&server, "a", round % 4 == 2);
            if round > 4 {
                before.push(tree(data));
            }
        }
        server.kill();
        Store { now: tree(data), before, acked }
    }

    /// Starts a server over files. Either it says what is damaged, and every byte is still there; then a repair loses nothing more.
    /// Or it is ready, and all rows can be read: then this returns `None`.
    fn start(&self, data: &Path, files: &Tree, why: &str) -> Option<String> {
        plant(data, files);
        let said = match ready(data) {
            Ok(()) => {
                assert_eq!(rows(data), self.acked, "{why}");
                return None;
            }
            Err(said) => said,
        };
        let there = tree(data);
        // The log goes on, and the superblock with it.
        for (name, bytes) in files.iter().filter(|(name, _)| !name.to_str().unwrap().starts_with("superblock")) {
            assert!(there.get(name).is_some_and(|now| now.starts_with(bytes)), "{why}: {}", name.display());
        }
        self.repair(data, files, &format!("{why}: {said}"));
        Some(said)
    }

    /// Repairs a store, and compares what is there then with what the repair says.
    fn repair(&self, data: &Path, files: &Tree, why: &str) {
        plant(data, files);
        let shown = repair(data, false);
        assert_eq!(tree(data), *files, "{why}\n{shown}");
        let said = repair(data, true);
        assert_eq!(said.matches("moved ").count(), shown.matches("would move ").count(), "{why}\n{said}");
        let after: BTreeSet<Vec<u8>> = tree(data).into_values().collect();
        for (name, bytes) in files {
            assert!(after.contains(bytes), "{why}: {} is gone\n{said}", name.display());
        }
        let second = repair(data, true);
        assert!(second.contains("nothing is to be repaired"), "{why}\n{said}\n{second}");
        ready(data).unwrap_or_else(|error| panic!("{why}\n{said}: {error}"));
        let found = rows(data);
        assert!(found.is_subset(&self.acked), "{why}\n{said}");
        let lost = self.acked.len() - found.len();
        // A segment has a few rows.
        assert!(lost <= 8 && (lost == 0 || said.contains("lost: ")), "{why}: {lost} rows\n{said}");
        assert!(lost == 0 || why.contains(".log"), "{why}: {lost} rows\n{said}");
    }
}

/// Tries again while a process that another test starts has the locks of this one.
fn unlocked<T>(mut run: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    for _ in 0..500 {
        match run() {
            Err(why) if why.contains("another process uses this store") => {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
    run()
}

/// Repairs a store, and returns what that says.
fn repair(data: &Path, yes: bool) -> String {
    let run = || {
        let (mut out, data) = (Vec::new(), data.to_owned());
        repair::run(&Repair { data, yes }, &mut out).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    };
    unlocked(run).unwrap_or_else(|error| panic!("{}: {error}", data.display()))
}

/// Starts a server, and writes all rows to files. An error is what it says instead.
pub fn ready(data: &Path) -> Result<(), String> {
    let args = ["remote-write", "serve", "--seal-after=1h", "--merge-files=100", "--workers=1", TENANTS, "--data"];
    let mut args: Vec<OsString> = args.map(OsString::from).to_vec();
    args.push(data.into());
    let config = Config::load(&args).unwrap();
    let before = tree(data);
    let start = || {
        let live = Arc::new(Live::new(&config).unwrap());
        server::Server::start(&config.serve, live, None).map_err(|error| error.to_string())
    };
    let server = match unlocked(start) {
        Ok(server) => server,
        Err(error) => {
            assert_eq!(tree(data), before, "{error}");
            assert!(error.contains("remote-write repair --data"), "{error}");
            return Err(error);
        }
    };
    let ingest = Arc::clone(&server.shared.ingest);
    while ingest.files.checks.round(&ingest.files.manifest(), u64::MAX) > 0 {}
    let damaged = ingest.files.checks.damaged();
    // Only one thread may write rows to files.
    server.stop().unwrap();
    if damaged.is_empty() {
        ingest.files.seal(&ingest.head, &ingest.log).unwrap();
    }
    drop(ingest);
    damaged.first().map_or(Ok(()), |(path, why)| Err(format!("{path}: {why}")))
}

fn rows(data: &Path) -> Acked {
    let keys = |tenant: &str| {
        let rows = samples_in(data, &format!("tenant={tenant}/samples/"));
        rows.into_iter().map(|row| (tenant.to_owned(), row.labels["__name__"].clone(), row.time)).collect::<Vec<_>>()
    };
    ["a", "b"].into_iter().flat_map(keys).collect()
}

/// All kinds of damage to one file.
pub fn damages(files: &Tree, before: &[Tree], name: &Path) -> Vec<(String, Tree)> {
    let whole = &files[name];
    let replaced = |content: &[u8]| {
        let mut changed = files.clone();
        changed.insert(name.to_owned(), content.to_vec());
        changed
    };
    let mut gone = files.clone();
    gone.remove(name);
    let mut all = vec![("gone".to_owned(), gone), ("empty".to_owned(), replaced(&[]))];
    if whole.len() > 1 {
        all.push(("cut by 1".to_owned(), replaced(&whole[..whole.len() - 1])));
        all.push(("cut by half".to_owned(), replaced(&whole[..whole.len() / 2])));
    }
    let mut rng = Rng::new(whole.len() as u64);
    let ends = [0, whole.len().saturating_sub(1)];
    for at in ends.into_iter().chain((0..flips()).map(|_| rng.below(whole.len().max(1)))) {
        let mut flipped = whole.clone();
        if let Some(byte) = flipped.get_mut(at) {
            *byte ^= 1 << (at % 8);
            all.push((format!("a bit of byte {at}"), replaced(&flipped)));
        }
    }
    let older: BTreeSet<&Vec<u8>> = before.iter().filter_map(|before| before.get(name)).collect();
    all.extend(older.into_iter().filter(|old| *old != whole).map(|old| ("an older one".to_owned(), replaced(old))));
    let neighbour = files.keys().find(|found| *found > name && found.parent() == name.parent());
    if let Some(found) = neighbour {
        let mut swapped = replaced(&files[found]);
        swapped.insert(found.clone(), whole.clone());
        all.push((format!("swapped with {}", found.display()), swapped));
    }
    all
}

/// The newest list is gone, and with it the name of a file into which others were merged, whose rows are not in the log any more.
#[test]
fn an_older_list_is_completed_by_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let start = now() / 3_600_000 * 3_600_000;
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1000", "--segment=1"]);
    let send = |server: &Server, metric: &str, at: i64| {
        assert_eq!(server.send(V1, &pack(&one_sample(metric, start + at, 1.0))).unwrap().status, 204);
        server.wait_sealed();
    };
    (0..4).for_each(|at| send(&server, "m", at));
    assert!(server.stop());
    date_segments(data, -3_600_000);
    // The start deletes segments, and the merge files.
    let before = tree(data);
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1"]);
    server.wait_said("\"merged\"");
    let merged = Manifest::read(data).unwrap().unwrap();
    send(&server, "later", 9);
    server.kill();
    assert_eq!(merged.files.len(), 1);
    let all = samples(data);
    assert_eq!(all.len(), 5);
    let newest = Manifest::read(data).unwrap().unwrap().number;
    let is_list = |name: &&PathBuf| name.to_str().unwrap().starts_with("manifest-");
    tree(data).keys().filter(is_list).for_each(|name| fs::remove_file(data.join(name)).unwrap());
    let old = before.keys().rfind(is_list).unwrap().to_str().unwrap();
    fs::write(data.join(old), &before[Path::new(old)]).unwrap();
    // A crash had left one of the files that were merged.
    let left = before.iter().find(|(name, _)| name.starts_with("data/samples")).unwrap();
    fs::write(data.join(left.0), left.1).unwrap();
    let files = tree(data);
    let said = ready(data).unwrap_err();
    assert!(
        said.contains(&format!("manifest-{newest} is missing, the newest list of files: {old} is older")),
        "{said}"
    );
    assert_eq!(tree(data), files);
    let said = repair(data, true);
    assert!(said.contains("no row is lost") && said.contains("a merged file has its rows"), "{said}");
    assert_eq!(fs::read(data.join("aside/repair-1").join(left.0)).unwrap(), *left.1);
    ready(data).unwrap();
    // The log has some of the rows, too, and so two files until they are merged.
    let mut found = samples(data);
    found.dedup();
    assert_eq!(found, all, "{said}");
}

/// A store of a server that knew no superblock and no checksums, and a copy that was downloaded, go on, and have both then.
#[test]
fn a_store_without_a_superblock_begins_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let options = ["--seal-after=1ms", "--merge-files=1000"];
    let send = |at: i64| {
        let server = Server::start(data, &options);
        assert_eq!(server.send(V1, &pack(&one_sample("m", now() - at, 1.0))).unwrap().status, 204);
        server.wait_sealed();
        server.kill();
    };
    send(3);
    let mut old = Manifest::read(data).unwrap().unwrap();
    old.superblocks = false;
    old.files.iter_mut().for_each(|file| file.sums = None);
    old.number += 1;
    old.write(data).unwrap();
    for name in ["superblock-a", "superblock-b"] {
        fs::remove_file(data.join(name)).unwrap();
    }
    ready(data).unwrap();
    send(2);
    let new = Manifest::read(data).unwrap().unwrap();
    assert_eq!((new.superblocks, new.files[0].sums, new.files[1].sums.is_some()), (true, None, true));
    // From now on it is missed.
    let files = tree(data);
    for name in ["superblock-a", "superblock-b"] {
        fs::remove_file(data.join(name)).unwrap();
    }
    let said = ready(data).unwrap_err();
    assert!(said.contains("superblock-a is missing, superblock-b is missing"), "{said}");
    plant(data, &files);
    ready(data).unwrap();
    assert_eq!(samples(data).len(), 2);
}

/// A crash left files that were merged, and the disk damages what they became: they are the last with these rows.
#[test]
fn merged_files_stay_while_the_new_one_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let start = now() / 3_600_000 * 3_600_000;
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1000"]);
    for at in 0..3 {
        assert_eq!(server.send(V1, &pack(&one_sample("m", start + at, 1.0))).unwrap().status, 204);
        server.wait_sealed();
    }
    assert!(server.stop());
    let before = tree(data);
    let server = Server::start(data, &["--merge-files=1"]);
    server.wait_said("\"merged\"");
    assert!(server.stop());
    let merged = Manifest::read(data).unwrap().unwrap().files;
    for (name, bytes) in before.iter().filter(|(name, _)| name.starts_with("data")) {
        fs::write(data.join(name), bytes).unwrap();
    }
    let place = data.join("data").join(&merged[0].path);
    let whole = fs::read(&place).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    fs::write(&place, &flipped).unwrap();
    // The log would have the rows, too.
    date_segments(data, -3_600_000);
    let files = tree(data);
    assert!(ready(data).unwrap_err().starts_with(&merged[0].path));
    let left = |there: Tree| there.into_keys().filter(|name| name.starts_with("data")).count();
    assert_eq!((merged.len(), left(tree(data))), (1, 4));
    // Repaired, it goes on with the files that were merged.
    let said = repair(data, true);
    ready(data).unwrap_or_else(|error| panic!("{said}{error}"));
    assert!(said.contains("no row is lost"), "{said}");
    assert_eq!(samples(data).len(), 3, "{said}");
    // Restored, it needs them no more.
    plant(data, &files);
    fs::write(&place, &whole).unwrap();
    ready(data).unwrap();
    assert_eq!((samples(data).len(), left(tree(data))), (3, 1));
}

/// A folder in memory, where the system has one: a thousand stores are written and synced.
pub fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The server says which file is damaged, goes on with the others, and is ready again when somebody has restored it.
#[test]
fn a_damaged_file_stops_nothing_but_readiness() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let start = now() / 3_600_000 * 3_600_000;
    let options = ["--seal-after=1ms", "--merge-files=1000"];
    let send = |server: &Server, at: i64| {
        assert_eq!(server.send(V1, &pack(&one_sample("m", start + at, 1.0))).unwrap().status, 204);
        server.wait_sealed();
    };
    let server = Server::start(data, &options);
    (0..3).for_each(|at| send(&server, at));
    assert_eq!(server.get("/-/ready").status, 200);
    assert!(server.stop());
    let files = Manifest::read(data).unwrap().unwrap().files;
    let path = &files[1].path;
    let place = data.join("data").join(path);
    let whole = fs::read(&place).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 3] ^= 4;
    let cases: [(Option<&[u8]>, &str); 4] = [
        (None, "it is missing"),
        (Some(&whole[..whole.len() - 1]), "bytes instead of"),
        (Some(&[]), "it has 0 bytes instead of"),
        (Some(&flipped), "the checksum of its footer, from byte "),
    ];
    for (number, (bytes, why)) in (1..).zip(cases) {
        fs::remove_file(&place).unwrap();
        if let Some(bytes) = bytes {
            fs::write(&place, bytes).unwrap();
        }
        let server = Server::start(data, &options);
        for part in [path, why] {
            server.wait_said(part);
        }
        let heard = server.get("/-/ready");
        assert_eq!(heard.status, 503, "{heard:?}");
        // It asks for no credentials, so it names no tenant.
        assert_eq!(heard.text, "1 file is damaged; the server's log says which\n");
        assert_eq!(server.metric("hotpb_rw_damaged_files"), 1.0);
        send(&server, 100 + number);
        // An export that would lack rows has no end.
        assert!(export(&server, "", &[]).is_err());
        assert_eq!(bytes.map(<[u8]>::to_vec), fs::read(&place).ok());
        fs::write(&place, &whole).unwrap();
        server.wait_said("the file is whole again");
        let heard = server.get("/-/ready");
        assert_eq!((heard.status, server.metric("hotpb_rw_damaged_files")), (200, 0.0), "{heard:?}");
        assert!(export(&server, "", &[]).is_ok());
        assert!(server.stop());
        let times: Vec<i64> = samples(data).iter().map(|row| row.time - start).collect();
        assert_eq!(times, (0..3).chain((1..=number).map(|n| 100 + n)).collect::<Vec<_>>());
    }
}

/// Each file, and each kind of damage.
#[test]
fn no_damage_of_one_file_loses_a_row_silently() {
    let folder = in_memory();
    let store = Store::make(&folder.path().join("made"));
    let data = folder.path().join("data");
    assert_eq!(store.start(&data, &store.now, "whole"), None);
    let count = |part: &str| store.now.keys().filter(|name| name.to_str().unwrap().contains(part)).count();
    let counts = ["manifest-", "superblock-", ".parquet", ".log"].map(count);
    assert!(counts[..2] == [2, 2] && counts[2] >= 8 && counts[3] >= 5, "{counts:?}: {:?}", store.now.keys());
    let (mut refused, mut started) = (BTreeMap::<String, u32>::new(), 0);
    for name in store.now.keys() {
        for (what, files) in damages(&store.now, &store.before, name) {
            let why = format!("{} {what}", name.display());
            match store.start(&data, &files, &why) {
                None => started += 1,
                Some(said) => {
                    let name = name.file_name().unwrap().to_str().unwrap();
                    let kind = what.split_once(" of").map_or(&*what, |parts| parts.0);
                    // A swap is two faults, and either may be named.
                    assert!(said.contains(name) || what.starts_with("swapped"), "{why}: {said}");
                    *refused.entry(kind.split(" with").next().unwrap().to_owned()).or_default() += 1;
                }
            }
        }
    }
    println!("refused: {refused:?}, started with all rows: {started}");
    assert!(started > 0 && refused.len() >= 7, "{refused:?}");
    let listed = Manifest::read(&data).unwrap().unwrap();
    assert!(listed.superblocks);
}
