//! Delimited streams: messages, each with its length as a varint before it (DLM-1).

use super::{MAX_SIZE, check};
use crate::{Code, Error};

/// One message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimited<'a> {
    /// The bytes of the message.
    pub bytes: &'a [u8],
    /// The offset of its first byte from the start of the stream (OFF-9).
    pub offset: usize,
}

/// Iterates over the messages of a stream in memory. The iterator ends after an error.
///
/// ```
/// let mut stream = hotpb::wire::DelimitedReader::new(&[2, 8, 1, 0]);
/// assert_eq!(stream.next().unwrap()?.bytes, [8, 1]);
/// assert_eq!(stream.next().unwrap()?.bytes, []);
/// assert!(stream.next().is_none());
/// # Ok::<(), hotpb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DelimitedReader<'a> {
    stream: &'a [u8],
    at: usize,
    max_size: usize,
}

impl<'a> DelimitedReader<'a> {
    /// Creates a reader of a whole stream; its messages may have any size that a message may have.
    pub fn new(stream: &'a [u8]) -> DelimitedReader<'a> {
        DelimitedReader::with_max_size(stream, MAX_SIZE)
    }

    /// Creates a reader of a whole stream, with a size limit for each message.
    pub fn with_max_size(stream: &'a [u8], max_size: usize) -> DelimitedReader<'a> {
        DelimitedReader { stream, at: 0, max_size: max_size.min(MAX_SIZE) }
    }

    fn read(&mut self) -> Result<Delimited<'a>, Error> {
        let length_at = self.at;
        // An error about a message that is cut off is at that message's length (DLM-2), not at its payload.
        let (len, start) = check::varint_at(self.stream, length_at, self.stream.len())?;
        if len > self.max_size as u64 {
            return Err(Error::new(Code::SizeExceeded, length_at));
        }
        let end = start + len as usize;
        let bytes = self.stream.get(start..end).ok_or_else(|| Error::new(Code::Truncated, length_at))?;
        self.at = end;
        Ok(Delimited { bytes, offset: start })
    }
}

impl<'a> Iterator for DelimitedReader<'a> {
    type Item = Result<Delimited<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.stream.len() {
            return None;
        }
        let item = self.read();
        if item.is_err() {
            self.at = self.stream.len();
        }
        Some(item)
    }
}

/// Appends a length-prefixed message.
pub fn append_delimited(out: &mut alloc::vec::Vec<u8>, message: &[u8]) {
    super::append_bytes(out, message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn read(stream: &[u8], max_size: usize) -> (Vec<Vec<u8>>, Option<(Code, usize)>) {
        let mut messages = Vec::new();
        for item in DelimitedReader::with_max_size(stream, max_size) {
            match item {
                Ok(m) => messages.push(m.bytes.to_vec()),
                Err(e) => return (messages, Some((e.code(), e.offset()))),
            }
        }
        (messages, None)
    }

    #[test]
    fn an_empty_stream_and_empty_messages_are_good() {
        assert_eq!(read(&[], 9), (Vec::new(), None));
        assert_eq!(read(&[0, 0], 9).0.len(), 2);
    }

    #[test]
    fn an_early_end_is_reported_at_the_last_length() {
        assert_eq!(read(&[1, 7, 3, 1], 9), (Vec::from([Vec::from([7])]), Some((Code::Truncated, 2))));
        assert_eq!(read(&[1, 7, 0x83], 9).1, Some((Code::Truncated, 2)));
    }

    #[test]
    fn a_length_above_the_limit_is_reported_before_the_end_is() {
        assert_eq!(read(&[1, 7, 10, 1], 9).1, Some((Code::SizeExceeded, 2)));
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f], MAX_SIZE).1, Some((Code::SizeExceeded, 0)));
    }
}
