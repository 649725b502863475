#!/usr/bin/env bash
# Regenerates the demo's committed code: hotpb's by hotpb's generators, the stock runtimes' by theirs, all pinned.
set -euo pipefail
cd "$(dirname "$0")"
. ../../tools/env.sh
protos=(prometheus/remote.proto prometheus/types.proto prometheus/write/v2/types.proto)
scratch="$HOTPB_ROOT/build/bench/first-light"
mkdir -p "$scratch"
"$PROTOC" -I "$HOTPB_ROOT/proto" --include_imports --include_source_info \
  --descriptor_set_out="$scratch/prometheus.fds" "${protos[@]}"

# Rust: prost's code comes from the generator program of the benchmarks.
cargo build --quiet --locked --manifest-path "$HOTPB_ROOT/rust/bench/Cargo.toml" --target-dir "$HOTPB_ROOT/build/cargo-bench-gen" -p hotpb-bench-gen
"$HOTPB_ROOT/build/cargo-bench-gen/debug/hotpb-bench-gen" prost "$scratch/prometheus.fds" rust/src/generated/stock >/dev/null

cargo build --quiet --locked --manifest-path "$HOTPB_ROOT/rust/Cargo.toml" --target-dir "$HOTPB_ROOT/rust/target" --workspace --bin protoc-gen-hotpb-rs
rm -rf rust/src/generated/hot
"$HOTPB_ROOT/rust/target/debug/protoc-gen-hotpb-rs" --descriptor_set="$scratch/prometheus.fds" --out=rust/src/generated/hot --opt=faces=pool

# Go: one package per protocol version, hotpb's beside the stock one.
gen=github.com/hotpb/hotpb/examples/first-light/go/gen
packages=(prometheus/remote.proto=$gen/prometheus prometheus/types.proto=$gen/prometheus
  prometheus/write/v2/types.proto=$gen/writev2)
stock=(--go_opt=module=$gen) hot=(--hotpb_opt=module=$gen)
for p in "${packages[@]}"; do
  stock+=("--go_opt=M$p") hot+=("--hotpb_opt=M$p")
done
(cd go && go build -o "$scratch/" google.golang.org/protobuf/cmd/protoc-gen-go)
(cd "$HOTPB_ROOT/go" && go build -o "$scratch/" ./cmd/protoc-gen-go-hotpb)
mkdir -p go/gen
"$PROTOC" -I "$HOTPB_ROOT/proto" --plugin="$scratch/protoc-gen-go" --plugin="protoc-gen-hotpb=$scratch/protoc-gen-go-hotpb" \
  --go_out=go/gen --hotpb_out=go/gen --hotpb_opt=faces=view "${stock[@]}" "${hot[@]}" "${protos[@]}"

# C++: headers only.
cmake --preset release -S "$HOTPB_ROOT/cpp" >/dev/null
cmake --build "$HOTPB_ROOT/build/cpp" --target protoc-gen-hotpb-cpp --parallel "$(nproc)" >/dev/null
rm -rf cpp/gen
"$HOTPB_ROOT/build/cpp/plugin/protoc-gen-hotpb-cpp" --descriptor_set="$scratch/prometheus.fds" --out=cpp/gen \
  --files=prometheus/remote.proto+prometheus/types.proto --opt=faces=writer
