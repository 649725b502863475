//! The scan of a straight message: a match over its tags, with the places of slots as constants. [`__view_table`] makes
//! it of a table's lines; fields that are not frequent go through the table's own code.

use super::raw::Raw;
use super::scan::{add_message, messages, pair, payload, rare, unknown};
use super::table::Table;
use crate::wire::{Cursor, Input};

/// A position in a level, and where its current record begins.
pub struct Scan<'a> {
    c: Cursor<'a>,
    input: Input<'a>,
    start: u32,
}

impl<'a> Scan<'a> {
    /// Starts at the first record.
    #[inline(always)]
    pub fn new(raw: &Raw<'a>) -> Scan<'a> {
        Scan { c: Cursor::new(raw.bytes), input: Input::new(raw.bytes), start: 0 }
    }

    /// Scans a whole message of two strings in its usual form, if it is one.
    #[inline(always)]
    pub fn pair(table: &Table, raw: &Raw<'_>, slots: &mut [u32]) -> bool {
        table.has_pair() && pair(table, raw, slots)
    }

    /// Reads the next tag; `None` at the end.
    #[inline(always)]
    pub fn tag(&mut self) -> Option<u32> {
        if self.c.at_end() {
            return None;
        }
        self.start = self.c.offset(self.input);
        Some(self.c.next_tag())
    }

    /// Scans a record that is none of the frequent ones, or unknown.
    #[inline(always)]
    pub fn record(&mut self, table: &Table, raw: &mut Raw<'_>, slots: &mut [u32], tag: u32) -> Option<()> {
        let (input, start) = (self.input, self.start);
        self.c.out_of_line(|c| uncommon(table, raw, slots, c, input, start, tag))
    }

    /// Scans a singular varint.
    #[inline(always)]
    pub fn varint(&mut self, slots: &mut [u32], slot: usize) -> Option<()> {
        slots[slot] = self.c.offset(self.input);
        self.c.pass_varint()
    }

    /// Scans a singular value of some bytes.
    #[inline(always)]
    pub fn fixed(&mut self, slots: &mut [u32], slot: usize, bytes: usize) -> Option<()> {
        slots[slot] = self.c.offset(self.input);
        self.c.pass(bytes)
    }

    /// Scans a singular string or bytes field.
    #[inline(always)]
    pub fn payload(&mut self, slots: &mut [u32], slot: usize, checked: bool) -> Option<()> {
        payload(slots, slot, checked, &mut self.c, self.input)
    }

    /// Scans a singular message.
    #[inline(always)]
    pub fn message(&mut self, slots: &mut [u32], slot: usize) -> Option<()> {
        self.c.bytes()?;
        add_message(slots.get_mut(slot..slot + 2)?, self.start, self.c.offset(self.input));
        Some(())
    }

    /// Scans the records of a repeated message.
    #[inline(always)]
    pub fn messages(&mut self, slots: &mut [u32], slot: usize, tag: u32) -> Option<()> {
        messages(slots, slot, &mut self.c, self.input, self.start, tag)
    }
}

#[inline(never)]
fn uncommon<'a>(
    table: &Table,
    raw: &mut Raw<'_>,
    slots: &mut [u32],
    c: &mut Cursor<'a>,
    input: Input<'a>,
    start: u32,
    tag: u32,
) -> Option<()> {
    match table.find(tag) {
        Some(at) => rare(&table.fields[at], raw, slots, c, input, start, tag),
        None => unknown(table, raw, c, input, start, tag),
    }
}

/// Defines the scan of a straight message, from the lines of its table.
#[doc(hidden)]
#[macro_export]
macro_rules! __view_scan {
    ([] $($table:tt)*) => {};
    ([$view:ident] $table:ident, $words:literal; $($tag:literal $slot:literal $kind:ident $shape:ident;)*) => {
        impl<'a> $view<'a> {
            #[doc(hidden)]
            #[inline]
            fn __scan(
                raw: &mut $crate::view::__rt::Raw<'a>,
                slots: &mut [u32; $words],
            ) -> ::core::option::Option<()> {
                if $crate::view::__rt::Scan::pair(&$table, raw, slots) {
                    return ::core::option::Option::Some(());
                }
                let mut scan = $crate::view::__rt::Scan::new(raw);
                while let ::core::option::Option::Some(tag) = scan.tag() {
                    match tag {
                        $($tag => $crate::__view_scan!(@$shape $kind $tag $slot scan raw slots $table),)*
                        _ => scan.record(&$table, raw, slots, tag)?,
                    }
                }
                ::core::option::Option::Some(())
            }
        }
    };
    (@Single Varint $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.varint($slots, $slot)?
    };
    (@Single Fixed32 $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.fixed($slots, $slot, 4)?
    };
    (@Single Fixed64 $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.fixed($slots, $slot, 8)?
    };
    (@Single Utf8 $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.payload($slots, $slot, true)?
    };
    (@Single Text $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.payload($slots, $slot, $raw.is_strict())?
    };
    (@Single Bytes $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.payload($slots, $slot, false)?
    };
    (@Single Message $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.message($slots, $slot)?
    };
    (@Repeated Message $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.messages($slots, $slot, $tag)?
    };
    (@$shape:ident $kind:ident $tag:literal $slot:literal $scan:ident $raw:ident $slots:ident $table:ident) => {
        $scan.record(&$table, $raw, $slots, $tag)?
    };
}
