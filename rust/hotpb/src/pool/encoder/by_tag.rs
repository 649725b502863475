//! Writing fields whose tags are not known at compile time, for messages by table.

use super::Encoder;
use crate::wire::Span;

/// The bytes of a tag that has one or two, as the last ones of a word; none for a longer tag.
#[derive(Clone, Copy, Debug)]
pub(in crate::pool) struct Head(u16);

impl Head {
    pub(in crate::pool) const fn new(tag: u32) -> Head {
        match tag {
            0..0x80 => Head((tag << 8) as u16),
            0x80..0x4000 => Head((tag & 0x7f | 0x80 | tag >> 7 << 8) as u16),
            _ => Head(0),
        }
    }

    /// Returns the number of the bytes, if there are any.
    #[inline(always)]
    fn len(self) -> usize {
        // The first byte of two has its high bit set.
        1 + (self.0 >> 7 & 1) as usize
    }
}

impl<'m> Encoder<'m> {
    /// Writes a varint and its tag.
    #[inline(always)]
    pub(in crate::pool) fn varint_by(&mut self, tag: u32, head: Head, value: u64) {
        if value < 0x80 {
            return self.byte_by(tag, head, value as u8);
        }
        self.long_varint_by(tag, head, value);
    }

    /// Writes a varint of at least two bytes and its tag.
    #[inline(never)]
    fn long_varint_by(&mut self, tag: u32, head: Head, value: u64) {
        self.any_varint(value);
        self.head_first(tag, head);
    }

    /// Writes a tag.
    #[inline(always)]
    fn head_first(&mut self, tag: u32, head: Head) {
        if head.0 == 0 {
            return self.any_varint(tag as u64);
        }
        self.need(2);
        // SAFETY: two bytes are free.
        unsafe { self.store(self.at, head.0.to_le_bytes()) };
        self.at -= head.len();
    }

    /// Writes a 4-byte value and its tag.
    #[inline(always)]
    pub(in crate::pool) fn fixed32_by(&mut self, tag: u32, head: Head, value: u32) {
        self.need(6);
        self.put(value.to_le_bytes());
        self.head_first(tag, head);
    }

    /// Writes an 8-byte value and its tag.
    #[inline(always)]
    pub(in crate::pool) fn fixed64_by(&mut self, tag: u32, head: Head, value: u64) {
        self.need(10);
        self.put(value.to_le_bytes());
        self.head_first(tag, head);
    }

    /// Writes a value of one byte and its tag; no branch depends on the length of a usual tag.
    #[inline(always)]
    pub(in crate::pool) fn byte_by(&mut self, tag: u32, head: Head, value: u8) {
        if head.0 == 0 {
            return self.long_varint(tag, value as u64);
        }
        let [a, b] = head.0.to_le_bytes();
        self.need(3);
        // SAFETY: three bytes are free.
        unsafe { self.store(self.at, [a, b, value]) };
        self.at -= 1 + head.len();
    }

    /// Does the same as [`Encoder::span`] for such a tag.
    #[inline(always)]
    pub(in crate::pool) fn span_by(&mut self, tag: u32, head: Head, span: Span, input: &'m [u8]) {
        let len = span.len();
        if len <= 32 && head.0 != 0 && self.at >= 40 {
            if let Some(source) = input.get(..span.end()).and_then(|s| s.last_chunk::<32>()) {
                let [a, b] = head.0.to_le_bytes();
                // SAFETY: 40 bytes are free, `len` of them for the payload.
                unsafe {
                    self.store(self.at, *source);
                    self.store(self.at - len, [a, b, len as u8]);
                }
                self.at -= len + 1 + head.len();
                return;
            }
        }
        self.long_span_by(tag, span, input);
    }

    #[inline(never)]
    fn long_span_by(&mut self, tag: u32, span: Span, input: &'m [u8]) {
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
    pub(super) fn head_by(&mut self, tag: u32, len: usize) {
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
    use super::super::tests::{INPUT, written};
    use super::*;

    #[test]
    fn with_a_tag_of_any_length_the_bytes_are_those_of_value_and_tag() {
        let tags = [0x08, 0x7f, 0x80, 0x3fff, 0x4000, u32::MAX];
        let values = (0..64)
            .flat_map(|shift| [(1u64 << shift) - 1, 1 << shift, !(1 << shift)])
            .step_by(if cfg!(miri) { 23 } else { 1 });
        for (room, value) in [0, 9, 300].into_iter().flat_map(|room| values.clone().map(move |value| (room, value))) {
            for tag in tags {
                // The length and the place of a span come from some of the value's bits.
                let span = Span::new((value >> 6) as u32 % 50, value as u32 % 50);
                let found = written(room, |e| {
                    e.varint_by(tag, Head::new(tag), value);
                    e.byte_by(tag, Head::new(tag), 1);
                    e.span_by(tag, Head::new(tag), span, &INPUT);
                    e.fixed32_by(tag, Head::new(tag), value as u32);
                    e.fixed64_by(tag, Head::new(tag), value);
                });
                let want = written(room, |e| {
                    e.varint::<0>(value);
                    e.varint::<0>(tag as u64);
                    e.varint::<0>(1);
                    e.varint::<0>(tag as u64);
                    e.raw(span.bytes(&INPUT));
                    e.varint::<0>(span.len() as u64);
                    e.varint::<0>(tag as u64);
                    e.fixed32::<0>(value as u32);
                    e.varint::<0>(tag as u64);
                    e.fixed64::<0>(value);
                    e.varint::<0>(tag as u64);
                });
                assert_eq!(found, want, "{room} {value:x} {tag:x}");
            }
        }
    }
}
