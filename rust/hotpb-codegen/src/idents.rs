//! Identifiers: keywords, case, and names that collide.

use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// Claims `wanted`, followed by as many `_` as are needed to make it unique. After several `_` a number follows, so
/// that thousands of names that differ only in case do not cost time or memory in proportion to their square.
pub(crate) fn claim(taken: &mut HashSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_string();
    for _ in 0..8 {
        if taken.insert(name.clone()) {
            return name;
        }
        name.push('_');
    }
    (taken.len()..).map(|n| format!("{name}{n}")).find(|name| taken.insert(name.clone())).unwrap_or_default()
}

/// Returns an identifier; keywords become raw ones.
pub fn ident(name: &str) -> Ident {
    if is_keyword(name) { Ident::new_raw(name, Span::call_site()) } else { Ident::new(name, Span::call_site()) }
}

/// Returns `name`, followed by `_` if it is not a valid identifier, raw or not.
pub(crate) fn usable(name: &str) -> String {
    match name {
        "self" | "Self" | "super" | "crate" | "_" => format!("{name}_"),
        name => name.to_string(),
    }
}

/// Does the same for types: primitive types, and the parameters of generated functions and macros, keep their names,
/// because generated code uses them. Every such parameter begins with `__`.
pub(crate) fn usable_type(name: &str) -> String {
    const USED: [&str; 22] = [
        "__K", "__O", "__OnUse", "__T", "__V", "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128",
        "isize", "str", "u8", "u16", "u32", "u64", "u128", "usize",
    ];
    if USED.contains(&name) { format!("{name}_") } else { usable(name) }
}

fn is_keyword(name: &str) -> bool {
    #[rustfmt::skip]
    const KEYWORDS: [&str; 48] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
        "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
        "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
        "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    ];
    KEYWORDS.contains(&name)
}

/// `fooBar`, `FooBar`, `HTTPFoo` → `foo_bar`, `foo_bar`, `http_foo`; existing underscores remain.
pub fn snake(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut out = String::with_capacity(name.len() + 4);
    for (i, &b) in bytes.iter().enumerate() {
        if b.is_ascii_uppercase() && i > 0 {
            let before = bytes[i - 1];
            let next_is_lower = bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase);
            if before.is_ascii_lowercase() || before.is_ascii_digit() || (before.is_ascii_uppercase() && next_is_lower)
            {
                out.push('_');
            }
        }
        out.push(b.to_ascii_lowercase() as char);
    }
    out
}

/// `foo_bar` → `FooBar`; a `_` before a digit at the start remains.
pub fn upper_camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for part in name.split('_').filter(|p| !p.is_empty()) {
        let (first, rest) = part.split_at(1);
        out.push_str(&first.to_ascii_uppercase());
        out.push_str(rest);
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_case_as_rust_has_them() {
        for (name, expected) in [
            ("foo_bar", "foo_bar"),
            ("fooBar", "foo_bar"),
            ("FOO_BAR", "foo_bar"),
            ("HTTPServer2URL", "http_server2_url"),
            ("__init__", "__init__"),
            ("_", "_"),
        ] {
            assert_eq!(snake(name), expected);
        }
        for (name, expected) in [("foo_bar", "FooBar"), ("_oneof", "Oneof"), ("_1", "_1"), ("__", "_"), ("X", "X")] {
            assert_eq!(upper_camel(name), expected);
        }
    }

    #[test]
    fn every_name_can_be_an_identifier() {
        for name in ["self", "Self", "super", "crate", "_", "type", "gen", "try", "u32", "async", "union"] {
            assert!(
                syn::parse_str::<Ident>(&ident(&usable(name)).to_string()).is_ok()
                    || ident(&usable(name)).to_string().starts_with("r#"),
                "{name}"
            );
        }
    }

    #[test]
    fn types_give_way_to_parameters_of_generated_code() {
        for name in ["__K", "__O", "__OnUse", "__T", "__V"] {
            assert_eq!(usable_type(name), format!("{name}_"));
        }
        for name in ["K", "O", "OnUse", "T", "V"] {
            assert_eq!(usable_type(name), name);
        }
    }

    #[test]
    fn a_taken_name_gets_underscores_and_at_last_a_number() {
        let mut taken = HashSet::new();
        let names: Vec<_> = (0..10).map(|_| claim(&mut taken, "x")).collect();
        assert_eq!(names[..3], ["x", "x_", "x__"]);
        assert_eq!(names[8..], ["x________8", "x________9"]);
    }
}
