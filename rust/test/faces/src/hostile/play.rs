//! Scripts of calls that a hostile caller makes on a writer, on outputs of all kinds.

use super::callers::{Number, Part as Piece, Turn, Values};
use super::outputs::{Chunks, Fault, Sink};
use super::{caught, panic_here, parses};
use crate::mutate::Rng;
use hotpb::Code;
use hotpb::chunk::{LengthPolicy, StreamPolicy};
use hotpb::wire::{DelimitedReader, FIXED64, LEN, VARINT, tag};
use hotpb::writer::__rt::{MessageWriter, Part};
use hotpb::writer::{
    BytesBuffer, ChunkWriter, FixedBuffer, HeapBuffer, HeapOptions, IoWriter, Output, VecBuffer, WriteError, Writer,
    element,
};
use std::mem::{forget, swap};

/// The contents of a generated writer.
pub struct W<'a>(pub MessageWriter<'a>);

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
    /// Ends the message.
    pub fn finish(self) -> Result<u64, WriteError> {
        self.0.finish()
    }
}

/// The largest number of levels that a script opens; forgotten levels are not counted.
const DEEPEST: u32 = 12;

/// A script: bytes that determine the calls. It continues with zeros after its end.
struct Play<'s> {
    script: std::slice::Iter<'s, u8>,
    /// Whether anything hostile was tried.
    hostile: bool,
    /// Whether a child was forgotten or its closure panicked, so that the message cannot be whole.
    broken: bool,
}

impl Play<'_> {
    fn byte(&mut self) -> u8 {
        self.script.next().copied().unwrap_or(0)
    }

    fn number(&mut self) -> u64 {
        let (bits, low) = (self.byte() % 64, self.byte() as u64);
        ((low << 56) | (low * 0x0101_0101)) >> bits
    }

    fn text(&mut self) -> Vec<u8> {
        let len = self.byte() as usize;
        vec![b'x'; if len < 200 { len % 24 } else { 4 * (len - 190) }]
    }

    /// Seldom returns a fault.
    fn turn(&mut self) -> Turn {
        let turn = match self.byte() {
            248.. => Turn::Panics((self.byte() % 4) as u32),
            236..248 => Turn::Lies((self.byte() % 3) as u32),
            _ => Turn::Honest,
        };
        self.hostile |= turn != Turn::Honest;
        turn
    }

    fn seldom(&mut self) -> bool {
        let now = self.byte() >= 248;
        self.hostile |= now;
        now
    }

    /// Writes the fields of a message. A panic is caught here, in the middle of the message, or continues.
    fn message(&mut self, w: &mut MessageWriter<'_>, level: u32) {
        for _ in 0..1 + self.byte() % 6 {
            let stays = self.byte() % 2 == 0;
            if caught(|| self.field(w, level)).is_none() && !stays {
                panic_here();
            }
        }
    }

    /// Writes the content of a child, which may panic at its end.
    fn inside(&mut self, w: &mut MessageWriter<'_>, level: u32) {
        if level < DEEPEST {
            self.message(w, level + 1);
        }
        if self.seldom() {
            panic_here();
        }
    }

    /// Does the same in a closure: after a panic the child is not ended.
    fn closure(&mut self, w: &mut MessageWriter<'_>, level: u32) {
        if caught(|| self.inside(w, level)).is_none() {
            self.broken = true;
            panic_here();
        }
    }

    /// Drops a guard, or forgets it.
    fn leave<G>(&mut self, guard: G) {
        if self.seldom() {
            self.broken = true;
            forget(guard);
        }
    }

    fn field(&mut self, w: &mut MessageWriter<'_>, level: u32) {
        match self.byte() % 16 {
            0 => w.uint64::<{ tag(1, VARINT) }>(self.number()),
            1 => w.fixed64::<{ tag(2000, FIXED64) }>(self.number()),
            2 => w.bytes::<{ tag(2, LEN) }>(&self.text()),
            3 | 4 => {
                let parts: Vec<Piece> =
                    (0..self.byte() % 5).map(|_| Piece::new(self.text(), self.text(), self.turn())).collect();
                w.parts::<{ tag(3, LEN) }>(&parts);
            }
            5 | 6 => {
                let (n, turn) = (self.byte() % 60, self.turn());
                let numbers: Vec<Number> = (0..n).map(|_| Number::new(1, self.number() as i32, turn)).collect();
                Number::start();
                w.packed::<{ tag(4, LEN) }, element::Enum<Number>>(&numbers);
            }
            7 => {
                let values: Vec<u64> = (0..self.byte() % 60).map(|_| self.number()).collect();
                let hints = [(0, None), (usize::MAX, None), (3, Some(2)), (0, Some(usize::MAX))];
                let (hints, panics) = (hints[self.byte() as usize % 4], self.seldom());
                w.packed_from::<{ tag(5, LEN) }, element::Uint64>(Values::new(values, hints, panics));
            }
            8 => {
                let mut packed = w.open_packed::<{ tag(6, LEN) }, element::Sint64>();
                packed.extend((0..self.byte() as i64 % 80).map(|i| i << 20));
                self.leave(packed);
            }
            9 => w.nested::<{ tag(7, LEN) }, W<'_>>(|child| self.closure(&mut child.0, level)),
            10 => {
                let mut child = w.open::<{ tag(7, LEN) }, W<'_>>();
                self.inside(&mut child.0, level);
                self.leave(child);
            }
            11 => w.group::<8, W<'_>>(|child| self.closure(&mut child.0, level)),
            12 => {
                let mut child = w.open_group::<8, W<'_>>();
                self.inside(&mut child.0, level);
                self.leave(child);
            }
            13 => {
                let (key, value) = (self.text(), self.text());
                w.entry::<{ tag(9, LEN) }>(Part::bytes(1, &key), Part::bytes(2, &value));
            }
            14 => {
                let key = self.text();
                let mut child = w.open_entry::<{ tag(10, LEN) }, W<'_>>(Part::bytes(1, &key));
                self.inside(&mut child.0, level + 1);
                self.leave(child);
            }
            _ => {
                let mut item = w.open_item::<77, W<'_>>();
                self.inside(&mut item.0, level + 1);
                if self.seldom() {
                    self.exchange(&mut item);
                }
            }
        }
    }

    /// Puts the root of another output into a child's guard.
    fn exchange(&mut self, child: &mut W<'_>) {
        self.broken = true;
        let memory = Box::leak(Box::new([0; 64]));
        let buffer = Box::leak(Box::new(FixedBuffer::new(memory)));
        let mut root = W(buffer.message());
        root.0.uint64::<{ tag(1, VARINT) }>(1);
        swap(child, &mut root);
    }

    /// Writes a message to an output, and forgets, drops or finishes it.
    fn root(&mut self, out: &mut dyn Output, delimited: bool) -> Option<Result<u64, WriteError>> {
        caught(|| {
            let mut w = if delimited { out.delimited() } else { out.message() };
            self.message(&mut w, 0);
            match self.byte() {
                248.. => {
                    (self.hostile, self.broken) = (true, true);
                    forget(w);
                    None
                }
                n => (n % 2 == 0).then(|| w.finish()),
            }
        })
        .flatten()
    }

    /// Checks the status of an output without faults, and its bytes, against this script.
    fn judge(&self, status: Result<u64, WriteError>, done: Option<Result<u64, WriteError>>, bytes: &[u8]) {
        assert!(done.is_none_or(|done| done == status), "{done:?} {status:?}");
        match status {
            Ok(len) => {
                assert!(!self.broken, "counts as whole");
                assert_eq!(len, bytes.len() as u64);
                assert!(parses(bytes), "{bytes:02x?}");
            }
            Err(error) => {
                assert!(self.hostile || error.code() == Code::BufferExhausted, "{error}");
                let valid = &bytes[..error.valid_len() as usize];
                assert!(parses(valid), "{error} {valid:02x?}");
            }
        }
    }
}

fn play<'s>(script: &'s [u8]) -> Play<'s> {
    Play { script: script.iter(), hostile: false, broken: false }
}

/// Plays a script on an output that keeps the bytes.
macro_rules! on {
    ($script:expr, $out:ident, $bytes:expr) => {{
        let mut run = play($script);
        let done = run.root(&mut $out, false);
        run.judge($out.status(), done, &$bytes);
        // Writes a message after it, which must succeed if the first one was valid, and fail otherwise.
        let good = $out.status().is_ok();
        let mut next = W($out.message());
        next.0.uint64::<{ tag(1, VARINT) }>(1);
        let next = next.finish();
        assert!(next.is_ok() == good || next.is_err_and(|e| e.code() == Code::BufferExhausted), "{next:?}");
    }};
}

/// Plays a script on outputs of all kinds.
pub fn scripts(script: &[u8], rng: &mut Rng) {
    for policy in [LengthPolicy::Compact, LengthPolicy::Fixed4, LengthPolicy::Minimal] {
        let mut out = VecBuffer::with_policy(Vec::with_capacity(rng.below(400)), policy);
        on!(script, out, out.partial_bytes());

        let (size, before) = (rng.below(400), 16);
        let mut memory = vec![0xa5; before + size + 16];
        let mut out = FixedBuffer::with_policy(&mut memory[before..before + size], policy);
        on!(script, out, out.partial_bytes());
        assert!(memory[..before].iter().chain(&memory[before + size..]).all(|&byte| byte == 0xa5), "out of bounds");

        let first_chunk = 64 + rng.below(200);
        let limit = [usize::MAX, 64 + rng.below(1000)][rng.below(2)];
        let mut out = HeapBuffer::with_options(HeapOptions { policy, first_chunk, limit, ..HeapOptions::default() });
        on!(script, out, out.to_partial_vec());
    }
    let mut out = BytesBuffer::with_policy(bytes::BytesMut::with_capacity(rng.below(400)), LengthPolicy::Compact);
    on!(script, out, out.partial_bytes());

    for policy in [StreamPolicy::Compact, StreamPolicy::Fixed4] {
        for delimited in [false, true] {
            chunks(script, rng, policy, delimited);
            stream(script, rng, policy, delimited);
        }
    }
}

fn fault(rng: &mut Rng) -> Option<(u32, Fault)> {
    let fault = [Fault::Panic, Fault::Nothing, Fault::Short(rng.below(64)), Fault::Again][rng.below(4)];
    (rng.below(3) > 0).then(|| (rng.below(8) as u32, fault))
}

/// Writes messages into chunks that leave, of a source that may fail at any call.
fn chunks(script: &[u8], rng: &mut Rng, policy: StreamPolicy, delimited: bool) {
    let mut out = ChunkWriter::with_policy(Chunks::new(64 + rng.below(100), fault(rng)), policy);
    let mut run = play(script);
    let mut done = run.root(&mut out, delimited);
    if delimited && out.status().is_ok() {
        done = run.root(&mut out, delimited);
        let _ = caught(|| out.flush());
    }
    let status = out.status();
    assert!(done.is_none_or(|done| done.is_ok() || done == status), "{done:?} {status:?}");
    if status.is_ok() {
        assert!(!run.broken && !out.source().failed, "counts as whole");
    }
    // Whatever is open is ended by the second call at the latest, because only one call fails.
    let _ = caught(|| out.reset());
    let _ = caught(|| out.reset());
    let source = out.source();
    let failed = source.failed;
    assert!(source.finished > 0 || source.returned.is_empty());
    for full in &source.returned {
        assert!(full.used <= full.memory.len());
        assert!(full.open_slots == 0 || failed || source.reused_id, "a slot was never patched");
    }
    if status.is_ok() && !source.reused_id {
        assert!(parses_stream(&source.joined(), delimited));
    }
    // Writes a new message after them; only one call fails.
    if failed {
        let mut w = W(out.message());
        w.0.uint64::<{ tag(1, VARINT) }>(1);
        assert_eq!(w.finish(), Ok(2));
    }
}

/// Does the same into an `io::Write`.
fn stream(script: &[u8], rng: &mut Rng, policy: StreamPolicy, delimited: bool) {
    let mut out = IoWriter::with_chunks(Sink::new(fault(rng)), 64 + rng.below(100), policy);
    let mut run = play(script);
    let done = run.root(&mut out, delimited);
    let status = out.status();
    assert!(done.is_none_or(|done| done == status), "{done:?} {status:?}");
    assert!(status.is_err() || !run.broken, "counts as whole");
    if let Some(Ok(sink)) = caught(|| out.into_inner()) {
        assert!(!sink.failed, "a failure was not reported");
        assert!(status.is_err() || parses_stream(&sink.bytes, delimited));
    }
}

/// Reports whether the bytes are a message, or length-prefixed messages.
pub fn parses_stream(bytes: &[u8], delimited: bool) -> bool {
    match delimited {
        false => parses(bytes),
        true => DelimitedReader::new(bytes).all(|message| message.is_ok_and(|message| parses(message.bytes))),
    }
}
