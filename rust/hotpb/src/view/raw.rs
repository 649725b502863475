//! The state of every view: the bytes of the message, the rules of the decode, and the slots.

use super::scan::scan;
use super::table::Table;
use super::{DecodeOptions, valid};
use crate::wire::check::{Limits, check};
use crate::wire::{DEPTH_CEILING, MAX_SIZE};
use crate::{Code, Error};

/// The options of a decode, as they apply to one message.
#[derive(Clone, Copy)]
pub struct Rules {
    /// The largest size of the message.
    size: u32,
    /// The levels that may open below it; negative if the message itself is too deep.
    levels: i32,
    pub(super) strict: bool,
}

impl Rules {
    pub(super) fn new(options: &DecodeOptions) -> Rules {
        Rules {
            size: options.size.min(MAX_SIZE) as u32,
            levels: options.depth.min(DEPTH_CEILING) as i32,
            strict: options.strict,
        }
    }

    /// Returns the rules of a message in this one.
    #[inline(always)]
    pub(super) fn below(self) -> Rules {
        Rules { levels: self.levels - 1, ..self }
    }

    /// Returns the rules of a message without a record: it opens no level, so it is never too deep.
    pub(super) fn of_absent(self) -> Rules {
        Rules { levels: self.levels.max(0), ..self }
    }

    /// Returns the levels that may open below a message that was admitted.
    #[inline(always)]
    pub(super) fn levels(self) -> u32 {
        self.levels as u32
    }
}

/// The bytes of a message, and where its unknown fields are.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) rules: Rules,
    /// The first unknown record.
    unknown: u32,
    /// The end of the last unknown record; 0 if there is none.
    last: u32,
}

impl<'a> Raw<'a> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8], rules: Rules) -> Raw<'a> {
        Raw { bytes, rules, unknown: 0, last: 0 }
    }

    /// Reports whether the limits allow a scan of the message.
    #[inline(always)]
    pub(super) fn admitted(&self) -> bool {
        self.rules.levels >= 0 && self.bytes.len() <= self.rules.size as usize
    }

    /// Reports whether every string is checked.
    #[inline(always)]
    pub fn is_strict(&self) -> bool {
        self.rules.strict
    }

    /// Notes that the record between two positions is, or contains, an unknown field.
    pub(super) fn keep(&mut self, start: u32, end: u32) {
        if self.last == 0 {
            self.unknown = start;
        }
        self.last = end;
    }

    /// Returns the records from the first unknown one to the last.
    pub(super) fn unknown(&self) -> &'a [u8] {
        &self.bytes[self.unknown as usize..self.last as usize]
    }

    /// Returns the error of a message whose scan failed: the one that the cold decoder finds, which may lie deeper and
    /// earlier.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&self, table: &'static Table) -> Error {
        if self.rules.levels < 0 {
            return Error::new(Code::DepthExceeded, 0);
        }
        let limits = Limits {
            strict: self.rules.strict,
            depth: self.rules.levels(),
            size: self.rules.size as usize,
            elements: None,
        };
        match check(self.bytes, table.schema, &limits) {
            Err(error) => error,
            Ok(()) => unreachable!("the view refuses a message that the cold decoder accepts"),
        }
    }

    /// Checks the message with all messages in it.
    pub(super) fn validate(&self, table: &'static Table) -> Result<(), Error> {
        if self.admitted() && valid::is_valid(table, self.bytes, self.rules.levels(), self.rules.strict) {
            return Ok(());
        }
        match self.rules.levels {
            // The fast check recurses, so it leaves very deep messages to the walk that has its levels on the heap.
            levels if levels > valid::MOST_LEVELS as i32 => {
                let limits = Limits {
                    strict: self.rules.strict,
                    depth: self.rules.levels(),
                    size: self.rules.size as usize,
                    elements: None,
                };
                check(self.bytes, table.schema, &limits)
            }
            _ => Err(self.fail(table)),
        }
    }
}

/// A message that was scanned: where its fields are. A slot has as many words as its shape needs; it is all zero if the
/// field is absent, because position 0 is that of the first tag.
///
/// ```text
///   message   08 2a  12 03 66 6f 6f  1a 02 08 01  1a 00
///   int_val = 1      1          the position of the last value
///   str_val = 2      4, 3       the last payload: position and length
///   nested  = 3      7, 13, 2   the first record's tag, the end of the last record, the number of elements
/// ```
/// A oneof has three words: the number of the member that is set, and the slot of that member. A singular message has
/// two: the first record's tag, with `SPLIT` if there are several records, and the end of the last record.
#[derive(Clone)]
pub struct Level<'a, const WORDS: usize> {
    pub(super) raw: Raw<'a>,
    pub(super) slots: [u32; WORDS],
}

/// In the first word of a singular message: there are several records, which merge.
pub(super) const SPLIT: u32 = 1 << 31;

impl<'a, const WORDS: usize> Level<'a, WORDS> {
    /// Scans a message.
    #[inline]
    pub fn open(mut raw: Raw<'a>, table: &'static Table) -> Result<Self, Error> {
        let mut slots = [0; WORDS];
        if raw.admitted() && scan(table, &mut raw, &mut slots).is_some() {
            return Ok(Level { raw, slots });
        }
        Err(raw.fail(table))
    }

    /// Scans a straight message, with its own code.
    #[inline]
    pub fn open_straight(
        mut raw: Raw<'a>,
        table: &'static Table,
        scan: fn(&mut Raw<'a>, &mut [u32; WORDS]) -> Option<()>,
    ) -> Result<Self, Error> {
        let mut slots = [0; WORDS];
        if raw.admitted() && scan(&mut raw, &mut slots).is_some() {
            return Ok(Level { raw, slots });
        }
        Err(raw.fail(table))
    }

    /// Returns the message without its slots.
    #[inline]
    pub fn raw(&self) -> &Raw<'a> {
        &self.raw
    }
}
