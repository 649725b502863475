//! The tests in one program, which links Arrow once, and a reference decoder: slow and plain, from bytes to a tree, and
//! from a batch to the same tree.

mod damage;
mod hostile;
mod tables;
mod vectors;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;
use hotpb::wire::{LEN, Reader, unzigzag32, unzigzag64};
use hotpb_codegen::plan::{Field, MessageId, Plan, Presence, Type};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Bits(u64),
    Bytes(Vec<u8>),
    Message(Tree),
    List(Vec<Value>),
    Map(BTreeMap<Value, Value>),
}

pub type Tree = BTreeMap<u32, Value>;

/// Content of a message that a batch cannot show, or shows as bytes.
#[derive(Debug, Default)]
pub struct Seen {
    pub unknown: bool,
    pub nested: bool,
}

pub fn plan(set: &[u8]) -> Plan {
    let files = hotpb_codegen::descriptor::read_set(set).unwrap();
    hotpb_codegen::analyse(&files, &[]).unwrap()
}

/// Returns the fields of a message and its extensions.
fn fields(plan: &Plan, id: MessageId) -> Vec<(String, &Field)> {
    let mut fields: Vec<_> = plan[id].fields.iter().map(|f| (f.name.clone(), f)).collect();
    for extendee in plan.extensions.iter().filter(|e| e.message == id) {
        let items = extendee.fields.iter().filter(|e| !e.message_set_item);
        fields.extend(items.map(|e| (format!("[{}]", e.name), &e.field)));
    }
    fields
}

/// Reads a message into a tree; an empty tree and an absent message differ, a default with implicit presence is absent.
pub fn read(plan: &Plan, id: MessageId, bytes: &[u8], tree: &mut Tree, seen: &mut Seen) {
    let fields = fields(plan, id);
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag().unwrap() {
        let from = reader.offset();
        skip(&mut reader, tag);
        let raw = &bytes[from..reader.offset()];
        let field = fields.iter().map(|(_, f)| *f).find(|f| f.number == tag >> 3);
        let Some(field) = field.filter(|f| fits(f, tag & 7)) else {
            seen.unknown = true;
            continue;
        };
        let packed = tag & 7 == LEN && field.ty.is_packable();
        let values: Vec<Value> = if packed { unpack(field, raw) } else { vec![scalar(field, raw)] };
        for value in values {
            put(plan, &fields, field, value, tree, seen);
        }
    }
    for (_, field) in fields {
        let zero = matches!(tree.get(&field.number), Some(Value::Bits(0)))
            || matches!(tree.get(&field.number), Some(Value::Bytes(b)) if b.is_empty());
        if field.presence == Presence::Implicit && zero && !plan[id].map_entry {
            tree.remove(&field.number);
        }
    }
}

/// Skips a value; groups to any depth.
fn skip(reader: &mut Reader, tag: u32) {
    let mut open = (tag & 7 == 3) as u32;
    if open == 0 {
        reader.skip(tag).unwrap();
    }
    while open > 0 {
        match reader.tag().unwrap().unwrap() {
            tag if tag & 7 == 3 => open += 1,
            tag if tag & 7 == 4 => open -= 1,
            tag => reader.skip(tag).unwrap(),
        }
    }
}

fn fits(field: &Field, wire_type: u32) -> bool {
    wire_type == field.wire_type as u32 || wire_type == LEN && field.is_repeated() && field.ty.is_packable()
}

fn unpack(field: &Field, raw: &[u8]) -> Vec<Value> {
    let payload = Reader::new(raw).bytes().unwrap();
    let mut reader = Reader::new(payload);
    let mut values = Vec::new();
    while reader.offset() < payload.len() {
        let from = reader.offset();
        reader.skip(8 | field.wire_type as u32).unwrap();
        values.push(scalar(field, &payload[from..reader.offset()]));
    }
    values
}

/// Reads a value without its tag; of a message the bytes of its content.
fn scalar(field: &Field, raw: &[u8]) -> Value {
    let mut reader = Reader::new(raw);
    let number = |r: &mut Reader| r.varint().unwrap();
    Value::Bits(match field.ty {
        Type::Message if field.delimited => {
            // The end tag is the last tag: without it, the content remains.
            let mut at = Reader::new(raw);
            loop {
                let end = at.offset();
                match at.tag().unwrap().unwrap() {
                    tag if tag & 7 == 4 => return Value::Bytes(raw[..end].to_vec()),
                    tag => skip(&mut at, tag),
                }
            }
        }
        Type::String | Type::Bytes | Type::Message => return Value::Bytes(reader.bytes().unwrap().to_vec()),
        Type::Double | Type::Fixed64 | Type::Sfixed64 => reader.fixed64().unwrap(),
        Type::Float | Type::Fixed32 | Type::Sfixed32 => reader.fixed32().unwrap() as u64,
        Type::Int32 | Type::Uint32 | Type::Enum => number(&mut reader) as u32 as u64,
        Type::Sint32 => unzigzag32(number(&mut reader) as u32) as u32 as u64,
        Type::Sint64 => unzigzag64(number(&mut reader)) as u64,
        Type::Bool => (number(&mut reader) != 0) as u64,
        Type::Int64 | Type::Uint64 => number(&mut reader),
    })
}

fn defined(plan: &Plan, field: &Field, value: &Value) -> bool {
    let Some(id) = field.enum_type.filter(|&id| plan[id].closed) else { return true };
    plan[id].values.iter().any(|v| Value::Bits(v.number as u32 as u64) == *value)
}

fn put(plan: &Plan, fields: &[(String, &Field)], field: &Field, value: Value, tree: &mut Tree, seen: &mut Seen) {
    if !defined(plan, field, &value) {
        seen.unknown = true;
        return;
    }
    if let (Some(_), Value::Bytes(bytes)) = (field.map, &value) {
        let id = field.message.unwrap();
        let (key, value) = plan.map_fields(id);
        let last = last_value(value, bytes);
        if last.is_some_and(|v| !defined(plan, value, &v)) {
            seen.unknown = true;
            return;
        }
        let mut entry = Tree::new();
        read(plan, id, bytes, &mut entry, &mut Seen { nested: true, ..Seen::default() });
        if value.message.is_some() {
            read_nested(plan, value, bytes, seen);
        }
        let key = entry.remove(&1).unwrap_or(zero(plan, key));
        let value = entry.remove(&2).unwrap_or(zero(plan, value));
        let map = tree.entry(field.number).or_insert_with(|| Value::Map(BTreeMap::new()));
        let Value::Map(map) = map else { panic!("a map") };
        map.insert(key, value);
        return;
    }
    if field.is_repeated() {
        let value = message(plan, field, value, Tree::new(), seen);
        let list = tree.entry(field.number).or_insert_with(|| Value::List(Vec::new()));
        let Value::List(list) = list else { panic!("a list") };
        list.push(value);
        return;
    }
    if field.oneof.is_some() {
        let others = fields.iter().filter(|(_, f)| f.oneof == field.oneof && f.number != field.number);
        others.for_each(|(_, other)| drop(tree.remove(&other.number)));
    }
    let before = match tree.remove(&field.number) {
        Some(Value::Message(tree)) => tree,
        _ => Tree::new(),
    };
    let value = message(plan, field, value, before, seen);
    tree.insert(field.number, value);
}

/// Notes unknown fields inside the value of an entry.
fn read_nested(plan: &Plan, value: &Field, entry: &[u8], seen: &mut Seen) {
    let mut reader = Reader::new(entry);
    while let Some(tag) = reader.tag().unwrap() {
        let from = reader.offset();
        skip(&mut reader, tag);
        if tag == 2 << 3 | LEN {
            let bytes = Reader::new(&entry[from..reader.offset()]).bytes().unwrap();
            read(plan, value.message.unwrap(), bytes, &mut Tree::new(), seen);
        }
    }
}

fn last_value(field: &Field, entry: &[u8]) -> Option<Value> {
    let mut reader = Reader::new(entry);
    let mut last = None;
    while let Some(tag) = reader.tag().unwrap() {
        let from = reader.offset();
        reader.skip(tag).unwrap();
        if field.ty == Type::Enum && tag == 2 << 3 {
            last = Some(scalar(field, &entry[from..reader.offset()]));
        }
    }
    last
}

fn message(plan: &Plan, field: &Field, value: Value, mut tree: Tree, seen: &mut Seen) -> Value {
    match (field.message, value) {
        (Some(id), Value::Bytes(bytes)) => {
            read(plan, id, &bytes, &mut tree, seen);
            Value::Message(tree)
        }
        (_, value) => value,
    }
}

fn zero(plan: &Plan, field: &Field) -> Value {
    match field.ty {
        Type::Message => Value::Message(Tree::new()),
        Type::String | Type::Bytes => Value::Bytes(Vec::new()),
        Type::Enum => Value::Bits(plan[field.enum_type.unwrap()].values[0].number as u32 as u64),
        _ => Value::Bits(0),
    }
}

/// Reads a row of a batch.
pub fn row(plan: &Plan, id: MessageId, batch: &RecordBatch, row: usize) -> Tree {
    let columns: Vec<(&str, &ArrayRef)> =
        batch.schema_ref().fields().iter().map(|f| f.name().as_str()).zip(batch.columns()).collect();
    tree(plan, id, &columns, row)
}

fn structure(plan: &Plan, id: MessageId, array: &StructArray, row: usize) -> Tree {
    let columns: Vec<(&str, &ArrayRef)> =
        array.fields().iter().map(|f| f.name().as_str()).zip(array.columns()).collect();
    tree(plan, id, &columns, row)
}

fn tree(plan: &Plan, id: MessageId, columns: &[(&str, &ArrayRef)], row: usize) -> Tree {
    let fields = fields(plan, id);
    let mut tree = Tree::new();
    for (name, array) in columns {
        if let DataType::Union(types, _) = array.data_type() {
            let union = array.as_union();
            let id = union.type_id(row);
            if id != 0 {
                let (_, ty) = types.iter().find(|(i, _)| *i == id).unwrap();
                let field = fields.iter().find(|(n, _)| n == ty.name()).unwrap().1;
                tree.insert(field.number, cell(plan, field, union.child(id), row).expect("the member is set"));
            }
            continue;
        }
        let field = fields.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no field {name}")).1;
        if let Some(value) = cell(plan, field, array, row) {
            tree.insert(field.number, value);
        }
    }
    tree
}

fn cell(plan: &Plan, field: &Field, array: &ArrayRef, row: usize) -> Option<Value> {
    if array.is_null(row) {
        return None;
    }
    if field.is_map() {
        let entries = array.as_map().value(row);
        let (key, value) = plan.map_fields(field.message.unwrap());
        let map: BTreeMap<Value, Value> = (0..entries.len())
            .map(|i| (element(plan, key, entries.column(0), i), element(plan, value, entries.column(1), i)))
            .collect();
        assert_eq!(map.len(), entries.len(), "the keys of a map differ");
        return Some(Value::Map(map)).filter(|_| entries.len() > 0);
    }
    if field.is_repeated() {
        let list = array.as_list::<i32>().value(row);
        return Some(Value::List((0..list.len()).map(|i| element(plan, field, &list, i)).collect()))
            .filter(|_| !list.is_empty());
    }
    let value = element(plan, field, array, row);
    let zero = matches!(&value, Value::Bits(0)) || matches!(&value, Value::Bytes(b) if b.is_empty());
    Some(value).filter(|_| !(zero && field.presence == Presence::Implicit))
}

fn element(plan: &Plan, field: &Field, array: &ArrayRef, row: usize) -> Value {
    assert!(array.is_valid(row));
    Value::Bits(match array.data_type() {
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row) as u32 as u64,
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row) as u64,
        DataType::Float32 => array.as_primitive::<Float32Type>().value(row).to_bits() as u64,
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row) as u64,
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_bits(),
        DataType::Boolean => array.as_boolean().value(row) as u64,
        DataType::Utf8 => return Value::Bytes(array.as_string::<i32>().value(row).into()),
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(row).to_vec();
            return message(plan, field, Value::Bytes(bytes), Tree::new(), &mut Seen::default());
        }
        DataType::Struct(_) => return Value::Message(structure(plan, field.message.unwrap(), array.as_struct(), row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            let text = dictionary.values().as_string::<i32>().value(dictionary.keys().value(row) as usize);
            let Some(id) = field.enum_type else { return Value::Bytes(text.into()) };
            let named = plan[id].values.iter().find(|v| v.name == text).map(|v| v.number);
            named.unwrap_or_else(|| text.parse().unwrap()) as u32 as u64
        }
        other => panic!("{other}"),
    })
}
