//! Emits `+reencode`, for tests only: per message a function that walks the *public accessors* of the pool face and
//! appends canonical bytes (OUT-*): ascending numbers, minimal lengths, maps in order of keys, unknown fields last. It
//! decodes extensions that are declared in the file of their extendee, and writes them in order of their numbers.

mod owned;

use crate::walk;
use hotpb_codegen::emit::Context;
use hotpb_codegen::names::Module;
use hotpb_codegen::plan::{Extension, Field, MessageId, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits the module `reencode`: one function per message, including the shipped ones in use, and a table of all.
pub(crate) fn module(ctx: &Context<'_>) -> TokenStream {
    let here = Module::default().child("reencode");
    let ids = walk::messages(ctx);
    let functions = ids.iter().map(|&id| function(ctx, &here, id));
    let rows = ids.iter().map(|&id| {
        let (name, f) = (&ctx.plan[id].name, ctx.names.table(id));
        let pool = ctx.names.path(&here, id, &ctx.names.pool(id));
        quote! {
            (#name, || {
                let mut pool = #pool::new();
                ::std::boxed::Box::new(move |input: &[u8], options: &::hotpb::pool::DecodeOptions| {
                    let mut out = ::std::vec::Vec::new();
                    #f(pool.decode_with(input, options)?, &mut out)?;
                    ::core::result::Result::Ok(out)
                })
            })
        }
    });
    let handles = ids.iter().map(|&id| {
        let (name, message) = (&ctx.plan[id].name, ctx.names.path(&here, id, &ctx.names.message(id)));
        quote!((#name, handle::<#message<'static>>))
    });
    let owned = owned::tables(ctx, &here, &ids);
    quote! {
        /// For tests: decodes a message and encodes it again, from its accessors.
        #[allow(dead_code, deprecated, non_snake_case, unused_variables, unused_mut, clippy::all)]
        pub mod reencode {
            use ::hotpb::wire;
            /// The result of encoding, which can fail because extensions are decoded at the same time.
            pub type Done = ::core::result::Result<(), ::hotpb::Error>;
            /// Decodes a message into its own pool and encodes it again.
            pub type Reencoder = ::std::boxed::Box<
                dyn FnMut(&[u8], &::hotpb::pool::DecodeOptions) -> ::core::result::Result<::std::vec::Vec<u8>, ::hotpb::Error>,
            >;
            /// The full names of messages, with a constructor of the re-encoder of each.
            pub static TABLE: &[(&str, fn() -> Reencoder)] = &[#(#rows),*];
            /// The same with the handle's own encoder, which leaves extensions among the unknown fields.
            pub static HANDLES: &[(&str, fn() -> Reencoder)] = &[#(#handles),*];
            fn handle<M: ::hotpb::pool::Message + 'static>() -> Reencoder
            where
                for<'a> M::Handle<'a>: ::hotpb::pool::Encode,
            {
                let (mut pool, mut buffer) = (::hotpb::pool::Pool::<M>::new(), ::hotpb::pool::EncodeBuffer::new());
                ::std::boxed::Box::new(move |input: &[u8], options: &::hotpb::pool::DecodeOptions| {
                    let message = pool.decode_with(input, options)?;
                    ::hotpb::pool::Encode::encode_with(&message, &mut buffer, &encode_options(options)).map(<[u8]>::to_vec)
                })
            }
            fn encode_options(options: &::hotpb::pool::DecodeOptions) -> ::hotpb::pool::EncodeOptions {
                ::hotpb::pool::EncodeOptions {
                    deterministic: true,
                    allow_partial: options.allow_partial,
                    strict: options.strict,
                    stack: options.stack,
                }
            }
            #owned
            #(#functions)*
        }
    }
}

fn function(ctx: &Context<'_>, here: &Module, id: MessageId) -> TokenStream {
    let n = ctx.names;
    let constant = |x: &Extension| walk::at(n.extension_module(x), &n.extension(x));
    let constants = walk::extensions(ctx, id).into_iter().map(constant);
    let parts = walk::by_number(ctx, id, |f| field(ctx, id, f), |x| extension(ctx, here, x, &constant(x)));
    let (f, ty) = (n.table(id), n.path(here, id, &n.message(id)));
    quote! {
        pub fn #f(m: #ty<'_>, out: &mut ::std::vec::Vec<u8>) -> Done {
            #parts
            ::hotpb::pool::__rt::append_rest(out, m.unknown_fields(), &[#(#constants.request()),*]);
            ::core::result::Result::Ok(())
        }
    }
}

pub(crate) fn tag(number: u32, wire_type: u8) -> TokenStream {
    let (number, wire_type) = (Literal::u32_unsuffixed(number), Literal::u8_unsuffixed(wire_type));
    quote!(wire::append_tag(out, #number, #wire_type);)
}

/// Appends a scalar `v` without its tag.
pub(crate) fn value(ty: Type) -> TokenStream {
    match ty {
        Type::Double => quote!(wire::append_fixed64(out, v.to_bits());),
        Type::Float => quote!(wire::append_fixed32(out, v.to_bits());),
        Type::Int64 => quote!(wire::append_int64(out, v);),
        Type::Uint64 => quote!(wire::append_varint(out, v);),
        Type::Int32 => quote!(wire::append_int32(out, v);),
        Type::Fixed64 => quote!(wire::append_fixed64(out, v);),
        Type::Fixed32 => quote!(wire::append_fixed32(out, v);),
        Type::Bool => quote!(wire::append_varint(out, v as u64);),
        Type::String => quote!(wire::append_bytes(out, v.as_bytes());),
        Type::Bytes => quote!(wire::append_bytes(out, v);),
        Type::Uint32 => quote!(wire::append_varint(out, v as u64);),
        Type::Enum => quote!(wire::append_int32(out, i32::from(v));),
        Type::Sfixed32 => quote!(wire::append_fixed32(out, v as u32);),
        Type::Sfixed64 => quote!(wire::append_fixed64(out, v as u64);),
        Type::Sint32 => quote!(wire::append_sint32(out, v);),
        Type::Sint64 => quote!(wire::append_sint64(out, v);),
        Type::Message => unreachable!("messages have functions of their own"),
    }
}

/// Appends one element `v` with its tag.
fn element(ctx: &Context<'_>, f: &Field) -> TokenStream {
    let start = tag(f.number, f.wire_type);
    match f.message {
        Some(child) => {
            let child = ctx.names.table(child);
            if f.delimited {
                let end = tag(f.number, 4);
                quote!(#start #child(v, out)?; #end)
            } else {
                quote!(#start wire::append_len_delimited(out, |out| #child(v, out))?;)
            }
        }
        None => {
            let value = value(f.ty);
            quote!(#start #value)
        }
    }
}

pub(crate) fn packed(f: &Field, items: TokenStream) -> TokenStream {
    let (start, value) = (tag(f.number, 2), value(f.ty));
    quote! {
        #start
        wire::append_len_delimited(out, |out| -> Done {
            for v in #items {
                #value
            }
            ::core::result::Result::Ok(())
        })?;
    }
}

fn field(ctx: &Context<'_>, id: MessageId, f: &Field) -> TokenStream {
    let n = ctx.names;
    let method = n.method(id, f.slot);
    if f.is_map() {
        let (key, value) = ctx.plan.map_fields(f.message.expect("a map field has its entry"));
        let (start, key, value) = (tag(f.number, 2), element(ctx, key), element(ctx, value));
        return quote! {
            let mut entries: ::std::vec::Vec<_> = m.#method().iter().collect();
            entries.sort_by(|a, b| ::core::cmp::Ord::cmp(&a.0, &b.0));
            for (key, value) in entries {
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
    let encoded = element(ctx, f);
    if f.is_repeated() {
        let items = walk::elements(ctx, id, f);
        if f.packed {
            let packed = packed(f, items);
            return quote!(if !m.#method().is_empty() { #packed });
        }
        return quote!(for v in #items { #encoded });
    }
    walk::if_present(ctx, id, f, encoded)
}

fn extension(ctx: &Context<'_>, here: &Module, x: &Extension, constant: &TokenStream) -> TokenStream {
    let (f, read) = (&x.field, quote!(#constant.read(m.unknown_fields())));
    if let Some(child) = f.message {
        let pool = ctx.names.path(here, child, &ctx.names.pool(child));
        let encoded = if x.message_set_item {
            let function = ctx.names.table(child);
            let number = Literal::u64_unsuffixed(f.number as u64);
            let (start, type_id, message, end) = (tag(1, 3), tag(2, 0), tag(3, 2), tag(1, 4));
            quote! {
                #start
                #type_id
                wire::append_varint(out, #number);
                #message
                wire::append_len_delimited(out, |out| #function(v, out))?;
                #end
            }
        } else {
            element(ctx, f)
        };
        let body = quote! {
            let mut pool = #pool::new();
            let v = parts.decode(&mut pool)?;
            #encoded
        };
        return walk::each(f, read, "parts", body);
    }
    let encoded = element(ctx, f);
    if f.packed {
        let packed = packed(f, quote!(values));
        return quote! {
            let values = #read?;
            if values.clone().next().is_some() { #packed }
        };
    }
    walk::each(f, read, "v", encoded)
}
