//! Equality of messages (RTX-7 to RTX-10).

use super::{AnyMessage, MapOf, Value};
use alloc::vec::Vec;

impl PartialEq for AnyMessage<'_> {
    fn eq(&self, rhs: &Self) -> bool {
        let fields = self.description().fields().len();
        self.description().name() == rhs.description().name()
            && (0..fields).all(|i| self.get(i) == rhs.get(i))
            && self.unknown_fields().map(|f| f.record).eq(rhs.unknown_fields().map(|f| f.record))
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, rhs: &Self) -> bool {
        match (*self, *rhs) {
            (Value::Int32(a), Value::Int32(b)) => a == b,
            (Value::Int64(a), Value::Int64(b)) => a == b,
            (Value::Uint32(a), Value::Uint32(b)) => a == b,
            (Value::Uint64(a), Value::Uint64(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Double(a), Value::Double(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Enum(a, left), Value::Enum(b, right)) => a == b && left.name() == right.name(),
            (Value::Message(a), Value::Message(b)) => a == b,
            (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().eq(b.iter()),
            (Value::Map(a), Value::Map(b)) => a.len() == b.len() && by_key(a).into_iter().eq(by_key(b)),
            _ => false,
        }
    }
}

/// A key of a map.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Signed(i64),
    Unsigned(u64),
    Text(&'a [u8]),
}

/// Returns the entries, ordered by key: maps are equal as sets of entries, whatever their order in the input.
fn by_key(map: MapOf<'_>) -> Vec<(Key<'_>, Value<'_>)> {
    let mut entries: Vec<_> = map.iter().map(|(key, value)| (Key::new(key), value)).collect();
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    entries
}

impl<'a> Key<'a> {
    fn new(key: Value<'a>) -> Key<'a> {
        match key {
            Value::Int32(v) => Key::Signed(v.into()),
            Value::Int64(v) => Key::Signed(v),
            Value::Uint32(v) => Key::Unsigned(v.into()),
            Value::Uint64(v) => Key::Unsigned(v),
            Value::Bool(v) => Key::Unsigned(v.into()),
            Value::String(v) => Key::Text(v.as_bytes()),
            Value::Text(v) => Key::Text(v.as_bytes()),
            _ => Key::Text(&[]), // no other type is a key
        }
    }
}
