//! Encoders: one function per message, over its row. Everything is written backwards, so the last field comes first.

use super::{Msg, Storage};
use crate::plan::{Field, MessageId, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// As many fields are written by one function.
const WIDE: usize = 32;

/// The tag of one element, or of the packed record.
pub(crate) fn tag(f: &Field, wire_type: u8) -> Literal {
    Literal::u32_unsuffixed(f.number << 3 | wire_type as u32)
}

/// Writes a scalar `v` without its tag.
pub(crate) fn scalar(ty: Type) -> TokenStream {
    match ty {
        Type::Int32 | Type::Enum => quote!(e.varint(v as i64 as u64);),
        Type::Int64 | Type::Uint32 | Type::Bool => quote!(e.varint(v as u64);),
        Type::Uint64 => quote!(e.varint(v);),
        Type::Sint32 => quote!(e.varint(::hotpb::wire::zigzag32(v) as u64);),
        Type::Sint64 => quote!(e.varint(::hotpb::wire::zigzag64(v));),
        Type::Fixed32 => quote!(e.fixed32(v);),
        Type::Sfixed32 => quote!(e.fixed32(v as u32);),
        Type::Float => quote!(e.fixed32(v.to_bits());),
        Type::Fixed64 => quote!(e.fixed64(v);),
        Type::Sfixed64 => quote!(e.fixed64(v as u64);),
        Type::Double => quote!(e.fixed64(v.to_bits());),
        Type::String | Type::Bytes | Type::Message => unreachable!("they have lengths"),
    }
}

/// Whether a field with implicit presence is written: unless it holds its default, all bits zero (OUT-7).
pub(crate) fn is_set(ty: Type) -> TokenStream {
    match ty {
        Type::Double | Type::Float => quote!(v.to_bits() != 0),
        Type::Bool => quote!(v),
        Type::String | Type::Bytes => quote!(!v.is_empty()),
        _ => quote!(v != 0),
    }
}

/// Writes a message, `body` being what it holds, behind its length or between its group's tags.
pub(crate) fn message(f: &Field, body: TokenStream) -> TokenStream {
    if f.delimited {
        let (start, end) = (tag(f, 3), tag(f, 4));
        return quote!(e.tag::<#end>(); #body e.tag::<#start>(););
    }
    let tag = tag(f, 2);
    quote!(let end = e.mark(); #body e.close::<#tag>(end);)
}

/// Writes a run of scalars, `items` being their iterator from the last to the first, as one packed record.
pub(crate) fn packed(f: &Field, items: TokenStream) -> TokenStream {
    let (tag, one) = (tag(f, 2), scalar(f.ty));
    quote!(let end = e.mark(); for v in #items { #one } e.close::<#tag>(end);)
}

impl Msg<'_> {
    /// Whether a message can be written: nothing that it can hold has fields that are left out and dropped.
    pub(crate) fn encodes(&self) -> bool {
        self.ctx.options.keep_skipped || !self.ctx.facts.drops[self.id.0]
    }

    /// What makes a handle encodable, and `FooRow::encode` of straight messages.
    pub(super) fn encode_items(&self) -> TokenStream {
        if !self.encodes() || self.m.map_entry {
            return TokenStream::new();
        }
        let n = self.ctx.names;
        let name = n.message(self.id);
        let missing = self.may_miss(self.id).then(|| quote!(missing));
        let straight = (!self.by_table()).then(|| self.encode_row());
        quote!(#straight ::hotpb::__encode! { #name, [#missing] })
    }

    /// `FooRow::encode` of a straight message.
    fn encode_row(&self) -> TokenStream {
        let (row, tables) = (self.ctx.names.row(self.id), self.tables());
        let (calls, parts): (Vec<_>, Vec<_>) = self
            .in_parts(|f| self.write(f))
            .into_iter()
            .map(|(name, fields)| match name {
                None => (quote!(#fields), None),
                Some(name) => (
                    quote!(self.#name(t, input, e);),
                    Some(quote! {
                        fn #name(&self, t: &#tables, input: &[u8], e: &mut ::hotpb::pool::Encoder) {
                            #fields
                        }
                    }),
                ),
            })
            .unzip();
        let too_deep = self.too_deep();
        let doc = format!(" Writes a `{}`, the last field first.", self.m.name);
        quote! {
            impl #row {
                #[doc = #doc]
                #[doc(hidden)]
                pub fn encode(&self, t: &#tables, input: &[u8], e: &mut ::hotpb::pool::Encoder) {
                    #too_deep
                    e.unknown(&t.side, input, self.side);
                    #(#calls)*
                }
                #(#parts)*
            }
        }
    }

    /// What writes the fields, the last one first: all in one, or for wide messages in functions with these names. Without
    /// optimisation a function has room on the stack for what each of its fields needs, so those that messages nest in are in
    /// functions of their own.
    pub(crate) fn in_parts(&self, write: impl Fn(&Field) -> TokenStream) -> Vec<(Option<Ident>, TokenStream)> {
        let fields = &self.m.fields;
        if fields.len() <= WIDE {
            return vec![(None, fields.iter().rev().map(write).collect())];
        }
        let nests = |f: &Field| f.message.is_some_and(|child| self.ctx.plan[child].recursion != 0);
        let mut parts: Vec<Vec<&Field>> = Vec::new();
        for f in fields.iter().rev() {
            match parts.last_mut() {
                Some(part) if part.len() < WIDE && !nests(f) && !nests(part[0]) => part.push(f),
                _ => parts.push(vec![f]),
            }
        }
        let part = |(i, part): (usize, Vec<&Field>)| {
            (Some(format_ident!("encode_{}", i + 1)), part.into_iter().map(&write).collect())
        };
        parts.into_iter().enumerate().map(part).collect()
    }

    /// Ends an encoder where there is no room for a message that can hold messages of its own kind.
    pub(crate) fn too_deep(&self) -> Option<TokenStream> {
        (self.m.recursion != 0).then(|| {
            quote!(if e.is_too_deep() {
                return;
            })
        })
    }

    /// Writes a field of the row `self`, when it is there.
    fn write(&self, f: &Field) -> TokenStream {
        let slot = self.slot(f);
        match Storage::of(f) {
            Storage::Scalar => {
                let one = self.write_value(f);
                let test = self.get_has(f, quote!(self)).unwrap_or_else(|| is_set(f.ty));
                quote!(let v = self.#slot; if #test { #one })
            }
            Storage::Child => {
                let one = self.write_message(f, quote!(self.#slot));
                quote!(if self.#slot != 0 { #one })
            }
            Storage::Run => {
                let runs = super::runs_of(f.ty);
                let items = quote!(t.scalars.#runs.get(self.#slot).iter().rev().copied());
                if f.packed {
                    let all = packed(f, items);
                    return quote!(if !self.#slot.is_empty() { #all });
                }
                let one = self.write_value(f);
                quote!(for v in #items { #one })
            }
            Storage::List => {
                let child = f.message.expect("a message field has its type");
                let (table, home, home_ref) = (self.table(child), self.home(child), self.home_ref(child));
                let one = message(f, quote!(row.encode(#home_ref, input, e);));
                let one = match self.pair_of(child).filter(|_| !f.delimited && f.number < 16) {
                    None => one,
                    Some((a, b)) => {
                        let child = Msg::new(self.ctx, child);
                        let (tag, when) = (tag(f, 2), child.pair_is_full());
                        let (x, y) = (child.slot(&child.m.fields[0]), child.slot(&child.m.fields[1]));
                        quote!(if !(#when row.side == 0 && e.pair::<#tag, #a, #b>(row.#x, row.#y, input)) { #one })
                    }
                };
                quote!(e.list(&#table, self.#slot, &#home.side, |e, row| { #one });)
            }
            Storage::Map => {
                let entry = Msg::new(self.ctx, f.message.expect("a map field has its entry"));
                let (home, table, map) = (self.home(entry.id), self.ctx.names.table(entry.id), &slot);
                let (key, value) = (&entry.m.fields[0], &entry.m.fields[1]);
                let slots = (entry.slot(key), entry.slot(value));
                let write_key = {
                    let (slot, one) = (&slots.0, self.write_value(key));
                    quote!(let v = row.#slot; #one)
                };
                let slot = &slots.1;
                let write_value = match value.message {
                    Some(_) => self.write_message(value, quote!(row.#slot)),
                    None => {
                        let one = self.write_value(value);
                        quote!(let v = row.#slot; #one)
                    }
                };
                let tag = tag(f, 2);
                quote! {
                    e.map(&#home.#table, self.#map, &#home.side, input, |e, row| {
                        let entry = e.mark();
                        #write_value
                        #write_key
                        e.close::<#tag>(entry);
                    });
                }
            }
            Storage::Oneof => {
                let (case, bits) = self.oneof_slots(f.oneof.expect("a oneof member"));
                let number = Literal::u32_unsuffixed(f.number);
                let one = match f.message {
                    Some(_) => self.write_message(f, quote!(self.#bits as u32)),
                    None => {
                        let (value, one) = (from_bits(f.ty, quote!(self.#bits)), self.write_value(f));
                        quote!(let v = #value; #one)
                    }
                };
                quote!(if self.#case == #number { #one })
            }
        }
    }

    /// Writes a value `v` of a row, with its tag.
    fn write_value(&self, f: &Field) -> TokenStream {
        let tag = tag(f, f.wire_type);
        if matches!(f.ty, Type::String | Type::Bytes) {
            return quote!(e.span::<#tag>(v, input););
        }
        let scalar = scalar(f.ty);
        quote!(#scalar e.tag::<#tag>();)
    }

    /// Writes the message in a row of its table, with its tag.
    fn write_message(&self, f: &Field, row: TokenStream) -> TokenStream {
        let child: MessageId = f.message.expect("a message field has its type");
        let (table, home) = (self.table(child), self.home_ref(child));
        message(f, quote!(#table.get(#row).encode(#home, input, e);))
    }
}

/// From the 64 bits of a oneof's slot to a value of the row's form.
pub(super) fn from_bits(ty: Type, bits: TokenStream) -> TokenStream {
    match ty {
        Type::String | Type::Bytes => quote!(::hotpb::wire::Span::from_bits(#bits)),
        Type::Double => quote!(f64::from_bits(#bits)),
        Type::Float => quote!(f32::from_bits(#bits as u32)),
        Type::Bool => quote!((#bits != 0)),
        Type::Uint64 | Type::Fixed64 => bits,
        ty => {
            let ty = super::rust_type(ty);
            quote!(#bits as #ty)
        }
    }
}
