#!/usr/bin/env bash
# rust/check-all.sh [STEP…]: the checks that take long, in addition to test.sh and lint.sh. Without arguments it runs
# all steps, in the order of `steps`. A step is a function step_NAME; if a prerequisite is missing, it prints a line
# `SKIPPED: …`.
set -euo pipefail
cd "$(dirname "$0")"
steps=(features thorough tls msrv no_std arm64 big_endian datafusion miri)
../tools/testgen rust

msrv=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

# toolchain NAME [TARGET]: installs a toolchain, and a target for it, through rustup; fails if it cannot.
toolchain() {
  rustup toolchain install "$1" --profile minimal --no-self-update ${2:+--target "$2"} > /dev/null 2>&1
}

# checked ARGUMENT…: cargo check with the oldest supported Rust.
checked() { CARGO_TARGET_DIR=target/msrv cargo "+$msrv" check --quiet --locked "$@"; }

# The published crates, and generated code, compile with the Rust version in Cargo.toml.
step_msrv() {
  if ! toolchain "$msrv"; then echo "SKIPPED: rustup cannot install Rust $msrv"; return; fi
  checked -p hotpb
  checked -p hotpb --all-features
  checked -p hotpb-codegen -p hotpb-build -p protoc-gen-hotpb-rs
  checked -p hotpb-build --no-default-features
  checked -p hotpb-tests -p hotpb-conformance -p hotpb-doc-tests
  # tonic needs a newer Rust.
  local tonics
  tonics=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' hotpb-tonic/Cargo.toml)
  if ! toolchain "$tonics"; then echo "SKIPPED: rustup cannot install Rust $tonics"; return; fi
  CARGO_TARGET_DIR=../build/cargo-tonic-msrv cargo "+$tonics" check --quiet --locked --manifest-path hotpb-tonic/Cargo.toml \
    -p hotpb-tonic -p hotpb-tonic-build -p hotpb-tonic-loopback
  # So does Arrow.
  local arrows
  arrows=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' hotpb-arrow/Cargo.toml)
  if ! toolchain "$arrows"; then echo "SKIPPED: rustup cannot install Rust $arrows"; return; fi
  CARGO_TARGET_DIR=target/msrv cargo "+$arrows" check --quiet --locked --manifest-path hotpb-arrow/Cargo.toml
  # DataFusion needs the same.
  CARGO_TARGET_DIR=../build/cargo-datafusion-msrv cargo "+$arrows" check --quiet --locked --manifest-path hotpb-datafusion/Cargo.toml
}

# A target without std.
step_no_std() {
  local target=thumbv7em-none-eabi
  if ! toolchain "$msrv" "$target"; then echo "SKIPPED: rustup cannot install the target $target"; return; fi
  checked -p hotpb --target "$target"
  checked -p hotpb --target "$target" --features bytes
}

# nightly: prints the toolchain of the steps below, or says that it cannot be installed.
nightly() { ./nightly.sh 2> /dev/null || { echo "SKIPPED: rust/nightly.sh cannot install its toolchain" >&2; return 1; }; }

# emulated TARGET MACHINE: runs the runtime's own tests and those of the vectors for another machine, in qemu.
emulated() {
  local target=$1 machine=$2 variable
  if ! command -v "qemu-$machine" > /dev/null || ! command -v "$machine-linux-gnu-gcc" > /dev/null; then
    echo "SKIPPED: no qemu-$machine or no $machine-linux-gnu-gcc (tools/setup machines)"
    return
  fi
  if ! rustup target add "$target" > /dev/null 2>&1; then echo "SKIPPED: rustup cannot install the target $target"; return; fi
  variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<< "$target")
  (
    export "${variable}_LINKER=$machine-linux-gnu-gcc" "${variable}_RUNNER=qemu-$machine -L /usr/$machine-linux-gnu"
    [ -f ../build/vectors/writer.jsonl ] || ../tools/vectors/compile
    cargo test --quiet --target "$target" -p hotpb --lib --all-features
    cargo test --quiet --target "$target" -p hotpb-tests --features tables --test faces -- vectors:: pool_calls::
  )
}

step_arm64() { emulated aarch64-unknown-linux-gnu aarch64; }

# The runtime must not confuse the machine's byte order with protobuf's.
step_big_endian() { emulated s390x-unknown-linux-gnu s390x; }

# hotpb-datafusion and protosql: tests and lints, and the library without the program. The first build of DataFusion takes
# ten minutes or more.
step_datafusion() {
  hotpb-datafusion/test.sh
  (
    cd hotpb-datafusion
    export CARGO_TARGET_DIR=../../build/cargo-datafusion
    cargo clippy --quiet --locked --all-targets -- -D warnings
    cargo check --quiet --locked --no-default-features
  )
}

# The runtime's own tests with all features: the workspace's tests turn on neither `tokio-util` nor `http-body`.
step_features() { cargo test --quiet -p hotpb --lib --all-features --target-dir target/all-features; }

# All messages in both tiers, and more mutations and messages than test.sh has.
step_thorough() {
  HOTPB_THOROUGH=1 cargo test --quiet -p hotpb-tests --features tables
  HOTPB_THOROUGH=1 cargo test --quiet -p hotpb-json-tests --test stock
}

# Calls of tonic over TLS.
step_tls() { cargo test --quiet --locked -p hotpb-tonic-loopback --features tls --test loopback; }

# Undefined behaviour, aliasing and leaks, in the runtime and in generated code. Miri is some thousand times slower, so the
# tests use fewer inputs under it. It runs
#   lib             the runtime's own tests: wire, chunk, writer, view, pool, codec, json, and the hostile callers of
#                   pools' stocks, frames, bodies, pieces and places
#   hostile_writer  hostile callers of the writer, with all outputs
#   hostile_pool    hostile visitors, builders and buffers
#   pool_tiers      the same messages by straight code and by table
#   view            generated views
#   borrowed_bytes  bytes that others change or own
step_miri() {
  local name
  name=$(nightly) || return 0
  export MIRIFLAGS="-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation"
  cargo "+$name" miri test --quiet -p hotpb --lib --all-features --target-dir target/miri
  cargo "+$name" miri test --quiet -p hotpb-tests --features tables --test faces --target-dir target/miri -- \
    borrowed_bytes:: hostile_writer:: hostile_pool:: pool_tiers:: view::
  unset MIRIFLAGS
}

[ $# -gt 0 ] || set -- "${steps[@]}"
for step; do
  declare -F "step_$step" > /dev/null || { echo "rust/check-all.sh: no step $step (known: ${steps[*]})" >&2; exit 2; }
  echo "==> rust: $step"
  "step_$step"
done
