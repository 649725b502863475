//! The testee `rust-writer`: it decodes with the pool, and writes again with the generated writers, through chunks of
//! random sizes that leave immediately, with each policy for lengths in turn. Some tests compare bytes and
//! expect minimal lengths: so the patched bytes of the consumer are decoded once more and written with the policy
//! `Minimal`. A mistake in either step shows up in the response.

use hotpb::Error;
use hotpb::chunk::{Chunk, ChunkSource, Full, LengthPolicy, Patch, StreamPolicy};
use hotpb::writer::{ChunkWriter, HeapBuffer, HeapOptions, Output};
use hotpb_conformance::{edition2023, proto2, proto2_editions, proto3, proto3_editions, testee};
use std::collections::HashMap;

/// A small generator of numbers (xorshift64*), the same in every run.
struct Sizes(u64);

impl Sizes {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        64 + (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize % 200
    }
}

/// Keeps the chunks that come back, and patches them there.
struct Consumer {
    chunks: Vec<Full<Vec<u8>>>,
    sizes: Sizes,
}

impl ChunkSource for Consumer {
    type Memory = Vec<u8>;

    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.chunks.extend(full);
        // Bytes that were not written show up.
        Some(Chunk { id: self.chunks.len() as u64, memory: vec![0xee; self.sizes.next()] })
    }

    fn patch(&mut self, patch: Patch) {
        let chunk = &mut self.chunks[patch.id as usize];
        chunk.memory[patch.offset..patch.offset + 4].copy_from_slice(&patch.bytes);
        chunk.open_slots = patch.still_open;
    }

    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.chunks.extend(last);
    }
}

impl Consumer {
    fn bytes(&self) -> Vec<u8> {
        assert!(self.chunks.iter().all(|chunk| chunk.open_slots == 0), "a slot is still open");
        self.chunks.iter().flat_map(|chunk| &chunk.memory[..chunk.used]).copied().collect()
    }
}

/// Writes a message to an output.
type Write<'w> = &'w mut dyn FnMut(&mut dyn Output) -> Result<u64, Error>;

fn through_chunks(seed: u64, policy: StreamPolicy, write: Write<'_>) -> Result<Vec<u8>, Error> {
    let consumer = Consumer { chunks: Vec::new(), sizes: Sizes(seed) };
    let mut output = ChunkWriter::with_policy(consumer, policy);
    write(&mut output)?;
    Ok(output.into_inner().bytes())
}

fn through_heap(seed: u64, write: Write<'_>) -> Result<Vec<u8>, Error> {
    let size = Sizes(seed).next();
    let options =
        HeapOptions { policy: LengthPolicy::Minimal, first_chunk: size, largest_chunk: size, ..Default::default() };
    let mut output = HeapBuffer::with_options(options);
    write(&mut output)?;
    Ok(output.to_vec()?)
}

fn main() -> std::io::Result<()> {
    let tables = [
        proto2::rewrite::TABLE,
        proto3::rewrite::TABLE,
        proto2_editions::rewrite::TABLE,
        proto3_editions::rewrite::TABLE,
        edition2023::rewrite::TABLE,
    ];
    let mut reencoders: HashMap<&str, testee::Reencoder> = HashMap::new();
    for (name, make) in tables.into_iter().flatten() {
        let mut rewrite = make();
        let mut turn = 0u64;
        let reencode: testee::Reencoder = Box::new(move |input, options| {
            turn += 1;
            let write: Write<'_> = &mut |output| rewrite(input, options, output);
            let written = match turn % 3 {
                0 => through_heap(turn, write)?,
                1 => through_chunks(turn, StreamPolicy::Compact, write)?,
                _ => through_chunks(turn, StreamPolicy::Fixed4, write)?,
            };
            through_heap(turn, &mut |output| rewrite(&written, options, output))
        });
        reencoders.entry(*name).or_insert(reencode);
    }
    testee::run(reencoders)
}
