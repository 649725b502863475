//! Repeated fields and maps of any type.

use super::{AnyMessage, EnumDescription, MessageOf, Places, ProtoStr, Spans, Value};
use core::marker::PhantomData;

/// The elements of a repeated field: at least one.
#[derive(Clone, Copy)]
pub struct List<'a> {
    elements: Elements<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Elements<'a> {
    Int32s(&'a [i32]),
    Int64s(&'a [i64]),
    Uint32s(&'a [u32]),
    Uint64s(&'a [u64]),
    Floats(&'a [f32]),
    Doubles(&'a [f64]),
    Bools(&'a [bool]),
    Strings(Spans<'a, &'a str>),
    Texts(Spans<'a, &'a ProtoStr>),
    Bytes(Spans<'a, &'a [u8]>),
    Enums(&'a [i32], &'static EnumDescription),
    Messages(RowsOf<'a>),
}

impl<'a> List<'a> {
    pub(crate) fn new(elements: Elements<'a>) -> List<'a> {
        List { elements }
    }

    /// Returns the number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match self.elements {
            Elements::Int32s(v) | Elements::Enums(v, _) => v.len(),
            Elements::Int64s(v) => v.len(),
            Elements::Uint32s(v) => v.len(),
            Elements::Uint64s(v) => v.len(),
            Elements::Floats(v) => v.len(),
            Elements::Doubles(v) => v.len(),
            Elements::Bools(v) => v.len(),
            Elements::Strings(v) => v.len(),
            Elements::Texts(v) => v.len(),
            Elements::Bytes(v) => v.len(),
            Elements::Messages(v) => v.list.len(),
        }
    }

    /// Iterates over the elements.
    pub fn iter(&self) -> ListIter<'a> {
        let at = match self.elements {
            Elements::Messages(rows) => rows.list.first,
            _ => 0,
        };
        ListIter { elements: self.elements, at, left: self.len() }
    }
}

/// Iterates over the elements of a [`List`].
#[derive(Clone)]
pub struct ListIter<'a> {
    elements: Elements<'a>,
    /// The row of the next element, or its index.
    at: u32,
    left: usize,
}

impl<'a> Iterator for ListIter<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at as usize;
        self.at += 1;
        Some(match self.elements {
            Elements::Int32s(v) => Value::Int32(*v.get(at)?),
            Elements::Int64s(v) => Value::Int64(*v.get(at)?),
            Elements::Uint32s(v) => Value::Uint32(*v.get(at)?),
            Elements::Uint64s(v) => Value::Uint64(*v.get(at)?),
            Elements::Floats(v) => Value::Float(*v.get(at)?),
            Elements::Doubles(v) => Value::Double(*v.get(at)?),
            Elements::Bools(v) => Value::Bool(*v.get(at)?),
            Elements::Strings(v) => Value::String(v.get(at)?),
            Elements::Texts(v) => Value::Text(v.get(at)?),
            Elements::Bytes(v) => Value::Bytes(v.get(at)?),
            Elements::Enums(v, values) => Value::Enum(*v.get(at)?, values),
            Elements::Messages(rows) => {
                let (message, next) = rows.at(at as u32);
                self.at = next;
                Value::Message(message)
            }
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for ListIter<'_> {}

/// The entries of a map, unique and in the order of the input: at least one.
#[derive(Clone, Copy)]
pub struct MapOf<'a> {
    entries: RowsOf<'a>,
}

impl<'a> MapOf<'a> {
    pub(crate) fn new(entries: RowsOf<'a>) -> MapOf<'a> {
        MapOf { entries }
    }

    /// Returns the number of entries.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.entries.list.len()
    }

    /// Iterates over keys and values.
    pub fn iter(&self) -> MapIter<'a> {
        MapIter { entries: List::new(Elements::Messages(self.entries)).iter() }
    }
}

/// Iterates over keys and values of a [`MapOf`].
#[derive(Clone)]
pub struct MapIter<'a> {
    entries: ListIter<'a>,
}

impl<'a> Iterator for MapIter<'a> {
    type Item = (Value<'a>, Value<'a>);

    fn next(&mut self) -> Option<(Value<'a>, Value<'a>)> {
        match self.entries.next()? {
            Value::Message(entry) => entry.entry(),
            _ => None,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl ExactSizeIterator for MapIter<'_> {}

/// Rows of one table, of any type.
#[derive(Clone, Copy)]
pub(crate) struct RowsOf<'a> {
    message: MessageOf,
    /// The row of the first one.
    first: AnyMessage<'a>,
    list: Places,
}

impl<'a> RowsOf<'a> {
    /// Returns the messages of a list, unless it is empty.
    ///
    /// # Safety
    /// The list must be one of the table of this type in these tables, filled from this input, and alive for `'a`.
    pub(super) unsafe fn new(
        message: MessageOf,
        tables: *const u8,
        input: &'a [u8],
        list: Places,
    ) -> Option<RowsOf<'a>> {
        // SAFETY: the caller's promise.
        let row = unsafe { (message.row)(tables, list.first) };
        let first = AnyMessage { row, tables, input, description: (message.description)(), marker: PhantomData };
        (!list.is_empty()).then_some(RowsOf { message, first, list })
    }

    /// Returns the message in a row, and the row after it.
    fn at(&self, at: u32) -> (AnyMessage<'a>, u32) {
        // SAFETY: the tables are those of the type (`RowsOf::new`).
        let message = AnyMessage { row: unsafe { (self.message.row)(self.first.tables, at) }, ..self.first };
        (message, message.side().after(at, message.link()))
    }
}
