//! Straight messages: one line for each field, from which macros of the crate generate the code that reads and writes
//! it (`hotpb/src/pool/generated/straight.rs`).

use super::{Msg, Storage};
use crate::plan::Field;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The code that reads and writes the rows of a message: a section of the message's macro, and macros of its own.
#[derive(Default)]
pub(super) struct Straight {
    pub(super) within: TokenStream,
    pub(super) apart: TokenStream,
}

impl Msg<'_> {
    /// Returns the code that reads and writes the rows of the message.
    pub(super) fn straight_items(&self) -> Straight {
        let unknown = self.unknown_records();
        if !self.local() {
            let (row, tables, own) = (self.ctx.names.row(self.id), self.tables(), self.own_table());
            return Straight { apart: self.in_place(&row, &tables, &own, &unknown), ..Straight::default() };
        }
        let encode = self.encodes().then(|| if self.m.map_entry { quote!(always) } else { quote!(encode) });
        let expected = self.has_expected().then(|| quote!(expected));
        let fields = self.m.fields.iter().map(|f| self.line(f));
        Straight {
            within: quote!(straight #unknown [#encode] [#expected] { #(#fields;)* }),
            apart: self.pair_items().unwrap_or_default(),
        }
    }

    /// Returns the same for messages whose rows are written in place: wide or recursive ones.
    fn in_place(&self, row: &Ident, tables: &TokenStream, own: &TokenStream, unknown: &TokenStream) -> TokenStream {
        let (nested, plain): (Vec<_>, Vec<_>) = self.m.fields.iter().partition(|f| f.message.is_some());
        let lines = |fields: Vec<&Field>| -> TokenStream {
            fields.into_iter().map(|f| self.line(f)).map(|line| quote!(#line;)).collect()
        };
        let (nested, plain) = (lines(nested), lines(plain));
        let deep = (self.m.recursion != 0).then(|| quote!(deep));
        let encoder = if self.m.map_entry {
            let fields = self.m.fields.iter().map(|f| self.line(f));
            quote!(::hotpb::__encode_entry! { #row, #tables; #(#fields;)* })
        } else {
            let parts = self.parts();
            let part = (parts.len() > 1).then(|| quote!(part;));
            let parts = parts.into_iter().map(lines).map(|lines| quote!(#part #lines));
            quote!(::hotpb::__encode_in_place! { #row, #tables, [#deep]; #(#parts)* })
        };
        let encoder = self.encodes().then_some(encoder);
        quote! {
            ::hotpb::__decode_in_place! { #row, #tables, [#own], #unknown; plain; #plain nested; #nested }
            #encoder
        }
    }

    /// Returns the treatment of records that belong to no field: they are kept, or some are discarded; in map entries
    /// they are only checked (MAP-6).
    pub(crate) fn unknown_records(&self) -> TokenStream {
        let dropped: Vec<_> = self.ctx.dropped(self.id).iter().map(|f| Literal::u32_unsuffixed(f.number)).collect();
        match dropped.is_empty() {
            _ if self.m.map_entry => quote!(skip),
            true => quote!(keep),
            false => quote!([#(#dropped)|*]),
        }
    }

    /// Returns the line of a field.
    fn line(&self, f: &Field) -> TokenStream {
        let (slot, ty) = (self.slot(f), self.table_type(f));
        let tag = super::tag(f, f.wire_type);
        let defined = self.defined_values(f).filter(|_| !self.m.map_entry);
        let has = self.has_place(f).map(|(word, mask)| quote!(, #word #mask));
        let form = match Storage::new(f) {
            Storage::Scalar => match defined {
                Some(defined) => quote!(closed(#slot, [#defined] #has)),
                None => quote!(value(#ty, #slot #has)),
            },
            Storage::Run => {
                let runs = super::runs_of(f.ty);
                let packed = f.packed.then(|| quote!(, packed));
                let or = f.ty.is_packable().then(|| super::tag(f, 2)).map(|tag| quote!(| #tag));
                return match defined {
                    Some(defined) => quote!(#tag #or closed_run(#slot, [#defined] #packed)),
                    None => quote!(#tag #or run(#ty, #runs, #slot #packed)),
                };
            }
            Storage::Child => {
                let child = self.held(f);
                quote!(child(#slot, #child))
            }
            Storage::List => self.list(f),
            Storage::Map => self.map(f),
            Storage::Oneof => {
                let (case, slot) = self.oneof_slots(f.oneof.expect("a oneof member"));
                match (f.message, defined) {
                    (Some(_), _) => {
                        let child = self.held(f);
                        quote!(child_member(#case, #slot, #child))
                    }
                    (None, Some(defined)) => quote!(closed_member(#case, #slot, [#defined])),
                    (None, None) => quote!(member(#ty, #case, #slot)),
                }
            }
        };
        quote!(#tag #form)
    }

    /// Returns the row and the table of a field's messages, and their framing.
    fn held(&self, f: &Field) -> TokenStream {
        let child = f.message.expect("a message field has its type");
        let (row, table) = (self.path_to(child, self.ctx.names.row(child)), self.ctx.names.table(child));
        let home = self.foreign(child).map(|home| quote!(in #home));
        let recursive = (self.ctx.plan[child].recursion != 0).then(|| quote!(, again));
        let group = f.delimited.then(|| quote!(, group));
        quote!(#row => #table #home #recursive #group)
    }

    fn list(&self, f: &Field) -> TokenStream {
        let child = f.message.expect("a message field has its type");
        let (slot, held) = (self.slot(f), self.held(f));
        let plain = !f.delimited && self.foreign(child).is_none() && self.ctx.plan[child].recursion == 0;
        if let Some((a, b)) = self.pair_of(child).filter(|_| plain) {
            return quote!(pairs(#slot, #held, #a, #b));
        }
        if plain && Msg::new(self.ctx, child).has_expected() {
            return quote!(expected(#slot, #held));
        }
        quote!(list(#slot, #held))
    }

    fn map(&self, f: &Field) -> TokenStream {
        let entry = Msg::new(self.ctx, f.message.expect("a map field has its entry"));
        let (slot, row, table) =
            (self.slot(f), self.path_to(entry.id, self.ctx.names.row(entry.id)), self.ctx.names.table(entry.id));
        let expected = entry.has_expected().then(|| quote!(, expected));
        let value = &entry.m.fields[1];
        match entry.defined_values(value) {
            None => quote!(map(#slot, #row => #table #expected)),
            Some(defined) => {
                let value = entry.slot(value);
                quote!(closed_map(#slot, #row => #table, #value [#defined] #expected))
            }
        }
    }

    /// Reports whether a message has only a few singular scalars, so that most of its records look the same, and occurs
    /// repeatedly.
    fn has_expected(&self) -> bool {
        let scalar = |f: &Field| {
            let undefined = !self.m.map_entry && self.defined_values(f).is_some();
            Storage::new(f) == Storage::Scalar && f.number < 16 && !undefined
        };
        let fields = &self.m.fields;
        if !self.m.map_entry && !self.ctx.facts.listed[self.id.0] {
            return false;
        }
        let skipped = !self.ctx.skipped(self.id).is_empty();
        let pair = !self.m.map_entry && self.pair_of(self.id).is_some();
        self.local()
            && !self.by_table()
            && !pair
            && !self.m.message_set
            && !skipped
            && (1..=8).contains(&fields.len())
            && fields.iter().all(scalar)
    }

    /// Returns patterns of the values that a field's closed enum defines; `None` for other fields.
    pub(crate) fn defined_values(&self, f: &Field) -> Option<TokenStream> {
        let e = f.enum_type.map(|e| &self.ctx.plan[e]).filter(|e| e.closed)?;
        let mut numbers: Vec<i32> = e.values.iter().map(|v| v.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let patterns = ranges(&numbers);
        Some(quote!(#(#patterns)|*))
    }

    /// Returns a test whether a value is one of them.
    pub(crate) fn defined(&self, f: &Field, value: TokenStream) -> Option<TokenStream> {
        self.defined_values(f).map(|patterns| quote!(::core::matches!(#value, #patterns)))
    }
}

/// Returns patterns for ascending numbers; consecutive numbers become ranges.
fn ranges(numbers: &[i32]) -> Vec<TokenStream> {
    let mut patterns = Vec::new();
    let mut i = 0;
    while i < numbers.len() {
        let mut j = i;
        while j + 1 < numbers.len() && numbers[j + 1] as i64 == numbers[j] as i64 + 1 {
            j += 1;
        }
        let (from, to) = (Literal::i32_unsuffixed(numbers[i]), Literal::i32_unsuffixed(numbers[j]));
        patterns.push(if i == j { quote!(#from) } else { quote!(#from..=#to) });
        i = j + 1;
    }
    patterns
}
