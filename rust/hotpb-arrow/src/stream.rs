//! Delimited streams: in memory, or from anything that can be read.

use crate::error::ReadError;
use crate::reader::Reader;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use hotpb::Code;
use hotpb::wire::decode_varint;
use std::io::Read;

/// The batches of a delimited stream (DLM-1): each message has its length before it. An error of the stream itself ends
/// it; bad messages can be skipped ([`ReadOptions::skip_bad`](crate::ReadOptions::skip_bad)).
///
/// The errors are `ArrowError::ExternalError` with a [`ReadError`], or `ArrowError::IoError`.
pub struct Delimited<R> {
    source: R,
    reader: Reader,
    /// Bytes that were read; those before `at` are done.
    buffer: Vec<u8>,
    at: usize,
    /// The offset in the stream of the buffer's first byte.
    base: usize,
    /// Whether the source has no more bytes.
    ended: bool,
    /// Whether an error ended the stream.
    failed: bool,
}

/// The bytes that are read at a time.
const PIECE: usize = 256 << 10;

impl<R: Read> Delimited<R> {
    pub(crate) fn new(source: R, reader: Reader) -> Delimited<R> {
        Delimited { source, reader, buffer: Vec::new(), at: 0, base: 0, ended: false, failed: false }
    }

    /// Returns the reader, which counts messages and those that it skipped.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Reads until this many bytes are in the buffer, or the source ends.
    fn fill(&mut self, want: usize) -> Result<(), ArrowError> {
        while self.buffer.len() - self.at < want && !self.ended {
            if self.at > 0 {
                self.base += self.at;
                self.buffer.drain(..self.at);
                self.at = 0;
            }
            // Not more than arrives: a length alone allocates nothing.
            let before = self.buffer.len();
            let more = (&mut self.source).take(PIECE.max(before) as u64).read_to_end(&mut self.buffer);
            let more = more.map_err(|e| ArrowError::IoError(e.to_string(), e))?;
            self.ended = more == 0;
        }
        Ok(())
    }

    fn stream_error(&self, code: Code) -> ArrowError {
        let error = hotpb::Error::new(code, self.base + self.at);
        ArrowError::ExternalError(Box::new(ReadError { message: self.reader.messages(), error }))
    }

    fn step(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            self.fill(1)?;
            if self.at == self.buffer.len() {
                return Ok(self.reader.finish());
            }
            self.fill(10)?;
            let rest = &self.buffer[self.at..];
            let Some((len, prefix)) = decode_varint(rest) else {
                let code = if rest.len() < 10 { Code::Truncated } else { Code::VarintOverflow };
                return Err(self.stream_error(code));
            };
            if len > self.reader.max_size() as u64 {
                return Err(self.stream_error(Code::SizeExceeded));
            }
            let whole = prefix + len as usize;
            self.fill(whole)?;
            if self.buffer.len() - self.at < whole {
                return Err(self.stream_error(Code::Truncated));
            }
            let (start, end) = (self.at + prefix, self.at + whole);
            self.at = end;
            let batch = self.reader.push_at(&self.buffer[start..end], self.base + start);
            if let Some(batch) = batch.map_err(|e| ArrowError::ExternalError(Box::new(e)))? {
                return Ok(Some(batch));
            }
        }
    }
}

impl<R: Read> Iterator for Delimited<R> {
    type Item = Result<RecordBatch, ArrowError>;

    /// Returns the next batch. The batches before an error come before it.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let item = self.step();
        self.failed = item.is_err();
        item.transpose()
    }
}

impl<R: Read> RecordBatchReader for Delimited<R> {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}
