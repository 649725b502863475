//! Rows: the form of a message in its table, and its schema for the cold decoder.

use super::{Msg, Storage};
use crate::plan::{Field, Presence, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashSet;

impl Msg<'_> {
    /// Returns the name of a field in the row. The prefix distinguishes it from the row's own names and from keywords.
    pub(crate) fn slot(&self, field: &Field) -> Ident {
        format_ident!("f_{}", field.name)
    }

    /// Returns the names of a oneof's case and value in the row.
    pub(crate) fn oneof_slots(&self, oneof: usize) -> (Ident, Ident) {
        let name = &self.m.oneofs[oneof].name;
        (format_ident!("case_{}", name), format_ident!("o_{}", name))
    }

    /// Returns the number of a field's presence bit; only explicit fields that are neither messages nor in a oneof have
    /// one.
    pub(crate) fn has_bit(&self, field: &Field) -> Option<usize> {
        let bit = |f: &Field| {
            matches!(f.presence, Presence::Explicit | Presence::Required)
                && f.oneof.is_none()
                && f.ty != Type::Message
                && !self.m.map_entry
        };
        bit(field).then(|| self.m.fields[..field.slot].iter().filter(|f| bit(f)).count())
    }

    /// Returns the number of words of presence bits.
    fn has_words(&self) -> usize {
        self.m.fields.iter().filter(|f| self.has_bit(f).is_some()).count().div_ceil(32)
    }

    /// Returns the word and the mask of a field's presence bit.
    pub(crate) fn has_place(&self, field: &Field) -> Option<(Literal, Literal)> {
        let bit = self.has_bit(field)?;
        Some((Literal::usize_unsuffixed(bit / 32), Literal::u32_unsuffixed(1 << (bit % 32))))
    }

    /// Returns the expression that reads a field's presence bit.
    pub(crate) fn get_has(&self, field: &Field, row: TokenStream) -> Option<TokenStream> {
        let (word, mask) = self.has_place(field)?;
        Some(quote!(#row.has[#word] & #mask != 0))
    }

    /// Returns the rows of the message's children, with which `FooRow::reset` continues, if it has any. Each message names only its
    /// own table and its children, so that the code grows linearly with the schema and not with its square.
    pub(super) fn child_rows(&self) -> TokenStream {
        let mut seen = HashSet::from([self.id]);
        let children = self.m.fields.iter().filter_map(|f| f.message).filter(|&child| seen.insert(child));
        let children = children.map(|child| {
            let (row, home) =
                (self.path_to(child, self.ctx.names.row(child)), self.foreign(child).map(|home| quote!(=> #home)));
            quote!(#row #home)
        });
        let children: Vec<_> = children.collect();
        if children.is_empty() { TokenStream::new() } else { quote!(children [#(#children),*]) }
    }

    /// Returns the approximate size of the row in bytes.
    pub(super) fn row_size(&self) -> usize {
        let field = |f: &Field| match (Storage::new(f), f.ty) {
            (Storage::Oneof, _) => 0,
            (Storage::Run | Storage::List | Storage::Map, _) => 12,
            (Storage::Child, _) => 4,
            (_, Type::Bool) => 1,
            (_, Type::Int32 | Type::Uint32 | Type::Sint32 | Type::Fixed32 | Type::Sfixed32) => 4,
            (_, Type::Float | Type::Enum) => 4,
            _ => 8,
        };
        4 + 4 * self.has_words() + 12 * self.m.oneofs.len() + self.m.fields.iter().map(field).sum::<usize>()
    }

    /// Returns the schema, from which errors are explained, and the row.
    pub(super) fn row_items(&self) -> TokenStream {
        let mut slots = Vec::new();
        let words = Some(self.has_words()).filter(|&words| words > 0).map(Literal::usize_unsuffixed);
        for field in &self.m.fields {
            let slot = self.slot(field);
            let ty = match Storage::new(field) {
                Storage::Oneof => continue,
                Storage::Run => quote!(Run),
                Storage::List | Storage::Map => quote!(List),
                Storage::Child => quote!(u32),
                Storage::Scalar => super::rust_type(field.ty),
            };
            // An absent value of a map means the first value of the enum (MAP-1).
            let first = (self.m.map_entry && field.ty == Type::Enum).then(|| self.first_value(field));
            let zero = first.filter(|&first| first != 0).map(Literal::i32_unsuffixed).map(|first| quote!(= #first));
            slots.push(quote!(#slot #ty #zero));
        }
        for oneof in 0..self.m.oneofs.len() {
            // The number of the member that is set, and its value.
            let (case, value) = self.oneof_slots(oneof);
            slots.push(quote!(#case u32));
            slots.push(quote!(#value u64));
        }
        let lines = self.schema_lines();
        quote!(schema { #lines } row [#words] { #(#slots;)* })
    }

    /// Returns the first value of a field's enum, which is its default unless the schema specifies another one.
    pub(crate) fn first_value(&self, field: &Field) -> i32 {
        field.enum_type.map_or(0, |e| self.ctx.plan[e].values[0].number)
    }

    /// Returns the schema on its own, for faces without a pool.
    pub(crate) fn schema_items(&self) -> TokenStream {
        let (schema, name, lines) = (self.ctx.names.schema(self.id), &self.m.name, self.schema_lines());
        quote!(::hotpb::__schema! { #schema, #name { #lines } })
    }

    /// Returns the lines of the static that the cold decoder walks over.
    fn schema_lines(&self) -> TokenStream {
        let fields = self.m.fields.iter().map(|f| {
            let child = f.message.map(|child| self.path_to(child, self.ctx.names.schema(child)));
            schema_line(self, f, &f.name, child)
        });
        quote!(#(#fields)*)
    }
}

/// Returns the line of a field in a schema. `child` is the path of its message's schema.
pub(crate) fn schema_line(msg: &Msg<'_>, f: &Field, name: &str, child: Option<TokenStream>) -> TokenStream {
    let number = Literal::u32_unsuffixed(f.number);
    let kind = match f.ty {
        _ if f.is_map() => quote!(Map),
        Type::Message if f.delimited => quote!(Group),
        Type::Message => quote!(Message),
        Type::String if msg.verified(f) => quote!(Utf8),
        Type::String => quote!(Text),
        Type::Bytes => quote!(Bytes),
        Type::Double => quote!(Double),
        Type::Float => quote!(Float),
        Type::Int64 => quote!(Int64),
        Type::Uint64 => quote!(Uint64),
        Type::Int32 => quote!(Int32),
        Type::Fixed64 => quote!(Fixed64),
        Type::Fixed32 => quote!(Fixed32),
        Type::Bool => quote!(Bool),
        Type::Uint32 => quote!(Uint32),
        Type::Enum => quote!(Enum),
        Type::Sfixed32 => quote!(Sfixed32),
        Type::Sfixed64 => quote!(Sfixed64),
        Type::Sint32 => quote!(Sint32),
        Type::Sint64 => quote!(Sint64),
    };
    let repeated = f.is_repeated().then(|| quote!(.repeated()));
    let held = child.map(|child| quote!(.child(&#child)));
    quote!(#number #name #kind #repeated #held;)
}
