//! buffa: fills a struct, then encodes it into the caller's memory.

use ::buffa::Message;

use super::document::{ROOM, Writer, inputs};
use super::generated::buffa::hotpb::bench::Event;

fn fill(event: &mut Event) {
    let from = inputs();
    event.field_int32 = Some(from.numbers[0] as i32);
    event.field_uint32 = Some(from.numbers[1] as u32);
    event.field_int64 = Some(from.numbers[2] as i64);
    event.field_uint64 = Some(from.numbers[3]);
    let text = event.field_string.get_or_insert_default();
    text.clear();
    text.push_str(from.text);
}

/// Fills a message and `below` levels below it. It reuses existing children.
fn fill_nested(event: &mut Event, below: usize) {
    fill(event);
    if below > 0 {
        if event.field_nested.is_empty() {
            event.field_nested.push(Event::default());
        }
        fill_nested(&mut event.field_nested[0], below - 1);
    }
}

fn encode(event: &Event, out: &mut [u8; ROOM]) -> usize {
    let mut left = &mut out[..];
    event.encode(&mut left);
    ROOM - left.len()
}

/// A new message each time.
#[derive(Default)]
pub struct Fresh;

impl Writer for Fresh {
    const NOTE: &'static str = "a message for each message";

    fn simple(&mut self, out: &mut [u8; ROOM]) -> usize {
        let mut event = Event::default();
        fill(&mut event);
        encode(&event, out)
    }

    fn nested(&mut self, out: &mut [u8; ROOM]) -> usize {
        let mut event = Event::default();
        fill_nested(&mut event, 3);
        encode(&event, out)
    }
}

/// One message, filled again: it keeps its children and strings.
#[derive(Default)]
pub struct Reuse(Event);

impl Writer for Reuse {
    const NOTE: &'static str = "one message, whose fields are set again each time; children and strings are kept";

    fn simple(&mut self, out: &mut [u8; ROOM]) -> usize {
        fill(&mut self.0);
        encode(&self.0, out)
    }

    fn nested(&mut self, out: &mut [u8; ROOM]) -> usize {
        fill_nested(&mut self.0, 3);
        encode(&self.0, out)
    }
}
