//! The part of `+reencode` for builders and visitors: a builder is created from the handle or filled by a visitor, and
//! must encode to the same bytes as the handle.

use crate::emit::Context;
use crate::emit::pool::{Msg, Storage};
use crate::names::Module;
use crate::plan::{Field, MessageId, Presence};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the tables of re-encoders through builders and visitors; nothing without these faces.
pub(super) fn tables(ctx: &Context<'_>, here: &Module, ids: &[MessageId]) -> TokenStream {
    if !ctx.options.has("builder") {
        return TokenStream::new();
    }
    let row = |id: &MessageId, function: TokenStream| {
        let (name, builder) = (&ctx.plan[*id].name, ctx.names.path(here, *id, &ctx.names.builder(*id)));
        quote!((#name, #function::<#builder>))
    };
    let builders = ids.iter().map(|id| row(id, quote!(builder)));
    // Builders that ship with the runtime cannot implement visitors in another crate.
    let visitors = (ctx.options.has("visitor") && !crate::emit::pool::uses_wkt(ctx)).then(|| {
        let rows = ids.iter().map(|id| row(id, quote!(visitor)));
        let impls = ids.iter().map(|&id| filler(ctx, here, id));
        quote! {
            /// The same with a builder that a visitor fills.
            pub static VISITORS: &[(&str, fn() -> Reencoder)] = &[#(#rows),*];
            fn visitor<B: ::hotpb::pool::Builder>() -> Reencoder
            where
                B::Of: for<'a> ::hotpb::pool::VisitWith<'a, B, Error = ::core::convert::Infallible>,
            {
                let mut buffer = ::hotpb::pool::EncodeBuffer::new();
                ::std::boxed::Box::new(move |input: &[u8], options: &::hotpb::pool::DecodeOptions| {
                    let mut builder = B::default();
                    match ::hotpb::pool::Pool::<B::Of>::visit_with(input, options, &mut builder) {
                        ::core::result::Result::Err(::hotpb::pool::VisitError::Decode(error)) => {
                            ::core::result::Result::Err(error)
                        }
                        _ => builder.encode_with(&mut buffer, &encode_options(options)).map(<[u8]>::to_vec),
                    }
                })
            }
            #(#impls)*
        }
    });
    quote! {
        /// The same with a builder created from the handle.
        pub static BUILDERS: &[(&str, fn() -> Reencoder)] = &[#(#builders),*];
        fn builder<B: ::hotpb::pool::Builder>() -> Reencoder
        where
            B::Of: 'static,
        {
            let (mut pool, mut buffer) = (::hotpb::pool::Pool::<B::Of>::new(), ::hotpb::pool::EncodeBuffer::new());
            ::std::boxed::Box::new(move |input: &[u8], options: &::hotpb::pool::DecodeOptions| {
                // Without a pool, with the default options: the same message or the same error.
                let encoded = |builder: B| {
                    let options = ::hotpb::pool::EncodeOptions { allow_partial: true, ..::core::default::Default::default() };
                    builder.encode_to_vec_with(&options)
                };
                ::std::assert_eq!(
                    B::decode(input).and_then(encoded),
                    pool.decode(input).map(B::from).and_then(encoded)
                );
                let builder = B::from(pool.decode_with(input, options)?);
                builder.encode_with(&mut buffer, &encode_options(options)).map(<[u8]>::to_vec)
            })
        }
        #visitors
    }
}

/// Implements the visitor for a builder: records merge into it in order.
fn filler(ctx: &Context<'_>, here: &Module, id: MessageId) -> TokenStream {
    let n = ctx.names;
    let msg = Msg::new(ctx, id);
    let (visitor, builder) = (n.path(here, id, &n.visitor(id)), n.path(here, id, &n.builder(id)));
    let seen = crate::emit::visit::parameters_from(&msg, here);
    let methods = msg.m.fields.iter().zip(seen).map(|(f, parameters)| {
        let (method, body) = (n.method(id, f.slot), body(ctx, here, &msg, f));
        quote! {
            fn #method(&mut self, #parameters) -> ::hotpb::pool::Flow<Self::Error> {
                #body
                ::core::result::Result::Ok(())
            }
        }
    });
    quote! {
        impl<'a> #visitor<'a> for #builder {
            type Error = ::core::convert::Infallible;
            #(#methods)*
            fn unknown_fields(&mut self, field: ::hotpb::pool::Unknown<'a>) -> ::hotpb::pool::Flow<Self::Error> {
                let mut made = ::std::vec::Vec::new();
                let record = match field {
                    ::hotpb::pool::Unknown::Record(field) => field.record,
                    ::hotpb::pool::Unknown::EnumValue { number, value } => {
                        wire::append_tag(&mut made, number, 0);
                        wire::append_int32(&mut made, value);
                        &made
                    }
                };
                self.unknown_fields.push_checked(record);
                ::core::result::Result::Ok(())
            }
        }
    }
}

fn body(ctx: &Context<'_>, here: &Module, msg: &Msg<'_>, f: &Field) -> TokenStream {
    let n = ctx.names;
    let place = n.method(msg.id, f.slot);
    let visit_all = quote!(while let ::core::option::Option::Some(record) = records.next_record() {
        record.visit(m)?;
    });
    let builder = |id: MessageId| n.path(here, id, &n.builder(id));
    match Storage::new(f) {
        Storage::Map => {
            let (_, value) = ctx.plan.map_fields(f.message.expect("a map field has its entry"));
            match value.message {
                None => quote!(self.#place.insert(key.into(), value.into());),
                Some(child) => {
                    let ty = builder(child);
                    quote! {
                        let mut m = #ty::default();
                        while let ::core::option::Option::Some(record) = value.next_record() {
                            record.visit(&mut m)?;
                        }
                        self.#place.insert(key.into(), m);
                    }
                }
            }
        }
        Storage::List => {
            let ty = builder(f.message.expect("a message field has its type"));
            quote! {
                while let ::core::option::Option::Some(record) = records.next_record() {
                    let mut m = #ty::default();
                    record.visit(&mut m)?;
                    self.#place.push(m);
                }
            }
        }
        Storage::Run if f.ty.is_packable() => quote!(self.#place.extend(values);),
        Storage::Run => quote!(self.#place.push(value.into());),
        Storage::Child => {
            let ty = builder(f.message.expect("a message field has its type"));
            quote! {
                let m = self.#place.get_or_insert_with(::core::default::Default::default);
                let m: &mut #ty = &mut *m;
                #visit_all
            }
        }
        Storage::Oneof => {
            let oneof = f.oneof.expect("a oneof member");
            let place = n.oneof_method(msg.id, oneof);
            let path = n.inside_path(here, msg.id, &n.oneof_builder(msg.id, oneof));
            let variant = n.oneof_variant(msg.id, f.slot);
            let Some(child) = f.message else {
                return quote!(self.#place = ::core::option::Option::Some(#path::#variant(value.into())););
            };
            let ty = builder(child);
            quote! {
                if !::core::matches!(self.#place, ::core::option::Option::Some(#path::#variant(_))) {
                    self.#place = ::core::option::Option::Some(#path::#variant(::core::default::Default::default()));
                }
                if let ::core::option::Option::Some(#path::#variant(m)) = &mut self.#place {
                    let m: &mut #ty = &mut *m;
                    #visit_all
                }
            }
        }
        Storage::Scalar if f.presence == Presence::Implicit => quote!(self.#place = value.into();),
        Storage::Scalar => quote!(self.#place = ::core::option::Option::Some(value.into());),
    }
}
