//! Emits `+reencode_view`, for tests only: the same as `+reencode`, over the public accessors of views.

use crate::emit::Context;
use crate::emit::testing::reencode::{known_extensions, packed, tag, value};
use crate::names::Module;
use crate::plan::{Extension, Field, MessageId, Presence, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::collections::BTreeSet;

/// Emits the module `reencode_view`: one function per message, including the shipped ones in use, and a table of all.
pub(crate) fn table(ctx: &Context<'_>) -> TokenStream {
    let here = Module::default().child("reencode_view");
    let mut ids: BTreeSet<MessageId> = ctx.messages.iter().copied().collect();
    let mut todo: Vec<MessageId> = ids.iter().copied().collect();
    while let Some(id) = todo.pop() {
        let extensions = known_extensions(ctx, id);
        let children = ctx.plan[id].fields.iter().chain(extensions.iter().map(|x| &x.field));
        todo.extend(children.filter_map(|f| f.message).filter(|&child| ids.insert(child)));
    }
    let plain: Vec<MessageId> = ids.iter().copied().filter(|&id| !ctx.plan[id].map_entry).collect();
    let functions = plain.iter().map(|&id| function(ctx, &here, id));
    let rows = plain.iter().map(|&id| {
        let (name, f, view) = (&ctx.plan[id].name, ctx.names.table(id), ctx.names.path(&here, id, &ctx.names.view(id)));
        quote! {
            (#name, || {
                let mut scratch = Scratch::new();
                ::std::boxed::Box::new(move |input: &[u8], options: &::hotpb::pool::DecodeOptions| {
                    scratch.clear();
                    let view = check::<#view<'_>>(input, options)?;
                    let mut out = ::std::vec::Vec::new();
                    #f(&view, &scratch, &mut out)?;
                    ::core::result::Result::Ok(out)
                })
            })
        }
    });
    let checks = plain.iter().map(|&id| {
        let (name, view) = (&ctx.plan[id].name, ctx.names.path(&here, id, &ctx.names.view(id)));
        quote!((#name, |input, options| check::<#view<'_>>(input, options).map(|_| ())))
    });
    quote! {
        /// For tests: opens a message as a view and encodes it again, from its accessors.
        #[allow(dead_code, deprecated, non_snake_case, unused_variables, unused_mut, clippy::all)]
        pub mod reencode_view {
            use ::hotpb::view::{DecodeOptions, Scratch, View};
            use ::hotpb::wire;
            /// The result of encoding, which can fail because messages are opened at the same time.
            pub type Done = ::core::result::Result<(), ::hotpb::Error>;
            /// Opens and validates a message and encodes it again.
            pub type Reencoder = ::std::boxed::Box<
                dyn FnMut(&[u8], &::hotpb::pool::DecodeOptions) -> ::core::result::Result<::std::vec::Vec<u8>, ::hotpb::Error>,
            >;
            /// The full names of messages, with a constructor of the re-encoder of each.
            pub static TABLE: &[(&str, fn() -> Reencoder)] = &[#(#rows),*];
            /// The full names of messages, with a check of the whole message.
            pub static CHECKS: &[(&str, fn(&[u8], &::hotpb::pool::DecodeOptions) -> Done)] = &[#(#checks),*];
            fn check<'a, V: View<At<'a> = V>>(
                input: &'a [u8],
                options: &::hotpb::pool::DecodeOptions,
            ) -> ::core::result::Result<V, ::hotpb::Error> {
                let of_view = DecodeOptions { strict: options.strict, depth: options.depth, size: options.size };
                let view = V::decode_with(input, &of_view)?;
                View::validate(&view)?;
                if !options.allow_partial {
                    View::check_initialized(&view)?;
                }
                ::core::result::Result::Ok(view)
            }
            #(#functions)*
        }
    }
}

fn function(ctx: &Context<'_>, here: &Module, id: MessageId) -> TokenStream {
    let n = ctx.names;
    let mut parts: Vec<(u32, TokenStream)> = Vec::new();
    for f in &ctx.plan[id].fields {
        parts.push((f.number, field(ctx, id, f)));
    }
    let extensions = known_extensions(ctx, id);
    let constants: Vec<TokenStream> = extensions
        .iter()
        .map(|x| {
            let (module, name) = (n.extension_module(x).segments(), n.extension_view(x));
            let module = module.iter().map(|s| crate::names::ident(s));
            quote!(super::#(#module::)*#name)
        })
        .collect();
    for (x, constant) in extensions.iter().zip(&constants) {
        parts.push((x.field.number, extension(ctx, x, constant)));
    }
    parts.sort_by_key(|(number, _)| *number);
    let parts = parts.into_iter().map(|(_, tokens)| tokens);
    let (f, ty) = (n.table(id), n.path(here, id, &n.view(id)));
    quote! {
        pub fn #f(m: &#ty<'_>, scratch: &Scratch, out: &mut ::std::vec::Vec<u8>) -> Done {
            #(#parts)*
            for field in m.unknown_fields().without(&[#(#constants.id()),*]) {
                field.append_to(out);
            }
            ::core::result::Result::Ok(())
        }
    }
}

/// Appends one element `v` with its tag. Elements of repeated fields are opened without scratch.
fn element(ctx: &Context<'_>, f: &Field, listed: bool) -> TokenStream {
    let start = tag(f.number, f.wire_type);
    let Some(child) = f.message else {
        let value = value(f.ty);
        return quote!(#start #value);
    };
    let child = ctx.names.table(child);
    let open = if listed { quote!(v.open()?) } else { quote!(v.open(scratch)?) };
    if f.delimited {
        let end = tag(f.number, 4);
        quote!(#start #child(&#open, scratch, out)?; #end)
    } else {
        quote!(#start wire::append_len_delimited(out, |out| #child(&#open, scratch, out))?;)
    }
}

fn field(ctx: &Context<'_>, id: MessageId, f: &Field) -> TokenStream {
    let n = ctx.names;
    let method = n.method(id, f.slot);
    if f.is_map() {
        let (key, value) = ctx.plan.map_fields(f.message.expect("a map field has its entry"));
        let (start, key, value) = (tag(f.number, 2), element(ctx, key, false), element(ctx, value, false));
        return quote! {
            for (key, value) in m.#method().collect_by_key() {
                #start
                wire::append_len_delimited(out, |out| -> Done {
                    let v = key;
                    #key
                    let v = value;
                    #value
                    ::core::result::Result::Ok(())
                })?;
            }
        };
    }
    let encoded = element(ctx, f, f.is_repeated());
    if f.is_repeated() {
        if f.packed {
            let packed = packed(f, quote!(m.#method()));
            return quote!(if !m.#method().is_empty() { #packed });
        }
        return quote!(for v in m.#method() { #encoded });
    }
    if f.message.is_some() {
        return quote!(if let ::core::option::Option::Some(v) = m.#method() { #encoded });
    }
    if f.presence != Presence::Implicit || f.oneof.is_some() {
        let has = n.has(id, f.slot);
        return quote!(if m.#has() { let v = m.#method(); #encoded });
    }
    let set = match f.ty {
        Type::Double | Type::Float => quote!(v.to_bits() != 0),
        Type::Bool => quote!(v),
        Type::String | Type::Bytes => quote!(!v.is_empty()),
        Type::Enum => quote!(i32::from(v) != 0),
        _ => quote!(v != 0),
    };
    quote!(let v = m.#method(); if #set { #encoded })
}

fn extension(ctx: &Context<'_>, x: &Extension, constant: &TokenStream) -> TokenStream {
    let f = &x.field;
    let encoded = match f.message {
        Some(child) if x.message_set_item => {
            let function = ctx.names.table(child);
            let number = Literal::u64_unsuffixed(f.number as u64);
            let (start, type_id, message, end) = (tag(1, 3), tag(2, 0), tag(3, 2), tag(1, 4));
            quote! {
                #start
                #type_id
                wire::append_varint(out, #number);
                #message
                wire::append_len_delimited(out, |out| #function(&v.open(scratch)?, scratch, out))?;
                #end
            }
        }
        _ => element(ctx, f, f.is_repeated()),
    };
    if f.packed {
        let packed = packed(f, quote!(values));
        return quote! {
            let values = ::hotpb::view::View::extension(m, &#constant)?;
            if !values.is_empty() { #packed }
        };
    }
    if f.is_repeated() {
        quote!(for v in ::hotpb::view::View::extension(m, &#constant)? { #encoded })
    } else {
        quote!(if let ::core::option::Option::Some(v) = ::hotpb::view::View::extension(m, &#constant)? { #encoded })
    }
}
