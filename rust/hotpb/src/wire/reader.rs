//! Reading tag by tag, for hand-written code: each method reports what is wrong and where.

use super::{Cursor, Input, MAX_DEPTH, check};
use crate::{Code, Error};

/// Reads one record after the other.
///
/// ```
/// use hotpb::wire::{Reader, LEN, VARINT, tag};
/// let mut reader = Reader::new(&[0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i']);
/// assert_eq!(reader.tag()?, Some(tag(1, VARINT)));
/// assert_eq!(reader.varint()?, 150);
/// assert_eq!(reader.tag()?, Some(tag(2, LEN)));
/// assert_eq!(reader.bytes()?, b"hi");
/// assert_eq!(reader.tag()?, None);
/// # Ok::<(), hotpb::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    input: Input<'a>,
    cursor: Cursor<'a>,
}

impl<'a> Reader<'a> {
    /// Creates a reader at the start of a message.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        let input = Input::new(bytes);
        Reader { input, cursor: input.open(input.range()) }
    }

    /// Returns the offset of the next byte to read.
    pub fn offset(&self) -> usize {
        self.input.bytes().len() - self.cursor.left()
    }

    /// Reads the next tag, or returns `None` at the end. It returns the end tags of groups like other tags.
    pub fn tag(&mut self) -> Result<Option<u32>, Error> {
        if self.cursor.at_end() {
            return Ok(None);
        }
        let at = self.offset();
        check::tag_at(self.input.bytes(), at, self.input.bytes().len()).map(|(tag, next)| {
            self.go(next);
            Some(tag)
        })
    }

    /// Reads a varint.
    pub fn varint(&mut self) -> Result<u64, Error> {
        let at = self.offset();
        let (value, next) = check::varint_at(self.input.bytes(), at, self.input.bytes().len())?;
        self.go(next);
        Ok(value)
    }

    /// Reads a 4-byte value.
    pub fn fixed32(&mut self) -> Result<u32, Error> {
        let at = self.offset();
        self.cursor.fixed32().ok_or_else(|| Error::new(Code::Truncated, at))
    }

    /// Reads an 8-byte value.
    pub fn fixed64(&mut self) -> Result<u64, Error> {
        let at = self.offset();
        self.cursor.fixed64().ok_or_else(|| Error::new(Code::Truncated, at))
    }

    /// Reads a length-delimited payload.
    pub fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let at = self.offset();
        let (start, end) = check::payload_at(self.input.bytes(), at, self.input.bytes().len())?;
        self.go(end);
        Ok(&self.input.bytes()[start..end])
    }

    /// Skips the value after a tag; of a group, the whole group.
    pub fn skip(&mut self, tag: u32) -> Result<(), Error> {
        let mut ahead = self.cursor;
        if ahead.skip(tag, MAX_DEPTH).is_some() {
            self.cursor = ahead;
            return Ok(());
        }
        Err(check::skip_error(self.input.bytes(), self.offset(), tag))
    }

    fn go(&mut self, next: usize) {
        let bytes = self.input.bytes();
        let range = self.input.part(next, bytes.len()).unwrap_or(self.cursor.rest());
        self.cursor = self.input.open(range);
    }
}
