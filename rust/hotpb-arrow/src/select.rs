//! Dotted names of columns, as a tree.

use std::collections::BTreeMap;

/// The columns that are wanted below one message.
#[derive(Debug)]
pub(crate) enum Select {
    All,
    Some(BTreeMap<String, Select>),
}

impl Select {
    /// Reads dotted names; none means all columns.
    pub fn new(names: &[String]) -> Select {
        if names.is_empty() {
            return Select::All;
        }
        let mut root = Select::Some(BTreeMap::new());
        for name in names {
            root.add(&split(name));
        }
        root
    }

    fn add(&mut self, parts: &[&str]) {
        match (parts.split_first(), &mut *self) {
            (None, _) => *self = Select::All,
            (Some(_), Select::All) => {}
            (Some((first, rest)), Select::Some(fields)) => match fields.get_mut(*first) {
                Some(below) => below.add(rest),
                None => {
                    let mut below = Select::Some(BTreeMap::new());
                    below.add(rest);
                    fields.insert(first.to_string(), below);
                }
            },
        }
    }

    /// Returns what is wanted below a field, if the field is.
    pub fn get(&self, name: &str) -> Option<&Select> {
        match self {
            Select::All => Some(&Select::All),
            Select::Some(fields) => fields.get(name),
        }
    }

    /// Returns the names at this level.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        match self {
            Select::All => None,
            Select::Some(fields) => Some(fields.keys()),
        }
        .into_iter()
        .flatten()
    }
}

/// Splits at the dots outside of brackets: `a.[pkg.extension].b`.
pub(crate) fn split(name: &str) -> Vec<&str> {
    let mut inside = false;
    name.split(|c: char| {
        inside = (inside || c == '[') && c != ']';
        c == '.' && !inside
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_all_below_it() {
        let select = Select::new(&["a.b".into(), "a.[x.y].c".into(), "d.e".into(), "d".into()]);
        let a = select.get("a").unwrap();
        assert!(matches!(a.get("b"), Some(Select::All)));
        assert!(a.get("[x.y]").unwrap().get("c").is_some());
        assert!(a.get("c").is_none());
        assert!(matches!(select.get("d"), Some(Select::All)));
        assert_eq!(select.names().collect::<Vec<_>>(), ["a", "d"]);
    }
}
