//! What becomes of records that are none of the fields: unknown ones, and those of fields that are left out.

use super::Msg;
use crate::plan::Field;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Msg<'_> {
    /// Skips what the schema does not know, and keeps it; in map entries it is only checked (MAP-6).
    pub(super) fn read_unknown(&self) -> TokenStream {
        if self.m.map_entry {
            return quote!(c.skip(tag, d.depth())?;);
        }
        let keep = self.with_side(|side| quote!(t.side.keep(d, start + 1, #side, start, d.at(&c))?;));
        let dropped = self.ctx.dropped(self.id);
        if dropped.is_empty() {
            return quote!(c.skip(tag, d.depth())?; #keep);
        }
        let numbers = dropped.iter().map(|f| Literal::u32_unsuffixed(f.number));
        quote! {
            c.skip(tag, d.depth())?;
            match tag >> 3 {
                /// left out
                #(#numbers)|* => {}
                _ => { #keep }
            }
        }
    }

    /// Keeps an undefined value of a closed enum as an unknown field (ENM-2).
    pub(super) fn keep_enum(&self, f: &Field, anchor: TokenStream) -> TokenStream {
        let number = Literal::u32_unsuffixed(f.number);
        self.with_side(|side| quote!(t.side.keep_enum(d, #anchor, #side, #number, v)?;))
    }
}
