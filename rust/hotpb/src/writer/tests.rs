//! Tests the runtime against a plain model, through outputs of all kinds and chunks of random sizes. Small enough for
//! Miri.

use super::__rt::{MessageWriter, Part};
use super::*;
use crate::Code;
use crate::chunk::{Chunk, ChunkSource, Full, Patch};
use crate::wire::{self, LEN, Reader, START_GROUP, VARINT};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

/// The contents of a generated writer.
struct W<'a>(MessageWriter<'a>);

impl<'a> Writer<'a> for W<'a> {
    fn from_raw(raw: MessageWriter<'a>) -> Self {
        W(raw)
    }
    fn raw(&mut self) -> &mut MessageWriter<'a> {
        &mut self.0
    }
    fn raw_ref(&self) -> &MessageWriter<'a> {
        &self.0
    }
    fn into_raw(self) -> MessageWriter<'a> {
        self.0
    }
}

impl W<'_> {
    fn finish(self) -> Result<u64, WriteError> {
        self.0.finish()
    }
}

/// A field of the model.
#[derive(Clone, Debug)]
enum Field {
    Varint(u64),
    Int32(i32),
    Fixed32(u32),
    Fixed64(u64),
    Bytes(Vec<u8>),
    Parts(Vec<Vec<u8>>),
    Packed(Vec<i64>, u8),
    Doubles(Vec<f64>, bool),
    Message(Vec<Field>, bool),
    Group(Vec<Field>, bool),
    Entry(u32, Vec<u8>),
    EntryWith(Vec<u8>, Vec<Field>, bool),
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn word(&mut self) -> u64 {
        let bits = self.below(65);
        let word = self.below(1 << 31) << 40 ^ self.below(1 << 31) << 20 ^ self.below(1 << 31);
        if bits == 0 { 0 } else { word << 1 >> (64 - bits) }
    }

    fn bytes(&mut self) -> Vec<u8> {
        let len = [0, 3, 16, 40, 130, 300][self.below(6) as usize];
        let len = self.below(len + 1);
        (0..len).map(|i| i as u8).collect()
    }

    fn fields(&mut self, depth: u32) -> Vec<Field> {
        (0..self.below(6)).map(|_| self.field(depth)).collect()
    }

    fn field(&mut self, depth: u32) -> Field {
        let flag = self.below(2) == 0;
        match self.below(if depth > 6 { 8 } else { 16 }) {
            0 => Field::Varint(self.word()),
            1 => Field::Int32(self.word() as i32),
            2 => Field::Fixed32(self.word() as u32),
            3 => Field::Fixed64(self.word()),
            4 => Field::Bytes(self.bytes()),
            5 => Field::Parts((0..self.below(4)).map(|_| self.bytes()).collect()),
            6 => Field::Packed((0..self.below(40)).map(|_| self.word() as i64).collect(), self.below(3) as u8),
            7 => Field::Doubles((0..self.below(20)).map(|i| i as f64).collect(), flag),
            8..=10 => Field::Message(self.fields(depth + 1), flag),
            11 | 12 => Field::Group(self.fields(depth + 1), flag),
            13 => Field::Entry(self.word() as u32, self.bytes()),
            _ => Field::EntryWith(self.bytes(), self.fields(depth + 2), flag),
        }
    }
}

const MESSAGE: u32 = 15;
const GROUP: u32 = 16;
const MAP: u32 = 300;

fn write(fields: &[Field], w: &mut MessageWriter<'_>) {
    for field in fields {
        match field {
            Field::Varint(v) => w.uint64::<{ wire::tag(1, VARINT) }>(*v),
            Field::Int32(v) => w.int32::<{ wire::tag(536870911, VARINT) }>(*v),
            Field::Fixed32(v) => w.fixed32::<{ wire::tag(3, wire::FIXED32) }>(*v),
            Field::Fixed64(v) => w.fixed64::<{ wire::tag(4000, wire::FIXED64) }>(*v),
            Field::Bytes(v) => w.bytes::<{ wire::tag(5, LEN) }>(v),
            Field::Parts(v) => w.parts::<{ wire::tag(6, LEN) }>(v),
            Field::Packed(v, 0) => w.packed::<{ wire::tag(7, LEN) }, element::Sint64>(v),
            Field::Packed(v, 1) => w.packed_from::<{ wire::tag(7, LEN) }, element::Sint64>(v.iter().copied()),
            Field::Packed(v, _) => {
                let mut guard = w.open_packed::<{ wire::tag(7, LEN) }, element::Sint64>();
                v.iter().for_each(|v| {
                    guard.push(*v);
                });
            }
            Field::Doubles(v, true) => w.packed::<{ wire::tag(8, LEN) }, element::Double>(v),
            Field::Doubles(v, false) => w.packed_from::<{ wire::tag(8, LEN) }, element::Double>(v.iter().copied()),
            Field::Message(fields, true) => {
                w.nested::<{ wire::tag(MESSAGE, LEN) }, W<'_>>(|w| write(fields, &mut w.0));
            }
            Field::Message(fields, false) => {
                write(fields, &mut w.open::<{ wire::tag(MESSAGE, LEN) }, W<'_>>().0);
            }
            Field::Group(fields, true) => w.group::<GROUP, W<'_>>(|w| write(fields, &mut w.0)),
            Field::Group(fields, false) => write(fields, &mut w.open_group::<GROUP, W<'_>>().0),
            Field::Entry(key, value) => {
                let key = Part::scalar::<element::Fixed32>(1, *key);
                w.entry::<{ wire::tag(9, LEN) }>(key, Part::bytes(2, value));
            }
            Field::EntryWith(key, fields, true) => {
                w.entry_with::<{ wire::tag(MAP, LEN) }, W<'_>>(Part::bytes(1, key), |w| write(fields, &mut w.0));
            }
            Field::EntryWith(key, fields, false) => {
                let mut value = w.open_entry::<{ wire::tag(MAP, LEN) }, W<'_>>(Part::bytes(1, key));
                write(fields, &mut value.0);
            }
        }
    }
}

/// Returns the bytes that the writer must write, with minimal lengths.
fn model(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    let tag = wire::append_tag;
    for field in fields {
        match field {
            Field::Varint(v) => {
                tag(&mut out, 1, VARINT);
                wire::append_varint(&mut out, *v);
            }
            Field::Int32(v) => {
                tag(&mut out, 536870911, VARINT);
                wire::append_int32(&mut out, *v);
            }
            Field::Fixed32(v) => {
                tag(&mut out, 3, wire::FIXED32);
                wire::append_fixed32(&mut out, *v);
            }
            Field::Fixed64(v) => {
                tag(&mut out, 4000, wire::FIXED64);
                wire::append_fixed64(&mut out, *v);
            }
            Field::Bytes(v) => {
                tag(&mut out, 5, LEN);
                wire::append_bytes(&mut out, v);
            }
            Field::Parts(v) => {
                tag(&mut out, 6, LEN);
                wire::append_bytes(&mut out, &v.concat());
            }
            Field::Packed(v, how) => {
                if *how == 2 || !v.is_empty() {
                    let mut payload = Vec::new();
                    v.iter().for_each(|v| wire::append_sint64(&mut payload, *v));
                    tag(&mut out, 7, LEN);
                    wire::append_bytes(&mut out, &payload);
                }
            }
            Field::Doubles(v, _) => {
                if !v.is_empty() {
                    let payload: Vec<u8> = v.iter().flat_map(|v| v.to_le_bytes()).collect();
                    tag(&mut out, 8, LEN);
                    wire::append_bytes(&mut out, &payload);
                }
            }
            Field::Message(fields, _) => {
                tag(&mut out, MESSAGE, LEN);
                wire::append_bytes(&mut out, &model(fields));
            }
            Field::Group(fields, _) => {
                tag(&mut out, GROUP, START_GROUP);
                out.extend(model(fields));
                tag(&mut out, GROUP, wire::END_GROUP);
            }
            Field::Entry(key, value) => {
                let mut entry = Vec::new();
                tag(&mut entry, 1, wire::FIXED32);
                wire::append_fixed32(&mut entry, *key);
                tag(&mut entry, 2, LEN);
                wire::append_bytes(&mut entry, value);
                tag(&mut out, 9, LEN);
                wire::append_bytes(&mut out, &entry);
            }
            Field::EntryWith(key, fields, _) => {
                let mut entry = Vec::new();
                tag(&mut entry, 1, LEN);
                wire::append_bytes(&mut entry, key);
                tag(&mut entry, 2, LEN);
                wire::append_bytes(&mut entry, &model(fields));
                tag(&mut out, MAP, LEN);
                wire::append_bytes(&mut out, &entry);
            }
        }
    }
    out
}

/// Returns the same bytes with all lengths minimal; panics if they do not parse.
fn minimal(bytes: &[u8], in_entry: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag().unwrap_or_else(|e| panic!("{bytes:02x?}: {e}")) {
        let start = reader.offset();
        wire::append_varint(&mut out, tag as u64);
        if tag & 7 != LEN {
            reader.skip(tag).unwrap_or_else(|e| panic!("{bytes:02x?}: {e}"));
            let content = &bytes[start..reader.offset()];
            match tag & 7 {
                START_GROUP => {
                    let end = content.len() - wire::varint_len((tag + 1) as u64);
                    out.extend(minimal(&content[..end], false));
                    out.extend_from_slice(&content[end..]);
                }
                _ => out.extend_from_slice(content),
            }
            continue;
        }
        let payload = reader.bytes().unwrap_or_else(|e| panic!("{bytes:02x?}: {e}"));
        let number = tag >> 3;
        if number == MESSAGE || number == MAP || in_entry && number == 2 {
            wire::append_bytes(&mut out, &minimal(payload, number == MAP));
        } else {
            wire::append_bytes(&mut out, payload);
        }
    }
    out
}

/// Lends chunks of random sizes, of owned or of borrowed memory, and may be exhausted at some point.
struct Chunks<M> {
    free: Vec<M>,
    returned: Vec<Full<M>>,
    id: u64,
}

impl<M: crate::chunk::ChunkMemory + AsMut<[u8]> + Send> ChunkSource for Chunks<M> {
    type Memory = M;
    fn next(&mut self, full: Option<Full<M>>) -> Option<Chunk<M>> {
        self.returned.extend(full);
        self.id += 1;
        self.free.pop().map(|memory| Chunk { id: self.id, memory })
    }
    fn patch(&mut self, patch: Patch) {
        let chunk = self.returned.iter_mut().rfind(|chunk| chunk.id == patch.id).expect("a chunk that came back");
        assert_eq!(chunk.open_slots, patch.still_open + 1);
        chunk.open_slots = patch.still_open;
        let slot = &mut chunk.memory.as_mut()[patch.offset..patch.offset + 4];
        assert_eq!(slot, [0; 4]);
        slot.copy_from_slice(&patch.bytes);
    }
    fn finish(&mut self, last: Option<Full<M>>) {
        self.returned.extend(last);
    }
}

impl<M: AsMut<[u8]>> Chunks<M> {
    fn new(free: Vec<M>) -> Chunks<M> {
        Chunks { free, returned: Vec::new(), id: 0 }
    }

    fn joined(&mut self) -> Vec<u8> {
        assert!(self.returned.iter().all(|chunk| chunk.open_slots == 0));
        self.returned.iter_mut().flat_map(|chunk| chunk.memory.as_mut()[..chunk.used].to_vec()).collect()
    }
}

fn write_to(fields: &[Field], output: &mut (impl Output + ?Sized)) -> Result<u64, WriteError> {
    let mut root = W(output.message());
    write(fields, root.raw());
    root.finish()
}

fn rounds(all: u64) -> u64 {
    if cfg!(miri) { 5 } else { all }
}

#[test]
fn outputs_that_keep_their_chunks_write_what_the_model_does() {
    let mut rng = Rng(1);
    let mut heap = HeapBuffer::with_options(HeapOptions {
        policy: LengthPolicy::Minimal,
        first_chunk: 64,
        largest_chunk: 200,
        ..HeapOptions::default()
    });
    let mut vec = VecBuffer::new();
    for _ in 0..rounds(3000) {
        let fields = rng.fields(0);
        let expected = model(&fields);
        let len = Ok(expected.len() as u64);
        heap.clear();
        assert_eq!(write_to(&fields, &mut heap), len);
        assert_eq!(heap.to_vec().unwrap(), expected, "{fields:?}");
        vec.clear();
        assert_eq!(write_to(&fields, &mut vec), len);
        assert_eq!(vec.bytes().unwrap(), expected, "{fields:?}");
        let mut memory = alloc::vec![MaybeUninit::uninit(); expected.len()];
        let mut fixed = FixedBuffer::uninit(&mut memory);
        assert_eq!(write_to(&fields, &mut fixed), len);
        assert_eq!(fixed.bytes().unwrap(), expected, "{fields:?}");
    }
}

#[test]
fn joined_and_patched_chunks_are_the_message() {
    let mut rng = Rng(2);
    for round in 0..rounds(3000) {
        let fields = rng.fields(0);
        let expected = model(&fields);
        let count = 3 + 2 * expected.len() / 64;
        let policy = if round % 2 == 0 { StreamPolicy::Compact } else { StreamPolicy::Fixed4 };
        let sizes: Vec<usize> = (0..2 * count).map(|_| 64 + rng.below(100) as usize).collect();
        let joined = if round % 4 < 2 {
            let free = sizes.iter().map(|&size| alloc::vec![0xee; size]).collect();
            let mut output = ChunkWriter::with_policy(Chunks::<Vec<u8>>::new(free), policy);
            let len = write_to(&fields, &mut output).expect("enough chunks");
            let joined = output.into_inner().joined();
            assert_eq!(len, joined.len() as u64);
            joined
        } else {
            let mut memory: Vec<Box<[u8]>> = sizes.iter().map(|&size| alloc::vec![0xee; size].into()).collect();
            let free = memory.iter_mut().map(|memory| &mut **memory).collect();
            let mut output = Box::new(ChunkWriter::with_policy(Chunks::<&mut [u8]>::new(free), policy));
            let len = write_to(&fields, &mut *output).expect("enough chunks");
            let mut source = output.into_inner();
            assert_eq!(len, source.joined().len() as u64);
            source.joined()
        };
        assert_eq!(minimal(&joined, false), expected, "{fields:?}");
    }
}

#[test]
fn an_output_that_ends_anywhere_parses_up_to_valid_len() {
    let mut rng = Rng(3);
    for _ in 0..rounds(150) {
        let fields = rng.fields(2);
        let whole = model(&fields);
        let step = if cfg!(miri) { 1 + whole.len() / 5 } else { 1 };
        for size in (0..whole.len()).step_by(step) {
            let mut memory = alloc::vec![0xee; size];
            let mut output = FixedBuffer::new(&mut memory);
            let error = write_to(&fields, &mut output).expect_err("it does not fit");
            assert_eq!(error.code(), Code::BufferExhausted);
            assert_eq!(output.partial_bytes().len() as u64, error.valid_len());
            minimal(output.partial_bytes(), false);
        }
        for chunks in (0..whole.len() / 64).step_by(if cfg!(miri) { 1 + whole.len() / 192 } else { 1 }) {
            let free: Vec<Vec<u8>> = (0..chunks).map(|_| alloc::vec![0xee; 64 + rng.below(8) as usize]).collect();
            let mut output = ChunkWriter::new(Chunks::new(free));
            let Err(error) = write_to(&fields, &mut output) else { continue };
            let joined = output.into_inner().joined();
            minimal(&joined[..error.valid_len() as usize], false);
        }
    }
}

#[test]
fn an_output_may_be_moved_between_messages() {
    let mut output = ChunkWriter::new(Chunks::new(alloc::vec![alloc::vec![0u8; 100]]));
    for i in 0..5 {
        let mut root = W(output.delimited());
        root.0.uint64::<8>(i);
        assert_eq!(root.finish(), Ok(3));
        output = *Box::new(output);
    }
    output.flush();
    assert_eq!(output.into_inner().joined(), [2, 8, 0, 2, 8, 1, 2, 8, 2, 2, 8, 3, 2, 8, 4]);
}

#[test]
fn a_forgotten_child_is_misuse_and_left_out() {
    let mut output = VecBuffer::new();
    let mut root = W(output.message());
    root.0.uint64::<8>(1);
    let mut child = root.0.open::<0x1a, W<'_>>();
    child.0.uint64::<8>(2);
    core::mem::forget(child);
    root.0.uint64::<8>(3);
    let error = root.finish().expect_err("the child was forgotten");
    assert_eq!((error.code(), error.valid_len()), (Code::HandleMisuse, 4));
    assert_eq!(output.partial_bytes(), [8, 1, 0x1a, 0]);
}

#[test]
fn a_forgotten_message_is_misuse_of_the_next_one() {
    let mut output = VecBuffer::new();
    let mut root = W(output.message());
    root.0.uint64::<8>(1);
    core::mem::forget(root);
    let mut root = W(output.message());
    root.0.uint64::<8>(2);
    assert_eq!(root.finish().map_err(|e| (e.code(), e.valid_len())), Err((Code::HandleMisuse, 2)));
    assert_eq!(output.partial_bytes(), [8, 1]);
    output.clear();
    assert_eq!(write_to(&[Field::Varint(3)], &mut output), Ok(2));
}

#[test]
fn a_child_whose_closure_panics_is_not_taken_for_whole() {
    let mut output = VecBuffer::new();
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut root = W(output.message());
        root.0.uint64::<8>(1);
        root.0.nested::<0x1a, W<'_>>(|child| {
            child.0.uint64::<8>(2);
            std::panic::resume_unwind(Box::new(()));
        });
    }));
    assert!(done.is_err());
    assert_eq!(output.status().map_err(|e| e.code()), Err(Code::HandleMisuse));
    assert_eq!(output.partial_bytes(), [8, 1, 0x1a, 0]);
}

#[test]
fn writers_that_were_exchanged_are_misuse_on_both_outputs() {
    let mut outputs = [VecBuffer::new(), VecBuffer::new()];
    {
        let [first, second] = &mut outputs;
        let mut root = W(first.message());
        root.0.uint64::<8>(2);
        let mut peer = W(second.message());
        peer.0.uint64::<8>(1);
        let mut child = root.0.open::<0x1a, W<'_>>();
        core::mem::swap(&mut *child, &mut peer);
        drop(peer);
        drop(child);
    }
    for output in &outputs {
        assert_eq!(output.status().map_err(|e| e.code()), Err(Code::HandleMisuse));
        minimal(output.partial_bytes(), false);
    }
}

#[test]
fn a_length_that_has_no_room_to_grow_is_misuse_and_stays_inside() {
    for groups in [false, true] {
        let mut memory = [0xee; 300];
        let mut output = FixedBuffer::new(&mut memory);
        let mut root = W(output.message());
        root.0.uint64::<8>(1);
        let mut child = root.0.open::<0x1a, W<'_>>();
        if groups {
            child.0.group::<2, W<'_>>(|group| group.0.bytes::<0x12>(&[7; 130]));
        } else {
            child.0.bytes::<0x12>(&[7; 130]);
        }
        // No bytes are left, a case that the arithmetic of room never produces.
        let core = &mut child.0.stream.core;
        core.end = core.at;
        drop(child);
        assert_eq!(root.finish().map_err(|e| (e.code(), e.valid_len())), Err((Code::HandleMisuse, 4)));
        assert_eq!(output.partial_bytes(), [8, 1, 0x1a, 0]);
    }
}

#[test]
fn a_handle_is_two_pointers() {
    assert_eq!(size_of::<MessageWriter<'_>>(), 2 * size_of::<usize>());
}

#[cfg(feature = "std")]
#[test]
fn an_output_that_fails_is_exhausted_and_says_why() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let now = bytes.len().min(self.0);
            self.0 -= now;
            if now == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(now) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut output = IoWriter::with_chunks(Full(100), 64, StreamPolicy::Compact);
    let fields: Vec<Field> = (0..100).map(Field::Varint).collect();
    assert_eq!(write_to(&fields, &mut output).map_err(|e| e.code()), Err(Code::BufferExhausted));
    assert_eq!(output.take_error().map(|e| e.kind()), Some(std::io::ErrorKind::StorageFull));
}

#[cfg(feature = "bytes")]
#[test]
fn messages_are_split_off_a_buffer_of_bytes() {
    let mut rng = Rng(4);
    let mut output = BytesBuffer::new();
    let mut split = Vec::new();
    for _ in 0..rounds(300) {
        let fields = rng.fields(0);
        write_to(&fields, &mut output).expect("it grows");
        split.push((output.split().unwrap(), model(&fields)));
    }
    assert!(split.iter().all(|(written, expected)| written == expected));
}

/// WRT-10. The first chunk ends just below half of the limit, the second one has room for more than the other half.
#[test]
#[cfg(not(miri))] // 400 MB
fn a_message_that_gets_too_large_by_short_fields_in_two_chunks_is_refused() {
    let half = 1 << 27;
    let free = alloc::vec![alloc::vec![0; 2 * half - (1 << 21)], alloc::vec![0; half - 1]];
    let mut output = ChunkWriter::new(Chunks::<Vec<u8>>::new(free));
    let text = [b'x'; 120];
    {
        let mut root = W(output.message());
        let mut child = root.0.open::<0x1a, W<'_>>();
        for _ in 0..MAX_NESTED_SIZE / 122 + 1 {
            child.0.bytes::<0x12>(&text);
        }
    }
    let error = output.status().unwrap_err();
    assert_eq!(error.code(), Code::SizeExceeded);
    assert!((MAX_NESTED_SIZE - 200..=MAX_NESTED_SIZE + 5).contains(&error.valid_len()), "{error}");
}
