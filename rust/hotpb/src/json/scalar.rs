//! Numbers, strings, bytes and enums of JSON (JSN-3 to JSN-7).

use super::base64;
use super::known::is_null_value;
use super::node::Node;
use super::read::{Misfit, Read};
use crate::pool::walk::{Field, Kind};
use crate::wire::{LEN, append_bytes, append_tag, append_varint, zigzag32, zigzag64};
use alloc::vec::Vec;

/// Writes a value with its tag. With `ignore`, an unknown name of an enum value writes nothing.
pub(super) fn append(field: Field, node: &Node<'_>, ignore: bool, out: &mut Vec<u8>) -> Read<()> {
    let bits = match field.kind() {
        Kind::Bool => match node {
            Node::Bool(v) => u64::from(*v),
            other => return Err(Misfit::expected("a bool", other)),
        },
        Kind::Float => u64::from(float(node)?.to_bits()),
        Kind::Double => double(node)?.to_bits(),
        Kind::Enum => match enumeration(field, node)? {
            Some(number) => number as i64 as u64,
            None if ignore => return Ok(()),
            None => return Err(Misfit::new("no value of the enum has this name")),
        },
        Kind::Utf8 | Kind::Text => match node {
            Node::String(text) => {
                text_field(field, text.as_bytes(), out);
                return Ok(());
            }
            other => return Err(Misfit::expected("a string", other)),
        },
        Kind::Bytes => match node {
            Node::String(text) => match base64::decode(text) {
                Some(bytes) => {
                    text_field(field, &bytes, out);
                    return Ok(());
                }
                None => return Err(Misfit::new("not base64")),
            },
            other => return Err(Misfit::expected("base64 as text", other)),
        },
        _ => in_range(field.kind(), integer(node)?)?,
    };
    append_tag(out, field.number(), field.kind().wire_type());
    match field.kind() {
        Kind::Fixed32 | Kind::Sfixed32 | Kind::Float => out.extend_from_slice(&(bits as u32).to_le_bytes()),
        Kind::Fixed64 | Kind::Sfixed64 | Kind::Double => out.extend_from_slice(&bits.to_le_bytes()),
        _ => append_varint(out, bits),
    }
    Ok(())
}

/// Writes the key of a map, which JSON has as text.
pub(super) fn key(field: Field, key: &str, out: &mut Vec<u8>) -> Read<()> {
    let node = match (field.kind(), key) {
        (Kind::Bool, "true") => Node::Bool(true),
        (Kind::Bool, "false") => Node::Bool(false),
        _ => Node::String(key.into()),
    };
    append(field, &node, false, out)
}

fn text_field(field: Field, bytes: &[u8], out: &mut Vec<u8>) {
    append_tag(out, field.number(), LEN);
    append_bytes(out, bytes);
}

/// Reads an integer: a number, also with an exponent or a fraction of zeros, or the same as text.
fn integer(node: &Node<'_>) -> Read<i128> {
    let whole = |v: f64| {
        // Above 2^63 a double is no 64-bit integer, except for some that are uint64.
        let fits = (-9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&v);
        if fits && v == v as i128 as f64 { Ok(v as i128) } else { Err(Misfit::new("not an integer of 64 bits")) }
    };
    match node {
        Node::Signed(v) => Ok((*v).into()),
        Node::Unsigned(v) => Ok((*v).into()),
        Node::Float(v) => whole(*v),
        Node::String(text) if is_number(text) => match text.parse() {
            Ok(v) => Ok(v),
            Err(_) => whole(text.parse().map_err(|_| Misfit::new("not a number"))?),
        },
        Node::String(_) => Err(Misfit::new("not a number")),
        other => Err(Misfit::expected("an integer", other)),
    }
}

/// Reports whether a text has the form of a number in JSON.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let form = digits.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    form && digits.first().is_some_and(u8::is_ascii_digit) && digits.last().is_some_and(u8::is_ascii_digit)
}

fn in_range(kind: Kind, v: i128) -> Read<u64> {
    let bits = match kind {
        Kind::Int32 | Kind::Sfixed32 => i32::try_from(v).ok().map(|v| v as i64 as u64),
        Kind::Sint32 => i32::try_from(v).ok().map(|v| zigzag32(v).into()),
        Kind::Uint32 | Kind::Fixed32 => u32::try_from(v).ok().map(u64::from),
        Kind::Sint64 => i64::try_from(v).ok().map(zigzag64),
        Kind::Uint64 | Kind::Fixed64 => u64::try_from(v).ok(),
        _ => i64::try_from(v).ok().map(|v| v as u64),
    };
    bits.ok_or_else(|| Misfit::new("the number is out of range"))
}

fn double(node: &Node<'_>) -> Read<f64> {
    match node {
        Node::Signed(v) => Ok(*v as f64),
        Node::Unsigned(v) => Ok(*v as f64),
        Node::Float(v) => Ok(*v),
        Node::String(text) => match &**text {
            "NaN" => Ok(f64::NAN),
            "Infinity" => Ok(f64::INFINITY),
            "-Infinity" => Ok(f64::NEG_INFINITY),
            text if is_number(text) => match text.parse::<f64>() {
                Ok(v) if v.is_finite() => Ok(v),
                _ => Err(Misfit::new("the number is out of range")),
            },
            _ => Err(Misfit::new("not a number")),
        },
        other => Err(Misfit::expected("a number", other)),
    }
}

fn float(node: &Node<'_>) -> Read<f32> {
    let v = double(node)?;
    let short = v as f32;
    if v.is_finite() && !short.is_finite() { Err(Misfit::new("the number is out of range")) } else { Ok(short) }
}

/// Reads the number of an enum value; `None` for an unknown name.
fn enumeration(field: Field, node: &Node<'_>) -> Read<Option<i32>> {
    let Some(of) = field.enum_type() else { return Err(Misfit::new("an enum without its type")) };
    match node {
        Node::Null if is_null_value(of.name()) => Ok(Some(0)),
        Node::String(name) => Ok(of.number_of(name)),
        Node::Signed(_) | Node::Unsigned(_) | Node::Float(_) => match i32::try_from(integer(node)?) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Misfit::new("the number is out of range")),
        },
        other => Err(Misfit::expected("the name of an enum value, or its number", other)),
    }
}
