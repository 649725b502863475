//! What a query sees: rows in files, in memory, and on the way from one to the other.

use super::super::common::*;
use super::super::library::mutate::Rng;
use super::super::model::{Series, series};
use super::{ask, command, files, row, rows, send, wait_files};
use remote_write_server::store::gather::STALE;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Senders ask after each of their requests, while rows are sealed and merged all the time: every row that was answered for
/// is seen, and no row twice. Exemplars show that, because equal exemplars are all kept.
#[test]
fn query_sees_all_before_its_start_and_no_row_twice_while_sealing() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(folder.path(), &["--seal-after=20ms", "--merge-files=2", "--workers=2", "--sql-queries=8"]);
    let (begin, time) = (Instant::now(), now());
    let enough = || ["hotpb_rw_seals_total", "hotpb_rw_merged_files_total"].iter().all(|n| server.metric(n) > 10.0);
    std::thread::scope(|scope| {
        for sender in ["a", "b", "c"] {
            let (server, enough) = (&server, &enough);
            scope.spawn(move || {
                let mut sent = 0;
                // On a busy machine a few seconds are too short for what is tested.
                while begin.elapsed() < Duration::from_secs(6) || begin.elapsed() < Duration::from_secs(60) && !enough()
                {
                    let at = time + sent;
                    send(
                        server,
                        &[series("m", &[("sender", sender)]).sample(sent as f64, at).exemplar(&[], sent as f64, at)],
                    );
                    sent += 1;
                    let found = row(
                        server,
                        &format!(
                            "select count(*) as all, count(distinct __value__) as different, max(__value__) as last \
                         from exemplars.m where sender = '{sender}'"
                        ),
                    );
                    assert_eq!(found, json!({ "all": sent, "different": sent, "last": (sent - 1) as f64 }));
                    let found = row(
                        server,
                        &format!("select count(*) as all, sum(__value__) as sum from m where sender = '{sender}'"),
                    );
                    assert_eq!(found, json!({ "all": sent, "sum": (sent * (sent - 1) / 2) as f64 }));
                }
                assert!(sent > 3, "{sent}");
            });
        }
    });
    assert!(enough(), "{}", server.get("/metrics").text);
    assert!(server.stop());
}

/// The last value of a series and time is seen, wherever the values are, and a stale marker never replaces a number.
#[test]
fn the_last_row_of_a_series_and_time_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let options = ["--seal-after=1ms", "--merge-files=100"];
    let time = now() - now() % 3_600_000 + 1_000;
    let stale = f64::from_bits(STALE);
    let value = |series: Series, value| series.sample(value, time);
    let first = || series("m", &[("a", "1")]);
    let second = || series("m", &[("b", "2")]);
    let server = Server::start(data, &options);
    let steps = [
        vec![value(first(), 1.0), value(second(), stale), first().sample(9.0, time + 5)],
        vec![value(first(), 2.0), value(second(), 5.0), value(series("other", &[]), 7.0)],
        vec![value(first(), stale)],
    ];
    for (at, step) in steps.iter().enumerate() {
        send(&server, step);
        server.wait_sealed();
        assert_eq!(files(data, "samples"), at + 1);
    }
    let check = |server: &Server| {
        let all = rows(server, "select a, b, __value__, cast(__time__ as bigint) as t from m order by a, t");
        assert_eq!(
            all,
            [
                json!({ "a": "1", "__value__": 2.0, "t": time }),
                json!({ "a": "1", "__value__": 9.0, "t": time + 5 }),
                json!({ "b": "2", "__value__": 5.0, "t": time }),
            ]
        );
        // A condition on the value finds no row that another one replaced.
        assert_eq!(rows(server, "select a from m where __value__ = 1 or isnan(__value__)"), [] as [Value; 0]);
        assert_eq!(rows(server, "select a from m where a is null and __value__ > 4"), [json!({})]);
        assert_eq!(row(server, "select count(*) as n from store.samples"), json!({ "n": 4 }));
    };
    check(&server);
    assert!(server.stop());
    // One value in memory, over those in files.
    let server = Server::start(data, &["--seal-after=1h", "--merge-files=100"]);
    send(&server, &[value(first(), 3.0)]);
    let found = rows(&server, "select __value__ as v from m where a = '1' order by v");
    assert_eq!(found, [json!({ "v": 3.0 }), json!({ "v": 9.0 })]);
    assert_eq!(command(data, &["--format=csv", "select count(*) as n from m where __value__ = 2"]).stdout, b"n\n1\n");
    send(&server, &[value(first(), 2.0)]);
    check(&server);
    server.kill();
    // Once all files are one.
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1"]);
    server.wait_sealed();
    wait_files(data, "samples", 1);
    check(&server);
    assert!(server.stop());
}

/// A label with the name of a column is in the map, whether its row is in memory or in a file, and the column has what it has.
#[test]
fn labels_with_the_names_of_columns_are_in_the_map() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let time = now() - 10_000;
    let strange = [("__value__", "a"), ("__time__", "b"), ("__labels__", "c"), ("__histogram__", "d"), ("job", "x")];
    let check = |server: &Server, count: usize| {
        let query = "select job, __value__ as v, cast(__time__ as bigint) as t, __labels__ as l from m where job = 'x' order by t";
        let found = rows(server, query);
        assert_eq!(found.len(), count);
        for (at, row) in found.iter().enumerate() {
            let (t, v) = (time + at as i64, at as f64);
            let l = json!({ "__value__": "a", "__time__": "b", "__labels__": "c", "__histogram__": "d" });
            assert_eq!(*row, json!({ "job": "x", "v": v, "t": t, "l": l }));
        }
        assert_eq!(row(server, "select count(*) as n from m where __value__ >= 0"), json!({ "n": count }));
    };
    let sample = |at: i64| series("m", &strange).sample(at as f64, time + at);
    let server = Server::start(data, &["--seal-after=1h"]);
    send(&server, &[sample(0)]);
    check(&server, 1);
    assert!(server.stop());
    let server = Server::start(data, &["--seal-after=1ms"]);
    server.wait_sealed();
    check(&server, 1);
    assert!(server.stop());
    let server = Server::start(data, &["--seal-after=1h"]);
    send(&server, &[sample(1)]);
    check(&server, 2);
}

/// Of labels that differ in case, one is a column and the others are in the map, whether rows are in memory or in files.
#[test]
fn labels_that_differ_in_case_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let time = now() - 10_000;
    let check = |server: &Server| {
        let found = rows(server, "select zone, __labels__['Zone'] as upper from m order by __time__");
        // In JSON, what is null is not there.
        assert_eq!(found, [json!({ "upper": "u" }), json!({ "zone": "l" }), json!({ "zone": "l", "upper": "u" })]);
        let count = "select count(*) as n from m where __labels__['Zone'] = 'u' and zone is null";
        assert_eq!(self::row(server, count), json!({ "n": 1 }));
    };
    let sets: [&[(&str, &str)]; 3] = [&[("Zone", "u")], &[("zone", "l")], &[("Zone", "u"), ("zone", "l")]];
    let sample = |at: usize| series("m", sets[at]).sample(at as f64, time + at as i64);
    let server = Server::start(data, &["--seal-after=1h"]);
    send(&server, &[sample(0), sample(1)]);
    send(&server, &[sample(2)]);
    check(&server);
    assert!(server.stop());
    let server = Server::start(data, &["--seal-after=1ms"]);
    server.wait_sealed();
    check(&server);
    assert!(server.stop());
}

/// Metric, two labels, time.
type Key = (String, String, String, i64);

/// Random rows of many series, in files, in merged files and in memory, are those of a map of the last values.
#[test]
fn any_rows_are_seen_as_in_a_map_of_the_last_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut rng = Rng::new(7);
    let hour = now() - now() % 3_600_000 - 3_600_000;
    let mut expected: BTreeMap<Key, f64> = BTreeMap::new();
    for round in 0..6 {
        let last = round == 5;
        let seal = if last { "--seal-after=1h" } else { "--seal-after=10ms" };
        let server = Server::start(data, &[seal, if round % 2 == 0 { "--merge-files=100" } else { "--merge-files=2" }]);
        for _ in 0..12 {
            let mut all = Vec::new();
            for _ in 0..1 + rng.below(40) {
                let (metric, a, b) = (rng.below(4), rng.below(3), rng.below(4));
                let text = |n: usize| if n == 0 { String::new() } else { format!("{n}") };
                let (metric, a, b) = (format!("m{metric}"), text(a), text(b));
                let time = hour + 1000 * rng.below(4000) as i64;
                let value = if rng.below(10) == 0 { f64::from_bits(STALE) } else { rng.below(1000) as f64 };
                let labels = [("a", a.as_str()), ("b", b.as_str())];
                let labels: Vec<_> = labels.into_iter().filter(|label| !label.1.is_empty()).collect();
                all.push(series(&metric, &labels).sample(value, time));
                let kept = expected.entry((metric, a, b, time)).or_insert(value);
                if value.to_bits() != STALE {
                    *kept = value;
                }
            }
            send(&server, &all);
        }
        if !last {
            server.wait_sealed();
            assert!(server.stop());
            continue;
        }
        let found = rows(
            &server,
            "select __name__ as m, a, b, cast(__time__ as bigint) as t, __value__ as v from store.samples",
        );
        assert_eq!(found.len(), expected.len());
        for row in found {
            let text = |name: &str| row.get(name).map_or("", |value| value.as_str().unwrap()).to_owned();
            let key = (text("m"), text("a"), text("b"), row["t"].as_i64().unwrap());
            // A stale marker is NaN, and so null.
            let value = row["v"].as_f64().unwrap_or(f64::from_bits(STALE));
            assert_eq!(expected[&key].to_bits(), value.to_bits(), "{row}");
        }
        for metric in 0..4 {
            let name = format!("m{metric}");
            let count_of =
                |wanted: &dyn Fn(&Key) -> bool| expected.keys().filter(|key| key.0 == name && wanted(key)).count();
            let count = |condition: &str| {
                row(&server, &format!("select count(*) as n from {name} where {condition}"))["n"].as_u64().unwrap()
                    as usize
            };
            assert_eq!(count("true"), count_of(&|_| true));
            assert_eq!(count("a = '2' and b is null"), count_of(&|key| key.1 == "2" && key.2.is_empty()));
            assert_eq!(count("a <> '2'"), count_of(&|key| key.1 != "2" && !key.1.is_empty()));
            assert_eq!(count("coalesce(a, '') < '2'"), count_of(&|key| *key.1 < *"2"));
            let middle = hour + 2_000_000;
            let time = format!("__time__ < to_timestamp_millis({middle}) and b in ('1', '3')");
            assert_eq!(count(&time), count_of(&|key| key.3 < middle && ["1", "3"].contains(&&*key.2)));
        }
        let files = row(&server, "select count(*) as n, sum(rows) as rows from meta.files where kind = 'samples'");
        assert!(files["n"].as_u64().unwrap() > 1, "{files}");
    }
}

/// Files outside the time that a query asks for are not read.
#[test]
fn conditions_leave_out_files() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1ms", "--merge-files=100"]);
    let hour = now() - now() % 3_600_000;
    for before in 1..4 {
        send(&server, &[series("m", &[("a", "x")]).sample(1.0, hour - before * 3_600_000)]);
        server.wait_sealed();
    }
    let sources = |condition: &str| {
        let plan = ask(&server, &format!("explain select count(*) from m where {condition}")).text;
        let at = plan.find("sources=").unwrap_or_else(|| panic!("{plan}"));
        plan[at + 8..at + 9].parse::<u32>().unwrap()
    };
    assert_eq!(sources("true"), 3);
    assert_eq!(sources(&format!("__time__ >= to_timestamp_millis({})", hour - 7_200_000)), 2);
    assert_eq!(sources(&format!("__time__ = to_timestamp_millis({})", hour - 3_600_000)), 1);
    assert_eq!(sources(&format!("__time__ > to_timestamp_millis({hour})")), 0);
    assert!(server.stop());
}

/// Tables about the store, metadata, exemplars, and labels that have no column of their own.
#[test]
fn other_tables_have_what_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--seal-after=1h", "--max-label-names=400"]);
    let time = now();
    let many: Vec<(String, String)> = (0..300).map(|n| (format!("l{n:03}"), format!("v{n}"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    send(
        &server,
        &[
            series("m", &[("a", "x")]).sample(1.0, time).sample(2.0, time + 5).exemplar(
                &[("trace_id", "t")],
                7.0,
                time,
            ),
            series("m", &[("a", "y")]).sample(1.0, time).metadata(1, "Some help.", "seconds"),
            series("wide", &many).sample(1.0, time),
        ],
    );
    let check = |server: &Server| {
        let found = rows(
            server,
            "select kind, __labels__ as l, cast(first as bigint) as f, cast(last as bigint) as l2, rows as n \
            from meta.series where __name__ = 'm' order by kind desc, rows desc",
        );
        assert_eq!(
            found,
            [
                json!({ "kind": "samples", "l": { "a": "x" }, "f": time, "l2": time + 5, "n": 2 }),
                json!({ "kind": "samples", "l": { "a": "y" }, "f": time, "l2": time, "n": 1 }),
                json!({ "kind": "exemplars", "l": { "a": "x" }, "f": time, "l2": time, "n": 1 }),
            ]
        );
        assert_eq!(
            row(server, "select type, help, unit from store.metadata where __name__ = 'm'"),
            json!({ "type": "counter", "help": "Some help.", "unit": "seconds" })
        );
        assert_eq!(
            row(server, "select a, __exemplar__ as e, __value__ as v from exemplars.m"),
            json!({ "a": "x", "e": { "trace_id": "t" }, "v": 7.0 })
        );
        // All 300 labels have columns, although a file has columns for 256 names.
        assert_eq!(
            row(server, "select l000, l255, l256, l299 from wide where l299 = 'v299' and l000 = 'v0'"),
            json!({ "l000": "v0", "l255": "v255", "l256": "v256", "l299": "v299" })
        );
        assert_eq!(rows(server, "select 1 from wide where l299 = 'v1'"), [] as [Value; 0]);
        let tables = rows(server, "show tables");
        let names: Vec<String> = tables
            .iter()
            .map(|t| format!("{}.{}", t["table_schema"].as_str().unwrap(), t["table_name"].as_str().unwrap()))
            .collect();
        for name in
            ["samples.m", "samples.wide", "exemplars.m", "store.samples", "store.metadata", "meta.files", "meta.series"]
        {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        assert!(!names.contains(&"histograms.m".to_owned()), "{names:?}");
        let columns = rows(server, "show columns from samples.m");
        let columns: Vec<&str> = columns.iter().map(|column| column["column_name"].as_str().unwrap()).collect();
        assert_eq!(columns, ["__name__", "a", "__time__", "__value__", "__start__"]);
        assert_eq!(
            row(server, "select count(*) as n from m, wide where m.__time__ = wide.__time__"),
            json!({ "n": 2 })
        );
    };
    check(&server);
    assert_eq!(rows(&server, "select * from meta.files"), [] as [Value; 0]);
    server.kill();
    let server = Server::start(data, &["--seal-after=1ms"]);
    server.wait_sealed();
    // The metrics' labels in a file that has those of others, too.
    let files = rows(&server, "select kind, rows, bytes from meta.files order by kind");
    let kind_and_rows = |at: usize| (files[at]["kind"].as_str().unwrap(), files[at]["rows"].as_u64().unwrap());
    assert_eq!((0..3).map(kind_and_rows).collect::<Vec<_>>(), [("exemplars", 1), ("metadata", 1), ("samples", 4)]);
    let wide = rows(&server, "show columns from samples.wide");
    assert!(wide.iter().any(|column| column["column_name"] == "__labels__"), "{wide:?}");
    assert!(server.stop());
}

/// A query over a folder goes on while the server deletes the files that it reads.
#[test]
fn the_command_reads_while_files_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--seal-after=1ms", "--merge-files=1"]);
    let (time, done) = (now(), AtomicBool::new(false));
    send(&server, &[series("m", &[]).sample(0.0, time)]);
    server.wait_sealed();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 1..100 {
                send(&server, &[series("m", &[]).sample(at as f64, time + at)]);
                server.wait_sealed();
            }
            done.store(true, Ordering::Relaxed);
        });
        let (mut before, mut queries) = (0, 0);
        while !done.load(Ordering::Relaxed) {
            let output = command(data, &["--format=csv", "select count(*) as n, max(__value__) as v from m"]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8(output.stdout).unwrap();
            let (count, last) = text.lines().nth(1).unwrap().split_once(',').unwrap();
            let count: u64 = count.parse().unwrap();
            assert!(count >= before && count == last.parse::<f64>().unwrap() as u64 + 1, "{text}");
            (before, queries) = (count, queries + 1);
        }
        assert!(queries > 3, "{queries}");
    });
    assert!(server.stop());
}
