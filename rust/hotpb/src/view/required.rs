//! The search for required fields that are absent (VIW-10), by table: the levels are on the heap, because the sender
//! chooses how deep messages nest.

use super::Scratch;
use super::map::surviving;
use super::message::Records;
use super::raw::{Raw, SPLIT};
use super::scan::scan;
use super::table::{Field, Kind, Shape, Table};
use crate::{Code, Error};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A message in which the search is.
struct Frame<'a> {
    table: &'static Table,
    raw: Raw<'a>,
    slots: Vec<u32>,
    /// The field whose messages are next.
    field: usize,
    /// The bytes of the messages of the current field, the first one last.
    todo: Vec<&'a [u8]>,
    /// The path of the current message in this one, with its index.
    index: usize,
}

/// Returns an error for the first required field that is absent (ERR-10).
#[cold]
pub(super) fn check_initialized(raw: &Raw<'_>, table: &'static Table) -> Result<(), Error> {
    let scratch = Scratch::new();
    let mut frames = Vec::new();
    enter(&mut frames, Raw::new(raw.bytes, raw.rules), table, raw.bytes.len())?;
    while let Some(frame) = frames.last_mut() {
        if let Some(child) = frame.todo.pop() {
            frame.index += 1;
            let Some(table) = frame.table.fields[frame.field - 1].child else { continue };
            let rules = frame.raw.rules.below();
            let rules = if frame.table.is_entry && child.is_empty() { rules.of_absent() } else { rules };
            enter(&mut frames, Raw::new(child, rules), table, raw.bytes.len())?;
            continue;
        }
        let Some(field) = frame.table.fields.get(frame.field) else {
            frames.pop();
            continue;
        };
        frame.field += 1;
        frame.index = 0;
        if field.child.is_some_and(|child| child.needs) {
            frame.todo = children(frame, field, &scratch);
            frame.todo.reverse();
        }
    }
    Ok(())
}

/// Scans a message, and looks for its own required fields.
fn enter<'a>(frames: &mut Vec<Frame<'a>>, raw: Raw<'a>, table: &'static Table, size: usize) -> Result<(), Error> {
    let mut frame = Frame { table, raw, slots: Vec::new(), field: 0, todo: Vec::new(), index: 0 };
    frame.slots.resize(table.words, 0);
    if !frame.raw.admitted() || scan(table, &mut frame.raw, &mut frame.slots).is_none() {
        return Err(frame.raw.fail(table));
    }
    let absent = table.fields.iter().position(|field| field.required && !frame.has(field));
    if let Some(absent) = absent {
        let mut path = String::new();
        for (frame, inner) in frames.iter().map(|frame| (frame, frame.field - 1)) {
            path += frame.table.schema.fields[inner].name;
            if frame.table.fields[inner].shape == Shape::Repeated {
                path += &format!("[{}]", frame.index - 1);
            }
            path += ".";
        }
        path += table.schema.fields[absent].name;
        return Err(Error::new(Code::MissingRequired, size).with_path(&path));
    }
    frames.push(frame);
    Ok(())
}

impl Frame<'_> {
    fn has(&self, field: &Field) -> bool {
        self.slots[field.slot as usize + field.is_message() as usize] != 0
    }
}

/// Returns the messages of a field, those in several records merged.
fn children<'a>(frame: &Frame<'a>, field: &Field, scratch: &'a Scratch) -> Vec<&'a [u8]> {
    let words = &frame.slots[field.slot as usize..];
    let element = field.element_tag();
    let within = |first: u32, end: u32| &frame.raw.bytes[(first & !SPLIT) as usize..end as usize];
    match (field.shape, field.kind) {
        (Shape::Repeated, Kind::Map) => surviving(within(words[0], words[1]), field),
        (Shape::Repeated, _) => Records::new(within(words[0], words[1]), element).collect(),
        (shape, _) => {
            let words = match shape {
                Shape::Member if words[0] != field.number() => return Vec::new(),
                Shape::Member => [words[1], words[2]],
                _ => [words[0], words[1]],
            };
            // The value of an entry exists even if it is absent (MAP-1).
            if words[1] == 0 {
                let is_value = frame.table.is_entry;
                return if is_value { Vec::from([&[][..]]) } else { Vec::new() };
            }
            let records = Records::new(within(words[0], words[1]), element);
            let parts = { records }.take(2).count();
            let bytes = if parts == 1 { { records }.next().unwrap_or(&[]) } else { scratch.join(records) };
            Vec::from([bytes])
        }
    }
}
