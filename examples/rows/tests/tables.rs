//! `Tables`, the row builder: the same rows as prost and a map, whatever came before; refused requests; memory.

mod common;

#[path = "../../../rust/bench/src/allocations.rs"]
#[allow(unexpected_cfgs, unsafe_code)]
mod allocations;

use common::capture;
use common::mutate::{Rng, mutate};
use common::random::Making;
use common::stock::v1;
use prost::Message;
use rows::{Tables, TablesError};
use std::collections::BTreeMap;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// Metric -> its rows: labels, time, bits of the value.
type Rows = BTreeMap<String, Vec<(BTreeMap<String, String>, i64, u64)>>;

/// The rows as prost decodes them; the index of the first series without a metric.
fn expected(body: &[u8]) -> Result<Rows, usize> {
    let mut rows = Rows::new();
    for (index, series) in v1::WriteRequest::decode(body).unwrap().timeseries.into_iter().enumerate() {
        let mut labels: BTreeMap<_, _> = series.labels.into_iter().map(|l| (l.name, l.value)).collect();
        labels.retain(|_, value| !value.is_empty());
        let metric_rows = rows.entry(labels.remove("__name__").ok_or(index)?).or_default();
        metric_rows.extend(series.samples.iter().map(|s| (labels.clone(), s.timestamp, s.value.to_bits())));
    }
    rows.retain(|_, rows| !rows.is_empty());
    Ok(rows)
}

/// The rows of the tables, through `labels`; the columns must agree with them.
fn rows(tables: &Tables) -> Rows {
    let mut all = Rows::new();
    for table in tables.iter() {
        let times = table.timestamps().iter().zip(table.values()).enumerate();
        let labels = |row| table.labels(row).map(|(label, value)| (label.to_string(), value.to_string())).collect();
        let rows: Vec<(BTreeMap<String, String>, _, _)> =
            times.map(|(row, (&time, value))| (labels(row), time, value.to_bits())).collect();
        assert_eq!(table.len(), rows.len());
        for (label, codes) in table.columns() {
            assert_eq!(table.column(label), Some(codes));
            let texts: Vec<_> = codes.iter().map(|&code| tables.text(code)).collect();
            let there: Vec<_> = rows.iter().map(|(labels, ..)| labels.get(label).map_or("", |value| value)).collect();
            assert_eq!(texts, there);
            assert!(there.iter().any(|text| !text.is_empty()), "a column without a value");
        }
        assert_eq!(tables.get(table.metric()).map(|same| same.len()), Some(rows.len()));
        all.insert(table.metric().into(), rows);
    }
    all
}

fn add(to: &mut Rows, more: Rows) {
    for (metric, rows) in more {
        to.entry(metric).or_default().extend(rows);
    }
}

#[test]
fn random_requests_leave_the_rows_that_prost_and_a_map_have() {
    let mut rng = Rng::new(42);
    let mut tables = Tables::default();
    let (mut kept, mut refused) = (Rows::new(), 0);
    for round in 0..3000 {
        let request = Making { rng: &mut rng, faulty: round % 3 == 0 }.v1();
        let mut body = request.encode_to_vec();
        if round % 2 == 0 {
            body = shuffled(&mut rng, &request);
        }
        match (tables.request(&body), expected(&body)) {
            (Ok(added), Ok(more)) => {
                assert_eq!(added, more.values().map(Vec::len).sum::<usize>());
                add(&mut kept, more);
            }
            (Err(TablesError::MetricMissing { series }), Err(index)) => {
                assert_eq!(series, index);
                refused += 1;
            }
            (got, want) => panic!("{got:?}, prost {want:?}"),
        }
        assert_eq!(rows(&tables), kept);
        assert_eq!(tables.len(), kept.values().map(Vec::len).sum::<usize>());
        if rng.below(4) == 0 {
            tables.clear();
            kept.clear();
            assert!(tables.is_empty() && tables.get("up").is_none());
        }
    }
    assert!(refused > 30, "{refused}");
}

/// The fields of the request's series in any order.
fn shuffled(rng: &mut Rng, request: &v1::WriteRequest) -> Vec<u8> {
    let mut body = Vec::new();
    for series in &request.timeseries {
        let series = Making { rng, faulty: false }.shuffled(&series.encode_to_vec());
        body.push(0x0a);
        hotpb::wire::append_varint(&mut body, series.len() as u64);
        body.extend(series);
    }
    body
}

#[test]
fn damaged_requests_poison_nothing() {
    let mut rng = Rng::new(7);
    let mut tables = Tables::default();
    let (mut kept, mut refused, mut compared) = (Rows::new(), 0, 0);
    for _ in 0..6000 {
        let first = Making { rng: &mut rng, faulty: false }.v1().encode_to_vec();
        let second = Making { rng: &mut rng, faulty: false }.v1().encode_to_vec();
        let damaged = mutate(&mut rng, &first, &second);
        let mut fresh = Tables::default();
        let alone = fresh.request(&damaged);
        assert_eq!(tables.request(&damaged), alone, "what came before makes a difference: {damaged:?}");
        match &alone {
            Ok(_) => {
                // prost refuses a field of another wire type, which is an unknown field elsewhere.
                if v1::WriteRequest::decode(&*damaged).is_ok() {
                    assert_eq!(Ok(rows(&fresh)), expected(&damaged));
                    compared += 1;
                }
                add(&mut kept, rows(&fresh));
            }
            Err(_) => refused += 1,
        }
        assert_eq!(rows(&tables), kept);
        tables.request(&first).unwrap();
        add(&mut kept, expected(&first).unwrap());
        assert_eq!(rows(&tables), kept);
        if kept.len() > 5 || rng.below(8) == 0 {
            tables.clear();
            kept.clear();
        }
    }
    assert!(refused > 1000 && compared > 200, "{refused} refused, {compared} compared with prost");
}

fn series(labels: &[(&str, &str)], samples: usize) -> v1::TimeSeries {
    let label = |&(name, value): &(&str, &str)| v1::Label { name: name.into(), value: value.into() };
    let samples = (0..samples).map(|n| v1::Sample { value: n as f64, timestamp: n as i64 }).collect();
    v1::TimeSeries { labels: labels.iter().map(label).collect(), samples, ..Default::default() }
}

fn body(timeseries: Vec<v1::TimeSeries>) -> Vec<u8> {
    v1::WriteRequest { timeseries, ..Default::default() }.encode_to_vec()
}

#[test]
fn a_label_that_comes_twice_or_empty() {
    let up = ("__name__", "up");
    let cases: &[&[(&str, &str)]] = &[
        &[("a", "1"), up, ("a", "2")],
        &[up, ("a", "1"), ("a", "")],
        &[("__name__", "down"), ("b", "1"), up],
        &[up, ("new", "")],
        &[up, ("", "no name")],
        &[("b", "2"), ("a", "1"), up],
    ];
    let body = body(cases.iter().map(|labels| series(labels, 1)).collect());
    let mut tables = Tables::default();
    for times in 1..3 {
        tables.request(&body).unwrap();
        let mut want = Rows::new();
        (0..times).for_each(|_| add(&mut want, expected(&body).unwrap()));
        assert_eq!(rows(&tables), want);
    }
    assert_eq!(tables.get("up").unwrap().column("new"), None);
}

/// A refused request has a new column for a table with rows, and rows for a table without.
#[test]
fn a_refused_request_leaves_no_column_and_no_row() {
    let (good, up) = (body(vec![series(&[("__name__", "up"), ("a", "1")], 3)]), ("__name__", "up"));
    let mut tables = Tables::default();
    tables.request(&good).unwrap();
    let before = rows(&tables);
    let mut bad = body(vec![series(&[up, ("late", "x")], 2), series(&[("__name__", "other")], 1)]);
    let whole = bad.clone();
    bad.extend(b"\x0a\x05\x0a");
    let error = tables.request(&bad).unwrap_err();
    assert!(error.to_string().starts_with("malformed: Truncated at byte"), "{error}");
    assert_eq!(rows(&tables), before);
    assert!(tables.get("other").is_none() && tables.get("up").unwrap().column("late").is_none());
    tables.request(&whole).unwrap();
    let mut want = before;
    add(&mut want, expected(&whole).unwrap());
    assert_eq!(rows(&tables), want);
    // Text that is not UTF-8, in a label that is not known.
    let error = tables.request(b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\xff\xff").unwrap_err();
    assert_eq!(error.to_string(), "malformed: InvalidUtf8 at byte 9: timeseries[0].labels[0].value");
    assert_eq!(rows(&tables), want);
}

#[test]
fn known_requests_do_not_allocate() {
    let body = capture(1);
    let mut tables = Tables::default();
    for _ in 0..2 {
        tables.clear();
        tables.request(&body).unwrap();
    }
    tables.clear();
    let (added, calls, _) = allocations::count(|| tables.request(&body));
    assert_eq!((added.unwrap(), calls), (tables.len(), 0));
    assert!(!tables.is_empty());
}

#[test]
fn series_are_forgotten_and_come_back() {
    let mut tables = Tables::new(1 << 20);
    let (mut most, mut forgotten, mut before) = (0, 0, 0);
    for n in 0..400 {
        let names: Vec<String> = (0..100).map(|i| format!("never-seen-before-{n}-{i}")).collect();
        let named = |name: &String| series(&[("__name__", "up"), ("pod", name)], 1);
        let request = body(names.iter().map(named).collect());
        tables.clear();
        assert_eq!(tables.request(&request), Ok(100));
        assert_eq!(rows(&tables), expected(&request).unwrap());
        most = most.max(tables.series_bytes());
        forgotten += usize::from(tables.series_bytes() < before);
        before = tables.series_bytes();
    }
    assert!(most <= 1 << 20 && forgotten > 3, "{most} bytes, forgotten {forgotten} times");
}

/// Rows that nobody takes end in `Full`; the tables are good for the same request once they are read.
#[test]
fn rows_are_bounded() {
    let request = body(vec![series(&[("__name__", "up"), ("a", "1")], 1000)]);
    let mut tables = Tables::new(1 << 20);
    let mut times = 0;
    let error = loop {
        match tables.request(&request) {
            Ok(_) => times += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), "needs more than 1048576 bytes");
    assert_eq!((times, tables.len()), (23, 23_000)); // of 44 bytes each
    tables.clear();
    assert_eq!(tables.request(&request), Ok(1000));
}

/// The smallest records, and products of rows, series and columns: all of them end in little memory and time.
#[test]
fn hostile_bodies_cost_bounded_memory() {
    let up = ("__name__", "up");
    let names: Vec<String> = (0..60_000).map(|n| format!("{n:x}")).collect();
    let wide: Vec<_> = std::iter::once(up).chain(names.iter().map(|name| (&**name, "1"))).collect();
    let each = |name: &String| series(&[up, (name, "1")], 1);
    let mut empty_samples = body(vec![series(&[up], 0)]);
    empty_samples = {
        let mut inside = empty_samples[2..].to_vec();
        inside.extend(b"\x12\0".repeat(1 << 20));
        let mut body = vec![0x0a];
        hotpb::wire::append_varint(&mut body, inside.len() as u64);
        body.extend(inside);
        body
    };
    let metrics = names.iter().map(|name| series(&[("__name__", name)], 1)).collect();
    let bodies = [
        ("many samples", empty_samples),
        ("one series with many labels", body(vec![series(&wide, 1)])),
        ("many rows of many columns", body(vec![series(&wide, 2000)])),
        ("a column for each row", body(names.iter().map(each).collect())),
        ("many metrics", body(metrics)),
        ("many empty series", b"\x0a\0".repeat(1 << 20)),
    ];
    let limit = 4 << 20;
    let up = body(vec![series(&[up], 1)]);
    let mut tables = Tables::new(limit);
    for (about, hostile) in &bodies {
        let (done, _, bytes) = allocations::count(|| tables.request(hostile));
        assert!(matches!(done, Err(TablesError::Full { .. } | TablesError::MetricMissing { .. })), "{about}: {done:?}");
        assert!(bytes < 16 * limit as u64, "{about}: {bytes} bytes were allocated, growth included");
        assert_eq!(tables.request(&up), Ok(1), "{about}");
        tables.clear();
    }
}

/// The program of docs/rust-remote-write.md.
#[test]
fn the_program_of_the_page() {
    let bodies: &[&[u8]] = &[&capture(1), b"\x0a\x05", &capture(1)];
    let (mut refused, mut cells, mut sum) = (Vec::new(), 0, 0.0);
    let mut labels = std::collections::BTreeSet::new();
    let mut tables = Tables::default(); // keep it per worker
    for body in bodies {
        if let Err(error) = tables.request(body) {
            refused.push(error.to_string()); // no row of it stays
        }
        for table in tables.iter() {
            for (label, codes) in table.columns() {
                cells += codes.iter().filter(|&&code| code != 0).count(); // 0: the row does not have the label
                labels.extend(codes.iter().map(|&code| (label.to_string(), tables.text(code).to_string())));
            }
            sum += table.values().iter().sum::<f64>(); // and table.timestamps(), as many
        }
        tables.clear(); // the rows go, the series stay known
    }
    let (mut want, mut names, mut total) = (0, std::collections::BTreeSet::new(), 0.0);
    for (labels, _, value) in expected(bodies[0]).unwrap().into_values().flatten() {
        (want, total) = (want + labels.len(), total + f64::from_bits(value));
        names.extend(labels);
    }
    labels.retain(|(_, value)| !value.is_empty());
    assert_eq!((cells, labels), (2 * want, names));
    assert!(sum == 2.0 * total || sum.is_nan() && total.is_nan() || (sum - 2.0 * total).abs() < 1e-6 * sum.abs());
    assert_eq!(refused, ["malformed: Truncated at byte 2: timeseries[0]"]);

    let page = include_str!("../../../docs/rust-remote-write.md");
    let (_, block) = page.split_once("```rust\nlet mut tables").expect("the page has the program");
    let (block, _) = block.split_once("```").unwrap();
    let indented: Vec<String> = block.lines().skip(1).map(|line| format!("    {line}\n")).collect();
    assert!(include_str!("tables.rs").contains(&indented.concat()), "the page has another program");
}
