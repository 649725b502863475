#!/usr/bin/env bash
# Formatting and lints of the Rust half. Tests, testees, generated code and examples/remote-write are held to them, too.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
cd ../examples/remote-write
cargo fmt --check
CARGO_TARGET_DIR=../../build/cargo-remote-write cargo clippy --quiet --locked --all-targets -- -D warnings
