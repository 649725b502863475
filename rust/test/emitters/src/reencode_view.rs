//! Emits `+reencode_view`, for tests only: the same as `+reencode`, over the public accessors of views.

use crate::reencode::{packed, tag, value};
use crate::walk;
use hotpb_codegen::emit::Context;
use hotpb_codegen::names::Module;
use hotpb_codegen::plan::{Extension, Field, MessageId};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits the module `reencode_view`: one function per message, including the shipped ones in use, and a table of all.
pub(crate) fn module(ctx: &Context<'_>) -> TokenStream {
    let here = Module::default().child("reencode_view");
    let ids = walk::messages(ctx);
    let functions = ids.iter().map(|&id| function(ctx, &here, id));
    let rows = ids.iter().map(|&id| {
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
    let checks = ids.iter().map(|&id| {
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
    let constant = |x: &Extension| walk::at(n.extension_module(x), &n.extension_view(x));
    let constants = walk::extensions(ctx, id).into_iter().map(constant);
    let parts = walk::by_number(ctx, id, |f| field(ctx, id, f), |x| extension(ctx, x, &constant(x)));
    let (f, ty) = (n.table(id), n.path(here, id, &n.view(id)));
    quote! {
        pub fn #f(m: &#ty<'_>, scratch: &Scratch, out: &mut ::std::vec::Vec<u8>) -> Done {
            #parts
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
    let method = ctx.names.method(id, f.slot);
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
    walk::if_present(ctx, id, f, encoded)
}

fn extension(ctx: &Context<'_>, x: &Extension, constant: &TokenStream) -> TokenStream {
    let (f, read) = (&x.field, quote!(::hotpb::view::View::extension(m, &#constant)));
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
            let values = #read?;
            if !values.is_empty() { #packed }
        };
    }
    walk::each(f, read, "v", encoded)
}
