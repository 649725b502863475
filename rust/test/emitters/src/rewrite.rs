//! Emits `+rewrite`, for tests only: per message a function that walks the *public accessors* of the pool face and
//! calls the *generated writer*: ascending numbers, maps in order of keys, unknown fields last, as `+reencode` does
//! with the functions of `wire`.

use crate::walk;
use hotpb_codegen::emit::Context;
use hotpb_codegen::names::{Module, ident};
use hotpb_codegen::plan::{Extension, Field, MessageId, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Emits the module `rewrite`: one function per message, including the shipped ones in use, and a table of all.
pub(crate) fn module(ctx: &Context<'_>) -> TokenStream {
    let here = Module::default().child("rewrite");
    let ids = walk::messages(ctx);
    let functions = ids.iter().map(|&id| function(ctx, &here, id));
    let rows = ids.iter().map(|&id| {
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
    let constant = |x: &Extension| walk::at(n.extension_module(x), &n.extension(x));
    let constants = walk::extensions(ctx, id).into_iter().map(constant);
    let parts = walk::by_number(ctx, id, |f| field(ctx, id, f), |x| extension(ctx, here, x, &constant(x)));
    let (f, ty, writer) = (n.table(id), n.path(here, id, &n.message(id)), n.path(here, id, &n.writer(id)));
    quote! {
        pub fn #f(m: #ty<'_>, w: &mut #writer<'_>) -> Done {
            let mut done: Done = ::core::result::Result::Ok(());
            #parts
            let mut unknown = ::std::vec::Vec::new();
            ::hotpb::pool::__rt::append_rest(&mut unknown, m.unknown_fields(), &[#(#constants.request()),*]);
            ::hotpb::writer::Writer::append_raw(w, &unknown);
            done
        }
    }
}

/// Returns the value `v` of a field as the argument of its setter: unchecked text is passed as bytes.
fn value(ctx: &Context<'_>, f: &Field, v: TokenStream) -> TokenStream {
    if f.ty == Type::String && !walk::verified(ctx, f) { quote!(#v.as_bytes()) } else { v }
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
    let set = ident(&names.set);
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
            let (rewrite, open, function) = (child(ctx, message), ident(&names.open), n.table(message));
            quote!(if ::hotpb::writer::Writer::status(w).is_ok_and(|len| len % 2 == 0) { w.#set(#rewrite); } else { #function(v, &mut w.#open())?; })
        }
        None => {
            let value = value(ctx, f, quote!(v));
            quote!(w.#set(#value);)
        }
    };
    if f.is_repeated() {
        let items = walk::elements(ctx, id, f);
        if f.packed {
            let from = ident(&names.from);
            return match f.ty {
                Type::Enum => quote!(w.#from(#items);),
                _ => quote! {
                    if m.#method().len() % 2 == 0 { w.#set(m.#method()); } else { w.#from(#items); }
                },
            };
        }
        return quote!(for v in #items { #rewritten });
    }
    walk::if_present(ctx, id, f, rewritten)
}

fn extension(ctx: &Context<'_>, here: &Module, x: &Extension, constant: &TokenStream) -> TokenStream {
    let (f, read) = (&x.field, quote!(#constant.read(m.unknown_fields())));
    let names = ctx.names.extension_writer(x).expect("every extension has names");
    let function = |name: &str| walk::at(ctx.names.extension_module(x), &ident(name));
    let (set, from) = (function(&names.set), function(&names.from));
    if let Some(message) = f.message {
        let pool = ctx.names.path(here, message, &ctx.names.pool(message));
        let rewrite = child(ctx, message);
        let body = quote! {
            let mut pool = #pool::new();
            let v = parts.decode(&mut pool)?;
            #set(w, #rewrite);
        };
        return walk::each(f, read, "parts", body);
    }
    if f.packed {
        return quote!(#from(w, #read?););
    }
    let v = value(ctx, f, quote!(v));
    walk::each(f, read, "v", quote!(#set(w, #v);))
}
