//! Small files become large ones, and old ones go.

use super::common::*;
use super::model::{request_v2, series};
use super::stored::{bits, map, read};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use remote_write_server::store::columns::fixed_fields;
use remote_write_server::store::gather::Kind;
use remote_write_server::store::manifest::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

const HOUR: i64 = 3_600_000;
const OPTIONS: &[&str] = &["--seal-after=1ms", "--merge-files=2", "--accept-past=99999d"];

fn sample(metric: &str, labels: &[(&str, &str)], time: i64, value: f64) -> v1::TimeSeries {
    let names = [("__name__", metric)].into_iter().chain(labels.iter().copied());
    v1::TimeSeries {
        labels: names.map(|(name, value)| v1::Label { name: name.into(), value: value.into() }).collect(),
        samples: vec![v1::Sample { value, timestamp: time }],
        ..Default::default()
    }
}

fn send(server: &Server, timeseries: Vec<v1::TimeSeries>) {
    let heard = server.send(V1, &pack(&v1::WriteRequest { timeseries, ..Default::default() })).unwrap();
    assert_eq!(heard.status, 204, "{heard:?}");
    server.wait_sealed();
}

fn paths(data: &Path, kind: &str) -> Vec<String> {
    let manifest = Manifest::read(data).unwrap().unwrap();
    manifest.files.into_iter().map(|file| file.path).filter(|path| path.starts_with(kind)).collect()
}

/// Returns all files of a kind that are on the disk.
fn on_disk(data: &Path, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![data.join("data").join(kind)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path.strip_prefix(data.join("data")).unwrap().to_str().unwrap().to_owned()),
            }
        }
    }
    found.sort();
    found
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

/// A sender may call a label as we call a column: the label is in the map then, in files of each kind, also after a merge, and in
/// an export.
#[test]
fn labels_with_the_names_of_columns_are_in_the_map() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let start = now() / HOUR * HOUR;
    let names: BTreeSet<String> = Kind::ALL
        .into_iter()
        .flat_map(fixed_fields)
        .map(|field| field.name().clone())
        .chain(["__labels__", "__histogram__", "__TIME__"].map(str::to_owned))
        .collect();
    let strange: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "mine")).collect();
    let group = |name: &str, at: i64| {
        let job = [("job", "x")];
        let time = start + at;
        let series = |kind: &str| series(&format!("{kind}_{name}"), &[&strange[..], &job].concat());
        let histogram = v2::Histogram {
            count: Some(v2::histogram::Count::CountInt(0)),
            zero_count: Some(v2::histogram::ZeroCount::ZeroCountInt(0)),
            timestamp: time,
            ..Default::default()
        };
        request_v2(&[
            series("s").started_sample(at as f64, time, time - 1),
            series("h").histogram(histogram),
            series("e").exemplar(&strange[..1], at as f64, time),
        ])
    };
    let check = |files: usize| {
        for kind in Kind::ALL.map(Kind::name) {
            assert_eq!(paths(data, kind).len(), files, "{kind}");
            for batch in batches(data, kind) {
                let fields = batch.schema().fields().clone();
                let columns: BTreeSet<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                assert_eq!(columns.len(), fields.len(), "{kind}: {fields:?}");
                assert!(columns.contains("job") && !columns.contains("__TIME__"));
            }
            let rows = read(data, kind);
            assert_eq!(rows.len(), 2);
            for (at, row) in (1..).zip(&rows) {
                assert_eq!((&row["__labels__"], row["job"].as_str()), (&map(strange.iter().copied()), "x"));
                assert_eq!(row["__time__"], (start + at).to_string());
            }
        }
        let values = |kind: &str| read(data, kind).iter().map(|row| row["__value__"].clone()).collect::<Vec<_>>();
        assert_eq!((values("samples"), values("exemplars")), (vec![bits(1.0), bits(2.0)], vec![bits(1.0), bits(2.0)]));
        assert!(read(data, "exemplars").iter().all(|row| row["__exemplar__"] == map(strange[..1].iter().copied())));
    };
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1000"]);
    for (name, at) in [("a", 1), ("b", 2)] {
        assert_eq!(server.send(V2, &snappy(&group(name, at))).unwrap().status, 204);
        server.wait_sealed();
    }
    check(2);
    assert!(server.stop());
    let server = Server::start(data, &["--merge-files=1"]);
    wait("one file of each kind", || Kind::ALL.iter().all(|kind| paths(data, kind.name()).len() == 1));
    check(1);
    let exported = super::export::export(&server, "", &[]).unwrap().2;
    let labels: Vec<String> = super::export::labels(&exported);
    let all: Vec<(&str, &str)> = strange.iter().copied().chain([("job", "x")]).collect();
    assert_eq!(labels, [map(all.iter().copied()), map(all)]);
    assert!(server.stop());
}

/// Engines that do not distinguish upper and lower case read `Zone` of one file and `zone` of another as one column. So only the
/// spelling in lower case is a column, in each file, before and after merges and starts.
#[test]
fn labels_that_differ_in_case_share_no_column() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let start = now() / HOUR * HOUR;
    let sets: [&[(&str, &str)]; 5] = [
        &[("Zone", "upper"), ("job", "a")],
        &[("job", "b"), ("zone", "lower")],
        &[("ZONE", "all"), ("Zone", "upper"), ("job", "c"), ("zone", "lower")],
        &[("job", "d"), ("σας", "end")],
        &[("job", "e"), ("ΣΑΣ", "upper"), ("σασ", "inner")],
    ];
    let expected: Vec<Row> = sets
        .iter()
        .zip(1..)
        .map(|(labels, at)| {
            let labels =
                labels.iter().chain(&[("__name__", "m")]).map(|(n, v)| (n.to_string(), v.to_string())).collect();
            Row { labels, time: start + at, value: (at as f64).to_bits() }
        })
        .collect();
    let check = |files: usize| {
        assert_eq!(paths(data, "samples").len(), files);
        let columns = |batch: &arrow_array::RecordBatch| -> BTreeSet<String> {
            let fields = batch.schema().fields().clone();
            fields.iter().map(|field| field.name().clone()).filter(|name| !name.starts_with("__")).collect()
        };
        let columns: BTreeSet<String> = batches(data, "samples").iter().flat_map(columns).collect();
        assert_eq!(columns, BTreeSet::from(["job", "zone", "σασ"].map(str::to_owned)));
        let mut rows = samples(data);
        rows.sort_by_key(|row| row.time);
        assert_eq!(rows, expected);
    };
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1000"]);
    for (labels, at) in sets[..3].iter().zip(1..) {
        send(&server, vec![sample("m", labels, start + at, at as f64)]);
    }
    assert!(server.stop());
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1000"]);
    for (labels, at) in sets.iter().zip(1..).skip(3) {
        send(&server, vec![sample("m", labels, start + at, at as f64)]);
    }
    check(5);
    assert!(server.stop());
    let server = Server::start(data, &["--merge-files=1"]);
    wait("one file", || paths(data, "samples").len() == 1);
    check(1);
    assert!(server.stop());
}

/// The rows of an hour, whatever their labels, are the same before and after, sorted, and in one file; of two samples of a
/// series and time the later one stays, but a stale marker replaces no number.
#[test]
fn small_files_of_an_hour_become_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let stale = f64::from_bits(0x7ff0_0000_0000_0002);
    let start = (now() / HOUR - 9) * HOUR;
    // Labels beyond those that have a column are in a map.
    let names: Vec<String> = (0..150).map(|n| format!("label_{n:03}")).collect();
    let wide =
        |from: usize| -> Vec<(&str, &str)> { names[from..from + 60].iter().map(|n| (n.as_str(), "x")).collect() };
    let parts: Vec<Vec<v1::TimeSeries>> = vec![
        vec![
            sample("b", &[], start + 5, 1.0),
            sample("b", &[("job", "x")], start + 5, 2.0),
            sample("a", &[("job", "x"), ("zone", "1")], start + 9, 3.0),
            sample("same", &[], start + 1, 4.0),
            sample("gone", &[], start + 1, 4.5),
            sample("other hour", &[], start + HOUR, 5.0),
        ],
        vec![
            sample("b", &[("job", "x")], start + 4, 6.0),
            sample("a", &[("zone", "1"), ("job", "x")], start + 7, 7.0),
            sample("a", &[("code", "é")], start + 7, 8.0),
            sample("same", &[], start + 1, 9.0),
            sample("gone", &[], start + 1, stale),
            sample("gone", &[], start + 2, stale),
        ],
        vec![sample("wide", &wide(0), start, 10.0), sample("wide", &wide(50), start, 11.0)],
        vec![sample("wide", &wide(90), start, 12.0), sample("wide", &wide(50), start + 1, 13.0)],
        (0..300)
            .map(|n| sample(&format!("many_{}", n / 100), &[(&format!("name_{n}"), "v")], start + n, n as f64))
            .collect(),
        (0..300)
            .map(|n| sample(&format!("many_{}", n / 100), &[(&format!("name_{n}"), "v")], start - 1 + n, n as f64))
            .collect(),
    ];
    let mut expected = BTreeMap::new();
    for series in parts.iter().flatten() {
        let labels: BTreeMap<String, String> =
            series.labels.iter().map(|l| (l.name.clone(), l.value.clone())).collect();
        let (time, value) = (series.samples[0].timestamp, series.samples[0].value.to_bits());
        match value == stale.to_bits() {
            true => _ = expected.entry((labels, time)).or_insert(value),
            false => _ = expected.insert((labels, time), value),
        }
    }
    let server = Server::start(data, &[OPTIONS, &["--merge-files=1000"]].concat()[..]);
    for part in parts {
        send(&server, part);
    }
    // The hour is over, so its files are merged whatever their number.
    let single =
        |data: &Path| paths(data, "samples/").len() == 3 && on_disk(data, "samples") == sorted(paths(data, "samples/"));
    wait("three files, of three hours", || single(data));
    let metrics = server.get("/metrics").text;
    assert!(metrics.contains("hotpb_rw_duplicates_total{kind=\"conflicting\"} 2"), "{metrics}");
    assert!(server.stop());
    let found = samples(data);
    assert_eq!(found.len(), expected.len());
    for row in &found {
        assert_eq!(expected.get(&(row.labels.clone(), row.time)), Some(&row.value), "{row:?}");
    }
    for batch in batches(data, "samples/") {
        let rows = rows_of(&batch, "__value__");
        let series = |row: &Row| {
            let mut labels = row.labels.clone();
            (labels.remove("__name__"), labels.into_iter().collect::<Vec<_>>(), row.time)
        };
        assert!(rows.is_sorted_by_key(series), "rows are not sorted");
    }
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths
}

/// Histograms, exemplars and metadata are merged, too, and nothing of them is lost.
#[test]
fn all_kinds_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let start = (now() / HOUR - 9) * HOUR;
    let request = |n: i64| {
        let symbols = ["", "__name__", "m", "trace_id", "t1", "help"].map(str::to_owned).to_vec();
        let histogram = v2::Histogram {
            count: Some(v2::histogram::Count::CountInt(3)),
            zero_count: Some(v2::histogram::ZeroCount::ZeroCountInt(1)),
            sum: n as f64,
            positive_spans: vec![v2::BucketSpan { offset: n as i32, length: 2 }],
            positive_deltas: vec![1, 0],
            timestamp: start + n,
            ..Default::default()
        };
        let exemplar = v2::Exemplar { labels_refs: vec![3, 4], value: n as f64, timestamp: start + n };
        let metadata = v2::Metadata { r#type: 1 + n as i32 % 2, help_ref: 5, unit_ref: 0 };
        let series = v2::TimeSeries {
            labels_refs: vec![1, 2],
            histograms: vec![histogram],
            exemplars: vec![exemplar],
            metadata: Some(metadata),
            ..Default::default()
        };
        pack(&v2::Request { symbols, timeseries: vec![series] })
    };
    let server = Server::start(data, OPTIONS);
    for n in 0..5 {
        assert_eq!(server.send(V2, &request(n)).unwrap().status, 204);
        server.wait_sealed();
    }
    wait("one file of histograms and exemplars, and few of metadata", || {
        paths(data, "histograms/").len() == 1
            && paths(data, "exemplars/").len() == 1
            && paths(data, "metadata/").len() <= 2
    });
    assert!(server.stop());
    let sums: Vec<f64> =
        rows_of(&batches(data, "histograms/")[0], "__sum__").iter().map(|r| f64::from_bits(r.value)).collect();
    assert_eq!(sums, [0.0, 1.0, 2.0, 3.0, 4.0]);
    let histograms = &batches(data, "histograms/")[0];
    let offsets = histograms.column_by_name("__positive_offsets__").unwrap().as_list::<i32>();
    let offset = |row: usize| offsets.value(row).as_primitive::<arrow_array::types::Int32Type>().value(0);
    assert_eq!((0..5).map(offset).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    let exemplars = &batches(data, "exemplars/")[0];
    let own = exemplars.column_by_name("__exemplar__").unwrap().as_map();
    assert_eq!((own.len(), own.values().as_string::<i32>().value(4)), (5, "t1"));
    let types: Vec<String> = batches(data, "metadata/").iter().map(|batch| format!("{:?}", batch.column(1))).collect();
    assert!(types.concat().contains("counter") && types.concat().contains("gauge"), "{types:?}");
}

#[test]
fn files_that_are_older_than_the_retention_go() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let (old, new) = ((now() / HOUR - 50) * HOUR, now());
    let server = Server::start(data, &[OPTIONS, &["--tenant-header=X-Tenant"]].concat()[..]);
    let send = |server: &Server, tenant: &str, time: i64| {
        let headers = [("Content-Encoding", "snappy"), ("X-Tenant", tenant)];
        assert_eq!(server.send_as(&headers, &pack(&one_sample("m", time, 1.0))).unwrap().status, 204);
    };
    for (tenant, time) in [("a", old), ("a", new), ("b", old)] {
        send(&server, tenant, time);
    }
    server.wait_sealed();
    assert_eq!(on_disk(data, "").len(), 3);
    assert!(server.stop());
    let server = Server::start(data, &[OPTIONS, &["--tenant-header=X-Tenant", "--retention=49h"]].concat()[..]);
    wait("the old files are gone", || on_disk(data, "").len() == 1);
    assert_eq!(paths(data, "tenant=a/").len(), 1);
    wait("an empty folder is gone", || !data.join("data/tenant=b").exists());
    assert!(server.get("/metrics").text.contains("hotpb_rw_expired_files_total 2"));
    assert!(server.stop());
    let server = Server::start(data, OPTIONS);
    let status = server.get("/api/v1/status").text;
    assert!(status.contains("\"tenants\":{\"count\":1"), "{status}");
}

/// What would be deleted at once is refused: an answer of 2xx says that the rows are there.
#[test]
fn rows_that_are_older_than_the_retention_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--retention=1h", "--accept-past=9d"]);
    let hour = 3_600_000;
    for (age, status) in [(hour / 2, 204), (2 * hour, 400)] {
        let heard = server.send(V1, &pack(&one_sample("m", now() - age, 1.0))).unwrap();
        assert_eq!((heard.status, heard.text.contains("a timestamp is too old")), (status, status == 400), "{heard:?}");
    }
}

/// Without rows there is nothing to write, however soon rows come into files.
#[test]
fn rows_come_into_files_at_once_and_only_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=0s"]);
    send(&server, vec![sample("m", &[("n", "x")], now(), 1.0)]);
    server.wait_said("\"sealed\"");
    // The server looks for rows every 50 ms.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!((server.metric("hotpb_rw_seals_total"), server.said("\"sealed\"")), (1.0, 1));
}

/// A crash after the new file was written, and one before the old ones were deleted: the rows are there once.
#[test]
fn a_crash_while_files_are_merged_changes_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1000"]);
    let time = now();
    for n in 0..4 {
        send(&server, vec![sample("m", &[("n", "x")], time - n, n as f64)]);
    }
    assert!(server.stop());
    let (before, rows) = (sorted(paths(data, "samples/")), samples(data));
    assert_eq!((before.len() >= 4, rows.len()), (true, 4));
    let saved: Vec<Vec<u8>> = before.iter().map(|path| std::fs::read(data.join("data").join(path)).unwrap()).collect();
    // A manifest cannot be written, so the merged file is there, and the list does not name it.
    let obstacle = data.join("manifest.part");
    std::fs::create_dir(&obstacle).unwrap();
    let server = Server::start(data, &["--seal-after=1h", "--merge-files=1"]);
    server.wait_said("files could not be merged");
    server.kill();
    assert_eq!(
        (on_disk(data, "samples").len() > before.len(), sorted(paths(data, "samples/"))),
        (true, before.clone())
    );
    std::fs::remove_dir(&obstacle).unwrap();
    let server = Server::start(data, &["--merge-files=1000"]);
    assert_eq!((on_disk(data, "samples"), samples(data)), (before.clone(), rows.clone()));
    server.kill();
    let server = Server::start(data, &["--merge-files=1"]);
    // The samples are of one hour or of two.
    wait("a file for each hour", || {
        on_disk(data, "samples").len() < before.len() && on_disk(data, "samples").len() <= 2
    });
    server.kill();
    // The kill may have come between two deletions, so the list says what there is, not the folder.
    let after = sorted(paths(data, "samples/"));
    for (path, bytes) in before.iter().zip(saved) {
        std::fs::write(data.join("data").join(path), bytes).unwrap();
    }
    let server = Server::start(data, &["--merge-files=1000"]);
    assert_eq!((on_disk(data, "samples"), samples(data)), (after, rows));
    server.kill();
}
