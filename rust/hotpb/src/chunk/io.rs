//! [`IoSource`]: chunks that go to a `std::io::Write`.

use super::{Chunk, ChunkSource, Full, MIN_CHUNK, Patch};
use std::collections::VecDeque;
use std::io;
use std::vec::Vec;

/// Writes each chunk as soon as neither it nor a chunk before it has an open length; until then it holds the chunk in
/// memory.
#[derive(Debug)]
pub struct IoSource<W> {
    out: W,
    chunk_size: usize,
    waiting: VecDeque<Full<Vec<u8>>>,
    /// The id of the next chunk; ids ascend by one.
    next_id: u64,
    spare: Vec<Vec<u8>>,
    error: Option<io::Error>,
    failed: bool,
}

impl<W: io::Write> IoSource<W> {
    /// Creates a source that writes to `out`, with chunks of `chunk_size` bytes (at least 64).
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

    /// Returns the output.
    pub fn get_ref(&self) -> &W {
        &self.out
    }

    /// Returns the output, so that you can write to it between messages.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Returns the output; chunks that still wait are discarded.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Takes the error of the output. After an error the source returns no more chunks.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Returns an error at every call once the output has failed or panicked: whatever was written after that is lost.
    pub(crate) fn check(&mut self) -> io::Result<()> {
        match self.take_error() {
            Some(error) => Err(error),
            None if self.failed => Err(io::Error::other("the output failed earlier")),
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
                // Set until the write returns: an output that panics has failed, too.
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

impl<W: io::Write + Send> ChunkSource for IoSource<W> {
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
