//! Emits `+builder`: per message an owned struct with public fields, which is created from a handle and encoded like
//! one. Each field is one line, from which macros of the crate generate everything
//! (`hotpb/src/pool/generated/build.rs`).

use crate::attributes;
use crate::docs;
use crate::emit::pool::{Msg, Storage, tag};
use crate::emit::{Context, Items};
use crate::names::Module;
use crate::plan::{Field, MessageId, Presence};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits the builder of one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    if msg.m.map_entry || !msg.encodes() {
        return Items::default();
    }
    let b = Build { msg: &msg };
    Items { here: b.structure(), nested: (0..msg.m.oneofs.len()).map(|oneof| b.oneof(oneof)).collect() }
}

struct Build<'m, 'c> {
    msg: &'m Msg<'c>,
}

impl Build<'_, '_> {
    fn structure(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let (name, handle) = (n.builder(msg.id), n.message(msg.id));
        let line = format!(" The message `{}` as an owned struct, which you can create and edit.", msg.m.name);
        let own = docs::attributes(&msg.m.doc);
        let attributes = attributes::of_message(&msg.ctx.options.attributes, msg.m);
        let clone = (msg.m.recursion == 0).then(|| quote!(Clone));
        let fields = msg.m.fields.iter().map(|f| self.line(f));
        let oneofs = msg.m.oneofs.iter().enumerate().map(|(i, o)| {
            let (name, field, ty) = (&o.name, n.oneof_method(msg.id, i), self.oneof_path(i));
            let nested = self.oneof_nests(i).then(|| quote!(, nested));
            let own = attributes::of_oneof_field(&msg.ctx.options.attributes, msg.m, o);
            quote!(oneof #own #name #field #ty #nested;)
        });
        let closed = msg.m.fields.iter().filter_map(|f| {
            let value = if f.is_map() { &msg.ctx.plan[f.message?].fields[1] } else { f };
            let (defined, number) = (msg.defined_values(value)?, Literal::u32_unsuffixed(f.number));
            Some(quote!(closed #number [#defined];))
        });
        let dropped: Vec<_> = msg.ctx.dropped(msg.id).iter().map(|f| Literal::u32_unsuffixed(f.number)).collect();
        let dropped = (!dropped.is_empty()).then(|| quote!(dropped [#(#dropped)|*];));
        let required = msg.may_miss(msg.id).then(|| self.required());
        quote! {
            ::hotpb::__builder! {
                #[doc = #line] #own #attributes #name, #handle, [#clone];
                #(#fields;)*
                #(#oneofs)*
                #(#closed)*
                #dropped
                #required
            }
        }
    }

    /// Returns the line of a field.
    fn line(&self, f: &Field) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let tag = tag(f, if f.packed || f.is_map() { 2 } else { f.wire_type });
        if let Some(oneof) = f.oneof {
            let (field, variant, value) = (n.oneof_method(msg.id, oneof), self.variant(f), self.value(f, msg.module));
            return quote!(#tag #field member(#variant, #value));
        }
        let docs = self.field_docs(f);
        let (field, value) = (n.method(msg.id, f.slot), self.field(f));
        quote!(#docs #tag #field #value)
    }

    /// Returns the kind and the type of a field of the struct.
    fn field(&self, f: &Field) -> TokenStream {
        let msg = self.msg;
        let packed = f.packed.then(|| quote!(, packed));
        let nested = self.nests(f);
        match Storage::new(f) {
            Storage::Map => {
                let entry = Build { msg: &Msg::new(msg.ctx, f.message.expect("a map field has its entry")) };
                let (key, value) = (&entry.msg.m.fields[0], &entry.msg.m.fields[1]);
                let (key_tag, key_type) = (tag(key, key.wire_type), msg.table_type(key));
                let value_tag = tag(value, value.wire_type);
                let storage = match value.message {
                    Some(_) => {
                        let child = entry.child(value, msg.module);
                        quote!(child(#child))
                    }
                    None => entry.value(value, msg.module),
                };
                let map = if nested { quote!(nested_map) } else { quote!(map) };
                quote!(#map(#key_tag #key_type, #value_tag #storage))
            }
            Storage::List => {
                let child = self.child(f, msg.module);
                let list = if nested { quote!(nested_list) } else { quote!(list) };
                quote!(#list(#child))
            }
            Storage::Run => match f.enum_type {
                Some(e) => {
                    let e = msg.ctx.names.enum_path(msg.module, e);
                    quote!(numbers(#e #packed))
                }
                None => {
                    let ty = msg.table_type(f);
                    quote!(run(#ty #packed))
                }
            },
            Storage::Scalar if f.presence != Presence::Implicit => {
                let (has, ty) = (msg.ctx.names.has(msg.id, f.slot), self.scalar(f, msg.module));
                let method = if f.enum_type.is_some() { quote!(number) } else { quote!(value) };
                quote!(#method(#ty, #has))
            }
            _ => self.value(f, msg.module),
        }
    }

    /// Returns the kind of one value: of a field, of a member of a oneof, or of a map.
    fn value(&self, f: &Field, from: &Module) -> TokenStream {
        if f.message.is_some() {
            let child = self.child(f, from);
            return if self.nests(f) { quote!(boxed(#child)) } else { quote!(child(#child)) };
        }
        let ty = self.scalar(f, from);
        if f.enum_type.is_some() { quote!(number(#ty)) } else { quote!(value(#ty)) }
    }

    /// Returns the builder of a field's message, and its framing.
    fn child(&self, f: &Field, from: &Module) -> TokenStream {
        let (n, child) = (self.msg.ctx.names, f.message.expect("a message field has its type"));
        let (path, group) = (n.path(from, child, &n.builder(child)), f.delimited.then(|| quote!(, group)));
        quote!(#path #group)
    }

    /// Returns the macros' name of the type of a scalar, string or bytes; for an enum, its path.
    fn scalar(&self, f: &Field, from: &Module) -> TokenStream {
        match f.enum_type {
            Some(e) => self.msg.ctx.names.enum_path(from, e),
            None => {
                let ty = self.msg.table_type(f);
                quote!(#ty)
            }
        }
    }

    /// Reports whether builders of this kind nest in a field, directly or indirectly: then a singular one must be
    /// boxed.
    fn nests(&self, f: &Field) -> bool {
        let (plan, recursion) = (self.msg.ctx.plan, self.msg.m.recursion);
        let value = f.message.map(|child| if f.is_map() { plan[child].fields[1].message } else { Some(child) });
        recursion != 0 && value.flatten().is_some_and(|child| plan[child].recursion == recursion)
    }

    fn oneof_nests(&self, oneof: usize) -> bool {
        self.msg.m.oneofs[oneof].slots.iter().any(|&member| self.nests(&self.msg.m.fields[member]))
    }

    fn oneof_path(&self, oneof: usize) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        n.inside_path(msg.module, msg.id, &n.oneof_builder(msg.id, oneof))
    }

    /// Returns the variant of a member.
    fn variant(&self, f: &Field) -> TokenStream {
        let path = self.oneof_path(f.oneof.expect("a oneof member"));
        let variant = self.msg.ctx.names.oneof_variant(self.msg.id, f.slot);
        quote!(#path::#variant)
    }

    /// Returns the owned enum of a oneof.
    fn oneof(&self, oneof: usize) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let o = &msg.m.oneofs[oneof];
        let (name, shown) = (n.oneof_builder(msg.id, oneof), n.oneof_enum(msg.id, oneof));
        let lifetime = msg.oneof_borrows(oneof).then(|| quote!(<'_>));
        let line = format!(" The oneof `{}` of `{}`, owned.", o.name, msg.m.name);
        let own = docs::attributes(&o.doc);
        let attributes = attributes::of_oneof(&msg.ctx.options.attributes, msg.m, o);
        let copy = self.oneof_nests(oneof).then(|| quote!(copy));
        let variants = o.slots.iter().map(|&member| {
            let f = &msg.m.fields[member];
            let (docs, variant, storage) =
                (self.field_docs(f), n.oneof_variant(msg.id, member), self.value(f, n.inside(msg.id)));
            quote!(#docs #variant #storage;)
        });
        quote! {
            ::hotpb::__oneof_builder! {
                #[doc = #line] #own #attributes #name, #shown #lifetime, [#copy];
                #(#variants)*
            }
        }
    }

    /// Returns the comment and the attributes of a field or member.
    fn field_docs(&self, f: &Field) -> TokenStream {
        let line = format!(" `{}` = {}", f.name, f.number);
        let own = docs::attributes(&f.doc);
        let attributes = attributes::of_field(&self.msg.ctx.options.attributes, self.msg.m, f);
        quote!(#[doc = #line] #own #attributes)
    }

    /// Returns the checks for absent required fields: fields of the message first, then those in its children.
    fn required(&self) -> TokenStream {
        let (msg, n) = (self.msg, self.msg.ctx.names);
        let too_deep = (msg.m.recursion != 0).then(|| quote!(too_deep));
        let own = msg.m.fields.iter().filter(|f| f.presence == Presence::Required).map(|f| {
            let (name, field) = (&f.name, n.method(msg.id, f.slot));
            quote!(#name own(#field);)
        });
        let children = msg.m.fields.iter().filter_map(|f| {
            let child = f.message.filter(|&child| msg.may_miss(child))?;
            let (name, field) = (&f.name, n.method(msg.id, f.slot));
            Some(match Storage::new(f) {
                Storage::Map => {
                    let inside = &msg.ctx.plan[child].fields[1].name;
                    quote!(#name map(#field, #inside);)
                }
                Storage::List => quote!(#name list(#field);),
                Storage::Oneof => {
                    let (field, variant) = (n.oneof_method(msg.id, f.oneof.expect("a oneof member")), self.variant(f));
                    quote!(#name member(#field, #variant);)
                }
                _ => quote!(#name child(#field);),
            })
        });
        quote!(required [#too_deep]; #(#own)* #(#children)*)
    }
}
