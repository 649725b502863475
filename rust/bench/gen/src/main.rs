//! Regenerates the rivals' code from `proto/prometheus`: `gen.sh` calls it with the root of the repository and a
//! descriptor set made by the pinned protoc.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(root), Some(descriptor_set)) = (args.next(), args.next()) else {
        return Err("usage: hotpb-bench-gen ROOT DESCRIPTOR_SET".into());
    };
    let out = root.join("rust/bench/src/rw1/generated");
    prost(&descriptor_set, &out.join("prost"))?;
    buffa(&descriptor_set, &out.join("buffa"))?;
    quick_protobuf(&root, &out.join("quick_protobuf"))
}

fn fresh(out: &Path) -> std::io::Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)
}

fn prost(descriptor_set: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    fresh(out)?;
    let set = prost_types::FileDescriptorSet::decode(&*fs::read(descriptor_set)?)?;
    prost_build::Config::new().out_dir(out).compile_fds(set)?;
    Ok(())
}

fn buffa(descriptor_set: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    fresh(out)?;
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
fn quick_protobuf(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    fresh(out)?;
    let protos = root.join("proto/prometheus");
    let mut joined = fs::read_to_string(protos.join("types.proto"))?;
    for line in fs::read_to_string(protos.join("remote.proto"))?.lines() {
        if !["syntax", "package", "import"].iter().any(|word| line.starts_with(word)) {
            joined.push_str(line);
            joined.push('\n');
        }
    }
    let scratch = root.join("build/bench/quick_protobuf");
    fresh(&scratch)?;
    let file = scratch.join("prometheus.proto");
    fs::write(&file, joined)?;
    let config = pb_rs::ConfigBuilder::new(&[file], None, Some(&out.to_path_buf()), &[scratch])?;
    pb_rs::types::FileDescriptor::run(&config.build())?;
    Ok(())
}
