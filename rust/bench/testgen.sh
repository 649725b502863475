#!/usr/bin/env bash
# rust/bench/testgen.sh: generates the rivals' code and our own under rust/bench, with the versions that gen/Cargo.toml pins.
# tools/testgen calls it when it has to; git ignores what it writes.
#   --inputs   builds the generators, and prints the files that decide what is written
#   --there    whether anything is there (exit status)
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --there ]; then
  [ -d src/rw1/generated/hotpb ] && [ -d src/messages/generated/prost_descriptor ]
  exit
fi
. ../../tools/env.sh
protos="$HOTPB_ROOT/proto"
scratch="$HOTPB_ROOT/build/bench"
mkdir -p "$scratch"
cargo build --quiet --target-dir "$HOTPB_ROOT/build/cargo-bench-gen" -p hotpb-bench-gen
cargo build --quiet --manifest-path ../Cargo.toml --target-dir ../target --workspace --bin protoc-gen-hotpb-rs
theirs="$HOTPB_ROOT/build/cargo-bench-gen/debug/hotpb-bench-gen" ours=../target/debug/protoc-gen-hotpb-rs
if [ "${1:-}" = --inputs ]; then
  printf '%s\n' "$theirs" "$ours" testgen.sh ../../tools/protoc.txt
  find ../../proto/prometheus ../../proto/bench -name '*.proto' | LC_ALL=C sort
  exit
fi
rm -rf src/*/generated

# Their generators talk to cargo on stdout; nobody listens here.
theirs() { "$theirs" "$@" >/dev/null; }
describe() { "$PROTOC" -I "$protos" -I "$PROTOC_INCLUDE" --include_imports --descriptor_set_out="$scratch/$1.fds" "${@:2}"; }
# ours SET FACES
ours() {
  "$ours" --descriptor_set="$scratch/$1.fds" --out="src/$1/generated/hotpb" --opt="faces=$2"
}

describe rw1 prometheus/remote.proto
theirs prost "$scratch/rw1.fds" src/rw1/generated/prost
theirs buffa-lazy "$scratch/rw1.fds" src/rw1/generated/buffa
theirs quick-protobuf "$protos/prometheus" src/rw1/generated/quick_protobuf
theirs rust-protobuf "$protos" src/rw1/generated/rust_protobuf prometheus/types.proto prometheus/remote.proto
ours rw1 pool+builder+visitor

describe rw2 prometheus/write/v2/types.proto
theirs prost "$scratch/rw2.fds" src/rw2/generated/prost
theirs buffa "$scratch/rw2.fds" src/rw2/generated/buffa
ours rw2 pool

describe protozero bench/events.proto
theirs prost "$scratch/protozero.fds" src/protozero/generated/prost
theirs buffa "$scratch/protozero.fds" src/protozero/generated/buffa
ours protozero writer

describe messages bench/listing.proto bench/otlp_logs.proto bench/shapes.proto
theirs prost "$scratch/messages.fds" src/messages/generated/prost
theirs buffa "$scratch/messages.fds" src/messages/generated/buffa
ours messages pool
# buffa and hotpb bring the descriptors of today with them; those of prost are of the time before editions.
describe descriptor google/protobuf/descriptor.proto
theirs prost "$scratch/descriptor.fds" src/messages/generated/prost_descriptor
