//! Messages of the vectors, and damaged ones that still decode: the generated writers encode them to the same bytes as
//! the pool's own encoder, through outputs of all kinds and chunks of random sizes.

use hotpb::chunk::{Chunk, ChunkSource, Full, LengthPolicy, Patch, StreamPolicy};
use hotpb::pool::DecodeOptions;
use hotpb::writer::{ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, Output, VecBuffer};
use hotpb::{Code, Error};
use hotpb_tests::mutate::{Rng, mutate};
use hotpb_tests::vectors::reencode::{self, Reencoder};
use hotpb_tests::vectors::rewrite::{self, Rewriter};
use hotpb_tests::writing::scripts;
use hotpb_tests_corpus::{bytes, lines, on_a_large_stack};
use std::collections::HashMap;

/// Good messages, by the name of their type.
fn messages() -> Vec<(String, Vec<u8>)> {
    let vectors = lines("wire.jsonl").into_iter();
    let plain = vectors.filter(|v| v["options"].is_null());
    plain.map(|v| (v["message"].as_str().unwrap().to_string(), bytes(&v["input"]))).collect()
}

struct Chunks {
    rng: Rng,
    left: usize,
    returned: Vec<Full<Vec<u8>>>,
}

impl Chunks {
    fn joined(&self) -> Vec<u8> {
        assert!(self.returned.iter().all(|chunk| chunk.open_slots == 0), "a slot is still open");
        self.returned.iter().flat_map(|chunk| &chunk.memory[..chunk.used]).copied().collect()
    }
}

impl ChunkSource for Chunks {
    type Memory = Vec<u8>;

    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.returned.extend(full);
        self.left = self.left.checked_sub(1)?;
        Some(Chunk { id: self.returned.len() as u64, memory: vec![0xee; 64 + self.rng.below(64)] })
    }

    fn patch(&mut self, patch: Patch) {
        let chunk = &mut self.returned[patch.id as usize];
        chunk.memory[patch.offset..patch.offset + 4].copy_from_slice(&patch.bytes);
        chunk.open_slots = patch.still_open;
    }

    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.returned.extend(last);
    }
}

/// Decodes, and encodes with the writers and with the pool's encoder.
struct Both {
    rewrite: Rewriter,
    reencode: Reencoder,
    options: DecodeOptions,
}

impl Both {
    fn write(&mut self, input: &[u8], output: &mut dyn Output) -> Result<u64, Error> {
        (self.rewrite)(input, &self.options, output)
    }

    fn encode(&mut self, input: &[u8]) -> Result<Vec<u8>, Error> {
        (self.reencode)(input, &self.options)
    }
}

fn all() -> HashMap<&'static str, Both> {
    let rewriters: HashMap<_, _> = rewrite::TABLE.iter().copied().collect();
    // Exhausted outputs cut messages anywhere, even before required fields; this test is not about limits.
    let options = DecodeOptions { allow_partial: true, memory: Some(64 << 20), ..DecodeOptions::default() };
    let encoders = |(name, make): &(&'static str, fn() -> Reencoder)| {
        (*name, Both { rewrite: rewriters[name](), reencode: make(), options: options.clone() })
    };
    reencode::TABLE.iter().map(encoders).collect()
}

#[test]
fn every_output_gets_the_message_that_the_pool_encodes() {
    on_a_large_stack(|| {
        let mut all = all();
        let mut rng = Rng::new(11);
        let options =
            HeapOptions { policy: LengthPolicy::Minimal, first_chunk: 64, largest_chunk: 96, ..HeapOptions::default() };
        let (mut heap, mut vec) = (HeapBuffer::with_options(options), VecBuffer::new());
        let messages = messages();
        let (mut written, mut at) = (0, 0);
        for (name, input) in &messages {
            at += 1;
            let pair = all.get_mut(name.as_str()).expect("a vector message");
            let donor = &messages[rng.below(messages.len())].1;
            for input in [input.clone(), mutate(&mut rng, input, donor)] {
                let Ok(expected) = pair.encode(&input) else { continue };
                written += 1;
                heap.clear();
                assert_eq!(pair.write(&input, &mut heap), Ok(expected.len() as u64), "{name} {input:02x?}");
                assert_eq!(heap.to_vec().unwrap(), expected, "{name} {input:02x?}");
                vec.clear();
                assert_eq!(pair.write(&input, &mut vec), Ok(expected.len() as u64));
                assert_eq!(vec.bytes().unwrap(), expected, "{name} {input:02x?}");
                let policy = if at % 2 == 0 { StreamPolicy::Compact } else { StreamPolicy::Fixed4 };
                let chunks = Chunks { rng: Rng::new(at), left: usize::MAX, returned: Vec::new() };
                let mut output = ChunkWriter::with_policy(chunks, policy);
                let len = pair.write(&input, &mut output).expect("enough chunks");
                let joined = output.into_inner().joined();
                assert_eq!(len, joined.len() as u64);
                assert_eq!(pair.encode(&joined), Ok(expected), "{name} {input:02x?} {joined:02x?}");
            }
        }
        assert!(written > messages.len(), "only {written} of {} decoded", messages.len());
    });
}

#[test]
fn what_an_exhausted_output_has_decodes_up_to_valid_len() {
    on_a_large_stack(|| {
        let mut all = all();
        let mut cut = 0;
        for (i, (name, input)) in messages().iter().enumerate().step_by(29) {
            let pair = all.get_mut(name.as_str()).expect("a vector message");
            let Ok(whole) = pair.encode(input) else { continue };
            for size in (0..whole.len()).step_by(1 + whole.len() / 200) {
                let mut memory = vec![0xee; size];
                let mut output = FixedBuffer::new(&mut memory);
                let error = pair.write(input, &mut output).expect_err("it does not fit");
                assert_eq!((error.code(), error.offset()), (Code::BufferExhausted, output.partial_bytes().len()));
                pair.encode(output.partial_bytes()).unwrap_or_else(|e| panic!("{name} in {size} bytes: {e}"));
                cut += 1;
            }
            for left in 0..whole.len() / 64 {
                let mut output = ChunkWriter::new(Chunks { rng: Rng::new(i as u64), left, returned: Vec::new() });
                let Err(error) = pair.write(input, &mut output) else { continue };
                let joined = output.into_inner().joined();
                pair.encode(&joined[..error.offset()]).unwrap_or_else(|e| panic!("{name} in {left} chunks: {e}"));
                cut += 1;
            }
        }
        assert!(cut > 1000, "only {cut} outputs were too small");
    });
}

/// WTR-1, WTR-2, WRT-1 to WRT-9: every output gets the intended bytes.
#[test]
fn any_script_gives_the_message_that_it_says_whatever_the_output() {
    let (mut rng, mut patches) = (Rng::new(31), 0);
    for round in 0..400 {
        let script: Vec<u8> = (0..rng.below(40 + round)).map(|_| rng.number() as u8).collect();
        patches += scripts(&script, &mut rng);
    }
    assert!(patches > 1000, "only {patches} patches: chunks were too large");
}
