//! [`HeapBuffer`]: a chain of chunks on the heap.

use super::sealed::Streams;
use crate::chunk::{LengthPolicy, MIN_CHUNK, Patch};
use crate::writer::error::WriteError;
use crate::writer::source::{Left, Piece, Source};
use crate::writer::stream::{Nature, Stream};
use alloc::vec::Vec;

/// The settings of a [`HeapBuffer`].
#[derive(Clone, Copy, Debug)]
pub struct HeapOptions {
    /// How the writer encodes lengths.
    pub policy: LengthPolicy,
    /// The size of the first chunk, at least 64.
    pub first_chunk: usize,
    /// The size up to which chunks double.
    pub largest_chunk: usize,
    /// The total size of the chunks. Beyond it writing fails with `BufferExhausted`. A remainder of less than 64 bytes
    /// is not used.
    pub limit: usize,
}

impl Default for HeapOptions {
    fn default() -> HeapOptions {
        HeapOptions { policy: LengthPolicy::default(), first_chunk: 4096, largest_chunk: 32768, limit: usize::MAX }
    }
}

/// A chain of chunks on the heap, which [`HeapBuffer::clear`] makes ready to use again. Keep one per worker.
///
/// ```
/// use hotpb::wkt::StructWriter;
/// use hotpb::writer::HeapBuffer;
/// let mut out = HeapBuffer::new();
/// for name in ["a", "b"] {
///     out.clear();
///     StructWriter::new(&mut out).fields(name, |value| { value.bool_value(true); });
///     assert_eq!(out.status(), Ok(9));
///     assert_eq!(out.to_vec()?, [0x0a, 7, 0x0a, 1, name.as_bytes()[0], 0x12, 2, 0x20, 1]);
/// }
/// # Ok::<(), hotpb::Error>(())
/// ```
/// Chunks start at 4 KiB and double up to 32 KiB. They are allocated when first needed and kept, so a warm buffer
/// allocates no more. Without [`HeapBuffer::clear`], messages are written one after the other.
pub struct HeapBuffer {
    stream: Stream<Chain>,
}

struct Chain {
    blocks: Vec<Block>,
    /// The number of blocks in use.
    count: usize,
    /// The sum of the sizes of the blocks in use.
    held: usize,
    options: HeapOptions,
}

struct Block {
    /// Has length 0; the written bytes are in its capacity.
    memory: Vec<u8>,
    used: usize,
}

impl Block {
    fn data(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr()
    }

    fn size(&self) -> usize {
        self.memory.capacity()
    }
}

impl Chain {
    /// Returns the first block, if it exists.
    #[inline]
    fn restart(&mut self) -> Piece {
        (self.count, self.held) = (0, 0);
        if self.blocks.is_empty() { Piece::nowhere() } else { self.take().unwrap_or(Piece::nowhere()) }
    }

    /// Returns the next block, within the limit.
    fn take(&mut self) -> Option<Piece> {
        let left = self.options.limit - self.held;
        if left < MIN_CHUNK {
            return None;
        }
        if self.count == self.blocks.len() {
            let HeapOptions { first_chunk, largest_chunk, .. } = self.options;
            let size = self.blocks.last().map_or(first_chunk, |last| largest_chunk.min(last.size().saturating_mul(2)));
            let mut memory = Vec::new();
            self.blocks.try_reserve(1).ok()?;
            memory.try_reserve_exact(size.max(MIN_CHUNK)).ok()?;
            self.blocks.push(Block { memory, used: 0 });
        }
        let block = &mut self.blocks[self.count];
        block.used = 0;
        let size = block.size().min(left);
        self.held += size;
        self.count += 1;
        // SAFETY: this is the block's own capacity, no part of which is in use.
        Some(unsafe { Piece::new(self.count as u64 - 1, block.data(), size).spoiled(0) })
    }
}

// SAFETY: only the block owns its memory, and moving the block does not move the memory. Only `patch` and `widen`
// access it, which the stream calls for chunks that it has given back.
unsafe impl Source for Chain {
    fn next(&mut self, full: Option<Left>) -> Option<Piece> {
        if let Some(full) = full {
            self.blocks[full.id as usize].used = full.used;
        }
        self.take()
    }

    fn patch(&mut self, patch: Patch) {
        let block = &mut self.blocks[patch.id as usize];
        assert!(patch.offset + 4 <= block.used);
        // SAFETY: the slot lies within the written bytes.
        unsafe { block.data().add(patch.offset).copy_from_nonoverlapping(patch.bytes.as_ptr(), 4) };
    }

    fn widen(&mut self, id: u64, offset: usize, length: &[u8]) {
        let block = &mut self.blocks[id as usize];
        let more = length.len() - 1;
        assert!(offset < block.used && more <= block.size() - block.used);
        // SAFETY: the bytes after the slot move within the capacity, as checked above; then the slot has the new width.
        unsafe {
            let slot = block.data().add(offset);
            slot.add(1).copy_to(slot.add(length.len()), block.used - offset - 1);
            slot.copy_from_nonoverlapping(length.as_ptr(), length.len());
        }
        block.used += more;
    }
}

impl HeapBuffer {
    /// Creates an empty buffer; it allocates nothing yet.
    pub fn new() -> HeapBuffer {
        HeapBuffer::with_options(HeapOptions::default())
    }

    /// Creates a buffer with a policy for lengths, sizes of chunks, and a limit.
    pub fn with_options(options: HeapOptions) -> HeapBuffer {
        let chain = Chain { blocks: Vec::new(), count: 0, held: 0, options };
        let nature = Nature { policy: options.policy, keeps: true, single: false };
        HeapBuffer { stream: Stream::new(chain, nature) }
    }

    /// Starts again and keeps the chunks.
    #[inline]
    pub fn clear(&mut self) {
        let piece = self.stream.source.restart();
        if piece.size == 0 {
            self.stream.core.restart_empty();
        } else {
            self.stream.core.restart(piece);
        }
    }

    /// Starts again and frees the chunks.
    pub fn shrink_to_fit(&mut self) {
        self.stream.core.restart_empty();
        self.stream.source.blocks = Vec::new();
        self.stream.source.restart();
    }

    /// Returns everything that was written, in non-empty pieces, if all messages are whole, else the error of the last
    /// one.
    pub fn chunks(&self) -> Result<impl Iterator<Item = &[u8]>, WriteError> {
        self.status()?;
        Ok(self.partial_chunks())
    }

    /// Returns everything that was written, whole or not, in pieces: of a failed message, the part that parses
    /// ([`WriteError::valid_len`]).
    pub fn partial_chunks(&self) -> impl Iterator<Item = &[u8]> {
        let Stream { core, source } = &self.stream;
        let piece = |(i, block): (usize, &'_ Block)| -> &[u8] {
            if core.chunk == Some(i as u64) {
                return core.written();
            }
            // SAFETY: that many bytes were written before the chunk was given back, and the chunk is not lent now.
            unsafe { core::slice::from_raw_parts(block.memory.as_ptr(), block.used) }
        };
        // The blocks may contain a part of a field that did not fit.
        let good = usize::try_from(core.good()).unwrap_or(usize::MAX);
        let pieces = source.blocks[..source.count].iter().enumerate().map(piece);
        let pieces = pieces.scan(good, |left, piece| {
            let piece = &piece[..piece.len().min(*left)];
            *left -= piece.len();
            Some(piece)
        });
        pieces.filter(|piece| !piece.is_empty())
    }

    /// Returns the chunks that were written, if all messages are whole. They are moved, not copied.
    #[cfg(feature = "http-body")]
    pub(super) fn into_chunks(mut self) -> Result<impl Iterator<Item = Vec<u8>>, WriteError> {
        self.status()?;
        let lengths: Vec<usize> = self.partial_chunks().map(<[u8]>::len).collect();
        let count = self.stream.source.count;
        let blocks = core::mem::take(&mut self.stream.source.blocks);
        self.stream.core.restart_empty();
        // Only the last chunk can be empty, and `partial_chunks` omits it.
        let blocks = blocks.into_iter().take(count).zip(lengths);
        Ok(blocks.map(|(mut block, len)| {
            // SAFETY: `partial_chunks` returned that many bytes of this block, which were written.
            unsafe { block.memory.set_len(len) };
            block.memory
        }))
    }

    /// Returns the number of bytes that were written, in whole messages or not.
    pub fn len(&self) -> usize {
        self.partial_chunks().map(<[u8]>::len).sum()
    }

    /// Reports whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.partial_chunks().next().is_none()
    }

    /// Returns everything that was written, if it is in one piece and all messages are whole.
    pub fn as_slice(&self) -> Result<Option<&[u8]>, WriteError> {
        let mut chunks = self.chunks()?;
        let first = chunks.next().unwrap_or_default();
        Ok(chunks.next().is_none().then_some(first))
    }

    /// Appends everything that was written to `out`, if all messages are whole.
    pub fn append_to(&self, out: &mut Vec<u8>) -> Result<(), WriteError> {
        self.status()?;
        self.append_partial_to(out);
        Ok(())
    }

    /// Returns a copy of everything that was written, if all messages are whole.
    pub fn to_vec(&self) -> Result<Vec<u8>, WriteError> {
        self.status()?;
        Ok(self.to_partial_vec())
    }

    /// Returns a copy of everything that was written, whole or not.
    pub fn to_partial_vec(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.append_partial_to(&mut out);
        out
    }

    fn append_partial_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        self.partial_chunks().for_each(|chunk| out.extend_from_slice(chunk));
    }

    /// Returns the length of the last message, or its error.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.stream.core.settled()
    }
}

impl Default for HeapBuffer {
    fn default() -> HeapBuffer {
        HeapBuffer::new()
    }
}

impl Streams for HeapBuffer {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        &mut self.stream
    }
}
