#!/usr/bin/env bash
# Builds the testees for the official conformance runner: build/conformance/rust-json, rust-pool, rust-view and rust-writer.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
# Built like the tests, with their features, so that most of it is compiled already; with the assertions of debug
# builds.
cargo build --quiet --bin rust-json --bin rust-pool --bin rust-view --bin rust-writer
target=${CARGO_TARGET_DIR:-target}
mkdir -p ../build/conformance
for testee in rust-json rust-pool rust-view rust-writer; do
  # Moved into place, so that a running testee is not overwritten.
  cp "$target/debug/$testee" "../build/conformance/.$testee.new"
  mv "../build/conformance/.$testee.new" "../build/conformance/$testee"
done
