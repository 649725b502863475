#!/usr/bin/env bash
# apps/remote-write/test.sh: format, and the tests of the server that need only Rust, built without options. Those of the options, and those that need
# Prometheus, brokers or other engines, are in check-prometheus.sh and check-all.sh.
set -euo pipefail
cd "$(dirname "$0")"
cargo fmt --check
# TLS takes longer to compile than its tests are worth in every run: check-all.sh has them.
CARGO_TARGET_DIR=../../build/cargo-remote-write-server cargo test --quiet --locked --no-default-features
