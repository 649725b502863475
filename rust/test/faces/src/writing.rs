//! Random scripts of calls on a generated writer, and the bytes that they must produce, encoded by a plain model.

use crate::mutate::Rng;
use crate::vectors::hotpb::vectors::p2::all::DataWriter;
use crate::vectors::hotpb::vectors::p2::{All, AllWriter, ChildWriter, Closed};
use hotpb::chunk::{Chunk, ChunkSource, Full, LengthPolicy, Patch, StreamPolicy};
use hotpb::pool::{DecodeOptions, Encode, Pool};
use hotpb::wire::{self, DelimitedReader, END_GROUP, FIXED64, LEN, START_GROUP, VARINT};
use hotpb::writer::{
    BytesBuffer, ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, IoWriter, Output, VecBuffer, WriteError, element,
};
use hotpb::{Code, writer::Packed};

/// A script: bytes that determine the calls. It continues with zeros after its end.
#[derive(Clone)]
struct Script<'s>(std::slice::Iter<'s, u8>);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn number(&mut self) -> u64 {
        let (bits, low) = (self.byte() % 64, self.byte() as u64);
        ((low << 56) | (low * 0x0101_0101)) >> bits
    }

    /// Mostly short, sometimes longer than a chunk.
    fn text(&mut self) -> String {
        let len = self.byte() as usize;
        "x".repeat(if len < 200 { len % 24 } else { 4 * (len - 190) })
    }
}

/// Encodes a record plainly: lengths are known in advance.
fn record(model: &mut Vec<u8>, number: u32, payload: &[u8]) {
    wire::append_tag(model, number, LEN);
    wire::append_bytes(model, payload);
}

fn varint(model: &mut Vec<u8>, number: u32, value: u64) {
    wire::append_tag(model, number, VARINT);
    wire::append_varint(model, value);
}

/// The number of levels that remain free for children of children.
const DEEPEST: u32 = 20;

fn all(w: &mut AllWriter<'_>, s: &mut Script<'_>, model: &mut Vec<u8>, level: u32) {
    for _ in 0..1 + s.byte() % 8 {
        let deeper = level < DEEPEST;
        match s.byte() % 20 {
            0 => {
                let value = s.number() as i32;
                w.single_int32(value);
                varint(model, 1, value as i64 as u64);
            }
            1 => {
                let value = s.number() as i64;
                w.single_sint64(value);
                varint(model, 6, wire::zigzag64(value));
            }
            2 => {
                let value = f64::from_bits(s.number());
                w.single_double(value);
                wire::append_tag(model, 12, FIXED64);
                wire::append_fixed64(model, value.to_bits());
            }
            3 => {
                let text = s.text();
                w.single_string(&text);
                record(model, 14, text.as_bytes());
            }
            4 => {
                let (a, b) = (s.text(), s.text());
                w.single_bytes_parts(&[a.as_str(), "", b.as_str()]);
                record(model, 15, (a + &b).as_bytes());
            }
            5 => {
                w.single_closed(Closed(5));
                varint(model, 17, 5);
            }
            6 => {
                let mut inner = Vec::new();
                w.single_child(|c| child(c, s, &mut inner, level + 1));
                record(model, 18, &inner);
            }
            7 => {
                let mut inner = Vec::new();
                child(&mut w.open_repeated_child(), s, &mut inner, level + 1);
                record(model, 318, &inner);
            }
            8 | 9 if deeper => {
                let mut inner = Vec::new();
                w.single_all(|a| all(a, s, &mut inner, level + 1));
                record(model, 19, &inner);
            }
            10 => {
                let mut inner = Vec::new();
                w.data(|d| data(d, s, &mut inner));
                wire::append_tag(model, 901, START_GROUP);
                model.extend(inner);
                wire::append_tag(model, 901, END_GROUP);
            }
            11 => {
                let (key, value) = (s.text(), s.text());
                w.key_string(&key, &value);
                let mut entry = Vec::new();
                record(&mut entry, 1, key.as_bytes());
                record(&mut entry, 2, value.as_bytes());
                record(model, 614, &entry);
            }
            12 => {
                let (key, value) = (s.number() as i32, s.number() as i32);
                w.value_int32(key, value);
                let mut entry = Vec::new();
                varint(&mut entry, 1, key as i64 as u64);
                varint(&mut entry, 2, value as i64 as u64);
                record(model, 701, &entry);
            }
            13 if deeper => {
                let (key, mut inner, mut entry) = (s.text(), Vec::new(), Vec::new());
                all(&mut w.open_value_all(&key), s, &mut inner, level + 2);
                record(&mut entry, 1, key.as_bytes());
                record(&mut entry, 2, &inner);
                record(model, 719, &entry);
            }
            14 => {
                let values: Vec<i32> = (0..s.byte()).map(|i| (i as i32) << (s.byte() % 32)).collect();
                w.packed_int32(&values);
                elements(model, 401, values.iter().map(|&v| v as i64 as u64), true);
            }
            15 => {
                let values: Vec<i64> = (0..s.byte() % 100).map(|_| s.number() as i64).collect();
                let mut open: Packed<'_, element::Sint64> = w.open_packed_sint64();
                for &value in &values {
                    open.push(value);
                }
                drop(open);
                elements(model, 406, values.iter().map(|&v| wire::zigzag64(v)), false);
            }
            16 => {
                let values: Vec<f64> = (0..s.byte() % 50).map(f64::from).collect();
                w.packed_double(&values);
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                if !bytes.is_empty() {
                    record(model, 412, &bytes);
                }
            }
            17 => {
                let values: Vec<bool> = (0..s.byte()).map(|i| i % 3 == 0).collect();
                w.packed_bool_from(values.iter().copied());
                elements(model, 413, values.iter().map(|&v| v as u64), true);
            }
            18 => {
                for _ in 0..s.byte() % 8 {
                    let value = s.number() as i32;
                    w.repeated_int32(value);
                    varint(model, 301, value as i64 as u64);
                }
            }
            _ => {
                let mut inner = Vec::new();
                varint(&mut inner, 90_000, s.number());
                w.append_raw(&inner);
                model.extend(inner);
            }
        }
    }
}

/// Encodes a packed record; one without elements only if it was opened.
fn elements(model: &mut Vec<u8>, number: u32, values: impl Iterator<Item = u64>, span: bool) {
    let mut bytes = Vec::new();
    values.for_each(|v| wire::append_varint(&mut bytes, v));
    if !span || !bytes.is_empty() {
        record(model, number, &bytes);
    }
}

fn child(w: &mut ChildWriter<'_>, s: &mut Script<'_>, model: &mut Vec<u8>, level: u32) {
    for _ in 0..s.byte() % 5 {
        match s.byte() % 4 {
            0 => {
                let value = s.byte() as i32;
                w.id(value);
                varint(model, 1, value as u64);
            }
            1 => {
                let name = s.text();
                w.name(&name);
                record(model, 2, name.as_bytes());
            }
            2 if level < DEEPEST => {
                let mut inner = Vec::new();
                w.child(|c| child(c, s, &mut inner, level + 1));
                record(model, 3, &inner);
            }
            _ if level < DEEPEST => {
                let mut inner = Vec::new();
                child(&mut w.open_children(), s, &mut inner, level + 1);
                record(model, 9, &inner);
            }
            _ => {}
        }
    }
}

fn data(w: &mut DataWriter<'_>, s: &mut Script<'_>, model: &mut Vec<u8>) {
    if s.byte() % 2 == 0 {
        let text = s.text();
        w.single_string(&text);
        record(model, 14, text.as_bytes());
    }
    let id = s.byte() as i32;
    w.inner(|inner| {
        inner.id(id);
    });
    wire::append_tag(model, 902, START_GROUP);
    varint(model, 1, id as u64);
    wire::append_tag(model, 902, END_GROUP);
}

/// Plays a script; returns the writer's result, and the bytes that it must have written.
fn play(script: &[u8], out: &mut dyn Output) -> (Result<u64, WriteError>, Vec<u8>) {
    let (mut w, mut model) = (AllWriter::new(out), Vec::new());
    all(&mut w, &mut Script(script.iter()), &mut model, 0);
    (w.finish(), model)
}

/// Chunks of random sizes, kept and patched.
struct Chunks {
    rng: Rng,
    left: usize,
    returned: Vec<Full<Vec<u8>>>,
    patches: usize,
    finished: bool,
}

impl Chunks {
    fn new(rng: &mut Rng, left: usize) -> Chunks {
        Chunks { rng: Rng::new(rng.number()), left, returned: Vec::new(), patches: 0, finished: false }
    }

    fn joined(&self) -> Vec<u8> {
        assert!(self.finished && self.returned.iter().all(|chunk| chunk.open_slots == 0), "a slot is still open");
        self.returned.iter().flat_map(|chunk| &chunk.memory[..chunk.used]).copied().collect()
    }
}

impl ChunkSource for Chunks {
    type Memory = Vec<u8>;

    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.returned.extend(full);
        self.left = self.left.checked_sub(1)?;
        Some(Chunk { id: self.returned.len() as u64, memory: vec![0xee; 64 + self.rng.below(100)] })
    }

    fn patch(&mut self, patch: Patch) {
        assert!(!self.finished, "a patch after the end");
        let chunk = &mut self.returned[patch.id as usize];
        let slot = &mut chunk.memory[patch.offset..patch.offset + 4];
        assert_eq!(slot, [0; 4], "an open slot is four zero bytes");
        slot.copy_from_slice(&patch.bytes);
        assert_eq!(chunk.open_slots, patch.still_open + 1);
        chunk.open_slots = patch.still_open;
        self.patches += 1;
    }

    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.returned.extend(last);
        self.finished = true;
    }
}

/// Returns the meaning of a message, independent of the form of its lengths.
fn meaning(bytes: &[u8]) -> Vec<u8> {
    let mut pool = Pool::<All<'static>>::new();
    // A truncated message lacks required fields; a long one needs more memory than the default for a small input.
    let options = DecodeOptions { allow_partial: true, memory: Some(64 << 20), ..DecodeOptions::default() };
    let message = pool.decode_with(bytes, &options).unwrap_or_else(|e| panic!("{e}: {bytes:02x?}"));
    message.encode_to_vec().expect("nothing is required")
}

/// Plays a script on outputs of all kinds; returns the number of patches.
pub fn scripts(script: &[u8], rng: &mut Rng) -> usize {
    let mut vec = VecBuffer::with_policy(Vec::new(), LengthPolicy::Minimal);
    let (done, model) = play(script, &mut vec);
    assert_eq!((done, vec.bytes()), (Ok(model.len() as u64), Ok(&model[..])), "{script:02x?}");

    let first_chunk = 64 + rng.below(200);
    let options = HeapOptions { policy: LengthPolicy::Minimal, first_chunk, ..HeapOptions::default() };
    let mut heap = HeapBuffer::with_options(options);
    assert_eq!(play(script, &mut heap).0, Ok(model.len() as u64), "{script:02x?}");
    assert_eq!(heap.to_vec().unwrap(), model, "{script:02x?} in chunks that stay");

    let mut bytes = BytesBuffer::new();
    assert_eq!(play(script, &mut bytes).0, Ok(model.len() as u64), "{script:02x?}");
    assert_eq!(bytes.split().unwrap(), model, "{script:02x?} in one piece");

    let mut patches = 0;
    for policy in [StreamPolicy::Compact, StreamPolicy::Fixed4] {
        let mut out = ChunkWriter::with_policy(Chunks::new(rng, usize::MAX), policy);
        let len = play(script, &mut out).0.expect("enough chunks");
        let chunks = out.into_inner();
        let joined = chunks.joined();
        assert_eq!((len, meaning(&joined)), (joined.len() as u64, meaning(&model)), "{script:02x?} {policy:?}");
        patches += chunks.patches;

        let mut out = IoWriter::with_chunks(Vec::new(), 64 + rng.below(100), policy);
        let len = play(script, &mut out).0.expect("a vector takes all");
        let written = out.into_inner().expect("nothing is left behind");
        assert_eq!((len, meaning(&written)), (written.len() as u64, meaning(&model)), "{script:02x?} {policy:?}");
    }

    exhausted(script, rng, model.len());
    delimited(script, rng, &model);
    patches
}

/// Checks outputs that are too small: their message ends where they report.
fn exhausted(script: &[u8], rng: &mut Rng, len: usize) {
    let mut memory = vec![0xee; rng.below(len + 1)];
    let mut out = FixedBuffer::new(&mut memory);
    if let Err(error) = play(script, &mut out).0 {
        assert_eq!((error.code(), error.valid_len()), (Code::BufferExhausted, out.partial_bytes().len() as u64));
    }
    meaning(out.partial_bytes());

    let mut out = ChunkWriter::new(Chunks::new(rng, len / 64));
    let done = play(script, &mut out).0;
    let joined = out.into_inner().joined();
    let valid = done.unwrap_or_else(|error| {
        assert_eq!(error.code(), Code::BufferExhausted);
        error.valid_len()
    });
    meaning(&joined[..valid as usize]);
}

/// Writes two messages of a stream into the same chunks.
fn delimited(script: &[u8], rng: &mut Rng, model: &[u8]) {
    let mut out = ChunkWriter::new(Chunks::new(rng, usize::MAX));
    for _ in 0..2 {
        let mut w = AllWriter::delimited(&mut out);
        all(&mut w, &mut Script(script.iter()), &mut Vec::new(), 0);
        w.finish().expect("enough chunks");
    }
    out.flush();
    let joined = out.into_inner().joined();
    let messages: Vec<_> = DelimitedReader::new(&joined).map(|m| m.expect("a stream").bytes).collect();
    assert_eq!(messages.len(), 2);
    messages.iter().for_each(|message| assert_eq!(meaning(message), meaning(model), "{script:02x?}"));
}
