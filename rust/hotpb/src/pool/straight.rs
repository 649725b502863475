//! Steps of straight code that are the same for all messages: generated code calls them for each field with messages, and
//! they are compiled into it. A call is much less for the compiler than the step.

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

/// Returns the records of a message: its payload, or for groups the rest of the enclosing range.
#[inline(always)]
fn range_of<'a>(c: &mut Cursor<'a>, tag: u32) -> Option<Range<'a>> {
    if tag & 7 == START_GROUP { Some(c.rest()) } else { c.range() }
}

/// Decodes a message into its row.
#[inline(always)]
fn body<'a, R: DecodeRow, const TAG: u32>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
    range: Range<'a>,
    row: u32,
) -> Option<()> {
    if TAG & 7 == START_GROUP {
        let end = R::decode::<()>(t, d, range, row, TAG + 1)?;
        return c.resume(end);
    }
    R::decode::<()>(t, d, range, row, 0).map(|_| ())
}

/// Reads the message of a field into a row, or into a new one if that is 0. `AGAIN`: it can contain messages of its own
/// kind.
#[inline(always)]
pub fn read_child<'a, R: DecodeRow, const TAG: u32, const AGAIN: bool>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
    row: &mut u32,
) -> Option<()> {
    let range = range_of(c, TAG)?;
    if AGAIN {
        d.enter_again(|d| d.start_of(range))?
    } else {
        d.enter()?
    }
    if *row == 0 {
        *row = R::table(t).0.push_empty(d, d.start_of(range))?;
    }
    body::<R, TAG>(t, d, c, range, *row)?;
    d.leave();
    Some(())
}

/// Reads the messages of a repeated field, as long as its tag repeats. Rows that can contain rows of their own table are not
/// adjacent: each is added when it has been read.
#[inline(always)]
pub fn read_list<'a, R: DecodeRow, const TAG: u32, const AGAIN: bool>(
    t: &mut R::Tables,
    d: &mut Decoder<'a>,
    c: &mut Cursor<'a>,
    list: &mut List,
) -> Option<()> {
    if AGAIN {
        d.enter_again(|d| d.at(c))?
    } else {
        d.enter()?
    }
    let first = R::table(t).0.next_index();
    let mut anchor;
    loop {
        let range = range_of(c, TAG)?;
        anchor = d.start_of(range);
        let row = R::table(t).0.push_empty(d, anchor)?;
        body::<R, TAG>(t, d, c, range, row)?;
        if AGAIN {
            let (table, side) = R::table(t);
            list.push(d, anchor, table, side, row)?;
        }
        if !c.eat::<TAG>() {
            break;
        }
    }
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

impl<'m> Encoder<'m> {
    /// Writes a message with its length, or between its group's tags: `TAG` and `END`, which is `TAG + 1`.
    #[inline(always)]
    pub fn row<R: EncodeRow, const TAG: u32, const END: u32>(
        &mut self,
        row: &'m R,
        tables: &'m R::Tables,
        input: &'m [u8],
    ) {
        if TAG & 7 == START_GROUP {
            self.tag::<END>();
            row.encode::<()>(tables, input, self);
            return self.tag::<TAG>();
        }
        let end = self.mark();
        row.encode::<()>(tables, input, self);
        self.close::<TAG>(end);
    }

    /// Writes the message in a row of a table.
    #[inline(always)]
    pub fn child<R: EncodeRow, const TAG: u32, const END: u32>(
        &mut self,
        tables: &'m R::Tables,
        input: &'m [u8],
        row: u32,
    ) {
        self.row::<R, TAG, END>(R::rows(tables).0.get(row), tables, input);
    }

    /// Writes the messages of a list, the last one first.
    #[inline(always)]
    pub fn children<R: EncodeRow, const TAG: u32, const END: u32>(
        &mut self,
        tables: &'m R::Tables,
        input: &'m [u8],
        list: List,
    ) {
        let (table, side) = R::rows(tables);
        self.list(table, list, side, |e, row| e.row::<R, TAG, END>(row, tables, input));
    }
}
