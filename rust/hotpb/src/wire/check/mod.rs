//! The cold decoder: a plain left-to-right, depth-first walk over small schema tables that says exactly
//! what is wrong, where, and in which field (`spec/errors.md`). It keeps no values and merges nothing: paths
//! count the elements of each record, so the bytes alone tell them.
//!
//! Generated decoders call it once they have failed; it is also the reference they are tested against.

mod path;
mod schema;

use self::path::Frame;
pub use self::schema::{FieldSchema, Kind, MessageSchema};
use super::{DEPTH_CEILING, END_GROUP, FIXED32, FIXED64, LEN, MAX_DEPTH, MAX_SIZE, START_GROUP, VARINT};
use super::{decode_varint, utf8_error_at};
use crate::{Code, Error};

/// What the walk checks against.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Checks every string, also where the schema does not ask for it (UTF-3).
    pub strict: bool,
    /// Depth limit (LIM-1), cut to [`DEPTH_CEILING`].
    pub depth: u32,
    /// Size of the message and of each length in it (LIM-2).
    pub size: usize,
    /// Repeated elements, nested messages, groups and map entries together (LIM-4).
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

/// Walks a part of an input; offsets are those of the input. With `anchor`, the walk ends with `CountExceeded`
/// in the record that has this anchor: where a decoder ran out of memory. The anchor of a length-delimited record or
/// group is the first byte of its payload, that of another known record its end, that of an unknown
/// record the second byte of its tag or the byte behind it.
#[cold]
pub fn check_part(
    bytes: &[u8],
    start: usize,
    end: usize,
    schema: &'static MessageSchema,
    limits: &Limits,
    anchor: Option<usize>,
) -> Result<(), Error> {
    if end - start > limits.size.min(MAX_SIZE) {
        return Err(Error::new(Code::SizeExceeded, start));
    }
    let mut walk = Walk {
        bytes,
        strict: limits.strict,
        size: limits.size.min(MAX_SIZE),
        elements: limits.elements.unwrap_or(usize::MAX),
        anchor,
    };
    let root = Frame { parent: None, schema: Some(schema), start };
    walk.message(&root, end, None, limits.depth.min(DEPTH_CEILING)).map(drop)
}

/// Reads a tag at an offset and checks all that a tag alone can have wrong; with the offset behind it.
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

/// Reads a varint at an offset; with the offset behind it.
pub fn varint_at(bytes: &[u8], at: usize, end: usize) -> Result<(u64, usize), Error> {
    match decode_varint(&bytes[at..end]) {
        Some((value, len)) => Ok((value, at + len)),
        None if end - at < 10 => Err(Error::new(Code::Truncated, at)),
        None => Err(Error::new(Code::VarintOverflow, at)),
    }
}

/// Reads a length at an offset; with the ends of its payload.
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

/// Why the value behind a tag cannot be skipped; `at` is the offset behind the tag.
#[cold]
pub fn skip_error(bytes: &[u8], at: usize, tag: u32) -> Error {
    let mut walk = Walk { bytes, strict: false, size: MAX_SIZE, elements: usize::MAX, anchor: None };
    let root = Frame { parent: None, schema: None, start: at };
    match walk.unknown(&root, at, tag, at, bytes.len(), MAX_DEPTH) {
        Err(error) => error,
        // Only a stray end tag is left.
        Ok(_) => Error::new(Code::GroupMismatch, at),
    }
}

struct Walk<'b> {
    bytes: &'b [u8],
    strict: bool,
    size: usize,
    elements: usize,
    anchor: Option<usize>,
}

impl Walk<'_> {
    /// Walks the records up to `end`, or up to the end tag of `group`; gives the offset behind them.
    fn message(&mut self, frame: &Frame, end: usize, group: Option<u32>, depth: u32) -> Result<usize, Error> {
        let mut at = frame.start;
        while at < end {
            let (tag, next) = tag_at(self.bytes, at, end).map_err(|e| frame.here(self.bytes, e))?;
            if tag & 7 == END_GROUP {
                return match group {
                    Some(number) if number == tag >> 3 => Ok(next),
                    _ => Err(frame.here(self.bytes, Error::new(Code::GroupMismatch, at))),
                };
            }
            at = match frame.schema.and_then(|s| s.field_for(tag)) {
                Some(field) => self.known(frame, at, field, tag, next, end, depth)?,
                None => self.unknown(frame, at, tag, next, end, depth)?,
            };
        }
        match group {
            None => Ok(at),
            Some(_) => Err(frame.here(self.bytes, Error::new(Code::Truncated, end))),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn known(
        &mut self,
        frame: &Frame,
        tag_at: usize,
        field: &'static FieldSchema,
        tag: u32,
        at: usize,
        end: usize,
        depth: u32,
    ) -> Result<usize, Error> {
        let fail = |e: Error, more: usize| frame.in_field(self.bytes, tag_at, field, more, e);
        match tag & 7 {
            VARINT | FIXED32 | FIXED64 => {
                let next = self.scalar(tag & 7, at, end).map_err(|e| fail(e, 0))?;
                let counted = self.count(field.repeated as usize, Some(next));
                counted.map(|()| next).map_err(|c| frame.in_field(self.bytes, tag_at, field, 0, Error::new(c, tag_at)))
            }
            START_GROUP => {
                let deeper = depth.checked_sub(1);
                let deeper = deeper.ok_or_else(|| fail(Error::new(Code::DepthExceeded, tag_at), 0))?;
                self.count(1, Some(at))
                    .map_err(|c| frame.in_field(self.bytes, tag_at, field, 0, Error::new(c, tag_at)))?;
                let inner = Frame { parent: Some((frame, tag_at, tag)), schema: field.message, start: at };
                self.message(&inner, end, Some(tag >> 3), deeper)
            }
            _ => {
                let (start, stop) = self.payload(tag_at, at, end).map_err(|e| fail(e, 0))?;
                match field.kind {
                    Kind::Message | Kind::Map => {
                        let deeper = depth.checked_sub(1);
                        let deeper = deeper.ok_or_else(|| fail(Error::new(Code::DepthExceeded, tag_at), 0))?;
                        self.count(1, Some(start))
                            .map_err(|c| frame.in_field(self.bytes, tag_at, field, 0, Error::new(c, tag_at)))?;
                        let inner = Frame { parent: Some((frame, tag_at, tag)), schema: field.message, start };
                        self.message(&inner, stop, None, deeper)?;
                    }
                    Kind::Utf8 | Kind::Text | Kind::Bytes => {
                        let checked = field.kind == Kind::Utf8 || field.kind == Kind::Text && self.strict;
                        if let Some(bad) = Some(&self.bytes[start..stop]).filter(|_| checked).and_then(utf8_error_at) {
                            return Err(fail(Error::new(Code::InvalidUtf8, start + bad), 0));
                        }
                        self.count(field.repeated as usize, Some(start))
                            .map_err(|c| frame.in_field(self.bytes, tag_at, field, 0, Error::new(c, tag_at)))?;
                    }
                    _ => {
                        let elements = path::packed_len(&self.bytes[start..stop], field.kind);
                        self.count(elements, Some(start))
                            .map_err(|c| frame.in_field(self.bytes, tag_at, field, 0, Error::new(c, tag_at)))?;
                        self.packed(start, stop, field.kind)
                            .map_err(|(e, i)| frame.in_field(self.bytes, tag_at, field, i, e))?;
                    }
                }
                Ok(stop)
            }
        }
    }

    /// Checks the elements of a packed record; an error comes with the index of its element in it.
    fn packed(&self, start: usize, end: usize, kind: Kind) -> Result<(), (Error, usize)> {
        let (mut at, mut index) = (start, 0);
        while at < end {
            at = self.scalar(kind.wire_type(), at, end).map_err(|e| (e, index))?;
            index += 1;
        }
        Ok(())
    }

    fn unknown(
        &mut self,
        frame: &Frame,
        tag_at: usize,
        tag: u32,
        at: usize,
        end: usize,
        depth: u32,
    ) -> Result<usize, Error> {
        let fail = |e: Error| frame.in_number(self.bytes, tag >> 3, e);
        let next = match tag & 7 {
            START_GROUP => {
                let deeper = depth.checked_sub(1);
                let deeper = deeper.ok_or_else(|| fail(Error::new(Code::DepthExceeded, tag_at)))?;
                let inner = Frame { parent: Some((frame, tag_at, tag)), schema: None, start: at };
                self.message(&inner, end, Some(tag >> 3), deeper)?
            }
            LEN => self.payload(tag_at, at, end).map_err(fail)?.1,
            wire_type => self.scalar(wire_type, at, end).map_err(fail)?,
        };
        if self.anchor == Some(tag_at + 1) {
            return Err(frame.in_number(self.bytes, tag >> 3, Error::new(Code::CountExceeded, tag_at)));
        }
        Ok(next)
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
        if self.anchor.is_some() && self.anchor == anchor || elements > self.elements {
            return Err(Code::CountExceeded);
        }
        self.elements -= elements;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
