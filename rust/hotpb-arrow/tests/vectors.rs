//! The vectors of the repository: an input that decodes has the values that a plain reference decoder finds in its
//! canonical bytes; it is written as these bytes again; one that does not decode has its error.

use crate::{Seen, Tree};
use arrow_array::RecordBatch;
use hotpb_arrow::{Options, ReadOptions, Reader, Table, Types, Unchecked};
use hotpb_tests_corpus::{Value, binding, bytes, hex, on_a_large_stack, root};
use std::collections::HashMap;

fn rows(name: &str) -> Vec<Value> {
    // No message sets, which have no columns; and there is no limit of elements, nor the pool's of memory.
    let sets = |v: &Value| v["message"].as_str().unwrap().ends_with(".MessageSet");
    let limits =
        |v: &Value| v["options"]["elements"].is_u64() || v["ids"].as_array().unwrap().iter().any(|id| id == "LIM-3");
    binding(name, "pool").into_iter().filter(|v| !sets(v) && !limits(v)).collect()
}

struct Tables {
    types: Types,
    plan: hotpb_codegen::plan::Plan,
    tables: HashMap<(String, bool), Table>,
    options: Options,
}

impl Tables {
    fn new(options: Options) -> Tables {
        let set = std::fs::read(root().join("vectors/plans/vectors.fds")).unwrap();
        Tables { types: Types::read(&set).unwrap(), plan: crate::plan(&set), tables: HashMap::new(), options }
    }

    fn table(&mut self, v: &Value) -> Table {
        let strict = v["options"]["strict"].as_bool().unwrap_or(false);
        let name = v["message"].as_str().unwrap().to_string();
        let unchecked = if strict { Unchecked::Refuse } else { Unchecked::Binary };
        let options = self.options.clone().unchecked_strings(unchecked);
        // The largest message would be too large with more levels.
        let options = if name.ends_with(".All") { options } else { options.recursion(3) };
        let types = &self.types;
        self.tables.entry((name.clone(), strict)).or_insert_with(|| types.table(&name, &options).unwrap()).clone()
    }
}

fn read_options(v: &Value) -> ReadOptions {
    let mut options = ReadOptions::new().max_memory(16 << 20);
    for (key, value) in v["options"].as_object().into_iter().flatten() {
        options = match key.as_str() {
            "depth" => options.depth(value.as_u64().unwrap() as u32),
            "size" => options.max_size(value.as_u64().unwrap() as usize),
            "allow_partial" => options.allow_partial(),
            "strict" => options,
            other => panic!("an option unknown to the test: {other}"),
        };
    }
    options
}

fn decode(table: &Table, options: ReadOptions, input: &[u8]) -> Result<RecordBatch, hotpb_arrow::ReadError> {
    push(&mut table.reader(options), input)
}

fn push(reader: &mut Reader, input: &[u8]) -> Result<RecordBatch, hotpb_arrow::ReadError> {
    assert!(reader.push(input)?.is_none());
    let batch = reader.finish().unwrap();
    assert!(reader.finish().is_none());
    Ok(batch)
}

fn check(failures: Vec<String>, total: usize) {
    let shown = failures.len().min(20);
    assert!(failures.is_empty(), "{} of {total}:\n{}", failures.len(), failures[..shown].join("\n"));
}

#[test]
fn good_vectors_have_the_values_of_their_canonical_bytes_and_are_written_as_these() {
    for options in [Options::new(), Options::new().unions(), Options::new().enum_numbers().dictionaries(["*"])] {
        on_a_large_stack(move || good_vectors(options.extensions()));
    }
}

fn good_vectors(options: Options) {
    let mut readers = HashMap::new();
    let (mut tables, mut failures, mut total, mut exact) = (Tables::new(options), Vec::new(), 0, 0);
    for v in rows("wire.jsonl") {
        if v["options"]["allow_partial"].is_boolean() {
            continue; // required fields that are missing have defaults (ARW-11)
        }
        total += 1;
        let table = tables.table(&v);
        // One reader for all vectors of a message: what one leaves would show in the next.
        let reader = match v["options"].is_null() {
            true => readers
                .entry(v["message"].as_str().unwrap().to_string())
                .or_insert_with(|| table.reader(read_options(&v))),
            false => &mut table.reader(read_options(&v)),
        };
        let batch = match push(reader, &bytes(&v["input"])) {
            Ok(batch) => batch,
            Err(e) => {
                // A column of an extension asks for it; without such columns, nobody does.
                let name = v["message"].as_str().unwrap();
                let without = tables.types.table(name, &Options::new()).unwrap();
                if !v["name"].as_str().unwrap().contains("extension") {
                    failures.push(format!("{}: {e}", v["name"]));
                } else if let Err(e) = decode(&without, read_options(&v), &bytes(&v["input"])) {
                    failures.push(format!("{} without extensions: {e}", v["name"]));
                }
                continue;
            }
        };
        let plan = &tables.plan;
        let id = plan.find_message(v["message"].as_str().unwrap()).unwrap();
        let canonical =
            bytes(if v["exceptions"]["pool"].is_string() { &v["exceptions"]["pool"] } else { &v["canonical"] });
        let (mut want, mut seen) = (Tree::new(), Seen::default());
        crate::read(plan, id, &canonical, &mut want, &mut seen);
        if crate::row(plan, id, &batch, 0) != want {
            failures.push(format!("{}: {:?} instead of {want:?}", v["name"], crate::row(plan, id, &batch, 0)));
            continue;
        }
        let mut messages = match table.messages(&batch) {
            Ok(messages) => messages,
            Err(e) => {
                failures.push(format!("{}: {e}", v["name"]));
                continue;
            }
        };
        let out = messages.next().unwrap().unwrap().to_vec();
        assert!(messages.next().is_none());
        let mut tree = Tree::new();
        crate::read(plan, id, &out, &mut tree, &mut Seen::default());
        if tree != want {
            failures.push(format!("{}: written as {}", v["name"], hex(&out)));
        }
        exact += (out == canonical) as usize;
        // Unknown fields are not written, a nested message of the same type keeps the form it came in, and a map its order.
        let kept = v["input"] != v["canonical"] && want.values().any(holds_message) || want.values().any(holds_map);
        if out != canonical && !seen.unknown && !kept {
            failures.push(format!("{}: written as {} instead of {}", v["name"], hex(&out), hex(&canonical)));
        }
    }
    println!("{total} vectors, {exact} written exactly");
    assert!(exact > total / 2);
    check(failures, total);
}

fn holds_map(value: &crate::Value) -> bool {
    match value {
        crate::Value::Message(tree) => tree.values().any(holds_map),
        crate::Value::List(list) => list.iter().any(holds_map),
        crate::Value::Map(map) => map.len() > 1 || map.values().any(holds_map),
        _ => false,
    }
}

fn holds_message(value: &crate::Value) -> bool {
    match value {
        crate::Value::Message(_) => true,
        crate::Value::List(list) => list.iter().any(holds_message),
        crate::Value::Map(map) => map.values().any(holds_message),
        _ => false,
    }
}

#[test]
fn bad_vectors_have_their_error_and_leave_no_trace() {
    on_a_large_stack(bad_vectors);
}

fn bad_vectors() {
    let (mut tables, mut failures, mut total) = (Tables::new(Options::new()), Vec::new(), 0);
    let mut readers = HashMap::new();
    for v in rows("invalid.jsonl") {
        // Required fields inside of a column of bytes are not looked for (ARW-16).
        if v["error"]["path"].as_str().is_some_and(|path| path.starts_with("repeated_all[1].needs.")) {
            continue;
        }
        total += 1;
        let table = tables.table(&v);
        let input = bytes(&v["input"]);
        let want = &v["error"];
        match decode(&table, read_options(&v), &input) {
            Ok(_) => failures.push(format!("{}: no error instead of {want}", v["name"])),
            Err(e) => {
                let e = e.error();
                let same = want["code"] == e.code().name()
                    && want["offset"].as_u64().is_none_or(|at| at == e.offset() as u64)
                    && want["path"].as_str().is_none_or(|path| path == e.path());
                if !same {
                    failures.push(format!("{}: {e} instead of {want}", v["name"]));
                }
            }
        }
        // One reader per message skips all of them.
        let name = v["message"].as_str().unwrap().to_string();
        if v["options"].is_null() {
            let reader = readers.entry(name).or_insert_with(|| (table.reader(ReadOptions::new().skip_bad()), 0, table));
            reader.0.push(&input).unwrap();
            reader.1 += 1;
        }
    }
    check(failures, total);
    for (name, (mut reader, bad, table)) in readers {
        assert_eq!((reader.skipped(), reader.rows()), (bad, 0), "{name}");
        if name.ends_with(".All") {
            reader.push(&[]).unwrap();
            let batch = reader.finish().unwrap();
            assert_eq!(batch, decode(&table, ReadOptions::new(), &[]).unwrap());
        }
    }
}
