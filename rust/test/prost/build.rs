//! Generates prost's structs with prost-build, unchanged, hotpb's codecs for them, and pbjson's JSON.

#[path = "src/spelling.rs"]
mod spelling;

use prost::Message as _;
use prost_types::FileDescriptorSet;
use std::path::PathBuf;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let vectors = ["hotpb/vectors.proto", "hotpb/vectors_proto2.proto"];
    let set = "../../../vectors/plans/vectors.fds";
    generate("plain", &vectors, set, |_| {})?;
    // The other types that prost can have for a map and for bytes, and other boxes: the code of hotpb is the same.
    generate("ordered", &vectors, set, |config| {
        config.btree_map(["."]).bytes(["."]);
        config.boxed(".hotpb.vectors.p3.All.single_child").boxed(".hotpb.vectors.p3.All.kind.oneof_child");
    })?;
    for (name, edition) in [("proto2", 2), ("proto3", 3)] {
        let file = format!("google/protobuf/test_messages_proto{edition}.proto");
        let set = format!("../../../vectors/plans/test_messages_proto{edition}.fds");
        generate(name, &[&file], &set, |config| {
            config.btree_map(["."]);
        })?;
    }
    let others = ["prometheus/remote.proto", "prometheus/types.proto", "bench/otlp_logs.proto"];
    generate("others", &others, &compile("others", &others, "../../../proto")?, |config| {
        config.bytes(["."]);
    })?;
    generate("names", &["names.proto"], &compile("names", &["names.proto"], "proto")?, |_| {})?;
    let spelled = ["hotpb/spelling.proto", "hotpb/spelling_other.proto"];
    generate("spelling", &spelled, &compile("spelling", &spelled, "../../../proto")?, |_| {})?;
    spelling::write(&out()?.join("spelling"))?;
    generate("skipped", &["root.proto"], &compile("skipped", &["root.proto"], "proto")?, |_| {})?;
    generate_at("crate", "at-root", &["root.proto"], &compile("root", &["root.proto"], "proto")?, |_| {})?;
    json("vectors_json", &["hotpb/vectors.proto"], "../../../proto")?;
    json("known_json", &["json.proto"], "proto")
}

/// Generates pbjson's code on prost's structs, with the well-known types of pbjson, and hotpb's pools and builders.
fn json(name: &str, files: &[&str], include: &str) -> Result<()> {
    let set = compile(name, files, include)?;
    let bytes = std::fs::read(&set)?;
    let descriptors = FileDescriptorSet::decode(&*bytes)?;
    let own = descriptors.file.iter().find(|file| file.package() != "google.protobuf").ok_or("no file of our own")?;
    let package = format!(".{}", own.package());
    let out = out()?.join(name);
    let (prost, hotpb) = (out.join("prost"), out.join("hotpb"));
    std::fs::create_dir_all(&prost)?;
    let mut config = prost_build::Config::new();
    config.extern_path(".google.protobuf", "::pbjson_types").compile_well_known_types().out_dir(&prost);
    config.compile_fds(descriptors)?;
    let mut builder = pbjson_build::Builder::new();
    builder.register_descriptors(&bytes)?.extern_path(".google.protobuf", "::pbjson_types").out_dir(&prost);
    builder.build(&[&package])?;
    let mut config = hotpb_build::Config::new();
    config.faces(["pool", "builder"]).descriptor_set(set).out_dir(hotpb).compile(files, &[] as &[&str])?;
    Ok(())
}

fn out() -> Result<PathBuf> {
    Ok(std::env::var("OUT_DIR")?.into())
}

/// Compiles files with protox, and returns the name of the descriptor set.
fn compile(name: &str, files: &[&str], include: &str) -> Result<String> {
    let set = out()?.join(name).with_extension("fds");
    let paths = files.iter().map(|file| PathBuf::from(include).join(file));
    for path in paths.clone() {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    std::fs::write(&set, protox::compile(paths, [include])?.encode_to_vec())?;
    Ok(set.to_string_lossy().into_owned())
}

/// Generates the code of prost and of hotpb for these files of a descriptor set, in the folder `name`.
fn generate(name: &str, files: &[&str], set: &str, configure: impl Fn(&mut prost_build::Config)) -> Result<()> {
    generate_at(&format!("crate::{name}::pb"), name, files, set, configure)
}

/// The same; `path` is the module with prost's code.
fn generate_at(
    path: &str,
    name: &str,
    files: &[&str],
    set: &str,
    configure: impl Fn(&mut prost_build::Config),
) -> Result<()> {
    let out = out()?.join(name);
    let (prost, hotpb) = (out.join("prost"), out.join("hotpb"));
    std::fs::create_dir_all(&prost)?;
    println!("cargo:rerun-if-changed={set}");
    let mut descriptors = FileDescriptorSet::decode(&*std::fs::read(set)?)?;
    // prost-build generates every file of a set, and refuses editions.
    descriptors.file.retain(|file| files.contains(&file.name()) || file.package() == "google.protobuf");
    let mut config = prost_build::Config::new();
    configure(&mut config);
    config.out_dir(&prost).include_file("mod.rs");
    config.compile_fds(descriptors)?;
    let mut config = hotpb_build::Config::new();
    match name {
        "spelling" => config.faces(["pool", "builder", "visitor", "writer", "view", "codec"]),
        "skipped" => {
            let tree = ["graft", "word", "leaves"].map(|field| format!("at_root.inner.Tree.{field}"));
            config.faces(["pool", "view", "codec"]).skip(tree)
        }
        _ => config.faces(["pool", "builder", "codec"]),
    };
    config.prost([path]).descriptor_set(set).out_dir(hotpb);
    config.compile(files, &[] as &[&str])?;
    Ok(())
}
