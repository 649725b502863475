//! Generates hotpb's Rust faces: [`descriptor`]s → [`plan`] → emit, with one emitter per face.
//!
//! ```no_run
//! let set = std::fs::read("schema.fds")?;
//! let files = hotpb_codegen::descriptor::read_set(&set).map_err(hotpb_codegen::Error::from)?;
//! let plan = hotpb_codegen::analyse(&files, &[]).map_err(hotpb_codegen::Error::from)?;
//! let output = hotpb_codegen::generate(&plan, &hotpb_codegen::Options::parse("faces=pool").map_err(hotpb_codegen::Error::from)?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod descriptor;
pub mod docs;
pub mod emit;
mod emit_build;
pub mod names;
pub mod plan;

mod analyse;
mod attributes;
mod defaults;
mod emit_codec;
mod emit_enum;
mod emit_pool;
#[cfg(feature = "testing")]
mod emit_reencode;
#[cfg(feature = "testing")]
mod emit_reencode_view;
#[cfg(feature = "testing")]
mod emit_rewrite;
#[cfg(feature = "testing")]
mod emit_script;
mod emit_view;
mod emit_visit;
mod emit_writer;
mod error;
mod extension;
mod externs;
mod facts;
mod features;
mod fields;
mod graph;
mod idents;
mod options;
mod plan_json;
mod plugin;
mod print;
mod prost_names;
mod scaffold;
mod select;
mod select_fields;
mod services;
mod tier;
mod writer_names;

pub use analyse::analyse;
pub use attributes::{Attribute, On};
pub use error::{Error, OptionError, SchemaError};
pub use extension::{Extension, Unit};
pub use externs::{ExternPath, is_elsewhere};
pub use options::Options;
pub use plugin::{Response, respond};
pub use scaffold::{MOD_FILE, Output, OutputFile};

use plan::{FileId, Plan};

/// Generates the requested files of a plan.
pub fn generate(plan: &Plan, options: &Options) -> Result<Output, Error> {
    generate_with(plan, options, &[])
}

/// The same with the items of extensions.
pub fn generate_with(plan: &Plan, options: &Options, extensions: &[&dyn Extension]) -> Result<Output, Error> {
    let files: Vec<_> = (0..plan.files.len()).map(FileId).filter(|&id| plan[id].requested).collect();
    scaffold::generate(plan, &files, options, extensions)
}

/// Generates all files of a plan except those that ship with the runtime: the default for a descriptor set without a
/// request.
pub fn generate_all(plan: &Plan, options: &Options) -> Result<Output, Error> {
    let wanted = |id: &FileId| plan[*id].requested && !is_elsewhere(plan, *id, &options.externs);
    let files: Vec<_> = (0..plan.files.len()).map(FileId).filter(wanted).collect();
    scaffold::generate(plan, &files, options, &[])
}
