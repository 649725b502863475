//! `Debug` of messages: protobuf's text format (RTX-1 to RTX-6).

use super::{AnyMessage, Value};
use crate::text::{Double, Float, Quoted, Text};
use core::fmt::{self, Debug, Formatter};

impl Debug for AnyMessage<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        message(&mut Text::new(f), *self)
    }
}

fn message(text: &mut Text<'_, '_>, source: AnyMessage<'_>) -> fmt::Result {
    for (field, value) in source.fields() {
        match value {
            Value::List(all) => all.iter().try_for_each(|value| put(text, field.name(), value)),
            Value::Map(all) => all.iter().try_for_each(|(key, value)| {
                text.name(field.name())?;
                text.open()?;
                put(text, "key", key)?;
                put(text, "value", value)?;
                text.close()
            }),
            value => put(text, field.name(), value),
        }?;
    }
    source.unknown_fields().try_for_each(|field| text.unknown(field.record))
}

fn put(text: &mut Text<'_, '_>, name: &str, value: Value<'_>) -> fmt::Result {
    text.name(name)?;
    match value {
        Value::Message(inner) => {
            text.open()?;
            message(text, inner)?;
            text.close()
        }
        scalar => text.value(Scalar(scalar)),
    }
}

/// A value that is no message.
struct Scalar<'a>(Value<'a>);

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Int32(v) => write!(f, "{v}"),
            Value::Int64(v) => write!(f, "{v}"),
            Value::Uint32(v) => write!(f, "{v}"),
            Value::Uint64(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{}", Float(v)),
            Value::Double(v) => write!(f, "{}", Double(v)),
            Value::Bool(v) => write!(f, "{v}"),
            Value::String(v) => write!(f, "{}", Quoted(v.as_bytes())),
            Value::Text(v) => write!(f, "{}", Quoted(v.as_bytes())),
            Value::Bytes(v) => write!(f, "{}", Quoted(v)),
            Value::Enum(v, values) => match values.name_of(v) {
                Some(name) => f.write_str(name),
                None => write!(f, "{v}"),
            },
            Value::Message(_) | Value::List(_) | Value::Map(_) => Ok(()),
        }
    }
}

impl Debug for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Message(message) => message.fmt(f),
            Value::List(all) => f.debug_list().entries(all.iter()).finish(),
            Value::Map(all) => f.debug_map().entries(all.iter()).finish(),
            scalar => write!(f, "{}", Scalar(scalar)),
        }
    }
}
