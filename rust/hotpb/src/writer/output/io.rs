//! Messages into a `std::io::Write`.

use super::ChunkWriter;
use super::sealed::Streams;
use crate::chunk::{IoSource, StreamPolicy};
use crate::writer::error::WriteError;
use crate::writer::source::Source;
use crate::writer::stream::Stream;
use std::io;

/// Messages into a [`std::io::Write`] (feature `std`).
///
/// A chunk is written out as soon as no length in it or before it is open: a nested message that is longer than a chunk
/// is held in memory until it ends. Chunks are used again. An output that fails makes `BufferExhausted`; what it said
/// is in [`IoWriter::take_error`].
///
/// ```
/// use hotpb::wkt::TimestampWriter;
/// use hotpb::writer::IoWriter;
/// let mut out = IoWriter::new(Vec::new());
/// for seconds in [1, 150] {
///     TimestampWriter::delimited(&mut out).seconds(seconds);
/// }
/// assert_eq!(out.into_inner()?, [2, 0x08, 1, 3, 0x08, 0x96, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IoWriter<W: io::Write> {
    chunks: ChunkWriter<IoSource<W>>,
}

impl<W: io::Write> IoWriter<W> {
    /// With chunks of 4 KiB.
    pub fn new(out: W) -> IoWriter<W> {
        IoWriter::with_chunks(out, 4096, StreamPolicy::default())
    }

    /// With chunks of another size (64 at least), and a policy for lengths.
    pub fn with_chunks(out: W, chunk_size: usize, policy: StreamPolicy) -> IoWriter<W> {
        IoWriter { chunks: ChunkWriter::with_policy(IoSource::new(out, chunk_size), policy) }
    }

    /// Writes out the last chunk of delimited messages, and flushes the output. Once the output has failed, this fails, too.
    pub fn flush(&mut self) -> io::Result<()> {
        self.chunks.flush();
        let source = self.chunks.source_mut();
        source.check()?;
        source.get_mut().flush()
    }

    /// The output, when nothing has gone wrong with it, nor with a message.
    pub fn into_inner(mut self) -> io::Result<W> {
        // A message that was forgotten ends now, and its last chunk may fail to go out.
        self.chunks.stream().end();
        self.flush()?;
        self.status().map_err(io::Error::other)?;
        Ok(self.chunks.into_inner().into_inner())
    }

    /// What went wrong with the output.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.chunks.source_mut().take_error()
    }

    /// The length of the last message, or what went wrong.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.chunks.status()
    }
}

impl<W: io::Write> Streams for IoWriter<W> {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        self.chunks.stream()
    }
}
