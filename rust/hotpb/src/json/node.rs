//! A JSON value in memory: members of an `Any` have a meaning only when its `@type` is known, which may come last.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Values nest at most this deep: a message's level and its list are two levels, so this is more than twice the depth
/// to which a decoder follows messages.
const DEPTH: u32 = 256;

pub(super) enum Node<'de> {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    String(Cow<'de, str>),
    Array(Vec<Node<'de>>),
    Object(Vec<(Cow<'de, str>, Node<'de>)>),
}

impl Node<'_> {
    /// Says what it is, for errors.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool(_) => "a bool",
            Node::Signed(_) | Node::Unsigned(_) | Node::Float(_) => "a number",
            Node::String(_) => "a string",
            Node::Array(_) => "an array",
            Node::Object(_) => "an object",
        }
    }
}

/// Reads a value with this many levels left.
pub(super) struct Levels(u32);

impl Levels {
    pub(super) fn all() -> Levels {
        Levels(DEPTH)
    }

    fn below<E: Error>(&self) -> Result<u32, E> {
        self.0.checked_sub(1).ok_or_else(|| E::custom("the value nests too deep"))
    }
}

impl<'de> DeserializeSeed<'de> for Levels {
    type Value = Node<'de>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Levels {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }
    fn visit_none<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_bool<E>(self, v: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(v))
    }
    fn visit_i64<E>(self, v: i64) -> Result<Node<'de>, E> {
        Ok(Node::Signed(v))
    }
    fn visit_u64<E>(self, v: u64) -> Result<Node<'de>, E> {
        Ok(Node::Unsigned(v))
    }
    fn visit_f64<E>(self, v: f64) -> Result<Node<'de>, E> {
        Ok(Node::Float(v))
    }
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::String(Cow::Borrowed(v)))
    }
    fn visit_str<E>(self, v: &str) -> Result<Node<'de>, E> {
        Ok(Node::String(Cow::Owned(v.into())))
    }
    fn visit_string<E>(self, v: String) -> Result<Node<'de>, E> {
        Ok(Node::String(Cow::Owned(v)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Node<'de>, A::Error> {
        let below = self.below()?;
        let mut nodes = Vec::new();
        while let Some(node) = all.next_element_seed(Levels(below))? {
            nodes.push(node);
        }
        Ok(Node::Array(nodes))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Node<'de>, A::Error> {
        let below = self.below()?;
        let mut nodes = Vec::new();
        while let Some(key) = all.next_key_seed(Key)? {
            nodes.push((key, all.next_value_seed(Levels(below))?));
        }
        Ok(Node::Object(nodes))
    }
}

/// Reads the key of an object.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(v))
    }
    fn visit_str<E>(self, v: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(v.into()))
    }
    fn visit_string<E>(self, v: String) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(v))
    }
}
