//! Emits the writer face: per message `FooWriter`, a borrow with the setters of the message, and `FooFields`.
//!
//! ```text
//!   scalar x         x(value)
//!   string, bytes x  x(value), x_parts(&[…])
//!   packed x         x(&[…]), x_from(iterator), open_x() → guard
//!   message x        x(|child| …), open_x() → guard, x_raw(encoded)
//!   map x            x(key, value); message values: x(key, |value| …), open_x(key), x_raw(key, encoded)
//!   extension x      write_x(&mut writer, …), open_x(&mut writer): functions where the extension is declared
//! ```

use crate::docs;
use crate::emit::{Context, Items};
use crate::names::Module;
use crate::plan::{Extension, Field, Message, MessageId, Type, Utf8};
use crate::writer_names::{FieldNames, Shape};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// Emits one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let m = &ctx.plan[id];
    if m.map_entry {
        return Items::default();
    }
    let (name, constants) = (ctx.names.writer(id), ctx.names.constants(id));
    let setters = m.fields.iter().map(|field| {
        let names = ctx.names.setters(id, field.slot);
        FieldEmitter { ctx, from: ctx.names.module(id), field, names, of: None }.setters()
    });
    let line = format!(" Writes a `{}`.", m.name);
    let own = docs::with_deprecation(&m.doc, m.deprecated);
    let here = quote! {
        #[doc = #line]
        #own
        pub struct #name<'a> {
            raw: ::hotpb::writer::__rt::MessageWriter<'a>,
        }
        #[allow(dead_code, deprecated)]
        impl<'a> #name<'a> {
            /// Begins a message in an output.
            #[inline(always)]
            pub fn new<__O: ::hotpb::writer::Output + ?::core::marker::Sized>(output: &'a mut __O) -> Self {
                #name { raw: output.message() }
            }
            /// Begins a message behind its length (a delimited stream).
            pub fn delimited<__O: ::hotpb::writer::Output + ?::core::marker::Sized>(output: &'a mut __O) -> Self {
                #name { raw: output.delimited() }
            }
            /// Ends the message: its length, or what went wrong.
            #[inline(always)]
            pub fn finish(self) -> ::core::result::Result<u64, ::hotpb::writer::WriteError> {
                self.raw.finish()
            }
            /// What there is of the message so far, or what went wrong.
            #[inline]
            pub fn status(&self) -> ::core::result::Result<u64, ::hotpb::writer::WriteError> {
                self.raw.status()
            }
            /// Encoded fields of this message, as they are.
            #[inline]
            pub fn append_raw(&mut self, fields: &[u8]) -> &mut Self {
                self.raw.append_raw(fields);
                self
            }
            #(#setters)*
        }
        #[allow(deprecated)]
        impl<'a> ::hotpb::writer::Writer<'a> for #name<'a> {
            #[inline(always)]
            fn from_raw(raw: ::hotpb::writer::__rt::MessageWriter<'a>) -> Self {
                #name { raw }
            }
            #[inline(always)]
            fn raw(&mut self) -> &mut ::hotpb::writer::__rt::MessageWriter<'a> {
                &mut self.raw
            }
        }
    };
    let table = field_constants(ctx, id, m, &constants);
    Items { here: quote!(#here #table), nested: TokenStream::new() }
}

fn field_constants(ctx: &Context<'_>, id: MessageId, m: &Message, table: &Ident) -> TokenStream {
    let doc = format!(" The fields of `{}`: numbers and names.", m.name);
    let constants = m.fields.iter().map(|field| {
        let constant = crate::idents::ident(&ctx.names.setters(id, field.slot).constant);
        let (number, name) = (Literal::u32_unsuffixed(field.number), &field.name);
        let doc = format!(" `{name}` = {number}");
        quote! {
            #[doc = #doc]
            pub const #constant: ::hotpb::FieldInfo = ::hotpb::FieldInfo { number: #number, name: #name };
        }
    });
    quote! {
        #[doc = #doc]
        pub struct #table;
        #[allow(dead_code)]
        impl #table {
            #(#constants)*
        }
    }
}

/// Emits the functions of an extension.
pub(crate) fn extension(ctx: &Context<'_>, extendee: MessageId, x: &Extension) -> TokenStream {
    let Some(names) = ctx.names.extension_writer(x) else { return TokenStream::new() };
    let from = ctx.names.extension_module(x);
    FieldEmitter { ctx, from, field: &x.field, names, of: Some((extendee, x)) }.setters()
}

/// The setters of one field: methods, or functions that take the writer first.
struct FieldEmitter<'e> {
    ctx: &'e Context<'e>,
    /// Where they stand.
    from: &'e Module,
    field: &'e Field,
    names: &'e FieldNames,
    of: Option<(MessageId, &'e Extension)>,
}

impl FieldEmitter<'_> {
    fn setters(&self) -> TokenStream {
        match Shape::of(self.field) {
            _ if self.field.is_map() => self.map(),
            Shape::Child => self.child(),
            Shape::Packed => self.packed(),
            Shape::Text => self.text(),
            Shape::Plain => self.scalar(),
        }
    }

    // ---- shapes of functions ----

    fn docs(&self) -> TokenStream {
        let f = self.field;
        let tag: Vec<String> = f.tag.iter().map(|byte| format!("{byte:02x}")).collect();
        let what = match self.of {
            Some((of, x)) => format!(" Extension `{}` = {} of `{}`", x.name, f.number, self.ctx.plan[of].name),
            None => format!(" `{}` = {}", f.name, f.number),
        };
        let line = if tag.is_empty() { what } else { format!("{what}, tag `{}`", tag.join(" ")) };
        let own = docs::with_deprecation(&f.doc, f.deprecated);
        quote!(#[doc = #line] #own)
    }

    /// A function that writes something and gives its writer back, or nothing.
    fn function(&self, docs: TokenStream, name: &str, arguments: TokenStream, call: TokenStream) -> TokenStream {
        let name = crate::idents::ident(name);
        match self.of {
            None => quote! {
                #docs
                #[inline]
                pub fn #name(&mut self, #arguments) -> &mut Self {
                    self.raw.#call;
                    self
                }
            },
            Some((of, _)) => {
                let writer = self.ctx.names.path(self.from, of, &self.ctx.names.writer(of));
                quote! {
                    #docs
                    #[allow(dead_code, deprecated)]
                    #[inline]
                    pub fn #name(writer: &mut #writer<'_>, #arguments) {
                        ::hotpb::writer::Writer::raw(writer).#call;
                    }
                }
            }
        }
    }

    /// A function that gives a guard.
    fn guard(
        &self,
        docs: TokenStream,
        arguments: TokenStream,
        call: TokenStream,
        guard: &dyn Fn(TokenStream) -> TokenStream,
    ) -> TokenStream {
        let name = crate::idents::ident(&self.names.open);
        let guard = guard(if self.of.is_some() { quote!('c) } else { quote!('_) });
        match self.of {
            None => quote! {
                #docs
                #[inline]
                pub fn #name(&mut self, #arguments) -> #guard {
                    self.raw.#call
                }
            },
            Some((of, _)) => {
                let writer = self.ctx.names.path(self.from, of, &self.ctx.names.writer(of));
                quote! {
                    #docs
                    #[allow(dead_code, deprecated)]
                    #[inline]
                    pub fn #name<'c>(writer: &'c mut #writer<'_>, #arguments) -> #guard {
                        ::hotpb::writer::Writer::raw(writer).#call
                    }
                }
            }
        }
    }

    fn tag(&self) -> Literal {
        let mut tag = 0u64;
        for (i, byte) in self.field.tag.iter().enumerate() {
            tag |= ((byte & 0x7f) as u64) << (7 * i);
        }
        format!("0x{tag:02x}").parse().unwrap_or_else(|_| Literal::u64_unsuffixed(tag))
    }

    // ---- values ----

    fn verified(&self, f: &Field) -> bool {
        f.ty == Type::String && (f.utf8 == Some(Utf8::Verify) || self.ctx.options.strict)
    }

    /// What a setter takes. Strings that readers check are `str`; others may hold any bytes.
    fn value_type(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::String if self.verified(f) => quote!(&str),
            Type::String | Type::Bytes => quote!(impl ::core::convert::AsRef<[u8]>),
            Type::Enum => self.ctx.names.enum_path(self.from, f.enum_type.expect("an enum field has its type")),
            Type::Double => quote!(f64),
            Type::Float => quote!(f32),
            Type::Int64 | Type::Sfixed64 | Type::Sint64 => quote!(i64),
            Type::Uint64 | Type::Fixed64 => quote!(u64),
            Type::Int32 | Type::Sfixed32 | Type::Sint32 => quote!(i32),
            Type::Uint32 | Type::Fixed32 => quote!(u32),
            Type::Bool => quote!(bool),
            Type::Message => unreachable!("messages are children"),
        }
    }

    fn as_bytes(&self, f: &Field, value: TokenStream) -> TokenStream {
        if self.verified(f) { quote!(#value.as_bytes()) } else { quote!(#value.as_ref()) }
    }

    /// Methods of `MessageWriter` are called like the types; enums are `int32`.
    fn method(&self) -> Ident {
        let name = if self.field.ty == Type::Enum { "int32" } else { self.field.ty.name() };
        crate::idents::ident(name)
    }

    fn scalar(&self) -> TokenStream {
        let (method, tag, ty) = (self.method(), self.tag(), self.value_type(self.field));
        let value = if self.field.ty == Type::Enum { quote!(i32::from(value)) } else { quote!(value) };
        self.function(self.docs(), &self.names.set, quote!(value: #ty), quote!(#method::<#tag>(#value)))
    }

    fn text(&self) -> TokenStream {
        let (tag, ty) = (self.tag(), self.value_type(self.field));
        let value = self.as_bytes(self.field, quote!(value));
        let set = self.function(self.docs(), &self.names.set, quote!(value: #ty), quote!(bytes::<#tag>(#value)));
        let docs = quote!(/** The same from pieces, which are written behind one another. */);
        let pieces = quote!(pieces: &[#ty]);
        let parts = self.function(docs, &self.names.parts, pieces, quote!(parts::<#tag>(pieces)));
        quote!(#set #parts)
    }

    /// The runtime's name of a scalar type.
    fn element(&self, f: &Field) -> TokenStream {
        match f.enum_type {
            Some(e) => {
                let e = self.ctx.names.enum_path(self.from, e);
                quote!(::hotpb::writer::element::Enum<#e>)
            }
            None => {
                let name = crate::idents::ident(&crate::idents::upper_camel(f.ty.name()));
                quote!(::hotpb::writer::element::#name)
            }
        }
    }

    fn packed(&self) -> TokenStream {
        let (tag, ty, element) = (self.tag(), self.value_type(self.field), self.element(self.field));
        let slice = quote!(packed::<#tag, #element>(values));
        let set = self.function(self.docs(), &self.names.set, quote!(values: &[#ty]), slice);
        let docs = quote!(/** The same from an iterator: its values are written in place. */);
        let values = quote!(values: impl ::core::iter::IntoIterator<Item = #ty>);
        let iterator = quote!(packed_from::<#tag, #element>(values.into_iter()));
        let from = self.function(docs, &self.names.from, values, iterator);
        let docs = quote!(/** The same one by one, in a guard: the field ends when it is dropped. */);
        let guard = self.guard(
            docs,
            TokenStream::new(),
            quote!(open_packed::<#tag, #element>()),
            &|lifetime| quote!(::hotpb::writer::Packed<#lifetime, #element>),
        );
        quote!(#set #from #guard)
    }

    // ---- messages and maps ----

    fn writer_of(&self, child: MessageId) -> TokenStream {
        self.ctx.names.path(self.from, child, &self.ctx.names.writer(child))
    }

    fn child_guard(&self, arguments: TokenStream, call: TokenStream, child: &TokenStream) -> TokenStream {
        let docs = quote!(/** The same, in a guard: the child ends when it is dropped. */);
        self.guard(docs, arguments, call, &|lifetime| quote!(::hotpb::writer::Child<#lifetime, #child<#lifetime>>))
    }

    fn child(&self) -> TokenStream {
        let f = self.field;
        let child = self.writer_of(f.message.expect("a message field has its type"));
        let (number, tag) = (Literal::u32_unsuffixed(f.number), self.tag());
        let item = self.of.is_some_and(|(_, x)| x.message_set_item);
        let (with, open, raw) = match (item, f.delimited) {
            (true, _) => {
                (quote!(item::<#number, #child<'_>>), quote!(open_item::<#number, _>()), quote!(item_raw::<#number>))
            }
            (_, true) => {
                (quote!(group::<#number, #child<'_>>), quote!(open_group::<#number, _>()), quote!(group_raw::<#number>))
            }
            _ => (quote!(nested::<#tag, #child<'_>>), quote!(open::<#tag, _>()), quote!(bytes::<#tag>)),
        };
        let write = quote!(write: impl ::core::ops::FnOnce(&mut #child<'_>));
        let set = self.function(self.docs(), &self.names.set, write, quote!(#with(write)));
        let guard = self.child_guard(TokenStream::new(), open, &child);
        let docs = quote!(/** The same from an encoded message. */);
        let raw = self.function(docs, &self.names.raw, quote!(encoded: &[u8]), quote!(#raw(encoded)));
        quote!(#set #guard #raw)
    }

    fn map(&self) -> TokenStream {
        let (key, value) = self.ctx.plan.map_fields(self.field.message.expect("a map field has its entry"));
        let (tag, key_type) = (self.tag(), self.value_type(key));
        let (key_part, raw_part) =
            (self.part(key, quote!(key)), quote!(::hotpb::writer::__rt::Part::bytes(2, encoded)));
        let Some(child) = value.message else {
            let (value_type, value_part) = (self.value_type(value), self.part(value, quote!(value)));
            let arguments = quote!(key: #key_type, value: #value_type);
            return self.function(
                self.docs(),
                &self.names.set,
                arguments,
                quote!(entry::<#tag>(#key_part, #value_part)),
            );
        };
        let child = self.writer_of(child);
        let arguments = quote!(key: #key_type, write: impl ::core::ops::FnOnce(&mut #child<'_>));
        let call = quote!(entry_with::<#tag, #child<'_>>(#key_part, write));
        let set = self.function(self.docs(), &self.names.set, arguments, call);
        let guard = self.child_guard(quote!(key: #key_type), quote!(open_entry::<#tag, _>(#key_part)), &child);
        let docs = quote!(/** The same from an encoded message. */);
        let arguments = quote!(key: #key_type, encoded: &[u8]);
        let raw = self.function(docs, &self.names.raw, arguments, quote!(entry::<#tag>(#key_part, #raw_part)));
        quote!(#set #guard #raw)
    }

    /// Key or value of a map entry.
    fn part(&self, f: &Field, value: TokenStream) -> TokenStream {
        let number = Literal::u32_unsuffixed(f.number);
        if matches!(f.ty, Type::String | Type::Bytes) {
            let bytes = self.as_bytes(f, value);
            return quote!(::hotpb::writer::__rt::Part::bytes(#number, #bytes));
        }
        let element = self.element(f);
        quote!(::hotpb::writer::__rt::Part::of::<#element>(#number, #value))
    }
}
