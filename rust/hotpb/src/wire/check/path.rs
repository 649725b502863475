//! Field paths, built only after an error is certain: the indices come from walking the record once more.

use super::{FieldSchema, Kind, MessageSchema};
use crate::Error;
use crate::wire::{Cursor, DEPTH_CEILING, FIXED32, FIXED64, LEN, START_GROUP};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

/// An open record: its message type, its start and end, and the field of the parent that it is the value of.
pub(super) struct Frame {
    /// The offset of the record's tag in the enclosing record, and the tag.
    pub(super) opened_by: Option<(usize, u32)>,
    /// The message type; `None` inside an unknown group.
    pub(super) schema: Option<&'static MessageSchema>,
    /// The offset of the first byte inside.
    pub(super) start: usize,
    /// The offset after the last byte that it may have.
    pub(super) end: usize,
    /// The number of the end tag that ends it.
    pub(super) group: Option<u32>,
}

/// The open records, outermost first.
pub(super) struct Frames(Vec<Frame>);

impl Frames {
    pub(super) fn new(root: Frame) -> Frames {
        Frames(alloc::vec![root])
    }

    /// Returns the number of open records, which is the level of the next one.
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    pub(super) fn open(&mut self, frame: Frame) {
        self.0.push(frame);
    }

    pub(super) fn close(&mut self) -> Option<Frame> {
        self.0.pop()
    }

    pub(super) fn innermost(&self) -> Option<&Frame> {
        self.0.last()
    }

    /// Returns an error whose path is the innermost message.
    #[cold]
    pub(super) fn here(&self, bytes: &[u8], error: Error) -> Error {
        error.with_path(&self.segments(bytes).join("."))
    }

    /// Returns an error whose path is the element at `tag_at`; in a packed record, the one that is `more` elements
    /// further.
    #[cold]
    pub(super) fn in_field(
        &self,
        bytes: &[u8],
        tag_at: usize,
        field: &'static FieldSchema,
        more: usize,
        error: Error,
    ) -> Error {
        let mut segments = self.segments(bytes);
        segments.extend(self.innermost().map(|frame| frame.name(bytes, tag_at, field, more)));
        error.with_path(&segments.join("."))
    }

    /// Returns an error whose path is a field that the schema does not define.
    #[cold]
    pub(super) fn in_number(&self, bytes: &[u8], number: u32, error: Error) -> Error {
        let mut segments = self.segments(bytes);
        segments.push(number.to_string());
        error.with_path(&segments.join("."))
    }

    fn segments(&self, bytes: &[u8]) -> Vec<String> {
        let pairs = self.0.iter().zip(self.0.iter().skip(1));
        let segment = |(parent, frame): (&Frame, &Frame)| {
            let (tag_at, tag) = frame.opened_by?;
            Some(match parent.schema.and_then(|s| s.field_for(tag)) {
                Some(field) => parent.name(bytes, tag_at, field, 0),
                None => (tag >> 3).to_string(),
            })
        };
        pairs.filter_map(segment).collect()
    }
}

impl Frame {
    fn name(&self, bytes: &[u8], tag_at: usize, field: &'static FieldSchema, more: usize) -> String {
        let mut name = String::from(field.name);
        if field.repeated {
            let before = self.schema.map_or(0, |s| count(s, field, &bytes[self.start..tag_at]));
            let _ = write!(name, "[{}]", before + more);
        }
        name
    }
}

/// Counts the elements of a field in these records, which were walked before and are well-formed.
fn count(schema: &'static MessageSchema, field: &'static FieldSchema, records: &[u8]) -> usize {
    let mut cursor = Cursor::new(records);
    let mut elements = 0;
    while let Some(tag) = cursor.tag() {
        let mut ahead = cursor;
        if cursor.skip(tag, DEPTH_CEILING).is_none() {
            break;
        }
        if schema.field_for(tag).is_some_and(|f| f.number == field.number) {
            let packable = !matches!(field.kind.wire_type(), LEN | START_GROUP);
            elements += match ahead.bytes() {
                Some(payload) if tag & 7 == LEN && packable => packed_len(payload, field.kind),
                _ => 1,
            };
        }
    }
    elements
}

/// Counts the elements of a packed record.
pub(super) fn packed_len(payload: &[u8], kind: Kind) -> usize {
    match kind.wire_type() {
        FIXED32 => payload.len() / 4,
        FIXED64 => payload.len() / 8,
        _ => payload.iter().filter(|&&b| b < 0x80).count(),
    }
}
