//! Skipping records that the schema does not define, above all groups.

use super::{Cursor, DEPTH_CEILING, END_GROUP, FIXED32, FIXED64, LEN, START_GROUP, VARINT};

impl<'a> Cursor<'a> {
    /// Reads the content of a group whose start tag with this number was read. `depth` is as in [`Cursor::skip`]; the
    /// group itself counts.
    #[inline(never)]
    pub(crate) fn group(&mut self, number: u32, depth: u32) -> Option<&'a [u8]> {
        let depth = depth.min(DEPTH_CEILING).checked_sub(1)?;
        let from = self.remaining();
        loop {
            let left = self.left();
            let tag = self.tag()?;
            if tag & 7 == END_GROUP {
                return if tag >> 3 == number { from.get(..from.len() - left) } else { None };
            }
            self.skip(tag, depth)?;
        }
    }

    /// Skips the value after a tag that the decoder does not know, and checks that it is well-formed. `depth` is the
    /// number of further levels of groups that may open.
    #[inline(always)]
    pub fn skip(&mut self, tag: u32, depth: u32) -> Option<()> {
        self.out_of_line(|c| c.skip_nested(tag, depth.min(DEPTH_CEILING)))
    }

    #[inline(never)]
    fn skip_nested(&mut self, tag: u32, depth: u32) -> Option<()> {
        match self.skip_scalar(tag)? {
            Skipped::Value => Some(()),
            Skipped::Start => self.skip_group(tag >> 3, depth),
            Skipped::End => None,
        }
    }

    /// Skips groups after a start tag, up to the end tag of the outermost one. The sender chooses how deep they nest,
    /// so the stack does not hold one frame per level, but one per [`STRETCH`] levels.
    #[inline(never)]
    fn skip_group(&mut self, number: u32, depth: u32) -> Option<()> {
        let mut depth = depth.checked_sub(1)?;
        let mut open = [number; STRETCH];
        let mut level = 0;
        loop {
            let tag = self.tag()?;
            match self.skip_scalar(tag)? {
                Skipped::Value => {}
                Skipped::Start if level + 1 < STRETCH => {
                    depth = depth.checked_sub(1)?;
                    level += 1;
                    *open.get_mut(level)? = tag >> 3;
                }
                Skipped::Start => self.skip_group(tag >> 3, depth)?,
                Skipped::End if open.get(level) != Some(&(tag >> 3)) => return None,
                Skipped::End if level == 0 => return Some(()),
                Skipped::End => {
                    depth += 1;
                    level -= 1;
                }
            }
        }
    }

    /// Skips the value after a tag, unless it is a group.
    #[inline(always)]
    fn skip_scalar(&mut self, tag: u32) -> Option<Skipped> {
        if tag >> 3 == 0 {
            return None;
        }
        match tag & 7 {
            VARINT => self.varint().map(drop)?,
            FIXED64 => self.fixed64().map(drop)?,
            FIXED32 => self.fixed32().map(drop)?,
            LEN => self.bytes().map(drop)?,
            START_GROUP => return Some(Skipped::Start),
            END_GROUP => return Some(Skipped::End),
            _ => return None,
        }
        Some(Skipped::Value)
    }
}

/// The number of levels of groups that one function call skips.
const STRETCH: usize = 32;

/// Whether a value was skipped, or starts or ends a group.
enum Skipped {
    Value,
    Start,
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_checks_groups_their_ends_and_their_depth() {
        let skip = |bytes: &[u8], depth| {
            let mut c = Cursor::new(bytes);
            let tag = c.tag().unwrap();
            c.skip(tag, depth).map(|()| c.left())
        };
        assert_eq!(skip(&[0x0b, 0x13, 0x08, 0x01, 0x14, 0x0c, 9], 2), Some(1));
        assert_eq!(skip(&[0x0b, 0x13, 0x08, 0x01, 0x14, 0x0c, 9], 1), None);
        assert_eq!(skip(&[0x0b, 0x14], 9), None);
        assert_eq!(skip(&[0x0b, 0x8c, 0x00], 9), Some(0));
        assert_eq!(skip(&[0x0c], 9), None);
        assert_eq!(skip(&[0x03, 0x04], 9), None);
        assert_eq!(skip(&[0x0e], 9), None);
        assert_eq!(skip(&[0x0a, 0x02, 0x00], 9), None);
        assert_eq!(skip(&[0x0d, 0, 0, 0], 9), None);
        assert_eq!(skip(&[0x09, 0, 0, 0, 0, 0, 0, 0, 0], 9), Some(0));
    }
}
