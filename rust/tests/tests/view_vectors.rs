//! The vectors of the repository, for the face `view`: an input that opens must encode again to the canonical bytes; one
//! that does not must return the error, offset and path of the vector. An unexpected pass fails, too.

use hotpb::pool::DecodeOptions;
use hotpb::wire::{DelimitedReader, MAX_SIZE};
use hotpb_tests::mutate::{Rng, mutate};
use hotpb_tests::properties::Views;
use serde_json::Value;
use std::path::PathBuf;

fn lines(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../build/vectors").join(name);
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; run tools/vectors/compile", path.display()));
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("a line of JSON")).collect();
    lines.into_iter().filter(|v| v["faces"].as_array().expect("faces").iter().any(|f| f == "view")).collect()
}

fn bytes(v: &Value) -> Vec<u8> {
    let hex = v.as_str().expect("hex");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn options(v: &Value) -> DecodeOptions {
    let mut options = DecodeOptions::default();
    for (key, value) in v["options"].as_object().into_iter().flatten() {
        match key.as_str() {
            "strict" => options.strict = value.as_bool().unwrap(),
            "depth" => {
                options.depth = value.as_u64().unwrap() as u32;
                // For the pool, to which the view is compared.
                (options.memory, options.stack) = (Some(16 << 20), STACK / 2);
            }
            "size" => options.size = value.as_u64().unwrap() as usize,
            "allow_partial" => options.allow_partial = value.as_bool().unwrap(),
            other => panic!("an option unknown to the test: {other}"),
        }
    }
    options
}

/// Encodes the input of a vector again.
fn reencode(views: &mut Views, v: &Value, input: &[u8], options: &DecodeOptions) -> Result<Vec<u8>, hotpb::Error> {
    views.reencode(v["message"].as_str().expect("message"), input, options)
}

fn error_matches(error: &hotpb::Error, expected: &Value) -> bool {
    expected["code"] == error.code().name()
        && (expected["offset"].is_null() || expected["offset"].as_u64() == Some(error.offset() as u64))
        && expected["path"].as_str().is_none_or(|path| path == error.path())
}

fn report(subject: &str, failures: Vec<String>, total: usize) {
    println!("{subject}: {total} vectors");
    assert!(total > 0, "no vector of {subject} applies to the view");
    let shown = failures.len().min(40);
    assert!(failures.is_empty(), "{} of {total} {subject}:\n{}", failures.len(), failures[..shown].join("\n"));
}

/// Vectors nest a thousand levels deep, and the re-encoder needs stack for that.
const STACK: usize = 256 << 20;

fn on_a_large_stack(test: fn()) {
    std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap();
}

#[test]
fn every_good_vector_encodes_to_its_canonical_bytes() {
    on_a_large_stack(|| {
        let (mut views, mut failures, mut total) = (Views::default(), Vec::new(), 0);
        for v in lines("wire.jsonl") {
            total += 1;
            let canonical = v["exceptions"]["view"].as_str().or(v["canonical"].as_str()).expect("canonical");
            match reencode(&mut views, &v, &bytes(&v["input"]), &options(&v)) {
                Ok(out) if hex(&out) == canonical => {}
                Ok(out) => failures.push(format!("{}: {} instead of {canonical}", v["name"], hex(&out))),
                Err(e) => failures.push(format!("{}: {e}", v["name"])),
            }
        }
        report("good vectors", failures, total);
    });
}

#[test]
fn every_bad_vector_gives_its_error_offset_and_path() {
    on_a_large_stack(|| {
        let (mut views, mut failures, mut total) = (Views::default(), Vec::new(), 0);
        for v in lines("invalid.jsonl") {
            total += 1;
            match reencode(&mut views, &v, &bytes(&v["input"]), &options(&v)) {
                Ok(out) => failures.push(format!("{}: read as {} instead of {}", v["name"], hex(&out), v["error"])),
                Err(e) if error_matches(&e, &v["error"]) => {}
                Err(e) => failures.push(format!("{}: {e} instead of {}", v["name"], v["error"])),
            }
        }
        report("bad vectors", failures, total);
    });
}

/// VIW-29, VIW-30.
#[test]
fn view_and_pool_agree_on_every_vector_and_on_damaged_ones() {
    on_a_large_stack(|| {
        let (mut views, mut rng, mut before, mut total) = (Views::default(), Rng::new(35), Vec::new(), 0);
        for file in ["wire.jsonl", "invalid.jsonl"] {
            for v in lines(file) {
                let (name, input) = (v["message"].as_str().expect("message"), bytes(&v["input"]));
                let options = DecodeOptions { memory: Some(1 << 30), ..options(&v) };
                for damaged in [input.clone(), mutate(&mut rng, &input, &before), mutate(&mut rng, &input, &input)] {
                    views.agree(name, &damaged, &options);
                    total += 1;
                }
                before = input;
            }
        }
        report("vectors and damaged ones, as view and in the pool", Vec::new(), total);
    });
}

#[test]
fn every_stream_gives_its_messages_and_then_its_error() {
    let (mut views, mut failures, mut total) = (Views::default(), Vec::new(), 0);
    for v in lines("stream.jsonl") {
        total += 1;
        let input = bytes(&v["input"]);
        let options = options(&v);
        let (mut read, mut error) = (Vec::new(), None);
        for item in DelimitedReader::with_max_size(&input, options.size.min(MAX_SIZE)) {
            let message = item.and_then(|item| {
                let done = reencode(&mut views, &v, item.bytes, &options).map_err(|e| e.shifted(item.offset));
                done.map(|_| item.bytes)
            });
            match message {
                Ok(bytes) => read.push(Value::from(hex(bytes))),
                Err(e) => {
                    error = Some(e);
                    break;
                }
            }
        }
        let wanted = v["messages"].as_array().expect("messages");
        let error_is_right = match &error {
            None => v["error"].is_null(),
            Some(e) => !v["error"].is_null() && error_matches(e, &v["error"]),
        };
        if *wanted != read || !error_is_right {
            failures.push(format!("{}: {read:?} and {error:?} instead of {wanted:?} and {}", v["name"], v["error"]));
        }
    }
    report("streams", failures, total);
}
