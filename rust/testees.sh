#!/usr/bin/env bash
# Builds the testees for the official conformance runner: build/conformance/rust-pool and rust-writer.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
cargo build --quiet --release -p hotpb-conformance
target=${CARGO_TARGET_DIR:-target}
mkdir -p ../build/conformance
for testee in rust-pool rust-writer; do
  # Moved into place, so that a testee that is running is not overwritten.
  cp "$target/release/$testee" "../build/conformance/.$testee.new"
  mv "../build/conformance/.$testee.new" "../build/conformance/$testee"
done
