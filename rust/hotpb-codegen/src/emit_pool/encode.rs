//! What encoders are made of. Everything is written backwards, so the last field comes first.

use super::Msg;
use crate::plan::Field;
use proc_macro2::Literal;

/// As many fields are written by one function.
const WIDE: usize = 32;

/// The tag of one element, or of the packed record.
pub(crate) fn tag(f: &Field, wire_type: u8) -> Literal {
    Literal::u32_unsuffixed(f.number << 3 | wire_type as u32)
}

impl Msg<'_> {
    /// Whether a message can be written: nothing that it can hold has fields that are left out and dropped.
    pub(crate) fn encodes(&self) -> bool {
        self.ctx.options.keep_skipped || !self.ctx.facts.drops[self.id.0]
    }

    /// The fields that one function writes, the last one first: all of them, or of wide messages some. Without optimisation a function
    /// has room on the stack for what each of its fields needs, so those that messages nest in are in functions of their own.
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
