//! Enums: a newtype of the number, so that open enums keep any value. Closed enums have the same form, because
//! undefined values never reach them (they are kept among the unknown fields).

use crate::attributes;
use crate::docs;
use crate::emit::Context;
use crate::idents::{ident, snake, usable};
use crate::plan::{Enum, EnumId};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use std::collections::HashSet;

/// Returns the type and its impls.
pub(crate) fn items(cx: &Context<'_>, id: EnumId) -> TokenStream {
    let e = &cx.plan[id];
    let name = cx.names.enum_type(id);
    let constants = constants(e);
    let about = format!("`{}`, {} enum.", e.name, if e.closed { "a closed" } else { "an open" });
    let docs = docs::with_deprecation(
        &if e.doc.is_empty() { format!(" {about}") } else { format!("{}\n\n {about}", e.doc) },
        e.deprecated,
    );
    let mut seen = HashSet::new();
    let values = e.values.iter().zip(&constants).map(|(value, constant)| {
        let number = Literal::i32_unsuffixed(value.number);
        let plain = format!(" `{}`", value.name);
        let docs = docs::with_deprecation(if value.doc.is_empty() { &plain } else { &value.doc }, value.deprecated);
        let text = &value.name;
        let named = if seen.insert(value.number) { quote!(as #text) } else { quote!(also #text) };
        quote!(#docs #constant = #number #named;)
    });
    let (full, first) = (&e.name, Literal::i32_unsuffixed(e.values[0].number));
    let attributes = attributes::of_enum(&cx.options.attributes, e);
    quote!(::hotpb::__enum! { #docs #attributes #name, #full = #first; #(#values)* })
}

/// Returns the names of the values: those of the schema, without the enum's name as a prefix if the rest is a valid
/// name.
fn constants(e: &Enum) -> Vec<Ident> {
    let prefix = format!("{}_", snake(&e.short_name).to_uppercase());
    let short = |name: &str| -> Option<String> {
        let rest = name.strip_prefix(&prefix)?;
        rest.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| rest.to_string())
    };
    let mut taken: HashSet<String> = ["name", "is_known"].map(str::to_string).into();
    taken.extend(e.values.iter().filter(|v| short(&v.name).is_none()).map(|v| v.name.clone()));
    let mut constants = Vec::new();
    for value in &e.values {
        let mut name = match short(&value.name) {
            Some(short) if taken.insert(short.clone()) => short,
            Some(_) => value.name.clone(),
            None => value.name.clone(),
        };
        name = usable_constant(&name);
        while constants.contains(&name) || ["name", "is_known"].contains(&name.as_str()) {
            name.push('_');
        }
        constants.push(name);
    }
    constants.iter().map(|name| ident(name)).collect()
}

/// rustc 1.85 parses `const r#move` and `const r#static` as the start of a closure.
fn usable_constant(name: &str) -> String {
    if matches!(name, "move" | "static") { format!("{name}_") } else { usable(name) }
}

#[cfg(test)]
mod tests {
    use super::constants;
    use crate::plan::{Enum, EnumValue, FileId};

    fn constants_of(enum_name: &str, values: &[&str]) -> Vec<String> {
        let value =
            |name: &&str| EnumValue { name: name.to_string(), number: 0, deprecated: false, doc: String::new() };
        let e = Enum {
            name: enum_name.into(),
            short_name: enum_name.into(),
            file: FileId(0),
            parent: None,
            closed: false,
            values: values.iter().map(value).collect(),
            deprecated: false,
            doc: String::new(),
            line: None,
        };
        constants(&e).iter().map(|i| i.to_string()).collect()
    }

    #[test]
    fn the_name_of_the_enum_is_left_out_where_a_name_remains() {
        assert_eq!(
            constants_of("MetricType", &["METRIC_TYPE_UNKNOWN", "METRIC_TYPE_1", "COUNTER"]),
            ["UNKNOWN", "METRIC_TYPE_1", "COUNTER"]
        );
        assert_eq!(
            constants_of("Enum", &["A", "ENUM_A", "name", "type", "Self", "static", "static_"]),
            ["A", "ENUM_A", "name_", "r#type", "Self_", "static_", "static__"]
        );
    }
}
