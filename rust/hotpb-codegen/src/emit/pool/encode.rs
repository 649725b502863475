//! Encoders. They write everything backwards, so the last field comes first.

use super::Msg;
use crate::plan::Field;
use proc_macro2::Literal;

/// The largest number of fields that one function writes.
const WIDE: usize = 32;

/// Returns the tag of one element, or of the packed record.
pub(crate) fn tag(f: &Field, wire_type: u8) -> Literal {
    Literal::u32_unsuffixed(f.number << 3 | wire_type as u32)
}

impl Msg<'_> {
    /// Reports whether a message can be encoded: neither it nor a message that it can contain has fields that are left
    /// out and discarded.
    pub(crate) fn encodes(&self) -> bool {
        self.ctx.options.keep_skipped || !self.ctx.facts.drops[self.id.0]
    }

    /// Returns the fields that one function writes, the last one first: all of them, or a part for a wide message. In
    /// unoptimised builds a function's stack frame has room for each of its fields, so fields that messages nest in
    /// have functions of their own.
    pub(super) fn parts(&self) -> Vec<Vec<&Field>> {
        if self.m.fields.len() <= WIDE {
            return vec![self.m.fields.iter().rev().collect()];
        }
        let nests = |f: &Field| f.message.is_some_and(|child| self.ctx.plan[child].recursion != 0);
        let mut parts: Vec<Vec<&Field>> = Vec::new();
        for f in self.m.fields.iter().rev() {
            match parts.last_mut() {
                Some(part) if part.len() < WIDE && !nests(f) && !nests(part[0]) => part.push(f),
                _ => parts.push(vec![f]),
            }
        }
        parts
    }
}
