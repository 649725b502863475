//! Chunks into a `std::io::Write`.

use super::{Chunk, ChunkSource, Full, MIN_CHUNK, Patch};
use std::collections::VecDeque;
use std::io;
use std::vec::Vec;

/// Writes each chunk as soon as no length in it or before it is open; until then it is held in memory.
#[derive(Debug)]
pub struct IoSource<W> {
    out: W,
    chunk_size: usize,
    waiting: VecDeque<Full<Vec<u8>>>,
    /// Of the next chunk; ids ascend by one.
    next_id: u64,
    spare: Vec<Vec<u8>>,
    error: Option<io::Error>,
    failed: bool,
}

impl<W: io::Write> IoSource<W> {
    /// Over an output, with chunks of this size (64 at least).
    pub fn new(out: W, chunk_size: usize) -> IoSource<W> {
        let chunk_size = chunk_size.max(MIN_CHUNK);
        IoSource {
            out,
            chunk_size,
            waiting: VecDeque::new(),
            next_id: 0,
            spare: Vec::new(),
            error: None,
            failed: false,
        }
    }

    /// The output.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    /// The output, to be written to between messages.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// The output, without what waits.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// What went wrong with the output; then there are no more chunks.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// What went wrong with the output, each time: once it has failed, or panicked, what was written after is lost.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        match self.take_error() {
            Some(error) => Err(error),
            None if self.failed => Err(io::Error::other("the output has failed before")),
            None => Ok(()),
        }
    }

    fn leave(&mut self, full: Option<Full<Vec<u8>>>) {
        self.waiting.extend(full);
        self.write_out();
    }

    fn write_out(&mut self) {
        while let Some(chunk) = self.waiting.pop_front() {
            if chunk.open_slots > 0 {
                self.waiting.push_front(chunk);
                return;
            }
            if !self.failed {
                // Until it is done: an output that panics has failed, too.
                self.failed = true;
                let done = match chunk.memory.get(..chunk.used) {
                    Some(bytes) => self.out.write_all(bytes),
                    None => Err(io::ErrorKind::InvalidInput.into()),
                };
                self.failed = done.is_err();
                self.error = done.err();
            }
            self.spare.push(chunk.memory);
        }
    }
}

impl<W: io::Write> ChunkSource for IoSource<W> {
    type Memory = Vec<u8>;

    fn next(&mut self, full: Option<Full<Vec<u8>>>) -> Option<Chunk<Vec<u8>>> {
        self.leave(full);
        if self.failed {
            return None;
        }
        let spare = self.spare.pop().filter(|memory| memory.len() >= MIN_CHUNK);
        let memory = spare.unwrap_or_else(|| std::vec![0; self.chunk_size]);
        self.next_id += 1;
        Some(Chunk { id: self.next_id, memory })
    }

    fn patch(&mut self, patch: Patch) {
        // Few chunks wait, and most patches are for the last one.
        let Some(chunk) = self.waiting.iter_mut().rfind(|chunk| chunk.id == patch.id) else { return };
        let end = patch.offset.saturating_add(patch.bytes.len());
        if let Some(slot) = chunk.memory.get_mut(patch.offset..end) {
            slot.copy_from_slice(&patch.bytes);
        }
        chunk.open_slots = patch.still_open;
        self.write_out();
    }

    fn finish(&mut self, last: Option<Full<Vec<u8>>>) {
        self.leave(last);
    }
}
