//! The stream of Arrow has the rows of the files.

use super::common::*;
use super::model::{Series, request_v2, series};
use super::stored::{Row, bits, map, read};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, TimestampMillisecondType};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use std::path::Path;

/// Exports, and returns the status, the sequence to go on with, and the body.
pub fn export(server: &Server, query: &str, headers: &[(&str, &str)]) -> Result<(u16, u64, Vec<u8>), ureq::Error> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = agent.get(format!("{}/api/v1/export{query}", server.url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.call()?;
    let next = response.headers().get("X-Remote-Write-Next").map_or(0, |next| next.to_str().unwrap().parse().unwrap());
    let status = response.status().as_u16();
    Ok((status, next, response.body_mut().with_config().limit(1 << 30).read_to_vec()?))
}

/// Returns the rows of a stream in the form of the rows of files.
fn rows(stream: &[u8]) -> Vec<Row> {
    let reader = StreamReader::try_new(stream, None).unwrap();
    assert_eq!(reader.schema(), remote_write_server::export::schema());
    let mut rows: Vec<Row> = reader.flat_map(|batch| rows_of(&batch.unwrap())).collect();
    rows.sort();
    rows
}

/// Returns the labels of each row of a stream.
pub fn labels(stream: &[u8]) -> Vec<String> {
    let batches = StreamReader::try_new(stream, None).unwrap().map(Result::unwrap);
    let batch_rows = |batch: RecordBatch| {
        let labels = batch.column_by_name("__labels__").unwrap().as_map().clone();
        let rows = (0..batch.num_rows()).map(move |row| {
            let entry = labels.value(row);
            let (keys, values) = (entry.column(0).as_string::<i32>(), entry.column(1).as_string::<i32>());
            map(keys.iter().zip(values).map(|(key, value)| (key.unwrap(), value.unwrap())))
        });
        rows.collect::<Vec<_>>()
    };
    batches.flat_map(batch_rows).collect()
}

fn rows_of(batch: &RecordBatch) -> Vec<Row> {
    assert!(batch.num_rows() <= 8192);
    let column = |name: &str| batch.column_by_name(name).unwrap();
    let (times, starts) = (column("__time__"), column("__start__"));
    let (times, starts) =
        (times.as_primitive::<TimestampMillisecondType>(), starts.as_primitive::<TimestampMillisecondType>());
    (0..batch.num_rows())
        .map(|at| {
            let mut row = Row::new();
            row.insert("__name__".into(), column("__name__").as_string::<i32>().value(at).into());
            row.insert("__time__".into(), times.value(at).to_string());
            row.insert("__value__".into(), bits(column("__value__").as_primitive::<Float64Type>().value(at)));
            if starts.is_valid(at) {
                row.insert("__start__".into(), starts.value(at).to_string());
            }
            let labels = column("__labels__").as_map().value(at);
            let (keys, values) = (labels.column(0).as_string::<i32>(), labels.column(1).as_string::<i32>());
            row.extend(keys.iter().zip(values).map(|(key, value)| (key.unwrap().into(), value.unwrap().into())));
            row
        })
        .collect()
}

/// The rows of the files, with all labels as columns.
fn expected(data: &Path) -> Vec<Row> {
    let mut rows: Vec<Row> = read(data, "samples")
        .into_iter()
        .map(|mut row| {
            let rest = row.remove("__labels__").unwrap_or_default();
            for label in rest.split(')').filter(|label| !label.is_empty()) {
                let mut parts = label.trim_start_matches('(').split(", ").map(|part| part.trim_matches('"').to_owned());
                row.insert(parts.next().unwrap(), parts.next().unwrap());
            }
            row
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn the_rows_of_the_files_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--workers=1", "--merge-files=1000"]);
    let base = now() - 600_000;
    let send = |all: &[Series]| {
        let heard = server.send(V2, &snappy(&request_v2(all))).unwrap();
        assert_eq!(heard.status, 204, "{}", heard.text);
        server.wait_sealed();
    };
    // Before there is a row.
    let (status, next, body) = export(&server, "", &[]).unwrap();
    assert_eq!((status, next, rows(&body).len()), (200, 0, 0));
    // More label names than a file has columns, more rows than a batch has, and start times.
    let many: Vec<Series> =
        (0..300).map(|n| series("wide", &[(&format!("l{n}"), "x"), ("a", "b")]).sample(n as f64, base)).collect();
    send(&many[..150]);
    send(&many[150..]);
    let mut long = series("long", &[("größe", "ä \"1\"")]);
    long.samples = (0..20_000).map(|n| (n as f64, base + n, 0)).collect();
    send(&[long, series("started_total", &[]).started_sample(1.0, base + 5, base - 5)]);
    let (status, next, body) = export(&server, "", &[]).unwrap();
    assert_eq!(status, 200);
    let (all, found) = (expected(folder.path()), rows(&body));
    assert_eq!(found.len(), 20_301);
    assert!(found == all, "the rows differ");
    // From the sequence on, only new rows; and those of some times.
    assert_eq!(rows(&export(&server, &format!("?since={next}"), &[]).unwrap().2), []);
    send(&[series("late", &[]).sample(7.0, base + 50)]);
    let late = rows(&export(&server, &format!("?since={next}"), &[]).unwrap().2);
    assert_eq!((late.len(), late[0]["__name__"].as_str()), (1, "late"));
    let (from, to) = (base + 40, base + 60);
    let some = rows(&export(&server, &format!("?from={from}&to={to}"), &[]).unwrap().2);
    assert_eq!(some.len(), 22);
    for query in ["?since=x", "?from=1.5", "?other=1", "?since=-1"] {
        assert_eq!(export(&server, query, &[]).unwrap().0, 400, "{query}");
    }
    // A damaged file: the body has no end.
    let file = std::fs::read_dir(folder.path().join("data/samples"))
        .unwrap()
        .flat_map(|hour| std::fs::read_dir(hour.unwrap().path()).unwrap());
    let file = file.map(|file| file.unwrap().path()).max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    let mut damaged = std::fs::read(&file).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle..].iter_mut().take(2000).for_each(|byte| *byte ^= 0x55);
    std::fs::write(&file, damaged).unwrap();
    assert!(export(&server, "", &[]).is_err());
    server.wait_said("export ended early");
    assert!(server.stop());
}

#[test]
fn a_tenant_exports_its_own_rows() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, "first-token-0123456789\n").unwrap();
    let bearer = format!("--bearer-file={}", tokens.display());
    let data = folder.path().join("data");
    let server =
        Server::start(&data, &[&bearer, "--open-status", "--tenant-header=X-Scope-OrgID", "--seal-after=10ms"]);
    let token = ("Authorization", "Bearer first-token-0123456789");
    for tenant in ["a", "b"] {
        let headers = [("Content-Type", V1), ("Content-Encoding", "snappy"), token, ("X-Scope-OrgID", tenant)];
        assert_eq!(
            server.send_as(&headers, &pack(&one_sample(&format!("of_{tenant}"), now(), 1.0))).unwrap().status,
            204
        );
    }
    server.wait_sealed();
    let found = rows(&export(&server, "", &[token, ("X-Scope-OrgID", "a")]).unwrap().2);
    assert_eq!(found.iter().map(|row| row["__name__"].as_str()).collect::<Vec<_>>(), ["of_a"]);
    assert_eq!(export(&server, "", &[("X-Scope-OrgID", "a")]).unwrap().0, 401);
    assert_eq!(export(&server, "", &[token]).unwrap().0, 400);
    assert!(server.stop());
}

/// A receiver that does not read holds one of four exports, and nothing else.
#[test]
fn exports_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--seal-after=10ms", "--workers=1"]);
    let mut long = series("long", &[("a", &"b".repeat(500))]);
    // More than what the connection and the server hold.
    long.samples = (0..50_000).map(|n| (f64::from(n), now() - 50_000 + i64::from(n), 0)).collect();
    assert_eq!(server.send(V2, &snappy(&request_v2(&[long]))).unwrap().status, 204);
    server.wait_sealed();
    let before = super::raw::peak_memory(&server);
    let silent: Vec<_> = (0..4)
        .map(|_| {
            use std::io::{Read, Write};
            let mut stream = super::raw::connect(&server);
            stream.write_all(&super::raw::head("GET", "/api/v1/export", &[])).unwrap();
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"HTTP/1.1 200");
            stream
        })
        .collect();
    assert_eq!(export(&server, "", &[]).unwrap().0, 503);
    let grown = super::raw::peak_memory(&server) - before;
    assert!(grown < 64 << 20, "{} MiB more", grown >> 20);
    drop(silent);
    for _ in 0..500 {
        let (status, _, body) = export(&server, "", &[]).unwrap();
        if status == 200 {
            assert_eq!(rows(&body).len(), 50_000);
            assert!(server.stop());
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("exports stay");
}
