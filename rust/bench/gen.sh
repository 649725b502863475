#!/usr/bin/env bash
# Regenerates the rivals' code under rust/bench, with the versions that gen/Cargo.toml pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
mkdir -p "$HOTPB_ROOT/build/bench"
set_file="$HOTPB_ROOT/build/bench/rw1.fds"
"$PROTOC" -I "$HOTPB_ROOT/proto" --include_imports --descriptor_set_out="$set_file" prometheus/remote.proto
cargo run --quiet --target-dir "$HOTPB_ROOT/build/cargo-bench-gen" -p hotpb-bench-gen -- "$HOTPB_ROOT" "$set_file"
