//! [`Records`]: a visitor receives message fields as the records of a run, and visits, passes or leaves each of them.

use super::Decoder;
use super::visit::{Flow, Ignore, Stop, VisitWith};
use crate::wire::{Cursor, END_GROUP, LEN, Range, START_GROUP, is_ascii};
use core::convert::Infallible;
use core::marker::PhantomData;

/// The records of a message field: a run of adjacent records. Records that the visitor leaves are checked afterwards. `M` is
/// the handle with the lifetime `'static`, as in `Records<'a, '_, Label<'static>>` ([example](crate::guide#visit-no-tables-at-all)).
pub struct Records<'a, 'd, M> {
    d: &'d mut Decoder<'a>,
    /// At first after the first tag, then after the latest record.
    cursor: Cursor<'a>,
    tag: u32,
    /// The offset of the first record's tag.
    start: u32,
    place: Place,
    /// The latest record, until it is visited.
    pending: Option<Cursor<'a>>,
    /// After the last record of the run, if its end was looked for.
    end: Option<Cursor<'a>>,
    marker: PhantomData<fn() -> M>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// After the first tag.
    First,
    /// After a record of the run.
    Run,
    /// In a map entry, between other records.
    Entry,
    /// After the last record.
    End,
}

impl<'a, 'd, M: VisitWith<'a, Ignore, Error = Infallible>> Records<'a, 'd, M> {
    /// Creates the run that starts with a tag, which is just before the cursor.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(d: &'d mut Decoder<'a>, cursor: Cursor<'a>, start: u32, tag: u32) -> Self {
        Records { d, cursor, tag, start, place: Place::First, pending: None, end: None, marker: PhantomData }
    }

    /// Creates the values of a map entry.
    #[doc(hidden)]
    pub fn of_entry(d: &'d mut Decoder<'a>, entry: Range<'a>, tag: u32) -> Self {
        let (cursor, start) = (d.open(entry), d.start_of(entry));
        Records { d, cursor, tag, start, place: Place::Entry, pending: None, end: None, marker: PhantomData }
    }

    /// Returns the next record; `None` after the last one, and after an error.
    #[inline(always)]
    pub fn next_record(&mut self) -> Option<Record<'a, '_, M>> {
        self.settle();
        self.look_ahead();
        if self.d.malformed || !self.find() {
            return None;
        }
        self.pending = payload(&mut self.cursor, self.d, self.tag);
        match self.pending {
            Some(record) => Some(Record { d: self.d, record, pending: &mut self.pending, marker: PhantomData }),
            None => {
                self.d.malformed = true;
                None
            }
        }
    }

    /// Visits all records with one visitor.
    #[inline(always)]
    pub fn visit<V: ?Sized>(&mut self, visitor: &mut V) -> Flow<<M as VisitWith<'a, V>>::Error>
    where
        M: VisitWith<'a, V>,
    {
        self.visit_each(visitor, |_| Ok(()))
    }

    /// Visits all records with one visitor, after a call of `begin` for each of them, which for example adds a row that the
    /// visitor's methods then fill. It is faster than [`Records::next_record`], because it knows that all are visited.
    #[inline(always)]
    pub fn visit_each<V: ?Sized>(
        &mut self,
        visitor: &mut V,
        mut begin: impl FnMut(&mut V) -> Flow<<M as VisitWith<'a, V>>::Error>,
    ) -> Flow<<M as VisitWith<'a, V>>::Error>
    where
        M: VisitWith<'a, V>,
    {
        if self.place == Place::First && self.tag & 7 == LEN {
            if self.visit_pairs(visitor, &mut begin)? {
                self.look_ahead();
                return self.visit_run(visitor, &mut begin);
            }
            return Ok(());
        }
        while let Some(record) = self.next_record() {
            begin(visitor)?;
            record.visit(visitor)?;
        }
        if self.d.malformed { Err(Stop::malformed()) } else { Ok(()) }
    }

    /// Visits the records at the start of the run that are pairs of ASCII strings: one comparison of their bytes checks
    /// them all. Returns whether another record follows; its tag has been read. In unoptimised builds its variables take no
    /// room on the stack while messages nest in each other.
    #[inline]
    fn visit_pairs<V: ?Sized>(
        &mut self,
        visitor: &mut V,
        begin: &mut impl FnMut(&mut V) -> Flow<<M as VisitWith<'a, V>>::Error>,
    ) -> Result<bool, Stop<<M as VisitWith<'a, V>>::Error>>
    where
        M: VisitWith<'a, V>,
    {
        let Some(tags) = <M as VisitWith<'a, V>>::PAIR.filter(|_| self.tag < 0x80 && self.d.depth() > 0) else {
            return Ok(true);
        };
        let (mut cursor, mut end) = (self.cursor, self.cursor);
        let run = end.pass_pairs(self.tag as u8, tags);
        if run.is_empty() || !is_ascii(run) {
            return Ok(true);
        }
        while let Some((a, b)) = cursor.passed_pair() {
            // SAFETY: both are parts of `run`, which is ASCII.
            let (a, b) = unsafe { (core::str::from_utf8_unchecked(a), core::str::from_utf8_unchecked(b)) };
            let done = begin(visitor).and_then(|()| M::visit_pair(visitor, a, b));
            if done.is_err() {
                self.d.malformed |= matches!(done, Err(Stop(None)));
                (self.cursor, self.place) = (cursor, Place::Run);
                return done.map(|()| false);
            }
            if cursor.left() == end.left() {
                break;
            }
            let _ = cursor.pass(1);
        }
        let more = eat(&mut end, self.tag);
        (self.cursor, self.place) = (end, if more { Place::First } else { Place::End });
        Ok(more)
    }

    /// Does the same for a whole run, with the cursor in registers.
    #[inline(always)]
    fn visit_run<V: ?Sized>(
        &mut self,
        visitor: &mut V,
        begin: &mut impl FnMut(&mut V) -> Flow<<M as VisitWith<'a, V>>::Error>,
    ) -> Flow<<M as VisitWith<'a, V>>::Error>
    where
        M: VisitWith<'a, V>,
    {
        let mut cursor = self.cursor;
        loop {
            let Some(record) = cursor.inner() else {
                self.d.malformed = true;
                return Err(Stop::malformed());
            };
            let done = match begin(visitor) {
                Ok(()) => enter::<M, V>(visitor, self.d, record),
                stopped => stopped,
            };
            if done.is_err() {
                (self.cursor, self.place, self.pending) = (cursor, Place::Run, Some(record));
                return done;
            }
            if !eat(&mut cursor, self.tag) {
                (self.cursor, self.place) = (cursor, Place::End);
                return Ok(());
            }
        }
    }

    /// Before the first record of a run of flat messages: checks whether all of its text is ASCII.
    #[inline(always)]
    fn look_ahead(&mut self) {
        if M::FLAT && self.place == Place::First && self.tag & 7 == LEN {
            if let Some(end) = self.run_end() {
                self.d.plain_text(self.cursor, end);
            }
        }
    }

    /// Returns the position after the last record of the run; `None` if a record is malformed.
    #[inline(always)]
    fn run_end(&mut self) -> Option<Cursor<'a>> {
        if self.end.is_none() {
            self.end = Some(run_end(self.cursor, self.tag, self.place == Place::First, self.d.depth())?);
        }
        self.end
    }

    /// Returns the offset of the next record's tag in the input; in a map entry, that of the entry.
    pub fn offset(&self) -> usize {
        (if self.place == Place::First { self.start } else { self.d.at(&self.cursor) }) as usize
    }

    /// Returns the bytes of all remaining records of the run, including their tags. They can be the key of a cache:
    /// records that were visited before need no second visit ([`Records::pass_trusted`]). Returns `None` in map
    /// entries, and if a record is malformed, which the check after the visitor reports.
    #[inline(always)]
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let from = match self.place {
            Place::First => self.start,
            Place::Run => self.d.at(&self.cursor),
            _ => return None,
        };
        let end = self.run_end()?;
        self.d.input().bytes().get(from as usize..self.d.at(&end) as usize)
    }

    /// Passes the remaining records without looking inside; it checks only that they are well-formed. Use it for
    /// [`Records::bytes`] that are equal, byte for byte, to records that were visited before, on the same level and
    /// without an error: it does not find errors inside other records. After `bytes` it costs next to nothing.
    #[inline(always)]
    pub fn pass_trusted(&mut self) {
        self.pending = None;
        if self.place != Place::Entry {
            match self.run_end() {
                Some(end) => (self.cursor, self.place) = (end, Place::End),
                None => self.d.malformed = true,
            }
            return;
        }
        while !self.d.malformed && self.find() {
            if payload(&mut self.cursor, self.d, self.tag).is_none() {
                self.d.malformed = true;
            }
        }
    }

    /// Checks the remaining records, and returns the position after them.
    #[doc(hidden)]
    #[inline(always)]
    pub fn finish<E>(mut self) -> Result<Cursor<'a>, Stop<E>> {
        if self.place != Place::End || self.pending.is_some() {
            self.check_rest();
        }
        if self.d.malformed { Err(Stop::malformed()) } else { Ok(self.cursor) }
    }

    fn check_rest(&mut self) {
        // If no record was returned yet, check all at once.
        if self.place == Place::First {
            let _ = self.visit(&mut Ignore);
        }
        while self.next_record().is_some() {}
    }

    /// Checks the latest record, unless it was visited.
    #[inline(always)]
    fn settle(&mut self) {
        // After an error the visit is rejected anyway: checking again on each level would double the work with each
        // level.
        if let Some(record) = self.pending.take().filter(|_| !self.d.malformed) {
            left::<M>(self.d, record);
        }
    }

    /// Moves after the field's next tag.
    #[inline(always)]
    fn find(&mut self) -> bool {
        let found = match self.place {
            Place::First => true,
            Place::Run => eat(&mut self.cursor, self.tag),
            Place::Entry => loop {
                match self.cursor.tag() {
                    Some(tag) if tag == self.tag => break true,
                    // The entry has already been walked.
                    Some(tag) if self.cursor.skip(tag, self.d.depth()).is_some() => {}
                    _ => break false,
                }
            },
            Place::End => false,
        };
        self.place = match self.place {
            _ if !found => Place::End,
            Place::First => Place::Run,
            place => place,
        };
        found
    }
}

/// Moves over a tag if it comes next.
#[inline(always)]
fn eat(cursor: &mut Cursor<'_>, tag: u32) -> bool {
    let mut ahead = *cursor;
    let found = !ahead.at_end() && ahead.next_tag() == tag;
    if found {
        *cursor = ahead;
    }
    found
}

/// Moves over a run of records, from after the first tag or after a record of the run.
#[inline(always)]
fn run_end(mut cursor: Cursor<'_>, tag: u32, behind_tag: bool, depth: u32) -> Option<Cursor<'_>> {
    if !behind_tag && !eat(&mut cursor, tag) {
        return Some(cursor);
    }
    loop {
        if tag & 7 == LEN {
            cursor.range()?;
        } else {
            cursor.skip(tag, depth)?;
        }
        if !eat(&mut cursor, tag) {
            return Some(cursor);
        }
    }
}

/// Returns a message's records, from after its tag: the payload, or the inside of a group.
#[inline(always)]
fn payload<'a>(cursor: &mut Cursor<'a>, d: &Decoder<'a>, tag: u32) -> Option<Cursor<'a>> {
    if tag & 7 == START_GROUP { cursor.out_of_line(|c| group(c, d, tag)) } else { cursor.inner() }
}

#[cold]
fn group<'a>(cursor: &mut Cursor<'a>, d: &Decoder<'a>, tag: u32) -> Option<Cursor<'a>> {
    let start = d.at(cursor);
    let depth = d.depth().checked_sub(1)?;
    loop {
        let end = d.at(cursor);
        let inner = cursor.tag()?;
        if inner & 7 == END_GROUP {
            let range = d.input().part(start as usize, end as usize).filter(|_| inner >> 3 == tag >> 3);
            return range.map(|range| d.open(range));
        }
        cursor.skip(inner, depth)?;
    }
}

/// Checks a record that was returned and not visited.
#[inline(never)]
fn left<'a, M: VisitWith<'a, Ignore>>(d: &mut Decoder<'a>, record: Cursor<'a>) {
    // The decoder records the error.
    let _ = enter::<M, Ignore>(&mut Ignore, d, record);
}

/// Visits a message one level down.
#[inline(always)]
fn enter<'a, M: VisitWith<'a, V>, V: ?Sized>(v: &mut V, d: &mut Decoder<'a>, record: Cursor<'a>) -> Flow<M::Error> {
    let inside = Inside::new(d);
    let entered = if M::RECURSIVE { inside.d.enter_again(|d| d.at(&record)) } else { inside.d.enter() };
    let done = match entered {
        Some(()) => M::visit(v, inside.d, record),
        None => Err(Stop::malformed()),
    };
    if let Err(Stop(None)) = done {
        // Also if the visitor discards the error.
        inside.d.malformed = true;
    }
    drop(inside);
    done
}

/// Guards a decoder: dropping it restores the level, even if the visitor panics.
struct Inside<'d, 'a> {
    d: &'d mut Decoder<'a>,
    depth: u32,
}

impl<'d, 'a> Inside<'d, 'a> {
    #[inline(always)]
    fn new(d: &'d mut Decoder<'a>) -> Self {
        let depth = d.depth();
        Inside { d, depth }
    }
}

impl Drop for Inside<'_, '_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.d.back_to(self.depth);
    }
}

/// One record of a message field.
pub struct Record<'a, 'r, M> {
    d: &'r mut Decoder<'a>,
    record: Cursor<'a>,
    pending: &'r mut Option<Cursor<'a>>,
    marker: PhantomData<fn() -> M>,
}

impl<'a, M> Record<'a, '_, M> {
    /// Returns the offset of the message's bytes in the input.
    pub fn offset(&self) -> usize {
        self.d.at(&self.record) as usize
    }

    /// Returns the message's bytes, not yet checked.
    pub fn bytes(&self) -> &'a [u8] {
        self.record.remaining()
    }

    /// Visits the message.
    #[inline(always)]
    pub fn visit<V: ?Sized>(self, visitor: &mut V) -> Flow<M::Error>
    where
        M: VisitWith<'a, V>,
    {
        let done = enter::<M, V>(visitor, self.d, self.record);
        // A record that was not visited to its end is checked later, if the visit continues.
        *self.pending = done.is_err().then_some(self.record);
        done
    }

    /// Passes the record without looking inside; see [`Records::pass_trusted`].
    pub fn pass_trusted(self) {
        *self.pending = None;
    }
}

impl<M> core::fmt::Debug for Records<'_, '_, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Records of field {}", self.tag >> 3)
    }
}

impl<M> core::fmt::Debug for Record<'_, '_, M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Record of {} bytes", self.record.left())
    }
}
