//! Values whose conversions return one result and then another.

use super::panic_here;
use std::cell::Cell;

/// When a value changes, counted in calls from 0, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Never.
    Honest,
    /// From that call on it has another value.
    Lies(u32),
    /// It panics at that call.
    Panics(u32),
}

/// Bytes whose `as_ref` changes.
pub struct Part {
    first: Vec<u8>,
    later: Vec<u8>,
    turn: Turn,
    calls: Cell<u32>,
}

impl Part {
    /// Creates a part from its bytes, and the bytes that it changes to.
    pub fn new(first: Vec<u8>, later: Vec<u8>, turn: Turn) -> Part {
        Part { first, later, turn, calls: Cell::new(0) }
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        let call = self.calls.replace(self.calls.get() + 1);
        match self.turn {
            Turn::Panics(at) if at == call => panic_here(),
            Turn::Lies(from) if call >= from => &self.later,
            _ => &self.first,
        }
    }
}

thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// An enum whose number changes at the given call of any of them since [`Number::start`].
#[derive(Clone, Copy)]
pub struct Number {
    first: i32,
    later: i32,
    turn: Turn,
}

impl Number {
    /// Creates a number, and the number that it changes to.
    pub fn new(first: i32, later: i32, turn: Turn) -> Number {
        Number { first, later, turn }
    }

    /// Counts calls from here on.
    pub fn start() {
        CALLS.set(0);
    }
}

impl From<Number> for i32 {
    fn from(number: Number) -> i32 {
        let call = CALLS.replace(CALLS.get() + 1);
        match number.turn {
            Turn::Panics(at) if at == call => panic_here(),
            Turn::Lies(from) if call >= from => number.later,
            _ => number.first,
        }
    }
}

/// An iterator that may report a wrong length, and may panic instead of returning its last value.
pub struct Values {
    values: std::vec::IntoIter<u64>,
    hint: (usize, Option<usize>),
    panics: bool,
}

impl Values {
    /// Creates an iterator with these values, this size hint, and optionally a panic after them.
    pub fn new(values: Vec<u64>, hint: (usize, Option<usize>), panics: bool) -> Values {
        Values { values: values.into_iter(), hint, panics }
    }
}

impl Iterator for Values {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        match self.values.next() {
            None if self.panics => panic_here(),
            value => value,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hint
    }
}

impl ExactSizeIterator for Values {
    fn len(&self) -> usize {
        self.hint.0
    }
}
