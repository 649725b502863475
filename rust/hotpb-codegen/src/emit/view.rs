//! Emits the view face: a table for each message, and the accessors, which the runtime's macros define.

use crate::emit::pool::Msg;
use crate::emit::{Context, Items};
use crate::names::Module;
use crate::plan::{Extension, Field, MessageId, Presence, Type};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// Emits one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    let view = View { layout: layout(&msg), msg };
    // Pool and view share the description that the cold decoder reads.
    let schema = if ctx.options.has("pool") { TokenStream::new() } else { view.msg.schema_items() };
    let table = view.table();
    if view.msg.m.map_entry {
        return Items { here: quote!(#schema #table), nested: TokenStream::new() };
    }
    let (accessors, oneofs) = (view.accessors(), view.oneof_accessors());
    Items { here: quote!(#schema #table #accessors #oneofs), nested: view.oneof_enums() }
}

/// Where the slots are, in words.
struct Layout {
    fields: Vec<usize>,
    oneofs: Vec<usize>,
    words: usize,
}

/// The slots of fields come first, in their order, and those of oneofs after them.
fn layout(msg: &Msg<'_>) -> Layout {
    let mut layout = Layout { fields: Vec::new(), oneofs: Vec::new(), words: 0 };
    for f in &msg.m.fields {
        layout.fields.push(layout.words);
        layout.words += match f.ty {
            _ if f.oneof.is_some() => 0,
            // The place of the last element, too.
            Type::Message if f.is_repeated() && !f.is_map() => 4,
            _ if f.is_repeated() => 3,
            Type::String | Type::Bytes | Type::Message => 2,
            _ => 1,
        };
    }
    for oneof in &msg.m.oneofs {
        layout.oneofs.push(layout.words);
        oneof.slots.iter().for_each(|&slot| layout.fields[slot] = layout.words);
        layout.words += 3;
    }
    layout
}

struct View<'c> {
    msg: Msg<'c>,
    layout: Layout,
}

fn word(ident: &str) -> Ident {
    Ident::new(ident, Span::call_site())
}

/// Returns the kind of a field in tables.
fn kind(msg: &Msg<'_>, f: &Field) -> Ident {
    word(match f.ty {
        _ if f.is_map() => "Map",
        Type::Message if f.delimited => "Group",
        Type::Message => "Message",
        Type::String if msg.verified(f) => "Utf8",
        Type::String => "Text",
        Type::Bytes => "Bytes",
        Type::Fixed32 | Type::Sfixed32 | Type::Float => "Fixed32",
        Type::Fixed64 | Type::Sfixed64 | Type::Double => "Fixed64",
        Type::Enum if msg.defined_values(f).is_some() => "Closed",
        _ => "Varint",
    })
}

/// Returns the type of the values of a field without messages.
fn value_kind(msg: &Msg<'_>, f: &Field, from: &Module) -> TokenStream {
    msg.value_kind_in(quote!(::hotpb::wire::kind), f, from)
}

/// Returns the line of a field in a table.
fn line(msg: &Msg<'_>, f: &Field, slot: usize, child: Option<TokenStream>) -> TokenStream {
    let wire_type = if f.packed { 2 } else { f.wire_type as u32 };
    let tag = Literal::u32_unsuffixed(f.number.wrapping_shl(3) | wire_type);
    let (slot, kind) = (Literal::usize_unsuffixed(slot), kind(msg, f));
    let shape = word(match f.presence {
        Presence::Repeated => "Repeated",
        _ if f.oneof.is_some() => "Member",
        _ => "Single",
    });
    let required = (f.presence == Presence::Required).then(|| quote!(.required()));
    let closed = msg.defined(f, quote!(v)).map(|test| quote!(.closed(|v| #test)));
    let descend = child.map(|child| quote!(.child(&#child)));
    let key = (msg.m.map_entry && f.number == 1).then(|| key_of(f.ty)).flatten();
    quote!(#tag #slot #kind #shape #required #closed #key #descend;)
}

/// Returns which bits of a key count, if not all of them do.
fn key_of(ty: Type) -> Option<TokenStream> {
    let key = match ty {
        Type::Int32 | Type::Uint32 | Type::Sint32 => word("Narrow"),
        Type::Bool => word("Bool"),
        _ => return None,
    };
    Some(quote!(.key(::hotpb::view::__rt::KeyBits::#key)))
}

impl View<'_> {
    fn table(&self) -> TokenStream {
        let (msg, n) = (&self.msg, self.msg.ctx.names);
        let (table, schema) = (n.view_table(msg.id), n.schema(msg.id));
        let words = Literal::usize_unsuffixed(self.layout.words);
        let dropped = msg.ctx.dropped(msg.id).iter().map(|f| Literal::u32_unsuffixed(f.number));
        let (needs, entry) = (msg.may_miss(msg.id), msg.m.map_entry.then(|| word("entry")));
        let fields = msg.m.fields.iter().map(|f| {
            let child = f.message.map(|child| msg.path_to(child, n.view_table(child)));
            line(msg, f, self.layout.fields[f.slot], child)
        });
        let straight = self.straight().then(|| n.view(msg.id)).map(|view| quote!([#view]));
        quote!(
            ::hotpb::__view_table! { #table, #schema, #words, [#(#dropped),*], #needs #entry #straight; #(#fields)* }
        )
    }

    /// Reports whether the view has a scan of its own (PLN-32).
    fn straight(&self) -> bool {
        !self.msg.by_table() && !self.msg.m.map_entry
    }

    fn accessors(&self) -> TokenStream {
        let (msg, n) = (&self.msg, self.msg.ctx.names);
        let (name, table, full, doc) = (n.view(msg.id), n.view_table(msg.id), &msg.m.name, msg.docs());
        let words = Literal::usize_unsuffixed(self.layout.words);
        let straight = self.straight().then(|| word("straight"));
        let extendable = (!msg.m.extension_ranges.is_empty() && !msg.hides_extensions()).then(|| word("extendable"));
        let lines = msg.m.fields.iter().map(|f| self.accessor(f));
        let places = msg.m.fields.iter().filter_map(|f| self.place(f));
        quote! {
            ::hotpb::__view! {
                #doc #name<'a>, #table, #full, #words #straight [#extendable];
                #(#lines)* #(#places)*
            }
        }
    }

    fn child(&self, id: MessageId) -> TokenStream {
        let view = self.msg.path_to(id, self.msg.ctx.names.view(id));
        quote!(#view<'a>)
    }

    fn accessor(&self, f: &Field) -> TokenStream {
        let (msg, n) = (&self.msg, self.msg.ctx.names);
        let (method, at, has) = (n.method(msg.id, f.slot), Literal::usize_unsuffixed(f.slot), n.has(msg.id, f.slot));
        let own = crate::docs::attributes(&f.doc);
        let getter = match f.message {
            Some(entry) if f.is_map() => {
                let (key, value) = msg.ctx.plan.map_fields(entry);
                let key = value_kind(msg, key, msg.module);
                let value = match value.message {
                    Some(child) => {
                        let child = self.child(child);
                        quote!(::hotpb::view::OfMessage<#child>)
                    }
                    None => value_kind(msg, value, msg.module),
                };
                quote!(map(#at, #key, #value))
            }
            Some(child) => {
                let child = self.child(child);
                match (f.is_repeated(), f.oneof) {
                    (true, _) => quote!(messages(#at, #child)),
                    (false, Some(_)) => quote!(member_message(#at, #child, #has)),
                    (false, None) => quote!(message(#at, #child, #has)),
                }
            }
            None => {
                let kind = value_kind(msg, f, msg.module);
                if f.is_repeated() {
                    quote!(repeated(#at, #kind))
                } else {
                    let (ty, default) = (msg.value_type(f), msg.default_of(f).unwrap_or_else(|| msg.zero_of(f)));
                    match (f.oneof, f.presence) {
                        (Some(_), _) => quote!(member(#at, #kind, #ty, #default) with (#has)),
                        (None, Presence::Implicit) => quote!(value(#at, #kind, #ty, #default)),
                        _ => quote!(value(#at, #kind, #ty, #default) with (#has)),
                    }
                }
            }
        };
        quote!(#own #method #getter;)
    }

    /// Returns the method with which a value is overwritten.
    fn place(&self, f: &Field) -> Option<TokenStream> {
        let (msg, n) = (&self.msg, self.msg.ctx.names);
        if f.message.is_some() {
            return None;
        }
        let (method, at, kind) =
            (n.place(msg.id, f.slot), Literal::usize_unsuffixed(f.slot), value_kind(msg, f, msg.module));
        let accessor = if f.is_repeated() { quote!(place_at(#at, #kind)) } else { quote!(place(#at, #kind)) };
        let element = if f.is_repeated() { "an element of " } else { "" };
        let line = format!(" Where {element}`{}` is, to overwrite it.", f.name);
        Some(quote!(#[doc = #line] #method #accessor;))
    }

    fn oneof_accessors(&self) -> TokenStream {
        let (msg, n) = (&self.msg, self.msg.ctx.names);
        let (name, table) = (n.view(msg.id), n.view_table(msg.id));
        let accessor = |oneof: usize| {
            let slot = Literal::usize_unsuffixed(self.layout.oneofs[oneof]);
            let (method, about) = (n.oneof_method(msg.id, oneof), &msg.m.oneofs[oneof].name);
            let ty = n.inside_path(msg.module, msg.id, &n.oneof_view(msg.id, oneof));
            let lifetime = msg.oneof_borrows(oneof).then(|| quote!(<'a>));
            let members = msg.m.oneofs[oneof].slots.iter().map(|&member| {
                let f = &msg.m.fields[member];
                let (number, variant) = (Literal::u32_unsuffixed(f.number), n.oneof_variant(msg.id, member));
                let at = Literal::usize_unsuffixed(member);
                match f.message {
                    Some(child) => {
                        let child = self.child(child);
                        quote!(#number #variant #at message(#child);)
                    }
                    None => {
                        let kind = value_kind(msg, f, msg.module);
                        quote!(#number #variant #at value(#kind);)
                    }
                }
            });
            quote! {
                ::hotpb::__view_oneof! {
                    #name<'a>, #table, #slot, #about #method, #ty #lifetime;
                    #(#members)*
                }
            }
        };
        (0..msg.m.oneofs.len()).map(accessor).collect()
    }

    fn oneof_enums(&self) -> TokenStream {
        let (msg, n) = (&self.msg, self.msg.ctx.names);
        let inside = n.inside(msg.id);
        let oneof_enum = |oneof: usize| {
            let lifetime = msg.oneof_borrows(oneof).then(|| quote!(<'a>));
            let variants = msg.m.oneofs[oneof].slots.iter().map(|&member| {
                let f = &msg.m.fields[member];
                let variant = n.oneof_variant(msg.id, member);
                let ty = match (f.message, f.enum_type) {
                    (Some(child), _) => {
                        let child = n.path(inside, child, &n.view(child));
                        quote!(::hotpb::view::Message<'a, #child<'a>>)
                    }
                    (_, Some(e)) => n.enum_path(inside, e),
                    _ => msg.value_type(f),
                };
                let own = crate::docs::attributes(&f.doc);
                quote!(#own #variant(#ty))
            });
            let name = n.oneof_view(msg.id, oneof);
            let doc = format!(" Oneof `{}` of `{}`, in a view.", msg.m.oneofs[oneof].name, msg.m.name);
            let own = crate::docs::attributes(&msg.m.oneofs[oneof].doc);
            quote! {
                #[doc = #doc]
                #own
                #[derive(Clone, Copy, Debug)]
                pub enum #name #lifetime {
                    #(#variants,)*
                }
            }
        };
        (0..msg.m.oneofs.len()).map(oneof_enum).collect()
    }
}

/// Emits the constant of an extension, which describes the extension as the only field of a message.
pub(crate) fn extension(ctx: &Context<'_>, extendee: MessageId, x: &Extension) -> TokenStream {
    let (n, f) = (ctx.names, &x.field);
    let (from, msg) = (n.extension_module(x), Msg::new(ctx, extendee));
    let child = |name: &dyn Fn(MessageId) -> Ident| f.message.map(|child| n.path(from, child, &name(child)));
    let kind = match child(&|id| n.view(id)) {
        Some(child) if f.is_repeated() => quote!(RepeatedMessage<#child<'static>>),
        Some(child) => quote!(OfMessage<#child<'static>>),
        None => {
            let value = value_kind(&msg, f, from);
            if f.is_repeated() { quote!(RepeatedValue<#value>) } else { quote!(Singular<#value>) }
        }
    };
    let view = n.path(from, extendee, &n.view(extendee));
    let (name, full) = (n.extension_view(x), &x.name);
    let in_errors = format!("[{}]", x.name);
    let schema = crate::emit::pool::schema_line(&msg, f, &in_errors, child(&|id| n.schema(id)));
    let line = line(&msg, f, 0, child(&|id| n.view_table(id)));
    let item = x.message_set_item.then(|| quote!(.message_set_item()));
    let doc = format!(" Extension `{}` of `{}`, for views.", x.name, ctx.plan[extendee].name);
    let own = crate::docs::attributes(&f.doc);
    quote! {
        #[doc = #doc]
        #own
        #[allow(dead_code)]
        pub const #name: ::hotpb::view::extension::Extension<#view<'static>, ::hotpb::view::extension::#kind> = {
            ::hotpb::__schema! { SCHEMA, #full { #schema } }
            ::hotpb::__view_table! { TABLE, SCHEMA, 4, [], false; #line }
            ::hotpb::__view_extension!(TABLE) #item
        };
    }
}
