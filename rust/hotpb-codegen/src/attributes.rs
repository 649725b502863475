//! Attributes that the user adds to generated types and fields, as with prost-build.

use crate::error::OptionError;
use crate::plan::join;
use crate::plan::{Enum, Field, Message, Oneof, Plan};
use proc_macro2::TokenStream;
use syn::parse::Parser;

/// The elements that an attribute is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Messages, oneofs and enums.
    Types,
    /// Messages.
    Messages,
    /// Oneofs and enums.
    Enums,
    /// Fields, and members of oneofs.
    Fields,
}

/// Attributes for all elements whose path fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    on: On,
    path: String,
    text: String,
}

impl Attribute {
    /// Checks that `text` consists of outer attributes (`#[…]`). A path that begins with a dot fits the element of this
    /// full name, and everything inside it; `.` fits everything. Another path fits every element whose full name ends
    /// with it.
    pub fn new(on: On, path: &str, text: &str) -> Result<Attribute, OptionError> {
        let option = match on {
            On::Types => "type_attribute",
            On::Messages => "message_attribute",
            On::Enums => "enum_attribute",
            On::Fields => "field_attribute",
        };
        let refuse =
            |problem: String| Err(OptionError { option: option.into(), value: format!("{path}={text}"), problem });
        match syn::Attribute::parse_outer.parse_str(text) {
            Ok(attributes) if !attributes.is_empty() => {}
            Ok(_) => return refuse("write attributes, as in #[derive(Eq)]".into()),
            Err(e) => return refuse(format!("these are no attributes ({e}); write them as in #[derive(Eq)]")),
        }
        if path.is_empty() || path.len() > 1 && path.ends_with('.') {
            return refuse("write the path of an element, as in .pkg.Message, or . for all".into());
        }
        Ok(Attribute { on, path: path.into(), text: text.into() })
    }

    /// Reports whether the attribute is for the element of this full name.
    fn fits(&self, name: &str) -> bool {
        match self.path.strip_prefix('.') {
            Some("") => true,
            Some(path) => name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            None => name.strip_suffix(&*self.path).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
        }
    }
}

/// Returns the attributes of a message.
pub(crate) fn of_message(all: &[Attribute], message: &Message) -> TokenStream {
    matching(all, &[On::Types, On::Messages], &message.name)
}

/// Returns the attributes of an enum.
pub(crate) fn of_enum(all: &[Attribute], e: &Enum) -> TokenStream {
    matching(all, &[On::Types, On::Enums], &e.name)
}

/// Returns the attributes of a oneof.
pub(crate) fn of_oneof(all: &[Attribute], message: &Message, oneof: &Oneof) -> TokenStream {
    matching(all, &[On::Types, On::Enums], &join(&message.name, &oneof.name))
}

/// Returns the attributes of the field that holds a oneof.
pub(crate) fn of_oneof_field(all: &[Attribute], message: &Message, oneof: &Oneof) -> TokenStream {
    matching(all, &[On::Fields], &join(&message.name, &oneof.name))
}

/// Returns the attributes of a field.
pub(crate) fn of_field(all: &[Attribute], message: &Message, field: &Field) -> TokenStream {
    of_names(all, &[On::Fields], &field_names(message, field))
}

/// Returns the full names of a field: its own, and for a member of a oneof also the one inside the oneof, which
/// prost-build uses.
fn field_names(message: &Message, field: &Field) -> Vec<String> {
    let inside = field.oneof.map(|oneof| join(&join(&message.name, &message.oneofs[oneof].name), &field.name));
    std::iter::once(join(&message.name, &field.name)).chain(inside).collect()
}

/// Returns a note for each attribute that fits nothing in the schema.
pub(crate) fn unused(all: &[Attribute], plan: &Plan) -> Vec<String> {
    let fits = |a: &Attribute| {
        let message = |m: &Message| {
            let oneof = |o: &Oneof| a.fits(&join(&m.name, &o.name));
            let field = |f: &Field| field_names(m, f).iter().any(|name| a.fits(name));
            match a.on {
                On::Types => a.fits(&m.name) || m.oneofs.iter().any(oneof),
                On::Messages => a.fits(&m.name),
                On::Enums => m.oneofs.iter().any(oneof),
                On::Fields => m.fields.iter().any(field) || m.oneofs.iter().any(oneof),
            }
        };
        let enums = matches!(a.on, On::Types | On::Enums) && plan.enums.iter().any(|e| a.fits(&e.name));
        enums || plan.messages.iter().filter(|m| !m.map_entry).any(message)
    };
    let note = |a: &Attribute| format!("the attribute {} is for {}, which fits nothing in the schema", a.text, a.path);
    all.iter().filter(|a| !fits(a)).map(note).collect()
}

fn matching(all: &[Attribute], on: &[On], name: &str) -> TokenStream {
    of_names(all, on, &[name.to_string()])
}

fn of_names(all: &[Attribute], on: &[On], names: &[String]) -> TokenStream {
    let fitting = all.iter().filter(|a| on.contains(&a.on) && names.iter().any(|name| a.fits(name)));
    fitting.filter_map(|a| a.text.parse::<TokenStream>().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fit_as_in_prost_build() {
        let fits = |path: &str, name: &str| Attribute::new(On::Types, path, "#[a]").unwrap().fits(name);
        for path in [".", ".a", ".a.b", ".a.b.C", "C", "b.C", "a.b.C"] {
            assert!(fits(path, "a.b.C"), "{path}");
        }
        for path in [".b", ".a.b.C.d", ".a.bb", ".a.b.c", "c", "x.C", ".C", "b"] {
            assert!(!fits(path, "a.b.C"), "{path}");
        }
    }

    #[test]
    fn what_is_no_attribute_is_refused() {
        let problem = |path: &str, text: &str| Attribute::new(On::Fields, path, text).unwrap_err().to_string();
        assert_eq!(problem(".", ""), "option field_attribute=.=: write attributes, as in #[derive(Eq)]");
        assert!(
            problem(".", "derive(Eq)").starts_with("option field_attribute=.=derive(Eq): these are no attributes (")
        );
        assert!(problem("", "#[a]").ends_with("write the path of an element, as in .pkg.Message, or . for all"));
    }
}
