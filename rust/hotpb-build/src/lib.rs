//! Generates hotpb's Rust code in `build.rs`.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), hotpb_build::Error> {
//!     hotpb_build::Config::new().faces(["pool", "writer"]).compile(&["proto/event.proto"], &["proto"])
//! }
//! ```
//!
//! and where the code shall be, `pub mod proto { hotpb::include_generated!(); }`. What package `demo` of `event.proto`
//! becomes, is module `demo` in it: `proto::demo::EventPool::new()`. `rust/README.md` has the whole, compiled and run.
//!
//! ```toml
//! [dependencies]
//! hotpb = "0.1"
//! [build-dependencies]
//! hotpb-build = "0.1"
//! ```
//!
//! # Who reads the .proto files
//!
//! The first of these that there is; the code is the same, byte for byte, and the same as that of the plugin:
//!
//! 1. [`Config::descriptor_set`]: the file that `protoc --include_imports --include_source_info --descriptor_set_out=…`
//!    wrote; nothing else is needed;
//! 2. [`Config::protoc`], or the environment variable `PROTOC`: that protoc;
//! 3. protox, a compiler in Rust that comes with the default feature `protox`: proto2 and proto3, no editions.
//!
//! # What is generated
//!
//! The code for the files given, and for those imported files whose types they use. All of one [`Config::compile`]
//! is one unit: types refer to each other inside of it, or to the well-known types in `hotpb::wkt`. Files are written
//! only when they change, and cargo is told of every file that was read.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod folder;
mod names;
mod source;

pub use error::Error;

use hotpb_codegen::{Options, Output, analyse, descriptor, generate};
use std::path::{Path, PathBuf};

/// Generates the pool face of these files into `OUT_DIR`: [`Config::compile`] with nothing set.
pub fn compile(protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
    Config::new().compile(protos, includes)
}

/// What to generate, and how. The options are those of the plugin (`protoc-gen-hotpb-rs --help`).
#[derive(Clone, Debug, Default)]
pub struct Config {
    options: Vec<String>,
    out_dir: Option<PathBuf>,
    unit: Option<PathBuf>,
    source: source::Settings,
}

impl Config {
    /// The pool face, into `OUT_DIR`.
    pub fn new() -> Config {
        Config::default()
    }

    /// The faces to generate: `pool` (the default), `builder`, `visitor`, `writer`.
    pub fn faces(&mut self, faces: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("faces", faces)
    }

    /// Only these messages, by full name, and those that they need.
    pub fn messages(&mut self, messages: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("messages", messages)
    }

    /// Of the messages that these fields (`package.Message.field`) are of, only these.
    pub fn only(&mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("only", fields)
    }

    /// All fields but these (`package.Message.field`).
    pub fn skip(&mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("skip", fields)
    }

    /// What [`only`](Config::only) and [`skip`](Config::skip) leave out stays among the unknown fields, instead of
    /// being dropped; messages can be encoded again then.
    pub fn keep_skipped(&mut self) -> &mut Config {
        self.options.push("keep_skipped".into());
        self
    }

    /// Straight code for these messages, whatever their size; `*` stands for all that neither this nor [`cold`](Config::cold) names.
    pub fn hot(&mut self, messages: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("hot", messages)
    }

    /// These messages by table: a fraction of the code, and slower where one type is all there is.
    pub fn cold(&mut self, messages: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        self.names("cold", messages)
    }

    /// Decoders check every string for UTF-8, whatever the schema says.
    pub fn strict_utf8(&mut self) -> &mut Config {
        self.options.push("utf8=strict".into());
        self
    }

    /// The folder for the code, instead of `OUT_DIR`; `include!` its `hotpb.mod.rs`.
    pub fn out_dir(&mut self, folder: impl Into<PathBuf>) -> &mut Config {
        self.out_dir = Some(folder.into());
        self
    }

    /// A folder of its own in the output folder, where one `build.rs` compiles several units: `.unit("name")` here is
    /// `hotpb::include_generated!("name")` there.
    pub fn unit(&mut self, name: impl Into<PathBuf>) -> &mut Config {
        self.unit = Some(name.into());
        self
    }

    /// Reads this file instead of running a compiler: what `protoc --include_imports --include_source_info
    /// --descriptor_set_out=FILE` wrote.
    pub fn descriptor_set(&mut self, file: impl Into<PathBuf>) -> &mut Config {
        self.source.descriptor_set = Some(file.into());
        self
    }

    /// The protoc to run; goes before the environment variable `PROTOC`.
    pub fn protoc(&mut self, program: impl Into<PathBuf>) -> &mut Config {
        self.source.protoc = Some(program.into());
        self
    }

    /// One more argument for protoc, where it is run.
    pub fn protoc_arg(&mut self, argument: impl Into<std::ffi::OsString>) -> &mut Config {
        self.source.protoc_args.push(argument.into());
        self
    }

    /// Generates the code for these files. Paths are relative to the folder of `Cargo.toml`; as with protoc, each file
    /// lies in one of the folders `includes` (none: the folder of `Cargo.toml`), which imports start from.
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
        let output = output(&source.set, names, &parameter)?;
        folder::write(&folder, &output.files)?;
        // cargo sets this for build scripts; nobody else wants to read these lines.
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

    fn names(&mut self, option: &str, names: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Config {
        let names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_string()).collect();
        self.options.push(format!("{option}={}", names.join("+")));
        self
    }

    fn folder(&self) -> Result<PathBuf, Error> {
        let folder = match &self.out_dir {
            Some(folder) => folder.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error::new("OUT_DIR is not set: call this from build.rs, or name a folder with .out_dir(…)")
            })?,
        };
        Ok(self.unit.as_ref().map_or(folder.clone(), |unit| folder.join(unit)))
    }
}

/// Generates the files named, and the imported ones that they take types from.
fn output(set: &[u8], mut names: Vec<String>, parameter: &str) -> Result<Output, Error> {
    let options = Options::parse(parameter).map_err(hotpb_codegen::Error::from)?;
    let files = descriptor::read_set(set).map_err(hotpb_codegen::Error::from)?;
    let plan = analyse(&files, &names).map_err(hotpb_codegen::Error::from)?;
    names::add_needed(&plan, &mut names);
    let plan = analyse(&files, &names).map_err(hotpb_codegen::Error::from)?;
    Ok(generate(&plan, &options)?)
}
