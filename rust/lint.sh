#!/usr/bin/env bash
# Checks formatting and lints of all Rust code, including tests, testees, generated code, hotpb-tonic and
# examples/remote-write.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
(
  cd hotpb-tonic
  cargo fmt --all --check
  CARGO_TARGET_DIR=../../build/cargo-tonic cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
)
(cd prost-tests && cargo fmt --check && cargo clippy --quiet --locked --all-targets --target-dir ../../build/cargo-prost-tests -- -D warnings)
cd ../examples/remote-write
cargo fmt --check
CARGO_TARGET_DIR=../../build/cargo-remote-write cargo clippy --quiet --locked --all-targets -- -D warnings
