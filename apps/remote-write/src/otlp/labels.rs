//! Attributes as labels.

use super::{Names, names, value};
use crate::generated::opentelemetry::proto::common::v1::KeyValue;
use hotpb::pool::Rows;

/// A label's name and value.
pub type Label = (String, String);

/// Returns attributes as labels, one for each name: the values of attributes whose names become the same are joined, in the
/// order of the original names. Otherwise, the name that no label can have.
pub fn collect<'a>(
    attributes: Rows<'a, KeyValue<'a>>,
    names: Names,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Label>, &'a str> {
    let mut found = Vec::with_capacity(attributes.len());
    for attribute in attributes.iter() {
        let key = attribute.key();
        if key != "__name__" && wanted(key) {
            found.push((names::label(key, names).ok_or(key)?, key, value::text(&attribute)));
        }
    }
    found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let mut labels: Vec<Label> = Vec::with_capacity(found.len());
    for (name, _, text) in found {
        match labels.last_mut() {
            Some(last) if last.0 == name => {
                last.1.push(';');
                last.1.push_str(&text);
            }
            _ => labels.push((name, text.into_owned())),
        }
    }
    Ok(labels)
}

/// Sets a label, whatever its value was.
pub fn set(labels: &mut Vec<Label>, name: &str, value: &str) {
    match labels.iter_mut().find(|label| label.0 == name) {
        Some(label) => value.clone_into(&mut label.1),
        None => labels.push((name.to_owned(), value.to_owned())),
    }
}
