#!/usr/bin/env bash
# The program's promises: all tests, and that no stock runtime is in what a user builds.
# REMOTE_WRITE_FUZZ_SECONDS=60 looks longer for bodies that do harm.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=../../build/cargo-remote-write
cargo test --quiet --locked
tree=$(cargo tree --locked --edges normal --prefix none --format '{p}')
if grep -E '^(prost|serde|csv)' <<< "$tree"; then
  echo "what only tests need is in the program" >&2
  exit 1
fi
