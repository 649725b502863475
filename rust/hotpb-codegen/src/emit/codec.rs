//! Emits the codec face: for each message a list of lines, from which a macro of the runtime defines the decoder into
//! the struct of prost (`hotpb/src/codec/generated.rs`).

use crate::emit::pool::{Msg, tag};
use crate::emit::{Context, Items};
use crate::error::{Error, OptionError, SchemaError};
use crate::names::prost::{Paths, Place, oneof_enum, to_snake, to_upper_camel};
use crate::options::Options;
use crate::plan::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// Emits one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    // All faces share the description that the cold decoder reads.
    let schema = (!ctx.options.has("pool") && !ctx.options.has("view")).then(|| msg.schema_items());
    let codec = (!msg.m.map_entry).then(|| {
        let paths = paths(ctx.options);
        let codec = Codec { msg: &msg, paths: &paths, at_root: false };
        let (items, conversions) = (codec.items(), codec.conversions());
        quote!(#items #conversions)
    });
    Items { here: quote!(#schema #codec), nested: TokenStream::new() }
}

/// Emits the spare parts of the unit, and the codecs of the well-known types that it uses.
pub(crate) fn unit(ctx: &Context<'_>) -> TokenStream {
    let paths = paths(ctx.options);
    let shipped = shipped(ctx, &paths);
    let messages = ctx.messages.iter().copied().filter(|&id| !ctx.plan[id].map_entry).chain(shipped.iter().copied());
    let kept = messages.filter_map(|id| {
        let Place::Struct(path) = paths.place(ctx.plan, id) else { return None };
        let (kept, path) = (ctx.names.table(id), path_tokens(&path));
        Some(quote!(#kept #path;))
    });
    let spares = ctx.names.spares();
    let codecs = shipped.iter().map(|&id| {
        let msg = Msg::new(ctx, id);
        let codec = Codec { msg: &msg, paths: &paths, at_root: true };
        let (items, conversions) = (codec.items(), codec.conversions());
        quote!(#items #conversions)
    });
    quote! {
        ::hotpb::__spares! { #spares; #(#kept)* }
        #(#codecs)*
    }
}

/// Checks that the options and the schema suit the face.
pub(crate) fn check(ctx: &Context<'_>) -> Result<(), Error> {
    let refuse = |option: &str, value: String, problem: String| {
        Err(OptionError { option: option.into(), value, problem }.into())
    };
    let options = ctx.options;
    if !options.has("codec") {
        return match &options.prost[..] {
            [] => Ok(()),
            given => refuse("prost", given.join("+"), "only the codec reads it; add codec to faces=".into()),
        };
    }
    let paths = match Paths::parse(&options.prost) {
        Ok(paths) => paths,
        Err(problem) => return refuse("prost", options.prost.join("+"), problem),
    };
    for &id in ctx.messages {
        let (m, file) = (&ctx.plan[id], &ctx.plan[ctx.plan[id].file]);
        let wrong = |field: Option<&Field>, problem: String, fix: &str| {
            Err(SchemaError {
                file: file.name.clone(),
                line: field.map_or(m.line, |f| f.line),
                element: field.map_or(m.name.clone(), |f| format!("{}.{}", m.name, f.name)),
                problem,
                fix: fix.into(),
            }
            .into())
        };
        if matches!(file.syntax, Syntax::Edition2023 | Syntax::Edition2024) {
            return wrong(None, "prost-build does not read editions".into(), "leave codec out of faces=");
        }
        const OLD: [&str; 4] = ["descriptor.proto", "compiler/plugin.proto", "api.proto", "type.proto"];
        for f in &m.fields {
            let Some(child) = f.message.filter(|&child| paths.is_prost_types(ctx.plan, child)) else { continue };
            let source = &ctx.plan[ctx.plan[child].file].name;
            if OLD.iter().any(|name| source.strip_prefix("google/protobuf/") == Some(name)) {
                let problem = format!("prost-types has an older {source}");
                return wrong(Some(f), problem, "generate it with prost-build, and write prost=….google.protobuf=PATH");
            }
        }
    }
    Ok(())
}

fn paths(options: &Options) -> Paths<'_> {
    Paths::parse(&options.prost).expect("checked before anything is emitted")
}

fn path_tokens(path: &str) -> TokenStream {
    path.parse().expect("a path consists of tokens")
}

/// Returns the messages that ship with the runtime and that the unit needs as structs, in the order of the plan.
fn shipped(ctx: &Context<'_>, paths: &Paths<'_>) -> Vec<MessageId> {
    let mut found = BTreeSet::new();
    let mut open: Vec<MessageId> = ctx.messages.to_vec();
    while let Some(id) = open.pop() {
        for child in ctx.plan[id].fields.iter().filter_map(|f| f.message) {
            let is_struct = matches!(paths.place(ctx.plan, child), Place::Struct(_));
            if ctx.names.is_shipped(child) && is_struct && found.insert(child) {
                open.push(child);
            }
        }
    }
    found.into_iter().filter(|&id| !ctx.plan[id].map_entry).collect()
}

/// The name of the codec of a message that ships with the runtime, at the root of the unit.
fn shipped_name(plan: &Plan, id: MessageId) -> Ident {
    let parts: String = plan[id].name.split('.').map(to_upper_camel).collect();
    format_ident!("{parts}Codec")
}

struct Codec<'m, 'c> {
    msg: &'m Msg<'c>,
    paths: &'m Paths<'m>,
    /// Whether the message ships with the runtime, so that its codec is at the root.
    at_root: bool,
}

impl Codec<'_, '_> {
    fn items(&self) -> TokenStream {
        let (msg, ctx) = (self.msg, self.msg.ctx);
        let (plan, names) = (ctx.plan, ctx.names);
        let Place::Struct(place) = self.paths.place(plan, msg.id) else { return TokenStream::new() };
        let (target, kept) = (path_tokens(&place), names.table(msg.id));
        let recursive = msg.m.recursion > 0;
        let (codec, reuse, schema, spares) = if self.at_root {
            let schema = names.path(&Default::default(), msg.id, &names.schema(msg.id));
            let spares = names.spares();
            (shipped_name(plan, msg.id), None, schema, quote!(#spares))
        } else {
            let schema = names.schema(msg.id);
            let spares = names.root_path(msg.module, &names.spares());
            (names.codec(msg.id), Some(names.reuse(msg.id)), quote!(#schema), spares)
        };
        let doc = format!(" The message `{}` as prost has it.", msg.m.name);
        let fields = msg.m.fields.iter().filter(|f| f.oneof.is_none()).map(|f| self.line(f));
        let oneofs = (0..msg.m.oneofs.len()).map(|oneof| {
            let (field, path) = (name(&to_snake(&msg.m.oneofs[oneof].name)), oneof_enum(plan, msg.m, &place, oneof));
            let path = path_tokens(&path);
            let members = msg.m.oneofs[oneof].slots.iter().map(|&slot| {
                let f = &msg.m.fields[slot];
                let (tag, variant, value) = (tag(f, f.wire_type), name(&to_upper_camel(&f.name)), self.value(f));
                let value = self.near(value);
                quote!(#tag #variant #value;)
            });
            quote!(oneof #field [#path] { #(#members)* })
        });
        let unset = self.unset().map(|fields| quote!(unset #fields));
        quote! {
            ::hotpb::__codec! {
                #[doc = #doc] #codec #reuse, #target, #spares, #kept, #schema, #recursive;
                #(#fields)*
                #(#oneofs)*
                #unset
            }
        }
    }

    /// Returns the fields of prost's struct that `only=` and `skip=` leave out, in braces, if there are any.
    fn unset(&self) -> Option<TokenStream> {
        let skipped = self.msg.ctx.skipped.get(&self.msg.id)?;
        let alone = skipped.fields.iter().filter(|f| f.oneof.is_none()).map(|f| &f.name);
        let fields = alone.chain(&skipped.oneofs).map(|field| name(&to_snake(field)));
        Some(quote!({ #(#fields)* }))
    }

    /// Returns the conversions from handles and to builders, as far as these faces are generated.
    fn conversions(&self) -> TokenStream {
        let (msg, ctx) = (self.msg, self.msg.ctx);
        let (n, id) = (ctx.names, msg.id);
        let Place::Struct(place) = self.paths.place(ctx.plan, id) else { return TokenStream::new() };
        let target = path_tokens(&place);
        let from = if self.at_root { Default::default() } else { msg.module.clone() };
        let local = (!self.at_root).then(|| quote!(, local));
        let codec = if self.at_root { shipped_name(ctx.plan, id) } else { n.codec(id) };
        let fields = || msg.m.fields.iter().filter(|f| f.oneof.is_none());
        let line = |f: &Field| {
            let (field, own, shape) = (name(&to_snake(&f.name)), n.method(id, f.slot), self.shape(f));
            let (has, scalar) = (n.has(id, f.slot), f.message.is_none());
            match f.presence {
                Presence::Explicit if scalar => quote!(#field #own #shape, has #has;),
                Presence::Required => quote!(#field #own #shape, required true;),
                _ => quote!(#field #own #shape;),
            }
        };
        let oneofs = |enum_of: &dyn Fn(usize) -> TokenStream| -> TokenStream {
            let convert = |(i, oneof): (usize, &Oneof)| {
                let theirs = path_tokens(&oneof_enum(ctx.plan, msg.m, &place, i));
                let (field, own, enumeration) = (name(&to_snake(&oneof.name)), n.oneof_method(id, i), enum_of(i));
                let members = oneof.slots.iter().map(|&slot| {
                    let f = &msg.m.fields[slot];
                    let (variant, value) = (name(&to_upper_camel(&f.name)), self.value(f));
                    let own = n.oneof_variant(id, slot);
                    quote!(#theirs::#variant, #enumeration::#own, #value;)
                });
                quote!([#field #own] { #(#members)* })
            };
            msg.m.oneofs.iter().enumerate().map(convert).collect()
        };
        let mut items = TokenStream::new();
        if ctx.options.has("pool") {
            let handle = anchored(n.path(&from, id, &n.message(id)));
            let (lines, oneofs) =
                (fields().map(line), oneofs(&|i| anchored(n.inside_path(&from, id, &n.oneof_enum(id, i)))));
            let unset = self.unset();
            items.extend(quote! {
                ::hotpb::__from_handle! { #codec, #target, #handle<'_> #local; #(#lines)* #oneofs #unset }
            });
        }
        if ctx.options.has("builder") {
            let builder = anchored(n.path(&from, id, &n.builder(id)));
            let (lines, oneofs) =
                (fields().map(line), oneofs(&|i| anchored(n.inside_path(&from, id, &n.oneof_builder(id, i)))));
            items.extend(quote! {
                ::hotpb::__to_builder! { #codec, #target, #builder #local; #(#lines)* #oneofs }
            });
        }
        items
    }

    /// Returns what a field that is not a member of a oneof is in prost's struct, for its conversions.
    fn shape(&self, f: &Field) -> TokenStream {
        let value = || self.value(f);
        if f.is_map() {
            let (key, element) = self.msg.ctx.plan.map_fields(f.message.expect("a map field has its entry"));
            let (key, element) = (self.value(key), self.value(element));
            return quote!(Map<#key, #element>);
        }
        let value = value();
        match f.presence {
            Presence::Repeated if f.ty.is_packable() => quote!(Numbers<#value>),
            Presence::Repeated => quote!(List<#value>),
            Presence::Required if f.message.is_some() => quote!(Required<#value>),
            Presence::Required | Presence::Implicit => quote!(Plain<#value>),
            Presence::Explicit => quote!(Maybe<#value>),
        }
    }

    /// Returns the same field or member, but not inline if the message has many.
    fn near(&self, field: TokenStream) -> TokenStream {
        if self.msg.m.tier == Tier::Straight { field } else { quote!(Far<#field>) }
    }

    /// Returns the line of a field that is not a member of a oneof.
    fn line(&self, f: &Field) -> TokenStream {
        let (field, element) = (name(&to_snake(&f.name)), tag(f, f.wire_type));
        let value = || self.value(f);
        if f.is_map() {
            let (key, entry) = self.msg.ctx.plan.map_fields(f.message.expect("a map field has its entry"));
            let (key, entry) = (self.value(key), self.value(entry));
            let tag = tag(f, 2);
            return quote!(#tag #field Map<#key, #entry>;);
        }
        if f.is_repeated() && f.ty.is_packable() {
            let (packed, kind) = (tag(f, 2), value());
            let shape = self.near(quote!(Numbers<#kind>));
            return quote!(#element #field #shape, packed #packed;);
        }
        let (shape, default) = match f.presence {
            Presence::Repeated => ("List", None),
            Presence::Required if f.message.is_some() => ("Required", None),
            Presence::Required => ("Plain", self.default(f)),
            Presence::Implicit => ("Plain", None),
            Presence::Explicit => ("Maybe", None),
        };
        let (shape, value) = (format_ident!("{shape}"), value());
        let default = default.map(|default| quote!(= #default));
        let shape = self.near(quote!(#shape<#value>));
        quote!(#element #field #shape #default;)
    }

    /// Returns the kind of one value.
    fn value(&self, f: &Field) -> TokenStream {
        let (ctx, kind) =
            (self.msg.ctx, |kind: &str| proc_macro2::TokenTree::from(Ident::new(kind, Span::call_site())).into());
        let number: TokenStream = match f.ty {
            Type::Double => kind("Double"),
            Type::Float => kind("Float"),
            Type::Int64 => kind("Int64"),
            Type::Uint64 => kind("Uint64"),
            Type::Int32 => kind("Int32"),
            Type::Fixed64 => kind("Fixed64"),
            Type::Fixed32 => kind("Fixed32"),
            Type::Bool => kind("Bool"),
            Type::String => kind("Utf8"),
            Type::Bytes => kind("Bytes"),
            Type::Uint32 => kind("Uint32"),
            Type::Sfixed32 => kind("Sfixed32"),
            Type::Sfixed64 => kind("Sfixed64"),
            Type::Sint32 => kind("Sint32"),
            Type::Sint64 => kind("Sint64"),
            Type::Enum => {
                // A value that is absent from an entry of a map is the first of the enum.
                let first = Literal::i32_unsuffixed(self.msg.first_value(f));
                if self.msg.first_value(f) < 0 { quote!(Enum<{ #first }>) } else { quote!(Enum<#first>) }
            }
            Type::Message => {
                let id = f.message.expect("a message field has its type");
                let codec = match self.paths.place(ctx.plan, id) {
                    Place::Native(kind) => kind,
                    Place::Struct(_) if ctx.names.is_shipped(id) && self.at_root => {
                        let name = shipped_name(ctx.plan, id);
                        quote!(#name)
                    }
                    Place::Struct(_) if ctx.names.is_shipped(id) => {
                        ctx.names.root_path(self.msg.module, &shipped_name(ctx.plan, id))
                    }
                    Place::Struct(_) => self.msg.path_to(id, ctx.names.codec(id)),
                };
                if f.delimited {
                    let end = tag(f, 4);
                    quote!(Group<#codec, #end>)
                } else {
                    quote!(Message<#codec>)
                }
            }
        };
        number
    }

    /// Returns the default of a required field, unless it is that of its type.
    fn default(&self, f: &Field) -> Option<TokenStream> {
        let number = |text: String| text.parse().expect("a number is a token");
        Some(match f.default.as_ref() {
            None => match self.msg.first_value(f) {
                0 => return None,
                first => {
                    let first = Literal::i32_unsuffixed(first);
                    quote!(#first)
                }
            },
            Some(DefaultValue::Int(v)) => number(v.to_string()),
            Some(DefaultValue::Uint(v)) => number(v.to_string()),
            Some(DefaultValue::Bool(v)) => quote!(#v),
            Some(DefaultValue::Float(bits)) => quote!(f32::from_bits(#bits)),
            Some(DefaultValue::Double(bits)) => quote!(f64::from_bits(#bits)),
            Some(DefaultValue::String(text)) => {
                let text = String::from_utf8_lossy(text);
                quote!(#text)
            }
            Some(DefaultValue::Bytes(bytes)) => {
                let bytes = Literal::byte_string(bytes);
                quote!(&#bytes[..])
            }
            Some(DefaultValue::Enum { number: v, .. }) => {
                let v = Literal::i32_unsuffixed(*v);
                quote!(#v)
            }
        })
    }
}

/// Returns a path that does not begin with the name of a type: the macros import types of their own.
fn anchored(path: TokenStream) -> TokenStream {
    let text = path.to_string();
    if text.starts_with("super") || text.starts_with(':') { path } else { quote!(self::#path) }
}

/// Returns an identifier of prost, which may be a raw one.
fn name(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}
