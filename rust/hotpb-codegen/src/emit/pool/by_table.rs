//! Messages by table: the tables that drive the runtime's loops, instead of code for each field
//! ([`hotpb::pool::by_table`]).

use super::{Msg, Storage};
use crate::plan::{Field, Presence, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

impl Msg<'_> {
    /// Reports whether the message is read and written by table.
    pub(crate) fn by_table(&self) -> bool {
        self.ctx.tables[self.id.0]
    }

    /// Returns what the loops require of a row: for messages by table and their children, but not for
    /// children that ship with the runtime.
    pub(super) fn node(&self) -> TokenStream {
        if !self.by_table() && !self.ctx.options.runtime && !self.ctx.facts.held_by_table[self.id.0] {
            return TokenStream::new();
        }
        if self.m.map_entry && !self.by_table() {
            return TokenStream::new();
        }
        let recursive = (self.m.recursion != 0).then(|| quote!(true));
        let encodes = (self.by_table() || self.encodes()).then(|| quote!(encode));
        let misses = self.may_miss(self.id).then(|| quote!(missing));
        if !self.m.map_entry {
            return quote!(node [#recursive [#encodes] [#misses]]);
        }
        let value = &self.m.fields[1];
        let slot = self.slot(value);
        let defined = self.defined(value, quote!(value));
        let defined = defined.map(|test| quote!(#slot, |value| #test));
        quote!(node [[#misses] [#defined]])
    }

    /// Returns the layout, and the functions of the row that call the loops with it.
    pub(super) fn table_items(&self) -> TokenStream {
        let (row, tables, schema) = (self.ctx.names.row(self.id), self.tables(), self.ctx.names.schema(self.id));
        let mut parts = Parts::default();
        let entries: Vec<_> = self.m.fields.iter().map(|f| self.entry(f, &mut parts)).collect();
        let Parts { children, closed } = parts;
        let closed = closed.iter().map(|test| quote!(|v| #test));
        let dropped = self.ctx.dropped(self.id).iter().map(|f| Literal::u32_unsuffixed(f.number));
        let misses = self.may_miss(self.id).then(|| quote!(missing));
        quote! {
            ::hotpb::__by_table! {
                #row, #tables, #schema, [#misses];
                children [#(#children),*];
                closed [#(#closed),*];
                dropped [#(#dropped),*];
                #(#entries;)*
            }
        }
    }

    /// Returns the table's entry for a field.
    fn entry(&self, f: &Field, parts: &mut Parts) -> TokenStream {
        let (slot, ty) = (self.slot(f), self.table_type(f));
        let tag = Literal::u32_unsuffixed(f.number << 3 | if f.packed { 2 } else { f.wire_type as u32 });
        let closed = self.defined(f, quote!(v)).filter(|_| !self.m.map_entry).map(|test| {
            let index = index_of(&mut parts.closed, test);
            quote!(.closed(#index))
        });
        let required = (f.presence == Presence::Required).then(|| quote!(.required()));
        let always = self.m.map_entry.then(|| quote!(.always()));
        match Storage::new(f) {
            Storage::Scalar => {
                let bit = self.has_bit(f).map(Literal::usize_unsuffixed).map(|bit| quote!(, #bit));
                quote!(plain(#tag, #ty, #slot #bit) #closed #required #always)
            }
            Storage::Run => quote!(run(#tag, #ty, #slot) #closed),
            Storage::Child => {
                let child = self.child_index(f, "single", parts);
                quote!(child(#tag, #slot, #child) #required #always)
            }
            Storage::List => {
                let child = self.child_index(f, "list", parts);
                quote!(list(#tag, #slot, #child))
            }
            Storage::Map => {
                let child = self.child_index(f, "map", parts);
                quote!(map(#tag, #slot, #child))
            }
            Storage::Oneof => {
                let (case, value) = self.oneof_slots(f.oneof.expect("a oneof member"));
                match f.message {
                    None => quote!(member(#tag, #ty, #value, #case) #closed),
                    Some(_) => {
                        let child = self.child_index(f, "single", parts);
                        quote!(child_member(#tag, #value, #case, #child))
                    }
                }
            }
        }
    }

    /// Returns the index of a field's child: one for each type and form of storage.
    fn child_index(&self, f: &Field, storage: &str, parts: &mut Parts) -> Literal {
        let child = f.message.expect("a message field has its type");
        let (storage, row) = (format_ident!("{storage}"), self.path_to(child, self.ctx.names.row(child)));
        let home = self.foreign(child).map(|home| quote!(=> #home));
        index_of(&mut parts.children, quote!(#storage(#row #home)))
    }

    /// Returns the tables' name of the type of a field's values.
    pub(crate) fn table_type(&self, f: &Field) -> Ident {
        let closed = f.enum_type.is_some_and(|e| self.ctx.plan[e].closed) && !self.m.map_entry;
        format_ident!(
            "{}",
            match f.ty {
                Type::Double => "Double",
                Type::Float => "Float",
                Type::Int64 => "Int64",
                Type::Uint64 => "Uint64",
                Type::Int32 => "Int32",
                Type::Fixed64 => "Fixed64",
                Type::Fixed32 => "Fixed32",
                Type::Bool => "Bool",
                Type::String if self.verified(f) => "Utf8",
                Type::String => "Text",
                Type::Message => "Message",
                Type::Bytes => "Bytes",
                Type::Uint32 => "Uint32",
                Type::Enum if closed => "Closed",
                Type::Enum => "Enum",
                Type::Sfixed32 => "Sfixed32",
                Type::Sfixed64 => "Sfixed64",
                Type::Sint32 => "Sint32",
                Type::Sint64 => "Sint64",
            }
        )
    }
}

/// The items to which entries refer by index.
#[derive(Default)]
struct Parts {
    children: Vec<TokenStream>,
    closed: Vec<TokenStream>,
}

/// Returns the index of a part, which it adds if it is missing.
fn index_of(parts: &mut Vec<TokenStream>, part: TokenStream) -> Literal {
    let text = part.to_string();
    let index = parts.iter().position(|known| known.to_string() == text).unwrap_or(parts.len());
    if index == parts.len() {
        parts.push(part);
    }
    Literal::usize_unsuffixed(index)
}
