//! The part of `+reencode` for builders and visitors: a builder is created from the handle or filled by a visitor, and
//! must encode to the same bytes as the handle.

use crate::walk;
use hotpb_codegen::emit::Context;
use hotpb_codegen::names::{Module, ident, upper_camel};
use hotpb_codegen::plan::{Field, MessageId, Presence, Type};
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
    let visitors = (ctx.options.has("visitor") && !uses_shipped(ctx)).then(|| {
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
    let (visitor, builder) = (n.path(here, id, &n.visitor(id)), n.path(here, id, &n.builder(id)));
    let methods = ctx.plan[id].fields.iter().map(|f| {
        let (method, parameters, body) = (n.method(id, f.slot), parameters(ctx, here, f), body(ctx, here, id, f));
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

/// Reports whether generated messages have fields of types that ship with the runtime.
fn uses_shipped(ctx: &Context<'_>) -> bool {
    let fields = ctx.messages.iter().flat_map(|&id| &ctx.plan[id].fields);
    fields.filter_map(|f| f.message).any(|id| ctx.names.is_shipped(id))
}

/// Returns the parameters of a visitor's method.
fn parameters(ctx: &Context<'_>, here: &Module, f: &Field) -> TokenStream {
    let value = |f: &Field| match (f.message, f.enum_type, f.ty) {
        (Some(child), ..) => {
            let child = ctx.names.path(here, child, &ctx.names.message(child));
            quote!(&mut ::hotpb::pool::Records<'a, '_, #child<'static>>)
        }
        (_, Some(e), _) => ctx.names.enum_path(here, e),
        (.., Type::Bytes) => quote!(&'a [u8]),
        (.., Type::String) if walk::verified(ctx, f) => quote!(&'a str),
        (.., Type::String) => quote!(&'a ::hotpb::pool::ProtoStr),
        (.., Type::Double) => quote!(f64),
        (.., Type::Float) => quote!(f32),
        (.., Type::Bool) => quote!(bool),
        (.., Type::Int64 | Type::Sfixed64 | Type::Sint64) => quote!(i64),
        (.., Type::Uint64 | Type::Fixed64) => quote!(u64),
        (.., Type::Uint32 | Type::Fixed32) => quote!(u32),
        _ => quote!(i32),
    };
    if f.is_map() {
        let (key, element) = ctx.plan.map_fields(f.message.expect("a map field has its entry"));
        let (key, element) = (value(key), value(element));
        return quote!(key: #key, value: #element);
    }
    let ty = value(f);
    if f.message.is_some() {
        return quote!(records: #ty);
    }
    if f.is_repeated() && f.ty.is_packable() {
        let kind = ident(&upper_camel(f.ty.name()));
        let element = f.enum_type.map(|_| quote!(<#ty>));
        return quote!(values: ::hotpb::pool::Elements<'a, ::hotpb::pool::extension::#kind #element>);
    }
    quote!(value: #ty)
}

/// Returns the body of the method: it merges a record, the elements or the value.
fn body(ctx: &Context<'_>, here: &Module, id: MessageId, f: &Field) -> TokenStream {
    let n = ctx.names;
    let place = n.method(id, f.slot);
    let builder = |id: MessageId| n.path(here, id, &n.builder(id));
    if f.is_map() {
        let (_, value) = ctx.plan.map_fields(f.message.expect("a map field has its entry"));
        let Some(child) = value.message else {
            return quote!(self.#place.insert(key.into(), value.into()););
        };
        let ty = builder(child);
        return quote! {
            let mut m = #ty::default();
            while let ::core::option::Option::Some(record) = value.next_record() {
                record.visit(&mut m)?;
            }
            self.#place.insert(key.into(), m);
        };
    }
    let visit_all = quote!(while let ::core::option::Option::Some(record) = records.next_record() {
        record.visit(m)?;
    });
    if let Some(oneof) = f.oneof {
        let place = n.oneof_method(id, oneof);
        let (path, variant) = (n.inside_path(here, id, &n.oneof_builder(id, oneof)), n.oneof_variant(id, f.slot));
        let Some(ty) = f.message.map(builder) else {
            return quote!(self.#place = ::core::option::Option::Some(#path::#variant(value.into())););
        };
        return quote! {
            if !::core::matches!(self.#place, ::core::option::Option::Some(#path::#variant(_))) {
                self.#place = ::core::option::Option::Some(#path::#variant(::core::default::Default::default()));
            }
            if let ::core::option::Option::Some(#path::#variant(m)) = &mut self.#place {
                let m: &mut #ty = &mut *m;
                #visit_all
            }
        };
    }
    match f.message.map(builder) {
        Some(ty) if f.is_repeated() => quote! {
            while let ::core::option::Option::Some(record) = records.next_record() {
                let mut m = #ty::default();
                record.visit(&mut m)?;
                self.#place.push(m);
            }
        },
        Some(ty) => quote! {
            let m = self.#place.get_or_insert_with(::core::default::Default::default);
            let m: &mut #ty = &mut *m;
            #visit_all
        },
        None if f.is_repeated() && f.ty.is_packable() => quote!(self.#place.extend(values);),
        None if f.is_repeated() => quote!(self.#place.push(value.into());),
        None if f.presence == Presence::Implicit => quote!(self.#place = value.into();),
        None => quote!(self.#place = ::core::option::Option::Some(value.into());),
    }
}
