//! Queries: who may ask what, and how the answers look.

mod functions;
mod rows;

use super::common::*;
use super::model::{Series, request_v2, series};
use remote_write_server::store::manifest::Manifest;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn ask(server: &Server, query: &str) -> Heard {
    server.post_text("/api/v1/sql", &[("Content-Type", "text/plain")], query)
}

/// Returns the rows of an answer.
fn rows(server: &Server, query: &str) -> Vec<Value> {
    let heard = ask(server, query);
    assert_eq!(heard.status, 200, "{query}: {}", heard.text);
    let Value::Array(rows) = serde_json::from_str(&heard.text).unwrap() else { panic!("{}", heard.text) };
    rows
}

/// Returns the one row of an answer.
fn row(server: &Server, query: &str) -> Value {
    let mut rows = rows(server, query);
    assert_eq!(rows.len(), 1, "{query}: {rows:?}");
    rows.remove(0)
}

fn send(server: &Server, all: &[Series]) {
    let heard = server.send(V2, &snappy(&request_v2(all))).unwrap();
    assert_eq!(heard.status, 204, "{heard:?}");
}

fn command(data: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remote-write"));
    command.arg("sql").arg("--data").arg(data).args(args).output().unwrap()
}

fn files(data: &Path, kind: &str) -> usize {
    let manifest = Manifest::read(data).unwrap().unwrap();
    manifest.files.iter().filter(|file| file.path.contains(kind)).count()
}

/// Waits until a store has so many files of a kind.
fn wait_files(data: &Path, kind: &str, count: usize) {
    let until = Instant::now() + Duration::from_secs(30);
    while files(data, kind) != count {
        assert!(Instant::now() < until, "{kind}: {} files, not {count}", files(data, kind));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn tenants_see_their_own_rows() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--tenant-header=X-Scope-OrgID", "--seal-after=1h"]);
    let write = |server: &Server, tenant: &str, metric: &str| {
        let headers = [("Content-Type", V1), ("Content-Encoding", "snappy"), ("X-Scope-OrgID", tenant)];
        assert_eq!(server.send_as(&headers, &pack(&one_sample(metric, now(), 1.0))).unwrap().status, 204);
    };
    let ask = |server: &Server, tenant: &str, query: &str| {
        server.post_text("/api/v1/sql", &[("Content-Type", "text/plain"), ("X-Scope-OrgID", tenant)], query)
    };
    write(&server, "a", "of_a");
    write(&server, "b", "of_b");
    let check = |server: &Server| {
        for (tenant, other) in [("a", "b"), ("b", "a")] {
            assert_eq!(ask(server, tenant, &format!("select __value__ as v from of_{tenant}")).text, "[{\"v\":1.0}]\n");
            let heard = ask(server, tenant, &format!("select * from of_{other}"));
            assert!(heard.status == 400 && heard.text.contains("not found"), "{heard:?}");
            for table in ["store.samples", "meta.series"] {
                let heard = ask(server, tenant, &format!("select __name__ from {table}"));
                assert_eq!(heard.text, format!("[{{\"__name__\":\"of_{tenant}\"}}]\n"), "{table}");
            }
            let heard = ask(
                server,
                tenant,
                "select table_name as t from information_schema.tables where table_schema = 'samples'",
            );
            assert_eq!(heard.text, format!("[{{\"t\":\"of_{tenant}\"}}]\n"));
            assert!(!ask(server, tenant, "select path from meta.files").text.contains(&format!("tenant={other}")));
        }
    };
    check(&server);
    // Nobody is no tenant, and neither is a stranger, who is not remembered.
    assert_eq!(self::ask(&server, "select 1").status, 400);
    assert_eq!(ask(&server, "../a", "select 1").status, 400);
    assert_eq!(ask(&server, "c", "select * from of_a").status, 400);
    assert!(server.get("/metrics").text.contains("hotpb_rw_tenants 2\n"));
    assert!(server.stop());
    let server = Server::start(data, &["--tenant-header=X-Scope-OrgID", "--seal-after=1ms"]);
    server.wait_sealed();
    check(&server);
    assert_eq!(
        command(data, &["--tenant=b", "--format=csv", "select __value__ from of_b"]).stdout,
        b"__value__\n1.0\n"
    );
    assert!(!command(data, &["--tenant=b", "select __value__ from of_a"]).status.success());
    // A tenant that is none, and none at all: no rows would look like an answer.
    for (args, part) in [
        (&["--tenant=c", "select 1"][..], "--tenant=c: "),
        (&["select 1"], "has files of tenants only: name one with --tenant (there are: a, b)"),
    ] {
        let heard = command(data, args);
        let said = String::from_utf8(heard.stderr).unwrap();
        assert!(!heard.status.success() && said.contains(part) && said.contains("there are: a, b"), "{said}");
    }
    assert!(server.stop());
}

#[test]
fn credentials_are_those_of_the_writes() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "a-token-0123456789\n").unwrap();
    let server =
        Server::start(&folder.path().join("data"), &[&format!("--bearer-file={}", tokens.display()), "--open-status"]);
    assert_eq!(ask(&server, "select 1").status, 401);
    assert_eq!(server.get("/api/v1/sql?q=select+1").status, 401);
    let headers = [("Content-Type", "text/plain"), ("Authorization", "Bearer a-token-0123456789")];
    assert_eq!(server.post_text("/api/v1/sql", &headers, "select 1 as n").text, "[{\"n\":1}]\n");
}

#[test]
fn limits_hold_and_the_server_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let limits = [
        "--sql-timeout=3s",
        "--sql-memory=8MiB",
        "--sql-max-rows=1000",
        "--sql-max-bytes=64KiB",
        "--sql-queries=1",
        "--sql-threads=1",
    ];
    let server = Server::start(folder.path(), &limits);
    let numbers = |to: u64| format!("generate_series(1, {to})");
    let refused = |query: &str, status: u16, part: &str| {
        let heard = ask(&server, query);
        assert!(heard.status == status && heard.text.contains(part), "{query}: {heard:?}");
    };
    assert_eq!(rows(&server, &format!("select value from {}", numbers(1000))).len(), 1000);
    refused(&format!("select value from {}", numbers(1001)), 422, "more than 1000 rows");
    refused(&format!("select repeat('x', 1000) as v from {}", numbers(100)), 422, "more than 65536 bytes");
    refused(
        &format!("select value from {} order by value desc limit 500000", numbers(5_000_000)),
        422,
        "Resources exhausted",
    );
    for _ in 0..2 {
        let began = Instant::now();
        let long =
            format!("select sum(a.value * b.value) as s from {} a, {} b", numbers(1_000_000), numbers(1_000_000));
        refused(&long, 503, "took longer than 3 s");
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    }
    let long = format!("select '{}'", "x".repeat(64 << 10));
    refused(&long, 400, "longer than 65536 bytes");
    // Rows in memory count, but only those of the query's metrics.
    for part in 0..10 {
        let numbered =
            |n: i64| (0..20).fold(series("m", &[("n", &n.to_string())]), |series, at| series.sample(1.0, now() - at));
        send(&server, &(0..1000).map(|n| numbered(1000 * part + n)).collect::<Vec<Series>>());
    }
    send(&server, &[series("small", &[]).sample(1.0, now())]);
    refused("select count(*) from m", 422, "Resources exhausted");
    assert_eq!(row(&server, "select count(*) as n from small"), json!({ "n": 1 }));
    assert_eq!(row(&server, "select 1 as n"), json!({ "n": 1 }));
    assert_eq!(server.get("/-/ready").status, 200);
    assert!(server.get("/metrics").text.contains("hotpb_rw_sql_queries_total{code=\"422\"} 4\n"));
    assert!(server.stop());
}

#[test]
fn bad_queries_get_400_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let outside = folder.path().join("outside");
    let server = Server::start(&folder.path().join("data"), &["--seal-after=1h"]);
    send(&server, &[series("m", &[("a", "x")]).sample(1.0, now())]);
    std::fs::write(&outside, "a,b\n1,2\n").unwrap();
    let outside = outside.display();
    for (query, part) in [
        (" ", "No SQL statements"),
        ("selec 1", "Expected: an SQL statement"),
        ("select * from nothing", "table 'remote_write.samples.nothing' not found"),
        ("select nothing from m", "No field named nothing"),
        ("select nothing(1)", "Invalid function 'nothing'"),
        ("select 1; select 2", "single SQL statement"),
        ("select 1 / 0 from m", "Divide by zero"),
        ("select rate(__time__, __value__) from m", "rate takes the time"),
        ("select histogram_quantile(0.5) from m", "histogram_quantile takes"),
        ("select native_histogram_quantile(0.5, __value__) from m", "native_histogram_quantile takes"),
        ("drop table m", "only SELECT"),
        ("create table t as select 1", "only SELECT"),
        ("create view v as select 1", "only SELECT"),
        ("insert into m select * from m", "only SELECT"),
        ("delete from m", "only SELECT"),
        ("update m set a = 'y'", "only SELECT"),
        ("set datafusion.execution.batch_size = 1", "only SELECT"),
        ("reset datafusion.execution.batch_size", "only SELECT"),
        ("prepare p as select 1", "only SELECT"),
        ("explain insert into m select * from m", "only SELECT"),
        ("select 1 into t", "not supported"),
        (&format!("copy (select 1) to '{outside}.csv'"), "only SELECT"),
        (&format!("explain copy (select 1) to '{outside}.csv'"), "only SELECT"),
        (&format!("create external table t stored as csv location '{outside}'"), "only SELECT"),
        (&format!("select * from '{outside}'"), "not found"),
    ] {
        let heard = ask(&server, query);
        assert!(heard.status == 400 && heard.text.contains(part), "{query}: {heard:?}");
    }
    assert!(!folder.path().join("outside.csv").exists());
    for (path, part) in [
        ("/api/v1/sql", "the query is missing"),
        ("/api/v1/sql?q=select+1&q=select+2", "`q` is there twice"),
        ("/api/v1/sql?query=select+1", "there is no parameter `query`"),
        ("/api/v1/sql?q=select+1&format=xml", "there is no format `xml`"),
    ] {
        let heard = server.get(path);
        assert!(heard.status == 400 && heard.text.contains(part), "{path}: {heard:?}");
    }
    let heard = server.post_text("/api/v1/sql?q=select+1", &[("Content-Type", "text/plain")], "select 2");
    assert!(heard.status == 400 && heard.text.contains("two queries"), "{heard:?}");
    let heard = server.post_text("/api/v1/sql", &[], &"x".repeat(300_000));
    assert!(heard.status == 400 && heard.text.contains("longer than 197632 bytes"), "{heard:?}");
    // As deep as the length allows, and as deep as the number of operators and parentheses allows.
    let deep = |before: &str, middle: &str, after: &str, count: usize| {
        format!("select {}{middle}{}", before.repeat(count), after.repeat(count))
    };
    for deep in [
        deep("1+", "1", "", 30_000),
        deep("1+", "1", "", 998),
        deep("(", "1", ")", 30_000),
        deep("(", "1", ")", 60),
        deep("- ", "1", "", 30_000),
        deep("- ", "1", "", 998),
        deep("case when true then ", "1", " end", 3_000),
        deep("case when true then ", "1", " end", 190),
        deep("abs(", "1", ")", 60),
        deep("a = 'y' or ", "true from m", "", 499),
        deep("1 union all select ", "1", "", 300),
        deep("1 in (", "1", ")", 60),
        deep("* from (select ", "* from m", ") m", 60),
    ] {
        let heard = ask(&server, &deep);
        assert!([200, 400, 422, 503].contains(&heard.status), "{}: {} {}", &deep[..60], heard.status, heard.text);
    }
    assert_eq!(row(&server, "select a, __value__ as v from m"), json!({ "a": "x", "v": 1.0 }));
    assert!(server.stop());
}

#[test]
fn answers_have_five_formats_by_two_doors() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let server = Server::start(data, &["--seal-after=1ms"]);
    send(&server, &[series("m", &[("a", "x,y")]).sample(1.5, 1000 + now())]);
    server.wait_sealed();
    let query = "select a, __value__ as v from m";
    for (format, expected) in [
        ("json", "[{\"a\":\"x,y\",\"v\":1.5}]\n"),
        ("csv", "a,v\n\"x,y\",1.5\n"),
        ("table", "+-----+-----+\n| a   | v   |\n+-----+-----+\n| x,y | 1.5 |\n+-----+-----+\n"),
    ] {
        let form: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("q", query)
            .append_pair("format", format)
            .finish();
        assert_eq!(server.get(&format!("/api/v1/sql?{form}")).text, expected);
        let headers = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")];
        assert_eq!(server.post_text("/api/v1/sql", &headers, &form).text, expected);
        let path = format!("/api/v1/sql?format={format}");
        assert_eq!(server.post_text(&path, &[("Content-Type", "application/sql")], query).text, expected);
        assert_eq!(String::from_utf8(command(data, &["--format", format, query]).stdout).unwrap(), expected);
    }
    let check = |batches: Vec<arrow_array::RecordBatch>| {
        let mut text = Vec::new();
        let mut writer = arrow::csv::Writer::new(&mut text);
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        drop(writer);
        assert_eq!(String::from_utf8(text).unwrap(), "a,v\n\"x,y\",1.5\n");
    };
    let bytes = command(data, &["--format=arrow", query]).stdout;
    check(arrow::ipc::reader::StreamReader::try_new(&bytes[..], None).unwrap().map(Result::unwrap).collect());
    let bytes = bytes::Bytes::from(command(data, &["--format=parquet", query]).stdout);
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().build().unwrap();
    check(reader.map(Result::unwrap).collect());
    // No rows still have names; a query may come from standard input; lists and maps are text in CSV.
    let none = "select a, __value__ as v from m where a = 'z'";
    assert_eq!(command(data, &["--format=csv", none]).stdout, b"a,v\n");
    assert_eq!(command(data, &["--format=json", none]).stdout, b"[]\n");
    let maps = command(data, &["--format=csv", "select __labels__ from meta.series"]);
    assert_eq!(String::from_utf8(maps.stdout).unwrap(), "__labels__\n\"{a: x,y}\"\n");
    let wrong = command(data, &["select"]);
    assert!(!wrong.status.success() && wrong.stdout.is_empty() && !wrong.stderr.is_empty());
    let nowhere = command(&data.join("nowhere"), &["select 1"]);
    assert!(!nowhere.status.success() && !data.join("nowhere").exists(), "{nowhere:?}");
    assert!(server.stop());
}

/// The queries of docs/guide.md, over series as Prometheus has them.
#[test]
fn queries_of_the_guide_have_answers() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=1h"]);
    let time = now();
    let (instance, handler) = (("instance", "a:9090"), ("handler", "/metrics"));
    let counter = |name: &str, labels: &[(&str, &str)], by: f64| {
        (0..4)
            .fold(series(name, labels), |series, at| series.sample(100.0 + by * at as f64, time - 60_000 + 15_000 * at))
    };
    let seconds = "prometheus_http_request_duration_seconds_bucket";
    let bucket = |le: &str, by: f64| counter(seconds, &[("job", "p"), instance, handler, ("le", le)], by);
    send(
        &server,
        &[
            counter("prometheus_http_requests_total", &[("job", "p"), instance, handler, ("code", "200")], 15.0)
                .metadata(1, "Requests.", ""),
            bucket("0.1", 8.0),
            bucket("1", 10.0),
            bucket("+Inf", 10.0),
            series("up", &[("job", "p"), instance]).sample(1.0, time - 5).sample(0.0, time),
        ],
    );
    let guide = include_str!("../../../docs/guide.md");
    let section =
        guide.split("## SQL in the server").nth(1).unwrap().split("**The same on ClickHouse**").next().unwrap();
    let queries: Vec<&str> = section.split("\n\n").filter(|block| block.starts_with("    select ")).collect();
    assert_eq!(queries.len(), 5);
    let answers: Vec<Vec<Value>> =
        queries.iter().map(|query| rows(&server, query.trim_end().trim_end_matches(';'))).collect();
    assert_eq!(answers[0][0], json!({ "__name__": seconds, "samples": 12 }));
    let rate = answers[1][0]["rate"].as_f64().unwrap();
    // 45 in 45 s; 7.5 s more at the begin, and 7.5 s to 16.5 s at the end, by the time that passed; of 300 s.
    assert!((0.199..0.231).contains(&rate), "{rate}");
    let seconds = answers[2][0]["seconds"].as_f64().unwrap();
    assert!((seconds - 0.55).abs() < 1e-9, "{seconds}");
    assert_eq!((&answers[3][0]["instance"], &answers[3][0]["scrapes"]), (&json!("a:9090"), &json!(1)));
    let help = answers[4].iter().find(|row| row["__name__"] == "prometheus_http_requests_total").unwrap();
    assert_eq!((&help["series"], &help["help"]), (&json!(1), &json!("Requests.")));
    assert!(server.stop());
}

/// `--memory` bounds the process with its queries.
#[test]
fn queries_are_part_of_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    // More than the quarter that they may use.
    let server = Server::start(folder.path(), &["--memory=64MiB", "--max-body=1MiB", "--sql-memory=1GiB"]);
    let query = "select value from generate_series(1, 3000000) order by value desc limit 2500000";
    let heard = ask(&server, query);
    assert!(heard.status == 422 && heard.text.contains("Resources exhausted"), "{heard:?}");
    assert!(server.stop());
    let answered = AtomicBool::new(false);
    super::memory::sends_long_labels(|server| {
        let heard = ask(server, "select count(distinct v) as n, max(length(v)) as long from m");
        // Before the first request there is no table.
        assert!(matches!(heard.status, 200 | 422) || heard.text.contains("not found"), "{heard:?}");
        answered.fetch_or(heard.status == 200, Ordering::Relaxed);
    });
    assert!(answered.into_inner());
}
