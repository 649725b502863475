//! Emits the pool face: rows, decoders, handles, pools, and the tables of the whole unit.

mod by_table;
mod encode;
mod extension;
mod handle;
mod missing;
mod pair;
mod row;
mod straight;

use crate::emit::{Context, Items};
use crate::names::Module;
use crate::plan::{Extension, Field, Message, MessageId, Type, Utf8};
pub(crate) use encode::tag;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
pub(crate) use row::schema_line;
use straight::Straight;

/// Emits one message.
pub(crate) fn message(ctx: &Context<'_>, id: MessageId) -> Items {
    let msg = Msg::new(ctx, id);
    let by_table = msg.by_table();
    let code =
        if by_table { Straight { apart: msg.table_items(), ..Straight::default() } } else { msg.straight_items() };
    let missing = msg.missing_items().filter(|_| !by_table);
    let here = [msg.handle_items(code.within), code.apart, missing.unwrap_or_default()];
    Items { here: here.into_iter().collect(), nested: msg.oneof_enums() }
}

/// Emits the constant of an extension.
pub(crate) fn extension(ctx: &Context<'_>, extendee: MessageId, extension: &Extension) -> TokenStream {
    extension::constant(ctx, extendee, extension)
}

/// Emits the tables of the unit.
pub(crate) fn tables(ctx: &Context<'_>) -> TokenStream {
    let tables = ctx.names.tables();
    let foreign = ctx.facts.foreign.iter().map(|foreign| {
        let (name, root) = (&foreign.name, Module::default());
        if ctx.names.is_shipped(foreign.example) {
            return quote!(#name: ::hotpb::wkt::Tables);
        }
        let handle = ctx.names.path(&root, foreign.example, &ctx.names.message(foreign.example));
        quote!(#name: <#handle<'static> as ::hotpb::pool::Message>::Tables)
    });
    let needs = |id: MessageId| ctx.feature(ctx.plan[id].file).map(|feature| quote!(if #feature));
    let lines = ctx.messages.iter().map(|&id| {
        let (table, row) = (ctx.names.table(id), ctx.names.path(&Module::default(), id, &ctx.names.row(id)));
        let kind = if ctx.plan[id].map_entry { quote!(EntryTable) } else { quote!(Table) };
        let needs = needs(id);
        quote!(#table #kind(#row) #needs;)
    });
    let maps = ctx.messages.iter().flat_map(|&id| {
        let (holder, maps) = (Msg::new(ctx, id), ctx.plan[id].fields.iter().filter(|f| f.is_map()));
        maps.map(move |f| {
            let entries = ctx.names.table(f.message.expect("a map field has its entry"));
            let (table, slot, needs) = (ctx.names.table(id), holder.slot(f), needs(id));
            quote!([#entries of #table.#slot] #needs;)
        })
    });
    quote!(::hotpb::__tables! { #tables [#(#foreign),*]; #(#lines)* #(#maps)* })
}

/// The storage of a field in the row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    Scalar,
    Child,
    Run,
    List,
    Map,
    Oneof,
}

impl Storage {
    pub(crate) fn new(field: &Field) -> Storage {
        match field.ty {
            _ if field.oneof.is_some() => Storage::Oneof,
            _ if field.is_map() => Storage::Map,
            Type::Message if field.is_repeated() => Storage::List,
            Type::Message => Storage::Child,
            _ if field.is_repeated() => Storage::Run,
            _ => Storage::Scalar,
        }
    }
}

/// One message, with everything that is needed to emit it.
pub(crate) struct Msg<'c> {
    pub(crate) ctx: &'c Context<'c>,
    pub(crate) id: MessageId,
    pub(crate) m: &'c Message,
    pub(crate) module: &'c Module,
}

impl<'c> Msg<'c> {
    pub(crate) fn new(ctx: &'c Context<'c>, id: MessageId) -> Msg<'c> {
        Msg { ctx, id, m: &ctx.plan[id], module: ctx.names.module(id) }
    }

    /// Returns the path to the unit's `Tables`.
    pub(crate) fn tables(&self) -> TokenStream {
        self.ctx.names.root_path(self.module, &self.ctx.names.tables())
    }

    /// Returns the name of the tables of another unit, if a message belongs to one.
    pub(crate) fn foreign(&self, id: MessageId) -> Option<Ident> {
        self.ctx.names.foreign(id)
    }

    /// Returns the path from this message's module to an item beside another message.
    pub(crate) fn path_to(&self, id: MessageId, item: Ident) -> TokenStream {
        self.ctx.names.path(self.module, id, &item)
    }

    /// Returns the tables that hold a message, as a place: `t` or `t.wkt`.
    pub(crate) fn home(&self, id: MessageId) -> TokenStream {
        self.foreign(id).map_or(quote!(t), |home| quote!(t.#home))
    }

    /// Returns the same as an argument of type `&Tables`.
    pub(crate) fn home_ref(&self, id: MessageId) -> TokenStream {
        self.foreign(id).map_or(quote!(t), |home| quote!(&t.#home))
    }

    /// Returns a message's table of rows, as a place.
    pub(crate) fn table(&self, id: MessageId) -> TokenStream {
        let (home, table) = (self.home(id), self.ctx.names.table(id));
        if self.ctx.plan[id].map_entry { quote!(#home.#table.rows) } else { quote!(#home.#table) }
    }

    /// Reports whether a string field is always checked, whatever the options of the call.
    pub(crate) fn verified(&self, field: &Field) -> bool {
        field.ty == Type::String && (field.utf8 == Some(Utf8::Verify) || self.ctx.options.strict)
    }

    /// Reports whether a decoder works on a copy of its row: true for small rows that no child can access. Other rows
    /// are written in place, and so are rows with very many fields: a macro reverses their lines, eight at each of the
    /// 128 steps that it may take.
    pub(crate) fn local(&self) -> bool {
        self.m.recursion == 0 && self.row_size() <= 160 && self.m.fields.len() <= 500
    }

    /// Returns the message's own table, in its tables.
    pub(crate) fn own_table(&self) -> TokenStream {
        let table = self.ctx.names.table(self.id);
        if self.m.map_entry { quote!(#table.rows) } else { quote!(#table) }
    }

    /// Reports whether a required field can be absent somewhere in a message.
    pub(crate) fn may_miss(&self, id: MessageId) -> bool {
        self.ctx.facts.may_miss[id.0]
    }
}

/// Returns the type of a scalar in rows and runs.
pub(crate) fn rust_type(ty: Type) -> TokenStream {
    match ty {
        Type::Double => quote!(f64),
        Type::Float => quote!(f32),
        Type::Int64 | Type::Sfixed64 | Type::Sint64 => quote!(i64),
        Type::Uint64 | Type::Fixed64 => quote!(u64),
        Type::Int32 | Type::Sfixed32 | Type::Sint32 | Type::Enum => quote!(i32),
        Type::Uint32 | Type::Fixed32 => quote!(u32),
        Type::Bool => quote!(bool),
        Type::String | Type::Bytes => quote!(Span),
        Type::Message => quote!(u32),
    }
}

/// Returns the table of [`hotpb::pool::Scalars`] that stores runs of a type.
pub(crate) fn runs_of(ty: Type) -> TokenStream {
    match ty {
        Type::Double => quote!(f64s),
        Type::Float => quote!(f32s),
        Type::Int64 | Type::Sfixed64 | Type::Sint64 => quote!(i64s),
        Type::Uint64 | Type::Fixed64 => quote!(u64s),
        Type::Int32 | Type::Sfixed32 | Type::Sint32 | Type::Enum => quote!(i32s),
        Type::Uint32 | Type::Fixed32 => quote!(u32s),
        Type::Bool => quote!(bools),
        Type::String | Type::Bytes => quote!(spans),
        Type::Message => unreachable!("messages are listed, not run"),
    }
}
