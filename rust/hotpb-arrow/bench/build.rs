//! Compiles the descriptor set of the log records, with protoc.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let protoc = std::env::var_os("PROTOC").map_or(root.join("build/tools/protoc/bin/protoc"), Into::into);
    let out = Path::new(&std::env::var_os("OUT_DIR").unwrap()).join("logs.fds");
    let status = Command::new(&protoc)
        .arg(format!("--proto_path={}", root.join("proto").display()))
        .arg(format!("--descriptor_set_out={}", out.display()))
        .arg("bench/otlp_logs.proto")
        .status();
    assert!(status.is_ok_and(|s| s.success()), "{} failed; run tools/setup", protoc.display());
    println!("cargo:rerun-if-changed={}", root.join("proto/bench/otlp_logs.proto").display());
    println!("cargo:rerun-if-env-changed=PROTOC");
}
