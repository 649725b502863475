//! Emits `+rewrite`, for tests only: per message a function that walks the *public accessors* of the pool face and
//! calls the *generated writer*: ascending numbers, maps in order of keys, unknown fields last, as `+reencode` does
//! with the functions of `wire`.

use crate::emit::Context;
use crate::emit::testing::reencode::known_extensions;
use crate::names::Module;
use crate::plan::{Extension, Field, MessageId, Presence, Type, Utf8};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// Emits the module `rewrite`: one function per message, including the shipped ones in use, and a table of all.
pub(crate) fn table(ctx: &Context<'_>) -> TokenStream {
    let here = Module::default().child("rewrite");
    let mut ids: BTreeSet<MessageId> = ctx.messages.iter().copied().collect();
    let mut todo: Vec<MessageId> = ids.iter().copied().collect();
    while let Some(id) = todo.pop() {
        let extensions = known_extensions(ctx, id);
        let children = ctx.plan[id].fields.iter().chain(extensions.iter().map(|x| &x.field));
        todo.extend(children.filter_map(|f| f.message).filter(|&child| ids.insert(child)));
    }
    let plain = |id: &&MessageId| !ctx.plan[**id].map_entry;
    let functions: Vec<TokenStream> = ids.iter().filter(plain).map(|&id| function(ctx, &here, id)).collect();
    let rows = ids.iter().filter(plain).map(|&id| {
        let (name, f) = (&ctx.plan[id].name, ctx.names.table(id));
        let pool = ctx.names.path(&here, id, &ctx.names.pool(id));
        let writer = ctx.names.path(&here, id, &ctx.names.writer(id));
        quote! {
            (#name, || {
                let mut pool = #pool::new();
                ::std::boxed::Box::new(move |input, options, output| {
                    let message = pool.decode_with(input, options)?;
                    let mut writer = #writer::new(output);
                    #f(message, &mut writer)?;
                    ::core::result::Result::Ok(::hotpb::writer::Writer::finish(writer)?)
                })
            })
        }
    });
    quote! {
        /// For tests: decodes a message and writes it again, from its accessors.
        #[allow(dead_code, deprecated, non_snake_case, unused_variables, unused_mut, clippy::all)]
        pub mod rewrite {
            /// The result of reading, which can fail because extensions are decoded at the same time.
            pub type Done = ::core::result::Result<(), ::hotpb::Error>;
            /// Decodes a message into its own pool and writes it to an output; returns the length.
            pub type Rewriter = ::std::boxed::Box<
                dyn FnMut(
                    &[u8],
                    &::hotpb::pool::DecodeOptions,
                    &mut dyn ::hotpb::writer::Output,
                ) -> ::core::result::Result<u64, ::hotpb::Error>,
            >;
            /// The full names of messages, with a constructor of the rewriter of each.
            pub static TABLE: &[(&str, fn() -> Rewriter)] = &[#(#rows),*];
            #(#functions)*
        }
    }
}

fn function(ctx: &Context<'_>, here: &Module, id: MessageId) -> TokenStream {
    let n = ctx.names;
    let mut parts: Vec<(u32, TokenStream)> =
        ctx.plan[id].fields.iter().map(|f| (f.number, field(ctx, id, f))).collect();
    let extensions = known_extensions(ctx, id);
    let constant = |x: &Extension| at(n.extension_module(x), &n.extension(x));
    let constants: Vec<TokenStream> = extensions.iter().map(|x| constant(x)).collect();
    for (x, constant) in extensions.iter().zip(&constants) {
        parts.push((x.field.number, extension(ctx, here, x, constant)));
    }
    parts.sort_by_key(|(number, _)| *number);
    let parts = parts.into_iter().map(|(_, tokens)| tokens);
    let (f, ty, writer) = (n.table(id), n.path(here, id, &n.message(id)), n.path(here, id, &n.writer(id)));
    quote! {
        pub fn #f(m: #ty<'_>, w: &mut #writer<'_>) -> Done {
            let mut done: Done = ::core::result::Result::Ok(());
            #(#parts)*
            let mut unknown = ::std::vec::Vec::new();
            ::hotpb::pool::__rt::append_rest(&mut unknown, m.unknown_fields(), &[#(#constants.request()),*]);
            ::hotpb::writer::Writer::append_raw(w, &unknown);
            done
        }
    }
}

/// Returns the path, from the module `rewrite`, of an item in a module of the tree.
fn at(module: &Module, name: &proc_macro2::Ident) -> TokenStream {
    let segments = module.segments().iter().map(|s| crate::names::ident(s));
    quote!(super::#(#segments::)*#name)
}

/// Returns the value `v` of a field as the argument of its setter: unchecked text is passed as bytes.
fn value(ctx: &Context<'_>, f: &Field, v: TokenStream) -> TokenStream {
    let verified = f.utf8 == Some(Utf8::Verify) || ctx.options.strict;
    if f.ty == Type::String && !verified { quote!(#v.as_bytes()) } else { v }
}

/// Returns a closure that writes the message `v` to a child.
fn child(ctx: &Context<'_>, message: MessageId) -> TokenStream {
    let function = ctx.names.table(message);
    quote!(|c| if done.is_ok() { done = #function(v, c) })
}

fn field(ctx: &Context<'_>, id: MessageId, f: &Field) -> TokenStream {
    let n = ctx.names;
    let method = n.method(id, f.slot);
    let names = n.setters(id, f.slot);
    let set = crate::names::ident(&names.set);
    if f.is_map() {
        let (key, value_field) = ctx.plan.map_fields(f.message.expect("a map field has its entry"));
        let key = value(ctx, key, quote!(key));
        let entry_value = match value_field.message {
            Some(message) => child(ctx, message),
            None => value(ctx, value_field, quote!(v)),
        };
        return quote! {
            let mut entries: ::std::vec::Vec<_> = m.#method().iter().collect();
            entries.sort_by(|a, b| ::core::cmp::Ord::cmp(&a.0, &b.0));
            for (key, v) in entries {
                w.#set(#key, #entry_value);
            }
        };
    }
    let rewritten = match f.message {
        // Uses the closure and the guard in turn.
        Some(message) => {
            let (rewrite, open, function) = (child(ctx, message), crate::names::ident(&names.open), n.table(message));
            quote!(if ::hotpb::writer::Writer::status(w).is_ok_and(|len| len % 2 == 0) { w.#set(#rewrite); } else { #function(v, &mut w.#open())?; })
        }
        None => {
            let value = value(ctx, f, quote!(v));
            quote!(w.#set(#value);)
        }
    };
    if f.is_repeated() {
        let by_value = !matches!(f.ty, Type::String | Type::Bytes | Type::Message | Type::Enum);
        if f.packed {
            let from = crate::names::ident(&names.from);
            return match by_value {
                true => quote! {
                    if m.#method().len() % 2 == 0 { w.#set(m.#method()); } else { w.#from(m.#method().iter().copied()); }
                },
                false => quote!(w.#from(m.#method().iter());),
            };
        }
        let items = if by_value { quote!(m.#method().iter().copied()) } else { quote!(m.#method().iter()) };
        return quote!(for v in #items { #rewritten });
    }
    if f.message.is_some() {
        return quote!(if let ::core::option::Option::Some(v) = m.#method() { #rewritten });
    }
    if f.presence != Presence::Implicit || f.oneof.is_some() {
        let has = n.has(id, f.slot);
        return quote!(if m.#has() { let v = m.#method(); #rewritten });
    }
    let is_set = match f.ty {
        Type::Double | Type::Float => quote!(v.to_bits() != 0),
        Type::Bool => quote!(v),
        Type::String | Type::Bytes => quote!(!v.is_empty()),
        Type::Enum => quote!(i32::from(v) != 0),
        _ => quote!(v != 0),
    };
    quote!(let v = m.#method(); if #is_set { #rewritten })
}

fn extension(ctx: &Context<'_>, here: &Module, x: &Extension, constant: &TokenStream) -> TokenStream {
    let f = &x.field;
    let names = ctx.names.extension_writer(x).expect("every extension has names");
    let function = |name: &str| at(ctx.names.extension_module(x), &crate::names::ident(name));
    let (set, from) = (function(&names.set), function(&names.from));
    if let Some(message) = f.message {
        let pool = ctx.names.path(here, message, &ctx.names.pool(message));
        let rewrite = child(ctx, message);
        let body = quote! {
            let mut pool = #pool::new();
            let v = parts.decode(&mut pool)?;
            #set(w, #rewrite);
        };
        return if f.is_repeated() {
            quote!(for parts in #constant.read(m.unknown_fields())? { #body })
        } else {
            quote!(if let ::core::option::Option::Some(parts) = #constant.read(m.unknown_fields())? { #body })
        };
    }
    if f.packed {
        return quote!(#from(w, #constant.read(m.unknown_fields())?););
    }
    let v = value(ctx, f, quote!(v));
    let write = quote!(#set(w, #v););
    if f.is_repeated() {
        quote!(for v in #constant.read(m.unknown_fields())? { #write })
    } else {
        quote!(if let ::core::option::Option::Some(v) = #constant.read(m.unknown_fields())? { #write })
    }
}
