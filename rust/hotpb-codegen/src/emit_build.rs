//! Emits `+builder`: per message an owned struct with public fields, which is made from a handle and encoded like one.

use crate::emit::{Context, Items};
use crate::emit_pool::encode::{is_set, message as framed, packed, scalar, tag};
use crate::emit_pool::{Msg, Storage, rust_type};
use crate::names::Module;
use crate::plan::{Field, MessageId, Presence, Type};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Emits the builder of one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    if msg.m.map_entry || !msg.encodes() {
        return Items::default();
    }
    let b = Build { msg: &msg };
    Items {
        here: [b.structure(), b.copied().unwrap_or_default(), b.made_of_handle(), b.encoder()].into_iter().collect(),
        nested: b.oneofs(),
    }
}

struct Build<'m, 'c> {
    msg: &'m Msg<'c>,
}

impl Build<'_, '_> {
    fn structure(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let (name, handle) = (n.builder(msg.id), n.message(msg.id));
        let fields = msg.m.fields.iter().filter(|f| f.oneof.is_none()).map(|f| {
            let (field, ty) = (n.method(msg.id, f.slot), self.field_type(f, msg.module));
            let line = format!(" `{}` = {}", f.name, f.number);
            let own = crate::docs::attributes(&f.doc);
            quote!(#[doc = #line] #own pub #field: #ty,)
        });
        let oneofs = msg.m.oneofs.iter().enumerate().map(|(i, o)| {
            let (field, ty) = (n.oneof_method(msg.id, i), self.oneof_path(i));
            let doc = format!(" The member of oneof `{}` that is set.", o.name);
            quote!(#[doc = #doc] pub #field: ::core::option::Option<#ty>,)
        });
        let clone = (msg.m.recursion == 0).then(|| quote!(Clone,));
        let line = format!(" Message `{}`, owned, to be made and edited.", msg.m.name);
        let own = crate::docs::attributes(&msg.m.doc);
        quote! {
            #[doc = #line]
            #own
            #[derive(#clone Debug, Default, PartialEq)]
            pub struct #name {
                #(#fields)*
                #(#oneofs)*
                /// Fields that the schema does not know, and extensions.
                pub unknown_fields: ::hotpb::pool::UnknownSet<#handle<'static>>,
            }
        }
    }

    /// Type of a field of the struct, seen from a module.
    fn field_type(&self, f: &Field, from: &Module) -> TokenStream {
        if f.is_map() {
            let entry = Build { msg: &Msg::new(self.msg.ctx, f.message.expect("a map field has its entry")) };
            let (key, value) = (&entry.msg.m.fields[0], &entry.msg.m.fields[1]);
            let (key, value) = (entry.value_type(key, from), entry.value_type(value, from));
            return quote!(::hotpb::pool::__rt::BTreeMap<#key, #value>);
        }
        let one = self.value_type(f, from);
        match f.presence {
            Presence::Repeated => quote!(::hotpb::pool::__rt::Vec<#one>),
            Presence::Implicit => one,
            _ if self.boxed(f) => quote!(::core::option::Option<::hotpb::pool::__rt::Box<#one>>),
            _ => quote!(::core::option::Option<#one>),
        }
    }

    /// Type of one value.
    fn value_type(&self, f: &Field, from: &Module) -> TokenStream {
        let n = self.msg.ctx.names;
        match f.ty {
            Type::Message => {
                let child = f.message.expect("a message field has its type");
                n.path(from, child, &n.builder(child))
            }
            Type::Enum => n.enum_path(from, f.enum_type.expect("an enum field has its type")),
            Type::Bytes => quote!(::hotpb::pool::__rt::Vec<u8>),
            Type::String if self.msg.verified(f) => quote!(::hotpb::pool::__rt::String),
            Type::String => quote!(::hotpb::pool::ProtoString),
            ty => rust_type(ty),
        }
    }

    /// Whether a singular message needs a place of its own: it could hold the one that holds it.
    fn boxed(&self, f: &Field) -> bool {
        let recursion = self.msg.m.recursion;
        recursion != 0 && f.message.is_some_and(|child| self.msg.ctx.plan[child].recursion == recursion)
    }

    fn oneof_path(&self, oneof: usize) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        n.inside_path(msg.module, msg.id, &n.oneof_builder(msg.id, oneof))
    }

    /// The enums of the oneofs, owned.
    fn oneofs(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let one = |oneof: usize| {
            let variants = msg.m.oneofs[oneof].slots.iter().map(|&member| {
                let f = &msg.m.fields[member];
                let (variant, ty) = (n.oneof_variant(msg.id, member), self.value_type(f, n.inside(msg.id)));
                let ty = if self.boxed(f) { quote!(::hotpb::pool::__rt::Box<#ty>) } else { ty };
                let doc = format!(" `{}` = {}", f.name, f.number);
                let own = crate::docs::attributes(&f.doc);
                quote!(#[doc = #doc] #own #variant(#ty),)
            });
            let name = n.oneof_builder(msg.id, oneof);
            let doc = format!(" Oneof `{}` of `{}`, owned.", msg.m.oneofs[oneof].name, msg.m.name);
            let own = crate::docs::attributes(&msg.m.oneofs[oneof].doc);
            quote! {
                #[doc = #doc]
                #own
                #[derive(Clone, Debug, PartialEq)]
                pub enum #name {
                    #(#variants)*
                }
            }
        };
        (0..msg.m.oneofs.len()).map(one).collect()
    }

    /// `From<Foo>`. A builder that can hold builders of its own kind is filled where it stands, and each field that they nest in by
    /// a function of its own: what a builder takes on the stack is not taken there once more on each level.
    fn made_of_handle(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let (name, handle) = (n.builder(msg.id), n.message(msg.id));
        let singles = || msg.m.fields.iter().filter(|f| f.oneof.is_none());
        if msg.m.recursion == 0 {
            let fields = singles().map(|f| (n.method(msg.id, f.slot), self.own_field(f)));
            let oneofs = (0..msg.m.oneofs.len()).map(|oneof| (n.oneof_method(msg.id, oneof), self.own_oneof(oneof)));
            let all = fields.chain(oneofs).map(|(field, value)| quote!(#field: #value,));
            return quote! {
                impl ::core::convert::From<#handle<'_>> for #name {
                    #[inline]
                    fn from(m: #handle<'_>) -> #name {
                        #name {
                            #(#all)*
                            unknown_fields: ::core::convert::Into::into(m.unknown_fields()),
                        }
                    }
                }
            };
        }
        let (mut plain, mut nested) = (TokenStream::new(), Vec::new());
        for f in singles() {
            let field = n.method(msg.id, f.slot);
            if self.nests(f) {
                nested.push(self.fill_field(f));
            } else {
                let value = self.own_field(f);
                plain.extend(quote!(self.#field = #value;));
            }
        }
        for oneof in 0..msg.m.oneofs.len() {
            let (field, value) = (n.oneof_method(msg.id, oneof), self.own_oneof(oneof));
            let set = quote!(self.#field = #value;);
            let nests = msg.m.oneofs[oneof].slots.iter().any(|&member| self.nests(&msg.m.fields[member]));
            if nests { nested.push(set) } else { plain.extend(set) }
        }
        let functions: Vec<Ident> = (1..=nested.len()).map(|i| format_ident!("fill_{i}")).collect();
        quote! {
            impl ::core::convert::From<#handle<'_>> for #name {
                #[inline]
                fn from(m: #handle<'_>) -> #name {
                    let mut made = <#name as ::core::default::Default>::default();
                    made.fill::<()>(m);
                    made
                }
            }
            impl #name {
                /// Takes over what a message holds.
                pub(crate) fn fill<__OnUse>(&mut self, m: #handle<'_>) {
                    self.fill_plain::<()>(m);
                    #(self.#functions::<()>(m);)*
                }
                fn fill_plain<__OnUse>(&mut self, m: #handle<'_>) {
                    #plain
                    self.unknown_fields = ::core::convert::Into::into(m.unknown_fields());
                }
                #(fn #functions<__OnUse>(&mut self, m: #handle<'_>) { #nested })*
            }
        }
    }

    /// `Clone` of a builder that can hold builders of its own kind: a copy is filled where it stands, as one made of a handle is.
    fn copied(&self) -> Option<TokenStream> {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let name = n.builder(msg.id);
        let (mut plain, mut nested) = (TokenStream::new(), Vec::new());
        let clone = |field: &Ident| quote!(self.#field = ::core::clone::Clone::clone(&from.#field););
        for f in msg.m.fields.iter().filter(|f| f.oneof.is_none()) {
            if self.nests(f) { nested.push(self.copy_field(f)) } else { plain.extend(clone(&n.method(msg.id, f.slot))) }
        }
        for (oneof, o) in msg.m.oneofs.iter().enumerate() {
            let field = n.oneof_method(msg.id, oneof);
            if !o.slots.iter().any(|&member| self.nests(&msg.m.fields[member])) {
                plain.extend(clone(&field));
                continue;
            }
            let path = self.oneof_path(oneof);
            let arms = o.slots.iter().map(|&member| {
                let (variant, f) = (n.oneof_variant(msg.id, member), &msg.m.fields[member]);
                let copy = quote!(::core::clone::Clone::clone(v));
                let copy = if self.nests(f) { self.filled_box(f, &format_ident!("copy")) } else { copy };
                quote!(#path::#variant(v) => #path::#variant(#copy),)
            });
            nested.push(quote!(self.#field = from.#field.as_ref().map(|v| match v { #(#arms)* });));
        }
        let functions: Vec<Ident> = (1..=nested.len()).map(|i| format_ident!("copy_{i}")).collect();
        (msg.m.recursion != 0).then(|| {
            quote! {
                impl ::core::clone::Clone for #name {
                    #[inline]
                    fn clone(&self) -> #name {
                        let mut made = <#name as ::core::default::Default>::default();
                        made.copy::<()>(self);
                        made
                    }
                }
                impl #name {
                    /// Becomes a copy, of the default.
                    pub(crate) fn copy<__OnUse>(&mut self, from: &#name) {
                        self.copy_plain::<()>(from);
                        #(self.#functions::<()>(from);)*
                    }
                    fn copy_plain<__OnUse>(&mut self, from: &#name) {
                        #plain
                        self.unknown_fields = ::core::clone::Clone::clone(&from.unknown_fields);
                    }
                    #(fn #functions<__OnUse>(&mut self, from: &#name) { #nested })*
                }
            }
        })
    }

    /// Copies such a field, into one that is empty.
    fn copy_field(&self, f: &Field) -> TokenStream {
        let field = self.msg.ctx.names.method(self.msg.id, f.slot);
        match Storage::of(f) {
            Storage::Map => quote! {
                for (k, v) in from.#field.iter() {
                    self.#field.entry(::core::clone::Clone::clone(k)).or_default().copy::<()>(v);
                }
            },
            Storage::List => quote! {
                self.#field.resize_with(from.#field.len(), ::core::default::Default::default);
                for (made, v) in self.#field.iter_mut().zip(from.#field.iter()) {
                    made.copy::<()>(v);
                }
            },
            _ => {
                let made = self.filled_box(f, &format_ident!("copy"));
                quote!(if let ::core::option::Option::Some(v) = &from.#field { self.#field = ::core::option::Option::Some(#made); })
            }
        }
    }

    /// Whether builders of this kind nest in a field, at whatever distance.
    fn nests(&self, f: &Field) -> bool {
        let plan = self.msg.ctx.plan;
        let value = f.message.map(|child| if f.is_map() { plan[child].fields[1].message } else { Some(child) });
        value.flatten().is_some_and(|child| plan[child].recursion == self.msg.m.recursion) && self.msg.m.recursion != 0
    }

    /// Fills such a field, which is empty.
    fn fill_field(&self, f: &Field) -> TokenStream {
        let field = self.msg.ctx.names.method(self.msg.id, f.slot);
        match Storage::of(f) {
            Storage::Map => quote! {
                for (k, v) in m.#field().iter() {
                    self.#field.entry(::core::convert::Into::into(k)).or_default().fill::<()>(v);
                }
            },
            Storage::List => quote! {
                let all = m.#field();
                self.#field.resize_with(all.len(), ::core::default::Default::default);
                for (made, v) in self.#field.iter_mut().zip(all.iter()) {
                    made.fill::<()>(v);
                }
            },
            _ => {
                let made = self.filled_box(f, &format_ident!("fill"));
                quote!(if let ::core::option::Option::Some(v) = m.#field() { self.#field = ::core::option::Option::Some(#made); })
            }
        }
    }

    /// A builder of its own kind, made from a message or builder `v` by the method `fill`.
    fn filled_box(&self, f: &Field, fill: &Ident) -> TokenStream {
        let ty = self.value_type(f, self.msg.module);
        quote!({
            let mut made = ::hotpb::pool::__rt::Box::<#ty>::default();
            made.#fill::<()>(v);
            made
        })
    }

    /// From what an accessor returns, `v`, to what a builder holds. Not as a method: a handle has methods of the schema's names.
    fn own(&self, f: &Field, v: TokenStream) -> TokenStream {
        match f.ty {
            Type::Message | Type::String | Type::Bytes => quote!(::core::convert::Into::into(#v)),
            _ => v,
        }
    }

    /// The value of a field of the builder that no builders of its kind nest in.
    fn own_field(&self, f: &Field) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let method = n.method(msg.id, f.slot);
        let one = self.own(f, quote!(v));
        match Storage::of(f) {
            Storage::Map => quote! {
                m.#method().iter().map(|(k, v)| (::core::convert::Into::into(k), ::core::convert::Into::into(v))).collect()
            },
            Storage::Run if !matches!(f.ty, Type::String | Type::Bytes | Type::Enum) => quote!(m.#method().to_vec()),
            Storage::Run | Storage::List => quote!(m.#method().iter().map(|v| #one).collect()),
            Storage::Child => quote!(m.#method().map(|v| #one)),
            _ if f.presence == Presence::Implicit => self.own(f, quote!(m.#method())),
            _ => {
                let (has, value) = (n.has(msg.id, f.slot), self.own(f, quote!(m.#method())));
                quote!(m.#has().then(|| #value))
            }
        }
    }

    /// The value of a oneof of the builder.
    fn own_oneof(&self, oneof: usize) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let method = n.oneof_method(msg.id, oneof);
        let (from, to) = (n.oneof_path(msg.module, msg.id, oneof), self.oneof_path(oneof));
        let arms = msg.m.oneofs[oneof].slots.iter().map(|&member| {
            let (variant, f) = (n.oneof_variant(msg.id, member), &msg.m.fields[member]);
            let v = if self.nests(f) { self.filled_box(f, &format_ident!("fill")) } else { self.own(f, quote!(v)) };
            quote!(#from::#variant(v) => #to::#variant(#v),)
        });
        quote!(m.#method().map(|v| match v { #(#arms)* }))
    }

    fn encoder(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let (name, handle) = (n.builder(msg.id), n.message(msg.id));
        let (calls, parts): (Vec<_>, Vec<_>) = msg
            .in_parts(|f| self.write(f))
            .into_iter()
            .map(|(part, fields)| match part {
                None => (quote!(#fields), None),
                Some(part) => (
                    quote!(self.#part::<()>(e);),
                    Some(quote! {
                        fn #part<__OnUse>(&self, e: &mut ::hotpb::pool::__rt::Encoder) {
                            use ::hotpb::pool::Encode as _;
                            #fields
                        }
                    }),
                ),
            })
            .unzip();
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let too_deep = msg.too_deep();
        let room = msg.missing_room();
        let absent = msg.may_miss(msg.id).then(|| {
            let own = msg.m.fields.iter().filter(|f| f.presence == Presence::Required).map(|f| {
                let (field, name) = (n.method(msg.id, f.slot), &f.name);
                quote! {
                    if self.#field.is_none() {
                        return ::core::result::Result::Err(::hotpb::pool::__rt::Missing::field(#name));
                    }
                }
            });
            let children = msg.m.fields.iter().filter_map(|f| self.absent_in(f));
            quote! {
                #[inline]
                fn absent(&self, stack: &::hotpb::pool::__rt::Stack) -> ::core::result::Result<(), ::hotpb::pool::__rt::Missing> {
                    use ::hotpb::pool::Encode as _;
                    let _ = stack;
                    #room
                    #(#own)*
                    #(#children)*
                    ::core::result::Result::Ok(())
                }
            }
        });
        quote! {
            impl ::hotpb::pool::Encode for #name {
                type Of = #handle<'static>;
                #[inline]
                fn write(&self, e: &mut ::hotpb::pool::__rt::Encoder) {
                    self.write_all::<()>(e);
                }
                #absent
            }
            impl #name {
                fn write_all<__OnUse>(&self, e: &mut ::hotpb::pool::__rt::Encoder) {
                    use ::hotpb::pool::Encode as _;
                    #too_deep
                    e.raw(self.unknown_fields.as_bytes());
                    #(#calls)*
                }
                #(#parts)*
            }
        }
    }

    /// Looks for what is absent in a message field.
    fn absent_in(&self, f: &Field) -> Option<TokenStream> {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let child = f.message.filter(|&child| msg.may_miss(child))?;
        let (field, name) = (n.method(msg.id, f.slot), &f.name);
        Some(match Storage::of(f) {
            Storage::Map => {
                let value = &msg.ctx.plan[child].fields[1];
                let inside = &value.name;
                quote! {
                    for (i, m) in self.#field.values().enumerate() {
                        m.absent(stack).map_err(|m| m.inside(#inside).at(#name, i))?;
                    }
                }
            }
            Storage::List => quote! {
                for (i, m) in self.#field.iter().enumerate() {
                    m.absent(stack).map_err(|m| m.at(#name, i))?;
                }
            },
            Storage::Oneof => {
                let (place, variant) = self.member(f);
                quote!(if let ::core::option::Option::Some(#variant(m)) = &self.#place { m.absent(stack).map_err(|m| m.inside(#name))?; })
            }
            _ => quote! {
                if let ::core::option::Option::Some(m) = &self.#field {
                    m.absent(stack).map_err(|m| m.inside(#name))?;
                }
            },
        })
    }

    /// The struct's field of a member's oneof, and the member's variant.
    fn member(&self, f: &Field) -> (Ident, TokenStream) {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let oneof = f.oneof.expect("a oneof member");
        let (path, variant) = (self.oneof_path(oneof), n.oneof_variant(msg.id, f.slot));
        (n.oneof_method(msg.id, oneof), quote!(#path::#variant))
    }

    /// Writes a field, when it is there.
    fn write(&self, f: &Field) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let field = n.method(msg.id, f.slot);
        let one = self.element(f);
        match Storage::of(f) {
            Storage::Map => {
                let entry = Build { msg: &Msg::new(msg.ctx, f.message.expect("a map field has its entry")) };
                let (key, value) = (&entry.msg.m.fields[0], &entry.msg.m.fields[1]);
                let (key, value, tag) = (entry.element(key), entry.element(value), tag(f, 2));
                quote! {
                    for (k, v) in self.#field.iter().rev() {
                        let entry = e.mark();
                        #value
                        let v = k;
                        #key
                        e.close::<#tag>(entry);
                    }
                }
            }
            Storage::Run if f.packed => {
                let items = match f.ty {
                    Type::Enum => quote!(self.#field.iter().rev().map(|v| v.0)),
                    _ => quote!(self.#field.iter().rev().copied()),
                };
                let all = packed(f, items);
                quote!(if !self.#field.is_empty() { #all })
            }
            Storage::Run | Storage::List => quote!(for v in self.#field.iter().rev() { #one }),
            Storage::Oneof => {
                let (place, variant) = self.member(f);
                quote!(if let ::core::option::Option::Some(#variant(v)) = &self.#place { #one })
            }
            Storage::Scalar if f.presence == Presence::Implicit => {
                let test = is_set(f.ty);
                let test = match f.ty {
                    Type::String | Type::Bytes => test,
                    Type::Enum => quote!(v.0 != 0),
                    _ => quote!({ let v = *v; #test }),
                };
                quote!(let v = &self.#field; if #test { #one })
            }
            _ => quote!(if let ::core::option::Option::Some(v) = &self.#field { #one }),
        }
    }

    /// Writes one element that `v` refers to, with its tag.
    fn element(&self, f: &Field) -> TokenStream {
        let tag = tag(f, f.wire_type);
        match f.ty {
            Type::Message => framed(f, quote!(v.write(e);)),
            Type::Bytes => quote!(e.bytes::<#tag>(v);),
            Type::String => quote!(e.bytes::<#tag>(v.as_bytes());),
            ty => {
                let (deref, scalar) = (if ty == Type::Enum { quote!(v.0) } else { quote!(*v) }, scalar(ty));
                quote!(let v = #deref; #scalar e.tag::<#tag>();)
            }
        }
    }
}
