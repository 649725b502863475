//! `Debug` of messages: protobuf's text format (RTX-1 to RTX-6).

use super::{AnyMessage, Value};
use crate::text::{Double, Float, Quoted, Text};
use core::fmt::{self, Debug, Formatter};

impl Debug for AnyMessage<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        message(&mut Text::new(f), *self)
    }
}

fn message(text: &mut Text<'_, '_>, of: AnyMessage<'_>) -> fmt::Result {
    for (field, value) in of.fields() {
        match value {
            Value::List(all) => all.iter().try_for_each(|value| one(text, field.name(), value)),
            Value::Map(all) => all.iter().try_for_each(|(key, value)| {
                text.name(field.name())?;
                text.open()?;
                one(text, "key", key)?;
                one(text, "value", value)?;
                text.close()
            }),
            value => one(text, field.name(), value),
        }?;
    }
    of.unknown_fields().try_for_each(|field| text.unknown(field.record))
}

fn one(text: &mut Text<'_, '_>, name: &str, of: Value<'_>) -> fmt::Result {
    text.name(name)?;
    match of {
        Value::Message(of) => {
            text.open()?;
            message(text, of)?;
            text.close()
        }
        of => text.value(Scalar(of)),
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
            Value::Enum(v, of) => match of.name_of(v) {
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
            Value::Message(of) => of.fmt(f),
            Value::List(all) => f.debug_list().entries(all.iter()).finish(),
            Value::Map(all) => f.debug_map().entries(all.iter()).finish(),
            of => write!(f, "{}", Scalar(of)),
        }
    }
}
