//! Decoders: one function per message. Each arm stays in a loop as long as its tag comes again, so that the
//! order of the fields, whatever it is, costs one predictable branch per change.

use super::{Msg, Storage, runs_of, rust_type};
use crate::plan::{Field, MessageId, Type};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

impl Msg<'_> {
    /// `FooRow::decode` and what it needs.
    pub(super) fn decode_items(&self) -> TokenStream {
        let row = self.ctx.names.row(self.id);
        let tables = self.tables();
        let own = self.table(self.id);
        if !self.local() {
            return self.outlined_items();
        }
        let arms: Vec<TokenStream> = self.m.fields.iter().map(|f| self.arms(f)).collect();
        let (load, store) = (quote!(let mut r = *#own.at(row);), quote!(*#own.at(row) = r;));
        let unknown = self.read_unknown();
        let start = (!self.m.map_entry || self.needs_start()).then(|| quote!(let start = d.at(&c);));
        let (pair, expected) = (self.pair_check(), self.expected());
        let doc = self.decode_doc();
        quote! {
            #[allow(unused_doc_comments)]
            impl #row {
                #[doc = #doc]
                #[doc(hidden)]
                pub fn decode<'a>(
                    t: &mut #tables,
                    d: &mut ::hotpb::pool::Decoder<'a>,
                    range: ::hotpb::wire::Range<'a>,
                    row: u32,
                    end_tag: u32,
                ) -> ::core::option::Option<::hotpb::wire::Pos<'a>> {
                    let mut c = d.open(range);
                    #load
                    while !c.at_end() {
                        #start
                        let tag = c.next_tag();
                        match tag {
                            #(#arms)*
                            _ if tag == end_tag && tag != 0 => {
                                #store
                                return ::core::option::Option::Some(c.pos());
                            }
                            _ => {
                                #unknown
                            }
                        }
                    }
                    if end_tag != 0 {
                        return ::core::option::Option::None;
                    }
                    #store
                    ::core::option::Option::Some(c.pos())
                }
                #expected
                #pair
            }
        }
    }

    /// Whether a message is a few singular scalars, so that most of its records look the same, and comes in numbers.
    fn has_expected(&self) -> bool {
        let scalar = |f: &Field| {
            let undefined = !self.m.map_entry && self.defined(f, quote!(v)).is_some();
            Storage::of(f) == Storage::Scalar && f.number < 16 && !undefined
        };
        let fields = &self.m.fields;
        if !self.m.map_entry && !self.ctx.facts.listed[self.id.0] {
            return false;
        }
        let skipped = !self.ctx.skipped(self.id).is_empty();
        let pair = !self.m.map_entry && self.pair_of(self.id).is_some();
        self.local()
            && !self.by_table()
            && !pair
            && !self.m.message_set
            && !skipped
            && (1..=8).contains(&fields.len())
            && fields.iter().all(scalar)
    }

    /// Reads such a record when it has its fields in ascending order, each once at most, and nothing else.
    fn expected(&self) -> Option<TokenStream> {
        let fields = self.m.fields.iter().map(|f| {
            let (tag, body) = (Literal::u32_unsuffixed(f.number << 3 | f.wire_type as u32), self.read_singular(f));
            quote!(if c.eat::<#tag>() { #body })
        });
        self.has_expected().then(|| {
            quote! {
                /// The row of a record that has its fields in ascending order and nothing else, else `None`.
                #[doc(hidden)]
                #[inline]
                pub fn expected<'a>(
                    d: &::hotpb::pool::Decoder<'a>,
                    mut c: ::hotpb::wire::Cursor<'a>,
                ) -> ::core::option::Option<Self> {
                    let (_, mut r) = (d, <Self as ::hotpb::pool::Row>::ZERO);
                    #(#fields)*
                    if c.at_end() { ::core::option::Option::Some(r) } else { ::core::option::Option::None }
                }
            }
        })
    }

    fn decode_doc(&self) -> String {
        format!(" Decodes the records of a `{}` into row `row`, up to the end or the end tag `end_tag`.", self.m.name)
    }

    /// The same for messages whose rows are written in place: wide or recursive ones. What can recurse is in functions
    /// of its own, all else in one: without optimisation each arm takes room on the stack, and untrusted
    /// input decides how deep the stack gets. Optimised builds put the functions back in place.
    fn outlined_items(&self) -> TokenStream {
        let (row, tables, doc, pair) =
            (self.ctx.names.row(self.id), self.tables(), self.decode_doc(), self.pair_check());
        let unknown = self.read_unknown();
        let (nested, plain): (Vec<_>, Vec<_>) = self.m.fields.iter().partition(|f| f.message.is_some());
        let plain = plain.into_iter().map(|f| self.arms(f));
        let calls = nested.iter().map(|f| {
            let function = format_ident!("field_{}", f.number);
            self.arm(f, f.wire_type, quote!(c = Self::#function(t, d, c, row, start)?;))
        });
        let cursor = quote!(::hotpb::wire::Cursor<'a>);
        let functions = nested.iter().map(|f| {
            let (function, doc) = (format_ident!("field_{}", f.number), format!(" `{}` = {}", f.name, f.number));
            let body = self.body(f);
            quote! {
                #[doc = #doc]
                #[inline]
                fn #function<'a>(
                    t: &mut #tables,
                    d: &mut ::hotpb::pool::Decoder<'a>,
                    mut c: #cursor,
                    row: u32,
                    start: u32,
                ) -> ::core::option::Option<#cursor> {
                    #body
                    ::core::option::Option::Some(c)
                }
            }
        });
        quote! {
            #[allow(unused_doc_comments)]
            impl #row {
                #[doc = #doc]
                #[doc(hidden)]
                pub fn decode<'a>(
                    t: &mut #tables,
                    d: &mut ::hotpb::pool::Decoder<'a>,
                    range: ::hotpb::wire::Range<'a>,
                    row: u32,
                    end_tag: u32,
                ) -> ::core::option::Option<::hotpb::wire::Pos<'a>> {
                    let mut c = d.open(range);
                    while !c.at_end() {
                        let start = d.at(&c);
                        let tag = c.next_tag();
                        match tag {
                            #(#calls)*
                            _ if tag == end_tag && tag != 0 => {
                                return ::core::option::Option::Some(c.pos());
                            }
                            _ => {
                                c = Self::plain(t, d, c, row, start, tag)?;
                            }
                        }
                    }
                    if end_tag != 0 {
                        return ::core::option::Option::None;
                    }
                    ::core::option::Option::Some(c.pos())
                }
                /// Fields that hold no messages, and unknown ones.
                #[inline]
                fn plain<'a>(
                    t: &mut #tables,
                    d: &mut ::hotpb::pool::Decoder<'a>,
                    mut c: #cursor,
                    row: u32,
                    start: u32,
                    tag: u32,
                ) -> ::core::option::Option<#cursor> {
                    match tag {
                        #(#plain)*
                        _ => {
                            #unknown
                        }
                    }
                    ::core::option::Option::Some(c)
                }
                #(#functions)*
                #pair
            }
        }
    }

    fn needs_start(&self) -> bool {
        self.m.fields.iter().any(|f| f.is_map() && self.closed_map_value(f).is_some())
    }

    /// A statement that needs the row's `side` while other tables are borrowed.
    pub(super) fn with_side(&self, body: impl Fn(TokenStream) -> TokenStream) -> TokenStream {
        if self.local() {
            return body(quote!(&mut r.side));
        }
        let row = self.row_expr();
        let body = body(quote!(&mut side));
        quote!(let mut side = #row.side; #body #row.side = side;)
    }

    /// A statement that needs a list of the row while other tables are borrowed.
    fn with_list(&self, field: &Field, body: impl Fn(TokenStream) -> TokenStream) -> TokenStream {
        let slot = self.slot(field);
        if self.local() {
            return body(quote!(r.#slot));
        }
        let row = self.row_expr();
        let body = body(quote!(list));
        quote!(let mut list = #row.#slot; #body #row.#slot = list;)
    }

    fn arms(&self, f: &Field) -> TokenStream {
        let one = self.arm(f, f.wire_type, self.body(f));
        if Storage::of(f) == Storage::Run && f.ty.is_packable() {
            let packed = self.arm(f, 2, self.read_packed(f));
            return quote!(#one #packed);
        }
        one
    }

    /// Reads a field behind its tag, with the wire type of one element.
    fn body(&self, f: &Field) -> TokenStream {
        match Storage::of(f) {
            Storage::Scalar => self.read_singular(f),
            Storage::Run => self.read_unpacked(f),
            Storage::Child => self.read_child(f),
            Storage::List => self.read_list(f),
            Storage::Map => self.read_map(f),
            Storage::Oneof => self.read_member(f),
        }
    }

    pub(crate) fn arm(&self, f: &Field, wire_type: u8, body: TokenStream) -> TokenStream {
        let tag = f.number << 3 | wire_type as u32;
        let mut bytes = Vec::new();
        hotpb::wire::append_varint(&mut bytes, tag as u64);
        let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let packed = if wire_type == 2 && f.ty.is_packable() { ", packed" } else { "" };
        let doc = format!(" {} = {}{packed}: {}", f.name, f.number, bytes.join(" "));
        let tag = Literal::u32_unsuffixed(tag);
        quote!(#[doc = #doc] #tag => { #body })
    }

    /// The expression that reads one element of a scalar, string or bytes field.
    fn read_value(&self, f: &Field, c: TokenStream) -> TokenStream {
        let convert = |name: &str| {
            let name = format_ident!("{name}");
            quote!(::hotpb::pool::value::#name(#c.varint()?))
        };
        match f.ty {
            Type::Int32 | Type::Enum => convert("int32"),
            Type::Int64 => convert("int64"),
            Type::Uint32 => convert("uint32"),
            Type::Uint64 => convert("uint64"),
            Type::Sint32 => convert("sint32"),
            Type::Sint64 => convert("sint64"),
            Type::Bool => convert("boolean"),
            Type::Fixed32 => quote!(#c.fixed32()?),
            Type::Sfixed32 => quote!(#c.fixed32()? as i32),
            Type::Float => quote!(f32::from_bits(#c.fixed32()?)),
            Type::Fixed64 => quote!(#c.fixed64()?),
            Type::Sfixed64 => quote!(#c.fixed64()? as i64),
            Type::Double => quote!(f64::from_bits(#c.fixed64()?)),
            Type::String if self.verified(f) => quote!(d.text(&mut #c)?),
            Type::String => quote!(d.string(&mut #c)?),
            Type::Bytes => quote!(#c.span(d.input())?),
            Type::Message => unreachable!("messages have decoders of their own"),
        }
    }

    /// Whether a value is one that the field's closed enum defines; `None` for other fields.
    pub(crate) fn defined(&self, f: &Field, value: TokenStream) -> Option<TokenStream> {
        let e = f.enum_type.map(|e| &self.ctx.plan[e]).filter(|e| e.closed)?;
        let mut numbers: Vec<i32> = e.values.iter().map(|v| v.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let patterns = ranges(&numbers);
        Some(quote!(matches!(#value, #(#patterns)|*)))
    }

    fn read_singular(&self, f: &Field) -> TokenStream {
        let (row, slot) = (self.row_expr(), self.slot(f));
        let value = self.read_value(f, quote!(c));
        let has = self.set_has(f);
        // In a map entry the value is stored as it comes; the map decides what becomes of the entry (ENM-3).
        if let Some(defined) = self.defined(f, quote!(v)).filter(|_| !self.m.map_entry) {
            let keep = self.keep_enum(f, quote!(d.at(&c)));
            return quote!(let v = #value; if #defined { #row.#slot = v; #has } else { #keep });
        }
        if self.local() {
            return quote!(r.#slot = #value; #has);
        }
        quote!(let v = #value; #row.#slot = v; #has)
    }

    fn read_unpacked(&self, f: &Field) -> TokenStream {
        let (row, slot, runs) = (self.row_expr(), self.slot(f), runs_of(f.ty));
        let value = self.read_value(f, quote!(c));
        let tag = Literal::u32_unsuffixed(f.number << 3 | f.wire_type as u32);
        let anchor = match f.ty {
            Type::String | Type::Bytes => quote!(v.start() as u32),
            _ => quote!(d.at(&c)),
        };
        let push = quote!(t.scalars.#runs.push(d, #anchor, &mut #row.#slot, v)?;);
        let push = match self.defined(f, quote!(v)) {
            Some(defined) => {
                let keep = self.keep_enum(f, quote!(d.at(&c)));
                quote!(if #defined { #push } else { #keep })
            }
            None => push,
        };
        quote! {
            loop {
                let v = #value;
                #push
                if !c.eat::<#tag>() {
                    break;
                }
            }
        }
    }

    fn read_packed(&self, f: &Field) -> TokenStream {
        let (row, slot, runs) = (self.row_expr(), self.slot(f), runs_of(f.ty));
        if let Some(defined) = self.defined(f, quote!(v)) {
            let keep = self.keep_enum(f, quote!(anchor));
            return quote! {
                let mut inner = d.open(c.range()?);
                let anchor = d.at(&inner);
                while !inner.at_end() {
                    let v = ::hotpb::pool::value::int32(inner.varint()?);
                    if #defined {
                        t.scalars.#runs.push(d, anchor, &mut #row.#slot, v)?;
                    } else {
                        #keep
                    }
                }
            };
        }
        let call = match f.ty {
            Type::Fixed32 | Type::Sfixed32 | Type::Float | Type::Fixed64 | Type::Sfixed64 | Type::Double => {
                let ty = rust_type(f.ty);
                quote!(packed_fixed(d, &mut #row.#slot, range, #ty::from_le_bytes)?)
            }
            ty => {
                let convert = format_ident!("{}", convert_name(ty));
                quote!(packed_varint(d, &mut #row.#slot, range, ::hotpb::pool::value::#convert)?)
            }
        };
        quote!(let range = c.range()?; t.scalars.#runs.#call;)
    }

    /// Reads the value of a message field into the row `child` of its table.
    fn read_message(&self, f: &Field, child: MessageId) -> TokenStream {
        let (home, row) = (self.home_mut(child), self.path_to(child, self.ctx.names.row(child)));
        if f.delimited {
            let end = Literal::u32_unsuffixed(f.number << 3 | 4);
            quote!(let end = #row::decode(#home, d, range, child, #end)?; c.resume(end)?;)
        } else {
            quote!(#row::decode(#home, d, range, child, 0)?;)
        }
    }

    /// Goes one level down, to a message whose record has the anchor `at`.
    fn enter(&self, child: MessageId, at: TokenStream) -> TokenStream {
        match self.ctx.plan[child].recursion {
            0 => quote!(d.enter()?;),
            _ => quote!(d.enter_again(|d| #at)?;),
        }
    }

    /// The range that a message's records are in: its payload, or for groups the rest of the enclosing range.
    fn message_range(&self, f: &Field) -> TokenStream {
        if f.delimited { quote!(let range = c.rest();) } else { quote!(let range = c.range()?;) }
    }

    /// Pushes an empty row for a child.
    fn push_child(&self, child: MessageId) -> TokenStream {
        let table = self.table(child);
        quote!(#table.push_empty(d, d.start_of(range))?)
    }

    fn read_child(&self, f: &Field) -> TokenStream {
        let child = f.message.expect("a message field has its type");
        let (row, slot) = (self.row_expr(), self.slot(f));
        let (range, push, read) = (self.message_range(f), self.push_child(child), self.read_message(f, child));
        let enter = self.enter(child, quote!(d.start_of(range)));
        quote! {
            #range
            #enter
            let mut child = #row.#slot;
            if child == 0 {
                child = #push;
                #row.#slot = child;
            }
            #read
            d.leave();
        }
    }

    fn read_list(&self, f: &Field) -> TokenStream {
        let child = f.message.expect("a message field has its type");
        let (table, home) = (self.table(child), self.home(child));
        let (range, push, read) = (self.message_range(f), self.push_child(child), self.read_message(f, child));
        let tag = Literal::u32_unsuffixed(f.number << 3 | f.wire_type as u32);
        if self.ctx.plan[child].recursion != 0 {
            let append = self
                .with_list(f, |list| quote!(#list.push(d, d.start_of(range), &mut #table, &mut #home.side, child)?;));
            let enter = self.enter(child, quote!(d.at(&c)));
            return quote! {
                #enter
                loop {
                    #range
                    let child = #push;
                    #read
                    #append
                    if !c.eat::<#tag>() {
                        break;
                    }
                }
                d.leave();
            };
        }
        let append = self.with_list(f, |list| quote!(#list.extend(d, anchor, &mut #table, &mut #home.side, first)?;));
        let general = quote!(#range anchor = d.start_of(range); let child = #push; #read);
        let (crow, cmsg) = (self.path_to(child, self.ctx.names.row(child)), Msg::new(self.ctx, child));
        let Some((a, b)) = self.pair_of(child) else {
            let (declare, run) = if cmsg.has_expected() && !f.delimited && !self.foreign(child) {
                let push = quote!(#table.push_expected::<#tag>(d, &mut c, &mut anchor, #crow::expected)?);
                (quote!(let mut anchor = 0;), quote!(while #push))
            } else {
                (quote!(let mut anchor;), quote!(loop))
            };
            return quote! {
                d.enter()?;
                let first = #table.next_index();
                #declare
                #run {
                    #general
                    if !c.eat::<#tag>() {
                        break;
                    }
                }
                d.leave();
                #append
            };
        };
        let build = cmsg.pair_row(&crow);
        let good = match cmsg.pair_needs_check() {
            None => quote!(|_, _, _, _| true),
            Some(unless) => quote!(|t, first, d, all| #unless d.plain(all) || #crow::texts_are_utf8(t, first, d)),
        };
        quote! {
            d.enter()?;
            let first = #table.next_index();
            let mut anchor = 0;
            while #table.push_pairs::<#tag, #a, #b>(d, &mut c, &mut anchor, |a, b| #build, #good)? {
                #general
                if !c.eat::<#tag>() {
                    break;
                }
            }
            d.leave();
            #append
        }
    }

    /// For a map whose values are of a closed enum: the test of the entry `entry`.
    fn closed_map_value(&self, f: &Field) -> Option<TokenStream> {
        let entry = Msg::new(self.ctx, f.message?);
        let value = &entry.m.fields[1];
        let (table, slot) = (self.table(entry.id), entry.slot(value));
        self.defined(value, quote!(#table.get(child).#slot))
    }

    fn read_map(&self, f: &Field) -> TokenStream {
        let entry = f.message.expect("a map field has its entry");
        let (push, read) = (self.push_child(entry), self.read_message(f, entry));
        let entries = {
            let (home, table) = (self.home(entry), self.ctx.names.table(entry));
            quote!(#home.#table)
        };
        let add =
            self.with_list(f, |list| quote!(#entries.add(d, d.start_of(range), &mut #list, &mut t.side, row, child)?;));
        let (erow, emsg) = (self.path_to(entry, self.ctx.names.row(entry)), Msg::new(self.ctx, entry));
        let one = if emsg.has_expected() {
            let table = self.table(entry);
            quote! {
                let range = c.range()?;
                let child = match #erow::expected(d, d.open(range)) {
                    ::core::option::Option::Some(entry) => #table.push(d, d.start_of(range), entry)?,
                    ::core::option::Option::None => {
                        let child = #push;
                        #read
                        child
                    }
                };
            }
        } else {
            quote!(let range = c.range()?; let child = #push; #read)
        };
        if let Some(defined) = self.closed_map_value(f) {
            let keep = self.with_side(|side| quote!(t.side.keep(d, d.start_of(range), #side, start, d.at(&c))?;));
            return quote! {
                d.enter()?;
                #one
                if #defined {
                    #add
                } else {
                    // An undefined value of a closed enum: the whole entry is unknown (ENM-3).
                    #entries.rows.pop();
                    #keep
                }
                d.leave();
            };
        }
        let tag = Literal::u32_unsuffixed(f.number << 3 | 2);
        quote! {
            d.enter()?;
            loop {
                #one
                #add
                if !c.eat::<#tag>() {
                    break;
                }
            }
            d.leave();
        }
    }

    fn read_member(&self, f: &Field) -> TokenStream {
        let (case, slot) = self.oneof_slots(f.oneof.expect("a oneof member"));
        let row = self.row_expr();
        let number = Literal::u32_unsuffixed(f.number);
        if let Some(child) = f.message {
            let (range, push, read) = (self.message_range(f), self.push_child(child), self.read_message(f, child));
            let enter = self.enter(child, quote!(d.start_of(range)));
            return quote! {
                #range
                #enter
                let child = if #row.#case == #number {
                    #row.#slot as u32
                } else {
                    let child = #push;
                    #row.#case = #number;
                    #row.#slot = child as u64;
                    child
                };
                #read
                d.leave();
            };
        }
        let value = self.read_value(f, quote!(c));
        let bits = to_bits(f.ty);
        let set = quote!(#row.#case = #number; #row.#slot = #bits;);
        match self.defined(f, quote!(v)) {
            Some(defined) => {
                let keep = self.keep_enum(f, quote!(d.at(&c)));
                quote!(let v = #value; if #defined { #set } else { #keep })
            }
            None => quote!(let v = #value; #set),
        }
    }
}

/// The function of [`hotpb::pool::value`] for a varint type.
pub(crate) fn convert_name(ty: Type) -> &'static str {
    match ty {
        Type::Int64 => "int64",
        Type::Uint32 => "uint32",
        Type::Uint64 => "uint64",
        Type::Sint32 => "sint32",
        Type::Sint64 => "sint64",
        Type::Bool => "boolean",
        _ => "int32",
    }
}

/// From `v` to the 64 bits of a oneof's slot.
fn to_bits(ty: Type) -> TokenStream {
    match ty {
        Type::Double => quote!(v.to_bits()),
        Type::Float => quote!(v.to_bits() as u64),
        Type::String | Type::Bytes => quote!(v.to_bits()),
        Type::Int32 | Type::Sfixed32 | Type::Sint32 | Type::Enum => quote!(v as u32 as u64),
        Type::Uint64 | Type::Fixed64 => quote!(v),
        _ => quote!(v as u64),
    }
}

/// Patterns for ascending numbers: runs become ranges.
fn ranges(numbers: &[i32]) -> Vec<TokenStream> {
    let mut patterns = Vec::new();
    let mut i = 0;
    while i < numbers.len() {
        let mut j = i;
        while j + 1 < numbers.len() && numbers[j + 1] as i64 == numbers[j] as i64 + 1 {
            j += 1;
        }
        let (from, to) = (Literal::i32_unsuffixed(numbers[i]), Literal::i32_unsuffixed(numbers[j]));
        patterns.push(if i == j { quote!(#from) } else { quote!(#from..=#to) });
        i = j + 1;
    }
    patterns
}
