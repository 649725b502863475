//! protosql on the command line.

mod common;

use common::*;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::arrow::ipc::reader::FileReader;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/shop.proto");

/// A folder with `a.pb`, 20 orders, and `b.pb.gz`, the next 20.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.pb", &delimited(&orders(0..20)));
    let plain = delimited(&orders(20..40));
    let mut gz = flate2::read::GzEncoder::new(&plain[..], flate2::Compression::fast());
    let mut bytes = Vec::new();
    std::io::copy(&mut gz, &mut bytes).unwrap();
    folder.write("b.pb.gz", &bytes);
    folder
}

fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_protosql"));
    command.current_dir(folder.path("")).args(["--proto", PROTO]).args(arguments);
    command
}

fn output(folder: &Folder, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs it for orders, and returns what it prints.
fn run(folder: &Folder, arguments: &[&str]) -> String {
    let out = output(folder, &[&["--message", "shop.Order"], arguments].concat());
    assert!(out.status.success() && out.stderr.is_empty(), "{arguments:?}: {}", text(&out.stderr));
    text(&out.stdout).to_string()
}

/// Runs it, and returns its status and the error.
fn fail(folder: &Folder, arguments: &[&str]) -> (i32, String) {
    let out = output(folder, arguments);
    assert!(out.stdout.is_empty(), "{arguments:?}: {}", text(&out.stdout));
    (out.status.code().unwrap(), text(&out.stderr).to_string())
}

#[test]
fn rows_are_printed_as_a_table_csv_or_json() {
    let folder = folder();
    let query = "select id, shop, rating, total from 'a.pb' where id in (3, 5) order by id";
    let table = "\
+----+-------+--------+-------+
| id | shop  | rating | total |
+----+-------+--------+-------+
| 3  | Ost ü | -2     | NaN   |
| 5  | south |        | inf   |
+----+-------+--------+-------+
";
    assert_eq!(run(&folder, &[query]), table);
    let csv = run(&folder, &["--format", "csv", "select id, shop, rating from 'a.pb' where id in (3, 5) order by id"]);
    assert_eq!(csv, "id,shop,rating\n3,Ost ü,-2\n5,south,\n");
    let json = run(&folder, &["--format=json", "select id, state, customer, items, tags from 'a.pb' where id = 5"]);
    let line = r#"{"id":5,"state":"SENT","customer":{"name":"c5","country":"DE"},"items":[{"sku":"s0","count":1},{"sku":"s1","count":2}],"tags":{"k0":"v5"}}"#;
    assert_eq!(json, format!("{line}\n"));
    // Without rows: the names.
    assert_eq!(run(&folder, &["--format", "csv", "select id, shop from 'a.pb' where id = 77"]), "id,shop\n");
    assert!(run(&folder, &["select id, shop from 'a.pb' where id = 77"]).contains("| id | shop |"));
    let few = run(&folder, &["--max_rows", "2", "select id from '*.pb*' order by id"]);
    assert!(few.contains("| 1  |") && !few.contains("| 2  |") && few.ends_with("print all.\n"), "{few}");
}

#[test]
fn tables_have_names_and_messages_of_their_own() {
    let folder = folder();
    let day = Day { name: "monday".to_string(), orders: orders(0..3) };
    folder.write("days.pb", &delimited(&[day]));
    let tables = ["--table", "orders=*.pb.gz", "--table", "days:shop.Day=days.pb"];
    let query = "select name, count(*), max(o.id) from days, orders o where o.id < 25 group by name";
    let out = run(&folder, &[&tables[..], &["--format", "csv", query]].concat());
    assert_eq!(out.lines().nth(1), Some("monday,5,24"));
    let rows = ["--rows", "orders", "--format", "csv"];
    let out = output(
        &folder,
        &[&rows[..], &["--message", "shop.Day", "select count(*) as n, sum(id) as s from 'days.pb'"]].concat(),
    );
    assert_eq!(text(&out.stdout), "n,s\n3,3\n");
    let columns =
        run(&folder, &["--columns", "customer.name,id", "--format", "json", "select * from 'a.pb' where id = 1"]);
    assert_eq!(columns, "{\"id\":1,\"customer\":{\"name\":\"c1\"}}\n");
}

#[test]
fn a_descriptor_set_is_a_schema_too() {
    let folder = folder();
    let mut compiler = protox::Compiler::new([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common")]).unwrap();
    compiler.include_imports(true).open_file("shop.proto").unwrap();
    folder.write("shop.fds", &compiler.encode_file_descriptor_set());
    let out = Command::new(env!("CARGO_BIN_EXE_protosql"))
        .current_dir(folder.path(""))
        .args(["--descriptor_set=shop.fds", "--message=shop.Order", "--format=csv", "select count(*) as n from 'a.pb'"])
        .output()
        .unwrap();
    assert_eq!(text(&out.stdout), "n\n20\n", "{}", text(&out.stderr));
}

/// Returns the ids, and checks that the other columns are what they were.
fn check(batches: &[RecordBatch]) -> Vec<u64> {
    let schema = batches[0].schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names.len(), 11);
    let json = |batch: &RecordBatch| {
        let mut writer = datafusion::arrow::json::LineDelimitedWriter::new(Vec::new());
        writer.write(batch).unwrap();
        String::from_utf8(writer.into_inner()).unwrap()
    };
    let lines: Vec<String> =
        batches.iter().flat_map(|batch| json(batch).lines().map(str::to_string).collect::<Vec<_>>()).collect();
    let five = r#""state":"SENT""#;
    assert!(lines[5].starts_with(r#"{"id":5,"shop":"south","#) && lines[5].contains(five), "{}", lines[5]);
    assert!(
        lines[5].contains(r#""customer":{"name":"c5","country":"DE"},"items":[{"sku":"s0","count":1},{"#),
        "{}",
        lines[5]
    );
    batches.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().to_vec()).collect()
}

#[test]
fn parquet_and_arrow_files_are_read_back() {
    let folder = folder();
    let all: Vec<u64> = (0..40).collect();
    let query = "select * from '*.pb*' order by id";
    assert_eq!(run(&folder, &["--out", "all.parquet", query]), "");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(folder.path("all.parquet")).unwrap()).unwrap();
    assert_eq!(check(&reader.build().unwrap().map(Result::unwrap).collect::<Vec<_>>()), all);
    // Without an order, batches come from two files, each with dictionaries of its own.
    assert_eq!(run(&folder, &["--threads", "1", "--out", "all.arrow", "select * from '*.pb*'"]), "");
    let reader = FileReader::try_new(File::open(folder.path("all.arrow")).unwrap(), None).unwrap();
    assert_eq!(check(&reader.map(Result::unwrap).collect::<Vec<_>>()), all);
    assert_eq!(run(&folder, &["--out", "all.csv", "select id from 'a.pb' where id < 2"]), "");
    assert_eq!(std::fs::read_to_string(folder.path("all.csv")).unwrap(), "id\n0\n1\n");
    let names = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name.to_str().unwrap().ends_with(".part")));
}

/// A file that fails half way does not replace the one that is there.
#[test]
fn an_output_file_is_complete_or_not_there() {
    let folder = folder();
    folder.write("bad.pb", &[delimited(&orders(0..20)), vec![9]].concat());
    folder.write("out.csv", b"before");
    let (status, error) = fail(&folder, &["--message=shop.Order", "--out=out.csv", "select id from 'bad.pb'"]);
    assert_eq!(status, 1);
    assert!(error.starts_with("protosql: bad.pb: message 20: Truncated at byte "), "{error}");
    assert_eq!(std::fs::read_to_string(folder.path("out.csv")).unwrap(), "before");
    assert!(!folder.path("out.csv.part").exists());
    let (status, error) = fail(&folder, &["--message=shop.Order", "--out=no/out.csv", "select id from 'a.pb'"]);
    assert!(status == 1 && error.contains("no/out.csv") && error.contains("No such file"), "{error}");
}

#[test]
fn errors_are_one_line_with_the_cause() {
    let folder = folder();
    folder.write("wrong.proto", b"syntax = \"proto3\";\nmessage A { int32 a = ; }\n");
    folder.write("edition.proto", b"// New.\nedition = \"2023\";\nmessage A {}\n");
    let order = "--message=shop.Order";
    for (arguments, status, parts) in [
        (vec![order, "select id from 'nosuch.pb'"], 1, vec!["protosql: nosuch.pb: No such file"]),
        (vec![order, "select id from '*.txt'"], 1, vec!["protosql: *.txt: no file matches"]),
        (vec![order, "select nosuch from 'a.pb'"], 1, vec!["nosuch"]),
        (vec![order, "selec id"], 1, vec!["selec"]),
        (vec!["--message=shop.Oder", "select 1 from 'a.pb'"], 1, vec!["protosql: ", "shop.Oder"]),
        (
            vec!["--table=t=a.pb", "select 1 from t"],
            2,
            vec!["the table t has no message: --message, or t:MESSAGE=a.pb"],
        ),
        (vec![order, "--table=t", "select 1"], 2, vec!["NAME=PATH"]),
        (vec![order, "--out=x.txt", "select 1"], 2, vec!["x.txt: it ends in"]),
        (vec![order, "--format=parquet", "select 1"], 2, vec!["--out FILE"]),
        (vec![order, "--format=csv", "select items from 'a.pb'"], 1, vec!["items", "json"]),
        (vec![order, "--rows=customer", "select 1 from 'a.pb'"], 1, vec!["customer"]),
        (
            vec![order, "--columns=customer.nosuch", "select 1 from 'a.pb'"],
            1,
            vec!["shop.Customer.nosuch", "name, country"],
        ),
        (vec![order], 2, vec!["QUERY"]),
    ] {
        let (code, error) = fail(&folder, &arguments);
        assert_eq!(code, status, "{arguments:?}: {error}");
        assert!(parts.iter().all(|part| error.contains(part)), "{arguments:?}: {error}");
        assert!(status == 2 || error.lines().count() == 1, "{arguments:?}: {error}");
    }
    for (schema, part) in [
        ("--proto=wrong.proto", "wrong.proto:2:23"),
        ("--proto=edition.proto", "--descriptor_set=F"),
        ("--proto=nosuch.proto", "nosuch.proto"),
        ("--descriptor_set=nosuch.fds", "nosuch.fds: No such file"),
        ("--descriptor_set=a.pb", "a.pb: "),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_protosql"));
        let out = command.current_dir(folder.path("")).args([schema, "--message=A", "select 1"]).output().unwrap();
        let error = text(&out.stderr);
        assert!(out.status.code() == Some(2) && error.contains(part), "{schema}: {error}");
    }
}

#[test]
fn bad_messages_are_skipped_on_request_and_counted() {
    let folder = folder();
    folder
        .write("bad.pb", &[delimited(&orders(0..2)), vec![4, 0x12, 2, 0xff, 0xfe], delimited(&orders(2..3))].concat());
    let arguments = ["--message=shop.Order", "--skip_bad", "--format=csv", "select count(shop) as n from 'bad.pb'"];
    let out = output(&folder, &arguments);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(0), "n\n3\n"));
    let said = text(&out.stderr);
    assert!(
        said.starts_with("protosql: skipped 1 bad message; it is bad.pb: message 2: InvalidUtf8 at byte"),
        "{said}"
    );
    assert!(said.ends_with(": shop\n"), "{said}");
}

/// Whoever reads the output may stop, as `head` does.
#[test]
fn a_closed_output_is_no_error() {
    let folder = Folder::new();
    folder.write("many.pb", &delimited(&orders(0..200)).repeat(200));
    for format in ["csv", "json"] {
        let arguments = ["--message=shop.Order", "--format", format, "select id, shop, token from 'many.pb'"];
        let mut child = command(&folder, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut error = String::new();
        child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        let status = child.wait().unwrap();
        assert!(status.success() && error.is_empty(), "{format}: {status} {error}");
        assert!(line.starts_with(if format == "csv" { "id,shop" } else { "{\"id\":0" }), "{line}");
    }
}

/// Ctrl-C while a query waits for a file that does not go on.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_program() {
    let folder = Folder::new();
    let fifo = folder.name("fifo.pb");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let arguments = ["--message=shop.Order", "--out=out.csv", "select id from 'fifo.pb'"];
    let mut child = command(&folder, &arguments).stderr(Stdio::null()).spawn().unwrap();
    // Opening waits for the program's end of the pipe.
    let writer = File::options().write(true).open(&fifo).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!folder.path("out.csv").exists() && !folder.path("out.csv.part").exists());
    drop(writer);
}
