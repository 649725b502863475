//! Regenerates the rivals' code: `gen.sh` calls it once per rival.
//!
//!     hotpb-bench-gen prost|buffa DESCRIPTOR_SET OUT
//!     hotpb-bench-gen quick-protobuf PROTO_FOLDER OUT

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(rival), Some(from), Some(out)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: hotpb-bench-gen RIVAL FROM OUT".into());
    };
    let (from, out) = (PathBuf::from(from), PathBuf::from(out));
    fresh(&out)?;
    match rival.to_str() {
        Some("prost") => prost(&from, &out),
        Some("buffa") => buffa(&from, &out),
        Some("quick-protobuf") => quick_protobuf(&from, &out),
        _ => Err(format!("no rival {rival:?}").into()),
    }
}

fn fresh(out: &Path) -> std::io::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)
}

fn prost(descriptor_set: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let set = prost_types::FileDescriptorSet::decode(&*fs::read(descriptor_set)?)?;
    prost_build::Config::new().out_dir(out).compile_fds(set)?;
    Ok(())
}

fn buffa(descriptor_set: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    buffa_build::Config::new()
        .descriptor_set(descriptor_set)
        .files(&["prometheus/types.proto", "prometheus/remote.proto"])
        .out_dir(out)
        .lazy_views(true)
        .include_file("mod.rs")
        .compile()?;
    Ok(())
}

/// pb-rs writes one file per package and lets the second .proto of a package overwrite the first: it gets both as one.
fn quick_protobuf(protos: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut joined = fs::read_to_string(protos.join("types.proto"))?;
    for line in fs::read_to_string(protos.join("remote.proto"))?.lines() {
        if !["syntax", "package", "import"].iter().any(|word| line.starts_with(word)) {
            joined.push_str(line);
            joined.push('\n');
        }
    }
    let scratch = std::env::temp_dir().join(format!("hotpb-bench-gen-{}", std::process::id()));
    fresh(&scratch)?;
    let file = scratch.join("prometheus.proto");
    fs::write(&file, joined)?;
    let config = pb_rs::ConfigBuilder::new(&[file], None, Some(&out.to_path_buf()), std::slice::from_ref(&scratch))?;
    pb_rs::types::FileDescriptor::run(&config.build())?;
    fs::remove_dir_all(scratch)?;
    Ok(())
}
