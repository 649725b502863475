//! hotpb's writer: each field goes into the caller's memory when it is set.

use hotpb::writer::FixedBuffer;

use super::document::{ROOM, Writer, inputs};
use super::generated::hotpb::hotpb::bench::EventWriter;

#[inline(always)]
fn fill(event: &mut EventWriter<'_>) {
    let from = inputs();
    event
        .field_int32(from.numbers[0] as i32)
        .field_uint32(from.numbers[1] as u32)
        .field_int64(from.numbers[2] as i64)
        .field_uint64(from.numbers[3])
        .field_string(from.text);
}

#[inline(always)]
fn simple(buffer: &mut FixedBuffer<'_>) -> usize {
    let mut event = EventWriter::new(buffer);
    fill(&mut event);
    event.finish().map_or(0, |size| size as usize)
}

#[inline(always)]
fn nested(buffer: &mut FixedBuffer<'_>) -> usize {
    let mut event = EventWriter::new(buffer);
    fill(&mut event);
    event.field_nested(|second| {
        fill(second);
        second.field_nested(|third| {
            fill(third);
            third.field_nested(fill);
        });
    });
    event.finish().map_or(0, |size| size as usize)
}

/// One buffer object for all messages, with another place each time.
pub struct Kept(FixedBuffer<'static>);

impl Default for Kept {
    fn default() -> Kept {
        Kept(FixedBuffer::new(&mut []))
    }
}

impl Kept {
    #[inline(always)]
    fn begin(&mut self, out: &mut [u8; ROOM]) {
        // SAFETY: the message is written and finished before the caller's borrow of `out` ends, and the buffer never
        // accesses this memory again: each message begins here, with its own memory.
        let memory = unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr(), ROOM) };
        self.0.clear_into(memory);
    }
}

impl Writer for Kept {
    const NOTE: &'static str = "one FixedBuffer, cleared each time";

    #[inline(always)]
    fn simple(&mut self, out: &mut [u8; ROOM]) -> usize {
        self.begin(out);
        simple(&mut self.0)
    }

    #[inline(always)]
    fn nested(&mut self, out: &mut [u8; ROOM]) -> usize {
        self.begin(out);
        nested(&mut self.0)
    }
}

/// A buffer object for each message.
#[derive(Default)]
pub struct Fresh;

impl Writer for Fresh {
    const NOTE: &'static str = "a FixedBuffer for each message";

    #[inline(always)]
    fn simple(&mut self, out: &mut [u8; ROOM]) -> usize {
        simple(&mut FixedBuffer::new(out))
    }

    #[inline(always)]
    fn nested(&mut self, out: &mut [u8; ROOM]) -> usize {
        nested(&mut FixedBuffer::new(out))
    }
}
