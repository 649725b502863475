//! Generates tonic's clients and servers in `build.rs`, with hotpb's messages.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), hotpb_build::Error> {
//!     hotpb_build::Config::new()
//!         .faces(["pool", "builder"])
//!         .extend(hotpb_tonic_build::Services::new())
//!         .compile(&["proto/greeter.proto"], &["proto"])
//! }
//! ```
//!
//! The code is in the module of the package, beside the messages: `greeter_client::GreeterClient` and
//! `greeter_server::{Greeter, GreeterServer}`, as tonic-build names them. A method receives
//! `hotpb_tonic::Incoming![Foo]` and sends `hotpb_tonic::Outgoing![Foo]`; streams are tonic's. Types from
//! other files and the well-known types (`google.protobuf.Empty`) are requests and responses like any other.
//!
//! ```toml
//! [dependencies]
//! hotpb = { version = "0.1", features = ["std", "bytes"] }
//! hotpb-tonic = "0.1"
//! tonic = "0.14"
//! [build-dependencies]
//! hotpb-build = "0.1"
//! hotpb-tonic-build = "0.1"
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod service;

use hotpb_codegen::names::{upper_camel, usable};
use hotpb_codegen::plan::{FileId, Service};
use hotpb_codegen::{Error, Extension, SchemaError, Unit};
use proc_macro2::TokenStream;
use service::{Described, Role};
use std::collections::HashSet;
pub use tonic_build::Attributes;

/// The services of the files, for `hotpb_build::Config::with`.
#[derive(Clone, Debug)]
pub struct Services {
    client: bool,
    server: bool,
    transport: bool,
    default_stubs: bool,
    codec: String,
    attributes: [Attributes; 2],
}

impl Default for Services {
    fn default() -> Services {
        Services::new()
    }
}

impl Services {
    /// Generates clients and servers for all services of the files.
    pub fn new() -> Services {
        Services {
            client: true,
            server: true,
            transport: true,
            default_stubs: false,
            codec: "::hotpb_tonic::HotCodec".into(),
            attributes: Default::default(),
        }
    }

    /// Sets whether clients are generated.
    pub fn client(mut self, generate: bool) -> Services {
        self.client = generate;
        self
    }

    /// Sets whether servers are generated.
    pub fn server(mut self, generate: bool) -> Services {
        self.server = generate;
        self
    }

    /// Sets whether clients have `connect`, which needs tonic's feature `transport`.
    pub fn transport(mut self, generate: bool) -> Services {
        self.transport = generate;
        self
    }

    /// Sets whether a method that a server does not implement returns the status `Unimplemented`, instead of a compile
    /// error.
    pub fn default_stubs(mut self, generate: bool) -> Services {
        self.default_stubs = generate;
        self
    }

    /// Sets the path of the codec, a type with two parameters: the message that is sent, and the one that is received. It
    /// implements `Default` and tonic's `Codec`, as `hotpb_tonic::HotCodec` does.
    pub fn codec(mut self, path: impl Into<String>) -> Services {
        self.codec = path.into();
        self
    }

    /// Adds attributes to the modules and structs of clients.
    pub fn client_attributes(mut self, attributes: Attributes) -> Services {
        self.attributes[0] = attributes;
        self
    }

    /// Adds attributes to the modules, structs and traits of servers.
    pub fn server_attributes(mut self, attributes: Attributes) -> Services {
        self.attributes[1] = attributes;
        self
    }

    /// Returns the client and the server of a service, whose modules must have names that `taken` does not contain.
    fn service(&self, unit: &Unit<'_>, service: &Service, used: &mut HashSet<String>) -> Result<TokenStream, Error> {
        if let Some(fault) = &service.fault {
            return Err(fault.clone().into());
        }
        for method in &service.methods {
            if let Some(&message) = [&method.input, &method.output].into_iter().find(|&&message| !unit.has(message)) {
                return Err(SchemaError {
                    file: unit.plan[service.file].name.clone(),
                    element: format!("{}.{}", service.name, method.name),
                    problem: format!("its message {} is not generated", unit.plan[message].name),
                    fix: "name the message in messages(), or leave messages() out".into(),
                    ..SchemaError::default()
                }
                .into());
            }
        }
        let mut builder = tonic_build::CodeGenBuilder::new();
        builder.emit_package(true).build_transport(self.transport).generate_default_stubs(self.default_stubs);
        let name = service::name(&usable(&upper_camel(&service.short_name)), used);
        let mut tokens = TokenStream::new();
        if self.client {
            let described = Described::new(unit, service, &name, &self.codec, Role::Client);
            tokens.extend(builder.attributes(self.attributes[0].clone()).generate_client(&described, ""));
        }
        if self.server {
            let described = Described::new(unit, service, &name, &self.codec, Role::Server);
            tokens.extend(builder.attributes(self.attributes[1].clone()).generate_server(&described, ""));
        }
        Ok(tokens)
    }
}

impl Extension for Services {
    fn uses_services(&self) -> bool {
        true
    }

    fn items(&self, unit: &Unit<'_>, file: FileId) -> Result<TokenStream, Error> {
        if syn::parse_str::<syn::Path>(&self.codec).is_err() {
            let problem = format!("{:?} is not the path of a type", self.codec);
            let fix = "write it as in Rust, without parameters: crate::MyCodec".into();
            return Err(SchemaError { problem, fix, ..SchemaError::default() }.into());
        }
        let module = unit.module(file);
        let mut used = unit.modules_in(module);
        let mut items = TokenStream::new();
        for service in unit.plan.services.iter().filter(|service| unit.module(service.file) == module) {
            let code = self.service(unit, service, &mut used);
            // The services of other files in this package claim their names, too, in the same order for each file.
            if service.file == file {
                items.extend(code?);
            }
        }
        Ok(items)
    }
}
