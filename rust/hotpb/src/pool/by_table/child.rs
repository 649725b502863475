//! Nested messages by table: rows of other tables, which one pointer per field pushes, decodes and encodes.

use super::super::{DecodeRow, Decoder, Encoder, EntryRow, List, Missing, Stack};
use crate::wire::{Cursor, Range, START_GROUP};

/// Implemented by generated code for a row whose message is by table, or is a child of one that is.
pub trait Node: DecodeRow {
    /// Whether the message can contain messages of its own kind. False for a map's entry: its value has the answer.
    const RECURSIVE: bool = false;
    /// Whether it is a map's entry.
    const ENTRY: bool = false;
    /// Whether a required field can be absent somewhere in the message.
    const MAY_MISS: bool = false;
    /// Writes the row. The default is for messages that cannot be encoded; only such messages contain them.
    fn write<'m>(&'m self, _tables: &'m Self::Tables, _input: &'m [u8], _e: &mut Encoder<'m>) {}
    /// Finds the first required field that is absent.
    fn absent(&self, _tables: &Self::Tables, _stack: &Stack) -> Result<(), Missing> {
        Ok(())
    }
}

/// The same for a map's entry.
pub trait EntryNode: Node + EntryRow {
    /// Whether the value type is a closed enum.
    const CLOSED: bool = false;
    /// Reports whether the enum defines the value.
    fn is_defined(&self) -> bool {
        true
    }
}

/// The part of a row that a field with messages uses, copied out of the row while their tables are in use.
pub(super) struct Held {
    /// The tag of the record.
    pub(super) tag: u32,
    /// The row that contains the messages.
    pub(super) parent: u32,
    /// The list of the field; for a single message, `first` is its row.
    pub(super) list: List,
    /// The anchor of an entry's record, if the entry is unknown because its value is (ENM-3).
    pub(super) unknown: Option<u32>,
}

type Read = for<'a> unsafe fn(*mut u8, &mut Decoder<'a>, Cursor<'a>, &mut Held) -> Option<Cursor<'a>>;
type Write = for<'m> unsafe fn(*const u8, &'m [u8], &mut Encoder<'m>, u32, List);
type Absent = unsafe fn(*const u8, List, &Stack, &str) -> Result<(), Missing>;

/// Functions that decode and encode the messages of a field.
pub struct Child {
    /// The offset of the child's tables in the parent's.
    pub(super) home: usize,
    /// # Safety
    /// The pointer must point to these tables; so for the other functions.
    pub(super) read: Read,
    pub(super) write: Write,
    pub(super) absent: Option<Absent>,
}

/// Returns the row of a table.
///
/// # Safety
/// The pointer must point to an `R::Tables` that nobody else uses.
pub(super) unsafe fn row_of<R: Node>(tables: *mut u8, row: u32) -> *mut u8 {
    // SAFETY: the caller's promise.
    let tables = unsafe { &mut *tables.cast::<R::Tables>() };
    (&raw mut *R::table(tables).0.at(row)).cast()
}

/// Wraps a typed function so that it takes a pointer to `R::Tables`.
macro_rules! behind_a_pointer {
    ($name:ident = $typed:ident<$r:ident: $node:ident>, mut, ($($arg:ident: $ty:ty),*) $(-> $out:ty)?) => {
        unsafe fn $name<'a, $r: $node>(tables: *mut u8, $($arg: $ty),*) $(-> $out)? {
            // SAFETY: a pointer to these tables that nobody else uses, by the caller's promise.
            $typed::<$r>(unsafe { &mut *tables.cast::<$r::Tables>() }, $($arg),*)
        }
    };
    ($name:ident = $typed:ident<$r:ident: $node:ident>, const, ($($arg:ident: $ty:ty),*) $(-> $out:ty)?) => {
        unsafe fn $name<'a, $r: $node>(tables: *const u8, $($arg: $ty),*) $(-> $out)? {
            // SAFETY: a pointer to these tables, which nobody changes, by the caller's promise.
            $typed::<$r>(unsafe { &*tables.cast::<$r::Tables>() }, $($arg),*)
        }
    };
}

behind_a_pointer!(read_single = single<R: Node>, mut, (d: &mut Decoder<'a>, c: Cursor<'a>, held: &mut Held) -> Option<Cursor<'a>>);
behind_a_pointer!(read_list = list<R: Node>, mut, (d: &mut Decoder<'a>, c: Cursor<'a>, held: &mut Held) -> Option<Cursor<'a>>);
behind_a_pointer!(read_map = map<R: EntryNode>, mut, (d: &mut Decoder<'a>, c: Cursor<'a>, held: &mut Held) -> Option<Cursor<'a>>);
behind_a_pointer!(write_one = put_one<R: Node>, const, (input: &'a [u8], e: &mut Encoder<'a>, tag: u32, list: List));
behind_a_pointer!(write_list = put_list<R: Node>, const, (input: &'a [u8], e: &mut Encoder<'a>, tag: u32, list: List));
behind_a_pointer!(write_map = put_map<R: EntryNode>, const, (input: &'a [u8], e: &mut Encoder<'a>, tag: u32, list: List));
behind_a_pointer!(absent_one = find_one<R: Node>, const, (list: List, stack: &Stack, name: &str) -> Result<(), Missing>);
behind_a_pointer!(absent_list = find_list<R: Node>, const, (list: List, stack: &Stack, name: &str) -> Result<(), Missing>);

impl Child {
    /// A message whose tables are at `home` in the parent's; 0 if both have the same tables.
    pub const fn single<R: Node>(home: usize) -> Child {
        let absent = if R::MAY_MISS { Some(absent_one::<R> as Absent) } else { None };
        Child { home, read: read_single::<R>, write: write_one::<R>, absent }
    }

    /// A repeated message.
    pub const fn list<R: Node>(home: usize) -> Child {
        let absent = if R::MAY_MISS { Some(absent_list::<R> as Absent) } else { None };
        Child { home, read: read_list::<R>, write: write_list::<R>, absent }
    }

    /// A map.
    pub const fn map<R: EntryNode>(home: usize) -> Child {
        let absent = if R::MAY_MISS { Some(absent_list::<R> as Absent) } else { None };
        Child { home, read: read_map::<R>, write: write_map::<R>, absent }
    }
}

/// Returns the records of a message: its payload, or for groups the rest of the enclosing range.
#[inline(always)]
fn range_of<'a>(c: &mut Cursor<'a>, tag: u32) -> Option<Range<'a>> {
    if tag & 7 == START_GROUP { Some(c.rest()) } else { c.range() }
}

#[inline(always)]
fn enter<R: Node>(d: &mut Decoder<'_>, anchor: u32) -> Option<()> {
    if R::RECURSIVE { d.enter_again(|_| anchor) } else { d.enter() }
}

#[inline(always)]
fn body<'a, R: Node>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
    range: Range<'a>,
    row: u32,
    tag: u32,
) -> Option<()> {
    if tag & 7 == START_GROUP {
        let end = R::decode::<()>(t, d, range, row, tag + 1)?;
        return c.resume(end);
    }
    R::decode::<()>(t, d, range, row, 0).map(|_| ())
}

fn single<'a, R: Node>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    mut c: Cursor<'a>,
    held: &mut Held,
) -> Option<Cursor<'a>> {
    let range = range_of(&mut c, held.tag)?;
    let anchor = d.start_of(range);
    enter::<R>(d, anchor)?;
    if held.list.first == 0 {
        held.list.first = R::table(t).0.push_empty(d, anchor)?;
    }
    body::<R>(t, d, &mut c, range, held.list.first, held.tag)?;
    d.leave();
    Some(c)
}

fn list<'a, R: Node>(t: &mut R::Tables, d: &mut Decoder<'a>, mut c: Cursor<'a>, held: &mut Held) -> Option<Cursor<'a>> {
    let at = d.at(&c);
    enter::<R>(d, at)?;
    let first = R::table(t).0.next_index();
    let mut anchor;
    loop {
        let range = range_of(&mut c, held.tag)?;
        anchor = d.start_of(range);
        let row = R::table(t).0.push_empty(d, anchor)?;
        body::<R>(t, d, &mut c, range, row, held.tag)?;
        if R::RECURSIVE {
            let (table, side) = R::table(t);
            held.list.push(d, anchor, table, side, row)?;
        }
        if !c.eat_tag(held.tag) {
            break;
        }
    }
    d.leave();
    if !R::RECURSIVE {
        let (table, side) = R::table(t);
        held.list.extend(d, anchor, table, side, first)?;
    }
    Some(c)
}

fn map<'a, R: EntryNode>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    mut c: Cursor<'a>,
    held: &mut Held,
) -> Option<Cursor<'a>> {
    d.enter()?;
    loop {
        let range = c.range()?;
        let anchor = d.start_of(range);
        let entry = R::table(t).0.push_empty(d, anchor)?;
        R::decode::<()>(t, d, range, entry, 0)?;
        let (entries, side) = R::entries(t);
        if R::CLOSED && !entries.rows.get(entry).is_defined() {
            entries.rows.pop();
            held.unknown = Some(anchor);
            break;
        }
        entries.add(d, anchor, &mut held.list, side, held.parent, entry)?;
        // Unknown records are kept one by one, so an entry that may be unknown is read by itself.
        if R::CLOSED || !c.eat_tag(held.tag) {
            break;
        }
    }
    d.leave();
    Some(c)
}

/// Writes a message with its length, or between its group's tags. The parts before and after its fields are out of
/// line, because this function is compiled for each field with messages.
#[inline(always)]
fn wrap<'m>(e: &mut Encoder<'m>, tag: u32, body: impl FnOnce(&mut Encoder<'m>)) {
    let end = begin(e, tag);
    body(e);
    finish(e, tag, end);
}

/// Writes the end of a message, which comes first.
#[inline(never)]
fn begin(e: &mut Encoder<'_>, tag: u32) -> usize {
    if tag & 7 == START_GROUP {
        e.tag_by(tag + 1);
    }
    e.mark()
}

/// Writes the start of a message: the group's start tag, or the length since its end and the tag.
#[inline(never)]
fn finish(e: &mut Encoder<'_>, tag: u32, end: usize) {
    if tag & 7 == START_GROUP { e.tag_by(tag) } else { e.close_by(tag, end) }
}

fn put_one<'m, R: Node>(t: &'m R::Tables, input: &'m [u8], e: &mut Encoder<'m>, tag: u32, list: List) {
    let row = R::rows(t).0.get(list.first);
    wrap(e, tag, |e| row.write(t, input, e));
}

fn put_list<'m, R: Node>(t: &'m R::Tables, input: &'m [u8], e: &mut Encoder<'m>, tag: u32, list: List) {
    let (rows, links) = R::rows(t);
    e.list(rows, list, links, |e, row| wrap(e, tag, |e| row.write(t, input, e)));
}

fn put_map<'m, R: EntryNode>(t: &'m R::Tables, input: &'m [u8], e: &mut Encoder<'m>, tag: u32, list: List) {
    let (entries, links) = R::entries_of(t);
    e.map(entries, list, links, input, |e, row| wrap(e, tag, |e| row.write(t, input, e)));
}

fn find_one<R: Node>(t: &R::Tables, list: List, stack: &Stack, name: &str) -> Result<(), Missing> {
    R::rows(t).0.get(list.first).absent(t, stack).map_err(|m| m.inside(name))
}

fn find_list<R: Node>(t: &R::Tables, list: List, stack: &Stack, name: &str) -> Result<(), Missing> {
    let (rows, links) = R::rows(t);
    rows.list(list, links).enumerate().try_for_each(|(i, row)| row.absent(t, stack).map_err(|m| m.at(name, i)))
}
