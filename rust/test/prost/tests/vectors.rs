//! The vectors of the repository, and prost: what it decodes, hotpb decodes to the same struct. Errors are those of the
//! vectors (COD-70, COD-72, COD-73, COD-76).

use hotpb::codec::DecodeOptions;
use hotpb_prost_tests::{Decode, PAIRS, Pair};
use hotpb_tests_corpus::{STACK, Value, bytes, lines, on_a_large_stack};
use std::collections::HashMap;

/// Returns the pair of a vector, if there is one.
fn pair(v: &Value) -> Option<&'static Pair> {
    PAIRS.iter().find(|pair| v["message"] == pair.name)
}

fn options(v: &Value) -> DecodeOptions {
    // Without optimisation a level of the widest message needs up to 32 KiB of the stack.
    let mut options = DecodeOptions { stack: STACK / 2, ..DecodeOptions::default() };
    for (key, value) in v["options"].as_object().into_iter().flatten() {
        match key.as_str() {
            "depth" => {
                options.depth = value.as_u64().unwrap() as u32;
                options.memory = Some(16 << 20);
            }
            "size" => options.size = value.as_u64().unwrap() as usize,
            "elements" => options.elements = Some(value.as_u64().unwrap() as usize),
            "strict" | "allow_partial" => {}
            other => panic!("an option unknown to the test: {other}"),
        }
    }
    options
}

/// One struct for all vectors of a message: content that remains would show up.
#[derive(Default)]
struct Structs(HashMap<&'static str, Box<dyn Decode>>);

impl Structs {
    fn get(&mut self, pair: &Pair) -> &mut dyn Decode {
        &mut **self.0.entry(pair.name).or_insert_with(pair.hotpb)
    }
}

#[test]
fn a_good_vector_becomes_the_struct_that_prost_decodes() {
    on_a_large_stack(|| {
        let (mut structs, mut equal, mut refused, mut wrong) = (Structs::default(), 0, 0, Vec::new());
        for v in lines("wire.jsonl") {
            let Some(pair) = pair(&v) else { continue };
            let (name, input) = (v["name"].as_str().unwrap(), bytes(&v["input"]));
            let hotpb = structs.get(pair).decode(&input, &options(&v));
            match ((pair.prost)(&input), hotpb) {
                (Ok(theirs), Ok(hotpb)) if theirs == hotpb => equal += 1,
                (Ok(theirs), Ok(hotpb)) => wrong.push(format!("{name}: {hotpb}\n  instead of {theirs}")),
                (Ok(_), Err(error)) => wrong.push(format!("{name}: {error}")),
                // prost refuses a record of an unexpected wire type, groups as unknown fields in deep messages, and more
                // than 100 levels. hotpb must decode it to what it decodes from the canonical bytes.
                (Err(theirs), Ok(hotpb)) => {
                    refused += 1;
                    let canonical = v["canonical"].as_str().map(|_| bytes(&v["canonical"])).unwrap();
                    let reread = structs.get(pair).decode(&canonical, &options(&v));
                    if reread.as_ref() != Ok(&hotpb) {
                        wrong.push(format!("{name}: {hotpb}\n  instead of {reread:?} ({theirs})"));
                    }
                }
                // Strings of proto2 that are not UTF-8.
                (Err(_), Err(error)) if error.code() == hotpb::Code::InvalidUtf8 => refused += 1,
                (Err(_), Err(error)) => wrong.push(format!("{name}: {error}")),
            }
        }
        println!("{equal} equal, {refused} that prost refuses");
        assert!(equal > 500 && refused > 0, "{equal} {refused}");
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
    });
}

#[test]
fn a_bad_vector_is_refused_with_its_error() {
    on_a_large_stack(|| {
        let (mut structs, mut total, mut unchecked, mut wrong) = (Structs::default(), 0, 0, Vec::new());
        for v in lines("invalid.jsonl") {
            let Some(pair) = pair(&v) else { continue };
            let expected = &v["error"];
            // prost's structs do not say which required fields are absent.
            if expected["code"] == "MissingRequired" {
                continue;
            }
            total += 1;
            let name = v["name"].as_str().unwrap();
            match structs.get(pair).decode(&bytes(&v["input"]), &options(&v)) {
                Ok(text) => wrong.push(format!("{name}: accepted: {text}")),
                // Strings of proto2, which the vectors do not check: prost's strings are Rust's.
                Err(error) if error.code() == hotpb::Code::InvalidUtf8 && expected["code"] != "InvalidUtf8" => {
                    assert!(pair.name.contains("p2") || pair.name.contains("proto2"), "{name}: {error}");
                    unchecked += 1;
                }
                Err(error) => {
                    let right = expected["code"] == error.code().name()
                        && (expected["offset"].is_null() || expected["offset"].as_u64() == Some(error.offset() as u64))
                        && expected["path"].as_str().is_none_or(|path| path == error.path());
                    if !right {
                        wrong.push(format!("{name}: {error} instead of {expected}"));
                    }
                }
            }
        }
        println!("{total} vectors, {unchecked} with a string of proto2 that is not UTF-8");
        assert!(total - unchecked > 900, "{total} {unchecked}");
        assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
    });
}
