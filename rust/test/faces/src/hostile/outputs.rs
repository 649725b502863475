//! Chunk sources and `io::Write`s that fail at a chosen call.

use super::panic_here;
use hotpb::chunk::{Chunk, ChunkSource, Full, Patch};
use std::io;

/// The fault, which occurs once, at the call with this number (of all calls, from 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A panic, in any kind of call.
    Panic,
    /// No chunk; an error of an `io::Write`.
    Nothing,
    /// A chunk of this many bytes, below the minimum; a write of no more than that.
    Short(usize),
    /// The id of the previous chunk again; `Interrupted` of an `io::Write`.
    Again,
}

/// Returns the fault of a call. A panic while another one unwinds aborts the process, so it does not occur then.
fn once(fault: Option<(u32, Fault)>, call: u32) -> Option<Fault> {
    let (_, fault) = fault.filter(|(at, _)| *at == call)?;
    (fault != Fault::Panic || !std::thread::panicking()).then_some(fault)
}

/// Keeps all chunks in the order in which they were lent, patches them, and fails as configured.
pub struct Chunks {
    fault: Option<(u32, Fault)>,
    size: usize,
    calls: u32,
    last_id: u64,
    /// The chunks that came back.
    pub returned: Vec<Full<Vec<u8>>>,
    /// Whether it failed: then the chunks that came back are incomplete.
    pub failed: bool,
    /// Whether it used an id twice: then patches may have reached the wrong chunk.
    pub reused_id: bool,
    /// The number of times that the end of a message was reported.
    pub finished: u32,
}

impl Chunks {
    /// Chunks of a size.
    pub fn new(size: usize, fault: Option<(u32, Fault)>) -> Chunks {
        Chunks { fault, size, calls: 0, last_id: 0, returned: Vec::new(), failed: false, reused_id: false, finished: 0 }
    }

    fn call(&mut self) -> Option<Fault> {
        let call = self.calls;
        self.calls += 1;
        let fault = once(self.fault, call);
        if fault == Some(Fault::Panic) {
            self.failed = true;
            panic_here()
        }
        fault
    }

    /// Returns the chunks that came back, joined.
    pub fn joined(&self) -> Vec<u8> {
        self.returned.iter().flat_map(|full| &full.memory[..full.used]).copied().collect()
    }
}

impl ChunkSource for Chunks {
    type Memory = Vec<u8>;

    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.returned.extend(full);
        let (mut size, mut id) = (self.size, self.last_id + 1);
        match self.call() {
            Some(Fault::Nothing) => {
                self.failed = true;
                return None;
            }
            Some(Fault::Short(few)) => (self.failed, size) = (true, few),
            Some(Fault::Again) => (self.reused_id, id) = (true, self.last_id),
            _ => {}
        }
        self.last_id = id;
        Some(Chunk { id, memory: vec![0xee; size] })
    }

    fn patch(&mut self, patch: Patch) {
        self.call();
        let Some(full) = self.returned.iter_mut().rfind(|full| full.id == patch.id) else {
            assert!(self.failed, "a patch for a chunk that has not come back");
            return;
        };
        // If two chunks have the same id, it may be the other one.
        if patch.offset + 4 <= full.used {
            full.memory[patch.offset..patch.offset + 4].copy_from_slice(&patch.bytes);
            full.open_slots = patch.still_open;
        }
    }

    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.returned.extend(last);
        self.finished += 1;
        self.call();
    }
}

/// Keeps the bytes that are written, and fails as configured.
pub struct Sink {
    fault: Option<(u32, Fault)>,
    calls: u32,
    /// The bytes that were written.
    pub bytes: Vec<u8>,
    /// Whether it failed.
    pub failed: bool,
}

impl Sink {
    /// Creates an empty sink.
    pub fn new(fault: Option<(u32, Fault)>) -> Sink {
        Sink { fault, calls: 0, bytes: Vec::new(), failed: false }
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let call = self.calls;
        self.calls += 1;
        let mut now = bytes.len();
        match once(self.fault, call) {
            Some(Fault::Panic) => {
                self.failed = true;
                panic_here()
            }
            Some(Fault::Nothing) => {
                self.failed = true;
                return Err(io::ErrorKind::StorageFull.into());
            }
            Some(Fault::Short(few)) => {
                now = now.min(few);
                self.failed |= now == 0 && !bytes.is_empty();
            }
            Some(Fault::Again) => return Err(io::ErrorKind::Interrupted.into()),
            None => {}
        }
        self.bytes.extend_from_slice(&bytes[..now]);
        Ok(now)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
