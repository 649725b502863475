//! Writing fields whose tags are not known at compile time, for messages by table.

use super::{Encoder, short_varint_word};
use crate::wire::Span;

/// The bytes of a tag that has one or two; none for a longer tag.
#[derive(Clone, Copy, Debug)]
pub(in crate::pool) struct Head(u16);

impl Head {
    pub(in crate::pool) const fn new(tag: u32) -> Head {
        match tag {
            0..0x80 => Head(tag as u16),
            0x80..0x4000 => Head((tag & 0x7f | 0x80 | tag >> 7 << 8) as u16),
            _ => Head(0),
        }
    }

    /// Returns the number of the bytes, if there are any.
    #[inline(always)]
    fn len(self) -> usize {
        1 + (self.0 > 0xff) as usize
    }
}

impl Encoder {
    /// Writes a varint and its tag, usually with one store; no branch depends on the value.
    #[inline(always)]
    pub(in crate::pool) fn varint_by(&mut self, tag: u32, head: Head, value: u64) {
        if value >> 28 == 0 && head.0 != 0 {
            let (word, len) = short_varint_word(value as u32);
            return self.put_word(word << (8 * head.len()) | head.0 as u64, len + head.len());
        }
        self.any_varint(value);
        self.tag_by(tag);
    }

    /// Writes a value of one byte and its tag.
    #[inline(always)]
    pub(in crate::pool) fn byte_by(&mut self, tag: u32, head: Head, value: u8) {
        if head.0 != 0 {
            return self.put_word((value as u64) << (8 * head.len()) | head.0 as u64, 1 + head.len());
        }
        self.any_varint(value as u64);
        self.tag_by(tag);
    }

    /// Does the same as [`Encoder::span`] for such a tag: a short payload, its length and its tag with one store.
    #[inline(always)]
    pub(in crate::pool) fn span_by(&mut self, tag: u32, head: Head, span: Span, input: &[u8]) {
        let len = span.len();
        if len <= 32 && head.0 != 0 {
            let source = input.get(..span.end()).and_then(|s| s.last_chunk::<32>());
            if let (Some(source), Some(front)) = (source, self.front::<40>()) {
                front[8..].copy_from_slice(source);
                let (word, before) = ((len as u64) << (8 * head.len()) | head.0 as u64, 1 + head.len());
                front[32 - len..40 - len].copy_from_slice(&(word << (64 - 8 * before)).to_le_bytes());
                self.at -= len + before;
                return;
            }
        }
        self.long_span_by(tag, span, input);
    }

    #[inline(never)]
    fn long_span_by(&mut self, tag: u32, span: Span, input: &[u8]) {
        self.stretch(span, input);
        self.head_by(tag, span.len());
    }

    /// Writes a tag that is not known at compile time.
    #[inline(always)]
    pub(in crate::pool) fn tag_by(&mut self, tag: u32) {
        if tag < 0x80 {
            self.put([tag as u8]);
        } else if tag < 0x4000 {
            self.put([tag as u8 | 0x80, (tag >> 7) as u8]);
        } else {
            self.any_varint(tag as u64);
        }
    }

    #[inline(always)]
    fn head_by(&mut self, tag: u32, len: usize) {
        if len < 0x80 && tag < 0x80 {
            self.put([tag as u8, len as u8]);
        } else if len < 0x80 && tag < 0x4000 {
            self.put([tag as u8 | 0x80, (tag >> 7) as u8, len as u8]);
        } else {
            self.long_head(tag, len);
        }
    }

    /// Does the same with a tag that is not known at compile time.
    #[inline(always)]
    pub(in crate::pool) fn close_by(&mut self, tag: u32, mark: usize) {
        self.head_by(tag, self.mark() - mark);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stack;
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn with_a_tag_of_any_length_the_bytes_are_those_of_value_and_tag() {
        let input: Vec<u8> = (0..100).collect();
        let tags = [0x08, 0x7f, 0x80, 0x3fff, 0x4000, u32::MAX];
        let values = (0..64)
            .flat_map(|shift| [(1u64 << shift) - 1, 1 << shift, !(1 << shift)])
            .step_by(if cfg!(miri) { 23 } else { 1 });
        for (room, value) in [0, 9, 300].into_iter().flat_map(|room| values.clone().map(move |value| (room, value))) {
            for tag in tags {
                let (mut e, mut plain) = (Encoder { bytes: vec![0; room], ..Encoder::default() }, Encoder::default());
                e.start(false, Stack::default());
                plain.start(false, Stack::default());
                // The length and the place of a span come from some of the value's bits.
                let span = Span::new((value >> 6) as u32 % 50, value as u32 % 50);
                e.varint_by(tag, Head::new(tag), value);
                e.byte_by(tag, Head::new(tag), 1);
                e.span_by(tag, Head::new(tag), span, &input);
                plain.varint::<0>(value);
                plain.varint::<0>(tag as u64);
                plain.varint::<0>(1);
                plain.varint::<0>(tag as u64);
                plain.raw(span.bytes(&input));
                plain.varint::<0>(span.len() as u64);
                plain.varint::<0>(tag as u64);
                assert_eq!(e.written(), plain.written(), "{room} {value:x} {tag:x}");
            }
        }
    }
}
