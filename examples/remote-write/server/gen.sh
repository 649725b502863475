#!/usr/bin/env bash
# Regenerates the committed code of the manifest.
set -euo pipefail
cd "$(dirname "$0")"
. ../../../tools/env.sh
scratch="$HOTPB_ROOT/build/bench/remote-write-server"
mkdir -p "$scratch"
"$PROTOC" -I proto --include_imports --include_source_info --descriptor_set_out="$scratch/manifest.fds" manifest.proto
cargo build --quiet --locked --manifest-path "$HOTPB_ROOT/rust/Cargo.toml" --target-dir "$HOTPB_ROOT/rust/target" --workspace --bin protoc-gen-hotpb-rs
rm -rf src/generated
"$HOTPB_ROOT/rust/target/debug/protoc-gen-hotpb-rs" --descriptor_set="$scratch/manifest.fds" --out=src/generated --opt=faces=pool+builder
