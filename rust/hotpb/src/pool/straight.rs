//! Steps of straight code that are the same for all messages: generated code calls them for each field with messages, and
//! they are compiled into it. A call is much less for the compiler than the step.

use super::encoder::Rows;
use super::{Decoder, Encoder, List, Row, Side};
use crate::wire::{Cursor, Pos, Range, START_GROUP};

/// Implemented by generated code: reads a row. The parameter `U` has no meaning: it makes the function generic, so that a
/// crate compiles only the functions that it uses.
pub trait DecodeRow: Row {
    /// Decodes records into a row, merging with its content, up to the end or the end tag.
    fn decode<'a, U>(
        tables: &mut Self::Tables,
        d: &mut Decoder<'a>,
        range: Range<'a>,
        row: u32,
        end_tag: u32,
    ) -> Option<Pos<'a>>;
}

/// Implemented by generated code: writes a row.
pub trait EncodeRow: Row {
    /// Writes the row, the last field first.
    fn encode<'m, U>(&'m self, tables: &'m Self::Tables, input: &'m [u8], e: &mut Encoder<'m>);
}

/// Implemented by generated code: clears the tables that a message can reach.
pub trait ResetRow: Row {
    /// Clears the row's table, and those of its children if it is in use: a child has rows only if its parent has some.
    fn reset<U>(tables: &mut Self::Tables);
}

// What follows reads a nested message step by step. The steps between them, `R::decode`, stand in the code of each message: a
// generic function that calls it would contain itself as often as messages contain each other, and rustc has a limit for that.

/// The tag that ends a message: for groups that of the end.
#[inline(always)]
pub const fn end_of(tag: u32) -> u32 {
    if tag & 7 == START_GROUP { tag + 1 } else { 0 }
}

/// Returns the records of a message: its payload, or for groups the rest of the enclosing range.
#[inline(always)]
fn range_of<'a>(c: &mut Cursor<'a>, tag: u32) -> Option<Range<'a>> {
    if tag & 7 == START_GROUP { Some(c.rest()) } else { c.range() }
}

/// Goes down to the message of a field, whose row is new if it is 0. `AGAIN`: it can contain messages of its own kind.
#[inline(always)]
pub fn open_child<'a, R: DecodeRow, const TAG: u32, const AGAIN: bool>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
    row: &mut u32,
) -> Option<Range<'a>> {
    let range = range_of(c, TAG)?;
    if AGAIN {
        d.enter_again(|d| d.start_of(range))?
    } else {
        d.enter()?
    }
    if *row == 0 {
        *row = R::table(t).0.push_empty(d, d.start_of(range))?;
    }
    Some(range)
}

/// Goes back up and on after a message that ended there.
#[inline(always)]
pub fn close_child<'a, const TAG: u32>(d: &mut Decoder<'a>, c: &mut Cursor<'a>, end: Option<Pos<'a>>) -> Option<()> {
    resume_after::<TAG>(c, end?)?;
    d.leave();
    Some(())
}

/// Goes on after a message that ended there: only a group's end is not known before.
#[inline(always)]
fn resume_after<'a, const TAG: u32>(c: &mut Cursor<'a>, end: Pos<'a>) -> Option<()> {
    if TAG & 7 == START_GROUP { c.resume(end) } else { Some(()) }
}

/// Goes down to the messages of a repeated field, and returns the index of the first row.
#[inline(always)]
pub fn open_list<'a, R: DecodeRow, const AGAIN: bool>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &Cursor<'a>,
) -> Option<u32> {
    if AGAIN {
        d.enter_again(|d| d.at(c))?
    } else {
        d.enter()?
    }
    Some(R::table(t).0.next_index())
}

/// Begins a message of a repeated field: its records, its anchor and its row.
#[inline(always)]
pub fn open_row<'a, R: DecodeRow, const TAG: u32>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
) -> Option<(Range<'a>, u32, u32)> {
    let range = range_of(c, TAG)?;
    let anchor = d.start_of(range);
    Some((range, anchor, R::table(t).0.push_empty(d, anchor)?))
}

/// Goes on after the message of a row, and adds it to its list, if rows of the table can lie between those of the list. Returns
/// whether it was the last one: no other record with this tag follows.
#[inline(always)]
pub fn close_row<'a, R: DecodeRow, const TAG: u32, const AGAIN: bool>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
    end: Option<Pos<'a>>,
    anchor: u32,
    list: &mut List,
    row: u32,
) -> Option<bool> {
    resume_after::<TAG>(c, end?)?;
    if AGAIN {
        let (table, side) = R::table(t);
        list.push(d, anchor, table, side, row)?;
    }
    Some(!c.eat::<TAG>())
}

/// Adds the rows from the first one on to their list, if they are adjacent.
#[inline(always)]
pub fn close_list<R: DecodeRow, const AGAIN: bool>(
    t: &mut R::Tables,
    d: &mut Decoder<'_>,
    anchor: u32,
    list: &mut List,
    first: u32,
) -> Option<()> {
    d.leave();
    if !AGAIN {
        let (table, side) = R::table(t);
        list.extend(d, anchor, table, side, first)?;
    }
    Some(())
}

/// Keeps a record that the schema does not define, in the row's side entry.
#[inline(always)]
pub fn read_unknown(
    links: &mut Side,
    d: &mut Decoder<'_>,
    c: &mut Cursor<'_>,
    side: &mut u32,
    start: u32,
    tag: u32,
) -> Option<()> {
    c.skip(tag, d.depth())?;
    let end = d.at(c);
    links.keep(d, start + 1, side, start, end)
}

/// Returns the row of a nested message.
#[inline(always)]
pub fn row_at<R: Row>(tables: &R::Tables, row: u32) -> &R {
    R::rows(tables).0.get(row)
}

impl<'m> Encoder<'m> {
    /// Starts to write the rows of a list of messages, the last one first.
    #[inline(always)]
    pub fn rows_in<R: Row>(&mut self, tables: &'m R::Tables, list: List) -> Rows {
        let (table, side) = R::rows(tables);
        self.rows_of(table, list, side)
    }

    /// Returns the row before the one that was returned last.
    #[inline(always)]
    pub fn previous_in<R: Row>(&mut self, tables: &'m R::Tables, rows: &mut Rows) -> Option<&'m R> {
        self.previous_row(R::rows(tables).0, rows)
    }

    /// Begins a message with its length, or between its group's tags.
    #[inline(always)]
    pub fn open_message<const TAG: u32>(&mut self) -> usize {
        if TAG & 7 == START_GROUP {
            self.varint::<0>((TAG + 1) as u64);
        }
        self.mark()
    }

    /// Ends it, with the mark of its begin.
    #[inline(always)]
    pub fn close_message<const TAG: u32>(&mut self, end: usize) {
        if TAG & 7 == START_GROUP {
            return self.tag::<TAG>();
        }
        self.close::<TAG>(end);
    }

    /// Writes a message that contains no others.
    #[inline(always)]
    pub fn row<R: EncodeRow, const TAG: u32>(&mut self, row: &'m R, tables: &'m R::Tables, input: &'m [u8]) {
        let end = self.open_message::<TAG>();
        row.encode::<()>(tables, input, self);
        self.close_message::<TAG>(end);
    }
}
