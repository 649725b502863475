//! Names of the writer face: the methods of each field, constants, and functions for extensions.

use crate::names::idents::{claim, snake, usable};
use crate::plan::join;
use crate::plan::{Field, Message, Type};
use std::collections::HashSet;

/// The methods that a writer has unless a field has their name. They are those of the trait `Writer`, too.
pub(crate) const BUILT_IN: [&str; 5] = ["new", "delimited", "finish", "status", "append_raw"];

/// The names of the functions that write one field. Names that a field does not need exist, too, but are not claimed.
pub struct FieldNames {
    /// Writes a value, or a child with a closure.
    pub set: String,
    /// Returns the guard of a child or a packed field.
    pub open: String,
    /// Writes an encoded message.
    pub raw: String,
    /// Writes a string or bytes from pieces.
    pub parts: String,
    /// Writes packed values from an iterator.
    pub from: String,
    /// The constant with number and name.
    pub constant: String,
}

/// The form of a field, which determines its other methods.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Plain,
    Text,
    Packed,
    Child,
}

impl Shape {
    /// Returns the form of a field; for maps, that of their value, except that strings have none.
    pub(crate) fn classify(field: &Field) -> Shape {
        match (field.map, field.ty) {
            (Some((_, Type::Message)), _) => Shape::Child,
            (Some(_), _) => Shape::Plain,
            (_, Type::Message) => Shape::Child,
            (_, Type::String | Type::Bytes) => Shape::Text,
            _ if field.packed => Shape::Packed,
            _ => Shape::Plain,
        }
    }
}

impl FieldNames {
    /// Reports whether one of the field's methods has this name.
    pub(crate) fn take(&self, field: &Field, name: &str) -> bool {
        let shape = Shape::classify(field);
        self.set == name
            || self.open == name && matches!(shape, Shape::Child | Shape::Packed)
            || self.raw == name && shape == Shape::Child
            || self.parts == name && shape == Shape::Text
            || self.from == name && shape == Shape::Packed
    }
}

/// Renames, as `(element, what, wanted, name)`.
pub(crate) type Renamed<'n> = &'n mut dyn FnMut(&str, &str, &str, &str);

/// Returns the names for a message's fields, by slot. Names that the schema spells in this way take precedence over
/// converted names, and both over derived ones.
pub(crate) fn of_message(message: &Message, renamed: Renamed<'_>) -> Vec<FieldNames> {
    let mut used = HashSet::new();
    let mut constants = HashSet::new();
    let mut set = vec![String::new(); message.fields.len()];
    for converted in [false, true] {
        for (name, field) in set.iter_mut().zip(&message.fields) {
            let wanted = snake(&field.name);
            if (wanted != field.name) == converted {
                *name = claim(&mut used, &usable(&wanted));
                renamed(&join(&message.name, &field.name), "setter", &wanted, name);
            }
        }
    }
    let named = set.into_iter().zip(&message.fields).map(|(set, field)| {
        let element = join(&message.name, &field.name);
        let constant = claim(&mut constants, &usable(&snake(&field.name).to_uppercase()));
        further(field, set, constant, &mut used, &mut |wanted, name| renamed(&element, "setter", wanted, name))
    });
    named.collect()
}

/// Returns the names of an extension's functions; `taken` are the values in the scope that declares it.
pub(crate) fn of_extension(field: &Field, used: &mut HashSet<String>) -> FieldNames {
    let set = claim(used, &format!("write_{}", snake(&field.name)));
    let mut names = further(field, set, String::new(), used, &mut |_, _| {});
    // `open_write_x` would read badly.
    if matches!(Shape::classify(field), Shape::Child | Shape::Packed) {
        used.remove(&names.open);
        names.open = claim(used, &format!("open_{}", snake(&field.name)));
    }
    names
}

fn further(
    field: &Field,
    set: String,
    constant: String,
    used: &mut HashSet<String>,
    renamed: &mut dyn FnMut(&str, &str),
) -> FieldNames {
    let shape = Shape::classify(field);
    let mut made = |for_shapes: &[Shape], wanted: String| {
        if !for_shapes.contains(&shape) {
            return wanted;
        }
        let name = claim(used, &wanted);
        renamed(&wanted, &name);
        name
    };
    let plain = set.trim_end_matches('_').to_string();
    let plain = if plain.is_empty() { set.clone() } else { plain };
    FieldNames {
        open: made(&[Shape::Child, Shape::Packed], format!("open_{plain}")),
        raw: made(&[Shape::Child], format!("{plain}_raw")),
        parts: made(&[Shape::Text], format!("{plain}_parts")),
        from: made(&[Shape::Packed], format!("{plain}_from")),
        set,
        constant,
    }
}
