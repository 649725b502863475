//! The vectors of the repository, which `tools/vectors/compile` writes, and their runner, whose parameter is a face.

use hotpb::Error;
use hotpb::pool::DecodeOptions;
use hotpb::wire::{DelimitedReader, MAX_SIZE};
pub use serde_json::Value;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns the vectors of a file.
pub fn lines(file: &str) -> Vec<Value> {
    let path = root().join("build/vectors").join(file);
    let text =
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}; run tools/vectors/compile", path.display()));
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("a line of JSON")).collect();
    assert!(!lines.is_empty(), "{file} is empty");
    lines
}

/// Returns the vectors of a file that bind a face.
pub fn binding(file: &str, face: &str) -> Vec<Value> {
    let mut lines = lines(file);
    lines.retain(|v| v["faces"].as_array().expect("faces").iter().any(|f| f == face));
    lines
}

/// Converts hex digits to bytes.
pub fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect()
}

/// Converts a string of hex digits to bytes.
pub fn bytes(v: &Value) -> Vec<u8> {
    unhex(v.as_str().expect("hex"))
}

/// Converts bytes to hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Returns the options of a vector.
pub fn options(v: &Value) -> DecodeOptions {
    let mut options = DecodeOptions::default();
    for (key, value) in v["options"].as_object().into_iter().flatten() {
        match key.as_str() {
            "strict" => options.strict = value.as_bool().unwrap(),
            "depth" => {
                options.depth = value.as_u64().unwrap() as u32;
                // A thousand rows of the widest message need more than the default of 1 MiB, which these vectors do not
                // test.
                options.memory = Some(16 << 20);
                // Nor do they test the stack.
                options.stack = STACK / 2;
            }
            "size" => options.size = value.as_u64().unwrap() as usize,
            "elements" => options.elements = Some(value.as_u64().unwrap() as usize),
            "allow_partial" => options.allow_partial = value.as_bool().unwrap(),
            other => panic!("an option unknown to the test: {other}"),
        }
    }
    options
}

/// Reports whether an error is that of a vector.
pub fn matches(error: &Error, expected: &Value) -> bool {
    expected["code"] == error.code().name()
        && (expected["offset"].is_null() || expected["offset"].as_u64() == Some(error.offset() as u64))
        && expected["path"].as_str().is_none_or(|path| path == error.path())
}

/// Fails if there are failures, or if there was nothing to test.
pub fn report(subject: &str, failures: Vec<String>, total: usize) {
    println!("{subject}: {total} vectors");
    assert!(total > 0, "no vector: {subject}");
    let shown = failures.len().min(40);
    assert!(failures.is_empty(), "{} of {total} {subject}:\n{}", failures.len(), failures[..shown].join("\n"));
}

/// Vectors nest a thousand levels deep, and unoptimised code, above all the re-encoder, needs stack for that.
pub const STACK: usize = 256 << 20;

/// Runs a test with a large stack.
pub fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(test).unwrap().join().unwrap();
}

/// Reads an input as the message of a vector, and encodes it again.
pub type Reencode<'r> = dyn FnMut(&Value, &[u8]) -> Result<Vec<u8>, Error> + 'r;

/// Returns the bytes to which a good vector is encoded from a face.
pub fn canonical<'v>(v: &'v Value, face: &str) -> &'v str {
    v["exceptions"][face].as_str().or(v["canonical"].as_str()).expect("canonical")
}

/// Checks that every good vector of a face is encoded to its canonical bytes.
pub fn good(face: &str, subject: &str, reencode: &mut Reencode<'_>) {
    let (vectors, mut failures) = (binding("wire.jsonl", face), Vec::new());
    for v in &vectors {
        let canonical = canonical(v, face);
        match reencode(v, &bytes(&v["input"])) {
            Ok(out) if hex(&out) == canonical => {}
            Ok(out) => failures.push(format!("{}: {} instead of {canonical}", v["name"], hex(&out))),
            Err(e) => failures.push(format!("{}: {e}", v["name"])),
        }
    }
    report(&format!("good vectors {subject}"), failures, vectors.len());
}

/// Checks that every bad vector of a face returns its error, offset and path.
pub fn bad(face: &str, subject: &str, reencode: &mut Reencode<'_>) {
    let (vectors, mut failures) = (binding("invalid.jsonl", face), Vec::new());
    for v in &vectors {
        match reencode(v, &bytes(&v["input"])) {
            Ok(out) => failures.push(format!("{}: read as {} instead of {}", v["name"], hex(&out), v["error"])),
            Err(e) if matches(&e, &v["error"]) => {}
            Err(e) => failures.push(format!("{}: {e} instead of {}", v["name"], v["error"])),
        }
    }
    report(&format!("bad vectors {subject}"), failures, vectors.len());
}

/// Checks that every stream returns its messages to a face, and then its error.
pub fn streams(face: &str, reencode: &mut Reencode<'_>) {
    let (vectors, mut failures) = (binding("stream.jsonl", face), Vec::new());
    for v in &vectors {
        let input = bytes(&v["input"]);
        let (mut messages, mut error) = (Vec::new(), None);
        for item in DelimitedReader::with_max_size(&input, options(v).size.min(MAX_SIZE)) {
            let message = item.and_then(|item| {
                let done = reencode(v, item.bytes).map_err(|e| e.shifted(item.offset));
                done.map(|_| item.bytes)
            });
            match message {
                Ok(bytes) => messages.push(Value::from(hex(bytes))),
                Err(e) => {
                    error = Some(e);
                    break;
                }
            }
        }
        let wanted = v["messages"].as_array().expect("messages");
        let error_is_right = match &error {
            None => v["error"].is_null(),
            Some(e) => !v["error"].is_null() && matches(e, &v["error"]),
        };
        if *wanted != messages || !error_is_right {
            failures
                .push(format!("{}: {messages:?} and {error:?} instead of {wanted:?} and {}", v["name"], v["error"]));
        }
    }
    report("streams", failures, vectors.len());
}
