//! Extensions: a constant for each, and the methods of messages that can be extended.

use super::Msg;
use crate::emit::Context;
use crate::names::Module;
use crate::plan::{Extension, Field, MessageId, Type};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Returns the constant of an extension.
pub(super) fn constant(ctx: &Context<'_>, extendee: MessageId, x: &Extension) -> TokenStream {
    let n = ctx.names;
    let from = n.extension_module(x);
    let extended = n.path(from, extendee, &n.message(extendee));
    let (name, f) = (n.extension(x), &x.field);
    let kind = match f.message {
        Some(child) => {
            let child = n.path(from, child, &n.message(child));
            let kind = if f.is_repeated() { quote!(RepeatedMessage) } else { quote!(OfMessage) };
            quote!(::hotpb::pool::extension::#kind<#child<'static>>)
        }
        None => {
            let value = Msg::new(ctx, extendee).value_kind(f, from);
            let kind = if f.is_repeated() { quote!(Repeated) } else { quote!(Singular) };
            quote!(::hotpb::pool::extension::#kind<#value>)
        }
    };
    let (number, full) = (Literal::u32_unsuffixed(f.number), &x.name);
    let closed = Msg::new(ctx, extendee).defined(f, quote!(v)).map(|test| quote!(.closed(|v| #test)));
    let delimited = f.delimited.then(|| quote!(.delimited()));
    let item = x.message_set_item.then(|| quote!(.message_set_item()));
    let packed = f.packed.then(|| quote!(.packed()));
    let line = format!(" Extension `{}` of `{}`.", x.name, ctx.plan[extendee].name);
    let own = crate::docs::attributes(&f.doc);
    quote! {
        #[doc = #line]
        #own
        #[allow(dead_code)]
        pub const #name: ::hotpb::pool::extension::Extension<#extended<'static>, #kind> =
            ::hotpb::pool::extension::Extension::new(#number, #full) #closed #delimited #packed #item;
    }
}

impl Msg<'_> {
    /// Returns the type of the values of a field without messages, one of [`hotpb::pool::extension`].
    pub(crate) fn value_kind(&self, f: &Field, from: &Module) -> TokenStream {
        self.value_kind_in(quote!(::hotpb::pool::extension), f, from)
    }

    /// Returns the same in another module that has these types.
    pub(crate) fn value_kind_in(&self, module: TokenStream, f: &Field, from: &Module) -> TokenStream {
        let name = match f.ty {
            Type::Double => quote!(Double),
            Type::Float => quote!(Float),
            Type::Int64 => quote!(Int64),
            Type::Uint64 => quote!(Uint64),
            Type::Int32 => quote!(Int32),
            Type::Fixed64 => quote!(Fixed64),
            Type::Fixed32 => quote!(Fixed32),
            Type::Bool => quote!(Bool),
            Type::Bytes => quote!(Bytes),
            Type::Uint32 => quote!(Uint32),
            Type::Sfixed32 => quote!(Sfixed32),
            Type::Sfixed64 => quote!(Sfixed64),
            Type::Sint32 => quote!(Sint32),
            Type::Sint64 => quote!(Sint64),
            Type::String if self.verified(f) => quote!(Utf8),
            Type::String => quote!(Text),
            Type::Enum => {
                let e = f.enum_type.expect("an enum field has its type");
                let e = self.ctx.names.enum_path(from, e);
                quote!(Enum<#e>)
            }
            Type::Message => unreachable!("messages are not values"),
        };
        quote!(#module::#name)
    }

    /// Reports whether a member has the name of a built-in method for extensions. Then these methods are absent; the
    /// calls of `Extension` and of the trait `View` do the same.
    pub(crate) fn hides_extensions(&self) -> bool {
        ["extension", "has_extension"].iter().any(|name| self.ctx.names.has_member(self.id, self.m, name))
    }

    /// Returns `extension` and `has_extension` of a message that can have extensions and no fields of these names.
    pub(super) fn extendable_impl(&self) -> TokenStream {
        if self.hides_extensions() {
            return TokenStream::new();
        }
        let name = self.ctx.names.message(self.id);
        quote! {
            #[allow(dead_code)]
            impl<'a> #name<'a> {
                /// Decodes and checks an extension, whose records are among the unknown fields.
                pub fn extension<__K: ::hotpb::pool::extension::Kind>(
                    self,
                    extension: &::hotpb::pool::extension::Extension<#name<'static>, __K>,
                ) -> ::core::result::Result<__K::Output<'a>, ::hotpb::Error> {
                    extension.read(self.unknown_fields())
                }
                /// Reports whether the message has a record of an extension.
                pub fn has_extension<__K: ::hotpb::pool::extension::Kind>(
                    self,
                    extension: &::hotpb::pool::extension::Extension<#name<'static>, __K>,
                ) -> bool {
                    extension.is_in(self.unknown_fields())
                }
            }
        }
    }
}
