//! Messages of exactly two strings or bytes, such as labels and attributes: read, checked and written at one stroke.

use super::{Msg, Storage};
use crate::plan::{Field, MessageId, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Msg<'_> {
    /// The tags of a message that has exactly two string or bytes fields: such records are read at one stroke.
    pub(super) fn pair_of(&self, id: MessageId) -> Option<(Literal, Literal)> {
        let m = &self.ctx.plan[id];
        let fits = |f: &Field| {
            matches!(f.ty, Type::String | Type::Bytes) && Storage::of(f) == Storage::Scalar && f.number < 16
        };
        match &m.fields[..] {
            [a, b]
                if fits(a) && fits(b) && !m.message_set && !self.foreign(id) && !Msg::new(self.ctx, id).by_table() =>
            {
                let tag = |f: &Field| Literal::u8_unsuffixed((f.number << 3 | 2) as u8);
                Some((tag(a), tag(b)))
            }
            _ => None,
        }
    }

    /// The row of such a message, from its two spans `a` and `b`.
    pub(super) fn pair_row(&self, row: &TokenStream) -> TokenStream {
        let (a, b) = (self.slot(&self.m.fields[0]), self.slot(&self.m.fields[1]));
        let has = self.pair_bits().map(|mask| quote!(has: [#mask],));
        quote!(#row { #has #a: a, #b: b, side: 0 })
    }

    /// The test, `&&` behind it, that both fields of such a row are there, as far as bits say so.
    pub(super) fn pair_is_full(&self) -> Option<TokenStream> {
        self.pair_bits().map(|mask| quote!(row.has == [#mask] &&))
    }

    /// The presence bits of such a row when both fields are there; `None` when it has no such bits.
    fn pair_bits(&self) -> Option<Literal> {
        let bits = self.m.fields.iter().filter(|f| self.has_bit(f).is_some()).count();
        (bits > 0).then(|| Literal::u32_unsuffixed((1 << bits) - 1))
    }

    /// Whether the texts of such messages need a check: always, unless (with `||` behind it), or (`None`) never.
    pub(super) fn pair_needs_check(&self) -> Option<Option<TokenStream>> {
        if self.m.fields.iter().any(|f| self.verified(f)) {
            Some(None)
        } else if self.m.fields.iter().any(|f| f.ty == Type::String) {
            Some(Some(quote!(!d.strict() ||)))
        } else {
            None
        }
    }

    pub(super) fn pair_check(&self) -> Option<TokenStream> {
        self.pair_of(self.id)?;
        self.pair_needs_check()?;
        let tests = self.m.fields.iter().filter(|f| f.ty == Type::String).map(|f| {
            let slot = self.slot(f);
            // Others are checked here only when the decode is strict.
            let relaxed = (!self.verified(f)).then(|| quote!(d.strict() &&));
            let check = quote!(::hotpb::wire::is_utf8(r.#slot.bytes(d.input().bytes())));
            quote!(if #relaxed !#check { return false; })
        });
        Some(quote! {
            /// Checks the texts of the rows from `first` on, one by one.
            #[cold]
            #[inline(never)]
            pub(crate) fn texts_are_utf8(rows: &::hotpb::pool::Table<Self>, first: u32, d: &::hotpb::pool::Decoder<'_>) -> bool {
                for r in rows.slice(first, rows.len() - first) {
                    #(#tests)*
                }
                true
            }
        })
    }
}
