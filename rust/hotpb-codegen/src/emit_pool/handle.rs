//! Handles: what a user holds. Three references; each accessor is a load, strings a slice of the input.

use super::{Msg, Storage};
use crate::plan::{DefaultValue, Field, Presence, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

impl Msg<'_> {
    /// The handle with its accessors, the pool's name, and what the runtime wants to know.
    pub(super) fn handle_items(&self) -> TokenStream {
        let n = self.ctx.names;
        let (name, row, tables) = (n.message(self.id), n.row(self.id), self.tables());
        let doc = self.docs();
        let accessors = self.m.fields.iter().map(|f| self.accessors(f));
        let accessors: TokenStream = if self.m.map_entry { TokenStream::new() } else { accessors.collect() };
        let oneofs: TokenStream = (0..self.m.oneofs.len()).map(|i| self.oneof_accessor(i)).collect();
        let table = n.table(self.id);
        let (rows, unknown) =
            if self.m.map_entry { (quote!(.rows), None) } else { (quote!(), Some(quote!(, unknown_fields))) };
        let extra = if self.m.map_entry { self.entry_impls() } else { self.root_impls() };
        let extendable = (!self.m.extension_ranges.is_empty()).then(|| self.extendable_impl());
        quote! {
            #doc
            #[derive(Clone, Copy)]
            pub struct #name<'a> {
                t: &'a #tables,
                input: &'a [u8],
                row: &'a #row,
            }
            #[allow(dead_code)]
            impl<'a> #name<'a> {
                #accessors
                #oneofs
            }
            ::hotpb::__handle! { #name, #row, #tables, [#table #rows] #unknown }
            #extendable
            #extra
        }
    }

    fn docs(&self) -> TokenStream {
        let line = format!(" Message `{}`.", self.m.name);
        let own = crate::docs::attributes(&self.m.doc);
        let skipped = crate::docs::attributes(&self.skipped_docs());
        let hidden = self.m.map_entry.then(|| quote!(#[doc(hidden)]));
        quote!(#[doc = #line] #own #skipped #hidden)
    }

    /// What `only=` and `skip=` leave out, as a comment.
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
        let kept = if self.ctx.options.keep_skipped { "kept among the unknown fields" } else { "dropped" };
        docs + &format!("\nTheir records are checked as those of unknown fields are, and {kept}.\n")
    }

    /// Accessors of one field.
    fn accessors(&self, f: &Field) -> TokenStream {
        let n = self.ctx.names;
        let method = n.method(self.id, f.slot);
        let slot = self.slot(f);
        let doc = {
            let line = format!(" `{}` = {}", f.name, f.number);
            let own = crate::docs::attributes(&f.doc);
            quote!(#[doc = #line] #own)
        };
        if Storage::of(f) == Storage::Oneof {
            return self.member_accessors(f, doc);
        }
        let (ty, body) = match Storage::of(f) {
            Storage::Run if f.ty == Type::Enum => {
                let e = n.enum_path(self.module, f.enum_type.expect("an enum field has its type"));
                let ty = quote!(::hotpb::pool::Enums<'a, #e>);
                (ty, quote!(::hotpb::pool::Enums::new(self.t.scalars.i32s.get(self.row.#slot))))
            }
            Storage::Run => {
                let runs = super::runs_of(f.ty);
                let get = quote!(self.t.scalars.#runs.get(self.row.#slot));
                match f.ty {
                    Type::String | Type::Bytes => {
                        let item = self.text_type(f);
                        let body = quote! {
                            /// SAFETY: decoding checked these spans of this very input, as the field's type asks.
                            unsafe { ::hotpb::pool::Spans::new(#get, self.input) }
                        };
                        (quote!(::hotpb::pool::Spans<'a, #item>), body)
                    }
                    ty => {
                        let item = super::rust_type(ty);
                        (quote!(&'a [#item]), get)
                    }
                }
            }
            Storage::List => {
                let (child, t) = self.child(f);
                (
                    quote!(::hotpb::pool::Rows<'a, #child<'a>>),
                    quote!(::hotpb::pool::Rows::new(#t, self.input, self.row.#slot)),
                )
            }
            Storage::Map => {
                let (child, t) = self.child(f);
                (
                    quote!(::hotpb::pool::Map<'a, #child<'a>>),
                    quote!(::hotpb::pool::Map::new(#t, self.input, self.row.#slot)),
                )
            }
            Storage::Child => {
                let (child, t) = self.child(f);
                let has = n.has(self.id, f.slot);
                let make = self.child_handle(f, quote!(self.row.#slot));
                let _ = t;
                return quote! {
                    #doc
                    #[inline]
                    pub fn #method(self) -> ::core::option::Option<#child<'a>> {
                        if self.row.#slot == 0 {
                            return ::core::option::Option::None;
                        }
                        ::core::option::Option::Some(#make)
                    }
                    /// Whether it is there.
                    #[inline]
                    pub fn #has(self) -> bool {
                        self.row.#slot != 0
                    }
                };
            }
            _ => {
                let ty = self.value_type(f);
                let value = self.value_of(f, quote!(self.row.#slot));
                let Some(has) = self.get_has(f, quote!(self.row)) else {
                    return quote! {
                        #doc
                        #[inline]
                        pub fn #method(self) -> #ty {
                            #value
                        }
                    };
                };
                let body = match self.default_of(f) {
                    None => value,
                    Some(default) => quote!(if #has { #value } else { #default }),
                };
                let has_method = n.has(self.id, f.slot);
                return quote! {
                    #doc
                    #[inline]
                    pub fn #method(self) -> #ty {
                        #body
                    }
                    /// Whether it is there.
                    #[inline]
                    pub fn #has_method(self) -> bool {
                        #has
                    }
                };
            }
        };
        quote! {
            #doc
            #[inline]
            pub fn #method(self) -> #ty {
                #body
            }
        }
    }

    fn member_accessors(&self, f: &Field, doc: TokenStream) -> TokenStream {
        let n = self.ctx.names;
        let (case, slot) = self.oneof_slots(f.oneof.expect("a oneof member"));
        let (method, has) = (n.method(self.id, f.slot), n.has(self.id, f.slot));
        let number = Literal::u32_unsuffixed(f.number);
        let value = self.member_value(f, &quote!(self.row.#slot));
        let (ty, body) = match f.message {
            Some(_) => {
                let (child, _) = self.child(f);
                (
                    quote!(::core::option::Option<#child<'a>>),
                    quote! {
                        if self.row.#case != #number {
                            return ::core::option::Option::None;
                        }
                        ::core::option::Option::Some(#value)
                    },
                )
            }
            None => {
                let default = self.default_of(f).unwrap_or_else(|| self.zero_of(f));
                (self.value_type(f), quote!(if self.row.#case == #number { #value } else { #default }))
            }
        };
        quote! {
            #doc
            #[inline]
            pub fn #method(self) -> #ty {
                #body
            }
            /// Whether it is the member that is set.
            #[inline]
            pub fn #has(self) -> bool {
                self.row.#case == #number
            }
        }
    }

    fn oneof_accessor(&self, oneof: usize) -> TokenStream {
        let n = self.ctx.names;
        let (case, slot) = self.oneof_slots(oneof);
        let (method, ty) = (n.oneof_method(self.id, oneof), n.oneof_path(self.module, self.id, oneof));
        let lifetime = self.oneof_borrows(oneof).then(|| quote!(<'a>));
        let arms = self.m.oneofs[oneof].slots.iter().map(|&member| {
            let f = &self.m.fields[member];
            let (number, variant) = (Literal::u32_unsuffixed(f.number), n.oneof_variant(self.id, member));
            let value = self.member_value(f, &quote!(self.row.#slot));
            quote!(#number => #ty::#variant(#value),)
        });
        let doc = format!(" The member of oneof `{}` that is set.", self.m.oneofs[oneof].name);
        quote! {
            #[doc = #doc]
            #[inline]
            pub fn #method(self) -> ::core::option::Option<#ty #lifetime> {
                ::core::option::Option::Some(match self.row.#case {
                    #(#arms)*
                    _ => return ::core::option::Option::None,
                })
            }
        }
    }

    fn oneof_borrows(&self, oneof: usize) -> bool {
        let borrows = |f: &Field| matches!(f.ty, Type::String | Type::Bytes | Type::Message);
        self.m.oneofs[oneof].slots.iter().any(|&s| borrows(&self.m.fields[s]))
    }

    /// The enums of the oneofs.
    pub(super) fn oneof_enums(&self) -> TokenStream {
        let n = self.ctx.names;
        let inside = n.inside(self.id);
        let one = |oneof: usize| {
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
                let doc = format!(" `{}` = {}", f.name, f.number);
                let own = crate::docs::attributes(&f.doc);
                quote!(#[doc = #doc] #own #variant(#ty))
            });
            let doc = format!(" Oneof `{}` of `{}`.", self.m.oneofs[oneof].name, self.m.name);
            let own = crate::docs::attributes(&self.m.oneofs[oneof].doc);
            quote! {
                #[doc = #doc]
                #own
                #[derive(Clone, Copy)]
                pub enum #name #lifetime {
                    #(#variants,)*
                }
            }
        };
        (0..self.m.oneofs.len()).map(one).collect()
    }

    /// Handle type of a message field, and the tables to make it with.
    fn child(&self, f: &Field) -> (TokenStream, TokenStream) {
        let child = f.message.expect("a message field has its type");
        let t = if self.foreign(child) { quote!(&self.t.wkt) } else { quote!(self.t) };
        (self.path_to(child, self.ctx.names.message(child)), t)
    }

    /// The expression that makes a child's handle from its row's index.
    fn child_handle(&self, f: &Field, index: TokenStream) -> TokenStream {
        let (ty, t) = self.child(f);
        quote!(::hotpb::pool::handle::<#ty<'a>>(#t, self.input, #index))
    }

    /// What an accessor of a singular scalar, string, bytes or enum gives.
    pub(crate) fn value_type(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::String | Type::Bytes => self.text_type(f),
            Type::Enum => self.ctx.names.enum_path(self.module, f.enum_type.expect("an enum field has its type")),
            ty => super::rust_type(ty),
        }
    }

    /// `&str` where the schema has it checked, else `&ProtoStr`; bytes.
    pub(crate) fn text_type(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::Bytes => quote!(&'a [u8]),
            _ if self.verified(f) => quote!(&'a str),
            _ => quote!(&'a ::hotpb::pool::ProtoStr),
        }
    }

    /// From the row's form of a value to the accessor's.
    fn value_of(&self, f: &Field, stored: TokenStream) -> TokenStream {
        match f.ty {
            Type::String | Type::Bytes => {
                let row = self.ctx.names.row(self.id);
                quote!(#row::text(#stored, self.input))
            }
            Type::Enum => {
                let e = self.value_type(f);
                quote!(<#e as ::core::convert::From<i32>>::from(#stored))
            }
            _ => stored,
        }
    }

    /// From the 64 bits of a oneof's slot to the accessor's form of a member.
    fn member_value(&self, f: &Field, bits: &TokenStream) -> TokenStream {
        match f.ty {
            Type::Message => self.child_handle(f, quote!(#bits as u32)),
            Type::String | Type::Bytes => self.value_of(f, quote!(::hotpb::wire::Span::from_bits(#bits))),
            Type::Enum => self.value_of(f, quote!(#bits as i32)),
            ty => super::encode::from_bits(ty, bits.clone()),
        }
    }

    /// What an absent field gives, when that is not what an empty row holds anyway.
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

    /// The zero of a field's type.
    fn zero_of(&self, f: &Field) -> TokenStream {
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

    /// The pool, and what the runtime needs of a message that can be a root.
    fn root_impls(&self) -> TokenStream {
        let n = self.ctx.names;
        let (name, row, tables) = (n.message(self.id), n.row(self.id), self.tables());
        let (pool, schema, table) = (n.pool(self.id), n.schema(self.id), n.table(self.id));
        let facts = self.ctx.facts;
        let cleared = facts.holds_shipped[self.id.0].then(|| quote!((.wkt)));
        let own_maps = facts.own_maps[self.id.0].then(|| quote!(()));
        let shipped_maps = facts.shipped_maps[self.id.0].then(|| quote!((.wkt)));
        let missing = self.may_miss(self.id).then(|| quote!(missing));
        let doc = format!(" Memory to decode `{}` into, again and again. Keep one per worker.", self.m.name);
        quote! {
            #[doc = #doc]
            pub type #pool = ::hotpb::pool::Pool<#name<'static>>;
            ::hotpb::__message! {
                #name, #row, #tables, #table, #schema;
                clear [() #cleared];
                finish [#own_maps #shipped_maps];
                [#missing];
            }
        }
    }

    /// What the runtime needs of a map entry.
    fn entry_impls(&self) -> TokenStream {
        let n = self.ctx.names;
        let (name, row, tables, table) = (n.message(self.id), n.row(self.id), self.tables(), n.table(self.id));
        let (key, value) = (&self.m.fields[0], &self.m.fields[1]);
        let (key_slot, value_slot) = (self.slot(key), self.slot(value));
        let key_type = self.value_type(key);
        let get_key = self.value_of(key, quote!(self.row.#key_slot));
        let (query, get_query, compared, get_compared) = match key.ty {
            Type::String => {
                let query = if self.verified(key) { quote!(str) } else { quote!(::hotpb::pool::ProtoStr) };
                (query, get_key.clone(), quote!(&'i [u8]), quote!(self.#key_slot.bytes(input)))
            }
            ty => {
                let number = super::rust_type(ty);
                (number.clone(), quote!(&self.row.#key_slot), number, quote!(self.#key_slot))
            }
        };
        let (value_type, get_value) = match value.message {
            Some(_) => {
                let (child, _) = self.child(value);
                (quote!(#child<'a>), self.child_handle(value, quote!(self.row.#value_slot)))
            }
            None => (self.value_type(value), self.value_of(value, quote!(self.row.#value_slot))),
        };
        let input = if key.ty == Type::String { quote!(input) } else { quote!(_input) };
        quote! {
            impl<'a> ::hotpb::pool::Entry<'a> for #name<'a> {
                type Query = #query;
                type Key = #key_type;
                type Value = #value_type;
                fn entries(t: &'a #tables) -> &'a ::hotpb::pool::EntryTable<#row> {
                    &t.#table
                }
                #[inline]
                fn query(&self) -> &'a #query {
                    #get_query
                }
                #[inline]
                fn key(&self) -> #key_type {
                    #get_key
                }
                #[inline]
                fn value(&self) -> #value_type {
                    #get_value
                }
            }
            impl ::hotpb::pool::EntryRow for #row {
                type Key<'i> = #compared;
                fn key<'i>(&self, #input: &'i [u8]) -> #compared {
                    #get_compared
                }
            }
        }
    }
}

fn hex(bits: u64, digits: usize) -> Literal {
    format!("0x{bits:0digits$x}").parse().expect("a number in hexadecimal is a literal")
}
