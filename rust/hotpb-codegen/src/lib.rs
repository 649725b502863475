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
pub mod names;
pub mod plan;

mod attributes;
mod error;
mod extension;
mod externs;
mod faces;
mod options;
mod plugin;
mod print;
mod registry;
mod scaffold;
mod selection;
mod shipped;

pub use attributes::{Attribute, On};
pub use error::{Error, OptionError, SchemaError};
pub use extension::{Extension, Unit};
pub use externs::{ExternPath, is_elsewhere};
pub use options::Options;
pub use plan::analyse;
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
