//! The harness of ProtoZero's design document, and the contents of a message in its two workloads.
//!
//! An operation writes one message into the next 512 bytes of a working set of 64 MiB, as a tracing service writes its
//! buffer, and then reads the bytes back in a chain of dependent XORs, so that no store can be optimised away. The
//! chain is most of the cost of the empty harness (`floor`). Case `hot-loop` writes into the same place again and
//! again, without other work.

use std::hint::black_box;

use ::prost::Message;

use super::generated::prost::Event;
use crate::harness::{Contender, Request};

/// More than a message needs.
pub const ROOM: usize = 512;
const PLACES: usize = (64 << 20) / ROOM;

/// Varints of five bytes and a string of 31, as in the document.
pub struct Inputs {
    pub numbers: [u64; 4],
    pub text: &'static str,
}

static INPUTS: Inputs =
    Inputs { numbers: [0x1234_5678, 0x90ab_cdef, 0x1111_1111, 0xffff_ffff], text: "fffffffffffffffffffffffffffffff" };

/// Returns the values to fill a message with, which the optimiser does not know.
#[inline(always)]
pub fn inputs() -> &'static Inputs {
    black_box(&INPUTS)
}

/// A rival: it fills and writes one message at the front of `out`, and returns its size.
pub trait Writer: Default {
    const NOTE: &'static str;
    fn simple(&mut self, out: &mut [u8; ROOM]) -> usize;
    fn nested(&mut self, out: &mut [u8; ROOM]) -> usize;
    /// Returns the difference between the message and the stock runtime's.
    fn check(message: &[u8], nested: bool) -> Result<(), String> {
        let got = Event::decode(message).map_err(|e| e.to_string())?;
        if got == reference(nested) { Ok(()) } else { Err("prost reads another message".into()) }
    }
}

fn reference(nested: bool) -> Event {
    let event = |child: Option<Event>| Event {
        field_int32: Some(INPUTS.numbers[0] as i32),
        field_uint32: Some(INPUTS.numbers[1] as u32),
        field_int64: Some(INPUTS.numbers[2] as i64),
        field_uint64: Some(INPUTS.numbers[3]),
        field_string: Some(INPUTS.text.into()),
        field_nested: child.into_iter().collect(),
        ..Event::default()
    };
    let levels = if nested { 4 } else { 1 };
    (1..levels).fold(event(None), |child, _| event(Some(child)))
}

/// A rival in one of the tasks.
pub struct Document<W, const NESTED: bool> {
    writer: W,
    hot_loop: bool,
    set: WorkingSet,
}

impl<W: Writer, const NESTED: bool> Document<W, NESTED> {
    pub fn new(request: &Request) -> Result<Self, String> {
        let hot_loop = match request.case.as_str() {
            "harness" => false,
            "hot-loop" => true,
            other => return Err(format!("no case {other:?}")),
        };
        Ok(Document { writer: W::default(), hot_loop, set: WorkingSet::new() })
    }

    #[inline(always)]
    fn write(&mut self) -> usize {
        let out = self.set.place();
        if NESTED { self.writer.nested(out) } else { self.writer.simple(out) }
    }
}

impl<W: Writer, const NESTED: bool> Contender for Document<W, NESTED> {
    fn op(&mut self) -> Result<u64, String> {
        self.bare(1).map(|()| 0)
    }

    fn run(&mut self, operations: u32) -> Result<(), String> {
        if self.hot_loop {
            return self.bare(operations);
        }
        for operation in 0..operations {
            self.write();
            self.set.clobber(operation);
        }
        Ok(())
    }

    fn bare(&mut self, operations: u32) -> Result<(), String> {
        for _ in 0..operations {
            self.write();
            black_box(self.set.place());
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), String> {
        let size = self.write();
        W::check(&self.set.place()[..size], NESTED)
    }

    fn note(&self) -> &'static str {
        W::NOTE
    }

    fn size(&self) -> Option<usize> {
        Some(reference(NESTED).encoded_len())
    }
}

struct WorkingSet {
    memory: Vec<[u8; ROOM]>,
    at: usize,
}

impl WorkingSet {
    fn new() -> WorkingSet {
        let mut memory = vec![[0; ROOM]; PLACES];
        memory.iter_mut().for_each(|place| place[0] = 1); // touches every page
        WorkingSet { memory, at: 0 }
    }

    #[inline(always)]
    fn place(&mut self) -> &mut [u8; ROOM] {
        &mut self.memory[self.at]
    }

    #[inline(always)]
    fn clobber(&mut self, operation: u32) {
        let place = black_box(self.place());
        let mut last = u64::from(operation);
        for word in place.chunks_exact_mut(size_of::<u64>()) {
            last ^= u64::from_ne_bytes(word.try_into().expect("eight bytes"));
            word.copy_from_slice(&last.to_ne_bytes());
        }
        black_box(place);
        self.at = operation as usize % PLACES;
    }
}

/// The empty harness.
#[derive(Default)]
pub struct Floor;

impl Writer for Floor {
    const NOTE: &'static str = "the empty harness";
    fn simple(&mut self, _: &mut [u8; ROOM]) -> usize {
        0
    }
    fn nested(&mut self, _: &mut [u8; ROOM]) -> usize {
        0
    }
    fn check(_: &[u8], _: bool) -> Result<(), String> {
        Ok(())
    }
}
