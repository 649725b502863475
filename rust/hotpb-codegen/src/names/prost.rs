//! Where prost's structs are, their fields, and the enums of oneofs: the names are those of [`names`], before names that
//! collide change; the longest prefix among the given paths decides where a type is.

use crate::names;
use crate::names::idents::{ident, snake, upper_camel, usable};
use crate::plan::{Message, MessageId, Plan};
use proc_macro2::TokenStream;

/// The name of a field, of the module of a package, or of the module of a message's nested types.
pub(crate) fn to_snake(name: &str) -> String {
    ident(&usable(&snake(name))).to_string()
}

/// The name of a struct, of a oneof's enum, or of a variant.
pub(crate) fn to_upper_camel(name: &str) -> String {
    usable(&upper_camel(name))
}

/// Where prost's types are: `prost=crate::pb+.google.protobuf=crate::wkt`.
pub(crate) struct Paths<'o> {
    /// The module that has a module for each package.
    root: &'o str,
    /// Prefixes of full names, with a leading dot, and the paths of their types.
    prefixes: Vec<(&'o str, &'o str)>,
}

/// A message in Rust.
pub(crate) enum Place {
    /// A struct, by its path.
    Struct(String),
    /// A type that is no struct: the kind of the runtime for it.
    Native(TokenStream),
}

impl<'o> Paths<'o> {
    /// Reads the entries of the option; otherwise returns the problem.
    pub(crate) fn parse(entries: &'o [String]) -> Result<Paths<'o>, String> {
        let mut paths = Paths { root: "", prefixes: Vec::new() };
        for entry in entries {
            let (prefix, path) = entry.split_once('=').unwrap_or(("", entry));
            if syn::parse_str::<syn::Path>(path).is_err() {
                return Err(format!("{path:?} is not a path, such as crate::pb"));
            }
            match prefix.strip_prefix('.') {
                None if prefix.is_empty() && paths.root.is_empty() => paths.root = path,
                None if prefix.is_empty() => return Err("it has two paths without a prefix".into()),
                Some(name) if !name.is_empty() => paths.prefixes.push((prefix, path)),
                _ => return Err(format!("the prefix {prefix:?} must begin with a dot, as in .pkg=crate::pkg")),
            }
        }
        if paths.root.is_empty() {
            return Err("the module with prost's code is missing: write it first, as in prost=crate::pb, in build.rs .prost([\"crate::pb\"])".into());
        }
        Ok(paths)
    }

    /// Returns the place of a message.
    pub(crate) fn place(&self, plan: &Plan, id: MessageId) -> Place {
        let full = format!(".{}", plan[id].name);
        let prefixes = || full.rmatch_indices('.').map(|(at, _)| &full[..at]).filter(|prefix| !prefix.is_empty());
        let given = |prefix: &str| self.prefixes.iter().find(|(known, _)| *known == prefix).map(|(_, path)| *path);
        if let Some(path) = given(&full) {
            return Place::Struct(path.to_string());
        }
        for prefix in prefixes() {
            if let Some(path) = given(prefix) {
                return Place::Struct(below(path, &full[prefix.len() + 1..]));
            }
            if prefix == ".google.protobuf" {
                let name = &full[prefix.len() + 1..];
                return native(name).map_or_else(|| Place::Struct(below("::prost_types", name)), Place::Native);
            }
        }
        Place::Struct(below(self.root, &full[1..]))
    }

    /// Reports whether a message is one of prost-types, and not of a path that was given.
    pub(crate) fn is_prost_types(&self, plan: &Plan, id: MessageId) -> bool {
        matches!(self.place(plan, id), Place::Struct(path) if path.starts_with("::prost_types::"))
    }
}

/// Returns the path of `name` in a module: `a.Outer.Inner` is `a::outer::Inner`.
fn below(module: &str, name: &str) -> String {
    let mut parts: Vec<&str> = name.split('.').collect();
    let ty = parts.pop().map(to_upper_camel).unwrap_or_default();
    let mut path = module.to_string();
    for part in parts {
        path = path + "::" + &to_snake(part);
    }
    path + "::" + &ty
}

/// Returns the kind of a well-known type for which prost has no struct.
fn native(name: &str) -> Option<TokenStream> {
    let kind = match name {
        "BoolValue" => "Wrapper<Bool>",
        "BytesValue" => "Wrapper<Bytes>",
        "DoubleValue" => "Wrapper<Double>",
        "FloatValue" => "Wrapper<Float>",
        "Int32Value" => "Wrapper<Int32>",
        "Int64Value" => "Wrapper<Int64>",
        "StringValue" => "Wrapper<Utf8>",
        "UInt32Value" => "Wrapper<Uint32>",
        "UInt64Value" => "Wrapper<Uint64>",
        "Empty" => "Empty",
        _ => return None,
    };
    kind.parse().ok()
}

/// Returns the path of the enum of a oneof. `of` is the path of its message.
pub(crate) fn oneof_enum(plan: &Plan, message: &Message, path: &str, oneof: usize) -> String {
    let module = path.rsplit_once("::").map_or("", |(module, _)| module);
    let name = usable(&names::oneof_enum(plan, message, &message.oneofs[oneof].name));
    format!("{module}::{}::{name}", to_snake(&message.short_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_prost_build() {
        for (name, snake, camel) in [
            ("fooBar", "foo_bar", "FooBar"),
            ("HTTPServer2URL", "http_server2_url", "HttpServer2Url"),
            ("type", "r#type", "Type"),
            ("self", "self_", "Self_"),
            ("gen", "r#gen", "Gen"),
            ("_1st", "_1st", "_1st"),
            ("A_B__c", "a_b_c", "ABC"),
        ] {
            assert_eq!((to_snake(name).as_str(), to_upper_camel(name).as_str()), (snake, camel), "{name}");
        }
    }

    #[test]
    fn paths_are_checked() {
        let parse = |value: &str| {
            let entries: Vec<String> = value.split('+').map(str::to_string).collect();
            Paths::parse(&entries).map(|paths| (paths.root.to_string(), paths.prefixes.len()))
        };
        assert_eq!(parse("crate::pb+.a.b=::c::d+.a.b.Foo=x"), Ok(("crate::pb".into(), 2)));
        assert_eq!(parse("crate::"), Err("\"crate::\" is not a path, such as crate::pb".into()));
        assert_eq!(parse("a+b"), Err("it has two paths without a prefix".into()));
        assert_eq!(parse("a+b=c"), Err("the prefix \"b\" must begin with a dot, as in .pkg=crate::pkg".into()));
        assert_eq!(
            parse(".a=b"),
            Err("the module with prost's code is missing: write it first, as in prost=crate::pb, in build.rs .prost([\"crate::pb\"])".into())
        );
    }
}
