//! Properties over the vectors: fewer columns change nothing in those that stay, and damaged messages are refused or
//! read as valid arrays. HOTPB_FUZZ_SECONDS=60 goes on for a minute; HOTPB_FUZZ_SEED selects another sequence.

use arrow_array::{Array, RecordBatch};
use hotpb::Code;
use hotpb_arrow::{Options, ReadOptions, Table, Types};
use hotpb_tests_corpus::{bytes, lines, root};
use std::time::Instant;

fn inputs(message: &str) -> Vec<Vec<u8>> {
    let mut vectors = lines("wire.jsonl");
    vectors.retain(|v| v["message"] == message && v["options"].is_null());
    vectors.iter().map(|v| bytes(&v["input"])).collect()
}

fn types() -> Types {
    Types::read(&std::fs::read(root().join("vectors/plans/vectors.fds")).unwrap()).unwrap()
}

fn read(table: &Table, inputs: &[Vec<u8>]) -> RecordBatch {
    let mut reader = table.reader(ReadOptions::new().batch_rows(1 << 20));
    for input in inputs {
        assert!(reader.push(input).unwrap().is_none());
    }
    reader.finish().unwrap()
}

/// ARW-20: of each message, each column alone is the column of the whole.
#[test]
fn a_column_alone_is_the_column_of_the_whole() {
    let types = types();
    for message in ["hotpb.vectors.p3.All", "hotpb.vectors.p2.All", "hotpb.vectors.e23.All"] {
        let mut inputs = inputs(message);
        let whole = types.table(message, &Options::new()).unwrap();
        // Some vectors are good only because nobody asks for what is in them.
        let mut probe = whole.reader(ReadOptions::new());
        inputs.retain(|input| probe.push(input).is_ok());
        assert!(inputs.len() > 500);
        let all = read(&whole, &inputs);
        let mut alone = 0;
        for (field, column) in all.schema_ref().fields().iter().zip(all.columns()) {
            let table = types.table(message, &Options::new().columns([field.name()])).unwrap();
            let batch = read(&table, &inputs);
            assert_eq!(batch.num_columns(), 1);
            assert_eq!(batch.column(0), column, "{message} {}", field.name());
            alone += 1;
        }
        assert!(alone > 100, "{alone} columns");
        // One column inside of a message, a map and a oneof.
        for (path, names) in
            [("single_child.name", &["single_child", "name"][..]), ("oneof_child.pick_id", &["oneof_child", "pick_id"])]
        {
            let table = types.table(message, &Options::new().columns([path])).unwrap();
            if message.contains("p3") {
                let (batch, expected) = (read(&table, &inputs), all.column_by_name(names[0]).unwrap());
                let (batch, expected) = (batch.column(0).as_any(), expected.as_any());
                let part = |array: &dyn std::any::Any| {
                    let array = array.downcast_ref::<arrow_array::StructArray>().unwrap().clone();
                    (array.nulls().cloned(), array.column_by_name(names[1]).unwrap().clone())
                };
                assert_eq!(part(batch), part(expected), "{path}");
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

fn damage(random: &mut Random, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = inputs[random.below(inputs.len())].clone();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_slice(&inputs[random.below(inputs.len())]),
            2 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            3 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            4 => bytes.insert(at, random.below(256) as u8),
            _ if at < bytes.len() => drop(bytes.drain(at..(at + 1 + random.below(4)).min(bytes.len()))),
            _ => {}
        }
    }
    bytes
}

#[test]
fn damaged_messages_are_refused_or_read_as_valid_arrays() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let seconds = number("HOTPB_FUZZ_SECONDS").unwrap_or(0.0) / 3.0;
    let types = types();
    let random = &mut Random(number("HOTPB_FUZZ_SEED").unwrap_or(7.0) as u64);
    for (message, options) in [
        ("hotpb.vectors.p3.All", Options::new().dictionaries(["*"])),
        ("hotpb.vectors.p2.All", Options::new().unions().extensions()),
        ("hotpb.vectors.e23.All", Options::new().enum_numbers()),
    ] {
        let inputs = inputs(message);
        let table = types.table(message, &options).unwrap();
        let mut reader = table.reader(ReadOptions::new().batch_rows(1 << 20));
        let (mut good, mut bad, begin) = (0, 0, Instant::now());
        for round in 0.. {
            if round >= 2000 && begin.elapsed().as_secs_f64() >= seconds {
                break;
            }
            match reader.push(&damage(random, &inputs)) {
                Ok(_) => good += 1,
                Err(e) => {
                    // The cold decoder must find what the fast one did.
                    assert!(e.code() != Code::CountExceeded, "{e}");
                    bad += 1;
                }
            }
            if round % 200 == 199 {
                let batch = reader.finish().unwrap();
                for column in batch.columns() {
                    column.to_data().validate_full().unwrap();
                }
                let mut stream = Vec::new();
                table.messages(&batch).unwrap().append_delimited(&mut stream).unwrap();
                let repeated =
                    table.read_delimited(&stream[..], ReadOptions::new().batch_rows(1 << 20)).next().unwrap().unwrap();
                for (a, b) in repeated.columns().iter().zip(batch.columns()) {
                    assert_eq!(a, b);
                }
            }
        }
        println!("{message}: {good} good, {bad} bad");
        assert!(good.min(bad) > (good + bad) / 10, "{good} good, {bad} bad");
    }
}
