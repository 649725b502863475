//! Handles: the values that users work with. A handle is three references; an accessor is one load, and a string is a
//! slice of the input.

use super::{Msg, Storage};
use crate::plan::{DefaultValue, Field, Presence, Type};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

impl Msg<'_> {
    /// Returns the handle with its accessors, the pool's name, the row, and the impls that the runtime requires. The
    /// section `code` reads and writes rows.
    pub(super) fn handle_items(&self, code: TokenStream) -> TokenStream {
        if self.m.map_entry {
            return self.entry_items(code);
        }
        let n = self.ctx.names;
        let (name, row, tables, doc) = (n.message(self.id), n.row(self.id), self.tables(), self.own_docs());
        let (pool, schema, table, full) = (n.pool(self.id), n.schema(self.id), n.table(self.id), &self.m.name);
        let facts = self.ctx.facts;
        let cleared: Vec<_> = facts.foreign.iter().filter(|unit| unit.held[self.id.0]).map(|unit| &unit.name).collect();
        let clear = (!cleared.is_empty()).then(|| quote!(clear [#(#cleared)*]));
        let own_maps = facts.own_maps[self.id.0].then(|| quote!(finish));
        let finished: Vec<_> =
            facts.foreign.iter().filter(|unit| unit.maps[self.id.0]).map(|unit| &unit.name).collect();
        let finish = (own_maps.is_some() || !finished.is_empty()).then(|| quote!(finish [#own_maps; #(#finished)*]));
        let required = self.may_miss(self.id).then(|| quote!(required missing));
        let encoder = self.encodes().then(|| quote!(encoder encode));
        let children = self.child_rows();
        let accessors: Vec<_> = self.m.fields.iter().map(|f| self.accessor(f)).collect();
        let json = self.json_names();
        let (node, fields) = (self.node(), self.row_items());
        let oneofs = (0..self.m.oneofs.len()).map(|i| self.oneof_accessor(i));
        let extendable = (!self.m.extension_ranges.is_empty()).then(|| self.extendable_impl());
        quote! {
            ::hotpb::__message! {
                #doc #name<'a>, #row, #pool, #tables, #table, #schema, #full;
                #children #clear #finish #required #encoder #json #node;
                accessors { #(#accessors;)* } #fields #code
            }
            #(#oneofs)*
            #extendable
        }
    }

    /// Returns the names in JSON that do not follow from the names of fields.
    fn json_names(&self) -> Option<TokenStream> {
        let names: Vec<_> = self
            .m
            .fields
            .iter()
            .filter_map(|f| {
                let (number, name) = (Literal::u32_unsuffixed(f.number), f.json_name.as_ref()?);
                Some(quote!((#number, #name)))
            })
            .collect();
        (!names.is_empty()).then(|| quote!(json [#(#names),*]))
    }

    pub(crate) fn docs(&self) -> TokenStream {
        let line = format!(" Message `{}`.", self.m.name);
        let own = self.own_docs();
        quote!(#[doc = #line] #own)
    }

    /// Returns the same without the first line.
    fn own_docs(&self) -> TokenStream {
        let own = crate::docs::attributes(&self.m.doc);
        let skipped = crate::docs::attributes(&self.skipped_docs());
        quote!(#own #skipped)
    }

    /// Returns a comment that lists the fields left out by `only=` and `skip=`.
    fn skipped_docs(&self) -> String {
        let skipped = self.ctx.skipped(self.id);
        if skipped.is_empty() {
            return String::new();
        }
        let mut docs = String::from("\nLeft out by `only=` or `skip=`:\n");
        for f in skipped {
            let required = if f.presence == Presence::Required { ", required but not checked" } else { "" };
            docs += &format!("* `{}` = {}{required}\n", f.name, f.number);
        }
        let kept = if self.ctx.options.keep_skipped { "kept among the unknown fields" } else { "discarded" };
        docs + &format!("\nTheir records are checked like those of unknown fields, and {kept}.\n")
    }

    /// Returns the accessor of a field: its comment, its name, and how it reads the row.
    fn accessor(&self, f: &Field) -> TokenStream {
        let n = self.ctx.names;
        let (method, slot) = (n.method(self.id, f.slot), self.slot(f));
        let own = crate::docs::attributes(&f.doc);
        let has = || n.has(self.id, f.slot);
        let (child, home) = match f.message {
            Some(child) => (self.path_to(child, n.message(child)), self.foreign(child).map(|home| quote!(in (#home)))),
            None => (TokenStream::new(), None),
        };
        let form = match Storage::new(f) {
            Storage::Run if f.ty == Type::Enum => {
                let e = self.value_type(f);
                quote!(enums(#slot, #e))
            }
            Storage::Run if matches!(f.ty, Type::String | Type::Bytes) => {
                let item = self.text_type(f);
                quote!(spans(#slot, #item))
            }
            Storage::Run => {
                let (runs, item) = (super::runs_of(f.ty), super::rust_type(f.ty));
                quote!(run(#slot, #runs, #item))
            }
            Storage::List => quote!(rows(#slot, #child<'a>) #home),
            Storage::Map => quote!(map(#slot, #child<'a>) #home),
            Storage::Child => {
                let has = has();
                quote!(child(#slot, #child<'a>, #has) #home)
            }
            Storage::Oneof => {
                let (case, slot) = self.oneof_slots(f.oneof.expect("a oneof member"));
                let (number, has) = (Literal::u32_unsuffixed(f.number), has());
                match f.message {
                    Some(_) => quote!(child_member(#case #number #slot, #child<'a>, #has) #home),
                    None => {
                        let (form, kind, ty) = (shown(f.ty), self.table_type(f), self.value_type(f));
                        let default = self.default_of(f).unwrap_or_else(|| self.zero_of(f));
                        quote!(member(#case #number #slot, #form #kind, #ty, #has, #default))
                    }
                }
            }
            Storage::Scalar => {
                let (form, ty) = (shown(f.ty), self.value_type(f));
                let presence = self.has_place(f).map(|(word, mask)| {
                    let has = has();
                    let or = self.default_of(f).map(|default| quote!(or (#default)));
                    quote!(with (#has, #word #mask) #or)
                });
                quote!(#form(#slot, #ty) #presence)
            }
        };
        quote!(#own #method #form)
    }

    fn oneof_accessor(&self, oneof: usize) -> TokenStream {
        let n = self.ctx.names;
        let (case, slot) = self.oneof_slots(oneof);
        let (name, row) = (n.message(self.id), n.row(self.id));
        let (method, ty) = (n.oneof_method(self.id, oneof), n.oneof_path(self.module, self.id, oneof));
        let lifetime = self.oneof_borrows(oneof).then(|| quote!(<'a>));
        let members = self.m.oneofs[oneof].slots.iter().map(|&member| {
            let f = &self.m.fields[member];
            let (number, variant) = (Literal::u32_unsuffixed(f.number), n.oneof_variant(self.id, member));
            let value = match f.message {
                Some(child) => {
                    let (path, home) =
                        (self.path_to(child, n.message(child)), self.foreign(child).map(|home| quote!(, #home)));
                    quote!(child(#path<'a> #home))
                }
                None => {
                    let (form, kind, ty) = (shown(f.ty), self.table_type(f), self.value_type(f));
                    quote!(#form(#kind, #ty))
                }
            };
            quote!(#number #variant #value)
        });
        let oneof = &self.m.oneofs[oneof].name;
        quote! {
            ::hotpb::__oneof! {
                #name<'a>, #row, #oneof #method, #ty #lifetime, #case, #slot;
                #(#members;)*
            }
        }
    }

    pub(crate) fn oneof_borrows(&self, oneof: usize) -> bool {
        let borrows = |f: &Field| matches!(f.ty, Type::String | Type::Bytes | Type::Message);
        self.m.oneofs[oneof].slots.iter().any(|&s| borrows(&self.m.fields[s]))
    }

    /// Returns the enums of the oneofs.
    pub(super) fn oneof_enums(&self) -> TokenStream {
        let n = self.ctx.names;
        let inside = n.inside(self.id);
        let emit = |oneof: usize| {
            let name = n.oneof_enum(self.id, oneof);
            let lifetime = self.oneof_borrows(oneof).then(|| quote!(<'a>));
            let variants = self.m.oneofs[oneof].slots.iter().map(|&member| {
                let f = &self.m.fields[member];
                let variant = n.oneof_variant(self.id, member);
                let ty = match f.message {
                    Some(child) => {
                        let child = n.path(inside, child, &n.message(child));
                        quote!(#child<'a>)
                    }
                    None => match f.enum_type {
                        Some(e) => n.enum_path(inside, e),
                        None => self.value_type(f),
                    },
                };
                let own = crate::docs::attributes(&f.doc);
                quote!(#own #variant(#ty))
            });
            let doc = format!(" Oneof `{}` of `{}`.", self.m.oneofs[oneof].name, self.m.name);
            let own = crate::docs::attributes(&self.m.oneofs[oneof].doc);
            quote! {
                #[doc = #doc]
                #own
                #[derive(Clone, Copy, Debug, PartialEq)]
                pub enum #name #lifetime {
                    #(#variants,)*
                }
            }
        };
        (0..self.m.oneofs.len()).map(emit).collect()
    }

    /// Returns the result type of the accessor of a singular scalar, string, bytes or enum.
    pub(crate) fn value_type(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::String | Type::Bytes => self.text_type(f),
            Type::Enum => self.ctx.names.enum_path(self.module, f.enum_type.expect("an enum field has its type")),
            ty => super::rust_type(ty),
        }
    }

    /// Returns `&str` for strings that are always checked, `&ProtoStr` for others, or bytes.
    pub(crate) fn text_type(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::Bytes => quote!(&'a [u8]),
            _ if self.verified(f) => quote!(&'a str),
            _ => quote!(&'a ::hotpb::pool::ProtoStr),
        }
    }

    /// Returns the result of the accessor for an absent field, if the empty row does not already hold it.
    pub(crate) fn default_of(&self, f: &Field) -> Option<TokenStream> {
        let text = |bytes: &[u8]| match f.ty {
            Type::Bytes => {
                let lit = Literal::byte_string(bytes);
                quote!(#lit)
            }
            _ => match std::str::from_utf8(bytes) {
                Ok(s) if self.verified(f) => quote!(#s),
                _ => {
                    let lit = Literal::byte_string(bytes);
                    quote!(::hotpb::pool::ProtoStr::new(#lit))
                }
            },
        };
        if let (None, Some(_)) = (&f.default, f.enum_type) {
            let first = self.first_value(f);
            return (first != 0).then(|| self.enum_value(f, first));
        }
        Some(match f.default.as_ref()? {
            DefaultValue::Int(v) => match super::rust_type(f.ty).to_string().as_str() {
                "i32" => {
                    let v = Literal::i32_unsuffixed(*v as i32);
                    quote!(#v)
                }
                _ => {
                    let v = Literal::i64_unsuffixed(*v);
                    quote!(#v)
                }
            },
            DefaultValue::Uint(v) => {
                let v = Literal::u64_unsuffixed(*v);
                quote!(#v)
            }
            DefaultValue::Bool(v) => quote!(#v),
            DefaultValue::Float(bits) => {
                let bits = hex(*bits as u64, 8);
                quote!(f32::from_bits(#bits))
            }
            DefaultValue::Double(bits) => {
                let bits = hex(*bits, 16);
                quote!(f64::from_bits(#bits))
            }
            DefaultValue::String(bytes) | DefaultValue::Bytes(bytes) => text(bytes),
            DefaultValue::Enum { number, .. } => self.enum_value(f, *number),
        })
    }

    fn enum_value(&self, f: &Field, number: i32) -> TokenStream {
        let (e, number) = (self.value_type(f), Literal::i32_unsuffixed(number));
        quote!(<#e as ::core::convert::From<i32>>::from(#number))
    }

    /// Returns the zero of a field's type.
    pub(crate) fn zero_of(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::String if self.verified(f) => quote!(""),
            Type::String => quote!(::hotpb::pool::ProtoStr::new(&[])),
            Type::Bytes => quote!(&[]),
            Type::Bool => quote!(false),
            Type::Float | Type::Double => quote!(0.0),
            Type::Enum => self.enum_value(f, 0),
            _ => quote!(0),
        }
    }

    /// Returns a map's entry: its handle, and the impls that the runtime requires.
    fn entry_items(&self, code: TokenStream) -> TokenStream {
        let n = self.ctx.names;
        let (name, row, tables, table) = (n.message(self.id), n.row(self.id), self.tables(), n.table(self.id));
        let (schema, full) = (n.schema(self.id), &self.m.name);
        let (children, node, fields) = (self.child_rows(), self.node(), self.row_items());
        let (key, value) = (&self.m.fields[0], &self.m.fields[1]);
        let (key_slot, key_type, value_slot) = (self.slot(key), self.value_type(key), self.slot(value));
        let (key_how, query) = match key.ty {
            Type::String if self.verified(key) => (quote!(text), quote!(str)),
            Type::String => (quote!(text), quote!(::hotpb::pool::ProtoStr)),
            ty => (quote!(value), super::rust_type(ty)),
        };
        let shows = match value.message {
            Some(child) => {
                let (path, home) =
                    (self.path_to(child, n.message(child)), self.foreign(child).map(|home| quote!(, #home)));
                quote!(child(#value_slot, #path<'a> #home))
            }
            None => {
                let (form, ty) = (shown(value.ty), self.value_type(value));
                quote!(#form(#value_slot, #ty))
            }
        };
        quote! {
            ::hotpb::__entry! {
                #name<'a>, #row, #tables, #table, #schema, #full;
                key #key_how(#key_slot, #key_type, #query);
                value #shows;
                #children #node;
                #fields #code
            }
        }
    }
}

/// Returns the conversion of a row's value to the accessor's result.
fn shown(ty: Type) -> Ident {
    let form = match ty {
        Type::String | Type::Bytes => "text",
        Type::Enum => "number",
        _ => "value",
    };
    Ident::new(form, Span::call_site())
}

fn hex(bits: u64, digits: usize) -> Literal {
    format!("0x{bits:0digits$x}").parse().expect("a number in hexadecimal is a literal")
}
