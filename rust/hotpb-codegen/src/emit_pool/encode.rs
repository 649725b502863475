//! What encoders of builders are made of. Everything is written backwards, so the last field comes first.

use super::Msg;
use crate::plan::{Field, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// As many fields are written by one function.
const WIDE: usize = 32;

/// The tag of one element, or of the packed record.
pub(crate) fn tag(f: &Field, wire_type: u8) -> Literal {
    Literal::u32_unsuffixed(f.number << 3 | wire_type as u32)
}

/// Writes a scalar `v` without its tag.
pub(crate) fn scalar(ty: Type) -> TokenStream {
    match ty {
        Type::Int32 | Type::Enum => quote!(e.varint(v as i64 as u64);),
        Type::Int64 | Type::Uint32 | Type::Bool => quote!(e.varint(v as u64);),
        Type::Uint64 => quote!(e.varint(v);),
        Type::Sint32 => quote!(e.varint(::hotpb::wire::zigzag32(v) as u64);),
        Type::Sint64 => quote!(e.varint(::hotpb::wire::zigzag64(v));),
        Type::Fixed32 => quote!(e.fixed32(v);),
        Type::Sfixed32 => quote!(e.fixed32(v as u32);),
        Type::Float => quote!(e.fixed32(v.to_bits());),
        Type::Fixed64 => quote!(e.fixed64(v);),
        Type::Sfixed64 => quote!(e.fixed64(v as u64);),
        Type::Double => quote!(e.fixed64(v.to_bits());),
        Type::String | Type::Bytes | Type::Message => unreachable!("they have lengths"),
    }
}

/// Whether a field with implicit presence is written: unless it holds its default, all bits zero (OUT-7).
pub(crate) fn is_set(ty: Type) -> TokenStream {
    match ty {
        Type::Double | Type::Float => quote!(v.to_bits() != 0),
        Type::Bool => quote!(v),
        Type::String | Type::Bytes => quote!(!v.is_empty()),
        _ => quote!(v != 0),
    }
}

/// Writes a message, `body` being what it holds, after its length or between its group's tags.
pub(crate) fn message(f: &Field, body: TokenStream) -> TokenStream {
    if f.delimited {
        let (start, end) = (tag(f, 3), tag(f, 4));
        return quote!(e.tag::<#end>(); #body e.tag::<#start>(););
    }
    let tag = tag(f, 2);
    quote!(let end = e.mark(); #body e.close::<#tag>(end);)
}

/// Writes a run of scalars, `items` being their iterator from the last to the first, as one packed record.
pub(crate) fn packed(f: &Field, items: TokenStream) -> TokenStream {
    let (tag, one) = (tag(f, 2), scalar(f.ty));
    quote!(let end = e.mark(); for v in #items { #one } e.close::<#tag>(end);)
}

impl Msg<'_> {
    /// Whether a message can be written: nothing that it can hold has fields that are left out and dropped.
    pub(crate) fn encodes(&self) -> bool {
        self.ctx.options.keep_skipped || !self.ctx.facts.drops[self.id.0]
    }

    /// What writes the fields, the last one first: all in one, or for wide messages in functions with these names.
    pub(crate) fn in_parts(&self, write: impl Fn(&Field) -> TokenStream) -> Vec<(Option<Ident>, TokenStream)> {
        let parts = self.parts();
        let all = parts.len() == 1;
        let part = |(i, part): (usize, Vec<&Field>)| {
            ((!all).then(|| format_ident!("encode_{}", i + 1)), part.into_iter().map(&write).collect())
        };
        parts.into_iter().enumerate().map(part).collect()
    }

    /// The fields that one function writes, the last one first: all of them, or of wide messages some. Without optimisation a function has room on the stack for what
    /// each of its fields needs, so those that messages nest in are in functions of their own.
    pub(crate) fn parts(&self) -> Vec<Vec<&Field>> {
        if self.m.fields.len() <= WIDE {
            return vec![self.m.fields.iter().rev().collect()];
        }
        let nests = |f: &Field| f.message.is_some_and(|child| self.ctx.plan[child].recursion != 0);
        let mut parts: Vec<Vec<&Field>> = Vec::new();
        for f in self.m.fields.iter().rev() {
            match parts.last_mut() {
                Some(part) if part.len() < WIDE && !nests(f) && !nests(part[0]) => part.push(f),
                _ => parts.push(vec![f]),
            }
        }
        parts
    }

    /// Ends an encoder where there is no room for a message that can hold messages of its own kind.
    pub(crate) fn too_deep(&self) -> Option<TokenStream> {
        (self.m.recursion != 0).then(|| {
            quote!(if e.is_too_deep() {
                return;
            })
        })
    }
}
