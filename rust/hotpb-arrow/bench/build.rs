//! Compiles the descriptor set of the log records.

use prost::Message;

fn main() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../proto");
    let set = protox::compile(["bench/otlp_logs.proto"], [folder]).unwrap();
    std::fs::write(format!("{}/logs.fds", std::env::var("OUT_DIR").unwrap()), set.encode_to_vec()).unwrap();
    println!("cargo:rerun-if-changed={folder}/bench/otlp_logs.proto");
}
