//! Emits `+visitor`: per message a trait with a method for each field, and the decoder that drives it, straight from
//! the bytes.

use crate::emit::{Context, Items};
use crate::emit_pool::{Msg, Storage, rust_type};
#[cfg(feature = "testing")]
use crate::names::Module;
use crate::plan::{Field, MessageId, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// Emits the visitor of one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    if msg.m.map_entry {
        return Items::default();
    }
    let v = Visit { msg: &msg };
    Items { here: [v.trait_items(), v.driver()].into_iter().collect(), nested: TokenStream::new() }
}

/// What the methods of a visitor are given, field by field, as seen from a module.
#[cfg(feature = "testing")]
pub(crate) fn parameters_from(msg: &Msg<'_>, from: &Module) -> Vec<TokenStream> {
    let seen = Msg { ctx: msg.ctx, id: msg.id, m: msg.m, module: from };
    let v = Visit { msg: &seen };
    msg.m.fields.iter().map(|f| v.parameters(f)).collect()
}

struct Visit<'m, 'c> {
    msg: &'m Msg<'c>,
}

impl Visit<'_, '_> {
    fn trait_items(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let name = n.visitor(msg.id);
        let methods = msg.m.fields.iter().map(|f| {
            let (method, parameters) = (n.method(msg.id, f.slot), self.parameters(f));
            let line = format!(" `{}` = {}", f.name, f.number);
            let own = crate::docs::attributes(&f.doc);
            quote! {
                #[doc = #line]
                #own
                #[inline]
                fn #method(&mut self, #parameters) -> ::hotpb::pool::Flow<Self::Error> {
                    ::core::result::Result::Ok(())
                }
            }
        });
        let line = format!(" Sees the fields of `{}` as they come; what a method leaves is only checked.", msg.m.name);
        quote! {
            #[doc = #line]
            pub trait #name<'a> {
                /// What ends a visit early.
                type Error;
                #(#methods)*
                /// A field that the schema does not know.
                #[inline]
                fn unknown_fields(&mut self, field: ::hotpb::pool::Unknown<'a>) -> ::hotpb::pool::Flow<Self::Error> {
                    ::core::result::Result::Ok(())
                }
            }
            impl<'a> #name<'a> for ::hotpb::pool::Ignore {
                type Error = ::core::convert::Infallible;
            }
        }
    }

    /// What the method of a field is given.
    fn parameters(&self, f: &Field) -> TokenStream {
        match Storage::of(f) {
            Storage::Map => {
                let (entry, key, value) = self.entry(f);
                let key = entry.shown(key, self);
                let value = match value.message {
                    Some(_) => self.records(value),
                    None => entry.shown(value, self),
                };
                quote!(key: #key, value: #value)
            }
            Storage::Run if f.ty.is_packable() => {
                let kind = self.msg.value_kind(f, self.msg.module);
                quote!(values: ::hotpb::pool::Elements<'a, #kind>)
            }
            _ if f.message.is_some() => {
                let records = self.records(f);
                quote!(records: #records)
            }
            _ => {
                let ty = self.msg.value_type(f);
                quote!(value: #ty)
            }
        }
    }

    fn records(&self, f: &Field) -> TokenStream {
        let child = f.message.expect("a message field has its type");
        let child = self.msg.path_to(child, self.msg.ctx.names.message(child));
        quote!(&mut ::hotpb::pool::Records<'a, '_, #child<'static>>)
    }

    /// Key and value of a map.
    fn entry(&self, f: &Field) -> (Entry<'_>, &Field, &Field) {
        let entry = Entry { msg: Msg::new(self.msg.ctx, f.message.expect("a map field has its entry")) };
        let (key, value) = self.msg.ctx.plan.map_fields(entry.msg.id);
        (entry, key, value)
    }

    fn driver(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let (name, handle) = (n.visitor(msg.id), n.message(msg.id));
        let (arms, outlined) = self.all_arms();
        let dropped = msg.ctx.dropped(msg.id).iter().map(|f| Literal::u32_unsuffixed(f.number)).collect::<Vec<_>>();
        let flat = self.is_flat().then(|| {
            quote!(
                const FLAT: bool = true;
            )
        });
        let recursive = msg.m.recursion != 0;
        let dropped = (!dropped.is_empty()).then(|| quote!(if !::core::matches!(tag >> 3, #(#dropped)|*)));
        quote! {
            /// SAFETY: generated: fills no tables.
            unsafe impl<'a, __V: #name<'a> + ?::core::marker::Sized> ::hotpb::pool::VisitWith<'a, __V> for #handle<'static> {
                type Error = __V::Error;
                #flat
                const RECURSIVE: bool = #recursive;
                fn visit(
                    v: &mut __V,
                    d: &mut ::hotpb::pool::__rt::Decoder<'a>,
                    mut c: ::hotpb::wire::__rt::Cursor<'a>,
                ) -> ::hotpb::pool::Flow<__V::Error> {
                    use ::hotpb::pool::__rt::need;
                    #outlined
                    while !c.at_end() {
                        let start = d.at(&c);
                        let tag = c.next_tag();
                        match tag {
                            #arms
                            _ => {
                                let field = need(::hotpb::pool::__rt::unknown(&mut c, d, start, tag))?;
                                #dropped { v.unknown_fields(::hotpb::pool::Unknown::Record(field))?; }
                            }
                        }
                    }
                    ::core::result::Result::Ok(())
                }
            }
        }
    }

    /// Whether a message is nothing but checked text and small numbers.
    fn is_flat(&self) -> bool {
        let fields = &self.msg.m.fields;
        let small = |f: &Field| {
            f.message.is_none() && matches!(f.ty, Type::String | Type::Bool | Type::Enum | Type::Int32 | Type::Uint32)
        };
        fields.iter().all(small) && fields.iter().any(|f| self.msg.verified(f))
    }

    /// The arms of the fields, and functions that they call. Of wide and recursive messages each field that holds messages
    /// is in a function of its own, and all others are in one: without optimisation each arm takes room on the stack, and
    /// untrusted input decides how deep that gets.
    fn all_arms(&self) -> (TokenStream, TokenStream) {
        let msg = self.msg;
        if msg.local() {
            return (msg.m.fields.iter().map(|f| self.arms(f)).collect(), TokenStream::new());
        }
        let name = msg.ctx.names.visitor(msg.id);
        let function = |function: Ident, body: TokenStream| {
            quote! {
                #[inline]
                fn #function<'a, __V: #name<'a> + ?::core::marker::Sized>(
                    v: &mut __V,
                    d: &mut ::hotpb::pool::__rt::Decoder<'a>,
                    mut c: ::hotpb::wire::__rt::Cursor<'a>,
                    start: u32,
                    tag: u32,
                ) -> ::core::result::Result<::hotpb::wire::__rt::Cursor<'a>, ::hotpb::pool::Stop<__V::Error>> {
                    #body
                    ::core::result::Result::Ok(c)
                }
            }
        };
        let (nested, plain): (Vec<&Field>, Vec<&Field>) = msg.m.fields.iter().partition(|f| f.message.is_some());
        let mut arms = TokenStream::new();
        let mut functions = TokenStream::new();
        for f in nested {
            let field = format_ident!("field_{}", f.number);
            functions.extend(function(field.clone(), self.body(f)));
            arms.extend(self.arm(f, f.wire_type, quote!(c = #field(v, d, c, start, tag)?;)));
        }
        if !plain.is_empty() {
            let tags = plain.iter().flat_map(|f| {
                let packed = Storage::of(f) == Storage::Run && f.ty.is_packable();
                let tag = |wire_type: u8| Literal::u32_unsuffixed(f.number << 3 | wire_type as u32);
                [Some(tag(f.wire_type)), packed.then(|| tag(2))].into_iter().flatten()
            });
            arms.extend(quote!(#(#tags)|* => { c = plain(v, d, c, start, tag)?; }));
            let plain = plain.iter().map(|f| self.arms(f));
            functions.extend(function(format_ident!("plain"), quote!(match tag { #(#plain)* _ => {} })));
        }
        (arms, functions)
    }

    fn arm(&self, f: &Field, wire_type: u8, body: TokenStream) -> TokenStream {
        let tag = f.number << 3 | wire_type as u32;
        let mut bytes = Vec::new();
        hotpb::wire::append_varint(&mut bytes, tag as u64);
        let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let packed = if wire_type == 2 && f.ty.is_packable() { ", packed" } else { "" };
        let doc = format!(" {} = {}{packed}: {}", f.name, f.number, bytes.join(" "));
        let tag = Literal::u32_unsuffixed(tag);
        quote!(#[doc = #doc] #tag => { #body })
    }

    fn arms(&self, f: &Field) -> TokenStream {
        let one = self.arm(f, f.wire_type, self.body(f));
        if Storage::of(f) == Storage::Run && f.ty.is_packable() {
            let packed = self.arm(f, 2, self.packed(f));
            return quote!(#one #packed);
        }
        one
    }

    fn body(&self, f: &Field) -> TokenStream {
        let method = self.msg.ctx.names.method(self.msg.id, f.slot);
        match Storage::of(f) {
            Storage::Map => self.map(f),
            _ if f.message.is_some() => quote! {
                let mut records = ::hotpb::pool::Records::new(d, c, start, tag);
                v.#method(&mut records)?;
                c = records.finish()?;
            },
            Storage::Run if f.ty.is_packable() => {
                let one = quote!(need(::hotpb::pool::Elements::one(&mut c, d))?);
                match self.msg.defined(f, quote!(value)) {
                    None => quote!(v.#method(#one)?;),
                    Some(test) => {
                        let undefined = self.undefined(f);
                        quote! {
                            let values = #one;
                            let value = ::hotpb::pool::__rt::value::int32(need(::hotpb::wire::__rt::Cursor::new(values.bytes()).varint())?);
                            if #test { v.#method(values)?; } else { #undefined }
                        }
                    }
                }
            }
            _ => {
                let read = self.read(f);
                match self.msg.defined(f, quote!(value)) {
                    None if f.ty == Type::Enum => quote!(let value = #read; v.#method(value.into())?;),
                    None => quote!(v.#method(#read)?;),
                    Some(test) => {
                        let undefined = self.undefined(f);
                        quote!(let value = #read; if #test { v.#method(value.into())?; } else { #undefined })
                    }
                }
            }
        }
    }

    fn undefined(&self, f: &Field) -> TokenStream {
        let number = Literal::u32_unsuffixed(f.number);
        quote!(v.unknown_fields(::hotpb::pool::Unknown::EnumValue { number: #number, value })?;)
    }

    fn packed(&self, f: &Field) -> TokenStream {
        let method = self.msg.ctx.names.method(self.msg.id, f.slot);
        let all = quote!(need(::hotpb::pool::Elements::packed(&mut c))?);
        let Some(test) = self.msg.defined(f, quote!(value)) else {
            return quote!(v.#method(#all)?;);
        };
        let undefined = self.undefined(f);
        quote! {
            let values = #all;
            v.#method(values.clone().defined_by(|value| #test))?;
            for value in values {
                let value = i32::from(value);
                if !(#test) { #undefined }
            }
        }
    }

    /// The expression that reads a singular value.
    fn read(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::String if self.msg.verified(f) => quote!(need(d.str(&mut c))?),
            Type::String => quote!(need(d.proto_str(&mut c))?),
            Type::Bytes => quote!(need(c.bytes())?),
            Type::Fixed32 | Type::Fixed64 | Type::Sfixed32 | Type::Sfixed64 | Type::Float | Type::Double => {
                let ty = rust_type(f.ty);
                match f.ty {
                    Type::Float => quote!(f32::from_bits(need(c.fixed32())?)),
                    Type::Double => quote!(f64::from_bits(need(c.fixed64())?)),
                    Type::Fixed32 | Type::Sfixed32 => quote!(need(c.fixed32())? as #ty),
                    _ => quote!(need(c.fixed64())? as #ty),
                }
            }
            ty => {
                let convert = format_ident!("{}", crate::emit_pool::convert_name(ty));
                quote!(::hotpb::pool::__rt::value::#convert(need(c.varint())?))
            }
        }
    }

    fn map(&self, f: &Field) -> TokenStream {
        let method = self.msg.ctx.names.method(self.msg.id, f.slot);
        let (entry, key, value) = self.entry(f);
        let key_kind = entry.msg.value_kind(key, self.msg.module);
        let key_value = entry.or_default(key, quote!(key), self);
        if value.message.is_some() {
            let tag = Literal::u32_unsuffixed(2 << 3 | value.wire_type as u32);
            return quote! {
                let (entry, key, _) = need(::hotpb::pool::__rt::entry::<#key_kind, ::hotpb::pool::__rt::NoValue>(&mut c, d))?;
                need(d.enter())?;
                let mut value = ::hotpb::pool::Records::of_entry(d, entry, #tag);
                v.#method(#key_value, &mut value)?;
                value.finish()?;
                d.leave();
            };
        }
        let value_kind = entry.msg.value_kind(value, self.msg.module);
        let read =
            quote!(let (_, key, value) = need(::hotpb::pool::__rt::entry::<#key_kind, #value_kind>(&mut c, d))?;);
        let value_value = entry.or_default(value, quote!(value), self);
        let call = quote!(v.#method(#key_value, #value_value)?;);
        match entry.msg.defined(value, quote!(i32::from(value))) {
            None => quote!(#read #call),
            Some(test) => quote! {
                let from = c;
                #read
                if value.is_none_or(|value| #test) {
                    #call
                } else {
                    c = from;
                    let field = need(::hotpb::pool::__rt::unknown(&mut c, d, start, tag))?;
                    v.unknown_fields(::hotpb::pool::Unknown::Record(field))?;
                }
            },
        }
    }
}

/// The entry of a map.
struct Entry<'c> {
    msg: Msg<'c>,
}

impl Entry<'_> {
    /// Type of a key or value, seen from the message that has the map.
    fn shown(&self, f: &Field, of: &Visit<'_, '_>) -> TokenStream {
        match f.ty {
            Type::String | Type::Bytes => self.msg.text_type(f),
            Type::Enum => self.msg.ctx.names.enum_path(of.msg.module, f.enum_type.expect("an enum field has its type")),
            ty => rust_type(ty),
        }
    }

    /// What was read, or the default (MAP-1).
    fn or_default(&self, f: &Field, read: TokenStream, of: &Visit<'_, '_>) -> TokenStream {
        let zero = match f.ty {
            Type::String if self.msg.verified(f) => quote!(""),
            Type::String => quote!(::hotpb::pool::ProtoStr::new(&[])),
            Type::Bytes => quote!(&[]),
            Type::Enum => {
                let (ty, first) = (self.shown(f, of), Literal::i32_unsuffixed(self.msg.first_value(f)));
                quote!(<#ty as ::core::convert::From<i32>>::from(#first))
            }
            _ => return quote!(#read.unwrap_or_default()),
        };
        quote!(#read.unwrap_or(#zero))
    }
}
