//! Identifiers: keywords, case, and names that collide.

use heck::{ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// Claims `wanted`, followed by as many `_` as are needed to make it unique. After several `_` a number follows, so
/// that thousands of names that differ only in case do not cost time or memory in proportion to their square.
pub(crate) fn claim(used: &mut HashSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_string();
    for _ in 0..8 {
        if used.insert(name.clone()) {
            return name;
        }
        name.push('_');
    }
    (used.len()..).map(|n| format!("{name}{n}")).find(|name| used.insert(name.clone())).unwrap_or_default()
}

/// Returns an identifier; keywords become raw ones.
pub fn ident(name: &str) -> Ident {
    if is_keyword(name) { Ident::new_raw(name, Span::call_site()) } else { Ident::new(name, Span::call_site()) }
}

/// Returns `name`, followed by `_` if it is not a valid identifier, raw or not.
pub fn usable(name: &str) -> String {
    match name {
        "self" | "Self" | "super" | "extern" | "crate" | "_" => format!("{name}_"),
        name => name.to_string(),
    }
}

/// Does the same for modules, which would hide a primitive type of the same name.
pub(crate) fn usable_module(name: &str) -> String {
    const PRIMITIVE: [&str; 17] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    if PRIMITIVE.contains(&name) { format!("{name}_") } else { usable(name) }
}

fn is_keyword(name: &str) -> bool {
    #[rustfmt::skip]
    const KEYWORDS: [&str; 47] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
        "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
        "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
        "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    ];
    KEYWORDS.contains(&name)
}

/// `fooBar`, `FooBar`, `HTTPFoo` → `foo_bar`, `foo_bar`, `http_foo`, as prost-build has it: underscores at the ends are
/// left out, and several are one.
pub fn snake(name: &str) -> String {
    identifier(name.to_snake_case())
}

/// `foo_bar`, `HTTPFoo` → `FooBar`, `HttpFoo`, as prost-build has it.
pub fn upper_camel(name: &str) -> String {
    identifier(name.to_upper_camel_case())
}

/// Adds a `_` before a digit, and returns `_` when no word remains.
fn identifier(mut name: String) -> String {
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_case_as_prost_build_has_them() {
        for (name, of_field, of_type) in [
            ("foo_bar", "foo_bar", "FooBar"),
            ("fooBar", "foo_bar", "FooBar"),
            ("FOO_BAR", "foo_bar", "FooBar"),
            ("HTTPServer2URL", "http_server2_url", "HttpServer2Url"),
            ("__init__", "init", "Init"),
            ("a__b", "a_b", "AB"),
            ("_1", "_1", "_1"),
            ("__", "_", "_"),
        ] {
            assert_eq!((snake(name).as_str(), upper_camel(name).as_str()), (of_field, of_type));
        }
    }

    #[test]
    fn every_name_can_be_an_identifier() {
        for name in ["self", "Self", "super", "crate", "extern", "_", "type", "gen", "try", "u32", "async", "union"] {
            assert!(
                syn::parse_str::<Ident>(&ident(&usable(name)).to_string()).is_ok()
                    || ident(&usable(name)).to_string().starts_with("r#"),
                "{name}"
            );
        }
    }

    #[test]
    fn modules_give_way_to_primitive_types() {
        assert_eq!((usable_module("u32"), usable_module("u33")), ("u32_".into(), "u33".into()));
    }

    #[test]
    fn a_taken_name_gets_underscores_and_at_last_a_number() {
        let mut used = HashSet::new();
        let names: Vec<_> = (0..10).map(|_| claim(&mut used, "x")).collect();
        assert_eq!(names[..3], ["x", "x_", "x__"]);
        assert_eq!(names[8..], ["x________8", "x________9"]);
    }
}
