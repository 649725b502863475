#!/usr/bin/env bash
# Regenerates the committed code of the manifest and of OTLP, and the writer of messages for Kafka.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
scratch="$HOTPB_ROOT/build/bench/remote-write"
mkdir -p "$scratch"
"$PROTOC" -I proto -I "$HOTPB_ROOT/proto" --include_imports --include_source_info --descriptor_set_out="$scratch/server.fds" \
  manifest.proto status.proto opentelemetry/proto/collector/metrics/v1/metrics_service.proto
cargo build --quiet --locked --manifest-path "$HOTPB_ROOT/rust/Cargo.toml" --target-dir "$HOTPB_ROOT/rust/target" --bin protoc-gen-hotpb-rs
rm -rf src/generated
"$HOTPB_ROOT/rust/target/debug/protoc-gen-hotpb-rs" --descriptor_set="$scratch/server.fds" --out=src/generated --opt=faces=pool+builder
"$PROTOC" -I "$HOTPB_ROOT/proto" --include_imports --include_source_info --descriptor_set_out="$scratch/kafka.fds" prometheus/write/v2/types.proto
rm -rf src/kafka/generated
"$HOTPB_ROOT/rust/target/debug/protoc-gen-hotpb-rs" --descriptor_set="$scratch/kafka.fds" --out=src/kafka/generated --opt=faces=writer
