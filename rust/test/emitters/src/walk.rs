//! The walk over a schema that the extras share: which messages, in which order their fields, and when a field is present.

use hotpb_codegen::emit::Context;
use hotpb_codegen::names::{Module, ident};
use hotpb_codegen::plan::{Extension, Field, MessageId, Presence, Type, Utf8};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::BTreeSet;

/// Returns the generated messages and those that they use, the shipped ones among them; without entries of maps.
pub(crate) fn messages(ctx: &Context<'_>) -> Vec<MessageId> {
    let mut ids: BTreeSet<MessageId> = ctx.messages.iter().copied().collect();
    let mut todo: Vec<MessageId> = ids.iter().copied().collect();
    while let Some(id) = todo.pop() {
        let extensions = extensions(ctx, id);
        let children = ctx.plan[id].fields.iter().chain(extensions.iter().map(|x| &x.field));
        todo.extend(children.filter_map(|f| f.message).filter(|&child| ids.insert(child)));
    }
    ids.into_iter().filter(|&id| !ctx.plan[id].map_entry).collect()
}

/// Returns the extensions that are declared in the file of their extendee, in order of numbers.
pub(crate) fn extensions<'p>(ctx: &Context<'p>, id: MessageId) -> Vec<&'p Extension> {
    let file = ctx.plan[id].file;
    let extensions = ctx.plan.extensions.iter().filter(|e| e.message == id && !ctx.names.is_shipped(id));
    let mut known: Vec<_> = extensions.flat_map(|e| &e.fields).filter(|x| x.file == file).collect();
    known.sort_by_key(|x| x.field.number);
    known
}

/// Returns the code of a message's fields and extensions, in order of numbers.
pub(crate) fn by_number(
    ctx: &Context<'_>,
    id: MessageId,
    field: impl Fn(&Field) -> TokenStream,
    extension: impl Fn(&Extension) -> TokenStream,
) -> TokenStream {
    let fields = ctx.plan[id].fields.iter().map(|f| (f.number, field(f)));
    let extensions = extensions(ctx, id).into_iter().map(|x| (x.field.number, extension(x)));
    let mut parts: Vec<(u32, TokenStream)> = fields.chain(extensions).collect();
    parts.sort_by_key(|(number, _)| *number);
    parts.into_iter().map(|(_, tokens)| tokens).collect()
}

/// Returns the path, from a module at the root, of an item in a module of the tree.
pub(crate) fn at(module: &Module, name: &Ident) -> TokenStream {
    let segments = module.segments().iter().map(|s| ident(s));
    quote!(super::#(#segments::)*#name)
}

/// Calls `then` with `v`, the value of a field that is not repeated, if the message `m` has it.
pub(crate) fn if_present(ctx: &Context<'_>, id: MessageId, f: &Field, then: TokenStream) -> TokenStream {
    let method = ctx.names.method(id, f.slot);
    if f.message.is_some() {
        return quote!(if let ::core::option::Option::Some(v) = m.#method() { #then });
    }
    if f.presence != Presence::Implicit || f.oneof.is_some() {
        let has = ctx.names.has(id, f.slot);
        return quote!(if m.#has() { let v = m.#method(); #then });
    }
    let set = match f.ty {
        Type::Double | Type::Float => quote!(v.to_bits() != 0),
        Type::Bool => quote!(v),
        Type::String | Type::Bytes => quote!(!v.is_empty()),
        Type::Enum => quote!(i32::from(v) != 0),
        _ => quote!(v != 0),
    };
    quote!(let v = m.#method(); if #set { #then })
}

/// Calls `then` with `v`, each value that reading an extension returns.
pub(crate) fn each(f: &Field, read: TokenStream, v: &str, then: TokenStream) -> TokenStream {
    let v = ident(v);
    if f.is_repeated() {
        quote!(for #v in #read? { #then })
    } else {
        quote!(if let ::core::option::Option::Some(#v) = #read? { #then })
    }
}

/// Returns the elements of a repeated field of a pool.
pub(crate) fn elements(ctx: &Context<'_>, id: MessageId, f: &Field) -> TokenStream {
    let method = ctx.names.method(id, f.slot);
    let by_value = !matches!(f.ty, Type::String | Type::Bytes | Type::Message | Type::Enum);
    if by_value { quote!(m.#method().iter().copied()) } else { quote!(m.#method().iter()) }
}

/// Reports whether a string field is always checked.
pub(crate) fn verified(ctx: &Context<'_>, f: &Field) -> bool {
    f.ty == Type::String && (f.utf8 == Some(Utf8::Verify) || ctx.options.strict)
}
