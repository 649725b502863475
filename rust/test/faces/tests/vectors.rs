//! The vectors of the repository, for the face `pool`: an input that decodes must encode again to the canonical bytes;
//! one that does not must return the error, offset and path of the vector. An unexpected pass fails, too.

use hotpb::pool::DecodeOptions;
use hotpb::wire::{Reader, is_utf8, utf8_error_at};
#[cfg(feature = "tables")]
use hotpb_tests::cold;
use hotpb_tests::hot;
use hotpb_tests::mutate::{Rng, mutate};
use hotpb_tests::properties::Tiers;
use hotpb_tests::vectors::reencode::{BUILDERS, HANDLES, Reencoder, TABLE, VISITORS};
use hotpb_tests_corpus::*;
use std::collections::HashMap;

/// The messages of a unit, each with the constructor of its re-encoder.
type Table = [(&'static str, fn() -> Reencoder)];

/// The same messages with the tiers of the plan, all straight, and all by table.
const TIERS: &[(&str, &Table)] = &[
    ("by the rule", TABLE),
    ("straight", hot::reencode::TABLE),
    #[cfg(feature = "tables")]
    ("by table", cold::reencode::TABLE),
];

/// One pool per message type, used for all of its vectors: a leftover field would show up.
struct Pools(HashMap<&'static str, Reencoder>);

impl Pools {
    fn new() -> Pools {
        Pools::from_table(TABLE)
    }

    fn from_table(table: &Table) -> Pools {
        Pools(table.iter().map(|(name, make)| (*name, make())).collect())
    }

    fn reencode(&mut self, v: &Value, input: &[u8]) -> Result<Vec<u8>, hotpb::Error> {
        let name = v["message"].as_str().expect("message");
        let reencode = self.0.get_mut(name).unwrap_or_else(|| panic!("no message {name}"));
        reencode(input, &options(v))
    }
}

#[test]
fn every_good_vector_encodes_to_its_canonical_bytes() {
    on_a_large_stack(|| {
        for (tier, table) in TIERS {
            let mut pools = Pools::from_table(table);
            good("pool", tier, &mut |v, input| pools.reencode(v, input));
        }
    });
}

#[test]
fn every_good_vector_is_encoded_to_its_canonical_bytes_by_handles_builders_and_what_visitors_fill() {
    on_a_large_stack(|| {
        encoders("handles", HANDLES);
        encoders("handles of straight messages", hot::reencode::HANDLES);
        #[cfg(feature = "tables")]
        encoders("handles of messages by table", cold::reencode::HANDLES);
        encoders("builders", BUILDERS);
        encoders("visitors", VISITORS);
    });
}

#[test]
fn every_bad_vector_gives_its_error_to_a_visitor() {
    on_a_large_stack(bad_vectors_visited);
}

fn bad_vectors_visited() {
    let (mut visitors, mut handles, mut failures, mut total) =
        (Pools::from_table(VISITORS), Pools::from_table(HANDLES), Vec::new(), 0);
    for v in &binding("invalid.jsonl", "pool") {
        let input = bytes(&v["input"]);
        // A visit stores nothing, so the memory limit does not bind it.
        if v["ids"].as_array().expect("ids").iter().any(|id| id == "LIM-3") {
            continue;
        }
        // Errors inside extensions are found only by reading the extensions.
        let Err(of_handle) = handles.reencode(v, &input) else { continue };
        total += 1;
        match visitors.reencode(v, &input) {
            Ok(out) => failures.push(format!("{}: visited as {} instead of {}", v["name"], hex(&out), v["error"])),
            Err(e) if e == of_handle && matches(&e, &v["error"]) => {}
            // Absent fields are reported by the builder's encoder: without an offset, and with maps in order of keys.
            Err(e) if e.code() == hotpb::Code::MissingRequired && of_handle.code() == e.code() => {}
            Err(e) => failures.push(format!("{}: {e} instead of {}", v["name"], v["error"])),
        }
    }
    report("bad vectors, visited", failures, total);
}

/// An encoder writes canonical bytes, except for extensions: these stay among the unknown fields, where the re-encoder
/// finds them.
fn encoders(subject: &str, table: &Table) {
    let (mut encoders, mut pools, mut failures, mut total) = (Pools::from_table(table), Pools::new(), Vec::new(), 0);
    for v in &binding("wire.jsonl", "pool") {
        total += 1;
        let canonical = canonical(v, "pool");
        let of_extensions = |id: &Value| ["EXT-", "SET-", "REQ-4"].iter().any(|x| id.as_str().unwrap().starts_with(x));
        let everything = v["name"].as_str().expect("name").contains("_message_with_everything");
        let extensions = everything || v["ids"].as_array().expect("ids").iter().any(of_extensions);
        let encoded = encoders.reencode(v, &bytes(&v["input"])).and_then(|out| {
            let reencoded = pools.reencode(v, &out)?;
            Ok((out, reencoded))
        });
        match encoded {
            Ok((out, reencoded)) if hex(&reencoded) == canonical && (extensions || out == reencoded) => {}
            Ok((out, reencoded)) => failures.push(format!(
                "{}: {}, read as {}, instead of {canonical}",
                v["name"],
                hex(&out),
                hex(&reencoded)
            )),
            Err(e) => failures.push(format!("{}: {e}", v["name"])),
        }
    }
    report(subject, failures, total);
}

#[test]
fn every_bad_vector_gives_its_error_offset_and_path() {
    on_a_large_stack(|| {
        for (tier, table) in TIERS {
            let mut pools = Pools::from_table(table);
            bad("pool", tier, &mut |v, input| pools.reencode(v, input));
        }
    });
}

#[test]
fn straight_code_and_tables_agree_on_every_vector_and_on_damaged_ones() {
    on_a_large_stack(tiers_agree);
}

fn tiers_agree() {
    let (mut tiers, mut rng, mut before, mut total) = (Tiers::default(), Rng::new(16), Vec::new(), 0);
    for file in ["wire.jsonl", "invalid.jsonl"] {
        for v in &binding(file, "pool") {
            let (name, input) = (v["message"].as_str().expect("message"), bytes(&v["input"]));
            tiers.agree(name, &input, &options(v));
            let damaged = mutate(&mut rng, &input, &before);
            // Memory that may not suffice: both tiers run out of it at the same record.
            let memory = [None, Some(rng.below(3000))][rng.below(2)];
            tiers.agree(name, &damaged, &DecodeOptions { memory, ..options(v) });
            before = input;
            total += 1;
        }
    }
    report("vectors, in both tiers", Vec::new(), total);
}

#[test]
fn every_stream_gives_its_messages_and_then_its_error() {
    let mut pools = Pools::new();
    streams("pool", &mut |v, input| pools.reencode(v, input));
}

#[test]
fn every_primitive_is_read_as_its_vector_says() {
    let (mut failures, mut total) = (Vec::new(), 0);
    for v in lines("primitive.jsonl") {
        total += 1;
        let input = bytes(&v["input"]);
        let good = match v["kind"].as_str().expect("kind") {
            "varint" => match Reader::new(&input).varint() {
                Ok(value) => v["value"].as_str() == Some(&value.to_string()),
                Err(e) => matches(&e, &v["error"]),
            },
            "utf8" => {
                let at = utf8_error_at(&input).map(|at| at as u64);
                v["value"].as_bool() == Some(is_utf8(&input)) && at == v["error"]["offset"].as_u64()
            }
            other => panic!("a kind of vector unknown to the test: {other}"),
        };
        if !good {
            failures.push(format!("{v}"));
        }
    }
    report("primitives", failures, total);
}
