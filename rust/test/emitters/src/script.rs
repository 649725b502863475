//! Emits `+script`, for tests only: per message a function that follows a script of calls (`vectors/writer`) on the
//! *generated writer*, with an arm for each operation on each field. `crate::script` plays the scripts.

use crate::walk;
use hotpb_codegen::emit::Context;
use hotpb_codegen::names::{FieldNames, Module, ident};
use hotpb_codegen::plan::{Field, MessageId, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// Emits the module `script`: one function per message, and a table of all.
pub(crate) fn module(ctx: &Context<'_>) -> TokenStream {
    let here = Module::default().child("script");
    let n = ctx.names;
    let plain: Vec<MessageId> = ctx.messages.iter().copied().filter(|&id| !ctx.plan[id].map_entry).collect();
    let rows = plain.iter().map(|&id| {
        let (name, f, writer) = (&ctx.plan[id].name, n.table(id), n.path(&here, id, &n.writer(id)));
        quote! {
            (#name, |output, delimited, player| {
                let mut writer = if delimited { #writer::delimited(output) } else { #writer::new(output) };
                #f(&mut writer, player);
                ::hotpb::writer::Writer::finish(writer)
            })
        }
    });
    let functions = plain.iter().map(|&id| function(ctx, &here, id));
    quote! {
        /// For tests: follows a script of calls on a writer.
        #[allow(dead_code, deprecated, non_snake_case, unused_variables, clippy::all)]
        pub mod script {
            use crate::script::{Player, Root, value, values};
            /// The full names of messages, with the function that follows a script on each.
            pub static TABLE: &[(&str, Root)] = &[#(#rows),*];
            #(#functions)*
        }
    }
}

fn function(ctx: &Context<'_>, here: &Module, id: MessageId) -> TokenStream {
    let n = ctx.names;
    let arms = ctx.plan[id].fields.iter().map(|field| {
        let call = |name: &str| {
            let name = ident(name);
            Call { start: quote!(w.#name), first: quote!() }
        };
        Arms { ctx, here, field, names: n.setters(id, field.slot) }.arm(&field.name, &call)
    });
    let extensions = ctx.plan.extensions.iter().filter(|e| e.message == id).flat_map(|e| &e.fields);
    let of_extensions = extensions.filter(|x| ctx.plan[x.file].requested).filter_map(|x| {
        let names = n.extension_writer(x)?;
        let call = |name: &str| Call { start: walk::at(n.extension_module(x), &ident(name)), first: quote!(w,) };
        Some(Arms { ctx, here, field: &x.field, names }.arm(&x.name, &call))
    });
    let (f, writer) = (n.table(id), n.path(here, id, &n.writer(id)));
    quote! {
        pub fn #f(w: &mut #writer<'_>, player: &mut Player<'_>) {
            while let ::core::option::Option::Some(call) = player.next() {
                match (call.call(), call.field()) {
                    #(#arms)*
                    #(#of_extensions)*
                    ("fields", _) => {
                        ::hotpb::writer::Writer::append_raw(w, &value::<::std::vec::Vec<u8>>(call.value()));
                    }
                    (what, field) => panic!("{what} {field}: there is no such call"),
                }
            }
        }
    }
}

/// A call of a method, or of a function of an extension.
struct Call {
    start: TokenStream,
    first: TokenStream,
}

impl Call {
    fn call(&self, arguments: TokenStream) -> TokenStream {
        let (start, first) = (&self.start, &self.first);
        quote!(#start(#first #arguments))
    }
}

struct Arms<'e> {
    ctx: &'e Context<'e>,
    here: &'e Module,
    field: &'e Field,
    names: &'e FieldNames,
}

impl Arms<'_> {
    fn arm(&self, name: &str, call: &dyn Fn(&str) -> Call) -> TokenStream {
        let (f, names) = (self.field, self.names);
        let set = call(&names.set);
        if f.is_map() {
            let (key, value) = self.ctx.plan.map_fields(f.message.expect("a map field has its entry"));
            let key = self.value(key, quote!(call.key()));
            return match value.message {
                None => {
                    let value = self.value(value, quote!(call.value()));
                    let entry = set.call(quote!(#key, #value));
                    quote!(("entry", #name) => { #entry; })
                }
                Some(child) => self.child(name, child, call, quote!(#key,)),
            };
        }
        if let Some(child) = f.message {
            return self.child(name, child, call, quote!());
        }
        match f.ty {
            _ if f.packed => {
                let element = self.value(f, quote!(call.value()));
                let all = self.values(f);
                let (open, span) = (call(&names.open).call(quote!()), set.call(quote!(&#all)));
                quote! {
                    ("span", #name) => { #span; }
                    ("packed", #name) => {
                        let mut guard = #open;
                        player.enter(call);
                        while let ::core::option::Option::Some(call) = player.next() {
                            guard.push(#element);
                        }
                        player.leave();
                    }
                }
            }
            Type::String | Type::Bytes => {
                let (put, parts) = (set.call(self.value(f, quote!(call.value()))), call(&names.parts));
                let parts = parts.call(if walk::verified(self.ctx, f) {
                    quote!(&values::<::std::string::String>(call).iter().map(|s| &**s).collect::<::std::vec::Vec<_>>())
                } else {
                    quote!(&values::<::std::vec::Vec<u8>>(call))
                });
                quote!(("put", #name) => { #put; } ("ranges", #name) => { #parts; })
            }
            _ => {
                let put = set.call(self.value(f, quote!(call.value())));
                let (each, all) = (set.call(quote!(v)), self.values(f));
                let span = f.is_repeated().then(|| quote!(("span", #name) => { for v in #all { #each; } }));
                quote!(("put", #name) => { #put; } #span)
            }
        }
    }

    /// `key` is an argument with its comma, or empty.
    fn child(&self, name: &str, child: MessageId, call: &dyn Fn(&str) -> Call, key: TokenStream) -> TokenStream {
        let function = self.ctx.names.table(child);
        let open = call(&self.names.open).call(key.clone());
        let whole = call(&self.names.set).call(quote!(#key |c| {
            player.enter_with(call);
            #function(c, player);
            player.leave();
        }));
        let raw = call(&self.names.raw).call(quote!(#key &value::<::std::vec::Vec<u8>>(call.value())));
        quote! {
            ("open", #name) => {
                let mut guard = #open;
                player.enter(call);
                #function(&mut guard, player);
                player.leave();
            }
            ("with", #name) => { #whole; }
            ("raw", #name) => { #raw; }
        }
    }

    fn enum_of(&self, f: &Field) -> Option<TokenStream> {
        f.enum_type.map(|e| self.ctx.names.enum_path(self.here, e))
    }

    fn value(&self, f: &Field, source: TokenStream) -> TokenStream {
        match (f.ty, self.enum_of(f)) {
            (Type::String, _) if walk::verified(self.ctx, f) => quote!(&value::<::std::string::String>(#source)),
            (Type::String | Type::Bytes, _) => quote!(value::<::std::vec::Vec<u8>>(#source)),
            (_, Some(e)) => quote!(#e::from(value::<i32>(#source))),
            _ => quote!(value(#source)),
        }
    }

    fn values(&self, f: &Field) -> TokenStream {
        match self.enum_of(f) {
            Some(e) => quote!(values::<i32>(call).into_iter().map(#e::from).collect::<::std::vec::Vec<_>>()),
            None => quote!(values(call)),
        }
    }
}
