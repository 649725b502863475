//! Messages of exactly two strings or bytes, such as labels and attributes: each record is read, checked and written in
//! one step.

use super::{Msg, Storage};
use crate::plan::{Field, MessageId, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Msg<'_> {
    /// Returns the tags of a message that has exactly two string or bytes fields: such records are read in one step.
    pub(super) fn pair_of(&self, id: MessageId) -> Option<(Literal, Literal)> {
        let m = &self.ctx.plan[id];
        let fits = |f: &Field| {
            matches!(f.ty, Type::String | Type::Bytes) && Storage::new(f) == Storage::Scalar && f.number < 16
        };
        match &m.fields[..] {
            [a, b]
                if fits(a)
                    && fits(b)
                    && !m.message_set
                    && self.foreign(id).is_none()
                    && !Msg::new(self.ctx, id).by_table() =>
            {
                let tag = |f: &Field| Literal::u8_unsuffixed((f.number << 3 | 2) as u8);
                Some((tag(a), tag(b)))
            }
            _ => None,
        }
    }

    /// Returns the functions with which lists of such a message read and write it.
    pub(super) fn pair_items(&self) -> Option<TokenStream> {
        self.pair_of(self.id).filter(|_| !self.m.map_entry && self.ctx.facts.listed[self.id.0])?;
        let fields = &self.m.fields;
        let (row, a, b) = (self.ctx.names.row(self.id), self.slot(&fields[0]), self.slot(&fields[1]));
        let bits = fields.iter().filter(|f| self.has_bit(f).is_some()).count();
        let full = (bits > 0).then(|| Literal::u32_unsuffixed((1 << bits) - 1));
        // Other strings are checked only in a strict decode.
        let when = |f: &Field| if self.verified(f) { quote!(always) } else { quote!(strict) };
        let texts: Vec<&Field> = fields.iter().filter(|f| f.ty == Type::String).collect();
        let all = match texts.iter().find(|f| self.verified(f)).or(texts.first()) {
            Some(f) => when(f),
            None => quote!(never),
        };
        let each = texts.iter().map(|f| {
            let (when, slot) = (when(f), self.slot(f));
            quote!(#when #slot)
        });
        Some(quote!(::hotpb::__pair! { #row, #a, #b, [#full]; #all [#(#each),*]; }))
    }
}
