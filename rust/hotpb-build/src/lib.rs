//! Generates hotpb's Rust code in `build.rs`.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), hotpb_build::Error> {
//!     hotpb_build::Config::new().faces(["pool", "writer"]).compile(&["proto/event.proto"], &["proto"])
//! }
//! ```
//!
//! Where you want the code, write `pub mod proto { hotpb::include_generated!(); }`. The package `demo` of `event.proto`
//! becomes the module `demo` in it: `proto::demo::EventPool::new()`. `rust/README.md` has the complete example, which
//! is compiled and run.
//!
//! ```toml
//! [dependencies]
//! hotpb = "0.1"
//! [build-dependencies]
//! hotpb-build = "0.1"
//! ```
//!
//! # How .proto files are read
//!
//! The first of these that is available. The code is the same in all cases, byte for byte, and the same as the
//! plugin's:
//!
//! 1. [`Config::descriptor_set`]: a file written by `protoc --include_imports --include_source_info
//! --descriptor_set_out=…`; nothing else is needed;
//! 2. [`Config::protoc`], or the environment variable `PROTOC`: this protoc runs;
//! 3. protox, a compiler in Rust that comes with the default feature `protox`: proto2 and proto3, but no editions.
//!
//! # What is generated
//!
//! The code for the given files, and for the imported files whose types they use. Everything in one [`Config::compile`]
//! is one unit: its types refer to each other, to the well-known types in `hotpb::wkt`, and to packages of other crates
//! that [`Config::extern_path`] names. Files are written only when
//! they change, and cargo watches every file that was read.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod folder;
mod names;
mod source;

pub use error::Error;

use hotpb_codegen::{Attribute, Extension, On, Options, Output, analyse, descriptor, generate_with};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Generates the pool face of these files into `OUT_DIR`; the same as [`Config::compile`] without options.
pub fn compile(protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
    Config::new().compile(protos, includes)
}

/// Options of a run. They are the same as the plugin's (`protoc-gen-hotpb-rs --help`).
#[derive(Clone, Debug, Default)]
pub struct Config {
    options: Vec<String>,
    attributes: Vec<(On, String, String)>,
    out_dir: Option<PathBuf>,
    unit: Option<PathBuf>,
    source: source::Settings,
    extensions: Vec<Arc<dyn Extension>>,
    set_path: Option<PathBuf>,
}

impl Config {
    /// Creates the default configuration: the pool face, into `OUT_DIR`.
    pub fn new() -> Config {
        Config::default()
    }

    /// Sets the faces to generate: `pool` (the default), `builder`, `visitor`, `writer`, `view`, `codec`.
    pub fn faces(&mut self, faces: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("faces", faces)
    }

    /// Generates only these messages, by full name, and those that they need.
    pub fn messages(&mut self, messages: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("messages", messages)
    }

    /// Generates only these fields (`package.Message.field`) of the messages that have them.
    pub fn only(&mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("only", fields)
    }

    /// Generates all fields except these (`package.Message.field`).
    pub fn skip(&mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("skip", fields)
    }

    /// Keeps the fields that [`only`](Config::only) and [`skip`](Config::skip) leave out among the unknown fields,
    /// instead of discarding them; so messages can be encoded again.
    pub fn keep_skipped(&mut self) -> &mut Config {
        self.options.push("keep_skipped".into());
        self
    }

    /// Generates straight code for these messages, whatever their size; `*` means all that neither this nor
    /// [`cold`](Config::cold) names.
    pub fn hot(&mut self, messages: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("hot", messages)
    }

    /// Reads and writes these messages by table: a fraction of the code, and slower in programs that use only one type.
    pub fn cold(&mut self, messages: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("cold", messages)
    }

    /// Makes decoders check every string for UTF-8, whatever the schema says.
    pub fn strict_utf8(&mut self) -> &mut Config {
        self.options.push("utf8=strict".into());
        self
    }

    /// Leaves out the note that a file has very many messages, and that [`messages`](Config::messages) selects some.
    pub fn quiet(&mut self) -> &mut Config {
        self.options.push("quiet".into());
        self
    }

    /// Adds the code of another generator, for example the services of `hotpb-tonic-build`.
    pub fn extend(&mut self, extension: impl Extension + 'static) -> &mut Config {
        self.extensions.push(Arc::new(extension));
        self
    }

    /// For the face `codec`: says where prost's code is. The first path is the module that has a module for each
    /// package, as prost-build's `include_file` writes it. Others have a prefix: `.prost(["crate::pb",
    /// ".google.protobuf=crate::wkt"])`, as prost-build's `extern_path` has them.
    pub fn prost(&mut self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("prost", paths)
    }

    /// Uses the code of another crate, or of another unit of this one, for a package and the packages inside it:
    /// `.extern_path(".google.api", "::google_api")`. The path is that of the module that has the package's types; they
    /// must have the same faces. As in prost-build, the package begins with a dot; `.` means all packages that are not
    /// compiled here. Files that you compile explicitly are not affected.
    pub fn extern_path(&mut self, package: impl AsRef<str>, path: impl AsRef<str>) -> &mut Config {
        self.options.push(format!("extern_path={}={}", package.as_ref(), path.as_ref()));
        self
    }

    /// Adds attributes to the builders of messages, to enums, and to the enums of oneofs in builders, as prost-build does to
    /// its types: `.type_attribute(".", "#[derive(serde::Serialize)]")`. A path that begins with a dot means the element
    /// of this full name, and everything inside it (`.` means everything); another path means each element whose full
    /// name ends with it. Handles, views, visitors and writers get none: they refer to memory that is not theirs.
    pub fn type_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Config {
        self.attribute(On::Types, path.as_ref(), attribute.as_ref())
    }

    /// Adds attributes to the builders of messages only.
    pub fn message_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Config {
        self.attribute(On::Messages, path.as_ref(), attribute.as_ref())
    }

    /// Adds attributes to enums and to the enums of oneofs in builders.
    pub fn enum_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Config {
        self.attribute(On::Enums, path.as_ref(), attribute.as_ref())
    }

    /// Adds attributes to fields of builders and to members of oneofs: `.field_attribute("Event.name", "#[…]")`.
    pub fn field_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Config {
        self.attribute(On::Fields, path.as_ref(), attribute.as_ref())
    }

    /// Sets the folder for the code, instead of `OUT_DIR`; `include!` its `hotpb.mod.rs`.
    pub fn out_dir(&mut self, folder: impl Into<PathBuf>) -> &mut Config {
        self.out_dir = Some(folder.into());
        self
    }

    /// Sets a folder inside the output folder, for a `build.rs` that compiles several units: `.unit("name")` here
    /// corresponds to `hotpb::include_generated!("name")` in your code.
    pub fn unit(&mut self, name: impl Into<PathBuf>) -> &mut Config {
        self.unit = Some(name.into());
        self
    }

    /// Reads this file instead of running a compiler: the output of `protoc --include_imports --include_source_info
    /// --descriptor_set_out=FILE`.
    pub fn descriptor_set(&mut self, file: impl Into<PathBuf>) -> &mut Config {
        self.source.descriptor_set = Some(file.into());
        self
    }

    /// Also writes the descriptor set of the files and their imports to this file, for programs that read messages by
    /// their descriptors, such as those with `hotpb-arrow`:
    ///
    /// ```no_run
    /// // build.rs; then include_bytes!(concat!(env!("OUT_DIR"), "/schema.fds"))
    /// let set = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap()).join("schema.fds");
    /// hotpb_build::Config::new().file_descriptor_set_path(set).compile(&["proto/event.proto"], &["proto"]).unwrap();
    /// ```
    pub fn file_descriptor_set_path(&mut self, file: impl Into<PathBuf>) -> &mut Config {
        self.set_path = Some(file.into());
        self
    }

    /// Sets the protoc to run; it takes precedence over the environment variable `PROTOC`.
    pub fn protoc(&mut self, program: impl Into<PathBuf>) -> &mut Config {
        self.source.protoc = Some(program.into());
        self
    }

    /// Adds an argument for protoc, if protoc is run.
    pub fn protoc_arg(&mut self, argument: impl Into<std::ffi::OsString>) -> &mut Config {
        self.source.protoc_args.push(argument.into());
        self
    }

    /// Generates the code for these files. Paths are relative to the folder of `Cargo.toml`. As with protoc, each file
    /// must be in one of the folders `includes`, to which imports are relative; if there are none, that is the folder
    /// of `Cargo.toml`.
    pub fn compile(&self, protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
        let folder = self.folder()?;
        let mut includes: Vec<&Path> = includes.iter().map(AsRef::as_ref).collect();
        if includes.is_empty() {
            includes.push(Path::new("."));
        }
        let protos: Vec<&Path> = protos.iter().map(AsRef::as_ref).collect();
        let names = names::in_includes(&protos, &includes)?;
        let parameter = self.options.join(",");
        let source = source::read(&self.source, &names, &includes, &parameter)?;
        let extensions: Vec<&dyn Extension> = self.extensions.iter().map(|extension| &**extension).collect();
        let output = output(&source.set, names, &parameter, &self.attributes, &extensions)?;
        folder::write(&folder, &output.files)?;
        if let Some(path) = &self.set_path {
            folder::write_file(path, &source.set)?;
        }
        // cargo sets this for build scripts; these lines are only for cargo.
        if std::env::var_os("OUT_DIR").is_some() {
            for name in ["PROTOC", "PROTOC_INCLUDE"] {
                println!("cargo:rerun-if-env-changed={name}");
            }
            for file in &source.files {
                println!("cargo:rerun-if-changed={}", file.display());
            }
            for note in &output.notes {
                println!("cargo:warning=hotpb: {note}");
            }
        }
        Ok(())
    }

    fn attribute(&mut self, on: On, path: &str, attribute: &str) -> &mut Config {
        self.attributes.push((on, path.into(), attribute.into()));
        self
    }

    fn names(&mut self, option: &str, names: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        let names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_string()).collect();
        self.options.push(format!("{option}={}", names.join("+")));
        self
    }

    fn folder(&self) -> Result<PathBuf, Error> {
        let folder = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error::new("OUT_DIR is not set: call this from build.rs, or set a folder with .out_dir(…)")
            })?,
        };
        Ok(self.unit.as_ref().map_or(folder.clone(), |unit| folder.join(unit)))
    }
}

/// Generates the named files, and the imported ones whose types they use.
fn output(
    set: &[u8],
    mut names: Vec<String>,
    parameter: &str,
    attributes: &[(On, String, String)],
    extensions: &[&dyn Extension],
) -> Result<Output, Error> {
    let mut options = Options::parse(parameter).map_err(hotpb_codegen::Error::from)?;
    for (on, path, text) in attributes {
        options.attributes.push(Attribute::new(*on, path, text).map_err(hotpb_codegen::Error::from)?);
    }
    let files = descriptor::read_set(set).map_err(hotpb_codegen::Error::from)?;
    let plan = analyse(&files, &names).map_err(hotpb_codegen::Error::from)?;
    let services = extensions.iter().any(|extension| extension.uses_services());
    names::add_needed(&plan, services, &options.externs, &mut names);
    let plan = analyse(&files, &names).map_err(hotpb_codegen::Error::from)?;
    Ok(generate_with(&plan, &options, extensions)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_descriptor_set_is_written_as_it_was_read_and_not_written_twice() {
        let folder = std::env::temp_dir().join(format!("hotpb-build-{}", std::process::id()));
        let (source, set) =
            (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/plans/raft.fds"), folder.join("a/b.fds"));
        let names: Vec<String> =
            descriptor::read_set(&std::fs::read(&source).unwrap()).unwrap().into_iter().map(|f| f.name).collect();
        let mut config = Config::new();
        config.descriptor_set(&source).out_dir(folder.join("code")).file_descriptor_set_path(&set);
        config.compile(&names, &[] as &[&str]).unwrap();
        assert_eq!(std::fs::read(&set).unwrap(), std::fs::read(&source).unwrap());
        let written = std::fs::metadata(&set).unwrap().modified().unwrap();
        config.compile(&names, &[] as &[&str]).unwrap();
        assert_eq!(std::fs::metadata(&set).unwrap().modified().unwrap(), written);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
