//! Repeated scalars: each field of each message is one contiguous run, in a table per Rust type.

use super::{Decoder, Memory, value};
use crate::wire::{Cursor, Range, Span, each_varint, is_ascii};
use alloc::vec::Vec;

/// The position of the elements of one repeated field.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    start: u32,
    pub(super) len: u32,
    /// The reserved length, if the run had to move: elements `len..cap` are free. 0 if it never moved.
    cap: u32,
}

impl Run {
    /// No elements.
    pub const EMPTY: Run = Run { start: 0, len: 0, cap: 0 };

    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Reports whether there are no elements.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn end(self) -> usize {
        self.start as usize + self.len as usize
    }
}

/// The elements of a builder's repeated field, to which those of packed records are added, as to [`Runs`].
#[allow(missing_debug_implementations)]
pub struct VecElements<'v, T>(pub &'v mut Vec<T>);

impl<T> VecElements<'_, T> {
    /// Adds the elements of a packed record of varints.
    pub fn packed_varint<'a>(
        self,
        d: &mut Decoder<'a>,
        _run: &mut (),
        range: Range<'a>,
        convert: impl Fn(u64) -> T,
    ) -> Option<()> {
        let cursor = d.open(range);
        let bytes = cursor.remaining();
        let n = value::count_varints(bytes);
        d.take(n, n, size_of::<T>(), d.at(&cursor))?;
        self.0.reserve(n);
        if n == bytes.len() {
            // All varints have one byte.
            self.0.extend(bytes.iter().map(|&byte| convert(byte as u64)));
            return Some(());
        }
        let (slots, mut len) = (self.0.spare_capacity_mut(), 0);
        let stop = each_varint(cursor.ahead(), 0, bytes.len(), |value| {
            slots.get_mut(len)?.write(convert(value));
            len += 1;
            Some(())
        });
        // SAFETY: the first `len` slots of the spare capacity are written.
        unsafe { self.0.set_len(self.0.len() + len) };
        (stop == bytes.len()).then_some(())
    }

    /// Adds the elements of a packed record of 4- or 8-byte values.
    pub fn packed_fixed<'a, const N: usize>(
        self,
        d: &mut Decoder<'a>,
        _run: &mut (),
        range: Range<'a>,
        convert: impl Fn([u8; N]) -> T,
    ) -> Option<()> {
        let cursor = d.open(range);
        let chunks = cursor.remaining().chunks_exact(N);
        if !chunks.remainder().is_empty() {
            return None;
        }
        d.take(chunks.len(), chunks.len(), size_of::<T>(), d.at(&cursor))?;
        self.0.extend(chunks.map(|chunk| convert(chunk.try_into().unwrap_or([0; N]))));
        Some(())
    }
}

/// The elements of one type.
pub struct Runs<T> {
    data: Vec<T>,
    /// The number of elements for which memory is charged, so that they may be added: at most the capacity.
    paid: usize,
}

impl<T> Default for Runs<T> {
    fn default() -> Runs<T> {
        Runs { data: Vec::new(), paid: 0 }
    }
}

impl<T: Copy + Default> Runs<T> {
    /// Removes all elements and keeps their memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.data.clear();
        self.paid = 0;
    }

    /// Returns the elements of a run.
    #[inline(always)]
    pub fn get(&self, run: Run) -> &[T] {
        self.data.get(run.start as usize..run.end()).unwrap_or(&[])
    }

    /// Adds an element to a run.
    #[inline(always)]
    pub fn push(&mut self, d: &mut Decoder<'_>, anchor: u32, run: &mut Run, value: T) -> Option<()> {
        if run.len != 0 && run.end() == self.data.len() && self.data.len() < self.paid {
            self.data.push(value);
            run.len += 1;
            return Some(());
        }
        self.room(d, anchor, run, 1)?[0] = value;
        Some(())
    }

    /// Extends a run by `n` elements and returns them to be filled. A run that is not the last one of the table moves
    /// to the end, with room to double: adding elements one by one costs O(1) each.
    #[inline(never)]
    fn room(&mut self, d: &mut Decoder<'_>, anchor: u32, run: &mut Run, n: usize) -> Option<&mut [T]> {
        if run.len == 0 && run.cap == 0 {
            run.start = self.data.len() as u32;
        }
        let (start, len) = (run.start as usize, run.len as usize);
        if run.end() == self.data.len() {
            self.pay(d, anchor, n)?;
            self.data.resize(start + len + n, T::default());
        } else if len + n > run.cap as usize {
            let cap = (2 * len).max(len + n).max(4);
            self.pay(d, anchor, cap)?;
            run.start = self.data.len() as u32;
            run.cap = cap as u32;
            self.data.extend_from_within(start..start + len);
            self.data.resize(run.start as usize + cap, T::default());
        }
        let from = run.end();
        run.len += n as u32;
        Some(&mut self.data[from..from + n])
    }

    /// Charges and allocates memory for `n` more elements.
    fn pay(&mut self, d: &mut Decoder<'_>, anchor: u32, n: usize) -> Option<()> {
        self.pay_behind(d, anchor, self.data.len(), n)
    }

    /// Does the same for `n` elements after the first `len`, some of which may exist already.
    fn pay_behind(&mut self, d: &mut Decoder<'_>, anchor: u32, len: usize, n: usize) -> Option<()> {
        let missing = (len + n).saturating_sub(self.paid);
        if missing > 0 {
            let size = core::mem::size_of::<T>();
            let most = (u32::MAX as usize).saturating_sub(self.paid);
            // Positions in runs have 32 bits.
            let most = if missing > most { 0 } else { usize::MAX };
            let want = missing.max(len / 8).max(256 / size);
            let granted = d.take(missing, want, size, anchor).filter(|_| most > 0)?;
            self.paid += granted;
            self.data.reserve(self.paid.saturating_sub(self.data.len()));
        }
        Some(())
    }

    /// Reports whether elements that are added to a run go to the end of the table.
    #[inline(always)]
    fn appends(&self, run: Run) -> bool {
        run.len == 0 && run.cap == 0 || run.end() == self.data.len()
    }

    /// Adds elements, for which memory is charged, to a run at the end of the table.
    #[inline(always)]
    fn extend(&mut self, run: &mut Run, elements: impl ExactSizeIterator<Item = T>) {
        if run.len == 0 {
            run.start = self.data.len() as u32;
        }
        run.len += elements.len() as u32;
        self.data.extend(elements);
    }

    /// Adds the elements of a packed record of varints.
    pub fn packed_varint<'a>(
        &mut self,
        d: &mut Decoder<'a>,
        run: &mut Run,
        range: Range<'a>,
        convert: impl Fn(u64) -> T,
    ) -> Option<()> {
        let cursor = d.open(range);
        let (anchor, bytes) = (d.at(&cursor), cursor.remaining());
        let appends = self.appends(*run);
        if appends && is_ascii(bytes) {
            // All varints have one byte.
            self.pay(d, anchor, bytes.len())?;
            self.extend(run, bytes.iter().map(|&byte| convert(byte as u64)));
            return Some(());
        }
        let end = bytes.len();
        if !appends {
            let n = value::count_varints(bytes);
            let room = if n > 0 { self.room(d, anchor, run, n)? } else { &mut [] };
            let mut slots = room.iter_mut();
            let stop = each_varint(cursor.ahead(), 0, end, |value| {
                *slots.next()? = convert(value);
                Some(())
            });
            return (stop == end).then_some(());
        }
        let (start, mut stop) = (self.data.len(), 0);
        // First read as many as there is room for. If some remain, count them, make room for all, and read the rest.
        for _ in 0..2 {
            let (slots, mut len) = (self.data.spare_capacity_mut(), 0);
            stop = each_varint(cursor.ahead(), stop, end, |value| {
                slots.get_mut(len)?.write(convert(value));
                len += 1;
                Some(())
            });
            // SAFETY: the first `len` slots of the spare capacity are written.
            unsafe { self.data.set_len(self.data.len() + len) };
            // Memory is charged for all elements, even after a malformed one: the error must not depend on the room.
            let left = bytes.get(stop..).map_or(0, value::count_varints);
            let n = self.data.len() - start + left - (stop > end) as usize;
            self.pay_behind(d, anchor, start, n)?;
            if left == 0 {
                break;
            }
        }
        if stop != end {
            return None;
        }
        let len = self.data.len() - start;
        if run.len == 0 {
            run.start = start as u32;
        }
        run.len += len as u32;
        Some(())
    }

    /// Adds the elements of a packed record of 4- or 8-byte values.
    pub fn packed_fixed<'a, const N: usize>(
        &mut self,
        d: &mut Decoder<'a>,
        run: &mut Run,
        range: Range<'a>,
        convert: impl Fn([u8; N]) -> T,
    ) -> Option<()> {
        let cursor: Cursor<'a> = d.open(range);
        let chunks = cursor.remaining().chunks_exact(N);
        if !chunks.remainder().is_empty() {
            return None;
        }
        let anchor = d.at(&cursor);
        let value = |chunk: &[u8]| convert(chunk.try_into().unwrap_or([0; N]));
        if self.appends(*run) {
            self.pay(d, anchor, chunks.len())?;
            self.extend(run, chunks.map(value));
        } else if chunks.len() > 0 {
            let room = self.room(d, anchor, run, chunks.len())?;
            room.iter_mut().zip(chunks).for_each(|(slot, chunk)| *slot = value(chunk));
        }
        Some(())
    }
}

/// The tables of all scalar types of a generated unit.
#[derive(Default)]
#[allow(missing_docs)]
pub struct Scalars {
    pub i32s: Runs<i32>,
    pub u32s: Runs<u32>,
    pub i64s: Runs<i64>,
    pub u64s: Runs<u64>,
    pub f32s: Runs<f32>,
    pub f64s: Runs<f64>,
    pub bools: Runs<bool>,
    pub spans: Runs<Span>,
}

impl<T: Copy + Default> Memory for Runs<T> {
    fn bytes(&self) -> usize {
        self.data.bytes()
    }
    fn shrink(&mut self, keep: usize, total: usize) {
        self.clear();
        self.data.shrink(keep, total);
    }
}

impl Memory for Scalars {
    fn bytes(&self) -> usize {
        let Scalars { i32s, u32s, i64s, u64s, f32s, f64s, bools, spans } = self;
        let all: [&dyn Memory; 8] = [i32s, u32s, i64s, u64s, f32s, f64s, bools, spans];
        all.iter().map(|m| m.bytes()).sum()
    }
    fn shrink(&mut self, keep: usize, total: usize) {
        let Scalars { i32s, u32s, i64s, u64s, f32s, f64s, bools, spans } = self;
        let all: [&mut dyn Memory; 8] = [i32s, u32s, i64s, u64s, f32s, f64s, bools, spans];
        all.into_iter().for_each(|m| m.shrink(keep, total));
    }
}

impl Scalars {
    /// Removes all elements and keeps their memory.
    pub fn clear(&mut self) {
        self.i32s.clear();
        self.u32s.clear();
        self.i64s.clear();
        self.u64s.clear();
        self.f32s.clear();
        self.f64s.clear();
        self.bools.clear();
        self.spans.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::DecodeOptions;
    use crate::wire::append_varint;
    use crate::wire::check::Spent;
    use alloc::vec;

    /// Returns the elements of consecutive packed records, or where the decode ran out of memory, from a table that has
    /// room for `room` elements at the start.
    fn decoded(records: &[Vec<u8>], room: usize, memory: usize) -> (Option<Vec<u64>>, Option<Spent>) {
        let (input, mut run, mut start) = (records.concat(), Run::EMPTY, 0);
        let mut runs = Runs { data: Vec::with_capacity(room), paid: 0 };
        let options = DecodeOptions { memory: Some(memory), ..DecodeOptions::default() };
        let mut d = Decoder::new(&input, &options);
        let done = records.iter().try_for_each(|record| {
            let range = d.input().part(start, start + record.len())?;
            start += record.len();
            runs.packed_varint(&mut d, &mut run, range, |value| value)
        });
        (done.map(|()| runs.get(run).to_vec()), d.spent())
    }

    fn record(values: &[u64]) -> Vec<u8> {
        let mut bytes = Vec::new();
        values.iter().for_each(|&value| append_varint(&mut bytes, value));
        bytes
    }

    const ROOMS: [usize; 6] = [0, 1, 7, 20, 50, 1000];

    #[test]
    fn packed_varints_of_all_lengths_are_read_whatever_room_there_was() {
        let values: Vec<u64> = (0..64).flat_map(|shift| [u64::MAX >> shift, 1 << shift, shift]).collect();
        for room in ROOMS {
            for cut in [0, 1, 96, 191, 192] {
                let (first, second) = values.split_at(cut);
                let records = [record(first), record(second), record(&[1, 2, 3]), record(&values)];
                let want = [first, second, &[1, 2, 3], &values].concat();
                assert_eq!(decoded(&records, room, usize::MAX), (Some(want), None), "{room} {cut}");
            }
        }
    }

    #[test]
    fn a_builder_gets_the_elements_that_a_table_gets() {
        let good = record(&[1 << 40, 300, 5, 1 << 14, 1 << 21, 70000, 1 << 63, 1, 127]);
        let ones = record(&[1; 40]);
        let cut = |n: usize| good[..good.len() - n].to_vec();
        let long = [&good[..], &[0x80; 10], &good[..]].concat();
        for second in [vec![], good.clone(), ones.clone(), cut(1), cut(3), cut(4), vec![0x80], long] {
            for memory in [0, 8, 72, 80, usize::MAX] {
                // The bytes after the second record would end a varint that is cut off.
                let records = [good.clone(), second.clone(), good.clone()];
                let (input, mut start, mut elements) = (records.concat(), 0, Vec::new());
                let options = DecodeOptions { memory: Some(memory), ..DecodeOptions::default() };
                let mut d = Decoder::new(&input, &options);
                let done = records.iter().try_for_each(|record| {
                    let range = d.input().part(start, start + record.len())?;
                    start += record.len();
                    VecElements(&mut elements).packed_varint(&mut d, &mut (), range, |value| value)
                });
                let want = decoded(&records, 0, memory).0;
                // A table takes more memory at once.
                assert!(done.map(|()| elements) == want || want.is_none() && memory < 300, "{second:x?} {memory}");
            }
        }
        let (input, mut fixed) = ([1, 0, 0, 0, 2, 0, 0, 0, 3], Vec::new());
        let mut d = Decoder::new(&input, &DecodeOptions::default());
        for (start, end, found) in [(0, 8, Some(())), (0, 0, Some(())), (4, 9, None)] {
            let range = d.input().part(start, end).unwrap();
            assert_eq!(VecElements(&mut fixed).packed_fixed(&mut d, &mut (), range, u32::from_le_bytes), found);
        }
        assert_eq!(fixed, [1, 2]);
    }

    #[test]
    fn what_is_wrong_with_packed_varints_does_not_hang_on_the_room_that_there_was() {
        let good = record(&[1 << 40, 300, 5, 1 << 14, 1 << 21, 70000, 1 << 63]);
        let cut = |n: usize| good[..good.len() - n].to_vec();
        let long = [&good[..], &[0x80; 10], &good[..]].concat();
        for bad in [cut(1), cut(9), vec![0x80], long] {
            for memory in [0, 8, 40, 56, 64, 80, 200, 256, 1000] {
                // The bytes after it would end the varint that is cut off.
                let records = [record(&[7]), bad.clone(), good.clone()];
                let want = decoded(&records, 0, memory);
                assert_eq!(want.0, None);
                for room in ROOMS {
                    assert_eq!(decoded(&records, room, memory), want, "{bad:x?} {memory} {room}");
                }
            }
        }
        for memory in [0, 8, 40, 56, 64, 80, 200, 256, 1000] {
            let records = [good.clone(), good.clone()];
            let want = decoded(&records, 0, memory);
            assert!(ROOMS.iter().all(|&room| decoded(&records, room, memory) == want), "{memory}");
        }
    }
}
