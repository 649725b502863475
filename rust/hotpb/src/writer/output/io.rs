//! [`IoWriter`]: messages into a `std::io::Write`.

use super::ChunkWriter;
use super::sealed::Streams;
use crate::chunk::{IoSource, StreamPolicy};
use crate::writer::error::WriteError;
use crate::writer::source::Source;
use crate::writer::stream::Stream;
use std::io;

/// Writes messages into a [`std::io::Write`] (feature `std`).
///
/// A chunk is written out as soon as neither it nor a chunk before it has an open length. So a nested message that is
/// longer than a chunk stays in memory until it ends. Chunks are reused. If the output fails, the message fails with
/// `BufferExhausted`, and [`IoWriter::take_error`] returns the output's own error.
///
/// The output can be sent to another thread, because a message in progress can: pass `std::io::stdout()`, not its lock.
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
pub struct IoWriter<W: io::Write + Send> {
    chunks: ChunkWriter<IoSource<W>>,
}

impl<W: io::Write + Send> IoWriter<W> {
    /// Creates a writer with chunks of 4 KiB.
    pub fn new(out: W) -> IoWriter<W> {
        IoWriter::with_chunks(out, 4096, StreamPolicy::default())
    }

    /// Creates a writer with chunks of `chunk_size` bytes (at least 64) and a policy for lengths.
    pub fn with_chunks(out: W, chunk_size: usize, policy: StreamPolicy) -> IoWriter<W> {
        IoWriter { chunks: ChunkWriter::with_policy(IoSource::new(out, chunk_size), policy) }
    }

    /// Writes out the last chunk of delimited messages, and flushes the output. It fails if the output has failed
    /// before.
    pub fn flush(&mut self) -> io::Result<()> {
        self.chunks.flush();
        let source = self.chunks.source_mut();
        source.check()?;
        source.get_mut().flush()
    }

    /// Returns the output, if neither it nor a message has failed.
    pub fn into_inner(mut self) -> io::Result<W> {
        // A message that was forgotten ends now; writing its last chunk may fail.
        self.chunks.stream().end();
        self.flush()?;
        self.status().map_err(io::Error::other)?;
        Ok(self.chunks.into_inner().into_inner())
    }

    /// Takes the error of the output.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.chunks.source_mut().take_error()
    }

    /// Returns the length of the last message, or its error.
    pub fn status(&self) -> Result<u64, WriteError> {
        self.chunks.status()
    }
}

impl<W: io::Write + Send> Streams for IoWriter<W> {
    #[inline(always)]
    fn stream(&mut self) -> &mut Stream<dyn Source + '_> {
        self.chunks.stream()
    }
}
