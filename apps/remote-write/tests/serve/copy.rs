//! Copies of the files in an object store. The tests copy to a folder; REMOTE_WRITE_COPY_TEST names another place, such as
//! `s3://bucket` (check-copy.sh).

use super::common::*;
use futures_util::TryStreamExt;
use object_store::path::Path as Place;
use object_store::{ObjectStore, ObjectStoreExt, parse_url_opts};
use remote_write_server::store::manifest::Manifest;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A place for copies, and what is in it.
struct Copies {
    url: url::Url,
    store: Box<dyn ObjectStore>,
    prefix: Place,
    runtime: tokio::runtime::Runtime,
}

impl Copies {
    /// Opens the place of this name: below `folder`, unless the environment says otherwise.
    fn new(folder: &Path, name: &str) -> Copies {
        let base = std::env::var("REMOTE_WRITE_COPY_TEST").unwrap_or(format!("file://{}", folder.display()));
        let url: url::Url = format!("{base}/{name}").parse().unwrap();
        let options = std::env::vars().map(|(name, value)| (name.to_ascii_lowercase(), value));
        let (store, prefix) = parse_url_opts(&url, options.filter(|(name, _)| name.starts_with("aws_"))).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        Copies { url, store, prefix, runtime }
    }

    fn option(&self) -> String {
        format!("--copy-to={}", self.url)
    }

    /// Returns the objects below the prefix, with their contents.
    fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        self.runtime.block_on(async {
            let listed: Vec<_> = self.store.list(Some(&self.prefix)).try_collect().await.unwrap();
            let mut objects = BTreeMap::new();
            for object in listed {
                let parts: Vec<_> = object.location.prefix_match(&self.prefix).unwrap().collect();
                let name = parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
                // One may be deleted in between.
                if let Ok(found) = self.store.get(&object.location).await {
                    objects.insert(name, found.bytes().await.unwrap().to_vec());
                }
            }
            objects
        })
    }

    /// Returns whether the place has the files of the store's manifest, the manifest, and nothing else.
    fn is_copy_of(&self, data: &Path) -> bool {
        let Ok(Some(manifest)) = Manifest::read(data) else { return false };
        let objects = self.objects();
        let same = |file: &remote_write_server::store::manifest::File| {
            let there = std::fs::read(data.join("data").join(&file.path)).ok();
            there.is_some() && objects.get(&format!("data/{}", file.path)) == there.as_ref()
        };
        // The next server of a copy begins its superblock.
        let listed = Manifest { superblocks: false, ..manifest.clone() }.encode().unwrap();
        objects.get(&format!("manifest-{}", manifest.number)) == Some(&listed)
            && objects.len() == manifest.files.len() + 2
            && manifest.files.iter().all(same)
    }
}

fn wait(name: &str, mut done: impl FnMut() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it did not happen: {name}");
}

/// A name with all characters that a tenant may have.
const TENANT: &str = "Team-1!_.*'()";

fn send(server: &Server, time: i64) {
    send_as(server, &[], time);
}

fn send_as(server: &Server, headers: &[(&str, &str)], time: i64) {
    let label = |name: &str, value: &str| v1::Label { name: name.into(), value: value.into() };
    let series = v1::TimeSeries {
        labels: vec![label("__name__", "copied")],
        samples: vec![v1::Sample { value: 1.0, timestamp: time }],
        ..Default::default()
    };
    let body = pack(&v1::WriteRequest { timeseries: vec![series], ..Default::default() });
    let mut all = vec![("Content-Type", V1), ("Content-Encoding", "snappy")];
    all.extend_from_slice(headers);
    assert_eq!(server.send_as(&all, &body).unwrap().status, 204);
    server.wait_sealed();
}

#[test]
fn the_place_has_the_files_of_the_store_through_merges_kills_and_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let (data, there) = (folder.path().join("data"), folder.path().join("there"));
    std::fs::create_dir(&there).unwrap();
    let copies = Copies::new(&there, "merges");
    let option = copies.option();
    let options = ["--seal-after=1ms", "--merge-files=2", "--tenant-header=X-Scope-OrgID", &option];
    let begin = now() - 3_600_000;
    for round in 0..3 {
        let server = Server::start(&data, &options);
        for request in 0..6 {
            send_as(&server, &[("X-Scope-OrgID", ["a", TENANT][request as usize % 2])], begin + round * 100 + request);
        }
        wait("the files are copied", || copies.is_copy_of(&data));
        let metrics = server.get("/metrics").text;
        assert!(metrics.contains("hotpb_rw_copy_failures_total 0\n"), "{metrics}");
        assert!(metrics.contains("hotpb_rw_copy_behind_files 0\n"), "{metrics}");
        // Some more, which a kill keeps from being copied.
        send_as(&server, &[("X-Scope-OrgID", TENANT)], begin + round * 100 + 50);
        server.kill();
    }
    let server = Server::start(&data, &options);
    wait("the rest is copied", || copies.is_copy_of(&data));
    assert!(server.stop());
    // The copy is a store: a server that gets it has the same rows.
    let restored = folder.path().join("restored");
    for (name, bytes) in copies.objects() {
        let path = restored.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let all = |data: &Path| samples_in(data, "");
    assert_eq!(all(&restored), all(&data));
    assert_eq!(all(&restored).len(), 21);
    let server = Server::start(&restored, &options[..3]);
    send_as(&server, &[("X-Scope-OrgID", TENANT)], begin + 1000);
    assert!(server.stop());
    assert_eq!(all(&restored).len(), 22);
}

#[test]
fn another_store_does_not_get_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    std::fs::create_dir(&there).unwrap();
    let copies = Copies::new(&there, "claimed");
    // Objects of somebody else are neither deleted nor mixed with ours.
    let foreign = Copies::new(&there, "foreign");
    let photo = Place::parse("data/photo").unwrap().parts().fold(foreign.prefix.clone(), Place::join);
    foreign.runtime.block_on(foreign.store.put(&photo, "a photo".into())).unwrap();
    let third = folder.path().join("third");
    let server = Server::start(&third, &["--seal-after=1ms", &foreign.option()]);
    send(&server, now());
    server.wait_said("the place is not empty");
    assert!(server.stop());
    assert_eq!(foreign.objects().into_keys().collect::<Vec<_>>(), ["data/photo"]);
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let server = Server::start(&first, &["--seal-after=1ms", &copies.option()]);
    send(&server, now());
    wait("the files are copied", || copies.is_copy_of(&first));
    assert!(server.stop());
    let before = copies.objects();
    let server = Server::start(&second, &["--seal-after=1ms", &copies.option()]);
    server.wait_said("the place has the files of another store");
    send(&server, now());
    assert!(server.stop());
    assert_eq!(copies.objects(), before);
    assert_eq!(samples(&second).len(), 1, "the server takes rows all the same");
}

#[test]
fn a_place_that_is_not_there_costs_no_row_and_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (data, there) = (folder.path().join("data"), folder.path().join("there"));
    // A file where the folder should be.
    std::fs::write(&there, "in the way").unwrap();
    let url: url::Url = format!("file://{}/place", there.display()).parse().unwrap();
    let server = Server::start(&data, &["--seal-after=1ms", &format!("--copy-to={url}")]);
    send(&server, now());
    server.wait_said("files could not be copied");
    std::fs::remove_file(&there).unwrap();
    wait("the file is copied", || there.join("place/data/samples").exists());
    assert!(server.stop());
    for bad in ["--copy-to=", "--copy-to=ftp://host/", "--copy-to=s3://"] {
        let ended = std::process::Command::new(env!("CARGO_BIN_EXE_remote-write"))
            .args(["serve", "--listen=127.0.0.1:0", bad, "--data"])
            .arg(folder.path().join("none"))
            .output()
            .unwrap();
        assert!(!ended.status.success(), "{bad}");
    }
}
