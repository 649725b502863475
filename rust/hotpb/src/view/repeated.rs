//! Values: singular ones, and the elements of repeated fields of all types but messages.

use super::raw::{Level, Raw};
use super::table::{Field, Table};
use crate::wire::kind::Value;
use crate::wire::{Cursor, DEPTH_CEILING, FIXED32, FIXED64, LEN, varint_at};
use core::marker::PhantomData;

/// The accessors of generated code. `at` is the index of a field in the table of the message; a macro of the runtime
/// writes these calls.
impl<'a, const WORDS: usize> Level<'a, WORDS> {
    #[inline(always)]
    fn words<const N: usize>(&self, field: &Field) -> [u32; N] {
        let slot = field.slot as usize;
        core::array::from_fn(|i| self.slots[slot + i])
    }

    /// Returns the slot of a member of a oneof, if that member is set.
    #[inline(always)]
    fn member(&self, field: &Field) -> Option<[u32; 2]> {
        let [number, a, b] = self.words(field);
        (number == field.number()).then_some([a, b])
    }

    /// Reports whether a number, bool or enum, or a string, bytes or message field is present: the second word is that
    /// of a message.
    #[inline(always)]
    pub fn has(&self, table: &'static Table, at: usize) -> bool {
        let field = &table.fields[at];
        self.slots[field.slot as usize + field.is_message() as usize] != 0
    }

    /// Reports whether a member of a oneof is set.
    #[inline(always)]
    pub fn has_member(&self, table: &'static Table, at: usize) -> bool {
        self.member(&table.fields[at]).is_some()
    }

    /// Returns the number of the member of a oneof that is set.
    #[inline(always)]
    pub fn which(&self, slot: usize) -> u32 {
        self.slots[slot]
    }

    /// Returns the value of a singular field that is not a message.
    ///
    /// # Safety
    /// The level was opened with this table, and the field's values have the type `V`.
    #[inline(always)]
    pub unsafe fn value<V: Value>(&self, table: &'static Table, at: usize) -> Option<V::Output<'a>> {
        let field = &table.fields[at];
        if V::WIRE_TYPE == LEN {
            let [start, len] = self.words(field);
            // SAFETY: as the caller promises.
            return unsafe { self.text::<V>(start, len) }.filter(|_| start != 0);
        }
        // SAFETY: as the caller promises.
        unsafe { self.number::<V>(self.slots[field.slot as usize]) }
    }

    /// Returns the value of a member of a oneof that is not a message.
    ///
    /// # Safety
    /// As for [`Level::value`].
    #[inline(always)]
    pub unsafe fn member_value<V: Value>(&self, table: &'static Table, at: usize) -> Option<V::Output<'a>> {
        let [start, len] = self.member(&table.fields[at])?;
        // SAFETY: as the caller promises.
        unsafe { if V::WIRE_TYPE == LEN { self.text::<V>(start, len) } else { self.number::<V>(start) } }
    }

    /// Reads the payload that the scan noted.
    #[inline(always)]
    unsafe fn text<V: Value>(&self, start: u32, len: u32) -> Option<V::Output<'a>> {
        let payload = self.raw.bytes.get(start as usize..start as usize + len as usize)?;
        // SAFETY: as the caller promises: the scan has checked this payload.
        Some(unsafe { V::from_payload(payload) })
    }

    /// Reads the number that the scan noted; `None` for position 0.
    #[inline(always)]
    unsafe fn number<V: Value>(&self, position: u32) -> Option<V::Output<'a>> {
        if position == 0 {
            return None;
        }
        V::get(&mut Cursor::new(self.raw.bytes.get(position as usize..)?))
    }

    /// Returns the elements of a repeated field.
    ///
    /// # Safety
    /// As for [`Level::value`].
    #[inline(always)]
    pub unsafe fn repeated<V: Value>(&self, table: &'static Table, at: usize) -> Repeated<'a, V> {
        let field = &table.fields[at];
        Repeated::new(&self.raw, field, self.words(field))
    }

    /// Returns the message of a singular field.
    #[inline(always)]
    pub fn message<V: super::View>(&self, table: &'static Table, at: usize) -> Option<super::Message<'a, V>> {
        let field = &table.fields[at];
        let words: [u32; 2] = self.words(field);
        (words[1] != 0).then(|| super::Message::in_slot(&self.raw, field, words))
    }

    /// Returns the message of a member of a oneof.
    #[inline(always)]
    pub fn member_message<V: super::View>(&self, table: &'static Table, at: usize) -> Option<super::Message<'a, V>> {
        let field = &table.fields[at];
        Some(super::Message::in_slot(&self.raw, field, self.member(field)?))
    }

    /// Returns the elements of a repeated message field.
    #[inline(always)]
    pub fn messages<V: super::View>(&self, table: &'static Table, at: usize) -> super::Messages<'a, V> {
        let field = &table.fields[at];
        super::Messages::new(&self.raw, field, self.words(field))
    }

    /// Returns the entries of a map.
    ///
    /// # Safety
    /// As for [`Level::value`], for key and value.
    #[inline(always)]
    pub unsafe fn map<K: super::MapKey, V: super::MapValue>(
        &self,
        table: &'static Table,
        at: usize,
    ) -> super::Map<'a, K, V> {
        let field = &table.fields[at];
        super::Map::new(&self.raw, field, self.words(field))
    }

    /// Returns the unknown fields.
    #[inline]
    pub fn unknown(&self, table: &'static Table) -> super::UnknownFields<'a> {
        super::UnknownFields::new(&self.raw, table)
    }

    /// Returns the bytes of the message.
    #[inline(always)]
    pub fn bytes(&self) -> &'a [u8] {
        self.raw.bytes
    }

    /// Returns where the value of a singular field is.
    pub fn place<V: Value>(&self, table: &'static Table, at: usize) -> super::Place<V> {
        let field = &table.fields[at];
        let words = match field.is_member() {
            true => self.member(field),
            false if V::WIRE_TYPE == LEN => Some(self.words(field)),
            false => Some([self.slots[field.slot as usize], 0]),
        };
        super::Place::new(&self.raw, field, words)
    }

    /// Returns where an element of a repeated field is.
    pub fn place_at<V: Value>(&self, table: &'static Table, at: usize, index: usize) -> super::Place<V> {
        let field = &table.fields[at];
        let mut elements = Repeated::<V>::new(&self.raw, field, self.words(field));
        super::Place::element(&self.raw, field, elements.find(index))
    }
}

/// The elements of a repeated field, in order: packed, unpacked or mixed. It is itself the iterator over them; a copy
/// keeps its position.
pub struct Repeated<'a, V> {
    /// The rest of the current record; for strings and bytes, of all records.
    cursor: Cursor<'a>,
    /// The records after the current one.
    rest: Cursor<'a>,
    number: u32,
    left: u32,
    closed: Option<fn(i32) -> bool>,
    marker: PhantomData<V>,
}

impl<V> Clone for Repeated<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Repeated<'_, V> {}

impl<'a, V: Value> Repeated<'a, V> {
    #[inline(always)]
    pub(super) fn new(raw: &Raw<'a>, field: &Field, [first, end, count]: [u32; 3]) -> Self {
        Repeated {
            cursor: Cursor::new(&[]),
            rest: Cursor::new(&raw.bytes[first as usize..end as usize]),
            number: field.number(),
            left: count,
            closed: field.closed,
            marker: PhantomData,
        }
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.left as usize
    }

    /// Reports whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Returns the element with an index: in one step within a packed record whose elements have a fixed width, else
    /// by a walk over those before it.
    #[inline]
    pub fn get(&self, index: usize) -> Option<V::Output<'a>> {
        let mut ahead = *self;
        ahead.pass(index)?;
        ahead.next()
    }

    /// Iterates over all elements in order: this is a copy.
    #[inline]
    pub fn iter(&self) -> Repeated<'a, V> {
        *self
    }

    /// Returns the bytes from an element on.
    pub(super) fn find(&mut self, index: usize) -> Option<&'a [u8]> {
        self.pass(index)?;
        self.left = self.left.checked_sub(1)?;
        loop {
            self.record()?;
            let mut ahead = self.cursor;
            if V::WIRE_TYPE == LEN || self.defines(&mut ahead) {
                return Some(self.cursor.remaining());
            }
            self.cursor = ahead;
        }
    }

    /// Reads a number, and reports whether the field accepts it.
    #[inline(always)]
    fn defines(&self, c: &mut Cursor<'a>) -> bool {
        match self.closed {
            Some(defined) => c.varint().is_some_and(|value| defined(value as i32)),
            None => true,
        }
    }

    /// Moves to the next record if the current one has no more elements.
    #[inline(always)]
    fn record(&mut self) -> Option<()> {
        if self.cursor.at_end() { self.next_record() } else { Some(()) }
    }

    #[inline(never)]
    fn next_record(&mut self) -> Option<()> {
        while self.cursor.at_end() {
            let tag = self.rest.tag()?;
            if tag >> 3 == self.number {
                if tag & 7 == LEN {
                    if V::WIRE_TYPE == LEN {
                        let before = self.rest;
                        self.rest.bytes()?;
                        self.cursor = before.up_to(&self.rest);
                        return Some(());
                    }
                    self.cursor = self.rest.inner()?;
                    continue;
                }
                if tag & 7 == V::WIRE_TYPE {
                    let before = self.rest;
                    self.rest.skip(tag, DEPTH_CEILING)?;
                    self.cursor = before.up_to(&self.rest);
                    return Some(());
                }
            }
            self.rest.skip(tag, DEPTH_CEILING)?;
        }
        Some(())
    }

    /// Skips elements; `None` if there are not that many.
    fn pass(&mut self, count: usize) -> Option<()> {
        if count > self.left as usize {
            return None;
        }
        let width = match V::WIRE_TYPE {
            FIXED32 => 4,
            FIXED64 => 8,
            _ => 0,
        };
        let mut more = count;
        while more != 0 {
            if width == 0 {
                self.next()?;
                more -= 1;
                continue;
            }
            self.record()?;
            let step = more.min(self.cursor.left() / width);
            self.cursor.pass(step * width)?;
            self.left -= step as u32;
            more -= step;
        }
        Some(())
    }
}

impl<'a, V: Value> Iterator for Repeated<'a, V> {
    type Item = V::Output<'a>;

    #[inline]
    fn next(&mut self) -> Option<V::Output<'a>> {
        self.left = self.left.checked_sub(1)?;
        loop {
            self.record()?;
            let mut ahead = self.cursor;
            // SAFETY: the scan has checked all elements of the field, and only `Level::repeated`, whose caller promises
            // that `V` is the type of the field, creates this iterator.
            let value = unsafe { V::trust(&mut self.cursor) }?;
            if self.defines(&mut ahead) {
                return Some(value);
            }
        }
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<V::Output<'a>> {
        if self.pass(n).is_none() {
            self.left = 0;
        }
        self.next()
    }

    /// Reads a packed record as a whole.
    #[inline]
    fn fold<B, F: FnMut(B, V::Output<'a>) -> B>(mut self, init: B, mut add: F) -> B {
        let mut sum = init;
        if V::WIRE_TYPE == LEN || self.closed.is_some() {
            for value in self {
                sum = add(sum, value);
            }
            return sum;
        }
        while self.left != 0 && self.record().is_some() {
            let bytes = self.cursor.remaining();
            match V::WIRE_TYPE {
                FIXED32 => {
                    for value in bytes.chunks_exact(4) {
                        sum = add(sum, V::from_number(u32::from_le_bytes(value.try_into().unwrap_or_default()) as u64));
                    }
                }
                FIXED64 => {
                    for value in bytes.chunks_exact(8) {
                        sum = add(sum, V::from_number(u64::from_le_bytes(value.try_into().unwrap_or_default())));
                    }
                }
                _ => {
                    let (ahead, mut at) = (self.cursor.ahead(), 0);
                    // The scan has checked that all of them are whole.
                    while let Some((value, len)) = varint_at(ahead, at, bytes.len()) {
                        sum = add(sum, V::from_number(value));
                        at += len;
                    }
                }
            }
            self.cursor = Cursor::new(&[]);
        }
        sum
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl<V: Value> ExactSizeIterator for Repeated<'_, V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::kind::{Bytes, Double, Fixed32, Int32, Sint64, Uint64};
    use crate::wire::{append_bytes, append_tag, append_varint};
    use alloc::vec::Vec;

    /// Compares the results of `fold` with those of `next`, from each element on.
    fn compare<V: Value>(bits: &[u64], closed: Option<fn(i32) -> bool>)
    where
        for<'a> V::Output<'a>: PartialEq + core::fmt::Debug,
    {
        // Records of 0, 1, 2, … elements, every third one unpacked; between them other fields.
        let (mut bytes, mut rest, mut records) = (Vec::new(), bits, 0);
        while !rest.is_empty() {
            let (some, more) = rest.split_at((records % 40).min(rest.len()));
            append_tag(&mut bytes, 9, crate::wire::VARINT);
            append_varint(&mut bytes, 1 << 40);
            let mut packed = Vec::new();
            for &bits in some {
                if records % 3 == 0 || V::WIRE_TYPE == LEN {
                    append_tag(&mut bytes, 7, V::WIRE_TYPE);
                    put::<V>(&mut bytes, bits);
                } else {
                    put::<V>(&mut packed, bits);
                }
            }
            if !packed.is_empty() || records % 5 == 0 && V::WIRE_TYPE != LEN {
                append_tag(&mut bytes, 7, LEN);
                append_bytes(&mut bytes, &packed);
            }
            (rest, records) = (more, records + 1);
        }
        let left = bits.iter().filter(|&&bits| closed.is_none_or(|defined| defined(bits as i32))).count() as u32;
        let rest = Cursor::new(&bytes);
        let mut elements: Repeated<'_, V> =
            Repeated { cursor: Cursor::new(&[]), rest, number: 7, left, closed, marker: PhantomData };
        loop {
            let mut want = Vec::new();
            for value in elements {
                want.push(value);
            }
            let folded = elements.fold(Vec::new(), |mut all, value| {
                all.push(value);
                all
            });
            assert_eq!((folded.len(), &folded), (elements.len(), &want));
            if elements.next().is_none() {
                return;
            }
        }
    }

    fn put<V: Value>(out: &mut Vec<u8>, bits: u64) {
        match V::WIRE_TYPE {
            FIXED32 => out.extend((bits as u32).to_le_bytes()),
            FIXED64 => out.extend(bits.to_le_bytes()),
            LEN => append_bytes(out, &bits.to_le_bytes()[..bits as usize % 8]),
            _ => append_varint(out, bits),
        }
    }

    #[test]
    fn elements_that_are_read_together_are_those_that_are_read_one_by_one() {
        for count in [0, 1, 3, 90, if cfg!(miri) { 91 } else { 500 }] {
            let bits: Vec<u64> =
                (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i * 7 % 64)).collect();
            compare::<Int32>(&bits, None);
            compare::<Uint64>(&bits, None);
            compare::<Sint64>(&bits, None);
            compare::<Fixed32>(&bits, None);
            compare::<Bytes>(&bits, None);
            compare::<Int32>(&bits, Some(|value| value % 2 == 0));
            let numbers: Vec<u64> = bits.iter().map(|&bits| ((bits % 1000) as f64).to_bits()).collect();
            compare::<Double>(&numbers, None);
        }
    }
}
