//! Records of two strings, such as the labels of a time series: the most frequent record of many inputs.

use super::cursor::{Cursor, Input};
use super::span::Span;

impl<'a> Cursor<'a> {
    /// Reads the most frequent record with four comparisons: a length below 128, then exactly two length-delimited
    /// fields with the one-byte tags `A` and `B`: `LL 0a L1 … 12 L2 …`. Returns `None` and does not move if the record
    /// looks different; that is not an error.
    #[inline(always)]
    pub fn pair<const A: u8, const B: u8>(&mut self, input: Input<'a>) -> Option<(Span, Span)> {
        self.pair_behind::<0, A, B>(input)
    }

    /// Reads the same record after its tag, which must come next.
    #[inline(always)]
    pub fn tagged_pair<const TAG: u32, const A: u8, const B: u8>(&mut self, input: Input<'a>) -> Option<(Span, Span)> {
        if TAG < 0x80 {
            return self.pair_behind::<TAG, A, B>(input);
        }
        let mut ahead = *self;
        let pair = if ahead.eat::<TAG>() { ahead.pair::<A, B>(input) } else { None };
        if pair.is_some() {
            *self = ahead;
        }
        pair
    }

    /// Moves over consecutive records of that form which all have one tag; the first one's has been read. Returns the
    /// bytes from the first length on: nothing if the first record looks different.
    #[inline(always)]
    pub(crate) fn pass_pairs(&mut self, tag: u8, [a, b]: [u8; 2]) -> &'a [u8] {
        let first = *self;
        let mut ahead = *self;
        while ahead.left() >= 5 {
            let word = u32::from_le_bytes(ahead.load::<4>(0));
            let (total, first) = (word as usize & 0xff, (word >> 16) as usize & 0xff);
            // These comparisons bound all reads that follow.
            if word & 0xff80 != (a as u32) << 8 || total >= ahead.left() || first + 4 > total {
                break;
            }
            let [second_tag, second] = ahead.load::<2>(first + 3);
            if second_tag != b || first + 4 + second as usize != total {
                break;
            }
            ahead.advance(total + 1);
            *self = ahead;
            if ahead.left() == 0 || ahead.byte(0) != tag {
                break;
            }
            ahead.advance(1);
        }
        &first.rest_bytes()[..first.left() - self.left()]
    }

    /// Reads a record that [`Cursor::pass_pairs`] has passed, from its length on.
    #[inline(always)]
    pub(crate) fn passed_pair(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let (len, rest) = self.rest_bytes().split_first()?;
        let record = rest.get(..*len as usize)?;
        let first = *record.get(1)? as usize;
        let pair = (record.get(2..first + 2)?, record.get(first + 4..)?);
        self.advance(record.len() + 1);
        Some(pair)
    }

    /// Reads the record after a one-byte tag, or without a tag when `TAG` is 0.
    #[inline(always)]
    fn pair_behind<const TAG: u32, const A: u8, const B: u8>(&mut self, input: Input<'a>) -> Option<(Span, Span)> {
        let tags = if TAG == 0 { 0 } else { 1 };
        let left = self.left();
        if left < 5 + tags {
            return None;
        }
        // One comparison checks the tag, the length (below 128) and the first field's tag.
        let word = u32::from_le_bytes(self.load::<4>(0));
        let (mask, want) = ((0xff80 << (8 * tags)) | (0xff * tags as u32), ((A as u32) << (8 * tags + 8)) | TAG);
        let total = (word >> (8 * tags)) as usize & 0xff;
        let first = self.byte(tags + 2) as usize;
        // These comparisons bound all reads that follow.
        if word & mask != want || total + tags >= left || first + 4 > total {
            return None;
        }
        let [tag, second] = self.load::<2>(tags + first + 3);
        if tag != B || first + 4 + second as usize != total {
            return None;
        }
        let at = self.offset(input) + tags as u32;
        self.advance(tags + total + 1);
        Some((Span::new(at + 3, first as u32), Span::new(at + 5 + first as u32, second as u32)))
    }
}

/// Two fields in either order, without a branch that depends on the order: where each input has another one, a processor
/// could not predict that branch.
impl<'a> Cursor<'a> {
    /// Does the same as [`Cursor::pair`], or as [`Cursor::tagged_pair`] if `TAG` is not 0, for both orders of the two
    /// fields. Also reports whether `B` came first. `TAG` has one byte.
    #[inline(always)]
    pub(crate) fn shuffled_pair<const TAG: u32, const A: u8, const B: u8>(
        &mut self,
        input: Input<'a>,
    ) -> Option<(Span, Span, bool)> {
        let tags = (TAG != 0) as usize;
        let left = self.left();
        if left < 5 + tags {
            return None;
        }
        let word = u32::from_le_bytes(self.load::<4>(0));
        let mask = (0x80 << (8 * tags)) | (0xff * tags as u32);
        let total = (word >> (8 * tags)) as usize & 0xff;
        let [one, first] = self.load::<2>(tags + 1);
        // These comparisons bound all reads that follow.
        if word & mask != TAG || (one != A) & (one != B) || total + tags >= left || first as usize + 4 > total {
            return None;
        }
        let [other, second] = self.load::<2>(tags + first as usize + 3);
        if one ^ other != A ^ B || first as usize + 4 + second as usize != total {
            return None;
        }
        let at = self.offset(input) + tags as u32;
        self.advance(tags + total + 1);
        let x = Span::new(at + 3, first as u32).to_bits();
        let y = Span::new(at + 5 + first as u32, second as u32).to_bits();
        let swapped = one == B;
        let change = (x ^ y) & 0u64.wrapping_sub(swapped as u64);
        Some((Span::from_bits(x ^ change), Span::from_bits(y ^ change), swapped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_pair_is_found_exactly_when_two_fields_fill_the_record() {
        let mut good = Vec::from([0u8, 0x0a, 3, b'a', b'b', b'c', 0x12, 2, b'd', b'e']);
        good[0] = good.len() as u8 - 1;
        // After no tag, after a one-byte tag, and after a two-byte tag.
        type Read = for<'a> fn(&mut Cursor<'a>, Input<'a>) -> Option<(Span, Span)>;
        let ways: [(&[u8], Read); 3] = [
            (&[], |c, input| c.pair::<0x0a, 0x12>(input)),
            (&[0x1a], |c, input| c.tagged_pair::<0x1a, 0x0a, 0x12>(input)),
            (&[0x8a, 0x01], |c, input| c.tagged_pair::<0x8a, 0x0a, 0x12>(input)),
        ];
        for (tag, read) in ways {
            let good = [tag, &good].concat();
            let input = Input::new(&good);
            let mut c = input.open(input.range());
            let (a, b) = read(&mut c, input).unwrap();
            assert_eq!((a.bytes(&good), b.bytes(&good), c.at_end()), (&b"abc"[..], &b"de"[..], true));
            // Whichever byte changes or is missing, nothing is read outside, and a pair that is found fills the record.
            for at in 0..good.len() {
                // Miri is some thousand times slower, so it tries only a few values.
                for value in (0..=255u8).step_by(if cfg!(miri) { 51 } else { 1 }) {
                    let mut bytes = good.clone();
                    bytes[at] = value;
                    for cut in 0..=bytes.len() {
                        let input = Input::new(&bytes[..cut]);
                        let mut c = input.open(input.range());
                        if let Some((a, b)) = read(&mut c, input) {
                            assert_eq!(&bytes[..tag.len()], tag);
                            assert_eq!(bytes[tag.len()] as usize, 4 + a.len() + b.len());
                            assert_eq!(b.end(), tag.len() + bytes[tag.len()] as usize + 1);
                            assert_eq!((bytes[tag.len() + 1], bytes[a.end()]), (0x0a, 0x12));
                        } else {
                            assert_eq!(c.left(), cut);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn consecutive_pairs_end_where_a_record_looks_different() {
        let record = [0x1a, 7, 0x0a, 1, b'a', 0x12, 2, b'd', b'e'];
        let good = [&record[1..], &record, &[0x22, 7], &record[2..]].concat();
        // The third record has another tag.
        let read = |bytes: &[u8]| Cursor::new(bytes).pass_pairs(0x1a, [0x0a, 0x12]).len();
        assert_eq!(read(&good), 2 * record.len() - 1);
        for at in 0..good.len() {
            for value in (0..=255u8).step_by(if cfg!(miri) { 51 } else { 1 }) {
                let mut bytes = good.clone();
                bytes[at] = value;
                for cut in 0..=bytes.len() {
                    let input = Input::new(&bytes[..cut]);
                    let mut c = input.open(input.range());
                    let run = c.pass_pairs(0x1a, [0x0a, 0x12]);
                    assert_eq!(run.len() + c.left(), cut);
                    // Every record that was passed is a pair by the other reader, too.
                    let mut reader = Cursor::new(run);
                    while !reader.at_end() {
                        assert!(reader.pair::<0x0a, 0x12>(Input::new(run)).is_some());
                        assert!(reader.at_end() || reader.next_tag() == 0x1a);
                    }
                }
            }
        }
    }

    #[test]
    fn a_shuffled_pair_is_found_exactly_when_a_pair_of_one_order_is() {
        let good = [0x1a, 9, 0x0a, 3, b'a', b'b', b'c', 0x12, 2, b'd', b'e'];
        let shuffled = [0x1a, 9, 0x12, 2, b'd', b'e', 0x0a, 3, b'a', b'b', b'c'];
        let check = |bytes: &[u8]| {
            let input = Input::new(bytes);
            let open = || input.open(input.range());
            let (mut c, mut ordered, mut swapped) = (open(), open(), open());
            let found = c.shuffled_pair::<0x1a, 0x0a, 0x12>(input);
            let want = match ordered.tagged_pair::<0x1a, 0x0a, 0x12>(input) {
                Some((a, b)) => Some((a, b, false)),
                None => swapped.tagged_pair::<0x1a, 0x12, 0x0a>(input).map(|(b, a)| (a, b, true)),
            };
            assert_eq!((found, c.left()), (want, ordered.left().min(swapped.left())), "{bytes:x?}");
            let input = Input::new(bytes.get(1..).unwrap_or_default());
            let mut untagged = input.open(input.range());
            let found = untagged.shuffled_pair::<0, 0x0a, 0x12>(input);
            assert_eq!(found.is_some() && bytes[0] == 0x1a, want.is_some(), "{bytes:x?}");
            want
        };
        assert_eq!(check(&good), Some((Span::new(4, 3), Span::new(9, 2), false)));
        assert_eq!(check(&shuffled), Some((Span::new(8, 3), Span::new(4, 2), true)));
        for bytes in [good, shuffled] {
            for at in 0..bytes.len() {
                for value in (0..=255u8).step_by(if cfg!(miri) { 51 } else { 1 }) {
                    let mut bytes = bytes;
                    bytes[at] = value;
                    (0..=bytes.len()).for_each(|cut| _ = check(&bytes[..cut]));
                }
            }
        }
    }
}
