#!/usr/bin/env bash
# Regenerates the rivals' code under rust/bench, with the versions that gen/Cargo.toml pins.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
scratch="$HOTPB_ROOT/build/bench"
mkdir -p "$scratch"
"$PROTOC" -I "$HOTPB_ROOT/proto" --include_imports --descriptor_set_out="$scratch/rw1.fds" prometheus/remote.proto
cargo build --quiet --target-dir "$HOTPB_ROOT/build/cargo-bench-gen" -p hotpb-bench-gen
gen="$HOTPB_ROOT/build/cargo-bench-gen/debug/hotpb-bench-gen"
out=src/rw1/generated
# Their generators talk to cargo on stdout; nobody listens here.
"$gen" prost "$scratch/rw1.fds" $out/prost >/dev/null
"$gen" buffa "$scratch/rw1.fds" $out/buffa >/dev/null
"$gen" quick-protobuf "$HOTPB_ROOT/proto/prometheus" $out/quick_protobuf >/dev/null

# Ours, from the same descriptors.
cargo build --quiet --manifest-path ../Cargo.toml --target-dir ../target -p protoc-gen-hotpb-rs
rm -rf $out/hotpb
../target/debug/protoc-gen-hotpb-rs --descriptor_set="$scratch/rw1.fds" --out=$out/hotpb --opt=faces=pool+visitor
