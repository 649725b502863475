#!/usr/bin/env bash
# Formatting and lints of the Rust half. Tests, testees and generated code are held to them, too.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen rust
cargo fmt --all --check
cargo clippy --quiet --workspace --all-targets -- -D warnings
