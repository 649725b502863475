//! Generates the rivals' code: `testgen.sh` calls it once per rival and set of schemas.
//!
//!     hotpb-bench-gen prost|buffa|buffa-lazy DESCRIPTOR_SET OUT
//!     hotpb-bench-gen quick-protobuf PROTO_FOLDER OUT FILE...
//!     hotpb-bench-gen rust-protobuf PROTO_ROOT OUT FILE...

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(rival), Some(from), Some(out)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: hotpb-bench-gen RIVAL FROM OUT [FILE...]".into());
    };
    let (from, out, files) = (PathBuf::from(from), PathBuf::from(out), args.collect::<Vec<_>>());
    fresh(&out)?;
    match rival.to_str() {
        Some("prost") => prost(&from, &out),
        Some("buffa") => buffa(&from, &out, false),
        Some("buffa-lazy") => buffa(&from, &out, true),
        Some("quick-protobuf") => quick_protobuf(&from, &out, &files),
        Some("rust-protobuf") => rust_protobuf(&from, &out, &files),
        _ => Err(format!("no rival {rival:?}").into()),
    }
}

fn fresh(out: &Path) -> std::io::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)
}

fn read(descriptor_set: &Path) -> Result<prost_types::FileDescriptorSet, Box<dyn Error>> {
    Ok(prost_types::FileDescriptorSet::decode(&*fs::read(descriptor_set)?)?)
}

fn prost(descriptor_set: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut config = prost_build::Config::new();
    config.out_dir(out).compile_well_known_types().compile_fds(read(descriptor_set)?)?;
    Ok(())
}

fn buffa(descriptor_set: &Path, out: &Path, lazy: bool) -> Result<(), Box<dyn Error>> {
    let files: Vec<_> = read(descriptor_set)?.file.into_iter().filter_map(|file| file.name).collect();
    buffa_build::Config::new()
        .descriptor_set(descriptor_set)
        .files(&files)
        .out_dir(out)
        .lazy_views(lazy)
        .include_file("mod.rs")
        .compile()?;
    Ok(())
}

/// pb-rs writes one file per package, and the second .proto of a package overwrites the first: so it gets them as one.
fn quick_protobuf(protos: &Path, out: &Path, files: &[OsString]) -> Result<(), Box<dyn Error>> {
    let mut joined = String::new();
    for (at, file) in files.iter().enumerate() {
        for line in fs::read_to_string(protos.join(file))?.lines() {
            if at == 0 || !["syntax", "package", "import"].iter().any(|word| line.starts_with(word)) {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    let scratch = std::env::temp_dir().join(format!("hotpb-bench-gen-{}", std::process::id()));
    fresh(&scratch)?;
    let file = scratch.join("joined.proto");
    fs::write(&file, joined)?;
    let config = pb_rs::ConfigBuilder::new(&[file], None, Some(&out.to_path_buf()), std::slice::from_ref(&scratch))?;
    pb_rs::types::FileDescriptor::run(&config.build())?;
    fs::remove_dir_all(scratch)?;
    Ok(())
}

fn rust_protobuf(root: &Path, out: &Path, files: &[OsString]) -> Result<(), Box<dyn Error>> {
    protobuf_codegen::Codegen::new()
        .pure()
        .include(root)
        .inputs(files.iter().map(|file| root.join(file)))
        .out_dir(out)
        .run()?;
    Ok(())
}
