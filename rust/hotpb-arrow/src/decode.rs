//! The fast decoder: from the bytes of a message into the stores, by the ops of the table. It only detects an error;
//! the cold decoder then finds which one (`spec/errors.md`, ERR-1).

use crate::store::Stores;
use crate::table::{Column, Does, Inner, Kind, NONE, Node, Op, ROOT};
use arrow_schema::TimeUnit;
use hotpb::wire::__rt::{Cursor, Input, Limits};
use hotpb::wire::{END_GROUP, LEN, is_utf8, unzigzag32, unzigzag64};

/// A fault that the cold decoder cannot find by itself; the number is the anchor of the record (`check_part`).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The rows take more memory than the limit.
    Memory(usize),
    /// A time does not fit the column.
    Time(usize),
}

pub(crate) struct Decoder<'t, 'a> {
    pub table: &'t Inner,
    pub stores: &'t mut Stores,
    pub input: Input<'a>,
    /// The memory that is left for rows.
    pub memory: usize,
    pub limits: Limits,
    pub fault: Option<Fault>,
    /// Whether the last value of a closed enum was one that it does not define.
    undefined: bool,
    /// Where the last group ended.
    end: Cursor<'a>,
}

impl<'t, 'a> Decoder<'t, 'a> {
    pub fn new(table: &'t Inner, stores: &'t mut Stores, bytes: &'a [u8], limits: Limits, memory: usize) -> Self {
        let (input, end) = (Input::new(bytes), Cursor::new(&[]));
        Decoder { table, stores, input, memory, limits, fault: None, undefined: false, end }
    }

    /// Decodes the whole input as this row of the root.
    pub fn root(&mut self, row: usize) -> Option<()> {
        let node = &self.table.nodes[ROOT as usize];
        // This limit, and full buffers, are the errors that have no record of their own.
        self.memory = self.memory.checked_sub(node.width as usize)?;
        let cursor = self.input.open(self.input.range());
        self.fields(node, row, cursor, 0, self.limits.depth)
    }

    /// Decodes the fields of a message up to the end of the cursor or, in a group, up to its end tag; `end` is then after
    /// that tag. (A cursor as the result would be returned in memory.) `depth` is the number of further levels that may open.
    fn fields(&mut self, node: &'t Node, row: usize, mut c: Cursor<'a>, group: u32, depth: u32) -> Option<()> {
        /// Puts a value into a store, as this row or as the next element of the row's list.
        macro_rules! put {
            ($op:ident, $arena:ident, $len:expr, $value:expr) => {{
                let value = $value;
                self.turn($op, row);
                let store = &mut self.stores.$arena[$op.store as usize];
                let mut at = row;
                if $op.list != NONE {
                    at = $len(&*store);
                    self.stores.lists[$op.list as usize].open(row, at);
                }
                store.set(at, value)
            }};
        }
        loop {
            if c.at_end() {
                return if group == 0 { Some(()) } else { None };
            }
            let tag = c.next_tag();
            let found = node.find(tag);
            if found.does == Does::Skip {
                if tag & 7 == END_GROUP {
                    self.end = c;
                    return if group != 0 && tag >> 3 == group { Some(()) } else { None };
                }
                c.skip(tag, depth)?;
                continue;
            }
            let op = &node.ops[found.op as usize];
            match found.does {
                Does::Packed => {
                    let payload = c.bytes()?;
                    self.packed(op, row, payload)?;
                }
                Does::Int32 => put!(op, w4, |s: &crate::store::Fixed<u32>| s.values.len(), c.varint()? as u32),
                Does::Int64 => put!(op, w8, |s: &crate::store::Fixed<u64>| s.values.len(), c.varint()?),
                Does::Fixed4 => put!(op, w4, |s: &crate::store::Fixed<u32>| s.values.len(), c.fixed32()?),
                Does::Fixed8 => put!(op, w8, |s: &crate::store::Fixed<u64>| s.values.len(), c.fixed64()?),
                Does::Sint32 => {
                    put!(op, w4, |s: &crate::store::Fixed<u32>| s.values.len(), unzigzag32(c.varint()? as u32) as u32)
                }
                Does::Sint64 => {
                    put!(op, w8, |s: &crate::store::Fixed<u64>| s.values.len(), unzigzag64(c.varint()?) as u64)
                }
                Does::Bool => put!(op, bools, |s: &crate::store::Bools| s.len, c.varint()? != 0),
                Does::Text => {
                    let text = c.bytes()?;
                    if !is_utf8(text) {
                        return None;
                    }
                    put!(op, blobs, crate::store::Blobs::len, text)?;
                }
                Does::Bytes => put!(op, blobs, crate::store::Blobs::len, c.bytes()?)?,
                Does::Message | Does::Pair => {
                    if found.does == Does::Pair && self.pair(op, row, &mut c, depth)? {
                        continue;
                    }
                    let depth = depth.checked_sub(1)?;
                    let inner = &self.table.nodes[op.more as usize];
                    self.turn(op, row);
                    let start = c;
                    let grouped = tag & 7 != LEN;
                    let part = if grouped { c } else { self.input.open(c.range()?) };
                    let mut at = row;
                    if op.list != NONE {
                        let list = &mut self.stores.lists[op.list as usize];
                        at = list.rows;
                        list.open(row, at);
                        list.rows += 1;
                        self.pay(op, if grouped { start } else { part })?;
                    } else if op.store != NONE {
                        self.stores.present[op.store as usize].set(row);
                    }
                    self.fields(inner, at, part, if grouped { tag >> 3 } else { 0 }, depth)?;
                    if grouped {
                        c = self.end;
                    }
                }
                _ => c = self.rare(op, row, c, depth)?,
            }
        }
    }

    /// Reads an element of two strings, or returns false: it is left as it is if it has another form.
    #[inline(always)]
    fn pair(&mut self, op: &Op, row: usize, c: &mut Cursor<'a>, depth: u32) -> Option<bool> {
        let mut ahead = *c;
        let Some((a, b)) = ahead.pair::<0x0a, 0x12>(self.input).filter(|_| depth > 0) else { return Some(false) };
        let node = &self.table.nodes[op.more as usize];
        let [first, second] = &node.ops[..] else { return Some(false) };
        let list = &mut self.stores.lists[op.list as usize];
        let at = list.rows;
        list.open(row, at);
        list.rows += 1;
        self.pay(op, *c)?;
        let bytes = self.input.bytes();
        let (a, b) = (a.bytes(bytes), b.bytes(bytes));
        if !is_utf8(a) || !is_utf8(b) {
            return None;
        }
        self.stores.blobs[first.store as usize].set(at, a)?;
        self.stores.blobs[second.store as usize].set(at, b)?;
        *c = ahead;
        Some(true)
    }

    /// Handles the kinds of records that are rare, or whose values cost more than this call.
    #[inline(never)]
    fn rare(&mut self, op: &'t Op, row: usize, mut c: Cursor<'a>, depth: u32) -> Option<Cursor<'a>> {
        match op.does {
            Does::Lossy => {
                let text = c.bytes()?;
                self.turn(op, row);
                let at = self.blob_row(op, row);
                let store = &mut self.stores.blobs[op.store as usize];
                let stored = if is_utf8(text) {
                    store.set(at, text)
                } else {
                    store.set(at, String::from_utf8_lossy(text).as_bytes())
                };
                stored?;
            }
            Does::EnumNumber | Does::EnumName => {
                let number = c.varint()? as i32;
                let table = &self.table.enums[op.enumeration as usize];
                let index = table.index(number);
                if table.closed {
                    self.undefined = index.is_none();
                    if self.undefined {
                        return Some(c);
                    }
                }
                self.turn(op, row);
                self.number(op, row, number, index)?;
            }
            Does::TextKey | Does::LossyKey => {
                let text = c.bytes()?;
                let good = is_utf8(text);
                if !good && op.does == Does::TextKey {
                    return None;
                }
                self.turn(op, row);
                let dictionary = &mut self.stores.dictionaries[op.more as usize];
                let key =
                    if good { dictionary.key(text) } else { dictionary.key(String::from_utf8_lossy(text).as_bytes()) };
                self.w4(op, row, key?);
            }
            Does::Time => {
                let depth = depth.checked_sub(1)?;
                let (part, after) = self.open(op, c)?;
                self.turn(op, row);
                let anchor = part;
                let at = self.list_row(op, row, |s| s.times[op.store as usize].fixed.values.len());
                let times = &mut self.stores.times[op.store as usize];
                // A message that came in several records goes on where the last record ended.
                let (seconds, nanos) =
                    if times.fixed.values.len() > at { (times.seconds, times.nanos) } else { (0, 0) };
                let (seconds, nanos, end) = time(part, group_of(op), depth, seconds, nanos)?;
                (times.seconds, times.nanos) = (seconds, nanos);
                let Some(value) = in_unit(self.table.unit, seconds, nanos) else {
                    self.fault = Some(Fault::Time(anchor.offset(self.input) as usize));
                    return None;
                };
                times.fixed.set(at, value as u64);
                return Some(after.unwrap_or(end));
            }
            Does::Wrapper => {
                let depth = depth.checked_sub(1)?;
                let (part, after) = self.open(op, c)?;
                self.turn(op, row);
                let inner = &self.table.nodes[op.more as usize];
                let at = self.touch(inner.ops[0].does, op, row);
                self.fields(inner, at, part, group_of(op), depth)?;
                return Some(after.unwrap_or(self.end));
            }
            Does::Entry => {
                let depth = depth.checked_sub(1)?;
                let part = self.input.open(c.range()?);
                let list = &mut self.stores.lists[op.list as usize];
                let at = list.rows;
                list.open(row, at);
                list.rows += 1;
                self.pay(op, part)?;
                self.undefined = false;
                self.fields(&self.table.nodes[op.more as usize], at, part, 0, depth)?;
                if op.store != 0 && self.undefined {
                    // The entry is an unknown field (ENM-3).
                    if let Kind::Map(list, entries) = self.table.columns[op.column as usize].kind {
                        cut(&self.table.columns, self.stores, entries, at);
                        self.stores.lists[list as usize].rows = at;
                    }
                }
            }
            Does::Opaque => {
                let depth = depth.checked_sub(1)?;
                let (part, after) = self.open(op, c)?;
                let (bytes, end) = match after {
                    Some(after) => (part.remaining(), after),
                    None => group(part, op.tag >> 3, depth)?,
                };
                let limits = Limits { depth, ..self.limits };
                self.table.check.run(op.more as usize, bytes, &limits, None).ok()?;
                self.turn(op, row);
                let at = self.blob_row(op, row);
                let stored = self.stores.blobs[op.store as usize].append(at, bytes);
                stored?;
                return Some(end);
            }
            Does::Hidden => {
                if let Some(table) = self.table.enums.get(op.enumeration as usize).filter(|table| table.closed) {
                    let number = c.varint()? as i32;
                    if table.index(number).is_none() {
                        return Some(c);
                    }
                } else {
                    c.skip(op.tag, depth)?;
                }
                self.turn(op, row);
            }
            _ => {
                debug_assert!(false, "{:?} is not rare", op.does);
                return None;
            }
        }
        Some(c)
    }

    /// Opens a message record: its content, and the bytes after it, which for a group is not known yet.
    fn open(&self, op: &Op, mut c: Cursor<'a>) -> Option<(Cursor<'a>, Option<Cursor<'a>>)> {
        match op.tag & 7 {
            LEN => {
                let part = self.input.open(c.range()?);
                Some((part, Some(c)))
            }
            _ => Some((c, None)),
        }
    }

    /// Charges an element; its anchor is the start of its content.
    #[inline(always)]
    fn pay(&mut self, op: &Op, content: Cursor<'a>) -> Option<()> {
        match self.memory.checked_sub(op.width as usize) {
            Some(left) => self.memory = left,
            None => {
                self.fault = Some(Fault::Memory(content.offset(self.input) as usize));
                return None;
            }
        }
        Some(())
    }

    /// Makes a column the one that is set in its oneof.
    #[inline(always)]
    fn turn(&mut self, op: &Op, row: usize) {
        let Some(state) = self.stores.oneofs.get_mut(op.oneof as usize) else { return };
        let (last, member) = std::mem::replace(state, (row, op.column));
        if last == row && member != op.column {
            self.clear(member, row);
        }
    }

    /// Drops the value of another member of a oneof.
    #[cold]
    fn clear(&mut self, member: u32, row: usize) {
        if member != NONE {
            cut(&self.table.columns, self.stores, member, row);
        }
    }

    /// Returns the row of the store for the next value: the row, or that of the next element.
    fn list_row(&mut self, op: &Op, row: usize, len: impl Fn(&Stores) -> usize) -> usize {
        if op.list == NONE {
            return row;
        }
        let at = len(self.stores);
        self.stores.lists[op.list as usize].open(row, at);
        at
    }

    fn blob_row(&mut self, op: &Op, row: usize) -> usize {
        self.list_row(op, row, |s| s.blobs[op.store as usize].len())
    }

    fn w4(&mut self, op: &Op, row: usize, value: u32) {
        let at = self.list_row(op, row, |s| s.w4[op.store as usize].values.len());
        self.stores.w4[op.store as usize].set(at, value);
    }

    /// Sets the number of an enum, or the key of its name.
    fn number(&mut self, op: &Op, row: usize, number: i32, index: Option<u32>) -> Option<()> {
        let value = match (op.element, index) {
            (Does::EnumNumber, _) => number as u32,
            (_, Some(index)) => index,
            (_, None) => self.stores.dictionaries[op.more as usize].key(number.to_string().as_bytes())?,
        };
        self.w4(op, row, value);
        Some(())
    }

    /// Makes sure that the row has a value: an empty wrapper is a default.
    fn touch(&mut self, does: Does, op: &Op, row: usize) -> usize {
        let at = op.store as usize;
        let len = |s: &Stores| match does {
            Does::Bool => s.bools[at].len,
            Does::Text | Does::Bytes => s.blobs[at].len(),
            Does::Int32 | Does::Fixed4 => s.w4[at].values.len(),
            _ => s.w8[at].values.len(),
        };
        let row = self.list_row(op, row, len);
        if len(self.stores) <= row {
            match does {
                Does::Bool => self.stores.bools[at].set(row, false),
                Does::Text | Does::Bytes => drop(self.stores.blobs[at].set(row, b"")),
                Does::Int32 | Does::Fixed4 => self.stores.w4[at].set(row, 0),
                _ => self.stores.w8[at].set(row, 0),
            }
        }
        row
    }

    /// Decodes the elements of a packed record.
    #[inline(never)]
    fn packed(&mut self, op: &Op, row: usize, payload: &'a [u8]) -> Option<()> {
        let mut c = Cursor::new(payload);
        let store = op.store as usize;
        match op.element {
            Does::Fixed4 => {
                let (values, rest) = payload.as_chunks::<4>();
                self.list_row(op, row, |s| s.w4[store].values.len());
                self.stores.w4[store].values.extend(values.iter().map(|v| u32::from_le_bytes(*v)));
                return rest.is_empty().then_some(());
            }
            Does::Fixed8 => {
                let (values, rest) = payload.as_chunks::<8>();
                self.list_row(op, row, |s| s.w8[store].values.len());
                self.stores.w8[store].values.extend(values.iter().map(|v| u64::from_le_bytes(*v)));
                return rest.is_empty().then_some(());
            }
            Does::Int32 | Does::Sint32 => {
                self.list_row(op, row, |s| s.w4[store].values.len());
                let (values, zigzag) = (&mut self.stores.w4[store].values, op.element == Does::Sint32);
                while !c.at_end() {
                    let value = c.varint()? as u32;
                    values.push(if zigzag { unzigzag32(value) as u32 } else { value });
                }
            }
            Does::Int64 | Does::Sint64 => {
                self.list_row(op, row, |s| s.w8[store].values.len());
                let (values, zigzag) = (&mut self.stores.w8[store].values, op.element == Does::Sint64);
                while !c.at_end() {
                    let value = c.varint()?;
                    values.push(if zigzag { unzigzag64(value) as u64 } else { value });
                }
            }
            Does::Bool => {
                let mut at = self.list_row(op, row, |s| s.bools[store].len);
                while !c.at_end() {
                    self.stores.bools[store].set(at, c.varint()? != 0);
                    at += 1;
                }
            }
            _ => {
                let table = &self.table.enums[op.enumeration as usize];
                while !c.at_end() {
                    let number = c.varint()? as i32;
                    let index = table.index(number);
                    if index.is_some() || !table.closed {
                        self.number(op, row, number, index)?;
                    }
                }
            }
        }
        Some(())
    }
}

fn group_of(op: &Op) -> u32 {
    if op.tag & 7 == LEN { 0 } else { op.tag >> 3 }
}

/// Reads the fields of a timestamp or duration: seconds, nanoseconds, and where they end.
fn time(mut c: Cursor, group: u32, depth: u32, mut seconds: i64, mut nanos: i32) -> Option<(i64, i32, Cursor)> {
    loop {
        if c.at_end() {
            return if group == 0 { Some((seconds, nanos, c)) } else { None };
        }
        match c.next_tag() {
            0x08 => seconds = c.varint()? as i64,
            0x10 => nanos = c.varint()? as i32,
            tag if group != 0 && tag == group << 3 | END_GROUP => return Some((seconds, nanos, c)),
            tag => c.skip(tag, depth)?,
        }
    }
}

/// Returns a time in a unit, if it fits; a coarser unit rounds toward the past.
fn in_unit(unit: TimeUnit, seconds: i64, nanos: i32) -> Option<i64> {
    let (per_second, nanos_each) = match unit {
        TimeUnit::Second => (1, 1_000_000_000),
        TimeUnit::Millisecond => (1_000, 1_000_000),
        TimeUnit::Microsecond => (1_000_000, 1_000),
        TimeUnit::Nanosecond => (1_000_000_000, 1),
    };
    let value = seconds as i128 * per_second + (nanos as i64).div_euclid(nanos_each) as i128;
    i64::try_from(value).ok()
}

/// Reads the content of a group and where the group ends.
fn group(mut c: Cursor<'_>, number: u32, depth: u32) -> Option<(&[u8], Cursor<'_>)> {
    let from = c.remaining();
    loop {
        let left = c.left();
        let tag = c.tag()?;
        if tag & 7 == END_GROUP {
            return if tag >> 3 == number { Some((&from[..from.len() - left], c)) } else { None };
        }
        c.skip(tag, depth)?;
    }
}

/// Drops the values of a column from this row on.
pub(crate) fn cut(columns: &[Column], stores: &mut Stores, column: u32, rows: usize) {
    match &columns[column as usize].kind {
        Kind::W4(at) | Kind::EnumName(at, _, _) | Kind::TextKey(at, _) => stores.w4[*at as usize].cut(rows),
        Kind::W8(at) => stores.w8[*at as usize].cut(rows),
        Kind::Bool(at) => stores.bools[*at as usize].cut(rows),
        Kind::Blob(at) => stores.blobs[*at as usize].cut(rows),
        Kind::Time(at) => stores.times[*at as usize].fixed.cut(rows),
        Kind::Struct(children, present) => {
            if let Some(present) = stores.present.get_mut(*present as usize) {
                present.cut(rows);
            }
            children.iter().for_each(|&child| cut(columns, stores, child, rows));
        }
        Kind::List(list, child) | Kind::Map(list, child) => {
            let lists = &mut stores.lists[*list as usize];
            if let Some(&elements) = lists.starts.get(rows) {
                lists.starts.truncate(rows);
                lists.rows = lists.rows.min(elements as usize);
                cut(columns, stores, *child, elements as usize);
            }
        }
        Kind::Union(members) => members.iter().for_each(|&member| cut(columns, stores, member, rows)),
    }
}
