//! Services as tonic-build reads them, and their names.

use hotpb_codegen::names::{ident, snake, usable};
use hotpb_codegen::plan::Service;
use hotpb_codegen::{Unit, docs};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;

/// The methods that every client of tonic-build has, beside those of the service.
const OF_CLIENTS: [&str; 8] = [
    "accept_compressed",
    "connect",
    "max_decoding_message_size",
    "max_encoding_message_size",
    "new",
    "send_compressed",
    "with_interceptor",
    "with_origin",
];

/// The side that code is generated for: what one side sends, the other receives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

/// A service with the names and types of one side.
pub(crate) struct Described {
    name: String,
    identifier: String,
    package: String,
    comment: Vec<String>,
    methods: Vec<Method>,
}

pub(crate) struct Method {
    name: String,
    identifier: String,
    codec: String,
    client_streaming: bool,
    server_streaming: bool,
    deprecated: bool,
    comment: Vec<String>,
    types: (TokenStream, TokenStream),
}

impl Described {
    pub(crate) fn new(unit: &Unit<'_>, service: &Service, name: &str, codec: &str, role: Role) -> Described {
        // The code is in a module inside that of the package.
        let from = unit.module(service.file).child("");
        let mut used: HashSet<String> = OF_CLIENTS.iter().map(|&name| name.into()).collect();
        let methods = service.methods.iter().map(|method| {
            let (request, response) = (unit.handle(&from, method.input), unit.handle(&from, method.output));
            let received = |message: TokenStream| quote!(::hotpb_tonic::Incoming<for<'a> fn(&'a ()) -> #message<'a>>);
            let sent = |message: TokenStream| quote!(::hotpb_tonic::Outgoing<for<'a> fn(&'a ()) -> #message<'a>>);
            Method {
                name: claim(&mut used, ident(&usable(&snake(&method.name))).to_string()),
                identifier: method.name.clone(),
                codec: codec.into(),
                client_streaming: method.client_streaming,
                server_streaming: method.server_streaming,
                deprecated: method.deprecated,
                comment: docs::lines(&method.doc),
                types: match role {
                    Role::Client => (sent(request), received(response)),
                    Role::Server => (received(request), sent(response)),
                },
            }
        });
        Described {
            name: name.into(),
            identifier: service.short_name.clone(),
            package: unit.plan[service.file].package.clone(),
            comment: docs::lines(&service.doc),
            methods: methods.collect(),
        }
    }
}

/// Returns the name of a service's types, from which tonic-build also makes the names of its modules: neither of these is
/// taken, and they are then.
pub(crate) fn name(wanted: &str, used: &mut HashSet<String>) -> String {
    let mut name = wanted.to_string();
    loop {
        let modules = ["client", "server"].map(|side| format!("{}_{side}", modules_name(&name)));
        if modules.iter().all(|module| !used.contains(module)) {
            used.extend(modules);
            return name;
        }
        name.push('_');
    }
}

/// Returns the snake case of a name as tonic-build writes it.
fn modules_name(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if i > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn claim(used: &mut HashSet<String>, mut name: String) -> String {
    while !used.insert(name.clone()) {
        name.push('_');
    }
    name
}

impl tonic_build::Service for Described {
    type Comment = String;
    type Method = Method;

    fn name(&self) -> &str {
        &self.name
    }
    fn package(&self) -> &str {
        &self.package
    }
    fn identifier(&self) -> &str {
        &self.identifier
    }
    fn methods(&self) -> &[Method] {
        &self.methods
    }
    fn comment(&self) -> &[String] {
        &self.comment
    }
}

impl tonic_build::Method for Method {
    type Comment = String;

    fn name(&self) -> &str {
        &self.name
    }
    fn identifier(&self) -> &str {
        &self.identifier
    }
    fn codec_path(&self) -> &str {
        &self.codec
    }
    fn client_streaming(&self) -> bool {
        self.client_streaming
    }
    fn server_streaming(&self) -> bool {
        self.server_streaming
    }
    fn comment(&self) -> &[String] {
        &self.comment
    }
    fn deprecated(&self) -> bool {
        self.deprecated
    }
    fn request_response_name(&self, _: &str, _: bool) -> (TokenStream, TokenStream) {
        self.types.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_whose_modules_would_collide_gets_another_name() {
        let mut used = HashSet::from(["echo_client".to_string()]);
        assert_eq!(name("Echo", &mut used), "Echo_");
        assert_eq!(name("EchO", &mut used), "EchO");
        assert_eq!(name("echo", &mut used), "echo__");
    }
}
