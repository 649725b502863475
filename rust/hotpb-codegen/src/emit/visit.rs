//! Emits `+visitor`: per message a trait with a method for each field, and the driver that calls it while it reads the
//! bytes. Each field is one line, from which macros of the crate generate everything
//! (`hotpb/src/pool/generated/visit.rs`).

use crate::emit::pool::{Msg, Storage, rust_type};
use crate::emit::{Context, Items};
use crate::plan::{Field, MessageId, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits the visitor of one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    if msg.m.map_entry {
        return Items::default();
    }
    let v = Visit { msg: &msg };
    Items { here: v.items(), nested: TokenStream::new() }
}

struct Visit<'m, 'c> {
    msg: &'m Msg<'c>,
}

impl Visit<'_, '_> {
    /// Returns the trait and its driver.
    fn items(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let (name, handle) = (n.visitor(msg.id), n.message(msg.id));
        let doc = format!(
            " Receives the fields of `{}` in input order. Fields that no method reads are only checked.",
            msg.m.name
        );
        let flat = self.is_flat().then(|| quote!(flat));
        let recursive = (msg.m.recursion != 0).then(|| quote!(recursive));
        let pair = self.pair();
        let few = self.is_few().then(|| quote!([few #pair]));
        let unknown = msg.unknown_records();
        let lines = |fields: Vec<&Field>| -> TokenStream { fields.into_iter().map(|f| self.line(f)).collect() };
        let lines = if msg.local() {
            lines(msg.m.fields.iter().collect())
        } else {
            let (nested, plain): (Vec<_>, Vec<_>) = msg.m.fields.iter().partition(|f| f.message.is_some());
            let (nested, plain) = (lines(nested), lines(plain));
            quote!(#plain nested; #nested)
        };
        quote!(::hotpb::__visitor! { #[doc = #doc] #name<'a>, #handle, [#flat] [#recursive] #few, #unknown; #lines })
    }

    /// Returns the line of a field.
    fn line(&self, f: &Field) -> TokenStream {
        let (tag, method) = (crate::emit::pool::tag(f, f.wire_type), self.msg.ctx.names.method(self.msg.id, f.slot));
        let line = format!(" `{}` = {}", f.name, f.number);
        let own = crate::docs::attributes(&f.doc);
        let packable = Storage::new(f) == Storage::Run && f.ty.is_packable();
        let packed = packable.then(|| crate::emit::pool::tag(f, 2)).map(|tag| quote!(| #tag));
        let storage = match Storage::new(f) {
            Storage::Map => self.map(f),
            _ if f.message.is_some() => {
                let child = self.child(f);
                quote!(records(#child))
            }
            Storage::Run if packable => match (f.enum_type, self.msg.defined_values(f)) {
                (None, _) => {
                    let ty = self.msg.table_type(f);
                    quote!(elements(#ty))
                }
                (Some(e), None) => {
                    let e = self.msg.ctx.names.enum_path(self.msg.module, e);
                    quote!(numbers(#e))
                }
                (Some(e), Some(defined)) => {
                    let e = self.msg.ctx.names.enum_path(self.msg.module, e);
                    quote!(closed_elements(#e, [#defined]))
                }
            },
            _ => {
                let ty = self.msg.value_type(f);
                match (f.enum_type, self.msg.defined_values(f)) {
                    (None, _) => {
                        let kind = self.msg.table_type(f);
                        quote!(value(#kind, #ty))
                    }
                    (Some(_), None) => quote!(number(#ty)),
                    (Some(_), Some(defined)) => quote!(closed(#ty, [#defined])),
                }
            }
        };
        quote!(#[doc = #line] #own #tag #packed #method #storage;)
    }

    /// Returns key and value of a map.
    fn map(&self, f: &Field) -> TokenStream {
        let (entry, key, value) = self.entry(f);
        let (key_kind, key_type) = (entry.msg.table_type(key), entry.shown(key, self));
        if value.message.is_some() {
            let child = self.child(value);
            return quote!(map(#key_kind #key_type, records(#child)));
        }
        let ty = entry.shown(value, self);
        let reader = match (value.enum_type, entry.msg.defined_values(value)) {
            (None, _) => {
                let kind = entry.msg.table_type(value);
                quote!(value(#kind #ty))
            }
            (Some(_), defined) => {
                let first = Literal::i32_unsuffixed(entry.msg.first_value(value));
                match defined {
                    None => quote!(number(#ty, #first)),
                    Some(defined) => quote!(closed(#ty, #first, [#defined])),
                }
            }
        };
        quote!(map(#key_kind #key_type, #reader))
    }

    /// Returns the messages of a field.
    fn child(&self, f: &Field) -> TokenStream {
        let child = f.message.expect("a message field has its type");
        let child = self.msg.path_to(child, self.msg.ctx.names.message(child));
        quote!(#child<'static>)
    }

    /// Returns key and value of a map.
    fn entry(&self, f: &Field) -> (Entry<'_>, &Field, &Field) {
        let entry = Entry { msg: Msg::new(self.msg.ctx, f.message.expect("a map field has its entry")) };
        let (key, value) = self.msg.ctx.plan.map_fields(entry.msg.id);
        (entry, key, value)
    }

    /// Reports whether a message contains at most four values, and nothing else: most such messages have them all, in
    /// ascending order.
    fn is_few(&self) -> bool {
        let fields = &self.msg.m.fields;
        let plain = |f: &Field| {
            f.message.is_none() && Storage::new(f) == Storage::Scalar && self.msg.defined_values(f).is_none()
        };
        (1..=4).contains(&fields.len()) && fields.iter().all(plain)
    }

    /// Returns the tags and methods of a message of exactly two checked strings.
    fn pair(&self) -> Option<TokenStream> {
        let fits = |f: &Field| {
            f.ty == Type::String && Storage::new(f) == Storage::Scalar && f.number < 16 && self.msg.verified(f)
        };
        let [a, b] = &self.msg.m.fields[..] else { return None };
        let field = |f: &Field| {
            let (tag, method) =
                (Literal::u8_unsuffixed((f.number << 3 | 2) as u8), self.msg.ctx.names.method(self.msg.id, f.slot));
            quote!(#tag #method)
        };
        let (first, second) = (field(a), field(b));
        (fits(a) && fits(b)).then(|| quote!([#first, #second]))
    }

    /// Reports whether a message contains only checked text and small numbers.
    fn is_flat(&self) -> bool {
        let fields = &self.msg.m.fields;
        let small = |f: &Field| {
            f.message.is_none() && matches!(f.ty, Type::String | Type::Bool | Type::Enum | Type::Int32 | Type::Uint32)
        };
        fields.iter().all(small) && fields.iter().any(|f| self.msg.verified(f))
    }
}

/// The entry of a map.
struct Entry<'c> {
    msg: Msg<'c>,
}

impl Entry<'_> {
    /// Returns the type of a key or value, seen from the message that has the map.
    fn shown(&self, f: &Field, map: &Visit<'_, '_>) -> TokenStream {
        match f.ty {
            Type::String | Type::Bytes => self.msg.text_type(f),
            Type::Enum => {
                self.msg.ctx.names.enum_path(map.msg.module, f.enum_type.expect("an enum field has its type"))
            }
            ty => rust_type(ty),
        }
    }
}
