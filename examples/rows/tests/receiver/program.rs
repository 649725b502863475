//! The program as a user sees it: files in, tables out, messages, status.

use crate::common::mutate::Rng;
use crate::common::random::Making;
use crate::common::{Rows, capture, stock};
use prost::Message;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Done {
    status: i32,
    out: String,
    err: String,
}

fn run(args: &[&str], stdin: &[u8]) -> Done {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rows"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A program that needs no more input closes it.
    let _ = input.write_all(stdin);
    drop(input);
    let done = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { status: done.status.code().unwrap(), out: text(done.stdout), err: text(done.stderr) }
}

/// Creates an empty folder for this test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn captured(version: u32) -> String {
    format!("{}/../../vectors/corpora/prometheus_0.315_v{version}.snappy", env!("CARGO_MANIFEST_DIR"))
}

/// A table has columns for the most frequent of its label names only, and loses none of the others.
#[test]
fn label_names_without_a_column_are_written() {
    let folder = folder("many-label-names");
    let label = |name: &str| stock::v1::Label { name: name.into(), value: format!("of {name}") };
    let series = |n: usize| stock::v1::TimeSeries {
        // The last hundred names are in two series, the others in one.
        labels: [label("__name__"), label(&format!("l{n:03}")), label(&format!("m{}", 500 + n % 100))].to_vec(),
        samples: vec![stock::v1::Sample { value: n as f64, timestamp: 1 }],
        ..Default::default()
    };
    let mut timeseries: Vec<_> = (0..600).map(series).collect();
    timeseries.iter_mut().for_each(|series| series.labels[0].value = "up".into());
    let body = stock::v1::WriteRequest { timeseries, ..Default::default() }.encode_to_vec();
    let file = folder.join("body");
    std::fs::write(&file, body).unwrap();
    for format in ["csv", "jsonl"] {
        assert_eq!(run(&["--out", text(&folder), "--format", format, text(&file)], b"").status, 0);
        let path = folder.join(format!("up.samples.{format}"));
        let rows: Vec<BTreeMap<String, String>> = if format == "csv" {
            let mut reader = csv::Reader::from_path(path).unwrap();
            let header = reader.headers().unwrap().clone();
            let columns: Vec<&str> = header.iter().filter_map(|name| name.strip_prefix("labels.")).collect();
            assert_eq!((columns.len(), columns.iter().filter(|name| name.starts_with('m')).count()), (512, 100));
            let row = |row: csv::StringRecord| {
                let cells = header.iter().zip(row.iter());
                let mut labels: BTreeMap<String, String> =
                    serde_json::from_str(cells.clone().find(|(name, _)| *name == "labels").unwrap().1).unwrap();
                let named = cells.filter_map(|(name, value)| Some((name.strip_prefix("labels.")?, value)));
                labels.extend(named.filter(|(_, v)| !v.is_empty()).map(|(n, v)| (n.to_owned(), v.to_owned())));
                labels
            };
            reader.records().map(|found| row(found.unwrap())).collect()
        } else {
            let lines = std::fs::read_to_string(path).unwrap();
            let row = |line| serde_json::from_str::<Value>(line).unwrap()["labels"].clone();
            lines.lines().map(|line| serde_json::from_value(row(line)).unwrap()).collect()
        };
        assert_eq!(rows.len(), 600);
        for (n, row) in rows.iter().enumerate() {
            let names = [format!("l{n:03}"), format!("m{}", 500 + n % 100)];
            assert_eq!(*row, names.into_iter().map(|name| (name.clone(), format!("of {name}"))).collect(), "{format}");
        }
    }
}

#[test]
fn tables_are_printed() {
    let done = run(&["--rows", "2", "--metric", "prometheus_http_requests_total", &captured(1), &captured(2)], b"");
    assert_eq!((done.status, done.err.as_str()), (0, ""));
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(lines[0].ends_with(
        "remote write 1.0, snappy, 19,553 bytes, 139,242 inside: 1,042 series, 254 known before, 1,042 samples"
    ));
    assert!(lines[1].contains("remote write 2.0, snappy, 12,873 bytes, 41,237 inside: 788 series, "));
    assert_eq!(
        lines[2..],
        [
            "",
            "prometheus_http_requests_total, 128 samples",
            "  timestamp_ms   value  code  handler     instance         job",
            "  1795250864868  0.0    200   /           127.0.0.1:19090  self",
            "  1795250864868  0.0    200   /-/healthy  127.0.0.1:19090  self",
            "  … 126 more",
            "",
            "prometheus_http_requests_total, 1 metadata",
            "  type",
            "  unknown",
        ]
    );
}

#[test]
fn standard_input_may_be_raw_and_is_bounded() {
    let body = capture(1);
    let done = run(&["--rows", "0"], &body);
    assert_eq!((done.status, done.err.as_str()), (0, ""));
    assert!(done.out.starts_with("standard input: remote write 1.0, uncompressed, 139,242 bytes: 1,042 series"));
    let done = run(&["--encoding", "snappy", "-"], &body);
    assert_eq!((done.status, done.out.as_str()), (1, ""));
    assert!(done.err.starts_with("rows: standard input: not a snappy block, or a damaged one (snappy: "));
    let done = run(&["--max-body", "100KiB", "-"], &body);
    assert_eq!(done.err, "rows: standard input: longer than 102400 bytes (--max-body)\n");
    let done = run(&["--max-body", "100KiB", "--encoding=snappy", &captured(1)], b"");
    assert!(
        done.err.ends_with("a snappy block of 139242 bytes would be longer than 102400 (--max-body)\n"),
        "{}",
        done.err
    );
    assert_eq!(run(&[], b"").status, 0);
}

#[test]
fn a_refused_request_is_said_and_the_next_one_is_read() {
    let dir = folder("refused");
    let cut = dir.join("cut");
    std::fs::write(&cut, &capture(1)[..100_000]).unwrap();
    let done = run(&[text(&cut), "/no/such/file", &captured(1)], b"");
    assert_eq!(done.status, 1);
    let lines: Vec<&str> = done.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", done.err);
    assert!(lines[0].contains("; read uncompressed: malformed: Truncated at byte "), "{}", lines[0]);
    assert!(lines[0].contains(": timeseries[7"), "{}", lines[0]);
    assert_eq!(lines[1], "rows: /no/such/file: No such file or directory");
    assert!(done.out.contains(" 1,042 series") && done.out.contains("prometheus_http_requests_total, 64 samples"));
}

#[test]
fn bad_series_are_left_out_and_counted_with_a_status_of_their_own() {
    let mut request = stock::v1::WriteRequest::decode(&*capture(1)).unwrap();
    for n in 0..12 {
        request.timeseries[n * 3].labels.reverse();
    }
    request.timeseries[500].labels.clear();
    let body = request.encode_to_vec();
    let done = run(&["--rows=0", "--skip-bad"], &body);
    assert_eq!(done.status, 3);
    let lines: Vec<&str> = done.err.lines().collect();
    assert_eq!(
        lines[0],
        "rows: standard input: left out: 1 x the metric's name is missing; 12 x labels are not sorted by name"
    );
    assert!(
        lines[1].starts_with("  labels are not sorted by name at byte ")
            && lines[1].contains("timeseries[0].labels[1].name")
    );
    assert_eq!((lines.len(), lines[11]), (12, "  … 3 more"));
    assert!(done.out.contains("13 bad, 1,029 samples"), "{}", done.out);
    let done = run(&["--rows=0"], &body);
    assert_eq!((done.status, done.out.as_str()), (1, ""));
    assert!(done.err.contains("labels are not sorted by name at byte "));
    assert_eq!(run(&["--rows=0", "--lenient", "--skip-bad"], &body).status, 3);
}

#[test]
fn the_command_line_is_checked() {
    let done = run(&["--bogus"], b"");
    assert_eq!((done.status, done.out.as_str()), (2, ""));
    assert_eq!(done.err, "rows: invalid option '--bogus'\ntry rows --help\n");
    let done = run(&["--help"], b"");
    assert!(done.status == 0 && done.out.starts_with("rows reads ") && done.err.is_empty());
    assert_eq!(run(&["-V"], b"").out, format!("rows {}\n", env!("CARGO_PKG_VERSION")));
    let file = folder("taken").join("file");
    std::fs::write(&file, "").unwrap();
    let done = run(&["--out", text(&file), &captured(1)], b"");
    assert_eq!((done.status, done.err.as_str()), (1, "rows: File exists\n"));
}

/// Returns the rows of a file, each as a JSON object; for CSV, the cells under their column's name.
fn rows_of(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().unwrap() == "jsonl" {
        let text = String::from_utf8(bytes).unwrap();
        return text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    }
    let mut reader = csv::Reader::from_reader(&*bytes);
    let header = reader.headers().unwrap().clone();
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        header.iter().zip(record.iter()).map(|(name, cell)| (name.to_owned(), Value::from(cell))).collect()
    });
    rows.map(Value::Object).collect()
}

fn float(bits: u64) -> Value {
    let value = f64::from_bits(bits);
    match value {
        _ if bits == 0x7ff0_0000_0000_0002 => "StaleNaN".into(),
        _ if value.is_nan() => "NaN".into(),
        f64::INFINITY => "+Inf".into(),
        f64::NEG_INFINITY => "-Inf".into(),
        _ => value.into(),
    }
}

fn object(labels: &crate::common::Labels) -> Value {
    labels
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Returns the expected rows of a file of lines, by kind, derived independently from prost's rows.
fn expected(rows: &crate::common::MetricRows) -> BTreeMap<&'static str, Vec<Value>> {
    let optional = |row: &mut Value, name: &str, value: i64| {
        if value != 0 {
            row[name] = value.into();
        }
    };
    let mut files = BTreeMap::new();
    for s in &rows.samples {
        let mut row =
            serde_json::json!({"timestamp_ms": s.timestamp, "value": float(s.value), "labels": object(&s.labels)});
        optional(&mut row, "start_timestamp_ms", s.start);
        files.entry("samples").or_insert_with(Vec::new).push(row);
    }
    for e in &rows.exemplars {
        let mut row = serde_json::json!({"value": float(e.value), "exemplar_labels": object(&e.own), "labels": object(&e.labels)});
        optional(&mut row, "timestamp_ms", e.timestamp);
        files.entry("exemplars").or_insert_with(Vec::new).push(row);
    }
    for h in &rows.histograms {
        let floats = |values: &[u64]| values.iter().map(|&bits| float(bits)).collect::<Vec<_>>();
        let mut row = serde_json::json!({
            "timestamp_ms": h.timestamp, "sum": float(h.sum), "schema": h.schema,
            "zero_threshold": float(h.zero_threshold), "reset_hint": h.reset_hint,
            "negative_spans": h.negative.spans, "negative_deltas": h.negative.deltas,
            "negative_counts": floats(&h.negative.counts), "positive_spans": h.positive.spans,
            "positive_deltas": h.positive.deltas, "positive_counts": floats(&h.positive.counts),
            "custom_values": floats(&h.custom_values), "labels": object(&h.labels),
        });
        optional(&mut row, "start_timestamp_ms", h.start);
        for (name, count) in [("count", h.count), ("zero_count", h.zero_count)] {
            match count {
                Some((true, bits)) => row[format!("{name}_float")] = float(bits),
                Some((false, n)) => row[format!("{name}_int")] = n.into(),
                None => {}
            }
        }
        files.entry("histograms").or_insert_with(Vec::new).push(row);
    }
    let kinds = ["unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"];
    for m in &rows.metadata {
        let kind = kinds.get(m.kind as usize).map_or_else(|| m.kind.to_string(), |name| (*name).to_owned());
        let row = serde_json::json!({"type": kind, "help": m.help, "unit": m.unit});
        files.entry("metadata").or_insert_with(Vec::new).push(row);
    }
    files
}

/// Reports whether a row of CSV equals a row of lines: labels have their own columns, lists are JSON.
fn is_same(row: &Value, csv: &Value) -> bool {
    let same = |(name, cell): (&String, &Value)| {
        let cell = cell.as_str().unwrap();
        let value = match name.strip_prefix("labels.") {
            Some(label) => row["labels"].get(label),
            None => row.get(name),
        };
        match value {
            None => cell.is_empty(),
            Some(Value::String(text)) => cell == text,
            Some(value) => serde_json::from_str(cell).is_ok_and(|read: Value| read == *value),
        }
    };
    let columns = csv.as_object().unwrap();
    let labels = row.get("labels").and_then(Value::as_object);
    columns.iter().all(same)
        && row.as_object().unwrap().keys().all(|name| name == "labels" || columns.contains_key(name))
        && labels.is_none_or(|labels| labels.keys().all(|name| columns.contains_key(&format!("labels.{name}"))))
}

/// Reads the list of a part, and every file in it, and checks them.
fn check(dir: &Path, part: &str, format: &str, rows: &Rows) {
    let mut wanted: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for (metric, of) in rows {
        for (kind, rows) in expected(of) {
            wanted.insert((metric.clone(), kind.to_owned()), rows);
        }
    }
    let list = rows_of(&dir.join(format!("tables{part}.{format}")));
    assert_eq!(list.len(), wanted.len());
    for entry in list {
        let text = |name: &str| entry[name].as_str().unwrap().to_owned();
        let expected = wanted.remove(&(text("metric"), text("kind"))).unwrap();
        let found = rows_of(&dir.join(text("file")));
        assert_eq!(entry["rows"].to_string().trim_matches('"'), found.len().to_string());
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let good = if format == "jsonl" { found == expected } else { is_same(expected, found) };
            assert!(good, "{found:#?}\n{expected:#?}");
        }
    }
    assert!(std::fs::read_dir(dir).unwrap().all(|file| file.unwrap().path().extension().unwrap() != "part"));
}

#[test]
fn files_hold_the_rows_that_prost_gives() {
    let mut rng = Rng::new(5);
    for format in ["csv", "jsonl"] {
        let dir = folder(format);
        let (mut files, mut all) = (Vec::new(), Rows::new());
        for n in 0..20 {
            let mut making = Making { rng: &mut rng, faulty: false };
            let body = if n % 2 == 0 { making.v1().encode_to_vec() } else { making.v2().encode_to_vec() };
            let rows = if n % 2 == 0 { stock::rows_v1(&body).0 } else { stock::rows_v2(&body).0 };
            for (metric, mut of) in rows {
                let into = all.entry(metric).or_default();
                into.samples.append(&mut of.samples);
                into.histograms.append(&mut of.histograms);
                into.exemplars.append(&mut of.exemplars);
                into.metadata.append(&mut of.metadata);
                into.metadata.dedup();
            }
            let file = dir.join(format!("in{n}"));
            std::fs::write(&file, body).unwrap();
            files.push(file);
        }
        let out = dir.join("out");
        // Files of an earlier run that was killed must do no harm.
        std::fs::create_dir_all(&out).unwrap();
        std::fs::write(out.join(format!("up.samples.{format}.part")), "half").unwrap();
        let mut args = vec!["--out", text(&out), "--format", format, "--encoding=raw"];
        args.extend(files.iter().map(|file| text(file)));
        let done = run(&args, b"");
        assert_eq!((done.status, done.err.as_str()), (0, ""));
        check(&out, "", format, &all);
    }
}

#[test]
fn full_tables_are_written_as_parts() {
    let dir = folder("parts");
    let out = dir.join("out");
    let (first, two) = (captured(1), captured(2));
    let done = run(&["--out", text(&out), "--flush-rows", "1000", &first, &two], b"");
    assert_eq!((done.status, done.err.as_str()), (0, ""));
    check(&out, "", "csv", &stock::rows_v1(&capture(1)).0);
    check(&out, ".2", "csv", &stock::rows_v2(&capture(2)).0);
}

#[test]
fn a_run_that_is_killed_leaves_whole_files_only() {
    let dir = folder("killed");
    // A request repeated is one request, because protobuf's lists continue.
    let body = capture(1).repeat(60);
    let whole = dir.join("whole");
    assert_eq!(run(&["--out", text(&whole), "-"], &body).status, 0);
    let files = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().unwrap() != "part").collect()
    };
    // A run that ends before it is killed tests nothing: the next one is killed sooner.
    let killed = (0..20).any(|turn| {
        let out = dir.join(format!("out{turn}"));
        let file = dir.join("body");
        std::fs::write(&file, &body).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_rows"))
            .args(["--out", text(&out), text(&file)])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while files(&out).len() < 40 / (turn + 1) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let left = files(&out);
        for path in &left {
            let same = whole.join(path.file_name().unwrap());
            assert_eq!(std::fs::read(path).unwrap(), std::fs::read(same).unwrap(), "{}", path.display());
        }
        !out.join("tables.csv").exists() && !left.is_empty()
    });
    assert!(killed, "no run was caught at work");
}
