#!/usr/bin/env bash
# apps/remote-write/lint.sh: formatting and lints of the server and its tests, built without options; check-all.sh lints TLS, too.
set -euo pipefail
cd "$(dirname "$0")"
cargo fmt --check
CARGO_TARGET_DIR=../../build/cargo-remote-write-server cargo clippy --quiet --locked --all-targets --no-default-features -- -D warnings
