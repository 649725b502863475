//! Which versions of generated code and runtime are compatible (FCE-6).

use hotpb_codegen::{Options, analyse, descriptor, generate};
use std::path::{Path, PathBuf};
use std::process::Command;

const SCHEMA: &str = "syntax = \"proto3\"; package p;";

/// Generates code for a file without types, which needs only the version range of the runtime.
fn generated(folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("p.proto"), SCHEMA).unwrap();
    let set = protox::compile(["p.proto"], [folder]).map(|set| prost::Message::encode_to_vec(&set)).unwrap();
    let plan = analyse(&descriptor::read_set(&set).unwrap(), &["p.proto".into()]).unwrap();
    for file in generate(&plan, &Options::parse("faces=writer").unwrap()).unwrap().files {
        std::fs::write(folder.join(file.name), file.content).unwrap();
    }
    folder.join("hotpb.mod.rs")
}

/// Compiles that code in a crate with a runtime of this range; returns the compiler's messages.
fn compiled(folder: &Path, range: (u32, u32)) -> Result<(), String> {
    let code = generated(folder);
    let (min, max) = range;
    let text = format!(
        "extern crate self as hotpb; pub const MIN_GENERATED: u32 = {min}; pub const MAX_GENERATED: u32 = {max}; \
         pub mod unit {{ include!({code:?}); }}"
    );
    let source = folder.join("lib.rs");
    std::fs::write(&source, text).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let arguments = ["--edition=2021", "--crate-type=lib", "--emit=metadata", "-Dwarnings"];
    let done = Command::new(rustc).args(arguments).arg("--out-dir").arg(folder).arg(&source).output().expect("rustc");
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

#[test]
fn code_outside_of_the_runtimes_range_does_not_compile_and_says_what_to_renew() {
    let folder = std::env::temp_dir().join(format!("hotpb-generated-version-{}", std::process::id()));
    let version = hotpb::MAX_GENERATED;
    assert!((hotpb::MIN_GENERATED..=version).contains(&version));
    for range in [(version, version), (version - 1, version + 1)] {
        assert_eq!(compiled(&folder, range), Ok(()), "{range:?}");
    }
    let old = compiled(&folder, (version + 1, version + 2)).unwrap_err();
    assert!(old.contains("older than the crate hotpb supports: generate it again"), "{old}");
    let new = compiled(&folder, (version - 1, version - 1)).unwrap_err();
    assert!(new.contains("newer than the crate hotpb supports: update hotpb"), "{new}");
    std::fs::remove_dir_all(&folder).unwrap();
}
