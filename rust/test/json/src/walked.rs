//! A message as the walk finds it: encoded again, field by field, without the library's encoder.

use hotpb::pool::walk::{AnyMessage, Description, Field, Kind, Value};
use hotpb::wire;

/// Encodes what a walk finds, unknown fields last.
pub fn encoded(message: AnyMessage<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for (field, value) in message.fields() {
        match value {
            Value::List(all) => all.iter().for_each(|value| append(&mut out, field, value)),
            Value::Map(all) => {
                let parts: Vec<Field> = field.message().into_iter().flat_map(Description::fields).collect();
                for (key, value) in all.iter() {
                    let mut entry = Vec::new();
                    append(&mut entry, parts[0], key);
                    append(&mut entry, parts[1], value);
                    wire::append_tag(&mut out, field.number(), wire::LEN);
                    wire::append_bytes(&mut out, &entry);
                }
            }
            value => append(&mut out, field, value),
        }
    }
    message.unknown_fields().for_each(|field| out.extend_from_slice(field.record));
    out
}

fn append(out: &mut Vec<u8>, field: Field, value: Value<'_>) {
    let kind = field.kind();
    if kind == Kind::Group {
        wire::append_tag(out, field.number(), wire::START_GROUP);
        if let Value::Message(message) = value {
            out.extend(encoded(message));
        }
        return wire::append_tag(out, field.number(), wire::END_GROUP);
    }
    wire::append_tag(out, field.number(), wire_type(kind));
    match value {
        Value::Int32(v) if kind == Kind::Sint32 => wire::append_sint32(out, v),
        Value::Int32(v) if kind == Kind::Sfixed32 => wire::append_fixed32(out, v as u32),
        Value::Int32(v) | Value::Enum(v, _) => wire::append_int32(out, v),
        Value::Int64(v) if kind == Kind::Sint64 => wire::append_sint64(out, v),
        Value::Int64(v) if kind == Kind::Sfixed64 => wire::append_fixed64(out, v as u64),
        Value::Int64(v) => wire::append_int64(out, v),
        Value::Uint32(v) if kind == Kind::Fixed32 => wire::append_fixed32(out, v),
        Value::Uint32(v) => wire::append_varint(out, v.into()),
        Value::Uint64(v) if kind == Kind::Fixed64 => wire::append_fixed64(out, v),
        Value::Uint64(v) => wire::append_varint(out, v),
        Value::Float(v) => wire::append_fixed32(out, v.to_bits()),
        Value::Double(v) => wire::append_fixed64(out, v.to_bits()),
        Value::Bool(v) => wire::append_varint(out, v.into()),
        Value::String(v) => wire::append_bytes(out, v.as_bytes()),
        Value::Text(v) => wire::append_bytes(out, v.as_bytes()),
        Value::Bytes(v) => wire::append_bytes(out, v),
        Value::Message(v) => wire::append_bytes(out, &encoded(v)),
        _ => panic!("a list in a list"),
    }
}

fn wire_type(kind: Kind) -> u32 {
    use Kind::*;
    match kind {
        Fixed64 | Sfixed64 | Double => wire::FIXED64,
        Fixed32 | Sfixed32 | Float => wire::FIXED32,
        Utf8 | Text | Bytes | Message | Map => wire::LEN,
        _ => wire::VARINT,
    }
}

/// Reports whether a predicate holds for a message, or for any value in it.
fn any(message: AnyMessage<'_>, is: &dyn Fn(Value<'_>) -> bool) -> bool {
    fn inside(value: Value<'_>, is: &dyn Fn(Value<'_>) -> bool) -> bool {
        is(value)
            || match value {
                Value::Message(message) => any(message, is),
                Value::List(all) => all.iter().any(|value| inside(value, is)),
                Value::Map(all) => all.iter().any(|(_, value)| inside(value, is)),
                _ => false,
            }
    }
    is(Value::Message(message)) || message.fields().any(|(_, value)| inside(value, is))
}

/// Reports whether a number in the message is NaN, which differs from itself.
pub fn has_nan(message: AnyMessage<'_>) -> bool {
    any(message, &|value| match value {
        Value::Float(v) => v.is_nan(),
        Value::Double(v) => v.is_nan(),
        _ => false,
    })
}

/// Reports whether JSON has all of a message, and equality holds: neither unknown fields, nor NaN, nor a `NullValue` of
/// another number, which is `null`, too.
pub fn is_plain(message: AnyMessage<'_>) -> bool {
    let lost = |value: Value<'_>| match value {
        Value::Message(message) => message.unknown_fields().next().is_some(),
        Value::Enum(number, of) => number != 0 && of.name() == "google.protobuf.NullValue",
        _ => false,
    };
    !has_nan(message) && !any(message, &lost)
}

/// Reports whether all unknown fields of a message, those of messages in it included, are numbers that a closed enum lacks.
pub fn only_undefined_values(message: AnyMessage<'_>) -> bool {
    let unusual = |value: Value<'_>| {
        let Value::Message(message) = value else { return false };
        let of_enum = |number: u32| {
            message.description().fields().any(|field| {
                // The record of a map's entry is kept whole.
                let value = || field.message().into_iter().flat_map(Description::fields).nth(1);
                let enumeration =
                    if field.kind() == Kind::Map { value().and_then(Field::enum_type) } else { field.enum_type() };
                field.number() == number && enumeration.is_some()
            })
        };
        message.unknown_fields().any(|field| !of_enum(field.number))
    };
    !any(message, &unusual)
}
