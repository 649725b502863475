#!/usr/bin/env bash
# Tests the program and the server, and that a user's build contains no stock runtime.
# REMOTE_WRITE_TLS=1 tests TLS, too; check.sh searches longer for harmful bodies and requests.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=../../build/cargo-remote-write
cargo test --quiet --locked
tree=$(cargo tree --locked --edges normal --prefix none --format '{p}')
if grep -E '^(prost|serde|csv)' <<< "$tree"; then
  echo "the program contains a dependency that only tests need" >&2
  exit 1
fi

# The server is a crate of its own, with a lock file of its own.
cd server
export CARGO_TARGET_DIR=../../../build/cargo-remote-write-server
# TLS takes longer to compile than its tests are worth in every run: `rust/check-all.sh remote_write` has them.
features=(--no-default-features)
[[ -z ${REMOTE_WRITE_TLS:-} ]] || features=()
cargo test --quiet --locked "${features[@]}"
