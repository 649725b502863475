//! The cold decoder: a plain left-to-right, depth-first walk over small schema tables that reports exactly what is
//! wrong, where, and in which field (`spec/errors.md`). It keeps no values and merges nothing: paths count the elements
//! of each record, so they follow from the bytes alone.
//!
//! Generated decoders call it after they have failed; tests also use it as their reference.

mod path;
mod schema;

use self::path::{Frame, Frames};
pub use self::schema::{FieldSchema, Kind, MessageSchema};
use super::{DEPTH_CEILING, END_GROUP, FIXED32, FIXED64, LEN, MAX_DEPTH, MAX_SIZE, START_GROUP, VARINT};
use super::{decode_varint, utf8_error_at};
use crate::{Code, Error};

/// The limits that the walk checks.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Checks every string, even where the schema does not require it (UTF-3).
    pub strict: bool,
    /// The depth limit (LIM-1), at most [`DEPTH_CEILING`].
    pub depth: u32,
    /// The largest size of the message and of each length in it (LIM-2).
    pub size: usize,
    /// The largest number of repeated elements, nested messages, groups and map entries together (LIM-4).
    pub elements: Option<usize>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { strict: false, depth: MAX_DEPTH, size: MAX_SIZE, elements: None }
    }
}

/// Walks a whole message.
#[cold]
pub fn check(bytes: &[u8], schema: &'static MessageSchema, limits: &Limits) -> Result<(), Error> {
    check_part(bytes, 0, bytes.len(), schema, limits, None)
}

/// Walks a part of an input; offsets are relative to the whole input. With `spent`, the walk ends in the record with
/// this anchor: there a decoder ran out of memory or stack. The anchor of a length-delimited record or group is the
/// first byte of its payload; that of another known record is its end; that of an unknown record is the second byte of
/// its tag, or the byte after a one-byte tag.
#[cold]
pub fn check_part(
    bytes: &[u8],
    start: usize,
    end: usize,
    schema: &'static MessageSchema,
    limits: &Limits,
    spent: Option<Spent>,
) -> Result<(), Error> {
    if end - start > limits.size.min(MAX_SIZE) {
        return Err(Error::new(Code::SizeExceeded, start));
    }
    let mut frames = Frames::new(Frame { opened_by: None, schema: Some(schema), start, end, group: None });
    Walk::new(bytes, limits, spent).walk(&mut frames, start, 0)
}

/// Reads the tag at an offset and makes every check that needs only the tag; returns the tag and the offset after it.
pub fn tag_at(bytes: &[u8], at: usize, end: usize) -> Result<(u32, usize), Error> {
    let invalid = || Error::new(Code::InvalidTag, at);
    let mut tag = 0u32;
    for i in 0..5 {
        let Some(&b) = bytes[..end].get(at + i) else {
            return Err(Error::new(Code::Truncated, at));
        };
        if i == 4 && b > 0x0f {
            return Err(invalid());
        }
        tag |= ((b & 0x7f) as u32) << (7 * i);
        if b < 0x80 {
            if tag >> 3 == 0 {
                return Err(invalid());
            }
            if tag & 7 > FIXED32 {
                return Err(Error::new(Code::InvalidWireType, at));
            }
            return Ok((tag, at + i + 1));
        }
    }
    Err(invalid())
}

/// Reads the varint at an offset; returns the value and the offset after it.
pub fn varint_at(bytes: &[u8], at: usize, end: usize) -> Result<(u64, usize), Error> {
    match decode_varint(&bytes[at..end]) {
        Some((value, len)) => Ok((value, at + len)),
        None if end - at < 10 => Err(Error::new(Code::Truncated, at)),
        None => Err(Error::new(Code::VarintOverflow, at)),
    }
}

/// Reads the length at an offset; returns the start and the end of its payload.
pub fn payload_at(bytes: &[u8], at: usize, end: usize) -> Result<(usize, usize), Error> {
    let (len, start) = varint_at(bytes, at, end)?;
    if len > MAX_SIZE as u64 {
        return Err(Error::new(Code::SizeExceeded, at));
    }
    match len as usize {
        len if len <= end - start => Ok((start, start + len)),
        _ => Err(Error::new(Code::Truncated, start)),
    }
}

/// Returns why the value after a tag cannot be skipped; `at` is the offset after the tag.
#[cold]
pub fn skip_error(bytes: &[u8], at: usize, tag: u32) -> Error {
    let mut walk = Walk::new(bytes, &Limits::default(), None);
    let mut frames = Frames::new(Frame { opened_by: None, schema: None, start: at, end: bytes.len(), group: None });
    let skipped = walk.unknown(&mut frames, at, tag, at, bytes.len()).and_then(|at| walk.walk(&mut frames, at, 1));
    match skipped {
        Err(error) => error,
        // The only remaining cause is a stray end tag.
        Ok(_) => Error::new(Code::GroupMismatch, at),
    }
}

/// The resource that a decoder ran out of, and the anchor of the record at which it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// Memory: the walk ends with `CountExceeded`.
    Memory(usize),
    /// The stack: the walk ends with `DepthExceeded`. The anchor is the first byte of the payload, or that of its
    /// length.
    Stack(usize),
}

struct Walk<'b> {
    bytes: &'b [u8],
    strict: bool,
    depth: u32,
    size: usize,
    elements: usize,
    spent: Option<Spent>,
}

impl<'b> Walk<'b> {
    fn new(bytes: &'b [u8], limits: &Limits, spent: Option<Spent>) -> Walk<'b> {
        Walk {
            bytes,
            strict: limits.strict,
            depth: limits.depth.min(DEPTH_CEILING),
            size: limits.size.min(MAX_SIZE),
            elements: limits.elements.unwrap_or(usize::MAX),
            spent,
        }
    }

    /// Walks records until only the outermost `keep` frames are open. The frames are on the heap: the sender chooses
    /// how deep messages nest, and this walk must go at least as deep as any decoder.
    fn walk(&mut self, frames: &mut Frames, mut at: usize, keep: usize) -> Result<(), Error> {
        while let Some(frame) = frames.innermost().filter(|_| frames.depth() > keep) {
            let (end, group, schema) = (frame.end, frame.group, frame.schema);
            if at >= end {
                if group.is_some() {
                    return Err(frames.here(self.bytes, Error::new(Code::Truncated, end)));
                }
                self.close(frames)?;
                continue;
            }
            let (tag, next) = tag_at(self.bytes, at, end).map_err(|e| frames.here(self.bytes, e))?;
            if tag & 7 == END_GROUP {
                if group != Some(tag >> 3) {
                    return Err(frames.here(self.bytes, Error::new(Code::GroupMismatch, at)));
                }
                at = next;
                self.close(frames)?;
                continue;
            }
            at = match schema.and_then(|s| s.field_for(tag)) {
                Some(field) => self.known(frames, at, field, tag, next, end)?,
                None => self.unknown(frames, at, tag, next, end)?,
            };
        }
        Ok(())
    }

    /// Closes the innermost frame.
    fn close(&self, frames: &mut Frames) -> Result<(), Error> {
        let unknown = frames.close().filter(|frame| frame.schema.is_none());
        match unknown.and_then(|group| group.opened_by) {
            Some((tag_at, tag)) => self.kept(frames, tag_at, tag),
            None => Ok(()),
        }
    }

    /// Opens a frame for the record at `tag_at`, whose depth was checked; returns the offset of its first byte.
    fn open(
        &self,
        frames: &mut Frames,
        (tag_at, tag): (usize, u32),
        schema: Option<&'static MessageSchema>,
        (start, end): (usize, usize),
    ) -> usize {
        let group = (tag & 7 == START_GROUP).then_some(tag >> 3);
        frames.open(Frame { opened_by: Some((tag_at, tag)), schema, start, end, group });
        start
    }

    /// Reports whether the record with these anchors may open one more level.
    fn may_open(&self, frames: &Frames, anchors: [usize; 2]) -> bool {
        let stack = matches!(self.spent, Some(Spent::Stack(at)) if anchors.contains(&at));
        frames.depth() <= self.depth as usize && !stack
    }

    /// Checks a field that the schema defines, or opens it; returns the offset to continue at.
    fn known(
        &mut self,
        frames: &mut Frames,
        tag_at: usize,
        field: &'static FieldSchema,
        tag: u32,
        at: usize,
        end: usize,
    ) -> Result<usize, Error> {
        let bytes = self.bytes;
        let fail = |frames: &Frames, e: Error, more: usize| frames.in_field(bytes, tag_at, field, more, e);
        let exceeded = |frames: &Frames, code: Code| fail(frames, Error::new(code, tag_at), 0);
        match tag & 7 {
            VARINT | FIXED32 | FIXED64 => {
                let next = self.scalar(tag & 7, at, end).map_err(|e| fail(frames, e, 0))?;
                self.count(field.repeated as usize, Some(next)).map_err(|c| exceeded(frames, c))?;
                Ok(next)
            }
            START_GROUP => {
                if !self.may_open(frames, [at, at]) {
                    return Err(exceeded(frames, Code::DepthExceeded));
                }
                self.count(1, Some(at)).map_err(|c| exceeded(frames, c))?;
                Ok(self.open(frames, (tag_at, tag), field.message, (at, end)))
            }
            _ => {
                let (start, stop) = self.payload(tag_at, at, end).map_err(|e| fail(frames, e, 0))?;
                match field.kind {
                    Kind::Message | Kind::Map => {
                        if !self.may_open(frames, [at, start]) {
                            return Err(exceeded(frames, Code::DepthExceeded));
                        }
                        self.count(1, Some(start)).map_err(|c| exceeded(frames, c))?;
                        return Ok(self.open(frames, (tag_at, tag), field.message, (start, stop)));
                    }
                    Kind::Utf8 | Kind::Text | Kind::Bytes => {
                        let checked = field.kind == Kind::Utf8 || field.kind == Kind::Text && self.strict;
                        if let Some(bad) = Some(&self.bytes[start..stop]).filter(|_| checked).and_then(utf8_error_at) {
                            return Err(fail(frames, Error::new(Code::InvalidUtf8, start + bad), 0));
                        }
                        self.count(field.repeated as usize, Some(start)).map_err(|c| exceeded(frames, c))?;
                    }
                    _ => {
                        let elements = path::packed_len(&self.bytes[start..stop], field.kind);
                        self.count(elements, Some(start)).map_err(|c| exceeded(frames, c))?;
                        self.packed(start, stop, field.kind).map_err(|(e, i)| fail(frames, e, i))?;
                    }
                }
                Ok(stop)
            }
        }
    }

    /// Checks the elements of a packed record; an error comes with the index of its element.
    fn packed(&self, start: usize, end: usize, kind: Kind) -> Result<(), (Error, usize)> {
        let (mut at, mut index) = (start, 0);
        while at < end {
            at = self.scalar(kind.wire_type(), at, end).map_err(|e| (e, index))?;
            index += 1;
        }
        Ok(())
    }

    /// Checks a record that the schema does not define, or opens its group; returns the offset to continue at.
    fn unknown(&mut self, frames: &mut Frames, tag_at: usize, tag: u32, at: usize, end: usize) -> Result<usize, Error> {
        let bytes = self.bytes;
        let fail = |frames: &Frames, e: Error| frames.in_number(bytes, tag >> 3, e);
        let next = match tag & 7 {
            START_GROUP => {
                // A decoder needs next to no stack for unknown groups, so only the depth limit is checked.
                if frames.depth() > self.depth as usize {
                    return Err(fail(frames, Error::new(Code::DepthExceeded, tag_at)));
                }
                return Ok(self.open(frames, (tag_at, tag), None, (at, end)));
            }
            LEN => self.payload(tag_at, at, end).map_err(|e| fail(frames, e))?.1,
            wire_type => self.scalar(wire_type, at, end).map_err(|e| fail(frames, e))?,
        };
        self.kept(frames, tag_at, tag)?;
        Ok(next)
    }

    /// Called after an unknown record: fails if the decoder had no memory left to keep it.
    fn kept(&self, frames: &Frames, tag_at: usize, tag: u32) -> Result<(), Error> {
        if self.spent == Some(Spent::Memory(tag_at + 1)) {
            return Err(frames.in_number(self.bytes, tag >> 3, Error::new(Code::CountExceeded, tag_at)));
        }
        Ok(())
    }

    fn scalar(&self, wire_type: u32, at: usize, end: usize) -> Result<usize, Error> {
        let width = match wire_type {
            VARINT => return varint_at(self.bytes, at, end).map(|(_, next)| next),
            FIXED64 => 8,
            _ => 4,
        };
        if end - at < width { Err(Error::new(Code::Truncated, at)) } else { Ok(at + width) }
    }

    fn payload(&self, tag_at: usize, at: usize, end: usize) -> Result<(usize, usize), Error> {
        let (len, start) = varint_at(self.bytes, at, end)?;
        if len > self.size as u64 {
            return Err(Error::new(Code::SizeExceeded, tag_at));
        }
        if len > (end - start) as u64 {
            return Err(Error::new(Code::Truncated, start));
        }
        Ok((start, start + len as usize))
    }

    fn count(&mut self, elements: usize, anchor: Option<usize>) -> Result<(), Code> {
        let spent = matches!((self.spent, anchor), (Some(Spent::Memory(at)), Some(anchor)) if at == anchor);
        if spent || elements > self.elements {
            return Err(Code::CountExceeded);
        }
        self.elements -= elements;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
