//! The vectors of the writer: scripts of calls, and the bytes that each output gets. An unexpected pass fails, too.

use hotpb::chunk::{Chunk, ChunkSource, Full, LengthPolicy, Patch, StreamPolicy};
use hotpb::writer::{ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, Output, VecBuffer, WriteError};
use hotpb_tests::script::{Player, Root};
use hotpb_tests_corpus::{Value, hex, lines, on_a_large_stack, unhex};
use serde_json::json;
use std::collections::HashMap;

/// The view of a consumer of chunks.
#[derive(Default)]
struct Recorder {
    /// The sizes of the chunks to lend; the last one is repeated, or is really the last.
    sizes: Vec<usize>,
    endless: bool,
    given: usize,
    chunks: Vec<Value>,
    memory: HashMap<u64, Full<Vec<u8>>>,
    patches: Vec<Value>,
    /// A large chunk, which is used again and not kept.
    spare: Option<Vec<u8>>,
}

const LARGE: usize = 1 << 20;

impl Recorder {
    fn leave(&mut self, full: Option<Full<Vec<u8>>>) {
        let Some(full) = full else { return };
        if full.memory.len() >= LARGE {
            self.spare = Some(full.memory);
            return;
        }
        self.chunks.push(json!({"bytes": hex(&full.memory[..full.used]), "open_slots": full.open_slots}));
        self.memory.insert(full.id, full);
    }

    fn output(&self) -> Vec<u8> {
        (0..self.given as u64)
            .filter_map(|id| self.memory.get(&id))
            .flat_map(|c| &c.memory[..c.used])
            .copied()
            .collect()
    }
}

impl ChunkSource for Recorder {
    type Memory = Vec<u8>;

    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.leave(full);
        let last = if self.endless { self.sizes.last() } else { None };
        let size = *self.sizes.get(self.given).or(last)?;
        self.given += 1;
        let memory = self.spare.take().unwrap_or_else(|| vec![0xee; size]);
        Some(Chunk { id: self.given as u64 - 1, memory })
    }

    fn patch(&mut self, patch: Patch) {
        self.patches.push(json!({
            "chunk": patch.id, "offset": patch.offset, "bytes": hex(&patch.bytes), "still_open": patch.still_open,
        }));
        let Some(chunk) = self.memory.get_mut(&patch.id) else { return };
        let slot = &mut chunk.memory[patch.offset..patch.offset + 4];
        assert_eq!(slot, [0; 4], "an open slot is four zero bytes");
        assert_ne!(patch.bytes[0], 0, "a patched slot never starts with 0");
        slot.copy_from_slice(&patch.bytes);
        chunk.open_slots = patch.still_open;
    }

    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.leave(last);
    }
}

/// Plays a script; returns the result of the last message. `flush` hands over the bytes that are held.
fn play<O: Output>(root: Root, player: &mut Player<'_>, output: &mut O, flush: fn(&mut O)) -> Result<u64, WriteError> {
    let mut last = Ok(0);
    while let Some(call) = player.next_root() {
        match call.call() {
            "flush" => flush(output),
            "root" | "delimited" => {
                player.enter(call);
                last = root(output, call.call() == "delimited", player);
                player.leave();
            }
            other => panic!("a call unknown to the test: {other}"),
        }
    }
    last
}

/// The name, result and output of each output that a vector is for.
type Outcome = (String, Result<u64, WriteError>, Vec<u8>, Option<Recorder>);

fn run(vector: &Value, root: Root) -> Option<Vec<Outcome>> {
    let calls = vector["calls"].as_array().expect("calls");
    let policy = match vector["policy"].as_str().expect("policy") {
        "compact" => LengthPolicy::Compact,
        "fixed4" => LengthPolicy::Fixed4,
        "minimal" => LengthPolicy::Minimal,
        other => panic!("a policy unknown to the test: {other}"),
    };
    let mut outcomes = Vec::new();
    let mut player = Player::new(calls);
    let into = vector["into"].as_object().expect("into");
    let (kind, size) = into.iter().next().expect("one output");
    match kind.as_str() {
        "fixed" => {
            let mut memory = vec![0xee; size.as_u64().unwrap() as usize];
            let mut out = FixedBuffer::with_policy(&mut memory, policy);
            let done = play(root, &mut player, &mut out, |_| ());
            assert_eq!(done.err(), out.status().err(), "finish and status agree");
            outcomes.push(("fixed".into(), done, out.partial_bytes().to_vec(), None));
        }
        "heap" => {
            let size = size.as_u64().unwrap() as usize;
            let options = HeapOptions { policy, first_chunk: size, largest_chunk: size, ..Default::default() };
            let mut out = HeapBuffer::with_options(options);
            let done = play(root, &mut player, &mut out, |_| ());
            outcomes.push(("heap".into(), done, out.to_partial_vec(), None));
        }
        "chunks" => {
            let endless = size.is_u64();
            let list = size.as_array().cloned().unwrap_or_else(|| vec![size.clone()]);
            let sizes = list.iter().map(|size| size.as_u64().unwrap() as usize).collect();
            let policy = if policy == LengthPolicy::Fixed4 { StreamPolicy::Fixed4 } else { StreamPolicy::Compact };
            let source = Recorder { sizes, endless, ..Recorder::default() };
            let mut out = ChunkWriter::with_policy(source, policy);
            let done = play(root, &mut player, &mut out, ChunkWriter::flush);
            let recorder = out.into_inner();
            outcomes.push(("chunks".into(), done, recorder.output(), Some(recorder)));
        }
        other => panic!("an output unknown to the test: {other}"),
    }
    if player.refused() {
        return None;
    }
    // A growing buffer behaves like a fixed one that is large enough.
    if kind == "fixed" && vector["error"]["code"] != "BufferExhausted" {
        let mut out = VecBuffer::with_policy(Vec::new(), policy);
        let done = play(root, &mut Player::new(calls), &mut out, |_| ());
        outcomes.push(("vec".into(), done, out.into_partial_vec(), None));
    }
    Some(outcomes)
}

fn problem(vector: &Value, outcome: &Outcome) -> Option<String> {
    let (name, done, output, recorder) = outcome;
    let code = done.err().map(|e| e.code().name());
    if code != vector["error"]["code"].as_str() {
        return Some(format!("{name}: {code:?} instead of {}", vector["error"]));
    }
    let valid_len = done.unwrap_or_else(|e| e.valid_len());
    if Some(valid_len) != vector["valid_len"].as_u64() {
        return Some(format!("{name}: valid_len {valid_len} instead of {}", vector["valid_len"]));
    }
    let expected = vector["output"].as_str().map(unhex);
    if expected.as_ref().is_some_and(|expected| expected != output) {
        return Some(format!("{name}: {} instead of {}", hex(output), vector["output"]));
    }
    let Some(recorder) = recorder else { return None };
    for (what, got) in [("chunks", &recorder.chunks), ("patches", &recorder.patches)] {
        if vector[what].as_array().is_some_and(|expected| expected != got) {
            return Some(format!("{what}: {} instead of {}", json!(got), vector[what]));
        }
    }
    None
}

#[test]
fn every_script_gives_its_bytes_chunks_and_patches() {
    on_a_large_stack(all_scripts);
}

fn all_scripts() {
    let tables: HashMap<&str, Root> = hotpb_tests::vectors::script::TABLE.iter().copied().collect();
    let (mut failures, mut refused, mut total) = (Vec::new(), Vec::new(), 0);
    for vector in lines("writer.jsonl") {
        let root = tables[vector["message"].as_str().expect("message")];
        let name = vector["name"].as_str().expect("name").to_string();
        match run(&vector, root) {
            Some(outcomes) => {
                total += 1;
                failures.extend(outcomes.iter().filter_map(|o| problem(&vector, o)).map(|p| format!("{name}: {p}")));
            }
            // Calls on handles that do not exist; only handles.yaml tests these.
            None if vector["ids"].as_array().unwrap().iter().any(|id| id == "WRT-15" || id == "WRT-39") => {
                refused.push(name)
            }
            None => failures.push(format!("{name}: does not compile")),
        }
    }
    println!("{total} scripts; {} that the compiler refuses", refused.len());
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
    assert!(total > 100, "only {total} scripts; refused: {refused:?}");
}
