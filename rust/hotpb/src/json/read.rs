//! `Deserialize`: JSON to the encoding of a message.

use super::Types;
use super::known::{Duration, Known, Timestamp, is_null_value, mask_from_json};
use super::node::Node;
use super::scalar;
use crate::pool::walk::{Description, Field, Kind, Presence};
use crate::wire::{END_GROUP, LEN, MAX_DEPTH, START_GROUP, append_bytes, append_tag, append_varint};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// Options of reading.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions<'t> {
    /// Ignores names that the schema does not define, and unknown names of enum values. By default they are errors.
    pub ignore_unknown_fields: bool,
    /// The types that an `Any` may hold.
    pub types: Option<&'t Types>,
}

/// Why JSON does not fit its message: the place, and the reason.
pub(super) struct Misfit {
    path: String,
    reason: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.reason) } else { write!(f, "{}: {}", self.path, self.reason) }
    }
}

impl Misfit {
    pub(super) fn new(reason: impl fmt::Display) -> Misfit {
        Misfit { path: String::new(), reason: reason.to_string() }
    }

    pub(super) fn expected(wanted: &str, node: &Node<'_>) -> Misfit {
        Misfit::new(format_args!("expected {wanted}, found {}", node.kind()))
    }

    fn inside(self, name: &str) -> Misfit {
        let between = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Misfit { path: format!("{name}{between}{}", self.path), ..self }
    }
}

pub(super) type Read<T> = Result<T, Misfit>;

/// Encodes a message.
pub(super) fn message(description: &'static Description, node: &Node<'_>, options: &ReadOptions<'_>) -> Read<Vec<u8>> {
    let mut out = Vec::new();
    Reader { options, depth: MAX_DEPTH }.message(description, node, &mut out)?;
    Ok(out)
}

#[derive(Clone, Copy)]
struct Reader<'o, 't> {
    options: &'o ReadOptions<'t>,
    depth: u32,
}

impl Reader<'_, '_> {
    fn message(self, description: &'static Description, node: &Node<'_>, out: &mut Vec<u8>) -> Read<()> {
        let text = |wanted: &str| match node {
            Node::String(text) => Ok(&**text),
            other => Err(Misfit::expected(wanted, other)),
        };
        match Known::find(description.name()) {
            None => match node {
                Node::Object(members) => {
                    self.object(description, members.iter().map(|(name, node)| (&**name, node)), out)
                }
                other => Err(Misfit::expected(&format!("an object ({})", description.name()), other)),
            },
            Some(Known::Timestamp) => match Timestamp::parse(text("a time as text")?) {
                Some(Timestamp { seconds, nanos }) => {
                    seconds_and_nanos(out, seconds, nanos);
                    Ok(())
                }
                None => Err(Misfit::new("not a time as in RFC 3339, within the years 1 to 9999")),
            },
            Some(Known::Duration) => match Duration::parse(text("a duration as text")?) {
                Some(Duration { seconds, nanos }) => {
                    seconds_and_nanos(out, seconds, nanos);
                    Ok(())
                }
                None => Err(Misfit::new("not a duration such as 1.5s, below 10,000 years")),
            },
            Some(Known::FieldMask) => {
                for path in text("paths as text")?.split(',').filter(|path| !path.is_empty()) {
                    let path = mask_from_json(path)
                        .ok_or_else(|| Misfit::new(format_args!("the path {path:?} has an underscore")))?;
                    append_tag(out, 1, LEN);
                    append_bytes(out, path.as_bytes());
                }
                Ok(())
            }
            Some(Known::Wrapper) => {
                let field = description.fields().next().ok_or_else(|| Misfit::new("a wrapper without its field"))?;
                self.single(field, node, out)
            }
            Some(Known::Struct) => {
                let field = description.fields().next().ok_or_else(|| Misfit::new("a Struct without its field"))?;
                self.field(field, node, out)
            }
            Some(Known::ListValue) => {
                let field = description.fields().next().ok_or_else(|| Misfit::new("a ListValue without its field"))?;
                self.field(field, node, out)
            }
            Some(Known::Value) => self.value(description, node, out),
            Some(Known::Any) => self.any(node, out),
        }
    }

    fn object<'n>(
        self,
        description: &'static Description,
        members: impl Iterator<Item = (&'n str, &'n Node<'n>)>,
        out: &mut Vec<u8>,
    ) -> Read<()> {
        let mut seen: Vec<usize> = Vec::new();
        let mut chosen: Vec<&str> = Vec::new();
        for (name, node) in members {
            let found = description.fields().find(|field| field.name() == name || field.json_name() == *name);
            let Some(field) = found else {
                if self.options.ignore_unknown_fields {
                    continue;
                }
                return Err(Misfit::new(format_args!("{} has no field {name:?}", description.name())));
            };
            if seen.contains(&field.index()) {
                return Err(Misfit::new(format_args!("the field {name:?} appears again")));
            }
            seen.push(field.index());
            if matches!(node, Node::Null) && !takes_null(field) {
                continue;
            }
            if let Presence::Member(oneof) = field.presence() {
                if chosen.contains(&oneof) {
                    return Err(Misfit::new(format_args!("{name:?} is the second member of its oneof")));
                }
                chosen.push(oneof);
            }
            self.field(field, node, out).map_err(|misfit| misfit.inside(name))?;
        }
        Ok(())
    }

    /// Writes a field, with all of its elements.
    fn field(self, field: Field, node: &Node<'_>, out: &mut Vec<u8>) -> Read<()> {
        if field.kind() == Kind::Map {
            return self.map(field, node, out);
        }
        if field.presence() != Presence::Repeated {
            return self.single(field, node, out);
        }
        let Node::Array(all) = node else { return Err(Misfit::expected("an array", node)) };
        for (i, node) in all.iter().enumerate() {
            if matches!(node, Node::Null) && !takes_null(field) {
                return Err(Misfit::new("null is no element").inside(&format!("[{i}]")));
            }
            self.single(field, node, out).map_err(|misfit| misfit.inside(&format!("[{i}]")))?;
        }
        Ok(())
    }

    fn map(self, field: Field, node: &Node<'_>, out: &mut Vec<u8>) -> Read<()> {
        let Node::Object(all) = node else { return Err(Misfit::expected("an object", node)) };
        let mut parts = field.message().into_iter().flat_map(Description::fields);
        let (Some(key_of), Some(value_of)) = (parts.next(), parts.next()) else {
            return Err(Misfit::new("a map without the type of its entries"));
        };
        let below = self.below()?;
        let (mut entry, mut keys) = (Vec::new(), BTreeSet::new());
        for (key, node) in all {
            let misfit = |misfit: Misfit| misfit.inside(&format!("[{key:?}]"));
            if !keys.insert(&**key) {
                return Err(misfit(Misfit::new("the key appears again")));
            }
            if matches!(node, Node::Null) && !takes_null(value_of) {
                return Err(misfit(Misfit::new("null is no value")));
            }
            entry.clear();
            scalar::key(key_of, key, &mut entry).map_err(misfit)?;
            let before = entry.len();
            below.single(value_of, node, &mut entry).map_err(misfit)?;
            // An unknown name of an enum value was ignored: so is the entry.
            if entry.len() > before {
                append_tag(out, field.number(), LEN);
                append_bytes(out, &entry);
            }
        }
        Ok(())
    }

    /// Writes one value.
    fn single(self, field: Field, node: &Node<'_>, out: &mut Vec<u8>) -> Read<()> {
        let Some(child) = field.message() else {
            return scalar::append(field, node, self.options.ignore_unknown_fields, out);
        };
        let mut content = Vec::new();
        self.below()?.message(child, node, &mut content)?;
        if field.kind() == Kind::Group {
            append_tag(out, field.number(), START_GROUP);
            out.append(&mut content);
            append_tag(out, field.number(), END_GROUP);
        } else {
            append_tag(out, field.number(), LEN);
            append_bytes(out, &content);
        }
        Ok(())
    }

    fn below(self) -> Read<Self> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Reader { depth, ..self }),
            None => Err(Misfit::new("messages nest too deep")),
        }
    }

    /// Writes a `google.protobuf.Value`: the member that fits.
    fn value(self, description: &'static Description, node: &Node<'_>, out: &mut Vec<u8>) -> Read<()> {
        let number = match node {
            Node::Null => 1,
            Node::Signed(_) | Node::Unsigned(_) | Node::Float(_) => 2,
            Node::String(_) => 3,
            Node::Bool(_) => 4,
            Node::Object(_) => 5,
            Node::Array(_) => 6,
        };
        match description.fields().find(|field| field.number() == number) {
            Some(field) => self.single(field, node, out),
            None => Err(Misfit::new("a Value without its field")),
        }
    }

    fn any(self, node: &Node<'_>, out: &mut Vec<u8>) -> Read<()> {
        let Node::Object(members) = node else { return Err(Misfit::expected("an object", node)) };
        let mut urls = members.iter().filter(|(name, _)| name == "@type").map(|(_, node)| node);
        let url = match (urls.next(), urls.next()) {
            (Some(Node::String(url)), None) => url,
            (None, _) if members.is_empty() => return Ok(()),
            (None, _) => return Err(Misfit::new("an Any without @type")),
            _ => return Err(Misfit::new("@type is no text, or appears again")),
        };
        let Some(of) = self.options.types.and_then(|types| types.description(url)) else {
            return Err(Misfit::new(format_args!("{url} is not among the types (hotpb::json::Types)")));
        };
        let mut content = Vec::new();
        let below = self.below()?;
        let mut rest = members.iter().map(|(name, node)| (&**name, node)).filter(|(name, _)| *name != "@type");
        // `Empty` is an object of its fields, too, but its content is in `value`.
        if Known::find(of.name()).is_some() || of.name() == "google.protobuf.Empty" {
            match (rest.next(), rest.next()) {
                (Some(("value", node)), None) => below.message(of, node, &mut content)?,
                (None, _) if of.name() == "google.protobuf.Empty" => {}
                _ => return Err(Misfit::new(format_args!("an Any of {} has @type and value only", of.name()))),
            }
        } else {
            below.object(of, rest, &mut content)?;
        }
        append_tag(out, 1, LEN);
        append_bytes(out, url.as_bytes());
        if !content.is_empty() {
            append_tag(out, 2, LEN);
            append_bytes(out, &content);
        }
        Ok(())
    }
}

/// Reports whether `null` is a value of a field, and not its absence.
fn takes_null(field: Field) -> bool {
    field
        .message()
        .is_some_and(|described| field.kind() != Kind::Map && Known::find(described.name()) == Some(Known::Value))
        || field.enum_type().is_some_and(|described| is_null_value(described.name()))
}

fn seconds_and_nanos(out: &mut Vec<u8>, seconds: i64, nanos: i32) {
    for (number, value) in [(1, seconds), (2, nanos.into())] {
        if value != 0 {
            append_tag(out, number, crate::wire::VARINT);
            append_varint(out, value as u64);
        }
    }
}
