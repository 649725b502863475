//! `Serialize`: handles as proto3 JSON.

use super::Types;
use super::base64::Base64;
use super::known::{Duration, Known, Timestamp, is_null_value, mask_to_json};
use crate::pool::walk::{AnyMessage, List, MapOf, Value};
use crate::wire::MAX_DEPTH;
use core::cell::Cell;
use core::fmt::Display;
use serde_core::ser::{Error, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

/// A message that is written as JSON, with options. Handles are written without them.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    message: AnyMessage<'a>,
    within: Within<'a>,
}

/// The settings that messages have from their parents.
#[derive(Clone, Copy)]
struct Within<'a> {
    types: Option<&'a Types>,
    /// The levels that the content of an `Any` may still have. A decode limits the depth of each content alone, and not
    /// that of an `Any` inside an `Any`.
    depth: u32,
}

impl<'a> Written<'a> {
    /// Wraps a message: `Written::new(handle.into())`.
    pub fn new(message: AnyMessage<'a>) -> Written<'a> {
        Written { message, within: Within { types: None, depth: MAX_DEPTH } }
    }

    /// Adds the types that an `Any` may hold.
    pub fn types(self, types: &'a Types) -> Written<'a> {
        Written { within: Within { types: Some(types), ..self.within }, ..self }
    }
}

impl Serialize for AnyMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written::new(*self).serialize(serializer)
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Known::find(self.message.description().name()) {
            None => self.object(serializer, None),
            Some(Known::Timestamp) => {
                let (seconds, nanos) = self.seconds_and_nanos();
                let time = Timestamp { seconds, nanos };
                if !time.is_valid() {
                    return Err(S::Error::custom("a Timestamp outside of the years 1 to 9999, or its nanos"));
                }
                serializer.collect_str(&time)
            }
            Some(Known::Duration) => {
                let (seconds, nanos) = self.seconds_and_nanos();
                let time = Duration { seconds, nanos };
                if !time.is_valid() {
                    return Err(S::Error::custom("a Duration above 10,000 years, or its nanos"));
                }
                serializer.collect_str(&time)
            }
            Some(Known::FieldMask) => self.mask(serializer),
            Some(Known::Wrapper) => match self.message.shown(0) {
                Some(value) => self.nested(value).serialize(serializer),
                None => serializer.serialize_unit(),
            },
            Some(Known::Struct) => match self.message.get(0) {
                Some(value) => self.nested(value).serialize(serializer),
                None => serializer.serialize_map(Some(0))?.end(),
            },
            Some(Known::ListValue) => match self.message.get(0) {
                Some(value) => self.nested(value).serialize(serializer),
                None => serializer.serialize_seq(Some(0))?.end(),
            },
            Some(Known::Value) => match self.message.fields().next() {
                Some((_, Value::Double(v))) if !v.is_finite() => {
                    Err(S::Error::custom("a Value with a number that JSON lacks"))
                }
                Some((_, value)) => self.nested(value).serialize(serializer),
                None => Err(S::Error::custom("a Value that holds nothing")),
            },
            Some(Known::Any) => self.any(serializer),
        }
    }
}

impl<'a> Written<'a> {
    fn nested(&self, value: Value<'a>) -> OfValue<'a> {
        OfValue { value, within: self.within }
    }

    /// Writes the fields, and before them the type of the `Any` that holds the message.
    fn object<S: Serializer>(&self, serializer: S, url: Option<&str>) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        if let Some(url) = url {
            object.serialize_entry("@type", url)?;
        }
        for (field, value) in self.message.fields() {
            object.serialize_entry(&Shown(field.json_name()), &self.nested(value))?;
        }
        object.end()
    }

    fn seconds_and_nanos(&self) -> (i64, i32) {
        let seconds = self.message.shown(0).and_then(|v| if let Value::Int64(v) = v { Some(v) } else { None });
        let nanos = self.message.shown(1).and_then(|v| if let Value::Int32(v) = v { Some(v) } else { None });
        (seconds.unwrap_or(0), nanos.unwrap_or(0))
    }

    fn mask<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = alloc::string::String::new();
        let paths = self.message.get(0).and_then(|v| if let Value::List(v) = v { Some(v) } else { None });
        for path in paths.iter().flat_map(List::iter) {
            let Value::String(path) = path else { continue };
            let Some(path) = mask_to_json(path) else {
                return Err(S::Error::custom(format_args!(
                    "a FieldMask with the path {path:?}, which JSON could not read back"
                )));
            };
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(&path);
        }
        serializer.serialize_str(&text)
    }

    fn any<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (Some(Value::String(url)), Some(Value::Bytes(bytes))) = (self.message.shown(0), self.message.shown(1))
        else {
            return Err(S::Error::custom("an Any without its fields"));
        };
        if url.is_empty() && bytes.is_empty() {
            return serializer.serialize_map(Some(0))?.end();
        }
        let Some(depth) = self.within.depth.checked_sub(1) else {
            return Err(S::Error::custom("messages nest too deep"));
        };
        let (serializer, written) = (Cell::new(Some(serializer)), Cell::new(None));
        let decoded = self.within.types.and_then(|types| {
            types.decode(url, bytes, depth, &mut |message| {
                let Some(serializer) = serializer.take() else { return };
                let held = Written { message, within: Within { depth, ..self.within } };
                written.set(Some(match Known::find(message.description().name()) {
                    None => held.object(serializer, Some(url)),
                    Some(_) => held.special(serializer, url),
                }));
            })
        });
        match (decoded, written.into_inner()) {
            (Some(Ok(())), Some(result)) => result,
            (Some(Err(error)), _) => Err(S::Error::custom(format_args!("an Any of {url}: {error}"))),
            _ => Err(S::Error::custom(format_args!(
                "an Any of {url}, which is not among the types (hotpb::json::Types)"
            ))),
        }
    }

    /// Writes an `Any` of a message whose JSON is no object of its fields.
    fn special<S: Serializer>(&self, serializer: S, url: &str) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(2))?;
        object.serialize_entry("@type", url)?;
        object.serialize_entry("value", self)?;
        object.end()
    }
}

/// A value of a field.
struct OfValue<'a> {
    value: Value<'a>,
    within: Within<'a>,
}

impl Serialize for OfValue<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Int32(v) => s.serialize_i32(v),
            Value::Uint32(v) => s.serialize_u32(v),
            Value::Int64(v) => s.collect_str(&v),
            Value::Uint64(v) => s.collect_str(&v),
            Value::Float(v) if v.is_finite() => s.serialize_f32(v),
            Value::Double(v) if v.is_finite() => s.serialize_f64(v),
            Value::Float(v) => s.serialize_str(special(v.into())),
            Value::Double(v) => s.serialize_str(special(v)),
            Value::Bool(v) => s.serialize_bool(v),
            Value::String(v) => s.serialize_str(v),
            Value::Text(v) => match v.to_str() {
                Ok(v) => s.serialize_str(v),
                Err(_) => Err(S::Error::custom("a string that is not UTF-8")),
            },
            Value::Bytes(v) => s.collect_str(&Base64(v)),
            Value::Enum(_, of) if is_null_value(of.name()) => s.serialize_unit(),
            Value::Enum(v, of) => match of.name_of(v) {
                Some(name) => s.serialize_str(name),
                None => s.serialize_i32(v),
            },
            Value::Message(message) => {
                let depth = self.within.depth.saturating_sub(1);
                Written { message, within: Within { depth, ..self.within } }.serialize(s)
            }
            Value::List(all) => self.list(s, all),
            Value::Map(all) => self.map(s, all),
        }
    }
}

impl<'a> OfValue<'a> {
    fn list<S: Serializer>(&self, s: S, all: List<'a>) -> Result<S::Ok, S::Error> {
        let mut list = s.serialize_seq(Some(all.len()))?;
        for value in all.iter() {
            list.serialize_element(&OfValue { value, within: self.within })?;
        }
        list.end()
    }

    fn map<S: Serializer>(&self, s: S, all: MapOf<'a>) -> Result<S::Ok, S::Error> {
        let mut object = s.serialize_map(Some(all.len()))?;
        // An entry is a level, too.
        let within = Within { depth: self.within.depth.saturating_sub(1), ..self.within };
        for (key, value) in all.iter() {
            object.serialize_entry(&Key(key), &OfValue { value, within })?;
        }
        object.end()
    }
}

fn special(v: f64) -> &'static str {
    match v {
        _ if v.is_nan() => "NaN",
        _ if v > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}

/// A key of a map, which JSON writes as a string.
struct Key<'a>(Value<'a>);

impl Serialize for Key<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Int32(v) => s.collect_str(&v),
            Value::Int64(v) => s.collect_str(&v),
            Value::Uint32(v) => s.collect_str(&v),
            Value::Uint64(v) => s.collect_str(&v),
            Value::Bool(v) => s.serialize_str(if v { "true" } else { "false" }),
            value => OfValue { value, within: Within { types: None, depth: 0 } }.serialize(s),
        }
    }
}

/// A value that is written as it is shown.
struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(&self.0)
    }
}
