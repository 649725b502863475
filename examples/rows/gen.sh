#!/usr/bin/env bash
# Regenerates the committed visitors. (The tests compare with prost's code, which is committed in the demo first-light.)
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
scratch="$HOTPB_ROOT/build/bench/rows"
mkdir -p "$scratch"
"$PROTOC" -I "$HOTPB_ROOT/proto" --include_imports --include_source_info --descriptor_set_out="$scratch/prometheus.fds" \
  prometheus/remote.proto prometheus/types.proto prometheus/write/v2/types.proto
cargo build --quiet --locked --manifest-path "$HOTPB_ROOT/rust/Cargo.toml" --target-dir "$HOTPB_ROOT/rust/target" --workspace --bin protoc-gen-hotpb-rs
rm -rf src/generated
"$HOTPB_ROOT/rust/target/debug/protoc-gen-hotpb-rs" --descriptor_set="$scratch/prometheus.fds" --out=src/generated --opt=faces=pool+visitor
