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
use crate::emit::pool::rust_type;
use crate::emit::{Context, Items};
use crate::names::Module;
use crate::names::writer::{BUILT_IN, FieldNames, Shape};
use crate::plan::{Extension, Field, MessageId, Type, Utf8};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let m = &ctx.plan[id];
    if m.map_entry {
        return Items::default();
    }
    let (name, constants, full) = (ctx.names.writer(id), ctx.names.constants(id), &m.name);
    let lines = m.fields.iter().map(|field| {
        let names = ctx.names.setters(id, field.slot);
        let line = Line { ctx, from: ctx.names.module(id), field, names, extension: None };
        let (docs, setters) = (line.docs(), line.setters());
        let constant = crate::names::idents::ident(&names.constant);
        let (number, field) = (Literal::u32_unsuffixed(field.number), &field.name);
        quote!(#docs #constant = #number #field, #setters;)
    });
    let line = format!(" Writes a `{}`.", m.name);
    let own = docs::with_deprecation(&m.doc, m.deprecated);
    let kept: Vec<_> = BUILT_IN
        .into_iter()
        .filter(|name| !m.fields.iter().any(|f| ctx.names.setters(id, f.slot).take(f, name)))
        .map(crate::names::idents::ident)
        .collect();
    let kept = (kept.len() < BUILT_IN.len()).then(|| quote!(, built_in [#(#kept)*]));
    let here = quote!(::hotpb::__writer! { #[doc = #line] #own #name, #constants, #full #kept; #(#lines)* });
    Items { here, nested: TokenStream::new() }
}

/// Emits the functions of an extension.
pub(crate) fn extension(ctx: &Context<'_>, extendee: MessageId, x: &Extension) -> TokenStream {
    let Some(names) = ctx.names.extension_writer(x) else { return TokenStream::new() };
    let from = ctx.names.extension_module(x);
    let line = Line { ctx, from, field: &x.field, names, extension: Some((extendee, x)) };
    let (target, docs, setters) = (line.writer_of(extendee), line.docs(), line.setters());
    quote!(::hotpb::__extension_writer! { [#target]; #docs #setters; })
}

/// The line of one field, from which the macros of the crate generate methods, or functions whose first argument is the
/// writer (`hotpb/src/writer/generated.rs`).
struct Line<'e> {
    ctx: &'e Context<'e>,
    /// The module of the generated code.
    from: &'e Module,
    field: &'e Field,
    names: &'e FieldNames,
    extension: Option<(MessageId, &'e Extension)>,
}

impl Line<'_> {
    /// Returns the name of the function that writes the field, and its kind.
    fn setters(&self) -> TokenStream {
        let shape = match Shape::classify(self.field) {
            _ if self.field.is_map() => self.map(),
            Shape::Child => self.child(),
            Shape::Packed => self.packed(),
            Shape::Text => self.text(),
            Shape::Plain => self.scalar(),
        };
        let set = crate::names::idents::ident(&self.names.set);
        quote!(#set #shape)
    }

    fn docs(&self) -> TokenStream {
        let f = self.field;
        let tag: Vec<String> = f.tag.iter().map(|byte| format!("{byte:02x}")).collect();
        let title = match self.extension {
            Some((extendee, x)) => {
                format!(" Extension `{}` = {} of `{}`", x.name, f.number, self.ctx.plan[extendee].name)
            }
            None => format!(" `{}` = {}", f.name, f.number),
        };
        let line = if tag.is_empty() { title } else { format!("{title}, tag `{}`", tag.join(" ")) };
        let own = docs::with_deprecation(&f.doc, f.deprecated);
        quote!(#[doc = #line] #own)
    }

    fn tag(&self) -> Literal {
        let mut tag = 0u64;
        for (i, byte) in self.field.tag.iter().enumerate() {
            tag |= ((byte & 0x7f) as u64) << (7 * i);
        }
        format!("0x{tag:02x}").parse().unwrap_or_else(|_| Literal::u64_unsuffixed(tag))
    }

    /// Returns the argument type of a setter for a number, bool or enum.
    fn scalar_type(&self, f: &Field) -> TokenStream {
        match f.enum_type {
            Some(e) => self.ctx.names.enum_path(self.from, e),
            None => rust_type(f.ty),
        }
    }

    /// Returns a key, value or element. Strings that readers check are `str`; others may contain any bytes.
    fn part(&self, f: &Field) -> TokenStream {
        match f.ty {
            Type::String | Type::Bytes => self.text_kind(f),
            _ => {
                let (ty, element) =
                    (self.scalar_type(f), crate::names::idents::ident(&crate::names::idents::upper_camel(f.ty.name())));
                quote!(#ty as #element)
            }
        }
    }

    fn text_kind(&self, f: &Field) -> TokenStream {
        let verified = f.ty == Type::String && (f.utf8 == Some(Utf8::Verify) || self.ctx.options.strict);
        if verified { quote!(text) } else { quote!(bytes) }
    }

    fn scalar(&self) -> TokenStream {
        let (tag, ty) = (self.tag(), self.scalar_type(self.field));
        if self.field.enum_type.is_some() {
            return quote!(number(#tag, #ty));
        }
        let method = crate::names::idents::ident(self.field.ty.name());
        quote!(value(#tag, #method, #ty))
    }

    fn text(&self) -> TokenStream {
        let (kind, tag, parts) =
            (self.text_kind(self.field), self.tag(), crate::names::idents::ident(&self.names.parts));
        quote!(#kind(#tag, #parts))
    }

    fn packed(&self) -> TokenStream {
        let (from, open) =
            (crate::names::idents::ident(&self.names.from), crate::names::idents::ident(&self.names.open));
        let (tag, element) = (self.tag(), self.part(self.field));
        quote!(packed(#tag, #from, #open, #element))
    }

    fn writer_of(&self, message: MessageId) -> TokenStream {
        self.ctx.names.path(self.from, message, &self.ctx.names.writer(message))
    }

    /// Returns the writer of a child, and the other functions of its field.
    fn child_of(&self, child: MessageId) -> TokenStream {
        let (open, raw) = (crate::names::idents::ident(&self.names.open), crate::names::idents::ident(&self.names.raw));
        let child = self.writer_of(child);
        quote!([#child], #open, #raw)
    }

    fn child(&self) -> TokenStream {
        let f = self.field;
        let child = self.child_of(f.message.expect("a message field has its type"));
        let (number, tag) = (Literal::u32_unsuffixed(f.number), self.tag());
        let item = self.extension.is_some_and(|(_, x)| x.message_set_item);
        match (item, f.delimited) {
            (true, _) => quote!(item(#number, #child)),
            (_, true) => quote!(group(#number, #child)),
            _ => quote!(child(#tag, #child)),
        }
    }

    fn map(&self) -> TokenStream {
        let (key, value) = self.ctx.plan.map_fields(self.field.message.expect("a map field has its entry"));
        let (tag, key) = (self.tag(), self.part(key));
        match value.message {
            Some(child) => {
                let child = self.child_of(child);
                quote!(map_of(#tag, [#key], #child))
            }
            None => {
                let value = self.part(value);
                quote!(map(#tag, [#key], [#value]))
            }
        }
    }
}
