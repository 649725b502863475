#!/usr/bin/env bash
# Builds the testees for the official conformance runner: build/conformance/rust-pool.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --quiet --release -p hotpb-conformance
target=${CARGO_TARGET_DIR:-target}
mkdir -p ../build/conformance
# Moved into place, so that a testee that is running is not overwritten.
cp "$target/release/rust-pool" ../build/conformance/.rust-pool.new
mv ../build/conformance/.rust-pool.new ../build/conformance/rust-pool
