//! Compiles a table: walks the messages from the root, creates a column for each wanted field, and the ops that fill it.

use crate::check::{Check, CheckField};
use crate::error::Error;
use crate::options::{Options, Unchecked};
use crate::select::{Select, split};
use crate::store::{Bits, Blobs, Bools, Dictionary, Fixed, Lists, Stores, Times};
use crate::table::{Column, Does, EnumTable, Inner, Kind, NONE, Node, Op, Shape};
use arrow_schema::{DataType, Field as ArrowField, FieldRef, Fields, Schema, UnionFields, UnionMode};
use hotpb::wire::__rt::Kind as Checked;
use hotpb_codegen::plan::{EnumId, Field, Message, MessageId, Plan, Presence, Type, Utf8};
use std::collections::HashMap;
use std::sync::Arc;

/// The limit of columns, those of nested messages included.
const MAX_COLUMNS: usize = 10_000;
/// The limit of messages within messages: the default depth limit.
const MAX_LEVELS: usize = 100;

/// Compiles the table of a message.
pub(crate) fn compile(plan: &Plan, message: MessageId, options: &Options) -> Result<Inner, Error> {
    let select = Select::new(&options.columns);
    let rows = options.rows.as_deref().map(split).unwrap_or_default();
    let mut b = Builder {
        plan,
        options,
        nodes: Vec::new(),
        columns: Vec::new(),
        enums: Vec::new(),
        enum_ids: HashMap::new(),
        stores: Stores::default(),
        check: Vec::new(),
        opaque: HashMap::new(),
        within: Vec::new(),
        required: false,
        dictionaries: 0,
    };
    if plan[message].message_set {
        return Err(Error::schema(&plan[message].name, "a message set has no columns"));
    }
    let (_, _, root) = b.message(message, &Place { select: &select, rows: &rows, path: "", entry: false })?;
    let (out, rows, row_message) = b.rows(message, &root)?;
    let named = options.dictionaries.iter().filter(|name| *name != "*").count();
    if named > b.dictionaries {
        return Err(Error::schema(options.dictionaries.join(", "), "not all of these are string columns"));
    }
    let fields: Fields = out.iter().map(|&c| b.columns[c as usize].field.clone()).collect();
    let row_message = plan[row_message].name.clone();
    let schema = Schema::new_with_metadata(fields, HashMap::from([("message".to_string(), row_message.clone())]));
    Ok(Inner {
        message: plan[message].name.clone(),
        row_message,
        schema: Arc::new(schema),
        nodes: b.nodes,
        columns: b.columns,
        enums: b.enums,
        root,
        out,
        rows,
        stores: b.stores,
        check: Check::new(b.check),
        required: b.required,
        unit: options.unit,
    })
}

struct Builder<'p> {
    plan: &'p Plan,
    options: &'p Options,
    nodes: Vec<Node>,
    columns: Vec<Column>,
    enums: Vec<EnumTable>,
    enum_ids: HashMap<EnumId, u32>,
    stores: Stores,
    check: Vec<Vec<CheckField>>,
    /// The tables of messages that are kept as bytes.
    opaque: HashMap<MessageId, usize>,
    /// The messages around the present one.
    within: Vec<MessageId>,
    required: bool,
    dictionaries: usize,
}

/// Where a message is.
struct Place<'s> {
    select: &'s Select,
    /// The rest of the path to the rows.
    rows: &'s [&'s str],
    path: &'s str,
    /// Whether it is the entry of a map.
    entry: bool,
}

/// An element of a field, before its column is complete.
struct Element {
    does: Does,
    kind: Kind,
    shape: Shape,
    ty: DataType,
    store: u32,
    more: u32,
    /// The tables that check it, if it is a message.
    check: Option<usize>,
    node: u32,
    inner: Type,
    width: u32,
    enumeration: u32,
}

fn add<T>(arena: &mut Vec<T>, value: T) -> u32 {
    arena.push(value);
    arena.len() as u32 - 1
}

impl<'p> Builder<'p> {
    /// Adds a message; returns its node, its table in the check, and its columns.
    fn message(&mut self, id: MessageId, place: &Place) -> Result<(u32, usize, Vec<u32>), Error> {
        let plan = self.plan;
        let message = &plan[id];
        if self.within.len() > MAX_LEVELS {
            return Err(Error::schema(&message.name, "more than 100 messages within each other"));
        }
        self.within.push(id);
        let node = add(&mut self.nodes, Node::default());
        let check = add(&mut self.check, Vec::new()) as usize;
        // The fields, with the extensions by number.
        let mut fields: Vec<(String, &Field)> = message.fields.iter().map(|f| (f.name.clone(), f)).collect();
        if self.options.extensions {
            let extensions = plan.extensions.iter().filter(|e| e.message == id).flat_map(|e| &e.fields);
            fields.extend(extensions.filter(|e| !e.message_set_item).map(|e| (format!("[{}]", e.name), &e.field)));
            fields.sort_by_key(|(_, f)| f.number);
            if let Some(pair) = fields.windows(2).find(|pair| pair[0].1.number == pair[1].1.number) {
                let problem = format!("{} and {} have the same number, {}", pair[0].0, pair[1].0, pair[0].1.number);
                return Err(Error::schema(&message.name, problem));
            }
        }
        // Those that the options name, which have to exist.
        let wanted = match place.rows {
            [] => place.select.names().map(String::as_str).collect(),
            [first, ..] => vec![*first],
        };
        for name in wanted {
            if !fields.iter().any(|(n, _)| n == name) {
                let names: Vec<&str> = fields.iter().map(|(n, _)| n.as_str()).collect();
                return Err(Error::schema(
                    format!("{}.{name}", message.name),
                    format!("there is no such field; the fields are {}", names.join(", ")),
                ));
            }
        }
        let chosen = |name: &str| match place.rows {
            [] if place.entry && name == "key" => Some(&Select::All),
            [] => place.select.get(name),
            [first, ..] => Some(place.select).filter(|_| *first == name),
        };
        // A column for each that was chosen; a oneof needs to know of its other members, too.
        let oneofs: Vec<u32> =
            message.oneofs.iter().map(|_| add(&mut self.stores.oneofs, (usize::MAX, NONE))).collect();
        let mut columns: Vec<(Option<usize>, u32)> = Vec::new();
        for (name, field) in fields {
            let oneof = field.oneof.map_or(NONE, |i| oneofs[i]);
            let Some(select) = chosen(&name) else {
                let slots = field.oneof.map_or(&[][..], |i| &message.oneofs[i].slots);
                if slots.iter().any(|&slot| chosen(&message.fields[slot].name).is_some()) {
                    self.hidden(node, field, oneof)?;
                }
                continue;
            };
            let rest = place.rows.get(1..).unwrap_or_default();
            let path = if place.path.is_empty() { name.clone() } else { format!("{}.{name}", place.path) };
            let below =
                Place { select, rows: rest, path: if place.rows.is_empty() { &path } else { "" }, entry: false };
            let column = self.field(node, check, field, name, oneof, &below, place.entry)?;
            columns.push((field.oneof.filter(|_| self.options.unions && place.rows.is_empty()), column));
        }
        self.within.pop();
        // A union for each oneof, where its first column is.
        let mut out = Vec::new();
        for i in 0..columns.len() {
            match columns[i] {
                (None, column) => out.push(column),
                (Some(oneof), column) if columns[..i].iter().all(|(o, _)| *o != Some(oneof)) => {
                    let members = columns[i..].iter().filter(|(o, _)| *o == Some(oneof)).map(|&(_, c)| c).collect();
                    out.push(self.union(&message.oneofs[oneof].name, members, column)?);
                }
                _ => {}
            }
        }
        if self.nodes[node as usize].ops.len() > u16::MAX as usize {
            return Err(Error::schema(&message.name, "more than 65535 kinds of records"));
        }
        self.nodes[node as usize].index();
        Ok((node, check, out))
    }

    /// Adds the column of a field and its ops; returns the column.
    #[allow(clippy::too_many_arguments)]
    fn field(
        &mut self,
        node: u32,
        check: usize,
        field: &Field,
        name: String,
        oneof: u32,
        place: &Place,
        in_entry: bool,
    ) -> Result<u32, Error> {
        // The column: of an element, or of a list or map with the element below it.
        let (repeated, required) = (field.is_repeated(), field.presence == Presence::Required && !in_entry);
        let nullable =
            !repeated && !required && !in_entry && (field.presence == Presence::Explicit || field.ty == Type::Message);
        let e = self.element(field, nullable, required, place)?;
        let metadata = HashMap::from([("PARQUET:field_id".to_string(), field.number.to_string())]);
        let make = |b: &mut Self, name: &str, ty: DataType, nullable: bool, kind: Kind| {
            if b.columns.len() >= MAX_COLUMNS {
                return Err(Error::schema(place.path, "with nested messages there are more than 10000 columns"));
            }
            let column = Column {
                field: Arc::new(ArrowField::new(name, ty, nullable)),
                kind,
                shape: e.shape,
                number: field.number,
                ty: field.ty,
                inner: e.inner,
                implicit: field.presence == Presence::Implicit && !in_entry && !repeated,
                required,
                packed: field.packed,
                delimited: field.delimited,
                name: field.name.clone(),
                node: e.node,
            };
            Ok(add(&mut b.columns, column))
        };
        let (column, list) = if repeated {
            let list = add(&mut self.stores.lists, Lists::default());
            let child = if field.is_map() { "entries" } else { "item" };
            let child = make(self, child, e.ty.clone(), false, e.kind.clone())?;
            let item: FieldRef = self.columns[child as usize].field.clone();
            let (ty, kind) = match field.is_map() {
                true => (DataType::Map(item, false), Kind::Map(list, child)),
                false => (DataType::List(item), Kind::List(list, child)),
            };
            (make(self, &name, ty, false, kind)?, list)
        } else {
            (make(self, &name, e.ty.clone(), nullable, e.kind.clone())?, NONE)
        };
        let annotated = (*self.columns[column as usize].field).clone().with_metadata(metadata);
        self.columns[column as usize].field = Arc::new(annotated);
        // The ops of its records: one by one, and packed.
        let wire_type = field.wire_type as u32;
        let op = Op {
            tag: field.number << 3 | wire_type,
            does: e.does,
            element: e.does,
            store: e.store,
            more: e.more,
            list,
            oneof,
            column,
            width: e.width,
            enumeration: e.enumeration,
        };
        let op = Op { does: if self.is_pair(&op) { Does::Pair } else { op.does }, ..op };
        let node_width = if repeated { 4 } else { e.width };
        let into = &mut self.nodes[node as usize];
        into.ops.push(op);
        if repeated && field.ty.is_packable() {
            into.ops.push(Op { tag: field.number << 3 | hotpb::wire::LEN, does: Does::Packed, ..op });
        }
        into.width = into.width.saturating_add(node_width);
        // What must not be absent, here and below.
        if required {
            into.required.push(column);
            self.required = true;
        }
        let below = self.nodes.get(e.node as usize).is_some_and(|n| !n.required.is_empty() || !n.below.is_empty());
        if below {
            self.nodes[node as usize].below.push(column);
        }
        // The same for the checker, which finds an error again with its path.
        let kind = checked(self.options, field);
        self.check[check].push(CheckField { number: field.number, name, kind, repeated, message: e.check });
        Ok(column)
    }

    /// Reports whether elements are messages of two checked strings with the numbers 1 and 2.
    fn is_pair(&self, op: &Op) -> bool {
        let ops = self.nodes.get(op.more as usize).map_or(&[][..], |node| &node.ops);
        let text = |op: &Op, tag: u32| op.tag == tag && op.does == Does::Text && op.oneof == NONE;
        let elements = op.does == Does::Message && op.list != NONE && op.tag & 7 == hotpb::wire::LEN;
        elements && matches!(ops, [a, b] if text(a, 0x0a) && text(b, 0x12))
    }

    /// Decides what an element of a field is.
    fn element(&mut self, field: &Field, nullable: bool, required: bool, place: &Place) -> Result<Element, Error> {
        if let Some(id) = field.message {
            return self.message_element(field, id, nullable, required, place);
        }
        if let Some(id) = field.enum_type {
            let id = self.enum_of(id);
            let first = self.enums[id as usize].values.first().map_or(0, |v| v.1);
            if self.options.enum_numbers {
                let store = add(&mut self.stores.w4, Fixed::new(first as u32, nullable));
                let e = plain(Does::EnumNumber, Kind::W4(store), DataType::Int32, store, 0, 4);
                return Ok(Element { enumeration: id, ..e });
            }
            let store = add(&mut self.stores.w4, Fixed::new(0, nullable));
            let names = self.enums[id as usize].values.iter().map(|(name, _)| name.clone().into_bytes()).collect();
            let dictionary = add(&mut self.stores.dictionaries, Dictionary::new(names));
            // The dictionary starts with the names, at their indices; unknown numbers join it as text.
            let kind = Kind::EnumName(store, dictionary, id);
            let ty = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            return Ok(Element { enumeration: id, ..plain(Does::EnumName, kind, ty, store, dictionary, 4) });
        }
        let wanted = self.options.dictionaries.iter().any(|name| name == place.path);
        let dictionary =
            field.ty == Type::String && (wanted || self.options.dictionaries.iter().any(|name| name == "*"));
        self.dictionaries += (wanted && dictionary) as usize;
        Ok(self.scalar(field.ty, field.utf8 == Some(Utf8::None), nullable, dictionary))
    }

    fn scalar(&mut self, ty: Type, unchecked: bool, nullable: bool, dictionary: bool) -> Element {
        let s = &mut self.stores;
        let lossy = unchecked && self.options.unchecked == Unchecked::Replace;
        let binary = unchecked && self.options.unchecked == Unchecked::Binary;
        match ty {
            Type::Bool => {
                let valid = nullable.then(Bits::default);
                let store = add(&mut s.bools, Bools { valid, ..Bools::default() });
                plain(Does::Bool, Kind::Bool(store), DataType::Boolean, store, 0, 1)
            }
            Type::String if dictionary && !binary => {
                let store = add(&mut s.w4, Fixed::new(0, nullable));
                let dictionary = add(&mut s.dictionaries, Dictionary::new(vec![Vec::new()]));
                let does = if lossy { Does::LossyKey } else { Does::TextKey };
                let ty = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                plain(does, Kind::TextKey(store, dictionary), ty, store, dictionary, 4)
            }
            Type::String | Type::Bytes => {
                let store = add(&mut s.blobs, Blobs::new(nullable));
                let (does, ty) = match ty {
                    Type::String if lossy => (Does::Lossy, DataType::Utf8),
                    Type::String if !binary => (Does::Text, DataType::Utf8),
                    _ => (Does::Bytes, DataType::Binary),
                };
                plain(does, Kind::Blob(store), ty, store, 0, 4)
            }
            _ => {
                let (does, ty) = match ty {
                    Type::Int32 => (Does::Int32, DataType::Int32),
                    Type::Uint32 => (Does::Int32, DataType::UInt32),
                    Type::Sint32 => (Does::Sint32, DataType::Int32),
                    Type::Sfixed32 => (Does::Fixed4, DataType::Int32),
                    Type::Fixed32 => (Does::Fixed4, DataType::UInt32),
                    Type::Float => (Does::Fixed4, DataType::Float32),
                    Type::Int64 => (Does::Int64, DataType::Int64),
                    Type::Uint64 => (Does::Int64, DataType::UInt64),
                    Type::Sint64 => (Does::Sint64, DataType::Int64),
                    Type::Sfixed64 => (Does::Fixed8, DataType::Int64),
                    Type::Fixed64 => (Does::Fixed8, DataType::UInt64),
                    _ => (Does::Fixed8, DataType::Float64),
                };
                if matches!(does, Does::Int32 | Does::Sint32 | Does::Fixed4) {
                    let store = add(&mut s.w4, Fixed::new(0, nullable));
                    plain(does, Kind::W4(store), ty, store, 0, 4)
                } else {
                    let store = add(&mut s.w8, Fixed::new(0, nullable));
                    plain(does, Kind::W8(store), ty, store, 0, 8)
                }
            }
        }
    }

    fn message_element(
        &mut self,
        field: &Field,
        id: MessageId,
        nullable: bool,
        required: bool,
        place: &Place,
    ) -> Result<Element, Error> {
        let name = self.plan[id].name.as_str();
        // Well-known types that are one value: a time, a wrapper.
        if is_time(&self.plan[id]) {
            let fixed = Fixed::new(0, nullable);
            let store = add(&mut self.stores.times, Times { fixed, ..Times::default() });
            let ty = match name {
                "google.protobuf.Timestamp" => DataType::Timestamp(self.options.unit, Some("UTC".into())),
                _ => DataType::Duration(self.options.unit),
            };
            let parts = ["seconds", "nanos"].iter().zip(1..);
            let parts = parts.map(|(name, number)| checked_scalar(number, name, Checked::Int64)).collect();
            let check = add(&mut self.check, parts) as usize;
            return Ok(Element { check: Some(check), ..plain(Does::Time, Kind::Time(store), ty, store, 0, 8) });
        }
        if let Some(ty) = wrapped(&self.plan[id]) {
            let inner = self.scalar(ty, false, nullable, false);
            let node = add(&mut self.nodes, Node::default());
            let value = &self.plan[id].fields[0];
            let op = Op {
                tag: 1 << 3 | value.wire_type as u32,
                does: inner.does,
                element: inner.does,
                store: inner.store,
                more: 0,
                list: NONE,
                oneof: NONE,
                column: NONE,
                width: 0,
                enumeration: NONE,
            };
            self.nodes[node as usize].ops.push(op);
            self.nodes[node as usize].index();
            let fields = vec![checked_scalar(1, "value", checked(self.options, value))];
            let check = Some(add(&mut self.check, fields) as usize);
            let shape = Shape::Wrapper;
            return Ok(Element { does: Does::Wrapper, more: node, check, inner: ty, shape, ..inner });
        }
        // A message within itself: its bytes, once it is deep enough.
        let times = self.within.iter().filter(|&&m| m == id).count();
        if times as u64 > self.options.recursion.map_or(0, u64::from) || self.plan[id].message_set {
            if self.options.recursion.is_none() && times > 0 {
                return Err(Error::schema(place.path, format!("{name} contains itself, which no Arrow type can")));
            }
            if !place.rows.is_empty() || place.select.names().next().is_some() {
                return Err(Error::schema(
                    place.path,
                    format!("{name} contains itself: this column has its bytes, and no columns of its own"),
                ));
            }
            let check = self.opaque(id);
            let store = add(&mut self.stores.blobs, Blobs::new(nullable));
            let e = plain(Does::Opaque, Kind::Blob(store), DataType::Binary, store, check as u32, 4);
            return Ok(Element { check: Some(check), shape: Shape::Opaque, ..e });
        }
        // Any other: a struct of columns.
        let below = Place { entry: field.is_map(), ..*place };
        let (node, check, children) = self.message(id, &below)?;
        let fields: Fields = children.iter().map(|&c| self.columns[c as usize].field.clone()).collect();
        // An element of a list has no place of its own where it could be absent.
        let track = nullable || required;
        let store = if track { add(&mut self.stores.present, Bits::default()) } else { NONE };
        let closed = field.is_map().then(|| self.plan.map_fields(id).1.enum_type).flatten();
        let closed = closed.is_some_and(|id| self.plan[id].closed);
        let width = self.nodes[node as usize].width.saturating_add(1);
        Ok(Element {
            does: if field.is_map() { Does::Entry } else { Does::Message },
            kind: Kind::Struct(children, store),
            shape: Shape::Plain,
            ty: DataType::Struct(fields),
            store: if field.is_map() { closed as u32 } else { store },
            more: node,
            check: Some(check),
            node,
            inner: Type::Message,
            width,
            enumeration: NONE,
        })
    }

    /// Adds the op of a oneof member that is not a column.
    fn hidden(&mut self, node: u32, field: &Field, oneof: u32) -> Result<(), Error> {
        let enumeration = field.enum_type.map_or(NONE, |id| self.enum_of(id));
        let op = Op {
            tag: field.number << 3 | field.wire_type as u32,
            does: Does::Hidden,
            element: Does::Hidden,
            store: 0,
            more: 0,
            list: NONE,
            oneof,
            column: NONE,
            width: 0,
            enumeration,
        };
        self.nodes[node as usize].ops.push(op);
        Ok(())
    }

    /// Adds the union of a oneof's members; type 0 is "none of them".
    fn union(&mut self, name: &str, members: Vec<u32>, like: u32) -> Result<u32, Error> {
        if members.len() > 127 {
            return Err(Error::schema(name, "a union has room for 127 members"));
        }
        let none = Arc::new(ArrowField::new("none", DataType::Null, true));
        let fields: Vec<FieldRef> =
            std::iter::once(none).chain(members.iter().map(|&c| self.columns[c as usize].field.clone())).collect();
        let fields =
            UnionFields::try_new(0..fields.len() as i8, fields).map_err(|e| Error::schema(name, e.to_string()))?;
        let field = Arc::new(ArrowField::new(name, DataType::Union(fields, UnionMode::Sparse), true));
        let column = Column { field, kind: Kind::Union(members), number: 0, ..self.columns[like as usize].clone() };
        Ok(add(&mut self.columns, column))
    }

    fn enum_of(&mut self, id: EnumId) -> u32 {
        let plan = self.plan;
        *self.enum_ids.entry(id).or_insert_with(|| {
            let names = plan[id].values.iter().map(|v| (v.name.clone(), v.number)).collect();
            add(&mut self.enums, EnumTable::new(plan[id].closed, names))
        })
    }

    /// Adds the tables that check a message that is kept as bytes, and all that it may contain. A chain of messages may be
    /// as long as the schema, so a list has the remaining work, not the stack.
    fn opaque(&mut self, id: MessageId) -> usize {
        let (plan, options) = (self.plan, self.options);
        let mut left = Vec::new();
        let first = self.opaque_table(id, &mut left);
        while let Some((id, at)) = left.pop() {
            let fields = plan[id].fields.iter().map(|f| CheckField {
                number: f.number,
                name: f.name.clone(),
                kind: checked(options, f),
                repeated: f.is_repeated(),
                message: f.message.map(|m| self.opaque_table(m, &mut left)),
            });
            let fields = fields.collect();
            self.check[at] = fields;
        }
        first
    }

    /// Returns the index of the table that checks a message. If it is new, its fields are left to do.
    fn opaque_table(&mut self, id: MessageId, left: &mut Vec<(MessageId, usize)>) -> usize {
        *self.opaque.entry(id).or_insert_with(|| {
            let at = add(&mut self.check, Vec::new()) as usize;
            left.push((id, at));
            at
        })
    }

    /// Finds the columns of the batch: those of the root, or of the message whose elements are the rows.
    fn rows(&self, message: MessageId, root: &[u32]) -> Result<(Vec<u32>, u32, MessageId), Error> {
        let (mut columns, mut list, mut row) = (root.to_vec(), NONE, message);
        let Some(path) = self.options.rows.as_deref() else { return Ok((columns, NONE, row)) };
        for name in split(path) {
            let field = self.plan[row].fields.iter().find(|f| f.name == name);
            let column = columns.first().map(|&c| &self.columns[c as usize].kind);
            let (children, at) = match column {
                Some(Kind::List(list, child)) => match &self.columns[*child as usize].kind {
                    Kind::Struct(children, _) => (Some(children), *list),
                    _ => (None, NONE),
                },
                Some(Kind::Struct(children, _)) => (Some(children), NONE),
                _ => (None, NONE),
            };
            let (Some(children), Some(next)) = (children, field.and_then(|f| f.message)) else {
                list = NONE;
                break;
            };
            (columns, list, row) = (children.clone(), at, next);
        }
        match list {
            NONE => Err(Error::schema(path, "rows must be the elements of a repeated message field")),
            list => Ok((columns, list, row)),
        }
    }
}

fn plain(does: Does, kind: Kind, ty: DataType, store: u32, more: u32, width: u32) -> Element {
    Element {
        does,
        kind,
        shape: Shape::Plain,
        ty,
        store,
        more,
        check: None,
        node: NONE,
        inner: Type::Message,
        width,
        enumeration: NONE,
    }
}

/// Reports whether a message has these fields only, with the numbers from 1 on, each of them at most once. The name of a
/// well-known type does not make a message one (ARW-29).
fn has_fields(message: &Message, types: &[Type]) -> bool {
    let plain = |(f, ty): (&Field, &Type)| f.ty == *ty && f.presence == Presence::Implicit && f.oneof.is_none();
    message.fields.len() == types.len()
        && message.fields.iter().zip(types).all(plain)
        && message.fields.iter().zip(1..).all(|(f, number)| f.number == number)
}

/// Reports whether it is the well-known timestamp or duration.
fn is_time(message: &Message) -> bool {
    matches!(message.name.as_str(), "google.protobuf.Timestamp" | "google.protobuf.Duration")
        && has_fields(message, &[Type::Int64, Type::Int32])
}

/// Returns the type inside a wrapper.
fn wrapped(message: &Message) -> Option<Type> {
    let ty = match message.name.strip_prefix("google.protobuf.")?.strip_suffix("Value")? {
        "Double" => Type::Double,
        "Float" => Type::Float,
        "Int64" => Type::Int64,
        "UInt64" => Type::Uint64,
        "Int32" => Type::Int32,
        "UInt32" => Type::Uint32,
        "Bool" => Type::Bool,
        "String" => Type::String,
        "Bytes" => Type::Bytes,
        _ => return None,
    };
    has_fields(message, &[ty]).then_some(ty)
}

fn checked_scalar(number: u32, name: &str, kind: Checked) -> CheckField {
    CheckField { number, name: name.into(), kind, repeated: false, message: None }
}

fn checked(options: &Options, field: &Field) -> Checked {
    match field.ty {
        Type::Double => Checked::Double,
        Type::Float => Checked::Float,
        Type::Int64 => Checked::Int64,
        Type::Uint64 => Checked::Uint64,
        Type::Int32 => Checked::Int32,
        Type::Fixed64 => Checked::Fixed64,
        Type::Fixed32 => Checked::Fixed32,
        Type::Bool => Checked::Bool,
        Type::String if field.utf8 == Some(Utf8::None) && options.unchecked != Unchecked::Refuse => Checked::Text,
        Type::String => Checked::Utf8,
        Type::Message if field.is_map() => Checked::Map,
        Type::Message if field.delimited => Checked::Group,
        Type::Message => Checked::Message,
        Type::Bytes => Checked::Bytes,
        Type::Uint32 => Checked::Uint32,
        Type::Enum => Checked::Enum,
        Type::Sfixed32 => Checked::Sfixed32,
        Type::Sfixed64 => Checked::Sfixed64,
        Type::Sint32 => Checked::Sint32,
        Type::Sint64 => Checked::Sint64,
    }
}
